package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"

	"vibespace/internal/api"
)

// notch is how far one turn of the wheel goes, in CSS pixels.
const notch = 100

// maxNotches bounds one scroll.
const maxNotches = 500

// Scroll turns the wheel.
func (p *Page) Scroll(ctx context.Context, r api.PageScrollRequest) (*api.PageActed, error) {
	way, ok := map[string]point{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}[r.Direction]
	if !ok {
		return nil, api.Refuse(api.BadRequest, "%q is no direction", r.Direction).WithHint("up, down, left or right")
	}
	by := r.By
	if by == 0 {
		by = 3
	}
	if by < 0 || by > maxNotches {
		return nil, api.Refuse(api.BadRequest, "%d notches", by).WithHint("1 to %d", maxNotches)
	}
	return p.act(ctx, r.PageAct, "scroll", r.Ref, func(d *doing) error {
		d.did.Action = r.Direction
		at, where, err := d.wheelPoint()
		if err != nil {
			return err
		}
		rolls, err := d.rolls(way)
		if err != nil {
			return err
		}
		before, err := where(d.o.ctx)
		if err != nil {
			return err
		}
		far := float64(notch * by)
		// The protocol's own type leaves a delta of 0 out, which a wheel needs.
		if err := d.send(input.DispatchMouseEvent.Method, map[string]any{
			"type": "mouseWheel", "x": at.x, "y": at.y, "deltaX": way.x * far, "deltaY": way.y * far,
		}); err != nil {
			return err
		}
		if err := d.echo(); err != nil {
			return err
		}
		if !rolls {
			return nil
		}
		if after, ok := d.rolled(where, before); ok {
			d.effects = append(d.effects, api.Effect{Kind: "scrolled", Text: api.Point{X: after[0], Y: after[1]}.String()})
		}
		return nil
	})
}

// rollLimit is how long a turn of the wheel is waited for, where it can move
// something: it does so smoothly, some frames after the event.
const rollLimit = 2 * time.Second

// rolls says whether a turn of the wheel can move anything.
func (d *doing) rolls(way point) (bool, error) {
	var can bool
	if d.a != nil {
		err := d.a.ask(d.o.ctx, "rolls", &can, way.x, way.y)
		return can, err
	}
	doc, err := d.p.document(d.o.ctx, d.p.mainFrame())
	if err != nil {
		return false, err
	}
	err = doc.ask(d.o.ctx, "rolls", &can, nil, way.x, way.y)
	return can, err
}

// rolled waits until what was scrolled has moved and stands still; false when
// it did not move.
func (d *doing) rolled(where func(ctx context.Context) ([2]int, error), before [2]int) ([2]int, bool) {
	soon, cancel := context.WithTimeout(d.o.ctx, rollLimit)
	defer cancel()
	last := before
	for {
		d.p.drawn(soon)
		now, err := where(d.o.ctx)
		if err != nil || (soon.Err() != nil && now == before) {
			return before, false
		}
		if now != before && (now == last || soon.Err() != nil) {
			return now, true
		}
		last = now
		if soon.Err() != nil {
			return now, now != before
		}
	}
}

// wheelPoint is where the wheel is turned: over the element, or in the middle
// of the page; and how to ask how far that is scrolled.
func (d *doing) wheelPoint() (point, func(ctx context.Context) ([2]int, error), error) {
	if d.a == nil {
		doc, err := d.p.document(d.o.ctx, d.p.mainFrame())
		if err != nil {
			return point{}, nil, err
		}
		var view [4]int
		if err := doc.ask(d.o.ctx, "position", &view); err != nil {
			return point{}, nil, err
		}
		return point{float64(view[2]) / 2, float64(view[3]) / 2}, func(ctx context.Context) ([2]int, error) {
			var now [4]int
			err := doc.ask(ctx, "position", &now)
			return [2]int{now[0], now[1]}, err
		}, nil
	}
	at, err := d.a.place(d.o.ctx)
	d.did.At = &api.Point{X: int(at.x), Y: int(at.y)}
	return at, func(ctx context.Context) ([2]int, error) {
		var now [2]int
		err := d.a.ask(ctx, "scrolled", &now)
		return now, err
	}, err
}

// Upload gives files to a file field or to the chooser that is open. The paths
// are absolute and were checked by the caller.
func (p *Page) Upload(ctx context.Context, r api.UploadRequest) (*api.PageActed, error) {
	if len(r.Files) == 0 {
		return nil, api.Refuse(api.BadRequest, "no file is named").WithHint("vibespace-browser upload @e… FILE")
	}
	return p.act(ctx, r.PageAct, "upload", r.Ref, func(d *doing) error {
		d.did.By = "script"
		l, params, multiple, err := d.fileField(r)
		if err != nil {
			return err
		}
		if len(r.Files) > 1 && !multiple {
			return api.Refuse(api.CannotSet, "it takes one file").WithHint("name one")
		}
		if d.a != nil {
			if err := d.watchChanges(); err != nil {
				return err
			}
		}
		if err := d.o.ctx.Err(); err != nil {
			return context.Cause(d.o.ctx)
		}
		d.o.sent = true
		if err := l.s.Call(d.o.ctx, dom.SetFileInputFiles.Method, params, nil); err != nil {
			return err
		}
		p.mu.Lock()
		p.chooser = nil
		p.mu.Unlock()
		if now, ok := d.again(); ok && now.HasValue {
			given := now.Value != ""
			d.verified = &given
		}
		d.effects = append(d.effects, api.Effect{Kind: "files", Count: len(r.Files)})
		return nil
	})
}

// fileField is where the files go: the element, or the chooser's field.
func (d *doing) fileField(r api.UploadRequest) (*link, dom.SetFileInputFilesParams, bool, error) {
	params := dom.SetFileInputFilesParams{Files: r.Files}
	d.p.mu.Lock()
	open := d.p.chooser
	d.p.mu.Unlock()
	switch {
	case d.a != nil && d.a.state.Kind == "file":
		if d.a.state.Disabled {
			return nil, params, false, d.a.usable()
		}
		params.ObjectID = d.a.object
		return d.a.l, params, d.a.state.Multiple, nil
	case d.a != nil && open == nil:
		return nil, params, false, api.Refuse(api.CannotSet, "%s %s is no file field", d.a.e.ref, describe(d.a.e.role, d.a.e.name)).
			WithHint("click what opens the file chooser, then upload without a ref")
	case open == nil:
		return nil, params, false, api.Refuse(api.CannotSet, "no file chooser is open").WithHint("vibespace-browser upload @e… FILE, or click what opens the chooser first")
	}
	params.BackendNodeID = open.backend
	return open.link, params, open.multiple, nil
}
