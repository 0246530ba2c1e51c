package page

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"vibespace/internal/api"
)

// maxText bounds a text that is typed or filled in, in characters.
const maxText = 100_000

// burst is how many characters are on their way to a page at once: few enough
// that a takeover cuts a word, enough that the way there costs little.
const burst = 16

// mayType refuses texts that cannot be typed.
func mayType(text string) error {
	if n := utf8.RuneCountInString(text); n > maxText {
		return api.Refuse(api.TextTooLong, "%d characters are too many at once", n).WithHint("%d at most", maxText)
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return api.Refuse(api.ControlChar, "the text has a control character, U+%04X", r).WithHint("send keys with press")
		}
	}
	return nil
}

// takesText refuses an element that takes no text, that holds a secret, or
// that cannot be used.
func (d *doing) takesText(text string) error {
	s := d.a.state
	told := string(d.a.e.ref) + " " + describe(d.a.e.role, d.a.e.name)
	switch {
	case s.Tag == "select":
		return api.Refuse(api.NotEditable, "%s is a list", told).WithHint("vibespace-browser select %s NAME", d.a.e.ref)
	case s.Kind == "checkbox" || s.Kind == "radio":
		return api.Refuse(api.NotEditable, "%s is a %s", told, s.Kind).WithHint("vibespace-browser check %s", d.a.e.ref)
	case s.Kind == "file":
		return api.Refuse(api.NotEditable, "%s takes files", told).WithHint("vibespace-browser upload %s FILE", d.a.e.ref)
	case !s.Textual && !s.Picker:
		return api.Refuse(api.NotEditable, "%s takes no text", told).WithHint("vibespace-browser click %s, or press KEY", d.a.e.ref)
	case d.a.secret:
		if err := d.p.maySecret(d.a.f, told); err != nil {
			return err
		}
	}
	if err := d.a.usable(); err != nil {
		return err
	}
	switch {
	case s.Readonly:
		return api.Refuse(api.NotEditable, "%s can only be read", told).WithHint("vibespace-browser snapshot")
	case strings.ContainsAny(text, "\n") && s.Kind != "textarea" && s.Kind != "contenteditable":
		return api.Refuse(api.SingleLine, "%s has one line", told).WithHint("type with --enter sends it")
	}
	return nil
}

// Type types text with keys; not_editable, sensitive_field.
func (p *Page) Type(ctx context.Context, r api.PageTypeRequest) (*api.PageActed, error) {
	if err := mayType(r.Text); err != nil {
		return nil, err
	}
	return p.act(ctx, r.PageAct, "type", r.Ref, func(d *doing) error {
		d.did.By = "keys"
		into, err := d.caret(r)
		if err != nil {
			return err
		}
		at := d.p.enters(into)
		if err := d.keys(r.Text); err != nil {
			d.p.stray(at) // nobody reads back where it went
			return err
		}
		d.typed(r.Text, at)
		if r.Enter {
			if err := d.strike(namedKeys["enter"]); err != nil {
				return err
			}
		}
		return nil
	})
}

// caret puts the focus where the text goes: at the end of the element, or
// where it is. It gives what takes the text.
func (d *doing) caret(r api.PageTypeRequest) (*state, error) {
	if d.a == nil {
		_, s, err := d.p.focused(d.o.ctx)
		if err != nil {
			return nil, err
		}
		if s == nil || !s.Textual || s.Readonly || s.Disabled {
			return nil, api.Refuse(api.NotEditable, "nothing that takes text has the focus").WithHint("vibespace-browser type @e… TEXT, or press KEY")
		}
		if _, err := d.notSecret(); err != nil {
			return nil, err
		}
		return s, d.look()
	}
	if err := d.takesText(r.Text); err != nil {
		return nil, err
	}
	if d.a.state.Picker {
		return nil, api.Refuse(api.NotEditable, "%s takes a %s, not keys", d.a.e.ref, d.a.state.Kind).WithHint("vibespace-browser fill %s VALUE", d.a.e.ref)
	}
	return &d.a.state, d.focus(false)
}

// focus gives the element the focus: the caret at its end, or all selected.
func (d *doing) focus(all bool) error {
	if err := d.watchChanges(); err != nil {
		return err
	}
	if err := d.o.ctx.Err(); err != nil {
		return context.Cause(d.o.ctx)
	}
	if err := d.a.ask(d.o.ctx, "reveal", nil); err != nil {
		return err
	}
	var has bool
	if err := d.a.ask(d.o.ctx, "focus", &has, all); err != nil {
		return err
	}
	if !has {
		return api.Refuse(api.NotEditable, "%s %s does not take the focus", d.a.e.ref, describe(d.a.e.role, d.a.e.name)).
			WithHint("vibespace-browser click %s", d.a.e.ref)
	}
	return nil
}

