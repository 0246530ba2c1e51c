package atspi

import (
	"context"
	"fmt"
	"slices"
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
	if err := d.conn.Locate(ctx, tree, nil, patient); err != nil {
		d.t.Fatal(err)
	}
	if err := d.conn.Detail(ctx, tree, everyNode(tree), everything, patient); err != nil {
		d.t.Fatal(err)
	}
	return tree
}

// kept reads it through a keeper.
func (d *desk) kept(ctx context.Context, k *Keeper, app App, doubt Doubt) *Tree {
	d.t.Helper()
	tree, err := k.Read(ctx, app, patient, doubt)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := k.Detail(ctx, tree, everyNode(tree), everything, patient); err != nil {
		d.t.Fatal(err)
	}
	return tree
}

// agree compares what is kept with whole reads before and after it. What an
// application changes by itself between those says nothing: an animation is never
// twice the same. What is the same in both must be kept like that, and what is in
// neither must not be kept. An event that is on its way makes them differ for a
// moment, so they must do so time and again.
func (d *desk) agree(ctx context.Context, k *Keeper, app App, what string, doubt Doubt) {
	d.t.Helper()
	odd, source := "", ""
	for pause := 30 * time.Millisecond; pause < 3*time.Second; pause *= 2 {
		before := pictured(d.whole(ctx, app))
		tree := d.kept(ctx, k, app, doubt)
		after := pictured(d.whole(ctx, app))
		kept := pictured(tree)
		if odd, source = contradiction(before, kept, after), tree.Source; odd == "" {
			return
		}
		time.Sleep(pause)
	}
	d.t.Errorf("%s: what is kept (%s), against whole reads before and after: %s", what, source, odd)
}

// pictured is a tree's portrait by node, each with its place below its parent.
func pictured(t *Tree) map[Ref]string {
	lines := map[Ref]string{}
	for i, line := range portrait(t) {
		up := "the top"
		if n := &t.Nodes[i]; n.Parent >= 0 {
			above := &t.Nodes[n.Parent]
			up = fmt.Sprintf("%s, %d", above.Path, slices.Index(above.Children, i))
		}
		lines[t.Nodes[i].Ref] = line + " below " + up
	}
	return lines
}

// contradiction is what a kept tree says otherwise than two that agree, "" for
// nothing.
func contradiction(before, kept, after map[Ref]string) string {
	for ref, line := range before {
		if after[ref] == line && kept[ref] != line {
			return fmt.Sprintf("%s is kept as\n%q, and is\n%q", ref.Path, kept[ref], line)
		}
	}
	for ref, line := range kept {
		if before[ref] == "" && after[ref] == "" {
			return fmt.Sprintf("%s is kept as %q, and is gone", ref.Path, line)
		}
	}
	return ""
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
	if _, err := k.events.Quiet(ctx, 200*time.Millisecond, 10*time.Second); err != nil {
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
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
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
