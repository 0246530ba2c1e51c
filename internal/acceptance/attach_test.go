package acceptance

import (
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// shownHere is a window on a screen, by attach-here.
type shownHere struct {
	*Lines
	s      *screen
	c      *Caller
	handle string
	id     string // of the window on the screen
	at     image.Point
}

// attachHere shows a window on a screen, and moves it there to a place.
func (c *Caller) attachHere(s *screen, handle, title string, at image.Point) *shownHere {
	c.t.Helper()
	here := c.With("DISPLAY=" + s.display)
	a := &shownHere{s: s, c: c, handle: handle, Lines: here.Start("attach-here", handle, "--timeout", "80s"), at: at}
	r := a.Next()
	var answer struct {
		Window          Window
		Desktop, Viewer string
	}
	r.Into(c.t, &answer)
	if !r.OK || answer.Window.Handle != handle || answer.Window.Rung != "xpra" || answer.Desktop != s.display || !strings.HasPrefix(answer.Viewer, "attach-here:") {
		c.t.Fatalf("%s", r.JSON)
	}
	Eventually(c.t, title+" is on the person's desktop", func() bool {
		out, err := s.out("search", "--onlyvisible", "--name", "^"+title+"$")
		a.id = strings.TrimSpace(out)
		return err == nil && a.id != ""
	})
	s.do("windowmove", a.id, itoa(at.X), itoa(at.Y))
	return a
}

// out runs xdotool on the screen and gives what it says.
func (s *screen) out(args ...string) (string, error) {
	s.t.Helper()
	cmd := exec.Command("xdotool", args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display)
	out, err := cmd.Output()
	return string(out), err
}

// size is that of the window on the screen.
func (a *shownHere) size() Size {
	a.s.t.Helper()
	out, err := a.s.out("getwindowgeometry", "--shell", a.id)
	if err != nil {
		a.s.t.Fatal(err)
	}
	var s Size
	for _, line := range strings.Fields(out) {
		name, value, _ := strings.Cut(line, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "WIDTH":
			s.W = n
		case "HEIGHT":
			s.H = n
		}
	}
	return s
}

// on is the place on the screen of a place in the window.
func (a *shownHere) on(b *Rect) image.Point {
	x, y := b.Middle()
	return image.Pt(x, y).Add(a.at)
}

// same waits until the screen shows the window's own pixels, where it is there.
func (a *shownHere) same(shot func() *image.RGBA) {
	a.s.t.Helper()
	Eventually(a.s.t, "the window's pixels on the person's desktop", func() bool {
		want := shot()
		got, _ := a.s.picture()
		b, differ := want.Bounds(), 0
		for y := b.Min.Y; y < b.Max.Y; y += 2 {
			for x := b.Min.X; x < b.Max.X; x += 2 {
				if color.RGBAModel.Convert(want.At(x, y)) != color.RGBAModel.Convert(got.At(x-b.Min.X+a.at.X, y-b.Min.Y+a.at.Y)) {
					differ++
				}
			}
		}
		return differ == 0 && !blank(want)
	})
}

// noViewer waits until nothing is left of an attach-here that ended.
func (w *World) noViewer(t testing.TB) {
	t.Helper()
	Eventually(t, "no viewer and no socket of one is left", func() bool {
		for _, p := range w.look() {
			if strings.Contains(p.cmdline, "xpra attach") {
				return false
			}
		}
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "vibespace-attach-*"))
		return len(left) == 0
	})
}

// input is who drives a window, as the person is told.
func (w *World) input(handle string) string {
	w.t.Helper()
	for _, win := range w.listed() {
		if win.Handle == handle {
			return win.Input
		}
	}
	w.t.Fatalf("%s is not listed", handle)
	return ""
}