// keys types a text key by key. What no key types is put in as an input method
// would. Before each burst the focus must still be where it was.
func (d *doing) keys(text string) error {
	runes := []rune(text)
	for at := 0; at < len(runes); at += burst {
		n := at
		d.did.Partial = &api.Partial{Chars: &n, Of: len(runes)}
		if at > 0 && !d.stillFocused() {
			return api.Refuse(api.NotEditable, "the focus went elsewhere after %d of %d characters", at, len(runes)).
				WithHint("vibespace-browser snapshot; the rest is not typed")
		}
		for _, r := range runes[at:min(at+burst, len(runes))] {
			if err := d.key(r); err != nil {
				return err
			}
		}
		if err := d.echo(); err != nil {
			return err
		}
		if d.p.sawOne("dialog") {
			break
		}
	}
	d.did.Partial = nil
	return nil
}

// key types one character.
func (d *doing) key(r rune) error {
	if s, ok := strokeOf(r); ok {
		return d.strike(s)
	}
	return d.send(input.InsertText.Method, input.InsertTextParams{Text: string(r)})
}

// stillFocused says whether what is typed into still has the focus.
func (d *doing) stillFocused() bool {
	if d.a == nil {
		return true
	}
	var has bool
	if err := d.a.ask(d.o.ctx, "focused", &has); err != nil {
		return d.o.ctx.Err() != nil // the next look at the context says it
	}
	return has
}

// typed reads a field back after typing at its end, into the document at.
func (d *doing) typed(text string, at cdp.LoaderID) {
	if d.a == nil {
		if now := d.focusNow(); now == nil || !now.keeps(text) {
			d.p.stray(at)
		}
		return
	}
	now, ok := d.again()
	if !ok || !now.HasValue {
		return
	}
	if now.emptied(text) {
		d.p.stray(at)
	}
	want := d.a.state.Value + text
	d.told(now, want)
}

// told tells a field's value, secrets excepted, and whether it is what was
// wanted.
func (d *doing) told(now state, want string) {
	same := now.Value == cutRunes(want, 10_000) || strings.TrimRight(now.Value, "\n") == strings.TrimRight(want, "\n")
	d.verified = &same
	e := api.Effect{Kind: "value", Text: cutRunes(now.Value, 500), Count: now.Length}
	if d.a.secret {
		e.Text = ""
	}
	d.effects = append(d.effects, e)
}

// Fill makes a text the whole of a field and reads it back.
func (p *Page) Fill(ctx context.Context, r api.PageFillRequest) (*api.PageActed, error) {
	if err := mayType(r.Text); err != nil {
		return nil, err
	}
	return p.act(ctx, r.PageAct, "fill", r.Ref, func(d *doing) error {
		if err := d.takesText(r.Text); err != nil {
			return err
		}
		if d.a.state.Picker {
			return d.put(r.Text)
		}
		d.did.By = "keys"
		if err := d.focus(true); err != nil {
			return err
		}
		at := d.p.enters(&d.a.state)
		if err := d.replace(r.Text); err != nil {
			return err
		}
		if err := d.echo(); err != nil {
			return err
		}
		d.drawn()
		if now, ok := d.again(); ok && now.HasValue {
			d.told(now, r.Text)
			if now.emptied(r.Text) {
				d.p.stray(at)
			}
		}
		return nil
	})
}

// replace puts a text in the place of what is selected.
func (d *doing) replace(text string) error {
	if text == "" {
		if d.a.state.Length == 0 {
			return nil
		}
		return d.strike(namedKeys["delete"])
	}
	return d.send(input.InsertText.Method, input.InsertTextParams{Text: text})
}

// forms are how the values of pickers are written.
var forms = map[string]string{
	"date": "2026-12-31", "time": "23:59", "datetime-local": "2026-12-31T23:59", "month": "2026-12", "week": "2026-W53",
	"color": "#ff8800", "range": "a number within its bounds",
}

// put sets a field that has a picker instead of text.
func (d *doing) put(text string) error {
	d.did.By = "script"
	if err := d.watchChanges(); err != nil {
		return err
	}
	if err := d.o.ctx.Err(); err != nil {
		return context.Cause(d.o.ctx)
	}
	d.o.sent = true
	var is string
	if err := d.a.ask(d.o.ctx, "put", &is, text); err != nil {
		return err
	}
	if is == "" && text != "" {
		return api.Refuse(api.CannotSet, "%s takes a %s, and %s is none", d.a.e.ref, d.a.state.Kind, api.Quote(text, 60)).
			WithHint("write it like %s", forms[d.a.state.Kind])
	}
	same := strings.EqualFold(is, text)
	d.verified = &same
	d.effects = append(d.effects, api.Effect{Kind: "value", Text: is})
	return nil
}
