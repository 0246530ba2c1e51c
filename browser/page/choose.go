package page

import (
	"context"
	"slices"
	"strings"

	"vibespace/internal/api"
)

// option is one option of a list.
type option struct {
	Text     string `json:"text"`
	Value    string `json:"value"`
	Disabled bool   `json:"disabled"`
	Selected bool   `json:"selected"`
}

// maxNamed is how many options a refusal names.
const maxNamed = 50

// Select selects options of a list; cannot_set names those there are.
func (p *Page) Select(ctx context.Context, r api.PageSelectRequest) (*api.PageActed, error) {
	if len(r.Options) == 0 {
		return nil, api.Refuse(api.BadRequest, "no option is named").WithHint("vibespace-browser select %s NAME", r.Ref)
	}
	return p.act(ctx, r.PageAct, "select", r.Ref, func(d *doing) error {
		d.did.By = "script"
		if d.a.state.Tag != "select" {
			return api.Refuse(api.CannotSet, "%s %s is no list of the browser's own", d.a.e.ref, describe(d.a.e.role, d.a.e.name)).
				WithHint("click it, take a snapshot, and click the option")
		}
		if err := d.a.usable(); err != nil {
			return err
		}
		var list []option
		if err := d.a.ask(d.o.ctx, "options", &list); err != nil {
			return err
		}
		if len(r.Options) > 1 && !d.a.state.Multiple {
			return api.Refuse(api.CannotSet, "%s takes one option", d.a.e.ref).WithHint("name one")
		}
		indexes, err := d.indexes(list, r.Options)
		if err != nil {
			return err
		}
		if err := d.watchChanges(); err != nil {
			return err
		}
		if err := d.o.ctx.Err(); err != nil {
			return context.Cause(d.o.ctx)
		}
		d.o.sent = true
		if err := d.a.ask(d.o.ctx, "choose", nil, indexes); err != nil {
			return err
		}
		d.chosen(list, indexes)
		return nil
	})
}

// indexes finds the options that are named, by text first.
func (d *doing) indexes(list []option, names []string) ([]int, error) {
	var found []int
	for _, name := range names {
		at := slices.IndexFunc(list, func(o option) bool { return o.Text == strings.TrimSpace(name) })
		if at < 0 {
			at = slices.IndexFunc(list, func(o option) bool { return o.Value == name })
		}
		if at < 0 {
			at = slices.IndexFunc(list, func(o option) bool { return strings.EqualFold(o.Text, strings.TrimSpace(name)) })
		}
		if at < 0 {
			there := []string{}
			for _, o := range list[:min(len(list), maxNamed)] {
				there = append(there, cutRunes(o.Text, 80))
			}
			return nil, api.Refuse(api.CannotSet, "%s has no option %s", d.a.e.ref, api.Quote(name, 80)).
				WithHint("vibespace-browser snapshot --root %s lists all %d", d.a.e.ref, len(list)).With("options", there)
		}
		if list[at].Disabled {
			return nil, api.Refuse(api.Disabled, "the option %s of %s is disabled", api.Quote(list[at].Text, 80), d.a.e.ref).WithHint("select another")
		}
		found = append(found, at)
	}
	return found, nil
}

// chosen reads back what is selected.
func (d *doing) chosen(list []option, indexes []int) {
	d.drawn()
	if _, ok := d.again(); !ok {
		return
	}
	soon, cancel := context.WithTimeout(d.o.ctx, echoLimit)
	defer cancel()
	var now []option
	if d.a.ask(soon, "options", &now) != nil || len(now) != len(list) {
		return
	}
	same := true
	var texts []string
	for i, o := range now {
		same = same && o.Selected == slices.Contains(indexes, i)
		if o.Selected {
			texts = append(texts, o.Text)
		}
	}
	d.verified = &same
	d.effects = append(d.effects, api.Effect{Kind: "selected", Text: cutRunes(strings.Join(texts, ", "), 500)})
}

// Check checks or unchecks a box, a switch or a radio button.
func (p *Page) Check(ctx context.Context, r api.PageCheckRequest) (*api.PageActed, error) {
	verb := "uncheck"
	if r.Checked {
		verb = "check"
	}
	return p.act(ctx, r.PageAct, verb, r.Ref, func(d *doing) error {
		is := d.a.state.Checked
		if is == nil {
			is = d.a.state.Pressed
		}
		told := string(d.a.e.ref) + " " + describe(d.a.e.role, d.a.e.name)
		switch {
		case is == nil:
			return api.Refuse(api.CannotSet, "%s cannot be checked", told).WithHint("vibespace-browser click %s", d.a.e.ref)
		case *is == r.Checked && !d.a.state.Disabled:
			d.verified = yes()
			return nil
		case d.a.state.Kind == "radio" && !r.Checked:
			return api.Refuse(api.CannotSet, "%s is a radio button: another one of its group is to be checked", told).WithHint("vibespace-browser check @e…")
		}
		at, err := d.ready()
		if err != nil {
			return err
		}
		if err := d.press(at); err != nil {
			return err
		}
		now, ok := d.again()
		if !ok {
			return nil
		}
		if is = now.Checked; is == nil {
			is = now.Pressed
		}
		same := is != nil && *is == r.Checked
		d.verified = &same
		d.difference()
		return nil
	})
}

// press clicks a point once and waits until the page has had it.
func (d *doing) press(at point) error {
	for _, e := range []struct {
		kind  string
		held  int64
		count int64
	}{{"mouseMoved", 0, 0}, {"mousePressed", 1, 1}, {"mouseReleased", 0, 1}} {
		button := buttons["left"].name
		if e.count == 0 {
			button = "none"
		}
		if err := d.pointer(e.kind, at, button, e.held, e.count, 0); err != nil {
			return err
		}
	}
	return d.echo()
}
