package gui

import (
	"context"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// TestDialogKeys: Enter does what a dialog is for and Escape closes it, wherever
// the keyboard is.
func TestDialogKeys(t *testing.T) {
	u := newTestUI(t, state.English)
	did := 0
	entry := u.newField()
	note := u.newField()
	note.MultiLine = true
	who := u.newChoice([]string{"alice"})
	open := func(on fyne.Focusable) func(fyne.KeyName) {
		inside, ok := on.(fyne.CanvasObject)
		if !ok {
			inside = canvas.NewRectangle(nil)
		}
		u.ask("Title", "Do it", widget.HighImportance, inside, func() { did++ })
		return func(name fyne.KeyName) {
			if on == nil {
				u.window.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: name})
				return
			}
			on.TypedKey(&fyne.KeyEvent{Name: name})
		}
	}
	for _, on := range []fyne.Focusable{nil, entry, who} {
		before := did
		open(on)(fyne.KeyEscape)
		if len(u.asks) != 0 || u.window.Canvas().Overlays().Top() != nil || did != before {
			t.Errorf("%T: Escape leaves it open, or did it", on)
		}
		press := open(on)
		press(fyne.KeyReturn)
		if len(u.asks) != 0 || u.window.Canvas().Overlays().Top() != nil || did != before+1 {
			t.Errorf("%T: Enter leaves it open, or did it %d times", on, did-before)
		}
		press(fyne.KeyReturn)
		if did != before+1 {
			t.Errorf("%T: Enter did something without a dialog", on)
		}
	}
	before := did
	press := open(note)
	press(fyne.KeyReturn)
	if did != before || len(u.asks) != 1 || note.Text == "" {
		t.Errorf("Enter in a note is no line: %q", note.Text)
	}
	press(fyne.KeyEscape)
	if len(u.asks) != 0 {
		t.Error("Escape in a note leaves the dialog open")
	}
}

// TestPeopleAreFresh: the page of agents follows who there is, and offers no end
// of the session that is everybody's.
func TestPeopleAreFresh(t *testing.T) {
	u := newTestUI(t, state.English)
	u.showing = pagePeople
	u.show()
	ends := func() (n int) {
		for _, s := range texts(u.window.Content()) {
			if s == "End" {
				n++
			}
		}
		return n
	}
	u.meet([]api.SessionInfo{{Label: api.DefaultSession}, {Label: "alice"}}, []api.GroupInfo{{Group: "team"}})
	if drawn := texts(u.window.Content()); !has(drawn, "alice") || !has(drawn, "team") {
		t.Errorf("who came is not drawn: %q", drawn)
	}
	if n := ends(); n != 1 {
		t.Errorf("%d can be ended", n)
	}
	page := u.main.Objects[0]
	u.meet([]api.SessionInfo{{Label: api.DefaultSession}, {Label: "alice"}}, []api.GroupInfo{{Group: "team"}})
	if u.main.Objects[0] != page {
		t.Error("the page is made anew though nothing changed")
	}
	u.meet([]api.SessionInfo{{Label: api.DefaultSession}}, nil)
	if drawn := texts(u.window.Content()); has(drawn, "alice") || has(drawn, "team") {
		t.Errorf("who went is still drawn: %q", drawn)
	}
}

// TestThumbIsRenewed: a window that was started again on another display has a
// thumbnail of that one.
func TestThumbIsRenewed(t *testing.T) {
	u := newTestUI(t, state.English)
	on := func(display string) api.Window {
		return window("b1", func(w *api.Window) { w.Display = display })
	}
	e := newEntry(u, on(":100"))
	defer e.close()
	e.update(on(":100"))
	first := e.live
	e.update(on(":100"))
	if e.live == nil || e.live != first {
		t.Fatal("the thumbnail is begun anew though nothing changed")
	}
	e.update(window("b1", func(w *api.Window) { w.State, w.Ended = "ended", &api.Ended{Why: "it was stopped"} }))
	if e.live != nil {
		t.Error("what has ended is watched")
	}
	e.update(on(":101"))
	second := e.live
	if second == nil || second == first {
		t.Fatal("what was started again has no thumbnail of its own")
	}
	e.update(on(":102"))
	if e.live == nil || e.live == second {
		t.Error("another display, whose predecessor's end was not heard, is not watched")
	}
}

// TestAwayIsSaid: while no daemon runs the window says so, once.
func TestAwayIsSaid(t *testing.T) {
	u := newTestUI(t, state.English)
	u.tellAway()
	if len(u.gone.Objects) != 0 {
		t.Error("it is said before anything was looked for")
	}
	ctx, end := context.WithCancel(t.Context())
	u.desk.Run(ctx, end) // one look
	u.changed()
	u.changed()
	if len(u.gone.Objects) != 1 || !has(texts(u.gone), u.say(state.NoDaemon)) {
		t.Errorf("that no daemon runs is said as %q", texts(u.gone))
	}
}
