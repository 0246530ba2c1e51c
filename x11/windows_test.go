package x11

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
)

func TestTopLevels(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	main := s.open(app, frame{
		Rect: Rect{10, 20, 300, 200}, title: "Grüße", deletes: true,
		kinds: []string{"_NET_WM_WINDOW_TYPE_UTILITY", "_NET_WM_WINDOW_TYPE_NORMAL"},
		hints: []uint32{hintMin | hintMax | hintInc | hintBase, 0, 0, 0, 0, 50, 60, 500, 600, 7, 13, 0, 0, 0, 0, 4, 5, 0},
	})
	hidden := s.create(app, frame{Rect: Rect{1, 2, 3, 4}, title: "hidden"})
	menu := s.open(app, frame{Rect: Rect{30, 40, 50, 60}, override: true, parent: main})
	windows, err := s.TopLevels(within(t))
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]WindowID, len(windows))
	for i, w := range windows {
		ids[i] = w.ID
	}
	if !slices.Equal(ids, []WindowID{main, hidden, menu}) {
		t.Fatalf("windows %#x, want them in the order of stacking", ids)
	}
	want := []Window{
		{
			ID: main, Geometry: Rect{10, 20, 300, 200}, Mapped: true, Viewable: true, Title: "Grüße", PID: os.Getpid(),
			Type:  []string{"_NET_WM_WINDOW_TYPE_UTILITY", "_NET_WM_WINDOW_TYPE_NORMAL"},
			Hints: SizeHints{MinW: 50, MinH: 60, MaxW: 500, MaxH: 600, BaseW: 4, BaseH: 5, IncW: 7, IncH: 13},
		},
		{ID: hidden, Geometry: Rect{1, 2, 3, 4}, PID: os.Getpid()},
		{ID: menu, Geometry: Rect{30, 40, 50, 60}, Mapped: true, Viewable: true, OverrideRedirect: true, TransientFor: main, PID: os.Getpid()},
	}
	for i, w := range windows {
		if fmt.Sprintf("%+v", w) != fmt.Sprintf("%+v", want[i]) {
			t.Errorf("window %d is\n%+v, want\n%+v", i, w, want[i])
		}
	}
	if w := s.at(hidden); w.Title != "hidden" {
		t.Errorf("a window by itself: %+v", w)
	}
	if err := s.Raise(within(t), main); err != nil {
		t.Fatal(err)
	}
	windows, err = s.TopLevels(within(t))
	if err != nil || windows[2].ID != main {
		t.Errorf("after raising: %+v %v", windows, err)
	}
	if _, err := s.Window(within(t), 0x7fffffff); !errors.Is(err, ErrNoWindow) {
		t.Errorf("a window that is not there: %v", err)
	}
}

