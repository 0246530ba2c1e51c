package page

import (
	"context"

	"github.com/chromedp/cdproto/input"

	"vibespace/internal/api"
)

// buttons are the pointer's buttons as the protocol knows them: name and bit.
var buttons = map[string]struct {
	name input.MouseButton
	bit  int64
}{
	"": {"left", 1}, "left": {"left", 1}, "right": {"right", 2}, "middle": {"middle", 4},
}

// Click clicks an element at a point where it gets the click: stale_ref,
// unknown_ref, disabled, occluded, window_not_visible by name otherwise.
func (p *Page) Click(ctx context.Context, r api.PageClickRequest) (*api.PageActed, error) {
	button, ok := buttons[r.Button]
	if !ok {
		return nil, api.Refuse(api.BadRequest, "%q is no button", r.Button).WithHint("left, right or middle")
	}
	bits, err := modifiers(r.Mod)
	if err != nil {
		return nil, err
	}
	count := max(r.Count, 1)
	if count > 3 {
		return nil, api.Refuse(api.BadRequest, "%d clicks at once", count).WithHint("--count 1 to 3")
	}
	return p.act(ctx, r.PageAct, "click", r.Ref, func(d *doing) error {
		at, err := d.ready()
		if err != nil {
			return err
		}
		d.did.Action = "click"
		if err := d.pointer("mouseMoved", at, "none", 0, 0, bits); err != nil {
			return err
		}
		d.led = len(d.sent)
		for n := range count {
			if err := d.pointer("mousePressed", at, button.name, button.bit, int64(n+1), bits); err != nil {
				return err
			}
			if err := d.pointer("mouseReleased", at, button.name, 0, int64(n+1), bits); err != nil {
				return err
			}
		}
		if err := d.echo(); err != nil {
			return err
		}
		d.unseen = !d.arrived()
		d.difference()
		return nil
	})
}

// arrived asks the document that is watched whether the press came to it, and
// what it followed. One that was left or stands still cannot be asked, and did
// get it.
func (d *doing) arrived() bool {
	n := d.watching()
	if n == nil {
		return true
	}
	soon, cancel := context.WithTimeout(d.o.ctx, echoLimit)
	defer cancel()
	var came struct {
		Pressed bool `json:"pressed"`
		Saves   bool `json:"saves"`
	}
	if err := n.ask(soon, "came", &came); err != nil {
		return true
	}
	d.saves = came.Saves
	return came.Pressed
}

// ready looks whether the element can be used, finds its point and begins to
// watch.
func (d *doing) ready() (point, error) {
	if err := d.a.usable(); err != nil {
		return point{}, err
	}
	at, err := d.a.place(d.o.ctx)
	if err != nil {
		return at, err
	}
	d.did.At = &api.Point{X: int(at.x), Y: int(at.y)}
	return at, d.watchChanges()
}

// pointer sends one event of the pointer.
func (d *doing) pointer(kind string, at point, button input.MouseButton, held, count, bits int64) error {
	params := input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventType(kind), X: at.x, Y: at.y, Button: button, Buttons: held, ClickCount: count, Modifiers: bits,
	}
	if kind != "mouseReleased" {
		return d.send(input.DispatchMouseEvent.Method, params)
	}
	// A button that was pressed is released, whatever ended meanwhile.
	c, err := d.p.main.s.Begin(input.DispatchMouseEvent.Method, params)
	if err == nil {
		d.sent = append(d.sent, c)
	}
	return err
}

// difference tells what of the element's own state the act changed.
func (d *doing) difference() {
	now, ok := d.again()
	if !ok {
		return
	}
	was := d.a.state
	flag := func(kind string, a, b *bool, on, off string) {
		if a != nil && b != nil && *a != *b {
			word := off
			if *b {
				word = on
			}
			d.effects = append(d.effects, api.Effect{Kind: kind, Text: word})
		}
	}
	flag("checked", was.Checked, now.Checked, "checked", "unchecked")
	flag("checked", was.Pressed, now.Pressed, "pressed", "released")
	flag("expanded", was.Expanded, now.Expanded, "expanded", "collapsed")
	if now.Focused && !was.Focused {
		d.effects = append(d.effects, api.Effect{Kind: "focus"})
	}
	if was.HasValue && now.HasValue && was.Value != now.Value {
		e := api.Effect{Kind: "value", Text: cutRunes(now.Value, 500)}
		if d.a.secret {
			e.Text = ""
		}
		d.effects = append(d.effects, e)
	}
}

// Hover brings the pointer over an element.
func (p *Page) Hover(ctx context.Context, r api.PageHoverRequest) (*api.PageActed, error) {
	return p.act(ctx, r.PageAct, "hover", r.Ref, func(d *doing) error {
		at, err := d.ready()
		if err != nil {
			return err
		}
		return d.pointer("mouseMoved", at, "none", 0, 0, 0)
	})
}
