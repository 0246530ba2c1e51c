package acceptance

import (
	"strings"
	"syscall"
	"testing"

	"vibespace/internal/need"
)

// xpra is the pid of the one xpra of the world.
func (w *World) xpra() int {
	w.t.Helper()
	var pids []int
	for _, p := range w.look() {
		if strings.Contains(p.cmdline, "/usr/bin/xpra") {
			pids = append(pids, p.pid)
		}
	}
	if len(pids) != 1 {
		w.t.Fatalf("%d processes of the world are xpra: %v", len(pids), pids)
	}
	return pids[0]
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
	again := a.back(win.Handle)
	if again.Rung != "xpra" || again.RungWhy != "" || again.PID != win.PID || again.Size != win.Size {
		t.Errorf("came back as %+v, was %+v", again, win)
	}
	ref := kept(unlike)
	a.Picture(again)

	if err := syscall.Kill(w.xpra(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var now Window
	Eventually(t, "it is on the plain rung", func() bool { now = a.window(win.Handle); return now.Rung == "xvfb" && now.Visible })
	if !strings.Contains(now.RungWhy, "xpra ended") || now.State != "ready" || now.PID != win.PID {
		t.Errorf("it goes on as %+v", now)
	}
	kept(unlike)
	a.Act("type", win.Handle, ref, "and more", "--replace")
	kept("and more")
	Eventually(t, "it has its size", func() bool { return a.window(win.Handle).Size == Size{800, 600} })
	a.Picture(a.window(win.Handle))
	a.Stop(win.Handle)
	w.Clean(t, before)
}
