package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/audit"
	"vibespace/internal/lease"
	"vibespace/internal/need"
	"vibespace/internal/reach"
	"vibespace/internal/store"
)

// openEngine makes an engine with a session a, on directories of the test's own.
func openEngine(t *testing.T) *Engine {
	t.Helper()
	chromium, dir := need.Chromium(t), need.Dir(t)
	exe, err := os.Executable()
	must(t, err)
	cfg := Config{
		RuntimeDir: filepath.Join(dir, "r"), StateDir: filepath.Join(dir, "s"), PersonHome: dir, Keeper: []string{exe, "keeper"}, Headless: true,
		Look: func(name string) (string, error) {
			if strings.HasPrefix(name, "chrom") {
				return chromium, nil
			}
			return "", errors.New("not for this test")
		},
	}
	for _, made := range []string{cfg.RuntimeDir, cfg.StateDir} {
		must(t, store.PrivateDir(made))
	}
	cfg.Store, err = store.Open(cfg.StateDir)
	must(t, err)
	cfg.Reach, err = reach.Open(t.Context(), cfg.Store, reach.Config{})
	must(t, err)
	cfg.Leases, err = lease.Open(t.Context(), cfg.Store, lease.Config{})
	must(t, err)
	cfg.Audit, err = audit.Open(t.Context(), cfg.Store, audit.Config{})
	must(t, err)
	_, err = cfg.Reach.New(t.Context(), "a", "")
	must(t, err)
	e, err := New(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		must(t, e.Shutdown(ctx))
		must(t, cfg.Store.Close())
	})
	return e
}

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryPageVerbAsksAgain: a verb on a page asks before it looks for the
// browser, once that is there, and once it has its tab. A person who takes over
// right after any of these is found by the next, and the page is not touched.
func TestEveryPageVerbAsksAgain(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c := api.Caller{Session: "a"}
	snapshot := func() error { _, err := e.Snapshot(ctx, c, api.PageSnapshotRequest{}); return err }
	tabs := func() error { _, err := e.Tab(ctx, c, api.TabRequest{}); return err }
	must(t, snapshot()) // the browser runs
	h := e.privatesOf("a")[0].Handle
	for _, r := range []struct {
		name, want string // "-" is a refusal, "." a verb that was through
		do         func() error
	}{
		{"snapshot", "--.", snapshot},
		{"tab", "-.", tabs},
	} {
		got := ""
		for k := 1; k <= len(r.want); k++ {
			asked := 0
			e.testAsked = func(*visit) {
				if asked++; asked == k {
					_, err := e.cfg.Leases.Takeover(ctx, h, "test")
					must(t, err)
				}
			}
			err := r.do()
			e.testAsked = nil
			switch {
			case err == nil:
				got += "."
			case api.CodeOf(err) == api.BrowserPaused:
				got += "-"
			default:
				t.Errorf("%s after decision %d: %v", r.name, k, err)
			}
			_, err = e.cfg.Leases.Handback(ctx, h, "test")
			must(t, err)
		}
		if got != r.want {
			t.Errorf("%s: %s, want %s", r.name, got, r.want)
		}
	}
}

// TestNothingIsClosedUnderThePerson: what closes tabs, lets a browser go or goes
// on with it is refused while the person drives.
func TestNothingIsClosedUnderThePerson(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c := api.Caller{Session: "a"}
	_, err := e.Snapshot(ctx, c, api.PageSnapshotRequest{})
	must(t, err)
	h := e.privatesOf("a")[0].Handle
	_, err = e.cfg.Leases.Takeover(ctx, h, "test")
	must(t, err)
	for name, do := range map[string]func() error{
		"close":  func() error { _, err := e.Close(ctx, c, api.LeaveRequest{}); return err },
		"detach": func() error { _, err := e.Detach(ctx, c, api.LeaveRequest{}); return err },
		"resume": func() error { _, err := e.Resume(ctx, c, api.BrowserStatusRequest{}); return err },
	} {
		if err := do(); api.CodeOf(err) != api.BrowserPaused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e.state(h) != isUp {
		t.Errorf("the browser is %s", e.state(h))
	}
}
