package display

import (
	"context"
	"encoding/hex"
	"encoding/json"
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

// patience is how long a loaded machine may take for what takes it a moment.
const patience = 60 * time.Second

var lastID atomic.Int64

// begin starts a display that ends with the test.
func begin(t testing.TB, cfg Config) *Display {
	t.Helper()
	need.Display(t)
	if cfg.RuntimeDir == "" {
		cfg.RuntimeDir = need.Dir(t)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d, err := Start(ctx, cfg, ID(fmt.Sprintf("d%d", lastID.Add(1))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { finish(t, d) })
	return d
}

// finish ends a display and checks that nothing of it is left.
func finish(t testing.TB, d *Display) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	n, err := d.End(ctx)
	if err != nil {
		t.Error(err)
	}
	if left := leftOf(d); len(left) > 0 {
		t.Errorf("left of display %s: %s", d.Number(), strings.Join(left, ", "))
	}
	return n
}

// leftOf lists what is there of a display that was ended.
func leftOf(d *Display) []string {
	var left []string
	found, err := proc.WithEnv(markVariable, d.mark)
	if err != nil || len(found) > 0 {
		left = append(left, fmt.Sprintf("processes %v (%v)", found, err))
	}
	n := strings.TrimPrefix(d.Number(), ":")
	for _, path := range []string{d.Dir(), "/tmp/.X11-unix/X" + n, "/tmp/.X" + n + "-lock"} {
		if _, err := os.Lstat(path); err == nil {
			left = append(left, path)
		}
	}
	return left
}

// launch starts a program on a display.
func launch(t testing.TB, d *Display, spec AppSpec) *App {
	t.Helper()
	app, err := d.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// until polls for a condition.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// shell is a program that waits, as whoever cares to look at it.
func shell(script string) AppSpec { return AppSpec{Path: "/bin/sh", Args: []string{"-c", script}} }

func TestDisplayHasWhatApplicationsNeed(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{Inject: true})
	if w, h := d.X().Screen(); w != 3840 || h != 2160 {
		t.Errorf("screen %dx%d", w, h)
	}
	address, err := atspi.Address(t.Context(), d.SessionAddress())
	if err != nil || address != d.AccessAddress() {
		t.Errorf("accessibility bus %q, %v; ours is %q", address, err, d.AccessAddress())
	}
	if !strings.HasPrefix(address, "unix:path="+escapeAddress(d.at.run())+"/") {
		t.Errorf("the accessibility bus is outside the display's directory: %s", address)
	}
	for path, mode := range map[string]os.FileMode{
		d.Dir(): 0o700, d.at.run(): 0o700, d.CookieFile(): 0o600, d.at.recordFile(): 0o600, d.at.appLog(): 0o600, d.at.worldLog(): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode().Perm(), err)
		}
	}
	if in, why := d.Injector(); in == nil || why != "" {
		t.Errorf("no injector: %s", why)
	}
	for _, name := range []string{"server", "server setup", "session bus", "accessibility bus", "join", "all"} {
		if d.Phases()[name] <= 0 {
			t.Errorf("phase %q was not measured", name)
		}
	}
	found, err := d.Processes()
	if err != nil {
		t.Fatal(err)
	}
	count := map[What]int{}
	for _, p := range found {
		count[p.What]++
	}
	if count[WhatServer] != 1 || count[WhatBus] != 1 || count[WhatLauncher] < 2 {
		t.Errorf("processes %+v", found)
	}
	if slices.ContainsFunc(found, func(p Process) bool { return p.PID == os.Getpid() || p.PID == os.Getppid() }) {
		t.Error("we are among the display's processes")
	}
}

func TestQtFindsTheAccessibilityBus(t *testing.T) {
	t.Parallel()
	featherpad := need.Featherpad(t)
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: featherpad})
	until(t, "featherpad registers", func() bool { return registered(t, d, app.PID()) })
	if got := d.Toolkit(app); got != Qt5 {
		t.Errorf("toolkit %q", got)
	}
}