// Windows come and go while they are read.
func TestTopLevelsWhileWindowsEnd(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			err := app.do(within(t), func(x *xgb.Conn) error {
				var made []xproto.Window
				for range 5 {
					w, err := xproto.NewWindowId(x)
					if err != nil {
						return err
					}
					made = append(made, w)
					xproto.CreateWindow(x, 0, w, app.root, 0, 0, 10, 10, 0, xproto.WindowClassInputOutput, 0, 0, nil)
					xproto.MapWindow(x, w)
				}
				for _, w := range made {
					xproto.DestroyWindow(x, w)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 200 {
		if _, err := s.TopLevels(within(t)); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	<-done
}

// Titles are a stranger's bytes and leave as valid UTF-8.
func TestTitles(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	id := s.open(app, frame{Rect: Rect{0, 0, 10, 10}})
	set := func(name, kind, text string) {
		t.Helper()
		k, err := app.intern(within(t), kind)
		if err != nil {
			t.Fatal(err)
		}
		n, err := app.intern(within(t), name)
		if err != nil {
			t.Fatal(err)
		}
		err = app.do(within(t), func(x *xgb.Conn) error {
			return xproto.ChangePropertyChecked(x, xproto.PropModeReplace, xproto.Window(id), n, k, 8, uint32(len(text)), []byte(text)).Check()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ name, kind, text, want string }{
		{"WM_NAME", "STRING", "plain", "plain"},
		{"WM_NAME", "STRING", "Gr\xfc\xdfe", "Grüße"},
		{"WM_NAME", "STRING", "Grüße", "Grüße"},
		{"WM_NAME", "COMPOUND_TEXT", "a\x1b%G\xe4\xbd\xa0\x1b%@b", "a你b"},
		{"WM_NAME", "COMPOUND_TEXT", "a\x1b-A\xfc\x1b-B\xfc", "aü\ufffd"},
		{"WM_NAME", "COMPOUND_TEXT", "a\x1b", "a"},
		{"WM_NAME", "UTF8_STRING", "\xff\xfeok\x00rest", "\ufffdok"},
		{"_NET_WM_NAME", "UTF8_STRING", "你好 😀", "你好 😀"},
		{"_NET_WM_NAME", "UTF8_STRING", "x\xc3(", "x\ufffd("},
		{"_NET_WM_NAME", "UTF8_STRING", "", "\ufffdok"}, // empty: the old one counts
	}
	for _, test := range tests {
		set(test.name, test.kind, test.text)
		if got := s.at(id).Title; got != test.want {
			t.Errorf("%s %s %q is titled %q, want %q", test.name, test.kind, test.text, got, test.want)
		}
	}
	set("_NET_WM_NAME", "UTF8_STRING", string(make([]byte, 200<<10)))
	set("WM_CLASS", "STRING", "inst\xe9\x00Class\x00")
	if w := s.at(id); w.Instance != "insté" || w.Class != "Class" {
		t.Errorf("class %q of instance %q", w.Class, w.Instance)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	below := s.open(app, frame{Rect: Rect{0, 0, 200, 200}})
	above := s.open(app, frame{Rect: Rect{100, 100, 200, 200}})
	s.create(app, frame{Rect: Rect{0, 0, 300, 300}}) // not shown
	err := app.do(within(t), func(x *xgb.Conn) error {
		return shape.RectanglesChecked(x, shape.SoSet, shape.SkBounding, 0, xproto.Window(above), 0, 0,
			[]xproto.Rectangle{{X: 50, Y: 50, Width: 150, Height: 150}}).Check()
	})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[Point]WindowID{
		{10, 10}: below, {160, 160}: above, {120, 120}: below, {120, 250}: 0, {500, 500}: 0, {-10, 5}: 0, {199, 199}: above,
	} {
		if got, err := s.At(within(t), at); err != nil || got != want {
			t.Errorf("at %v is %#x %v, want %#x", at, got, err, want)
		}
	}
}

func TestClientPIDs(t *testing.T) {
	t.Parallel()
	xterm := need.Tool(t, "xterm")
	s := newScreen(t)
	p := s.run(xterm, "-T", "terminal", "-e", "sleep", "1000")
	w := s.window("the terminal", func(w Window) bool { return w.Title == "terminal" })
	pids, err := s.ClientPIDs(within(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []int{os.Getpid(), p.PID()}
	slices.Sort(want)
	if !slices.Equal(pids, want) {
		t.Errorf("clients %v, want %v", pids, want)
	}
	if w.PID != p.PID() || w.Class != "XTerm" || w.Instance != "xterm" {
		t.Errorf("the terminal is %+v", w)
	}
}

// A window may claim to be of any process; the server knows better.
func TestWindowCannotLieAboutItsProcess(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	id := s.open(app, frame{Rect: Rect{0, 0, 10, 10}})
	err := app.do(within(t), func(x *xgb.Conn) error {
		setWords(x, xproto.Window(id), app.atom("_NET_WM_PID"), xproto.AtomCardinal, 1)
		setWords(x, xproto.Window(id), app.atom("_NET_WM_WINDOW_TYPE"), xproto.AtomAtom, 0, 0xffffffff, 1<<28)
		_, err := xproto.GetInputFocus(x).Reply()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if w := s.at(id); w.PID != os.Getpid() || len(w.Type) != 0 {
		t.Errorf("%+v", w)
	}
}

func TestRootProperty(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	if got, err := s.RootProperty(within(t), "AT_SPI_BUS"); err != nil || got != "" {
		t.Errorf("before: %q %v", got, err)
	}
	for _, want := range []string{"unix:path=/run/a,guid=1", "", "other"} {
		if err := s.SetRootProperty(within(t), "AT_SPI_BUS", want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.dial().RootProperty(within(t), "AT_SPI_BUS"); err != nil || got != want {
			t.Errorf("got %q %v, want %q", got, err, want)
		}
	}
}

func TestCloseWindow(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	told := app.subscribe(func(ev xgb.Event) bool { _, ok := ev.(xproto.ClientMessageEvent); return ok }, 8)
	defer told.close()
	mute := s.open(app, frame{Rect: Rect{0, 0, 10, 10}})
	polite := s.open(app, frame{Rect: Rect{0, 0, 10, 10}, deletes: true})
	if asked, err := s.CloseWindow(within(t), mute); err != nil || asked {
		t.Errorf("one that cannot be asked: %v %v", asked, err)
	}
	if asked, err := s.CloseWindow(within(t), polite); err != nil || !asked {
		t.Errorf("one that can: %v %v", asked, err)
	}
	v := (<-told.C).(xproto.ClientMessageEvent)
	if v.Window != xproto.Window(polite) || v.Data.Data32[0] != uint32(app.atom("WM_DELETE_WINDOW")) {
		t.Errorf("told %v", v)
	}
	if _, err := s.CloseWindow(within(t), 0x7fffffff); !errors.Is(err, ErrNoWindow) {
		t.Errorf("one that is not there: %v", err)
	}
}

func FuzzSizeHints(f *testing.F) {
	f.Add([]byte{}, 100, 100)
	f.Add([]byte{0xff, 1, 0, 0, 1, 2, 3, 4}, 1, 1)
	f.Fuzz(func(t *testing.T, b []byte, w, h int) {
		w, h = w&maxSide, h&maxSide
		hints := sizeHints(property{format: 32, value: b}.words())
		gotW, gotH := hints.Fit(w, h)
		if gotW < 1 || gotH < 1 || gotW > maxSide || gotH > maxSide {
			t.Errorf("%+v makes %dx%d of %dx%d", hints, gotW, gotH, w, h)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain", "Gr\xfc\xdfe", "a\x1b%G\xe4\xbd\xa0\x1b%@b", "\x1b", "\x1b%G", "\x1b$(B\x30\x21", "a\x00b\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		instance, name := class(b)
		for _, got := range []string{validText(b), latin1(b), compoundText(b), instance, name} {
			if !utf8.ValidString(got) {
				t.Errorf("%q of %q is not valid", got, b)
			}
		}
	})
}
