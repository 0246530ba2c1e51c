package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/api"
)

// clicks measures a click on a control by its ref, with and without looking at
// what came of it, by point, and by xdotool, which never looks.
func clicks(ctx context.Context, r *rig) error {
	const app = "gtk3-widget-factory"
	w, err := r.open(ctx, api.OpenRequest{App: app})
	if err != nil {
		return err
	}
	defer r.stop(w)
	node, err := r.toggle(ctx, w)
	if err != nil {
		return err
	}
	_, origin, err := w.xid(ctx)
	if err != nil {
		return err
	}
	x := strconv.Itoa(origin.X + node.Bounds.X + node.Bounds.W/2)
	y := strconv.Itoa(origin.Y + node.Bounds.Y + node.Bounds.H/2)
	blind := api.Act{Handle: w.Handle, NoObserve: true}
	kinds := []struct {
		bench   string
		request api.ClickRequest
		ours    series
	}{
		{bench: "click", request: api.ClickRequest{Act: api.Act{Handle: w.Handle}, Ref: node.Ref}},
		{bench: "click.noobserve", request: api.ClickRequest{Act: blind, Ref: node.Ref}},
		{bench: "click.point.noobserve", request: api.ClickRequest{Act: blind, Ref: node.Ref, Point: true}},
	}
	var theirs series
	for range r.rounds {
		for i := range kinds {
			took, err := clocked(func() error {
				_, err := r.agent.Click(ctx, kinds[i].request)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", kinds[i].bench, err)
			}
			kinds[i].ours = append(kinds[i].ours, took)
		}
		_, spent, err := w.peer(ctx, "xdotool", "mousemove", x, y, "click", "1")
		if err != nil {
			return err
		}
		theirs = append(theirs, ms(spent))
	}
	for _, k := range kinds {
		if err := r.tell(compare(k.bench, app, "ms", k.ours, "xdotool", theirs)); err != nil {
			return err
		}
	}
	return r.finds(ctx, w, app, node)
}

// toggle finds a control that can be clicked any number of times.
func (r *rig) toggle(ctx context.Context, w opened) (api.Node, error) {
	found, err := r.agent.Find(ctx, api.FindRequest{Handle: w.Handle, Role: "check box"})
	if err != nil {
		return api.Node{}, err
	}
	for _, n := range found.Nodes {
		if n.Bounds != nil && !n.Clipped && len(n.Actions) > 0 && slices.Contains(n.States, "enabled") {
			return n, nil
		}
	}
	return api.Node{}, errors.New("no check box can be clicked")
}

// finds measures finding a control by role and name.
func (r *rig) finds(ctx context.Context, w opened, app string, node api.Node) error {
	var ours series
	for range r.rounds {
		took, err := clocked(func() error {
			_, err := r.agent.Find(ctx, api.FindRequest{Handle: w.Handle, Role: node.Role, Name: node.Name})
			return err
		})
		if err != nil {
			return err
		}
		ours = append(ours, took)
	}
	return r.tell(alone("find", app, "ms", ours))
}

// typed is what both sides type: what a keyboard has, capitals and signs
// included.
var typed = strings.Repeat("The quick brown fox (no. 7) jumps: over \"13\" lazy dogs! ", 5)

// typing measures text into an editor in characters a second: by the tree, by
// keys, and by xdotool at its own default pace. A faster pace of xdotool loses
// characters, and text that did not arrive has no speed.
func typing(ctx context.Context, r *rig) error {
	const app = "mousepad"
	w, err := r.open(ctx, api.OpenRequest{App: app})
	if err != nil {
		return err
	}
	defer r.stop(w)
	found, err := r.agent.Find(ctx, api.FindRequest{Handle: w.Handle, Role: "text", State: "editable"})
	if err != nil {
		return err
	}
	if len(found.Nodes) == 0 {
		return errors.New("the editor shows no text field")
	}
	field := found.Nodes[0].Ref
	act := api.Act{Handle: w.Handle, NoObserve: true}
	ours := map[string]series{}
	var theirs series
	for range r.rounds {
		for _, kind := range []string{"type", "type.tree"} {
			rate, err := r.rate(ctx, w, field, func() error {
				_, err := r.agent.Type(ctx, api.TypeRequest{Act: act, Ref: field, Text: typed, Keys: kind == "type"})
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			ours[kind] = append(ours[kind], rate)
		}
		rate, err := r.rate(ctx, w, field, func() error {
			_, _, err := w.peer(ctx, "xdotool", "type", "--", typed)
			return err
		})
		if err != nil {
			return fmt.Errorf("xdotool: %w", err)
		}
		theirs = append(theirs, rate)
	}
	for _, kind := range []string{"type", "type.tree"} {
		if err := r.tell(compare(kind, app, "chars/s", ours[kind], "xdotool", theirs)); err != nil {
			return err
		}
	}
	return nil
}

// rate empties the field, has the text typed, and gives characters a second if
// exactly the text arrived.
func (r *rig) rate(ctx context.Context, w opened, field api.Ref, do func() error) (float64, error) {
	empty := api.TypeRequest{Act: api.Act{Handle: w.Handle, NoObserve: true}, Ref: field, Replace: true}
	if _, err := r.agent.Type(ctx, empty); err != nil {
		return 0, fmt.Errorf("empty the field: %w", err)
	}
	// The focus is the field's for both sides.
	if _, err := r.agent.Set(ctx, api.SetRequest{Act: empty.Act, Ref: field, Focus: true}); err != nil {
		return 0, fmt.Errorf("focus the field: %w", err)
	}
	took, err := clocked(do)
	if err != nil {
		return 0, err
	}
	if err := r.arrived(ctx, w, field); err != nil {
		return 0, err
	}
	return float64(len(typed)) / took * 1000, nil
}

// arrived waits until the field holds the text.
func (r *rig) arrived(ctx context.Context, w opened, field api.Ref) error {
	deadline := time.Now().Add(5 * time.Second)
	for {
		answer, err := r.agent.Get(ctx, api.GetRequest{Handle: w.Handle, Ref: field, What: "text"})
		if err != nil {
			return err
		}
		holds := ""
		if answer.Node.Text != nil {
			holds = *answer.Node.Text
		}
		if holds == typed {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d characters arrived as %d, or other ones", len(typed), len([]rune(holds)))
		}
		time.Sleep(20 * time.Millisecond)
	}
}
