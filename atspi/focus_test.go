package atspi

import (
	"errors"
	"testing"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// A node that is asked to takes the focus, and its program sees it.
func grabFocus(t *testing.T, r *rig) {
	need.Tool(t, "xdotool")
	// Qt calls nothing focused in a window that X gave no focus.
	r.run("xdotool", "search", "--onlyvisible", "--name", "^Fixture", "windowfocus", "--sync")
	for _, control := range []string{"Notes", "Name", "Below"} {
		ref := r.find(control).Ref
		r.journal.Mark()
		err := r.conn.GrabFocus(r.ctx(), ref)
		if r.toolkit == "gtk4" {
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s: %v, want ErrUnsupported", control, err)
			}
			continue
		}
		must(t, err)
		r.journal.Wait(t, fixtures.Of("focus", control), patience)
		r.until(control+" focused", patience, func() bool { return r.states(ref).Has(StateFocused) })
	}
}

// What no toolkit here scrolls into view by itself is said, and the scroll
// bars' values are the road that works in all of them.
func scrollByValue(t *testing.T, r *rig) {
	below := r.find("Below").Ref
	err := r.conn.ScrollTo(r.ctx(), below, EdgeAnywhere)
	if !errors.Is(err, ErrRefused) && !errors.Is(err, ErrUnsupported) {
		t.Errorf("ScrollTo: %v", err)
	}
	err = r.conn.ScrollToPoint(r.ctx(), below, 10, 10)
	if !errors.Is(err, ErrRefused) && !errors.Is(err, ErrUnsupported) {
		t.Errorf("ScrollToPoint: %v", err)
	}
	r.journal.Mark()
	bar, ok := r.scrollBar()
	if !ok {
		t.Fatal("no scroll bar has a range")
	}
	must(t, r.conn.SetValue(r.ctx(), bar, 500))
	r.journal.Wait(t, func(e fixtures.Event) bool { return e.Kind == "scroll" && e.Offset == 500 }, patience)
}

// scrollBar is the one that has somewhere to go and belongs to the area: in
// GTK 4 the value is not the scroll bar's but its child's.
func (r *rig) scrollBar() (Ref, bool) {
	for _, l := range r.seen {
		if l.role != RoleScrollBar && l.name != "GtkRange" {
			continue
		}
		v, err := r.conn.Value(r.ctx(), l.Ref)
		if err == nil && v.Max >= 600 {
			return l.Ref, true
		}
	}
	return Ref{}, false
}

func TestFocusedIsTheDeepest(t *testing.T) {
	tree := &Tree{Nodes: []Node{
		{Depth: 0, States: StateFocused}, {Depth: 1, States: StateFocused | StateShowing}, {Depth: 1}, {Depth: 5},
	}}
	if i, ok := tree.Focused(); i != 1 || !ok {
		t.Errorf("focused: %d, %v", i, ok)
	}
	if i, ok := (&Tree{Nodes: []Node{{}}}).Focused(); ok {
		t.Errorf("focused: %d in a tree without", i)
	}
}