// TestAttachHere: a window is shown on the person's own desktop with its own
// pixels, and who only watches disturbs no agent. A click there takes it over and
// arrives where it was done, as do keys and menus; the person hands it back on
// the command line, and nothing stays down.
func TestAttachHere(t *testing.T) {
	need.XpraViewer(t)
	w := NewWorld(t)
	w.rung = "xvfb"
	s := newScreen(t, "1600x1000")
	before := w.Count()
	p := w.Session("agent").fixture("gtk3.py")
	a := w.Owner().attachHere(s, p.handle, "Fixture GTK3", image.Pt(230, 110))
	win := p.drawn(p.handle, p.window.Size)
	if win.Rung != "xpra" || win.PID != p.window.PID {
		t.Errorf("it is %+v", win)
	}
	a.same(func() *image.RGBA { _, img := p.Screenshot(p.handle); return img })

	p.Snapshot(p.handle)
	alpha, beta, name := p.node("Alpha"), p.node("Beta"), p.node("Name")
	at := a.on(alpha.Bounds)
	s.do("mousemove", itoa(at.X), itoa(at.Y))
	p.Act("click", p.handle, beta.Ref)
	p.log.Wait(t, fixtures.Clicked("Beta"), seen)
	if input := w.input(p.handle); input != "agent" {
		t.Errorf("who looks on drives: %s", input)
	}

	s.click(at)
	p.log.Wait(t, fixtures.Clicked("Alpha"), seen)
	if r := p.Refused("window_paused", "click", p.handle, beta.Ref); r.Details["by"] != "user" {
		t.Errorf("%v", r)
	}
	s.click(a.on(name.Bounds))
	const typed = `Hi There, 7% & "more" {of} it~`
	s.do("type", "--delay", "20", typed)
	p.log.Wait(t, fixtures.Typed("Name", typed), seen)
	s.do("key", "ctrl+a")
	s.do("key", "x")
	p.log.Wait(t, fixtures.Typed("Name", "x"), seen)
	// A menu is a window of its own: it is shown beside its window, wherever that is.
	s.click(a.at.Add(image.Pt(15, 12)))
	saveAs := w.menuItem(t, win, "Save As")
	s.click(a.on(&saveAs))
	p.log.Wait(t, fixtures.Clicked("Save As"), seen)

	s.do("mousemove", itoa(at.X), itoa(at.Y), "mousedown", "1", "keydown", "shift")
	rec := w.Record(t, win)
	Eventually(t, "a button is down", func() bool { return len(rec.Down()) > 0 })
	w.Owner().OK(nil, "handback", p.handle, "--note", "yours")
	if down := rec.Down(); len(down) > 0 {
		t.Errorf("still down: %v", down)
	}
	s.do("mouseup", "1", "keyup", "shift", "mousemove_relative", "5", "5")
	p.Snapshot(p.handle)
	p.log.Mark()
	p.Act("click", p.handle, p.ref("Beta"))
	p.log.Wait(t, fixtures.Clicked("Beta"), seen)
	nowhere(t, w, typed, "Hi There")

	a.Interrupt()
	if status := a.End(); status != 130 {
		t.Errorf("exit %d: %s", status, a.stderr.String())
	}
	w.noViewer(t)
	if input := w.input(p.handle); input != "agent" {
		t.Errorf("after the viewer's end: %s", input)
	}
	p.Act("click", p.handle, p.ref("Beta"))
	p.Stop(p.handle)
	w.Clean(t, before)
}

// menuItem is where the system's accessibility library finds an item of the menu
// that is open.
func (w *World) menuItem(t testing.TB, win Window, name string) Rect {
	t.Helper()
	var at Rect
	Eventually(t, "the menu is open", func() bool {
		var list struct{ Windows []Window }
		w.Owner().OK(&list, "list")
		for _, of := range list.Windows {
			for _, part := range of.Windows {
				if of.Handle == win.Handle && part.Kind == "popup" {
					at = part.Bounds
					return true
				}
			}
		}
		return false
	})
	// New, Save As, Quit: the one in the middle.
	if name != "Save As" {
		t.Fatalf("where is %s", name)
	}
	return at
}

// TestAttachHereKeepsSizes: what the person's desktop does to the size of a window
// is ignored for one that is pinned or held by an agent, and followed for one of
// their own.
func TestAttachHereKeepsSizes(t *testing.T) {
	need.XpraViewer(t)
	w := NewWorld(t)
	w.rung = "xpra"
	s := newScreen(t, "1600x1000")
	me := w.Owner()
	var opened Opened
	me.OK(&opened, "launch", "xterm", "--size", "640x480", "--timeout", "60s")
	h := opened.Window.Handle
	a := me.attachHere(s, h, "xterm", image.Pt(100, 50))
	sized := func(what string, want Size) {
		t.Helper()
		Eventually(t, what, func() bool { return w.sizeOf(h) == want && a.size() == want })
	}
	pinned := Size{640, 480}
	sized("it is shown", pinned)
	s.do("windowsize", a.id, "900", "700")
	sized("the pinned one keeps its size", pinned)
	me.OK(nil, "size", h, "auto")
	s.do("windowsize", a.id, "760", "560")
	Eventually(t, "the free one follows", func() bool {
		got := w.sizeOf(h)
		return got == a.size() && got.W > 740 && got.H > 540
	})
	is := w.sizeOf(h)
	agent := w.Session("agent")
	me.OK(nil, "share", h, "--with", "session:agent")
	agent.OK(nil, "attach", h)
	s.do("windowsize", a.id, "500", "300")
	time.Sleep(300 * time.Millisecond)
	sized("what an agent holds keeps its size", is)
	s.click(a.at.Add(image.Pt(50, 50)))
	Eventually(t, "a click takes it over", func() bool { return w.input(h) == "user" })
	s.do("windowsize", a.id, "500", "300")
	Eventually(t, "what the person drives follows", func() bool {
		got := w.sizeOf(h)
		return got == a.size() && got.W < 520 && got.H < 320
	})
	a.Interrupt()
	if status := a.End(); status != 130 {
		t.Errorf("exit %d: %s", status, a.stderr.String())
	}
	me.OK(nil, "handback", h)
	me.OK(nil, "stop", h)
}

