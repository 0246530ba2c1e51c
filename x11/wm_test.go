package x11

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"vibespace/internal/need"
	"vibespace/internal/proc"
)

// manage starts a window manager that lives as long as the test.
func (s *screen) manage() *WM {
	s.t.Helper()
	m, err := StartWM(within(s.t), s.Conn)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := m.Close(); err != nil {
			s.t.Errorf("close the window manager: %v", err)
		}
	})
	return m
}

// managed starts a server with a window manager and a monitor of 1000x800.
func managed(t testing.TB) (*screen, *WM) {
	s := newScreen(t)
	if err := s.SetMonitor(within(t), Rect{0, 0, 1000, 800}); err != nil {
		t.Fatal(err)
	}
	return s, s.manage()
}

// becomes waits for a window to be at a rectangle.
func (s *screen) becomes(id WindowID, want Rect) {
	s.t.Helper()
	var got Rect
	s.until(fmt.Sprintf("window %#x to be at %+v", id, want), func() bool {
		got = s.at(id).Geometry
		return got == want
	})
}

// hasFocus waits for a window to have the focus.
func (s *screen) getsFocus(what string, id WindowID) {
	s.t.Helper()
	s.until(fmt.Sprintf("%s, %#x, to have the focus", what, id), func() bool { return s.focused() == id })
}

