package acceptance

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vibespace/internal/need"
)

// openRounds is how often the daemon is killed while it opens or stops.
const openRounds = 4

// TestAdoptWhileOpening kills the daemon while it opens a window, and while it
// ends one: the window is whole or it is nothing, and what is half is ended.
func TestAdoptWhileOpening(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	cut := func(most int, args ...string) {
		t.Helper()
		w.Owner().OK(nil, "up")
		pid := w.daemonPID()
		answer := make(chan Reply, 1)
		go func() { answer <- w.run(w.program(a.program), w.env, nil, append([]string{"--json"}, args...)) }()
		time.Sleep(time.Duration(rng.IntN(most)) * time.Millisecond)
		w.kill(pid)
		t.Logf("%q: exit %d", args, (<-answer).Status)
	}
	for range openRounds {
		cut(2000, "open", "xterm")
		var list struct{ Windows []Window }
		Eventually(t, "everything is back", func() bool {
			a.OK(&list, "list")
			return !slices.ContainsFunc(list.Windows, func(w Window) bool { return w.State == "starting" })
		})
		for _, win := range list.Windows {
			switch {
			case win.State == "ended":
				continue
			case win.State != "ready" || !win.Visible:
				t.Errorf("half a window: %+v", win)
			}
			a.Act("key", win.Handle, "a")
			cut(200, "stop", win.Handle)
			a.OK(&list, "list")
			i := slices.IndexFunc(list.Windows, func(w Window) bool { return w.Handle == win.Handle })
			if i < 0 || list.Windows[i].State == "ended" {
				continue
			}
			// What was told to end may do so at any moment.
			if r := a.Run("stop", win.Handle); !r.OK && r.Code != "not_live" {
				t.Errorf("%v", r)
			}
		}
		w.Clean(t, before)
	}
}

// TestAdoptDown: down ends what a daemon left that died, too.
func TestAdoptDown(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	before := w.Count()
	w.Default().Open("xterm")
	w.killDaemon()
	w.Owner().OK(nil, "down")
	w.Clean(t, before)
}