// sizeOf is a window's size, as the person is told.
func (w *World) sizeOf(handle string) Size {
	w.t.Helper()
	var list struct{ Windows []Window }
	w.Owner().OK(&list, "list")
	for _, win := range list.Windows {
		if win.Handle == handle {
			return win.Size
		}
	}
	return Size{}
}

// TestAttachHereEnds: showing a window elsewhere ends with the window, with the
// rung and with the daemon, and leaves nothing; a viewer that drove and went away
// lets go at once and gives the window back after a while.
func TestAttachHereEnds(t *testing.T) {
	need.XpraViewer(t)
	w := NewWorld(t, "VIBESPACE_TAKEOVER_AWAY=8s")
	w.rung = "xpra"
	s := newScreen(t, "1600x1000")
	me := w.Owner()
	before := w.Count()
	open := func() string {
		var opened Opened
		me.OK(&opened, "launch", "xterm", "--size", "640x480", "--timeout", "60s")
		return opened.Window.Handle
	}
	ends := func(a *shownHere, want int) {
		t.Helper()
		if status := a.End(); status != want {
			t.Errorf("exit %d, want %d: %s", status, want, a.stderr.String())
		}
		w.noViewer(t)
	}
	h := open()
	a := me.attachHere(s, h, "xterm", image.Pt(100, 50))
	s.click(a.at.Add(image.Pt(50, 50)))
	Eventually(t, "a click takes it over", func() bool { return w.input(h) == "user" })
	time.Sleep(10 * time.Second) // longer than a viewer may be away: this one is there
	if input := w.input(h); input != "user" {
		t.Errorf("while the viewer is there: %s", input)
	}
	s.do("keydown", "b")
	var list struct{ Windows []Window }
	me.OK(&list, "list")
	rec := w.Record(t, list.Windows[0])
	Eventually(t, "a key is down", func() bool { return len(rec.Down()) > 0 })
	a.Interrupt()
	ends(a, 130)
	s.do("keyup", "b")
	Eventually(t, "what it held is let go", func() bool { return len(rec.Down()) == 0 })
	if input := w.input(h); input != "user" {
		t.Errorf("just after the viewer's end: %s", input)
	}
	Eventually(t, "it goes back", func() bool { return w.input(h) == "agent" })

	a = me.attachHere(s, h, "xterm", image.Pt(100, 50))
	me.OK(nil, "rung", h, "xvfb", "--timeout", "80s")
	ends(a, 1)
	if words := a.stderr.String(); !strings.Contains(words, "on the rung xvfb now") {
		t.Errorf("it says %s", words)
	}

	a = me.attachHere(s, h, "xterm", image.Pt(100, 50))
	me.OK(nil, "stop", h)
	ends(a, 0)
	w.Clean(t, before)

	h = open()
	a = me.attachHere(s, h, "xterm", image.Pt(100, 50))
	w.killDaemon()
	ends(a, 3)
	me.OK(nil, "stop", h)

	h = open()
	a = me.attachHere(s, h, "xterm", image.Pt(100, 50))
	if err := a.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ends(a, -1)

	a = me.attachHere(s, h, "xterm", image.Pt(100, 50))
	me.OK(nil, "down")
	if status := a.End(); status != 3 && status != 0 { // the window ends with the daemon
		t.Errorf("exit %d: %s", status, a.stderr.String())
	}
	w.noViewer(t)
	w.Clean(t, before)
}

// TestAttachHereRefused: without a desktop there is nothing to show it on, and a
// window is not shown in itself.
func TestAttachHereRefused(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	me := w.Owner()
	if r := me.Refused("start_failed", "attach-here", "w1"); !strings.Contains(r.Message, "DISPLAY") || r.Hint == "" {
		t.Errorf("%v", r)
	}
	me.With("DISPLAY=:0").Refused("unreachable", "attach-here", "w1") // it starts no daemon
	var opened Opened
	me.OK(&opened, "launch", "xterm", "--size", "640x480", "--timeout", "60s")
	me.With("DISPLAY=:0").Refused("not_exposed", "attach-here", "w99")
	me.With("DISPLAY="+opened.Window.Display+".0").Refused("bad_request", "attach-here", opened.Window.Handle)
	me.OK(nil, "stop", opened.Window.Handle)
}
