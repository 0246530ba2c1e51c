package acceptance

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vibespace/internal/need"
)

// xpra is the pid of the one xpra of the world, which leads its session: what it
// forks has its command line until it is another program.
func (w *World) xpra() int {
	w.t.Helper()
	var pids []int
	for _, p := range w.look() {
		stat := statOf(p.pid)
		if strings.Contains(p.cmdline, "/usr/bin/xpra") && stat != nil && stat[sessionField] == strconv.Itoa(p.pid) {
			pids = append(pids, p.pid)
		}
	}
	if len(pids) != 1 {
		w.t.Fatalf("%d processes of the world are xpra: %v", len(pids), pids)
	}
	return pids[0]
}

// sessionField is the session of a process, among what statOf gives.
const sessionField = 3

// drawn waits until a window is drawn at a size and painted: who takes over a
// display's windows hides them for a moment, and applications paint in their own
// time.
func (c *Caller) drawn(h string, size Size) Window {
	c.t.Helper()
	var is Window
	Eventually(c.t, h+" is drawn", func() bool {
		is = c.window(h)
		if !is.Visible || is.Size != size {
			return false
		}
		_, img := c.Screenshot(h)
		return !blank(img)
	})
	return is
}

// TestXpraGoesOn: on the xpra rung a window outlives its daemon, still on it, and
// then its xpra: it goes on without, says so, and keeps what nobody saved.
func TestXpraGoesOn(t *testing.T) {
	t.Parallel()
	need.Mousepad(t)
	need.Xpra(t)
	w := NewWorld(t)
	w.rung = "xpra"
	a := w.Session("agent")
	before := w.Count()
	win := a.Open("mousepad", "--size", "800x600")
	kept := func(want string) string {
		t.Helper()
		text := a.Snapshot(win.Handle).All("text", "")[0]
		if text.Says() != want {
			t.Errorf("the text is %q, and %q was written", text.Says(), want)
		}
		return text.Ref
	}
	a.Act("type", win.Handle, kept(""), unlike)
	w.killDaemon()
	a.back(win.Handle)
	again := a.drawn(win.Handle, win.Size)
	if again.Rung != "xpra" || again.RungWhy != "" || again.PID != win.PID || again.Size != win.Size {
		t.Errorf("came back as %+v, was %+v", again, win)
	}
	ref := kept(unlike)

	if err := syscall.Kill(w.xpra(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var now Window
	Eventually(t, "it is on the plain rung", func() bool { now = a.window(win.Handle); return now.Rung == "xvfb" })
	a.drawn(win.Handle, win.Size)
	if !strings.Contains(now.RungWhy, "xpra ended") || now.State != "ready" || now.PID != win.PID {
		t.Errorf("it goes on as %+v", now)
	}
	kept(unlike)
	a.Act("type", win.Handle, ref, "and more", "--replace")
	kept("and more")
	a.Stop(win.Handle)
	w.Clean(t, before)
}

// TestMovedWithItsText: the person moves a window to the xpra rung and back; it is
// the same window, pinned as it was, and keeps what nobody saved.
func TestMovedWithItsText(t *testing.T) {
	t.Parallel()
	need.Mousepad(t)
	need.Xpra(t)
	w := NewWorld(t)
	w.rung = "xvfb"
	a := w.Session("agent")
	before := w.Count()
	win := a.Open("mousepad", "--size", "800x600")
	text := a.Snapshot(win.Handle).All("text", "")[0]
	a.Act("type", win.Handle, text.Ref, unlike)
	says := unlike
	for _, rung := range []string{"xpra", "xvfb"} {
		var moved Opened
		r := w.Owner().OK(&moved, "rung", win.Handle, rung, "--timeout", "80s")
		now := a.drawn(win.Handle, win.Size)
		if moved.Window.Rung != rung || now.Rung != rung || now.RungWhy != "" || now.PID != win.PID || now.Pin == nil || *now.Pin != *win.Pin {
			t.Errorf("moved to %s: %v", rung, r)
		}
		if got := a.Get(win.Handle, text.Ref).Says(); got != says {
			t.Errorf("on %s the text is %q, and %q was written", rung, got, says)
		}
		says += "\non " + rung
		a.Act("type", win.Handle, text.Ref, says, "--replace")
		a.Act("key", win.Handle, "ctrl+Home")
	}
	a.Stop(win.Handle)
	w.Clean(t, before)
}
