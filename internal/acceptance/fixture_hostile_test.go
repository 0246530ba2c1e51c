package acceptance

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// signal sends a signal to a process of the world.
func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatalf("signal %d to %d: %v", s, pid, err)
	}
}

// TestFrozenApplication: an application that stopped answers not_responding
// within a bound, its picture is still taken, others notice nothing, and it
// works again when it goes on.
func TestFrozenApplication(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	frozen := w.Default().fixture("gtk3.py")
	healthy := w.Default().fixture("qt5.py")
	alpha := frozen.node("Alpha")
	signal(t, frozen.window.PID, syscall.SIGSTOP)
	going := false
	defer func() {
		if !going {
			signal(t, frozen.window.PID, syscall.SIGCONT)
		}
	}()

	for _, args := range [][]string{
		{"snapshot", frozen.handle},
		{"click", frozen.handle, alpha.Ref},
		{"get", frozen.handle, alpha.Ref},
		{"find", frozen.handle, "--name", "Beta"},
	} {
		if r := frozen.Refused("not_responding", args...); r.Took > prompt {
			t.Errorf("%q took %v", args, r.Took)
		}
	}
	if r := frozen.OK(nil, "screenshot", frozen.handle); r.Took > prompt {
		t.Errorf("its picture took %v", r.Took)
	}
	if r := frozen.OK(nil, "list"); r.Took > prompt {
		t.Errorf("the list took %v", r.Took)
	}
	healthy.clicks(healthy.node("Alpha"), control{"Alpha", fixtures.Clicked("Alpha")})

	signal(t, frozen.window.PID, syscall.SIGCONT)
	going = true
	Eventually(t, "it answers again", func() bool { return frozen.Run("snapshot", frozen.handle).OK })
	frozen.log.Mark()
	frozen.clicks(frozen.node("Beta"), control{"Beta", fixtures.Clicked("Beta")})
	frozen.Stop(frozen.handle)
	healthy.Stop(healthy.handle)
}

// TestKilledApplication: an application that is killed while a verb runs ends
// the verb at once with the reason, whatever the verb was doing.
func TestKilledApplication(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	for _, verb := range [][]string{
		{"type", strings.Repeat("typed while it dies. ", 3000), "--keys"},
		{"wait", "--title", "never there"},
		{"wait", "--idle", "60000"},
	} {
		win := a.Open("xterm")
		reply := make(chan Reply, 1)
		go func() {
			args := append([]string{verb[0], win.Handle}, verb[1:]...)
			reply <- a.Run(append(args, "--timeout", "60s")...)
		}()
		Eventually(t, "the verb runs", func() bool { return a.Run("list").OK })
		time.Sleep(300 * time.Millisecond) // into the verb; it has no other sign
		killed := time.Now()
		signal(t, win.PID, syscall.SIGKILL)
		r := <-reply
		if took := time.Since(killed); took > prompt {
			t.Errorf("%s was answered %v after the end", verb[0], took)
		}
		if r.OK || r.Code != "app_exited" && r.Code != "not_live" {
			t.Errorf("%s: %v", verb[0], r)
		}
		gone := a.Run("screenshot", win.Handle)
		if gone.OK || gone.Code != "not_live" && gone.Code != "app_exited" {
			t.Errorf("after the end: %v", gone)
		}
	}
	w.Clean(t, Left{})
}

// TestKilledServer: an X server that is killed ends its window with the reason,
// and no other.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	one, two := a.Open("xterm"), a.Open("xterm")
	signal(t, lockedBy(strings.TrimPrefix(one.Display, ":")), syscall.SIGKILL)
	var ended Window
	Eventually(t, "the window ended", func() bool {
		var list struct{ Windows []Window }
		a.OK(&list, "list")
		for _, win := range list.Windows {
			if win.Handle == one.Handle {
				ended = win
				return win.State == "ended"
			}
		}
		ended = Window{Ended: &struct {
			Why    string
			Status int
		}{Why: "not listed"}}
		return true
	})
	if ended.Ended == nil || ended.Ended.Why == "" {
		t.Errorf("it ended without a reason: %+v", ended)
	}
	if r := a.Refused("not_live", "screenshot", one.Handle); !strings.Contains(r.Message+r.Hint, one.Handle) {
		t.Errorf("%v", r)
	}
	a.OK(nil, "screenshot", two.Handle)
	a.Act("key", two.Handle, "Return")
	a.Stop(two.Handle)
	w.Clean(t, Left{})
}
