package gui

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"vibespace/gui/state"
	"vibespace/internal/api"
	"vibespace/internal/client"
)

// newTestUI makes the app's window on Fyne's software driver, for a daemon that
// is not there.
func newTestUI(t *testing.T, lang state.Lang) *ui {
	t.Helper()
	a := test.NewApp()
	t.Cleanup(a.Quit)
	dir := t.TempDir()
	c := client.New(client.Config{Paths: api.Paths{Socket: dir + "/s", Runtime: dir, State: dir}, Owner: true, NoStart: true})
	u := newUI(Config{App: a, Desk: state.NewDesk(c, nil, "me"), Lang: lang, Program: "/opt/vibespace-window", async: func(f func()) { f() }, stream: func(func()) {}})
	t.Cleanup(func() {
		u.end()
		for _, p := range u.open {
			p.close()
		}
		u.rail.close()
		c.Close()
	})
	return u
}

// texts collects every text that is drawn below an object.
func texts(o fyne.CanvasObject) []string {
	var list []string
	for _, c := range test.LaidOutObjects(o) {
		if t, ok := c.(*canvas.Text); ok && t.Text != "" && t.Visible() {
			list = append(list, t.Text)
		}
	}
	return list
}

func has(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}

func window(h api.Handle, change func(*api.Window)) api.Window {
	w := api.Window{Handle: h, App: "xterm", Title: "Terminal", State: "ready", Input: "agent", Size: api.Size{W: 640, H: 480}, Visible: true}
	if change != nil {
		change(&w)
	}
	return w
}

// TestControlIsNeverAmbiguous: each way a window stands shows one badge, and
// the buttons that go with it and no other.
func TestControlIsNeverAmbiguous(t *testing.T) {
	u := newTestUI(t, state.English)
	for name, c := range map[string]struct {
		change     func(*api.Window)
		badge      string
		take, give bool
	}{
		"watching":  {nil, "Watching", true, false},
		"driving":   {func(w *api.Window) { w.Input, w.Driven = "user", &api.Driven{Viewer: "me"} }, "You are in control", false, true},
		"elsewhere": {func(w *api.Window) { w.Input, w.Driven = "user", &api.Driven{Viewer: "cli"} }, "In control elsewhere", false, false},
		"paused":    {func(w *api.Window) { w.Input, w.Driven = "user", &api.Driven{} }, "Paused", true, true},
		"ended":     {func(w *api.Window) { w.State, w.Ended = "ended", &api.Ended{Why: "it exited"} }, "Ended", false, false},
	} {
		p := newPane(u, window("w1", c.change))
		if p.badge != c.badge || p.take.Visible() != c.take || p.give.Visible() != c.give || p.view.driving != (name == "driving") {
			t.Errorf("%s: %q, take %v, give %v, driving %v", name, p.badge, p.take.Visible(), p.give.Visible(), p.view.driving)
		}
		if lives := name != "ended"; p.share.Visible() != lives || p.pin.Visible() != lives {
			t.Errorf("%s: share %v, size %v", name, p.share.Visible(), p.pin.Visible())
		}
		p.close()
	}
}