func TestGTKFindsTheAccessibilityBus(t *testing.T) {
	t.Parallel()
	mousepad := need.Mousepad(t)
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: mousepad})
	until(t, "mousepad registers", func() bool { return registered(t, d, app.PID()) })
	if got := d.Toolkit(app); got != GTK3 {
		t.Errorf("toolkit %q", got)
	}
}

// registered reports whether a process is an application of the accessibility bus.
func registered(t testing.TB, d *Display, pid int) bool {
	pids, err := d.Access().Peers(t.Context())
	return err == nil && slices.Contains(pids, pid)
}

func TestTerminalHasNoToolkit(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: xterm})
	until(t, "xterm is a client", func() bool {
		pids, err := d.X().ClientPIDs(t.Context())
		return err == nil && slices.Contains(pids, app.PID())
	})
	if got := d.Toolkit(app); got != NoToolkit {
		t.Errorf("toolkit %q", got)
	}
}

func TestNoInjectionSaysWhy(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	if in, why := d.Injector(); in != nil || !strings.Contains(why, "configuration") {
		t.Errorf("injector %v, %q", in, why)
	}
}

// Nothing of whoever starts us reaches a server, a bus or an application: not
// their token, not their keys, not their display.
func TestNothingOfTheStarterGetsIn(t *testing.T) {
	xterm := need.Xterm(t)
	secrets := map[string]string{
		"VIBESPACE_SESSION_TOKEN": "vst-not-for-you", "OPENAI_API_KEY": "sk-not-for-you", "ANTHROPIC_API_KEY": "ak-not-for-you",
		"DISPLAY": ":77", "WAYLAND_DISPLAY": "wayland-77", "XAUTHORITY": "/home/nobody/.Xauthority", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus",
		"SSH_AUTH_SOCK": "/nonexistent/agent", "NO_AT_BRIDGE": "1", "AT_SPI_BUS_ADDRESS": "unix:path=/nonexistent/a11y",
	}
	for key, value := range secrets {
		t.Setenv(key, value)
	}
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: xterm, Env: []string{"MINE=1"}})
	until(t, "xterm runs its shell", func() bool {
		below, err := proc.Descendants(app.PID())
		return err == nil && len(below) > 0
	})
	found, err := d.Processes()
	if err != nil || len(found) < 6 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, p := range found {
		env, err := proc.Environ(p.PID)
		if err != nil {
			continue // ended meanwhile
		}
		if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "VIBESPACE_DISPLAY_ID=") }) {
			t.Errorf("%s %s carries no mark", p.What, p.Name)
		}
		for key, value := range secrets {
			for _, entry := range env {
				if entry == key+"="+value || strings.Contains(entry, "not-for-you") {
					t.Errorf("%s %s has %s", p.What, p.Name, entry)
				}
			}
		}
	}
	env, err := proc.Environ(app.PID())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"MINE=1", "DISPLAY=" + d.Number(), "XAUTHORITY=" + d.CookieFile(), "LANG=C.UTF-8", "HOME=" + d.at.home()} {
		if !slices.Contains(env, want) {
			t.Errorf("the application lacks %s", want)
		}
	}
}

