package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

// TestSecondDaemonIsRefusedByName: on the same runtime directory, on the same
// state directory, and not on directories of its own.
func TestSecondDaemonIsRefusedByName(t *testing.T) {
	s := serve(t)
	first, own := s.cfg.Paths, testPaths(t)
	for _, c := range []struct {
		name  string
		paths api.Paths
		says  string
	}{
		{"both", first, first.Runtime},
		{"runtime", api.Paths{Socket: own.Socket, Runtime: first.Runtime, State: own.State}, first.Runtime},
		{"state", api.Paths{Socket: own.Socket, Runtime: own.Runtime, State: first.State}, first.State},
		{"socket", api.Paths{Socket: first.Socket, Runtime: own.Runtime, State: own.State}, first.Socket},
	} {
		d, err := Open(t.Context(), Config{Paths: c.paths})
		if err == nil {
			t.Fatalf("%s: a second daemon opened", c.name)
		}
		_ = d
		if e := api.AsError(err, ""); !strings.Contains(e.Message, c.says) || e.Hint == "" {
			t.Errorf("%s: %v", c.name, e)
		}
		if r := s.post(t, "hello", ""); r.code() != "ok" {
			t.Errorf("%s: the first answers %s", c.name, r.body)
		}
	}
	d, err := Open(t.Context(), Config{Paths: own})
	if err != nil {
		t.Fatalf("own directories: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestModesAndLeftovers: what is made is closed to others, and what a graceful
// end leaves is the state and the locks.
func TestModesAndLeftovers(t *testing.T) {
	s := serve(t)
	for path, mode := range map[string]os.FileMode{
		s.cfg.Paths.Runtime: 0o700, s.cfg.Paths.State: 0o700, s.cfg.Paths.Socket: 0o600, s.cfg.Paths.OwnerFile(): 0o600,
		filepath.Join(s.cfg.Paths.Runtime, runtimeLock): 0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	s.cancel()
	gone(t, s.cfg.Paths.Socket)
	gone(t, s.cfg.Paths.OwnerFile())
}

// TestSocketOfADeadDaemonIsReplaced, and anything else at its path is not.
func TestSocketOfADeadDaemonIsReplaced(t *testing.T) {
	s := serve(t)
	paths := s.cfg.Paths
	dead := filepath.Join(paths.Runtime, "dead.sock")
	if err := os.Link(paths.Socket, dead); err != nil {
		t.Fatal(err)
	}
	s.cancel()
	gone(t, paths.Socket)
	if err := os.Rename(dead, paths.Socket); err != nil {
		t.Fatal(err)
	}
	d := reopen(t, paths)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(paths.Socket, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Paths: paths}); err == nil || !strings.Contains(err.Error(), paths.Socket) {
		t.Errorf("a file at the socket's path: %v", err)
	}
	if raw, err := os.ReadFile(paths.Socket); string(raw) != "mine" {
		t.Errorf("it was touched: %q, %v", raw, err)
	}
}

// reopen opens a daemon on directories that another is about to leave.
func reopen(t *testing.T, paths api.Paths) *Daemon {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		d, err := Open(t.Context(), Config{Paths: paths, Version: "test"})
		if err == nil {
			return d
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func TestDown(t *testing.T) {
	s := serve(t)
	r := s.post(t, "person/down", "", api.HeaderOwner, s.credential)
	if r.code() != "ok" || !strings.Contains(string(r.body), `"pid":`) {
		t.Errorf("%s", r.body)
	}
	gone(t, s.cfg.Paths.Socket)
}

// TestDownWaitsForVerbs: a verb that cleans up after it was cut is waited for,
// though its caller is gone.
func TestDownWaitsForVerbs(t *testing.T) {
	began, cleaned := make(chan struct{}), make(chan struct{})
	s := opened(t, map[string]func(context.Context) error{"slow": func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		time.Sleep(2 * time.Second) // longer than an answer waits for it
		close(cleaned)
		return ctx.Err()
	}})
	c := s.connect()
	defer c.CloseIdleConnections()
	var asked sync.WaitGroup
	defer asked.Wait()
	asked.Go(func() { // its answer is nobody's concern
		if resp, err := c.Post("http://vibespace/v1/slow", "application/json", nil); err == nil {
			resp.Body.Close()
		}
	})
	<-began
	s.cancel()
	gone(t, s.cfg.Paths.OwnerFile())
	select {
	case <-cleaned:
	default:
		t.Error("the daemon went down before its verb")
	}
}

// TestRefusedDirectories: a place that cannot hold a daemon is refused by name,
// with nothing half made.
func TestRefusedDirectories(t *testing.T) {
	base := need.Dir(t)
	file := filepath.Join(base, "file")
	open := filepath.Join(base, "open")
	for _, err := range []error{os.WriteFile(file, nil, 0o600), os.Mkdir(open, 0o777), os.Chmod(open, 0o777), os.WriteFile(filepath.Join(open, "x"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	good := testPaths(t)
	long := filepath.Join(base, strings.Repeat("x", 120))
	for name, p := range map[string]api.Paths{
		"a file":         {Socket: filepath.Join(base, "s"), Runtime: file, State: good.State},
		"state in /proc": {Socket: good.Socket, Runtime: good.Runtime, State: "/proc/vibespace"},
		"open to others": {Socket: filepath.Join(open, "s"), Runtime: open, State: good.State},
		"a long path":    {Socket: filepath.Join(long, "s"), Runtime: long, State: good.State},
	} {
		_, err := Open(t.Context(), Config{Paths: p})
		var e *api.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Code != api.StoreFailed && e.Code != api.StartFailed {
			t.Errorf("%s: %v", name, e)
		}
	}
	if _, err := os.Lstat(long); err == nil {
		t.Error("the long path was made")
	}
	// And after all that the good one is free.
	if err := reopen(t, good).Close(); err != nil {
		t.Error(err)
	}
}

func TestAgentOf(t *testing.T) {
	if got := agentOf(os.Getpid()); !strings.HasSuffix(got, "]") || strings.HasPrefix(got, "bash") {
		t.Errorf("%q", got)
	}
	if got := agentOf(1 << 30); got != "unknown" {
		t.Errorf("%q", got)
	}
}
