package acceptance

import (
	"testing"

	"vibespace/fixtures"
)

// control is one control of the fixtures and what the program says when it was
// clicked.
type control struct {
	name string
	says func(fixtures.Event) bool
}

// clickable are controls that a click changes, in the order they are clicked:
// the second click of a toggle puts it back.
func clickable() []control {
	list := []control{
		{"Toggle", fixtures.Toggled("Toggle", true)},
		{"Check", fixtures.Toggled("Check", true)},
		{"Radio Two", fixtures.Toggled("Radio Two", true)},
		{"Radio One", fixtures.Toggled("Radio One", true)},
	}
	for _, name := range []string{"Doomed", "Victim", "Target", "Alpha", "Beta", "Gamma", "Inside Page One", "Row 2", "Row 4"} {
		list = append(list, control{name, fixtures.Clicked(name)})
	}
	return list
}

// actionless says whether GTK 4.8 gives a control no action.
func (p program) actionless(n Node) bool {
	return p.kit == "gtk4.py" && (n.Role == "check box" || n.Role == "radio button")
}

// TestFixtureControls: a click on each control is seen by the program as that
// control, by the control's own action and by the pointer in the middle of its
// bounds, in a window that is not at 0,0.
func TestFixtureControls(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit, "--at", "213,147")
			snap := p.Snapshot(p.handle)
			for _, c := range clickable() {
				n := named(t, snap, c.name)
				if p.actionless(n) {
					p.refusedWithBounds(n)
				} else {
					p.clicks(n, c)
				}
			}
			for _, c := range clickable() {
				n := named(t, snap, c.name)
				if c.name == "Toggle" || c.name == "Check" {
					c.says = fixtures.Toggled(c.name, p.actionless(n))
				}
				p.points(n, c)
			}
			p.Stop(p.handle)
		})
	}
}

// named gives the one control of a name in a snapshot.
func named(t *testing.T, s Snapshot, name string) Node {
	t.Helper()
	var found []Node
	for _, n := range s.Nodes {
		if n.Name == name && controls[n.Role] {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d controls are named %q in\n%s", len(found), name, s)
	}
	return found[0]
}

// clicks clicks by the node's own action.
func (p program) clicks(n Node, c control) {
	p.t.Helper()
	p.log.Mark()
	a := p.Act("click", p.handle, n.Ref)
	if a.Did.By != "tree" || a.Did.Ref != n.Ref || a.Did.Name != c.name || a.Did.Role != n.Role || a.Did.Action == "" {
		p.t.Errorf("%s: click of %s: %+v", p.kit, c.name, a.Did)
	}
	p.log.Wait(p.t, c.says, seen)
	p.only(c)
}

// points clicks by the pointer.
func (p program) points(n Node, c control) {
	p.t.Helper()
	p.log.Mark()
	a := p.Act("click", p.handle, n.Ref, "--point")
	if a.Did.By != "point" || a.Did.At == nil || a.Did.Name != c.name {
		p.t.Errorf("%s: click of %s by point: %+v", p.kit, c.name, a.Did)
		return
	}
	press := p.log.Wait(p.t, fixtures.Is("press"), seen)
	// The program counts from the corner of the window that was pressed.
	if press.Window == p.window.Title && (press.X != a.Did.At.X || press.Y != a.Did.At.Y) {
		p.t.Errorf("%s: %s was pressed at %d,%d, and the answer says %+v", p.kit, c.name, press.X, press.Y, *a.Did.At)
	}
	p.log.Wait(p.t, c.says, seen)
	p.only(c)
}

// only fails the test when another control than the one clicked was.
func (p program) only(c control) {
	p.t.Helper()
	for _, e := range p.log.Since() {
		switch {
		case e.Kind == "click" && e.Control != c.name,
			// The other radio button of a pair goes off.
			e.Kind == "toggle" && e.Control != c.name && e.On:
			p.t.Errorf("%s: %s was clicked, and the program saw %s", p.kit, c.name, e)
		}
	}
}

// refusedWithBounds: a node without an action is refused with where it is and
// the explicit way.
func (p program) refusedWithBounds(n Node) {
	p.t.Helper()
	p.log.Mark()
	r := p.Refused("no_action", "click", p.handle, n.Ref)
	box, _ := r.Details["bounds"].(map[string]any)
	if n.Bounds == nil || box == nil || box["x"] != float64(n.Bounds.X) || box["w"] != float64(n.Bounds.W) {
		p.t.Errorf("%s: the bounds are %v: %v", p.kit, n.Bounds, r)
	}
	if want := "vibespace-window click " + p.handle + " " + n.Ref + " --point"; r.Hint != want {
		p.t.Errorf("%s: the hint is %q, not %q", p.kit, r.Hint, want)
	}
	p.unseen("the click was refused")
}

// TestFixtureDisabled: a disabled control is refused by both roads and sees
// nothing, also one that a click disabled.
func TestFixtureDisabled(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit)
			snap := p.Snapshot(p.handle)
			p.log.Mark()
			for _, name := range []string{"Disabled", "Check Off"} {
				n := named(t, snap, name)
				if n.Is("enabled") {
					t.Errorf("%s is enabled: %v", name, n.States)
				}
				p.Refused("disabled", "click", p.handle, n.Ref)
				p.Refused("disabled", "click", p.handle, n.Ref, "--point")
			}
			p.unseen("the controls are disabled")

			once := named(t, snap, "Once")
			p.clicks(once, control{"Once", fixtures.Clicked("Once")})
			p.log.Mark()
			p.Refused("disabled", "click", p.handle, once.Ref)
			p.Refused("disabled", "click", p.handle, once.Ref, "--point")
			p.unseen("the button disabled itself")

			// One that another disables, and enables again: the ref is the same.
			victim := named(t, snap, "Victim")
			p.Act("click", p.handle, p.ref("Disable Victim"))
			p.log.Wait(t, fixtures.Of("disabled", "Victim"), seen)
			p.Refused("disabled", "click", p.handle, victim.Ref)
			p.Act("click", p.handle, p.ref("Disable Victim"))
			p.clicks(victim, control{"Victim", fixtures.Clicked("Victim")})
			p.Stop(p.handle)
		})
	}
}

