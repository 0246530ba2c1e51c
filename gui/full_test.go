package gui

import (
	"testing"

	"fyne.io/fyne/v2"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// TestFullScreen: a window has the whole screen but for who is in control of it;
// F11 and Escape lead in and out, and no key does that the person drives with.
func TestFullScreen(t *testing.T) {
	u := newTestUI(t, state.English)
	w := window("w1", nil)
	p := newPane(u, w)
	u.open["w1"], u.panes.Shown, u.showing = p, []api.Handle{"w1"}, ""
	u.show()
	press := func(name fyne.KeyName) { p.view.TypedKey(&fyne.KeyEvent{Name: name}) }
	full := func() bool {
		if on := u.filled == "w1"; u.side.Visible() == on || p.head.Visible() == on || p.foot.Visible() == on ||
			p.leaveFull.Visible() != on || u.window.FullScreen() != on {
			t.Fatalf("half of the screen: filled %q, rail %v, head %v, window %v", u.filled, u.side.Visible(), p.head.Visible(), u.window.FullScreen())
		}
		return u.filled == "w1"
	}
	u.window.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyF11})
	if !full() || !p.take.Visible() || !p.control.Visible() {
		t.Error("F11 does not fill the screen, or hides who is in control")
	}
	press(fyne.KeyEscape)
	if full() {
		t.Error("Escape leaves it full")
	}
	press(fyne.KeyF11)
	press(fyne.KeyF11)
	if full() {
		t.Error("F11 leaves it full")
	}
	press(fyne.KeyF11)
	p.update(window("w1", func(w *api.Window) { w.Input, w.Driven = "user", &api.Driven{Viewer: "me"} }))
	press(fyne.KeyEscape)
	if !full() {
		t.Error("a key of the window's leaves the full screen")
	}
	u.goTo(pageSettings)
	if u.filled != "" || !u.side.Visible() {
		t.Error("another page has no rail")
	}
}
