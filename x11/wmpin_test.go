package x11

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
)

func TestPinHints(t *testing.T) {
	t.Parallel()
	s, m := managed(t)
	app := s.dial()
	stepped := []uint32{hintInc | hintBase, 0, 0, 0, 0, 0, 0, 0, 0, 7, 13, 0, 0, 0, 0, 20, 4, 0}
	tests := []struct {
		name       string
		hints      []uint32
		w, h       int
		gotW, gotH int
	}{
		{"none", nil, 333, 222, 333, 222},
		{"steps are not followed", stepped, 331, 223, 331, 223},
		{"a minimum is", []uint32{hintMin, 0, 0, 0, 0, 400, 300}, 320, 350, 400, 350},
		{"a maximum is", []uint32{hintMax, 0, 0, 0, 0, 0, 0, 400, 300}, 640, 240, 400, 240},
		{"larger than the monitor", nil, 1200, 900, 1200, 900},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id := s.open(app, frame{Rect: Rect{0, 0, 200, 200}, hints: test.hints})
			got, err := m.Pin(within(t), id, test.w, test.h)
			if err != nil {
				t.Fatal(err)
			}
			if got.GotW != test.gotW || got.GotH != test.gotH || got.Exact() != (test.w == test.gotW && test.h == test.gotH) {
				t.Errorf("got %+v", got)
			}
			s.becomes(id, Rect{0, 0, test.gotW, test.gotH})
			if got.Hints.IncW != 0 {
				t.Errorf("steps are still stated: %+v", got.Hints)
			}
			if err := m.Unpin(within(t), id); err != nil {
				t.Fatal(err)
			}
			s.until("the window's own hints", func() bool {
				return slices.Equal(s.at(id).Hints.words(), sizeHints(test.hints).words())
			})
			s.gone(app, id)
		})
	}
}

func (h SizeHints) words() []int {
	return []int{h.MinW, h.MinH, h.MaxW, h.MaxH, h.BaseW, h.BaseH, h.IncW, h.IncH}
}

// GTK 4 writes its hints again each time it is told its size. Telling it again
// for that would never end.
func TestPinOfOneThatRepeatsItsHints(t *testing.T) {
	t.Parallel()
	s, m := managed(t)
	app := s.dial()
	hints := []uint32{hintMin, 0, 0, 0, 0, 400, 300}
	id := s.open(app, frame{Rect: Rect{0, 0, 500, 400}, hints: hints})
	told := app.subscribe(func(ev xgb.Event) bool {
		v, ok := ev.(xproto.ConfigureNotifyEvent)
		return ok && v.Event == xproto.Window(id)
	}, 10000)
	var n atomic.Int32
	var over sync.WaitGroup
	over.Go(func() {
		for range told.C {
			n.Add(1)
			_ = app.do(within(t), func(x *xgb.Conn) error {
				setWords(x, xproto.Window(id), xproto.AtomWmNormalHints, xproto.AtomWmSizeHints, hints...)
				return nil
			})
		}
	})
	for range 3 {
		if got, err := m.Pin(within(t), id, 320, 350); err != nil || got.GotW != 400 || got.GotH != 350 {
			t.Errorf("%+v %v", got, err)
		}
	}
	told.close()
	over.Wait()
	if n.Load() > 30 {
		t.Errorf("told its size %d times for three pins", n.Load())
	}
}

// A terminal snaps to its cell unless its steps are taken away.
func TestPinTerminal(t *testing.T) {
	t.Parallel()
	xterm := need.Tool(t, "xterm")
	s, m := managed(t)
	s.run(xterm, "-T", "terminal", "-e", "sleep", "1000")
	w := s.window("the terminal", func(w Window) bool { return w.Title == "terminal" })
	if w.Hints.IncW < 2 || w.Hints.IncH < 2 {
		t.Fatalf("a terminal without steps: %+v", w.Hints)
	}
	for _, size := range [][2]int{{1601, 901}, {640, 480}, {1277, 713}} {
		got, err := m.Pin(within(t), w.ID, size[0], size[1])
		if err != nil || !got.Exact() {
			t.Errorf("pin %v: %+v %v", size, got, err)
		}
	}
}

