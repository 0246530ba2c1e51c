package atspi

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
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
	{"Row 2", fixtures.Clicked("Row 2"), nil},
}

// A click on a control is seen by the program as that control and no other.
func clickIsSeenByTheProgram(t *testing.T, r *rig) {
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
}

// A disabled control is seen to be disabled before the act, because toolkits
// answer the act with success (GTK) or hide the action (Qt).
func disabledIsSeen(t *testing.T, r *rig) {
	for _, control := range []string{"Disabled", "Check Off"} {
		if states := r.states(r.find(control).Ref); !Disabled(states) {
			t.Errorf("%s: %v is not disabled", control, states.Names())
		}
		r.journal.Mark()
		err := r.click(control)
		if r.toolkit == "qt5" && !errors.Is(err, ErrNoAction) {
			t.Errorf("%s: %v", control, err)
		}
	}
	for _, control := range []string{"Alpha", "Check", "Name", "Colour", "Red"} {
		if l, ok := r.lookup(control); ok && Disabled(r.states(l.Ref)) {
			t.Errorf("%s: %v is disabled", control, r.states(l.Ref).Names())
		}
	}
	// One that disables itself, and one that another disables.
	must(t, r.click("Once"))
	must(t, r.click("Disable Victim"))
	for _, control := range []string{"Once", "Victim"} {
		ref := r.find(control).Ref
		r.until(control+" disabled", patience, func() bool { return Disabled(r.states(ref)) })
	}
	must(t, r.click("Alpha"))
	r.journal.Wait(t, fixtures.Clicked("Alpha"), patience)
	for _, e := range r.journal.Events() {
		if e.Control == "Disabled" || e.Control == "Check Off" {
			t.Errorf("the program saw %v", e)
		}
	}
}

// A dialog that a handler runs as a nested loop: the act comes back within its
// bound as done or as not answered, never as failed, and once the dialog is
// closed the program answers again.
func actionOpensModalDialog(t *testing.T, r *rig) {
	need.Tool(t, "xdotool")
	began := time.Now()
	err := r.click("Open Modal")
	took := time.Since(began)
	if err != nil && !errors.Is(err, ErrNoReply) {
		t.Fatalf("open: %v", err)
	}
	if took > ActionBound+soon {
		t.Errorf("it took %v", took)
	}
	r.journal.Wait(t, fixtures.Dialog("Modal", true), patience)
	alpha := r.find("Alpha")
	short, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_, during := r.conn.Actions(short, alpha.Ref)
	t.Logf("act: %v after %v; while the dialog is open: %v", err, took, during)
	if during != nil && !errors.Is(during, ErrNoReply) {
		t.Errorf("while the dialog is open: %v", during)
	}
	if r.toolkit == "gtk3" {
		if during == nil || r.conn.Responds(r.ctx(), alpha.Ref) == nil {
			t.Error("it answers in a nested loop: then keys may be sent to it too")
		}
		// By the pointer: a key would end the program for good, see DoAction.
		r.dismiss(func() error {
			_, err := r.try("xdotool", "search", "--onlyvisible", "--name", "^Modal$", "mousemove", "--window", "%1", "60", "70", "click", "1")
			return err
		})
	} else {
		must(t, r.conn.Responds(r.ctx(), alpha.Ref))
		r.dismiss(func() error {
			_, err := r.try("xdotool", "search", "--onlyvisible", "--name", "^Modal$", "windowfocus", "--sync")
			if err == nil {
				_, err = r.try("xdotool", "key", "Escape")
			}
			return err
		})
	}
	r.journal.Mark()
	r.until("an answer again", patience, func() bool {
		_, err := r.conn.Actions(r.ctx(), alpha.Ref)
		return err == nil
	})
	must(t, r.click("Alpha"))
	r.journal.Wait(t, fixtures.Clicked("Alpha"), patience)
}

// dismiss closes the modal dialog, again when it did not take that: it may be told of
// before it is on the screen.
func (r *rig) dismiss(how func() error) {
	r.t.Helper()
	var last time.Time
	var err error
	r.until("the end of the dialog", patience, func() bool {
		if slices.ContainsFunc(r.journal.Since(), fixtures.Dialog("Modal", false)) {
			return true
		}
		if err != nil || time.Since(last) > repress {
			err, last = how(), time.Now()
		}
		return false
	})
}

// A dialog that is shown and not run leaves everything readable, and its own
// controls can be clicked beside the window's.
func actionOpensDialog(t *testing.T, r *rig) {
	must(t, r.click("Open Dialog"))
	r.journal.Wait(t, fixtures.Dialog("Dialog", true), patience)
	r.until("controls of the dialog", patience, func() bool {
		r.look()
		return r.has("Inside Dialog") && r.has("Close Dialog")
	})
	for _, control := range []string{"Inside Dialog", "Alpha", "Close Dialog"} {
		must(t, r.click(control))
		r.journal.Wait(t, fixtures.Clicked(control), patience)
	}
}

// An object that was destroyed is gone or has no action, and no other control
// is clicked in its place.
func actionOnRemovedControl(t *testing.T, r *rig) {
	doomed := r.find("Doomed")
	must(t, r.click("Remove Doomed"))
	r.journal.Wait(t, fixtures.Of("removed", "Doomed"), patience)
	r.journal.Mark()
	r.until("the removed button to be gone", patience, func() bool {
		return r.conn.DoAction(r.ctx(), doomed.Ref, 0) != nil
	})
	must(t, r.click("Alpha"))
	r.journal.Wait(t, fixtures.Clicked("Alpha"), patience)
	for _, e := range r.journal.Since() {
		if e.Kind == "click" && e.Control != "Alpha" && e.Control != "Doomed" {
			t.Errorf("the program saw a click of %s", e.Control)
		}
	}
}
