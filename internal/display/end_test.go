package display

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vibespace/atspi"
	"vibespace/internal/need"
	"vibespace/internal/proc"
)

// ghost starts a program that shows one sign of its display at most, and
// returns its pid.
func ghost(t *testing.T, d *Display, args ...string) int {
	t.Helper()
	need.Tool(t, "python3")
	script, err := filepath.Abs("testdata/ghost.py")
	if err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(need.Dir(t), "pid")
	launch(t, d, AppSpec{Path: need.SystemPython, Args: append([]string{script, note}, args...)})
	pid := 0
	until(t, "the ghost is connected", func() bool {
		text, err := os.ReadFile(note)
		if err == nil {
			pid, err = strconv.Atoi(string(text))
		}
		return err == nil
	})
	return pid
}

// A program that forked twice, leads a session of its own, emptied its
// environment and closed all it inherited is found by whom it talks to.
func TestEndFindsGhosts(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"x", "session bus", "accessibility bus"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := begin(t, Config{})
			var pid int
			switch kind {
			case "x":
				pid = ghost(t, d, "x", strings.TrimPrefix(d.Number(), ":"), hex.EncodeToString(d.server.Cookie()))
			case "session bus":
				pid = ghost(t, d, "bus", d.at.session())
			default:
				path, _, _ := strings.Cut(strings.TrimPrefix(d.AccessAddress(), "unix:path="), ",")
				pid = ghost(t, d, "bus", path)
			}
			if env, err := proc.Environ(pid); err != nil || len(env) > 0 {
				t.Fatalf("the ghost has an environment: %v, %v", env, err)
			}
			id, err := proc.IdentOf(pid)
			if err != nil {
				t.Fatal(err)
			}
			found, err := d.Processes()
			if err != nil || !slices.ContainsFunc(found, func(p Process) bool { return p.Ident == id && p.What == WhatApp }) {
				t.Errorf("not among %+v, %v", found, err)
			}
			if n := finish(t, d); n < 5 {
				t.Errorf("ended %d processes", n)
			}
			if id.Alive() {
				t.Error("the ghost lives")
				_ = proc.Signal(id, syscall.SIGKILL)
			}
		})
	}
}

// What an application leaves in its session without a name of its own is found
// by the session; what keeps its log open, by the log.
func TestEndFindsOrphans(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	launch(t, d, shell(`(env -i /bin/sleep 1000 >/dev/null 2>&1 &); (setsid env -i /bin/sleep 1001 &); exit 0`))
	var orphans []Process
	until(t, "two orphans", func() bool {
		found, err := d.Processes()
		orphans = slices.DeleteFunc(found, func(p Process) bool { return p.What != WhatApp || p.Name != "sleep" })
		return err == nil && len(orphans) == 2
	})
	finish(t, d)
	for _, p := range orphans {
		if p.Alive() {
			t.Errorf("%+v lives", p)
		}
	}
}

func TestEndOfAFrozenDisplay(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	app := launch(t, d, shell(`sleep 1000; :`))
	for _, p := range d.find.recorded() {
		if err := proc.Signal(p.Ident, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, d)
	if app.Ident().Alive() {
		t.Error("the application lives")
	}
}

func TestOneEndLeavesTheOthers(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	a, b := begin(t, Config{RuntimeDir: dir}), begin(t, Config{RuntimeDir: dir})
	app := launch(t, a, shell(`sleep 1000; :`))
	finish(t, b)
	select {
	case <-a.Done():
		t.Fatalf("the other display died: %s", a.Why())
	default:
	}
	if _, err := a.Access().Peers(t.Context()); err != nil {
		t.Error(err)
	}
	c, err := atspi.Dial(t.Context(), a.AccessAddress())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := a.X().ClientPIDs(t.Context()); err != nil || !app.Ident().Alive() {
		t.Errorf("%v; the application lives: %v", err, app.Ident().Alive())
	}
}

func TestEightAtOnce(t *testing.T) {
	need.Display(t)
	dir := need.Dir(t)
	const n = 8
	displays := make([]*Display, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			d, err := Start(ctx, Config{RuntimeDir: dir}, ID(fmt.Sprintf("many%d", i)))
			if err != nil {
				t.Error(err)
				return
			}
			displays[i] = d
		})
	}
	all.Wait()
	distinct := map[string]bool{}
	for _, d := range displays {
		if d != nil {
			for _, name := range []string{d.Number(), d.AccessAddress(), d.SessionAddress(), d.CookieFile(), d.mark} {
				if distinct[name] {
					t.Errorf("%s twice", name)
				}
				distinct[name] = true
			}
		}
	}
	for _, d := range displays {
		if d != nil {
			all.Go(func() { finish(t, d) })
		}
	}
	all.Wait()
	if left, err := os.ReadDir(displaysDir(dir)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// counts is what must not grow.
type counts struct{ descriptors, goroutines, children, segments int }

func countAll(t *testing.T) counts {
	t.Helper()
	runtime.GC()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	kids, err := proc.Descendants(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	shm, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	mine := 0
	for line := range strings.Lines(string(shm)) {
		if f := strings.Fields(line); len(f) > 4 && f[4] == strconv.Itoa(os.Getpid()) {
			mine++
		}
	}
	return counts{len(fds), runtime.NumGoroutine(), len(kids), mine}
}

func TestTenInARowLeaveNothing(t *testing.T) {
	xterm := need.Xterm(t)
	cycle := func() {
		d := begin(t, Config{Inject: true})
		launch(t, d, AppSpec{Path: xterm})
		if n := finish(t, d); n < 5 {
			t.Errorf("ended %d processes", n)
		}
	}
	cycle() // what is opened once and kept
	before := countAll(t)
	for range 10 {
		cycle()
	}
	var after counts
	until(t, fmt.Sprintf("back to %+v", before), func() bool {
		after = countAll(t)
		return after.descriptors <= before.descriptors && after.goroutines <= before.goroutines &&
			after.children <= before.children && after.segments <= before.segments
	})
}

func TestEndTwice(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	var all sync.WaitGroup
	var total atomic.Int64
	for range 3 {
		all.Go(func() {
			n, err := d.End(t.Context())
			if err != nil {
				t.Error(err)
			}
			total.Add(int64(n))
		})
	}
	all.Wait()
	if total.Load() < 4 {
		t.Errorf("ended %d", total.Load())
	}
	if d.Why() != "it was ended" || !closed(d.Done()) {
		t.Errorf("why: %q", d.Why())
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	need.Display(t)
	dir := need.Dir(t)
	for _, wait := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		d, err := Start(ctx, Config{RuntimeDir: dir}, "cut")
		cancel()
		if err == nil {
			finish(t, d) // a fast machine
		}
		if left, err := os.ReadDir(displaysDir(dir)); err != nil || len(left) > 0 {
			t.Errorf("after %v left: %v, %v", wait, left, err)
		}
		if found, err := proc.WithEnv("XDG_RUNTIME_DIR", filepath.Join(displaysDir(dir), "cut", "run")); err != nil || len(found) > 0 {
			t.Errorf("after %v left: %v, %v", wait, found, err)
		}
	}
}
