package acceptance

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"vibespace/internal/need"
)

// TestCap: of twenty opens at once eight get a display, each its own, and
// twelve are told what the caller holds and how to let go of it.
func TestCap(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	a.OK(nil, "list") // the daemon is there, and this test is not about starting it
	replies := make([]Reply, 20)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() { replies[i] = a.Run("open", "xterm", "--timeout", "80s") })
	}
	all.Wait()

	displays, handles := map[string]bool{}, []string{}
	refused := 0
	for _, r := range replies {
		if r.OK {
			var o Opened
			r.Into(t, &o)
			displays[o.Window.Display] = true
			handles = append(handles, o.Window.Handle)
			w.see(o.Window.Display)
			continue
		}
		refused++
		if r.Code != "display_cap" || r.Status != 1 || !strings.Contains(r.Hint, "stop w") {
			t.Errorf("%v", r)
		}
		if yours, _ := r.Details["yours"].([]any); len(yours) != 8 || fmt.Sprint(r.Details["others"]) != "0" {
			t.Errorf("the caller's own, of which some are only being opened, are not told: %v", r)
		}
	}
	if len(handles) != 8 || len(displays) != 8 || refused != 12 {
		t.Errorf("%d windows on %d displays and %d refusals", len(handles), len(displays), refused)
	}
	full := a.Refused("display_cap", "open", "xterm")
	for _, h := range handles {
		if !strings.Contains(fmt.Sprint(full.Details), h) {
			t.Errorf("%s is not among the caller's own: %v", h, full)
		}
	}
	if other := w.Session("other").Refused("display_cap", "open", "xterm"); strings.Contains(string(other.JSON), handles[0]+`"`) {
		t.Errorf("another session is told the handles: %v", other)
	}
	for _, h := range handles {
		a.Stop(h)
	}
	w.Clean(t, Left{})
	a.Stop(a.Open("xterm").Handle)
	w.Clean(t, Left{})
}

// TestManyInARow: windows that come and go leave the daemon as it was.
func TestManyInARow(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	// The first ones make what stays: a log, a pool, a thread.
	for range 2 {
		a.Stop(a.Open("xterm").Handle)
	}
	base, before := w.Count(), w.descriptors()
	for range 30 {
		win := a.Open("xterm")
		a.OK(nil, "screenshot", win.Handle)
		a.Stop(win.Handle)
	}
	w.Clean(t, base)
	var after int
	Eventually(t, "the daemon has as many descriptors as before", func() bool {
		after = w.descriptors()
		return after <= before+2
	})
	t.Logf("descriptors: %d, then %d", before, after)
}

// daemonPID is the process of the world's daemon.
func (w *World) daemonPID() int {
	w.t.Helper()
	for _, p := range w.look() {
		if p.daemon(w) {
			return p.pid
		}
	}
	w.t.Fatal("no daemon")
	return 0
}

// descriptors counts what the daemon has open.
func (w *World) descriptors() int {
	w.t.Helper()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.daemonPID()))
	if err != nil {
		w.t.Fatal(err)
	}
	return len(fds)
}

// TestTwoRaceForOneLease: of two sessions that attach at the same instant one
// holds the window, and the other reads who does.
func TestTwoRaceForOneLease(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	owner, one, two := w.Owner(), w.Session("one"), w.Session("two")
	var o Opened
	owner.OK(&o, "launch", "xterm")
	w.see(o.Window.Display)
	h := o.Window.Handle
	owner.OK(nil, "share", h, "--with", "session:one")
	owner.OK(nil, "share", h, "--with", "session:two")
	for range 5 {
		var first, second Reply
		var both sync.WaitGroup
		both.Go(func() { first = one.Run("attach", h) })
		both.Go(func() { second = two.Run("attach", h) })
		both.Wait()
		winner, loser, lost := one, two, second
		if !first.OK {
			winner, loser, lost = two, one, first
		}
		if first.OK == second.OK || lost.Code != "held" || !strings.Contains(string(lost.JSON), winner.name) {
			t.Fatalf("%v\n%v", first, second)
		}
		if r := loser.Run("key", h, "Return"); r.OK || r.Code != "held" && r.Code != "not_attached" {
			t.Errorf("the other acts: %v", r)
		}
		winner.OK(nil, "screenshot", h)
		winner.OK(nil, "detach", h)
	}
	owner.OK(nil, "stop", h)
}
