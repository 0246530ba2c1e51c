package x11

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
	"vibespace/internal/proc"
	"vibespace/x11/xvfb"
)

// patience bounds every wait of the tests; a machine under load needs seconds
// for what takes milliseconds.
const patience = 90 * time.Second

// within gives a context that bounds one step of a test.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// screen is a server for one test, with a connection to it.
type screen struct {
	*Conn
	t      testing.TB
	server *xvfb.Server
}

// newScreen starts a server that lives as long as the test.
func newScreen(t testing.TB) *screen {
	t.Helper()
	need.Xvfb(t)
	server, err := xvfb.Start(within(t), xvfb.Config{Dir: need.Dir(t), NoGL: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(within(t)); err != nil {
			t.Errorf("stop the server: %v", err)
		}
	})
	s := &screen{t: t, server: server}
	s.Conn = s.dial()
	return s
}

// dial makes one more connection that lives as long as the test.
func (s *screen) dial() *Conn {
	s.t.Helper()
	c, err := Dial(within(s.t), s.server.Display(), s.server.Cookie())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Errorf("close: %v", err)
		}
	})
	return c
}

// run starts a program on the display with an environment of its own.
func (s *screen) run(path string, args ...string) *proc.Process {
	s.t.Helper()
	home := need.Dir(s.t)
	p, err := proc.Start(proc.Spec{Path: path, Args: args, Dir: home, Env: []string{
		"PATH=/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, "XDG_RUNTIME_DIR=" + home, "LC_ALL=C.UTF-8",
		"DISPLAY=" + s.server.Display(), "XAUTHORITY=" + s.server.CookieFile(), "NO_AT_BRIDGE=1",
		"GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "GTK_USE_PORTAL=0", "GIO_USE_VFS=local",
		"GSETTINGS_BACKEND=memory", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + home + "/none",
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := p.Stop(within(s.t), time.Second); err != nil {
			s.t.Errorf("stop %s: %v", path, err)
		}
	})
	return p
}

// until waits for a condition, looking at it again and again.
func (s *screen) until(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited %v for %s; the windows are\n%s", patience, what, s.describe())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *screen) describe() string {
	windows, err := s.TopLevels(within(s.t))
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, w := range windows {
		if w.Viewable {
			fmt.Fprintf(&b, "%#x %q %+v for %#x, own stacking %v\n", w.ID, w.Title, w.Geometry, w.TransientFor, w.OverrideRedirect)
		}
	}
	return b.String()
}

// window waits for a shown top level that a test accepts.
func (s *screen) window(what string, accept func(Window) bool) Window {
	s.t.Helper()
	var found Window
	s.until(what, func() bool {
		windows, err := s.TopLevels(within(s.t))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, w := range windows {
			if w.Viewable && accept(w) {
				found = w
				return true
			}
		}
		return false
	})
	return found
}

// at reads a window again.
func (s *screen) at(id WindowID) Window {
	s.t.Helper()
	w, err := s.Window(within(s.t), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

// frame is a plain window that a test makes: a client under full control.
type frame struct {
	Rect
	parent   WindowID
	override bool
	inputOff bool     // says that it takes no input
	takes    bool     // takes part in WM_TAKE_FOCUS
	deletes  bool     // takes part in WM_DELETE_WINDOW
	states   []string // _NET_WM_STATE to start with
	kinds    []string // _NET_WM_WINDOW_TYPE
	hints    []uint32 // WM_NORMAL_HINTS
	title    string
}

// create makes a window through c and does not map it.
func (s *screen) create(c *Conn, f frame) WindowID {
	s.t.Helper()
	id, err := call(within(s.t), c, func(x *xgb.Conn) (xproto.Window, error) {
		w, err := xproto.NewWindowId(x)
		if err != nil {
			return 0, err
		}
		override := uint32(0)
		if f.override {
			override = 1
		}
		err = xproto.CreateWindowChecked(x, xproto.WindowClassCopyFromParent, w, c.root,
			int16(f.X), int16(f.Y), uint16(max(f.W, 1)), uint16(max(f.H, 1)), 0, xproto.WindowClassInputOutput, 0,
			xproto.CwBackPixel|xproto.CwOverrideRedirect|xproto.CwEventMask,
			[]uint32{0x336699, override, xproto.EventMaskStructureNotify | xproto.EventMaskFocusChange | xproto.EventMaskButtonPress}).Check()
		if err != nil {
			return 0, err
		}
		c.dress(x, w, f)
		_, err = xproto.GetInputFocus(x).Reply()
		return w, err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return WindowID(id)
}

// dress gives a window the properties its frame states.
func (c *Conn) dress(x *xgb.Conn, w xproto.Window, f frame) {
	if f.parent != 0 {
		setWords(x, w, xproto.AtomWmTransientFor, xproto.AtomWindow, uint32(f.parent))
	}
	if f.inputOff {
		setWords(x, w, xproto.AtomWmHints, xproto.AtomWmHints, hintsInput, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	var protocols []uint32
	if f.takes {
		protocols = append(protocols, uint32(c.atom("WM_TAKE_FOCUS")))
	}
	if f.deletes {
		protocols = append(protocols, uint32(c.atom("WM_DELETE_WINDOW")))
	}
	setWords(x, w, c.atom("WM_PROTOCOLS"), xproto.AtomAtom, protocols...)
	for name, list := range map[string][]string{"_NET_WM_STATE": f.states, "_NET_WM_WINDOW_TYPE": f.kinds} {
		var atoms []uint32
		for _, a := range list {
			atoms = append(atoms, uint32(c.atom(a)))
		}
		if len(atoms) > 0 {
			setWords(x, w, c.atom(name), xproto.AtomAtom, atoms...)
		}
	}
	if f.hints != nil {
		setWords(x, w, xproto.AtomWmNormalHints, xproto.AtomWmSizeHints, f.hints...)
	}
	if f.title != "" {
		xproto.ChangeProperty(x, xproto.PropModeReplace, w, c.atom("_NET_WM_NAME"), c.atom("UTF8_STRING"), 8,
			uint32(len(f.title)), []byte(f.title))
	}
}

// show maps a window through c.
func (s *screen) show(c *Conn, id WindowID) {
	s.t.Helper()
	err := c.do(within(s.t), func(x *xgb.Conn) error { return xproto.MapWindowChecked(x, xproto.Window(id)).Check() })
	if err != nil {
		s.t.Fatal(err)
	}
}

// open creates and maps a window and waits until it is shown.
func (s *screen) open(c *Conn, f frame) WindowID {
	s.t.Helper()
	id := s.create(c, f)
	s.show(c, id)
	s.until("the window to be shown", func() bool { return s.at(id).Viewable })
	return id
}

// gone destroys a window through c.
func (s *screen) gone(c *Conn, id WindowID) {
	s.t.Helper()
	err := c.do(within(s.t), func(x *xgb.Conn) error { return xproto.DestroyWindowChecked(x, xproto.Window(id)).Check() })
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) focused() WindowID {
	s.t.Helper()
	id, err := s.Focused(within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// descriptors counts the open files of this process.
func descriptors(t testing.TB) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