func TestPinToolkits(t *testing.T) {
	t.Parallel()
	for _, app := range []struct {
		tool string
		args []string
	}{
		{"mousepad", nil},
		{"gtk3-widget-factory", nil},
		{"featherpad", []string{"--standalone"}},
	} {
		t.Run(app.tool, func(t *testing.T) {
			t.Parallel()
			path := need.Tool(t, app.tool)
			s, m := managed(t)
			s.run(path, app.args...)
			w := s.window(app.tool, func(w Window) bool { return !w.OverrideRedirect && w.Geometry.W > 100 })
			if w.Geometry.X != 0 || w.Geometry.Y != 0 {
				t.Errorf("main window at %+v", w.Geometry)
			}
			got, err := m.Pin(within(t), w.ID, 1501, 903)
			if err != nil || !got.Exact() {
				t.Errorf("pin: %+v %v", got, err)
			}
			got, err = m.Pin(within(t), w.ID, 12, 11)
			if err != nil || got.Exact() {
				t.Errorf("pin below the minimum: %+v %v", got, err)
			}
			if got.GotW != max(got.Hints.MinW, 12) || got.GotH != max(got.Hints.MinH, 11) {
				t.Errorf("pin below the minimum: %+v", got)
			}
		})
	}
}

// Pinned before it is shown, a window is laid out once.
func TestPinNext(t *testing.T) {
	t.Parallel()
	mousepad := need.Tool(t, "mousepad")
	s, m := managed(t)
	watch, err := s.Watch(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	if err := m.PinNext(within(t), 1111, 777); err != nil {
		t.Fatal(err)
	}
	s.run(mousepad)
	w := s.window("mousepad", func(w Window) bool { return !w.OverrideRedirect && w.Geometry.W > 100 })
	if w.Geometry != (Rect{0, 0, 1111, 777}) {
		t.Errorf("shown first at %+v", w.Geometry)
	}
	if got, err := m.Pin(within(t), w.ID, 1111, 777); err != nil || !got.Exact() {
		t.Errorf("pin: %+v %v", got, err)
	}
}

// The dialog of a real application: over its parent, focused, and the focus goes
// back when it closes.
func TestDialogOfApplication(t *testing.T) {
	t.Parallel()
	mousepad := need.Tool(t, "mousepad")
	s, m := managed(t)
	s.run(mousepad)
	main := s.window("mousepad", func(w Window) bool { return !w.OverrideRedirect && w.Geometry.W > 100 })
	if _, err := m.Pin(within(t), main.ID, 900, 700); err != nil {
		t.Fatal(err)
	}
	s.getsFocus("the editor", main.ID)
	for range 3 {
		s.key(true, 'o')
		dialog := s.window("the file dialog", func(w Window) bool { return w.TransientFor == main.ID && !w.OverrideRedirect })
		s.getsFocus("the dialog", dialog.ID)
		g := s.at(dialog.ID).Geometry
		if g.X < 0 || g.Y < 0 || g.X+g.W > 1000 || g.Y+g.H > 800 {
			t.Errorf("dialog at %+v is not on the monitor", g)
		}
		// A dialog that has the focus may not have come to reading keys yet.
		asked := time.Time{}
		s.until("the dialog to go", func() bool {
			w, err := s.Window(within(t), dialog.ID)
			if err != nil || !w.Viewable {
				return true
			}
			if time.Since(asked) > 3*time.Second && s.focused() == dialog.ID {
				s.key(false, 0xff1b)
				asked = time.Now()
			}
			return false
		})
		s.getsFocus("the editor", main.ID)
	}
	asked, err := s.CloseWindow(within(t), main.ID)
	if err != nil || !asked {
		t.Fatalf("close: %v %v", asked, err)
	}
	s.until("the editor to go", func() bool { w, err := s.Window(within(t), main.ID); return err != nil || !w.Viewable })
}

func TestZenity(t *testing.T) {
	t.Parallel()
	zenity := need.Tool(t, "zenity")
	s, _ := managed(t)
	p := s.run(zenity, "--entry", "--title", "Grüße \U0001F600", "--text", "Name?")
	w := s.window("the question", func(w Window) bool { return w.Title == "Grüße \U0001F600" })
	if w.Geometry.X != 0 || w.Geometry.Y != 0 {
		t.Errorf("the only window is at %+v", w.Geometry)
	}
	if w.PID != p.PID() {
		t.Errorf("pid %d, want %d", w.PID, p.PID())
	}
	if !slices.Contains(w.Type, "_NET_WM_WINDOW_TYPE_DIALOG") && !slices.Contains(w.Type, "_NET_WM_WINDOW_TYPE_NORMAL") {
		t.Errorf("types %v", w.Type)
	}
	s.getsFocus("the question", w.ID)
}
