package atspi

import (
	"errors"
	"testing"

	"vibespace/fixtures"
)

// selections are the containers of the fixtures that select by index, the
// program's word for what the third child is, and whether it may be dropped.
var selections = map[string][]struct {
	container, control, third string
	named, drops              bool
}{
	"gtk3": {{"Fruits", "Fruits", "Cherry", true, true}, {"Colour", "Colour", "Blue", true, true}, {"Tabs", "Tabs", "Page Three", true, false}},
	"gtk4": {{"Fruits", "Fruits", "Cherry", true, true}, {"Colour", "Colour", "Blue", false, true}, {"Tab list", "Tabs", "Page Three", true, false}},
	// Qt 5 has no Selection at all: its items carry an action.
	"qt5": nil,
}

func selectChild(t *testing.T, r *rig) {
	for _, s := range selections[r.toolkit] {
		ref := r.find(s.container).Ref
		r.journal.Mark()
		must(t, r.conn.SelectChild(r.ctx(), ref, 2))
		r.journal.Wait(t, fixtures.Selected(s.control, s.third), patience)
		if yes, err := r.conn.ChildSelected(r.ctx(), ref, 2); err != nil || !yes {
			t.Errorf("%s: selected %v, %v", s.container, yes, err)
		}
		// GTK 4.8's combo box calls every child selected.
		if yes, err := r.conn.ChildSelected(r.ctx(), ref, 1); err != nil || yes == s.named {
			t.Errorf("%s: its neighbour selected %v, %v", s.container, yes, err)
		}
		refs, err := r.conn.Selected(r.ctx(), ref)
		if s.named && (err != nil || len(refs) != 1) || !s.named && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: selected %v, %v", s.container, refs, err)
		}
		if err := r.conn.ClearSelection(r.ctx(), ref); s.drops != (err == nil) || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%s: clear: %v", s.container, err)
		}
	}
}

// An object that does not select says so, in the words of this package: Qt
// claims that there is no such object.
func selectionRefusals(t *testing.T, r *rig) {
	alpha := r.find("Alpha").Ref
	if err := r.conn.SelectChild(r.ctx(), alpha, 0); !errors.Is(err, ErrUnsupported) || errors.Is(err, ErrGone) {
		t.Errorf("select in a button: %v", err)
	}
	if _, err := r.conn.Selected(r.ctx(), alpha); !errors.Is(err, ErrUnsupported) {
		t.Errorf("selected in a button: %v", err)
	}
	gone := Ref{Bus: alpha.Bus, Path: alpha.Path + "7777"}
	if err := r.conn.SelectChild(r.ctx(), gone, 0); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("select in an object that never was: %v", err)
	}
}
