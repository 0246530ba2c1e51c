package acceptance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vibespace/internal/need"
)

// killDaemon kills the world's daemon as a fault would, and waits until it is
// gone.
func (w *World) killDaemon() {
	w.t.Helper()
	w.kill(w.daemonPID())
}

// kill kills a daemon by its pid, and waits until it is gone. One that is ending
// has no memory any more, and still has its socket open for a while: it is gone
// when its pid is, or when it is a zombie without another thread, which somebody
// is to collect.
func (w *World) kill(pid int) {
	w.t.Helper()
	was := statOf(pid)
	if was == nil {
		w.t.Fatalf("there is no process %d", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		w.t.Fatal(err)
	}
	Eventually(w.t, "the daemon is gone", func() bool {
		is := statOf(pid)
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		return is == nil || is[startField] != was[startField] || is[0] == "Z" && err == nil && len(threads) < 2
	})
}

// window is how a caller sees a window.
func (c *Caller) window(h string) Window {
	c.t.Helper()
	var list struct{ Windows []Window }
	c.OK(&list, "list")
	i := slices.IndexFunc(list.Windows, func(w Window) bool { return w.Handle == h })
	if i < 0 {
		c.t.Fatalf("%s is not among %+v", h, list.Windows)
	}
	return list.Windows[i]
}

// back waits until a window is ready that a daemon left which died: the next one
// answers after a moment, whether everything is back by then or not.
func (c *Caller) back(h string) Window {
	c.t.Helper()
	var is Window
	Eventually(c.t, h+" is back", func() bool { is = c.window(h); return is.State != "starting" })
	return is
}

// TestAdoptXterm: a window outlives its daemon with its handle, lease, size and
// what was typed, and takes keys from the next.
func TestAdoptXterm(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Session("agent")
	b := w.Session("other")
	before := w.Count()
	file := w.File("typed")
	win := a.Open("xterm", "--size", "800x600", "--title", "mine", "--", "-e", "sh", "-c", "cat > "+file)
	a.Act("type", win.Handle, "before ", "--enter")
	w.killDaemon()
	again := a.back(win.Handle)
	if again.State != "ready" || again.PID != win.PID || again.Title != "mine" || again.Holder == nil || *again.Holder != "agent" ||
		again.Size != win.Size || again.Pin == nil || *again.Pin != *win.Pin || again.Mode != win.Mode || again.Origin != win.Origin {
		t.Errorf("came back as %+v, was %+v", again, win)
	}
	b.Refused("not_exposed", "attach", win.Handle)
	a.Act("type", win.Handle, "after", "--enter")
	p, _ := a.Screenshot(win.Handle, "--window", "0")
	if p.W != 800 || p.H != 600 {
		t.Errorf("the picture is %dx%d", p.W, p.H)
	}
	w.killDaemon() // and once more: what was adopted is adopted again
	a.back(win.Handle)
	a.Act("key", win.Handle, "ctrl+d")
	a.OK(nil, "wait", win.Handle, "--exit")
	if got, _ := os.ReadFile(file); string(got) != "before \nafter\n" {
		t.Errorf("the terminal got %q", got)
	}
	if ended := a.window(win.Handle); ended.Ended == nil || !strings.Contains(ended.Ended.Why, "not known") {
		t.Errorf("ended %+v", ended.Ended)
	}
	w.Clean(t, before)
}

// TestAdoptEndedMeanwhile: an application that ended while no daemon ran is
// said to have, and nothing of it stays.
func TestAdoptEndedMeanwhile(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	app := a.Open("xterm")
	server := a.Open("xterm")
	w.killDaemon()
	if err := syscall.Kill(app.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	pid := w.servers[strings.TrimPrefix(server.Display, ":")]
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	Eventually(t, "both are dead", func() bool {
		return !w.lives(app.PID) && !w.lives(pid)
	})
	for h, why := range map[string]string{app.Handle: "the application ended", server.Handle: "X server ended"} {
		if got := a.back(h); got.State != "ended" || got.Ended == nil || !strings.Contains(got.Ended.Why, why) {
			t.Errorf("%s is %s, %+v; want %s", h, got.State, got.Ended, why)
		}
		a.Refused("not_live", "key", h, "a")
	}
	w.Clean(t, before)
}

// TestAdoptParked: a display whose record is not understood is left alone, said by the
// doctor with the way to end it, and taken back by a daemon that finds it well.
func TestAdoptParked(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	win := a.Open("xterm")
	records, err := filepath.Glob(filepath.Join(w.Runtime, "displays", "*", "record.json"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	raw, err := os.ReadFile(records[0])
	if err != nil {
		t.Fatal(err)
	}
	newer := func() {
		t.Helper()
		if err := os.WriteFile(records[0], bytes.Replace(raw, []byte(`"version": 1,`), []byte(`"version": 99,`), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.killDaemon()
	newer()
	if got := a.back(win.Handle); got.Ended == nil || !strings.Contains(got.Ended.Why, "parked") {
		t.Errorf("%+v", got)
	}
	var said struct {
		Findings []struct{ What, Why, Mend string }
	}
	w.Owner().Run("doctor").Into(t, &said)
	if !slices.ContainsFunc(said.Findings, func(f struct{ What, Why, Mend string }) bool {
		return f.What == win.Handle && strings.Contains(f.Why, "parked") && strings.Contains(f.Mend, "vibespace stop "+win.Handle)
	}) {
		t.Errorf("the doctor says %+v", said.Findings)
	}
	if syscall.Kill(win.PID, 0) != nil {
		t.Error("what could not be proven was killed")
	}
	if err := os.WriteFile(records[0], raw, 0o600); err != nil {
		t.Fatal(err)
	}
	w.killDaemon()
	if got := a.back(win.Handle); got.State != "ready" {
		t.Errorf("%+v", got)
	}
	w.killDaemon()
	newer()
	w.Owner().OK(nil, "stop", win.Handle)
	w.Clean(t, before)
}

// TestAdoptStopped: a display that does not answer holds up neither the daemon
// nor another window, and comes back once it does.
func TestAdoptStopped(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	well, stopped := a.Open("xterm"), a.Open("xterm")
	w.see(stopped.Display)
	server := w.servers[strings.TrimPrefix(stopped.Display, ":")]
	w.killDaemon()
	if err := syscall.Kill(server, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if got := a.back(well.Handle); got.State != "ready" {
		t.Errorf("held up: %+v", got)
	}
	a.Act("key", well.Handle, "a")
	if got := a.window(stopped.Handle); got.State == "ready" || got.Holder == nil {
		t.Errorf("%+v", got)
	}
	if err := syscall.Kill(server, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	Eventually(t, "it is back", func() bool { return a.window(stopped.Handle).State == "ready" })
	a.Act("key", stopped.Handle, "a")
	a.Stop(well.Handle)
	a.Stop(stopped.Handle)
	w.Clean(t, before)
}
