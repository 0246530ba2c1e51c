package atspi

import (
	"errors"
	"slices"
	"testing"

	"vibespace/fixtures"
)

// wanted is a control and what its program must see when it is clicked.
type wanted struct {
	control string
	seen    func(fixtures.Event) bool
	without []string // toolkits whose node has no action for it
}

// The ten and more controls that a click by action reaches, and the toolkits
// that offer none: GTK 4.8 has no action on check boxes, radio buttons, menus,
// tabs and list items; GTK 3 none on tabs and list items, which are selected.
var clickable = []wanted{
	{"Alpha", fixtures.Clicked("Alpha"), nil},
	{"Gamma", fixtures.Clicked("Gamma"), nil},
	{"Beta", fixtures.Clicked("Beta"), nil},
	{"Toggle", fixtures.Toggled("Toggle", true), nil},
	{"Check", fixtures.Toggled("Check", true), []string{"gtk4"}},
	{"Radio Two", fixtures.Toggled("Radio Two", true), []string{"gtk4"}},
	{"Rename Target", fixtures.Clicked("Rename Target"), nil},
	{"Add Toasts", fixtures.Is("toast"), nil},
	{"Save As", fixtures.Clicked("Save As"), []string{"gtk4"}},
	{"Inside Page One", fixtures.Clicked("Inside Page One"), nil},
	{"Page Two", fixtures.Selected("Tabs", "Page Two"), []string{"gtk3", "gtk4"}},
	{"Cherry", fixtures.Selected("Fruits", "Cherry"), []string{"gtk3", "gtk4"}},
	{"Below", fixtures.Clicked("Below"), nil},
	{"Once", fixtures.Clicked("Once"), nil},
}

// A click on a control is seen by the program as that control and no other.
func TestClickIsSeenByTheProgram(t *testing.T) {
	t.Parallel()
	eachToolkit(t, func(t *testing.T, r *rig) {
		for _, w := range clickable {
			r.journal.Mark()
			if !r.has(w.control) && slices.Contains(w.without, r.toolkit) {
				continue // GTK 4 has no node for what an unopened menu holds
			}
			err := r.click(w.control)
			if slices.Contains(w.without, r.toolkit) {
				if !errors.Is(err, ErrNoAction) {
					t.Errorf("%s: %v, want ErrNoAction", w.control, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", w.control, err)
				continue
			}
			r.journal.Wait(t, w.seen, patience)
			for _, e := range r.journal.Since() {
				if e.Kind == "click" && e.Control != w.control {
					t.Errorf("%s: the program saw a click of %s", w.control, e.Control)
				}
			}
		}
	})
}
