package atspi

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// portrait is everything a tree says of its nodes, one line a node.
func portrait(t *Tree) []string {
	lines := make([]string, 0, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		text, value, extents := "-", "-", "-"
		if n.Text != nil {
			text = fmt.Sprintf("%q", *n.Text)
		}
		if n.Value != nil {
			value = fmt.Sprint(*n.Value)
		}
		if n.Extents != nil {
			extents = fmt.Sprint(*n.Extents)
		}
		lines = append(lines, fmt.Sprintf("%s%s %q %v %v %s %s %s %q %d", strings.Repeat(" ", n.Depth), n.Role, n.Name,
			n.States.Names(), n.Actions, text, value, extents, n.Description, n.ChildCount))
	}
	return lines
}

// everyNode lists the numbers of a tree's nodes.
func everyNode(t *Tree) []int {
	all := make([]int, len(t.Nodes))
	for i := range all {
		all[i] = i
	}
	return all
}

const everything = WantActions | WantText | WantValue

// whole reads an application from nothing.
func (d *desk) whole(ctx context.Context, app App) *Tree {
	d.t.Helper()
	tree := d.read(app, Budget{})
	if err := d.conn.Locate(ctx, tree, nil, Budget{}); err != nil {
		d.t.Fatal(err)
	}
	if err := d.conn.Detail(ctx, tree, everyNode(tree), everything, Budget{}); err != nil {
		d.t.Fatal(err)
	}
	return tree
}

// kept reads it through a keeper.
func (d *desk) kept(ctx context.Context, k *Keeper, app App, doubt Doubt) *Tree {
	d.t.Helper()
	tree, err := k.Read(ctx, app, Budget{}, doubt)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := k.Detail(ctx, tree, everyNode(tree), everything, Budget{}); err != nil {
		d.t.Fatal(err)
	}
	return tree
}

// agree compares what is kept with a whole read. What an application is about
// to change by itself makes the two differ, so it must do so three times over.
func (d *desk) agree(ctx context.Context, k *Keeper, app App, what string, doubt Doubt) {
	d.t.Helper()
	var kept, whole []string
	source := ""
	for range 4 {
		tree := d.kept(ctx, k, app, doubt)
		source, kept, whole = tree.Source, portrait(tree), portrait(d.whole(ctx, app))
		if strings.Join(kept, "\n") == strings.Join(whole, "\n") {
			return
		}
		time.Sleep(30 * time.Millisecond)
	}
	diff(d.t, fmt.Sprintf("%s: what is kept (%s), against a whole read", what, source), whole, kept)
}

// TestKeptTreesStayTrue does to each fixture what changes it, and compares.
func TestKeptTreesStayTrue(t *testing.T) {
	for _, kind := range toolkits {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, kind)
			ctx := r.ctx()
			k, err := r.conn.Keep(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			app, err := r.conn.App(ctx, r.app)
			if err != nil {
				t.Fatal(err)
			}
			doubt := DoubtNone
			if taciturn(app.family()) {
				doubt = DoubtPlaces // as when something was painted
			}
			r.agree(ctx, k, app, "at first", doubt)
			for _, name := range []string{
				"Toggle", "Check", "Radio Two", "Toggle", "Alpha", "Rename Target", "Disable Victim", "Add Toasts", "Remove Doomed", "Open Dialog", "Close Dialog",
			} {
				if !r.has(name) {
					continue
				}
				if err := r.click(name); err != nil {
					continue
				}
				settled(ctx, t, k)
				r.agree(ctx, k, app, "after "+name, doubt)
			}
			for _, name := range []string{"Name", "Notes"} {
				if err := r.conn.SetText(ctx, r.find(name).Ref, "é 你 "+name); err != nil {
					t.Fatal(err)
				}
				settled(ctx, t, k)
				r.agree(ctx, k, app, "after text in "+name, doubt)
			}
		})
	}
}

// settled waits until the application has done what it was told.
func settled(ctx context.Context, t *testing.T, k *Keeper) {
	t.Helper()
	if _, err := k.events.Quiet(ctx, 200*time.Millisecond, 5*time.Second); err != nil {
		t.Fatal(err)
	}
}

// TestKeptTreesOfRealApplications lets applications run by themselves, animated
// ones too, and compares at any moment.
func TestKeptTreesOfRealApplications(t *testing.T) {
	for _, p := range []program{gtk3Factory, mousepad, featherpad, firefox, chromium} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			k, err := d.conn.Keep(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			app := d.launch(p)
			for round := range 6 {
				d.agree(ctx, k, app, fmt.Sprintf("round %d", round), DoubtNone)
			}
			before := time.Now()
			tree := d.kept(ctx, k, app, DoubtNone)
			t.Logf("%s: %d nodes again in %v, %d calls, %s", p.name, len(tree.Nodes), time.Since(before), tree.Calls, tree.Source)
		})
	}
}
