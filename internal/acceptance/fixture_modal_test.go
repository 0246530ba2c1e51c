package acceptance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// prompt bounds what has to be quick: many times what it takes on an idle
// machine, and less than what a verb is given.
const prompt = 20 * time.Second

// TestFixtureDialog: with a dialog open, its controls and those of the window
// behind it are clicked as themselves, and one that lies under it is refused by
// point, naming the dialog. One toolkit shows it on both rungs.
func TestFixtureDialog(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			dialogIn(t, NewWorld(t), kit)
		})
	}
	t.Run("gtk3.py on xpra", func(t *testing.T) {
		t.Parallel()
		need.Xpra(t)
		w := NewWorld(t)
		w.rung = "xpra"
		dialogIn(t, w, "gtk3.py")
	})
}

func dialogIn(t *testing.T, w *World, kit string) {
	p := w.Default().fixture(kit, "--at", "90,60")
	p.clicks(p.node("Open Dialog"), control{"Open Dialog", fixtures.Clicked("Open Dialog")})
	p.log.Wait(t, fixtures.Dialog("Dialog", true), seen)
	var snap Snapshot
	Eventually(t, "the dialog is whole", func() bool {
		snap = p.Snapshot(p.handle)
		inside, last := snap.All("push button", "Inside Dialog"), snap.All("push button", "Close Dialog")
		return len(inside) == 1 && len(last) == 1 && inside[0].Bounds != nil && last[0].Bounds != nil
	})
	p.clicks(named(t, snap, "Inside Dialog"), control{"Inside Dialog", fixtures.Clicked("Inside Dialog")})
	p.points(named(t, snap, "Inside Dialog"), control{"Inside Dialog", fixtures.Clicked("Inside Dialog")})
	for _, c := range clickable()[4:] {
		p.clicks(named(t, snap, c.name), c)
	}
	p.points(named(t, snap, "Alpha"), control{"Alpha", fixtures.Clicked("Alpha")})
	p.points(named(t, snap, "Row 2"), control{"Row 2", fixtures.Clicked("Row 2")})

	p.clicks(named(t, snap, "Close Dialog"), control{"Close Dialog", fixtures.Clicked("Close Dialog")})
	p.log.Wait(t, fixtures.Dialog("Dialog", false), seen)
	Eventually(t, "the dialog is gone from the window", func() bool { return len(p.parts()) == 0 })
	p.Stop(p.handle)
}

// parts lists the windows of the program beside its main one.
func (p program) parts() []Part {
	p.t.Helper()
	var list struct{ Windows []Window }
	p.OK(&list, "list")
	for _, w := range list.Windows {
		if w.Handle == p.handle {
			var beside []Part
			for _, part := range w.Windows {
				if part.N > 0 {
					beside = append(beside, part)
				}
			}
			return beside
		}
	}
	p.t.Fatalf("%s is not listed: %+v", p.handle, list)
	return nil
}

// TestFixtureNestedDialog: a click whose handler runs a dialog as a nested loop
// is answered while the dialog is open, naming it; pictures, keys and points
// work meanwhile, and the tree is read again once it closed.
func TestFixtureNestedDialog(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit, "--at", "90,60")
			alpha := p.node("Alpha")
			p.log.Mark()
			var a Acted
			r := p.OK(&a, "click", p.handle, p.ref("Open Modal"))
			if r.Took > prompt || a.Applied != "yes" && a.Applied != "unknown" {
				t.Errorf("the click took %v and was applied %q", r.Took, a.Applied)
			}
			// On a machine that hardly runs it may open after the answer.
			if slices.ContainsFunc(p.log.Since(), fixtures.Dialog("Modal", true)) && (a.Observed == nil ||
				!slices.ContainsFunc(a.Observed.Diff, func(line string) bool {
					return strings.HasPrefix(line, "+ ") && strings.Contains(line, `"Modal"`)
				})) {
				t.Errorf("the dialog is not told: %+v", a.Observed)
			}
			p.log.Wait(t, fixtures.Dialog("Modal", true), seen)
			var dialog Part
			Eventually(t, "the dialog is listed, where it stays", func() bool {
				was, now := dialog, p.parts()
				if len(now) != 1 {
					return false
				}
				dialog = now[0]
				return dialog == was
			})
			if dialog.Kind != "dialog" || dialog.Bounds.W < 50 {
				t.Errorf("the dialog is listed as %+v", dialog)
			}

			// What does not need the tree works, and does not wait for it.
			var pic Picture
			shot := p.OK(&pic, "screenshot", p.handle)
			if shot.Took > prompt || pic.W != p.window.Size.W {
				t.Errorf("a picture of %dx%d in %v", pic.W, pic.H, shot.Took)
			}
			p.OK(&pic, "screenshot", p.handle, "--window", "1")
			if pic.W != dialog.Bounds.W || pic.H != dialog.Bounds.H {
				t.Errorf("the dialog is %+v and its picture %dx%d", dialog.Bounds, pic.W, pic.H)
			}
			if snap := p.Run("snapshot", p.handle); snap.Took > 2*prompt || !snap.OK && snap.Code != "not_responding" {
				t.Errorf("a snapshot meanwhile: %v", snap)
			}
			_ = alpha
			p.log.Mark()
			x, y := dialog.Bounds.Middle()
			var at Acted
			if r := p.OK(&at, "click", p.handle, "--at", point(x, dialog.Bounds.Y+6)); r.Took > 2*prompt {
				t.Errorf("a click meanwhile took %v", r.Took)
			}
			press := p.log.Wait(t, fixtures.Is("press"), seen)
			if press.X != x-dialog.Bounds.X || press.Y != 6 {
				t.Errorf("%d,%d of the dialog at %+v was pressed at %d,%d of %q", x, y, dialog.Bounds, press.X, press.Y, press.Window)
			}
			// A key would freeze a GTK 3 that owes an answer: it is refused with
			// the pointer as the way out.
			if r := p.Run("key", p.handle, "Tab"); r.Took > 2*prompt || !r.OK && (r.Code != "not_responding" || r.Hint == "") {
				t.Errorf("a key meanwhile: %v", r)
			}
			p.Act("click", p.handle, "--at", point(x, dialog.Bounds.Y+dialog.Bounds.H-20), "--no-observe")
			p.log.Wait(t, fixtures.Clicked("Close Modal"), seen)
			p.log.Wait(t, fixtures.Dialog("Modal", false), seen)

			Eventually(t, "the tree is read again", func() bool { return p.Run("snapshot", p.handle).OK })
			again := p.Snapshot(p.handle)
			if now := named(t, again, "Alpha"); now.Ref != alpha.Ref {
				t.Errorf("Alpha was %s and is %s", alpha.Ref, now.Ref)
			}
			p.clicks(alpha, control{"Alpha", fixtures.Clicked("Alpha")})
			p.points(alpha, control{"Alpha", fixtures.Clicked("Alpha")})
			p.Stop(p.handle)
		})
	}
}
