package acceptance

import (
	"strings"
	"testing"

	"vibespace/fixtures"
)

// TestFixtureMenus: a menu is walked by its names, and opened by hand its
// items are listed while it is open and are clicked as themselves.
func TestFixtureMenus(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit, "--at", "60,40")
			p.log.Mark()
			if kit == "gtk4.py" {
				// Its menu bar has no actions: the way is the pointer.
				if r := p.Refused("no_action", "menu", p.handle, "File>Save As"); !strings.Contains(r.Hint, "--point") {
					t.Errorf("%v", r)
				}
			} else {
				p.Act("menu", p.handle, "File>Save As")
				p.log.Wait(t, fixtures.Clicked("Save As"), seen)
			}
			Eventually(t, "the first menu is closed", func() bool { return len(p.parts()) == 0 })

			p.log.Mark()
			p.Act("click", p.handle, p.ref("Help"), "--point")
			var f Found
			Eventually(t, "About is drawn", func() bool {
				p.reads(&f, "find", p.handle, "--name", "About", "--role", "menu item")
				return len(f.Nodes) == 1 && f.Nodes[0].Bounds != nil
			})
			if f.Nodes[0].Window == 0 {
				t.Errorf("About is told to lie in the main window: %+v", f.Nodes[0])
			}
			p.Act("click", p.handle, f.Nodes[0].Ref, "--point")
			p.log.Wait(t, fixtures.Clicked("About"), seen)
			p.only(control{name: "About"})
			Eventually(t, "the menu is closed", func() bool { return len(p.parts()) == 0 })
			p.Stop(p.handle)
		})
	}
}

// TestFixtureScrolled: a button that is scrolled away has no bounds, its own
// action works all the same, and by point it is brought into view first or
// refused; no other row is ever pressed in its place.
func TestFixtureScrolled(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit)
			below := p.Snapshot(p.handle, "--all").Of(t, "push button", "Below")
			if below.Bounds != nil || !below.Is("offscreen") {
				t.Errorf("Below is at %v, %v", below.Bounds, below.States)
			}
			p.log.Mark()
			if r := p.Run("click", p.handle, below.Ref, "--point"); r.OK {
				p.log.Wait(t, fixtures.Clicked("Below"), seen)
				p.only(control{name: "Below"})
			} else if r.Code != "window_not_visible" || r.Hint == "" {
				t.Errorf("%v", r)
			} else {
				p.unseen("it was refused")
			}
			p.clicks(below, control{"Below", fixtures.Clicked("Below")})
			p.Stop(p.handle)
		})
	}
}

// TestFixtureOccluded: a control under a dialog is refused by point, naming the
// dialog, and sees nothing.
func TestFixtureOccluded(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	a, log := w.Default(), w.File("log")
	// At this size the dialog, which is centred, lies over Row 2.
	win := a.Open(fixtures.Path(t, "gtk3.py"), "--size", "1200x628", "--env", fixtures.LogVariable+"="+log)
	p := program{Caller: a, kit: "gtk3.py", handle: win.Handle, window: win, log: fixtures.Log(t, log)}
	p.Act("click", p.handle, p.ref("Open Dialog"), "--expect", "window=Dialog")
	dialog, under := p.parts()[0].Bounds, p.node("Row 2")
	if x, y := under.Bounds.Middle(); x <= dialog.X || x >= dialog.X+dialog.W || y <= dialog.Y || y >= dialog.Y+dialog.H {
		t.Fatalf("Row 2 is at %+v, the dialog at %+v", under.Bounds, dialog)
	}
	p.log.Mark()
	r := p.Refused("occluded", "click", p.handle, under.Ref, "--point")
	if !strings.Contains(r.Message, "Dialog") {
		t.Errorf("the dialog is not named: %v", r)
	}
	p.unseen("it lies under a dialog")
	p.clicks(under, control{"Row 2", fixtures.Clicked("Row 2")})
	p.Stop(p.handle)
}

// TestFixtureChoice: an entry of a combo box is chosen by its name and the
// program says so, or it is refused with a way out; a name that is not there is
// refused.
func TestFixtureChoice(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit)
			var boxes Found
			p.OK(&boxes, "find", p.handle, "--role", "combo box")
			if len(boxes.Nodes) != 1 {
				t.Fatalf("the combo boxes are %+v", boxes.Nodes)
			}
			combo := boxes.Nodes[0].Ref
			p.log.Mark()
			p.Refused("cannot_set", "set", p.handle, combo, "--select", "Mauve")
			p.unseen("there is no such colour")
			r := p.Run("set", p.handle, combo, "--select", "Blue")
			switch {
			case r.OK:
				p.log.Wait(t, fixtures.Selected("Colour", "Blue"), seen)
			case kit != "gtk3.py" && r.Code == "cannot_set" && r.Hint != "":
				// Neither has an interface for choosing in a closed box.
				p.unseen("it was refused")
				t.Logf("by no interface of its own: %s (%s)", r.Message, r.Hint)
			default:
				t.Errorf("%v", r)
			}
			p.Stop(p.handle)
		})
	}
}