// TestKeysAndPointer: what is done over the picture is told in window
// coordinates, only while in control; the way out goes to Hand back.
func TestKeysAndPointer(t *testing.T) {
	u := newTestUI(t, state.English)
	p := newPane(u, window("w1", nil))
	defer p.close()
	u.put(p.content)
	var sent []api.InputEvent
	p.view.send = func(e []api.InputEvent) { sent = append(sent, e...) }
	p.view.source = api.Size{W: 640, H: 480}
	p.view.Resize(fyne.NewSize(640, 480))
	at := func(x, y float32) fyne.PointEvent { return fyne.PointEvent{Position: fyne.NewPos(x, y)} }
	key := func(code int) *fyne.KeyEvent { return &fyne.KeyEvent{Physical: fyne.HardwareKey{ScanCode: code}} }
	click := &desktop.MouseEvent{PointEvent: at(10, 20), Button: desktop.MouseButtonPrimary}
	p.view.MouseDown(click)
	p.view.KeyDown(key(38))
	p.view.Scrolled(&fyne.ScrollEvent{PointEvent: at(1, 1), Scrolled: fyne.NewDelta(0, -25)})
	if len(sent) != 0 {
		t.Fatalf("watching, it sent %v", sent)
	}
	p.update(window("w1", func(w *api.Window) { w.Input, w.Driven = "user", &api.Driven{Viewer: "me"} }))
	p.view.MouseDown(click)
	p.view.Dragged(&fyne.DragEvent{PointEvent: at(5000, 30)})
	p.view.DragEnd()
	p.view.Scrolled(&fyne.ScrollEvent{PointEvent: at(1, 1), Scrolled: fyne.NewDelta(0, -25)})
	p.view.KeyDown(key(38))
	p.view.KeyUp(key(38))
	p.view.KeyDown(key(37))
	p.view.FocusLost()
	var did []string
	for _, e := range sent {
		did = append(did, e.Do)
	}
	if want := []string{"down", "move", "letgo", "scroll", "press", "release", "press", "letgo"}; !equal(did, want) {
		t.Errorf("it sent %v, not %v", did, want)
	}
	if *sent[0].At != (api.Point{X: 10, Y: 20}) || *sent[1].At != (api.Point{X: 639, Y: 30}) || sent[3].Direction != "down" {
		t.Errorf("at %v and %v, %s", sent[0].At, sent[1].At, sent[3].Direction)
	}
	sent = nil
	u.cfg.App.Clipboard().SetContent("hélló")
	p.paste()
	if len(sent) != 1 || sent[0].Do != "text" || sent[0].Text != "hélló" {
		t.Errorf("a paste sends %v", sent)
	}
	u.window.Canvas().Focus(p.view)
	for _, code := range []int{37, 64, 43} {
		p.view.KeyDown(key(code))
	}
	if u.window.Canvas().Focused() != fyne.Focusable(p.give) {
		t.Error("the way out does not lead to Hand back")
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestPagesInEveryLanguage: each page draws its texts in the language, at the
// smallest window the app is meant for, and in every look.
func TestPagesInEveryLanguage(t *testing.T) {
	for _, l := range []state.Lang{state.English, state.Chinese, state.Japanese} {
		u := newTestUI(t, l)
		u.apps = []api.AppInfo{{App: "xterm", Name: "XTerm"}, {App: "gimp", Name: "GIMP", Needs: []string{"gimp"}}}
		u.sessions = []api.SessionInfo{{Label: "alice", Holds: []api.Handle{"w1"}}}
		u.groups = []api.GroupInfo{{Group: "team", Members: []api.SessionID{"alice"}}}
		for _, look := range state.Looks {
			u.settings.Look = look.Look
			u.cfg.App.Settings().SetTheme(newSkin(look.Look))
			u.rebuild()
			for page, words := range map[string][]state.Word{
				pageHome: {state.NewWindow, state.AllApps}, pagePeople: {state.SessionNew, state.Groups}, pageSettings: {state.Language, state.QuitAll},
			} {
				u.showing = page
				u.show()
				drawn := texts(u.window.Content())
				for _, w := range words {
					if !has(drawn, l.Say(w)) && !has(drawn, l.Say(w)+"…") {
						t.Errorf("%s, %s, %s: %q is not drawn", l, look.Look, page, l.Say(w))
					}
				}
			}
		}
		if min := u.window.Content().MinSize(); min.Width > 1100 || min.Height > 700 {
			t.Errorf("%s needs %v", l, min)
		}
	}
}

// TestDivider: it keeps within its bounds however it is moved.
func TestDivider(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(newSkin(state.LookLight))
	kept := 0.0
	d := newDivided(canvas.NewRectangle(nil), canvas.NewRectangle(nil), 0.5, func(at float64) { kept = at })
	w := test.NewTempWindow(t, d)
	w.Resize(fyne.NewSize(1000, 400))
	for range 40 {
		d.bar.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	}
	if kept != state.DividerLeast {
		t.Errorf("at the left it is %v", kept)
	}
	d.bar.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(5000, 0)})
	d.bar.DragEnd()
	if kept != state.DividerMost || d.right.Size().Width < 100 {
		t.Errorf("at the right it is %v, and %v is left", kept, d.right.Size())
	}
}

// TestThingsArePressedWithTheKeyboard: what is no button of the toolkit's is
// reached and pressed without a pointer.
func TestThingsArePressedWithTheKeyboard(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(newSkin(state.LookLight))
	pressed := 0
	p := newTappable(canvas.NewRectangle(nil), func() { pressed++ })
	test.NewTempWindow(t, p)
	p.FocusGained()
	for _, name := range []fyne.KeyName{fyne.KeySpace, fyne.KeyReturn, fyne.KeyA} {
		p.TypedKey(&fyne.KeyEvent{Name: name})
	}
	test.Tap(p)
	if p.disabled = true; pressed != 3 {
		t.Errorf("pressed %d times", pressed)
	}
	test.Tap(p)
	if pressed != 3 {
		t.Error("what is not to be pressed was")
	}
}

// TestCursorStaysInside: the label of an agent's cursor is inside of the view,
// wherever the act was.
func TestCursorStaysInside(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(newSkin(state.LookLight))
	v := newLiveView()
	v.source = api.Size{W: 640, H: 480}
	w := test.NewTempWindow(t, v)
	w.Resize(fyne.NewSize(660, 500))
	for _, at := range []image.Point{{}, {X: 639}, {Y: 479}, {X: 639, Y: 479}, {X: 320, Y: 240}} {
		act := &api.SeenAct{Session: "a-session-of-some-length", Did: api.Did{Verb: "click", Name: "Save as", At: &api.Point{X: at.X, Y: at.Y}}, Verdict: "ok", At: now()}
		v.cursor.tell(act, state.English)
		v.Refresh()
		p, s := v.cursor.back.Position(), v.cursor.back.Size()
		if !v.cursor.back.Visible() || p.X < 0 || p.Y < 0 || p.X+s.Width > v.Size().Width+1 || p.Y+s.Height > v.Size().Height+1 {
			t.Errorf("at %v the label is at %v, %v of %v", at, p, s, v.Size())
		}
	}
}
