package display

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
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
	paths := []string{d.Dir()}
	// A number that is free may be another server's by now: the lock says whose it is.
	lock := "/tmp/.X" + n + "-lock"
	if owner, err := os.ReadFile(lock); err != nil || ours(d, strings.TrimSpace(string(owner))) {
		paths = append(paths, lock, "/tmp/.X11-unix/X"+n)
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			left = append(left, path)
		}
	}
	return left
}

// ours says whether a pid, as an X server writes it into its lock, is of the server
// that was a display's, or of nobody that lives.
func ours(d *Display, owner string) bool {
	pid, err := strconv.Atoi(owner)
	if err != nil || d.server != nil && pid == d.server.Ident().PID {
		return true
	}
	_, err = proc.IdentOf(pid)
	return err != nil
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
	if m, err := d.X().Monitor(t.Context()); err != nil || m != firstMonitor {
		t.Errorf("monitor %v, %v", m, err)
	}
	if in, why := d.Injector(); in == nil || why != "" {
		t.Errorf("no injector: %s", why)
	}
	address, err := atspi.Address(t.Context(), d.SessionAddress())
	if err != nil || address != d.AccessAddress() {
		t.Errorf("accessibility bus %q, %v; ours is %q", address, err, d.AccessAddress())
	}
	if !strings.HasPrefix(address, "unix:path="+escapeAddress(d.at.run())+"/") {
		t.Errorf("the accessibility bus is outside the display's directory: %s", address)
	}
	if root, err := d.X().RootProperty(t.Context(), "AT_SPI_BUS"); err != nil || root != address {
		t.Errorf("the root window says %q, %v", root, err)
	}
	for _, name := range []string{"server", "server setup", "session bus", "accessibility bus", "join", "all"} {
		if d.Phases()[name] <= 0 {
			t.Errorf("phase %q was not measured", name)
		}
	}
}

func TestDisplayFilesArePrivate(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	for path, mode := range map[string]os.FileMode{
		d.Dir(): 0o700, d.at.run(): 0o700, d.CookieFile(): 0o600, d.at.recordFile(): 0o600, d.at.appLog(): 0o600, d.at.worldLog(): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode().Perm(), err)
		}
	}
}

func TestProcessesAreTold(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	app := launch(t, d, shell(`sleep 1000; :`))
	found, err := d.Processes()
	if err != nil {
		t.Fatal(err)
	}
	count := map[What]int{}
	for _, p := range found {
		count[p.What]++
		if p.PID == os.Getpid() || p.PID == os.Getppid() {
			t.Errorf("we are among the display's processes as its %s", p.What)
		}
		if p.PID == app.PID() && p.What != WhatApp {
			t.Errorf("the application is its %s", p.What)
		}
	}
	// The launcher, its bus and the registry; dconf is started when it is asked for.
	if count[WhatServer] != 1 || count[WhatBus] < 1 || count[WhatLauncher] < 3 || count[WhatApp] < 1 {
		t.Errorf("processes %+v", found)
	}
}

func TestNoInjectionSaysWhy(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	if in, why := d.Injector(); in != nil || !strings.Contains(why, "configuration") {
		t.Errorf("injector %v, %q", in, why)
	}
}

// TestBusEndKeepsTheDisplay: a bus that ends takes the tree with it, and neither
// the display nor what runs on it.
func TestBusEndKeepsTheDisplay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what What
		why  string
	}{{WhatBus, "its session bus ended"}, {WhatLauncher, "its accessibility bus ended"}} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			d := begin(t, Config{})
			if why := d.BusEnded(); why != "" {
				t.Fatalf("it ended already: %s", why)
			}
			victim, err := processOf(d, c.what, "dbus-daemon")
			if err != nil {
				t.Fatal(err)
			}
			if err := proc.Signal(victim, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(patience); d.BusEnded() != c.why; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("nobody noticed: %q", d.BusEnded())
				}
			}
			if err := d.X().Sync(t.Context()); err != nil {
				t.Errorf("the server: %v", err)
			}
			if d.Why() != "" || closed(d.Done()) {
				t.Errorf("the display ended: %s", d.Why())
			}
		})
	}
}

func TestDeathIsAnnounced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		victim func(d *Display) (proc.Ident, error)
		why    string
	}{
		{func(d *Display) (proc.Ident, error) { return d.server.Ident(), nil }, "X server ended with signal killed"},
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

func TestRecordTellsALaterDaemonEverythingButSecrets(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
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
	text, err := os.ReadFile(d.at.recordFile())
	if err != nil || strings.Contains(string(text), hex.EncodeToString(d.server.Cookie())) {
		t.Errorf("the cookie is in the record (%v)", err)
	}
}

func TestRecordNamesWhatWasStarted(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	app := launch(t, d, shell(`sleep 1000; :`))
	r, err := readRecord(d.at)
	if err != nil {
		t.Fatal(err)
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
}