// TestFixtureStaleRefs: a ref is the element it was given for. One that was
// renamed or removed is refused and nothing is clicked; one whose neighbours
// changed is still itself.
func TestFixtureStaleRefs(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit)
			snap := p.Snapshot(p.handle)
			doomed, victim, target := named(t, snap, "Doomed"), named(t, snap, "Victim"), named(t, snap, "Target")

			p.clicks(named(t, snap, "Rename Target"), control{"Rename Target", fixtures.Clicked("Rename Target")})
			p.log.Mark()
			r := p.Refused("stale_ref", "click", p.handle, target.Ref)
			if r.Details["was"] == nil || r.Details["is"] == nil {
				t.Errorf("what it was and is: %v", r)
			}
			p.Refused("stale_ref", "click", p.handle, target.Ref, "--point")
			p.unseen("the button was renamed")

			p.clicks(named(t, snap, "Remove Doomed"), control{"Remove Doomed", fixtures.Clicked("Remove Doomed")})
			p.log.Wait(t, fixtures.Of("removed", "Doomed"), seen)
			p.log.Mark()
			p.Refused("stale_ref", "click", p.handle, doomed.Ref)
			p.Refused("stale_ref", "click", p.handle, doomed.Ref, "--point")
			p.unseen("the button was removed")

			// Everything after the removed button moved up in the tree.
			p.clicks(victim, control{"Victim", fixtures.Clicked("Victim")})
			p.points(victim, control{"Victim", fixtures.Clicked("Victim")})
			again := p.Snapshot(p.handle)
			if now := named(t, again, "Victim"); now.Ref != victim.Ref {
				t.Errorf("Victim was %s and is %s", victim.Ref, now.Ref)
			}
			for _, n := range again.Nodes {
				if n.Ref == doomed.Ref {
					t.Errorf("%s was given again, to %s %q", doomed.Ref, n.Role, n.Name)
				}
			}
			p.Refused("unknown_ref", "click", p.handle, "@e99999")
			p.Stop(p.handle)
		})
	}
}