// words reads a property of 32-bit numbers.
func (s *screen) words(id WindowID, name string) []uint32 {
	s.t.Helper()
	p, err := call(within(s.t), s.Conn, func(x *xgb.Conn) (property, error) {
		return askProperty(x, xproto.Window(id), s.atom(name))()
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return p.words()
}

// message sends the root what a client asks of its window manager.
func (s *screen) message(c *Conn, id WindowID, name string, data ...uint32) {
	s.t.Helper()
	data = append(data, make([]uint32, 5-len(data))...)
	ev := xproto.ClientMessageEvent{
		Format: 32, Window: xproto.Window(id), Type: c.atom(name), Data: xproto.ClientMessageDataUnionData32New(data),
	}
	err := c.do(within(s.t), func(x *xgb.Conn) error {
		return xproto.SendEventChecked(x, false, c.root,
			xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(ev.Bytes())).Check()
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// click presses and releases the first button at a place, as a person would.
func (s *screen) click(at Point) {
	s.t.Helper()
	err := s.do(within(s.t), func(x *xgb.Conn) error {
		xtest.FakeInput(x, xproto.MotionNotify, 0, 0, s.root, int16(at.X), int16(at.Y), 0)
		xtest.FakeInput(x, xproto.ButtonPress, 1, 0, s.root, 0, 0, 0)
		return xtest.FakeInputChecked(x, xproto.ButtonRelease, 1, 0, s.root, 0, 0, 0).Check()
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// key presses and releases a key by its keysym, with Control held or not.
func (s *screen) key(control bool, sym xproto.Keysym) {
	s.t.Helper()
	low, high := s.setup.MinKeycode, s.setup.MaxKeycode
	err := s.do(within(s.t), func(x *xgb.Conn) error {
		m, err := xproto.GetKeyboardMapping(x, low, byte(high-low+1)).Reply()
		if err != nil {
			return err
		}
		code := func(k xproto.Keysym) byte {
			return byte(slices.Index(m.Keysyms, k)/int(m.KeysymsPerKeycode)) + byte(low)
		}
		press := func(kind, code byte) { xtest.FakeInput(x, kind, code, 0, s.root, 0, 0, 0) }
		if control {
			press(xproto.KeyPress, code(0xffe3))
			defer press(xproto.KeyRelease, code(0xffe3))
		}
		press(xproto.KeyPress, code(sym))
		press(xproto.KeyRelease, code(sym))
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestWMPlaces(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	main := s.open(app, frame{Rect: Rect{300, 200, 400, 300}, title: "main"})
	s.becomes(main, Rect{0, 0, 400, 300})
	tests := []struct {
		name string
		frame
		want Rect
	}{
		{"a dialog is centred over its parent", frame{Rect: Rect{0, 0, 200, 100}, parent: main}, Rect{100, 100, 200, 100}},
		{"a wide dialog is kept on the monitor", frame{Rect: Rect{0, 0, 600, 400}, parent: main}, Rect{0, 0, 600, 400}},
		{"a dialog of nobody is centred over the main window", frame{Rect: Rect{0, 0, 200, 100}, kinds: []string{"_NET_WM_WINDOW_TYPE_DIALOG"}}, Rect{100, 100, 200, 100}},
		{"a dialog larger than the monitor shrinks", frame{Rect: Rect{0, 0, 2000, 1500}, parent: main}, Rect{0, 0, 1000, 800}},
		{"no smaller than it can be", frame{Rect: Rect{0, 0, 2000, 1500}, parent: main, hints: []uint32{hintMin, 0, 0, 0, 0, 1200, 300}}, Rect{0, 0, 1200, 800}},
		{"another main window goes to the corner", frame{Rect: Rect{50, 60, 300, 300}}, Rect{0, 0, 300, 300}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id := s.open(app, test.frame)
			s.becomes(id, test.want)
			s.gone(app, id)
			s.getsFocus("the main window", main)
		})
	}
}

func TestWMSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}, title: "main"})
	s.until("the lists to name the window", func() bool {
		want := []uint32{uint32(main)}
		root := s.Root()
		return slices.Equal(s.words(root, "_NET_CLIENT_LIST"), want) &&
			slices.Equal(s.words(root, "_NET_CLIENT_LIST_STACKING"), want) &&
			slices.Equal(s.words(root, "_NET_ACTIVE_WINDOW"), want)
	})
	check := s.words(s.Root(), "_NET_SUPPORTING_WM_CHECK")
	if len(check) != 1 || !slices.Equal(s.words(WindowID(check[0]), "_NET_SUPPORTING_WM_CHECK"), check) {
		t.Errorf("supporting window %v does not name itself", check)
	}
	if got := s.words(s.Root(), "_NET_WORKAREA"); !slices.Equal(got, []uint32{0, 0, 1000, 800}) {
		t.Errorf("work area %v", got)
	}
	if got := s.words(main, "_NET_FRAME_EXTENTS"); !slices.Equal(got, make([]uint32, 4)) {
		t.Errorf("frame extents %v", got)
	}
	if got := s.words(main, "WM_STATE"); len(got) == 0 || got[0] != stateNormal {
		t.Errorf("state %v of a shown window", got)
	}
	other := s.create(app, frame{Rect: Rect{0, 0, 10, 10}})
	s.message(app, other, "_NET_REQUEST_FRAME_EXTENTS")
	s.until("frame extents of a window not shown yet", func() bool { return len(s.words(other, "_NET_FRAME_EXTENTS")) == 4 })

	err := app.do(within(t), func(x *xgb.Conn) error { return xproto.UnmapWindowChecked(x, xproto.Window(main)).Check() })
	if err != nil {
		t.Fatal(err)
	}
	s.until("the window to be withdrawn", func() bool {
		got := s.words(main, "WM_STATE")
		return len(got) > 0 && got[0] == stateWithdrawn && len(s.words(s.Root(), "_NET_CLIENT_LIST")) == 0
	})
	s.show(app, main)
	s.getsFocus("the window that came back", main)
}

// A window nobody manages takes the focus and the manager has seen that before
// it closes: the focus comes back all the same.
func TestWMFocusReturnsFromUnmanaged(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	s.getsFocus("the main window", main)
	for range 3 {
		menu := s.open(app, frame{Rect: Rect{0, 0, 200, 100}, override: true})
		if err := s.Focus(within(t), menu); err != nil {
			t.Fatal(err)
		}
		s.until("the manager to know that no window of its own has the focus", func() bool {
			return slices.Equal(s.words(s.Root(), "_NET_ACTIVE_WINDOW"), []uint32{0})
		})
		s.gone(app, menu)
		s.getsFocus("the main window", main)
	}
}

// The focus goes back where it came from, whatever closes.
func TestWMFocusReturns(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	first := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	s.getsFocus("the first window", first)
	second := s.open(app, frame{Rect: Rect{0, 0, 300, 300}})
	s.getsFocus("the second window", second)
	dialog := s.open(app, frame{Rect: Rect{0, 0, 200, 100}, parent: second})
	s.getsFocus("the dialog", dialog)
	nested := s.open(app, frame{Rect: Rect{0, 0, 100, 50}, parent: dialog})
	s.getsFocus("the dialog's dialog", nested)
	s.gone(app, nested)
	s.getsFocus("the dialog", dialog)
	err := app.do(within(t), func(x *xgb.Conn) error { return xproto.UnmapWindowChecked(x, xproto.Window(dialog)).Check() })
	if err != nil {
		t.Fatal(err)
	}
	s.getsFocus("the second window", second)
	s.gone(app, second)
	s.getsFocus("the first window", first)
	// A client that ends without a word takes all its windows with it.
	other := s.dial()
	rude := s.open(other, frame{Rect: Rect{0, 0, 300, 300}})
	s.getsFocus("another client's window", rude)
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	s.getsFocus("the first window", first)
}

func TestWMFocusModels(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	s.getsFocus("the main window", main)
	for name, f := range map[string]frame{
		"takes no input": {Rect: Rect{0, 0, 200, 100}, inputOff: true},
		"is a splash":    {Rect: Rect{0, 0, 200, 100}, kinds: []string{"_NET_WM_WINDOW_TYPE_SPLASH"}},
		"is a menu":      {Rect: Rect{0, 0, 200, 100}, override: true},
	} {
		id := s.open(app, f)
		if err := s.Sync(within(t)); err != nil {
			t.Fatal(err)
		}
		s.getsFocus("the main window, beside one that "+name, main)
		err := s.Focus(within(t), id)
		if want := f.inputOff; errors.Is(err, ErrNotFocusable) != want {
			t.Errorf("focus one that %s: %v", name, err)
		}
		s.gone(app, id)
		s.getsFocus("the main window", main)
	}
	// One that takes the focus by itself, when it is told that it may.
	told := app.subscribe(func(ev xgb.Event) bool {
		v, ok := ev.(xproto.ClientMessageEvent)
		return ok && v.Type == app.atom("WM_PROTOCOLS")
	}, 8)
	id := s.open(app, frame{Rect: Rect{0, 0, 200, 100}, inputOff: true, takes: true})
	select {
	case ev := <-told.C:
		v := ev.(xproto.ClientMessageEvent)
		if v.Data.Data32[0] != uint32(app.atom("WM_TAKE_FOCUS")) || v.Window != xproto.Window(id) {
			t.Errorf("told %v", v)
		}
	case <-time.After(patience):
		t.Fatal("not told that it may take the focus")
	}
	if err := s.Focus(within(t), id); !errors.Is(err, ErrNotFocused) {
		t.Errorf("focus one that does not take it: %v", err)
	}
	go func() {
		for range told.C {
			_ = app.do(within(t), func(x *xgb.Conn) error {
				xproto.SetInputFocus(x, xproto.InputFocusParent, xproto.Window(id), xproto.TimeCurrentTime)
				return nil
			})
		}
	}()
	// It has a second to take it, which a busy machine may not give it the first time.
	s.until("one that takes the focus to have it", func() bool { return s.Focus(within(t), id) == nil })
	told.close()
}

// While a modal dialog is open its parent cannot be used: clicks on it lead to
// the dialog.
func TestWMModal(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	modal := s.open(app, frame{Rect: Rect{0, 0, 200, 100}, parent: main, states: []string{"_NET_WM_STATE_MODAL"}})
	s.getsFocus("the dialog", modal)
	s.click(Point{10, 10})
	s.message(app, main, "_NET_ACTIVE_WINDOW", 1)
	if err := s.Sync(within(t)); err != nil {
		t.Fatal(err)
	}
	s.getsFocus("the dialog", modal)
	s.until("the dialog to be on top", func() bool {
		id, err := s.At(within(t), Point{200, 150})
		return err == nil && id == modal
	})
	s.gone(app, modal)
	s.getsFocus("the main window", main)
}

// A click raises and focuses, and arrives once.
func TestWMClick(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	presses := app.subscribe(func(ev xgb.Event) bool { _, ok := ev.(xproto.ButtonPressEvent); return ok }, 64)
	defer presses.close()
	below := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	above := s.open(app, frame{Rect: Rect{0, 0, 200, 100}})
	s.getsFocus("the upper window", above)
	for i, click := range []struct {
		at   Point
		want WindowID
	}{
		{Point{300, 200}, below}, // seen beside the upper one
		{Point{20, 20}, below},   // now in front, and clicked without a detour
		{Point{20, 20}, below},
	} {
		s.click(click.at)
		select {
		case ev := <-presses.C:
			if v := ev.(xproto.ButtonPressEvent); WindowID(v.Event) != click.want {
				t.Errorf("click %d went to %#x, want %#x", i, v.Event, click.want)
			}
		case <-time.After(patience):
			t.Fatalf("click %d did not arrive", i)
		}
		s.getsFocus("the clicked window", click.want)
		s.until("the clicked window to be in front", func() bool {
			id, err := s.At(within(t), Point{20, 20})
			return err == nil && id == click.want
		})
	}
	if err := errors.Join(s.Sync(within(t)), app.Sync(within(t))); err != nil {
		t.Fatal(err)
	}
	if len(presses.C) > 0 {
		t.Errorf("%d clicks too many", len(presses.C))
	}
}

func TestWMStates(t *testing.T) {
	t.Parallel()
	s, _ := managed(t)
	app := s.dial()
	a := func(name string) uint32 { return uint32(s.atom(name)) }
	const remove, add, toggle = 0, 1, 2
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	s.becomes(main, Rect{0, 0, 400, 300})
	steps := []struct {
		name string
		data []uint32
		want Rect
	}{
		{"maximise", []uint32{add, a("_NET_WM_STATE_MAXIMIZED_VERT"), a("_NET_WM_STATE_MAXIMIZED_HORZ")}, Rect{0, 0, 1000, 800}},
		{"fullscreen", []uint32{toggle, a("_NET_WM_STATE_FULLSCREEN")}, Rect{0, 0, 1000, 800}},
		{"one way", []uint32{remove, a("_NET_WM_STATE_MAXIMIZED_HORZ")}, Rect{0, 0, 1000, 800}},
		{"leave fullscreen", []uint32{toggle, a("_NET_WM_STATE_FULLSCREEN")}, Rect{0, 0, 400, 800}},
		{"restore", []uint32{remove, a("_NET_WM_STATE_MAXIMIZED_VERT")}, Rect{0, 0, 400, 300}},
	}
	for _, step := range steps {
		s.message(app, main, "_NET_WM_STATE", step.data...)
		s.becomes(main, step.want)
	}
	s.message(app, main, "_NET_WM_STATE", add, a("_NET_WM_STATE_FULLSCREEN"))
	s.becomes(main, Rect{0, 0, 1000, 800})
	if got := s.words(main, "_NET_WM_STATE"); !slices.Contains(got, a("_NET_WM_STATE_FULLSCREEN")) {
		t.Errorf("states %v while fullscreen", got)
	}
	// What fills the monitor follows it, and so does what must stay on it.
	dialog := s.open(app, frame{Rect: Rect{0, 0, 200, 100}, parent: main})
	s.becomes(dialog, Rect{400, 350, 200, 100})
	if err := s.SetMonitor(within(t), Rect{0, 0, 500, 400}); err != nil {
		t.Fatal(err)
	}
	s.becomes(main, Rect{0, 0, 500, 400})
	s.becomes(dialog, Rect{300, 300, 200, 100})
	s.until("the work area to follow", func() bool {
		return slices.Equal(s.words(s.Root(), "_NET_WORKAREA"), []uint32{0, 0, 500, 400})
	})
	// A window may start maximised.
	large := s.open(app, frame{Rect: Rect{0, 0, 100, 100}, states: []string{"_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ"}})
	s.becomes(large, Rect{0, 0, 500, 400})
}

// Toolkits wait for an answer to each size or place they ask for.
func TestWMAnswersConfigure(t *testing.T) {
	t.Parallel()
	s, m := managed(t)
	app := s.dial()
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	s.becomes(main, Rect{0, 0, 400, 300})
	answers := app.subscribe(func(ev xgb.Event) bool {
		v, ok := ev.(xproto.ConfigureNotifyEvent)
		return ok && v.Event == xproto.Window(main)
	}, 64)
	defer answers.close()
	ask := func(name string, f func() error, want Rect) {
		t.Helper()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		deadline := time.After(patience)
		for {
			select {
			case ev := <-answers.C:
				v := ev.(xproto.ConfigureNotifyEvent)
				if (Rect{int(v.X), int(v.Y), int(v.Width), int(v.Height)}) == want {
					s.becomes(main, want)
					return
				}
			case <-deadline:
				t.Fatalf("%s: no answer of %+v", name, want)
			}
		}
	}
	ctx := within(t)
	ask("larger", func() error { return app.Resize(ctx, main, 500, 400) }, Rect{0, 0, 500, 400})
	ask("the same", func() error { return app.Resize(ctx, main, 500, 400) }, Rect{0, 0, 500, 400})
	ask("elsewhere", func() error { return app.Move(ctx, main, Point{100, 50}) }, Rect{100, 50, 500, 400})
	ask("off the monitor", func() error { return app.Move(ctx, main, Point{900, -50}) }, Rect{500, 0, 500, 400})
	ask("back", func() error { return app.Move(ctx, main, Point{0, 0}) }, Rect{0, 0, 500, 400})
	if got, err := m.Pin(ctx, main, 640, 480); err != nil || !got.Exact() {
		t.Fatalf("pin: %+v %v", got, err)
	}
	ask("while pinned", func() error { return app.Resize(ctx, main, 500, 400) }, Rect{0, 0, 640, 480})
	if err := m.Unpin(ctx, main); err != nil {
		t.Fatal(err)
	}
	ask("after that", func() error { return app.Resize(ctx, main, 500, 400) }, Rect{0, 0, 500, 400})
	// A window nobody manages gets what it asks for.
	hidden := s.create(app, frame{Rect: Rect{0, 0, 10, 10}})
	if err := errors.Join(app.Resize(ctx, hidden, 70, 80), app.Move(ctx, hidden, Point{3, 4})); err != nil {
		t.Fatal(err)
	}
	s.becomes(hidden, Rect{3, 4, 70, 80})
	if err := app.Raise(ctx, main); err != nil {
		t.Fatal(err)
	}
}

// Windows that end between two requests are the ordinary case.
func TestWMSurvivesChurn(t *testing.T) {
	t.Parallel()
	s, m := managed(t)
	app := s.dial()
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	for i := range 150 {
		id := s.create(app, frame{Rect: Rect{0, 0, 100, 100}, parent: main, hints: []uint32{hintInc, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7}})
		s.show(app, id)
		if i%3 == 0 {
			s.message(app, id, "_NET_WM_STATE", 1, uint32(s.atom("_NET_WM_STATE_FULLSCREEN")))
			s.message(app, id, "_NET_ACTIVE_WINDOW", 1)
		}
		if i%5 == 0 {
			if _, err := m.Pin(within(t), id, 50, 50); err != nil && !errors.Is(err, ErrNoWindow) {
				t.Fatal(err)
			}
		}
		s.gone(app, id)
	}
	if _, err := m.Pin(within(t), 0x7fffffff, 50, 50); !errors.Is(err, ErrNoWindow) {
		t.Errorf("pin of nothing: %v", err)
	}
	s.getsFocus("the main window", main)
	s.until("the list to hold the main window alone", func() bool {
		return slices.Equal(s.words(s.Root(), "_NET_CLIENT_LIST"), []uint32{uint32(main)})
	})
}

// A window manager that comes later finds the windows, leaves them where they
// are, and gives somebody the focus; there is only one.
func TestWMAdopts(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	early := s.open(app, frame{Rect: Rect{70, 50, 400, 300}})
	menu := s.open(app, frame{Rect: Rect{80, 60, 40, 30}, override: true})
	m := s.manage()
	s.getsFocus("the window that was there", early)
	s.becomes(early, Rect{70, 50, 400, 300})
	if got := s.words(s.Root(), "_NET_CLIENT_LIST"); slices.Contains(got, uint32(menu)) {
		t.Error("a menu is managed")
	}
	if other, err := StartWM(within(t), s.Conn); !errors.Is(err, ErrManaged) || other != nil {
		t.Errorf("a second window manager: %v", err)
	}
	if got, err := m.Pin(within(t), early, 640, 480); err != nil || !got.Exact() {
		t.Errorf("pin: %+v %v", got, err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Pin(within(t), early, 640, 480); !errors.Is(err, ErrGone) {
		t.Errorf("pin after the end: %v", err)
	}
	s.manage()
	s.becomes(early, Rect{0, 0, 640, 480})
	late := s.open(app, frame{Rect: Rect{0, 0, 30, 30}})
	s.getsFocus("a window after the change", late)
}

// One application that hangs delays nobody.
func TestWMAndHungApplication(t *testing.T) {
	t.Parallel()
	xterm := need.Tool(t, "xterm")
	s, m := managed(t)
	p := s.run(xterm, "-T", "hung", "-e", "sleep", "1000")
	hung := s.window("the terminal", func(w Window) bool { return w.Title == "hung" })
	if err := proc.Signal(p.Ident(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	app := s.dial()
	id := s.open(app, frame{Rect: Rect{0, 0, 300, 200}})
	s.getsFocus("a window beside a hung one", id)
	if err := s.Focus(within(t), hung.ID); err != nil {
		t.Errorf("focus the hung one: %v", err)
	}
	if got, err := m.Pin(within(t), hung.ID, 640, 480); err != nil || !got.Exact() {
		t.Errorf("pin the hung one: %+v %v", got, err)
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("took %v", took)
	}
	if err := proc.Signal(p.Ident(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

func TestWMServerDies(t *testing.T) {
	t.Parallel()
	s, m := managed(t)
	if err := proc.Signal(s.server.Ident(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-m.Done()
	if _, err := m.Pin(within(t), 1, 640, 480); !errors.Is(err, ErrGone) {
		t.Errorf("pin: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