func TestAppOutputAndEnd(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	app := launch(t, d, shell(`echo "to stdout in $PWD"; echo "no such file: x" >&2; exit 3`))
	select {
	case <-app.Done():
	case <-time.After(patience):
		t.Fatal("still runs")
	}
	if st, ok := app.Exit(); !ok || st.Code != 3 {
		t.Errorf("ended with %v, %v", st, ok)
	}
	if got := strings.Join(app.LastWords(), "|"); got != "to stdout in "+d.at.home()+"|no such file: x" {
		t.Errorf("last words %q", got)
	}
	flood := launch(t, d, shell(`i=0; while [ $i -lt 40 ]; do head -c 65536 /dev/zero | tr '\0' 'y' | fold -w 100; echo; i=$((i+1)); done; : >flooded; while [ ! -e go ]; do sleep 0.02; done; echo the end`))
	until(t, "the flood is over and the log short again", func() bool {
		_, err := os.Stat(filepath.Join(d.at.home(), "flooded"))
		info, statErr := os.Stat(flood.LogFile)
		return err == nil && statErr == nil && info.Size() <= maxLog
	})
	if err := os.WriteFile(filepath.Join(d.at.home(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-flood.Done():
	case <-time.After(patience):
		t.Fatal("still floods")
	}
	if got := flood.LastWords(); len(got) == 0 || got[len(got)-1] != "the end" {
		t.Errorf("last words %q", got)
	}
}

func TestLaunchOfNothing(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	for _, path := range []string{"/nonexistent/program", "xterm", "/etc/passwd"} {
		if app, err := d.Launch(t.Context(), AppSpec{Path: path}); err == nil || app != nil {
			t.Errorf("launched %q", path)
		}
	}
	if _, err := d.Launch(t.Context(), AppSpec{Path: "/nonexistent/program"}); !os.IsNotExist(unwrapAll(err)) {
		t.Errorf("%v does not say that it is not there", err)
	}
}

// unwrapAll is the innermost error.
func unwrapAll(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		if next := inner.Unwrap(); next != nil {
			if _, last := next.(syscall.Errno); last {
				return err
			}
			err = next
			continue
		}
		return err
	}
}

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

func TestDeathIsAnnounced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		victim func(d *Display) (proc.Ident, error)
		why    string
	}{
		{func(d *Display) (proc.Ident, error) { return d.server.Ident(), nil }, "X server ended with signal killed"},
		{func(d *Display) (proc.Ident, error) { return processOf(d, WhatBus, "dbus-daemon") }, "session bus ended"},
		{func(d *Display) (proc.Ident, error) { return processOf(d, WhatLauncher, "dbus-daemon") }, "accessibility bus ended"},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			d := begin(t, Config{})
			if d.Why() != "" {
				t.Errorf("it died already: %s", d.Why())
			}
			victim, err := c.victim(d)
			if err != nil {
				t.Fatal(err)
			}
			killed := time.Now()
			if err := proc.Signal(victim, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			select {
			case <-d.Done():
				t.Logf("announced after %v", time.Since(killed))
			case <-time.After(patience):
				t.Fatal("nobody noticed")
			}
			if !strings.Contains(d.Why(), c.why) {
				t.Errorf("why: %q", d.Why())
			}
			if _, err := d.Launch(t.Context(), shell("true")); err == nil {
				t.Error("a dead display launched a program")
			}
		})
	}
}

// processOf finds a process of a display by kind and name.
func processOf(d *Display, what What, name string) (proc.Ident, error) {
	found, err := d.Processes()
	for _, p := range found {
		if p.What == what && p.Name == name {
			return p.Ident, nil
		}
	}
	return proc.Ident{}, fmt.Errorf("no %s %s among %v (%v)", what, name, found, err)
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

func TestRecordTellsALaterDaemonEverythingButSecrets(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	app := launch(t, d, shell(`sleep 1000; :`))
	r, err := readRecord(d.at)
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != d.id || r.Number != d.server.Number() || r.CookieFile != d.CookieFile() || r.SessionBus != d.SessionAddress() || r.AccessBus != d.AccessAddress() {
		t.Errorf("%+v", r)
	}
	self, err := proc.IdentOf(os.Getpid())
	if err != nil || r.Owner != self {
		t.Errorf("owner %v, we are %v (%v)", r.Owner, self, err)
	}
	whats := map[What]proc.Ident{}
	for _, p := range r.Processes {
		whats[p.What] = p.Ident
		if !p.Alive() {
			t.Errorf("%+v is not alive", p)
		}
	}
	if len(whats) != 4 || whats[WhatApp] != app.Ident() || whats[WhatServer] != d.server.Ident() {
		t.Errorf("processes %v", r.Processes)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), hex.EncodeToString(d.server.Cookie())) {
		t.Errorf("the cookie is in the record (%v)", err)
	}
}
