package keeper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/need"
	"vibespace/internal/proc"
)

// spec is a headless browser in directories of the test's.
func spec(t *testing.T) Spec {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := need.Dir(t)
	return Spec{
		Program: []string{exe, "keeper"}, Dir: filepath.Join(dir, "k"), Profile: filepath.Join(dir, "p"),
		Chromium: need.Chromium(t), Headless: true, Env: []string{"TMPDIR=" + dir},
	}
}

// kept starts a browser and ends it with the test.
func kept(t *testing.T, spec Spec) *Keeper {
	t.Helper()
	k, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := k.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return k
}

// say runs one command over a link and returns the answer's line.
func say(t *testing.T, l *Link, r *bufio.Reader, command string) map[string]any {
	t.Helper()
	if _, err := l.Write(append([]byte(strings.ReplaceAll(command, "SESSION", l.Session)), 0)); err != nil {
		t.Fatal(err)
	}
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			t.Fatal(err)
		}
		if m["id"] != nil {
			return m
		}
	}
}

// TestKeep: a browser is found again by whoever comes later, serves one link at
// a time, and ends with every process of it counted.
func TestKeep(t *testing.T) {
	t.Parallel()
	spec := spec(t)
	k := kept(t, spec)
	st, err := k.Status(t.Context())
	if err != nil || st.Major < 100 || st.Attached || !st.Keeper.Alive() || !st.Browser.Alive() || st.Profile != spec.Profile {
		t.Fatalf("%+v, %v", st, err)
	}
	for path, mode := range map[string]os.FileMode{spec.Dir: 0o700, spec.Profile: 0o700, socketFile(spec.Dir): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	again, err := Find(t.Context(), spec.Dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := again.Attach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(l)
	if m := say(t, l, r, `{"id":7,"method":"Target.getTargets","sessionId":"SESSION"}`); m["result"] == nil {
		t.Errorf("no targets: %v", m)
	}
	if _, err := k.Attach(t.Context()); api.CodeOf(err) != api.Held {
		t.Errorf("a second link: %v", err)
	}
	session := l.Session
	l.Close()
	var l2 *Link
	for l2 == nil {
		if l2, err = k.Attach(t.Context()); err != nil && api.CodeOf(err) != api.Held {
			t.Fatal(err)
		}
	}
	defer l2.Close()
	old := strings.ReplaceAll(`{"id":8,"method":"Target.getTargets","sessionId":"OLD"}`, "OLD", session)
	if m := say(t, l2, bufio.NewReader(l2), old); m["error"] == nil {
		t.Errorf("the session of an ended link answers: %v", m)
	}
	if _, err := Start(t.Context(), spec); api.CodeOf(err) != api.ProfileInUse {
		t.Errorf("started twice: %v", err)
	}
	n, err := k.Stop(t.Context())
	if err != nil || n < 4 {
		t.Errorf("%d processes ended, %v", n, err)
	}
	if _, err := Find(t.Context(), spec.Dir); api.CodeOf(err) != api.BrowserStopped {
		t.Errorf("found after its end: %v", err)
	}
	if n, err := k.Stop(t.Context()); n != 0 || err != nil {
		t.Errorf("stopped again: %d, %v", n, err)
	}
}

// TestNoPort: the browser listens nowhere, and its command line names no port.
func TestNoPort(t *testing.T) {
	t.Parallel()
	k := kept(t, spec(t))
	st, err := k.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile("/proc/" + strconv.Itoa(st.Browser.PID) + "/cmdline")
	if err != nil || strings.Contains(string(args), "--remote-debugging-port") || !strings.Contains(string(args), "--remote-debugging-pipe") {
		t.Errorf("%q, %v", args, err)
	}
	if _, err := os.Stat(filepath.Join(st.Profile, "DevToolsActivePort")); !os.IsNotExist(err) {
		t.Errorf("a port file: %v", err)
	}
}

// TestProfileInUse: a second browser on a profile is refused before it starts,
// whoever has it, and the first is untouched (C16).
func TestProfileInUse(t *testing.T) {
	t.Parallel()
	first := spec(t)
	k := kept(t, first)
	st, err := k.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second := first
	second.Dir = filepath.Join(need.Dir(t), "k")
	_, err = Start(t.Context(), second)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.ProfileInUse || int(e.Details["pid"].(float64)) != st.Browser.PID {
		t.Errorf("%v, want pid %d", e, st.Browser.PID)
	}
	if now, err := k.Status(t.Context()); err != nil || now.Browser != st.Browser {
		t.Errorf("the first: %+v, %v", now, err)
	}
}

// TestStaleLock: a lock whose browser is gone, and whose pid is a stranger's by
// now, does not keep a profile.
func TestStaleLock(t *testing.T) {
	t.Parallel()
	spec := spec(t)
	if err := os.MkdirAll(spec.Profile, 0o755); err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	if err := os.Symlink(host+"-"+strconv.Itoa(os.Getppid()), filepath.Join(spec.Profile, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	kept(t, spec)
}

// TestDowngrade: a profile that a newer browser wrote is refused, and not
// touched.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	spec := spec(t)
	if err := os.MkdirAll(spec.Profile, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(spec.Profile, "Last Version"), []byte("999.0.1.2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), spec); api.CodeOf(err) != api.DowngradeRefused {
		t.Errorf("%v", err)
	}
	entries, _ := os.ReadDir(spec.Profile)
	if len(entries) != 1 {
		t.Errorf("the profile has %d entries", len(entries))
	}
}

// TestIdle: a browser that no daemon asks for ends by itself.
func TestIdle(t *testing.T) {
	t.Parallel()
	spec := spec(t)
	spec.Idle = 5 * time.Second // more than a start takes to be answered
	k := kept(t, spec)
	st, err := k.Status(t.Context())
	if err != nil && api.CodeOf(err) != api.BrowserStopped {
		t.Fatal(err)
	}
	if err == nil {
		if err := proc.Await(t.Context(), []proc.Ident{st.Keeper}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := k.Status(t.Context()); api.CodeOf(err) != api.BrowserStopped {
		t.Errorf("%v", err)
	}
}

// TestKilled: whichever of the two is killed, nothing of the browser is left
// and the next look says that it is stopped (C17).
func TestKilled(t *testing.T) {
	t.Parallel()
	for name, victim := range map[string]func(Status) proc.Ident{
		"keeper":  func(s Status) proc.Ident { return s.Keeper },
		"browser": func(s Status) proc.Ident { return s.Browser },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := kept(t, spec(t))
			st, err := k.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rec, err := readRecord(k.dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := proc.Signal(victim(st), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := proc.Await(t.Context(), []proc.Ident{st.Keeper}); err != nil {
				t.Fatal(err)
			}
			if _, err := Find(t.Context(), k.dir); api.CodeOf(err) != api.BrowserStopped {
				t.Errorf("%v", err)
			}
			left, err := belonging(rec.Browser, rec.Mark)
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// TestNotABrowser: what does not become ready says its last words.
func TestNotABrowser(t *testing.T) {
	t.Parallel()
	spec := spec(t)
	spec.Chromium = filepath.Join(need.Dir(t), "b")
	need.Script(t, spec.Chromium, "#!/bin/sh\necho no screen >&2\nexit 3\n")
	_, err := Start(t.Context(), spec)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.StartFailed || !strings.Contains(e.Text(), "no screen") {
		t.Errorf("%v", err)
	}
}
