package client

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

// TestStartedClean: a daemon that a client starts is detached, in /, and has
// nothing of its starter that is not on the list.
func TestStartedClean(t *testing.T) {
	c := owner(t)
	a, err := c.Hello(t.Context(), api.HelloRequest{})
	if err != nil || !a.Started {
		t.Fatalf("%+v, %v", a, err)
	}
	checkClean(t, a.PID)
	if sid, err := syscall.Getpgid(a.PID); err != nil || sid != a.PID {
		t.Errorf("it is in group %d, %v", sid, err)
	}
	again, err := c.Hello(t.Context(), api.HelloRequest{})
	if err != nil || again.PID != a.PID {
		t.Errorf("asked again: %+v, %v", again, err)
	}
}

// checkClean looks at a daemon from outside.
func checkClean(t *testing.T, pid int) {
	t.Helper()
	id := strconv.Itoa(pid)
	env := processEnv(t, id)
	for _, word := range []string{"secret", "DISPLAY=", "SOME_API_KEY", "VIBESPACE_SESSION_TOKEN"} {
		if strings.Contains(env, word) {
			t.Errorf("its environment holds %s:\n%s", word, env)
		}
	}
	if dir, err := os.Readlink("/proc/" + id + "/cwd"); err != nil || dir != "/" {
		t.Errorf("it is in %s, %v", dir, err)
	}
	for _, fd := range []string{"0", "1", "2"} {
		if to, err := os.Readlink("/proc/" + id + "/fd/" + fd); err != nil || to != "/dev/null" {
			t.Errorf("its descriptor %s is %s, %v", fd, to, err)
		}
	}
}

// TestStartedByHandIsCleanToo: a daemon that a person starts with secrets in
// the environment runs itself again without them.
func TestStartedByHandIsCleanToo(t *testing.T) {
	c := owner(t, func(c *Config) { c.NoStart = true })
	cmd := exec.Command(c.cfg.Daemon)
	cmd.Env = append(environ(), "VIBESPACE_SOCKET="+c.cfg.Paths.Socket, "VIBESPACE_RUNTIME_DIR="+c.cfg.Paths.Runtime, "VIBESPACE_STATE_DIR="+c.cfg.Paths.State)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); cmd.Wait() }()
	t.Cleanup(func() { <-done })
	t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM) })
	for end := time.Now().Add(patience); !c.Listens(t.Context()) && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	a, err := c.Hello(t.Context(), api.HelloRequest{})
	if err != nil || a.PID != cmd.Process.Pid {
		t.Fatalf("%+v, %v", a, err)
	}
	checkClean(t, a.PID)
}

// TestManyStartersOneDaemon: clients that find none at the same time share the
// one that comes of it.
func TestManyStartersOneDaemon(t *testing.T) {
	first := owner(t)
	var mu sync.Mutex
	pids, started := map[int]bool{}, 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c := New(first.cfg)
			defer c.Close()
			a, err := c.Hello(t.Context(), api.HelloRequest{})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			pids[a.PID] = true
			if a.Started {
				started++
			}
		})
	}
	all.Wait()
	if len(pids) != 1 || started != 1 {
		t.Errorf("%d daemons, %d starters", len(pids), started)
	}
}

// TestNoStart: it only looks.
func TestNoStart(t *testing.T) {
	c := owner(t, func(c *Config) { c.NoStart = true })
	_, err := c.Hello(t.Context(), api.HelloRequest{})
	if api.CodeOf(err) != api.Unreachable {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(c.cfg.Paths.Runtime); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it made %s: %v", c.cfg.Paths.Runtime, err)
	}
}

// TestStartFaults: what cannot start is refused by name, quickly.
func TestStartFaults(t *testing.T) {
	dir := need.Dir(t)
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		need.Script(t, path, text)
		return path
	}
	full := filepath.Join(dir, "file")
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*Config)
		code   api.Code
		says   string
	}{
		{"no program", func(c *Config) { c.Daemon = filepath.Join(dir, "none") }, api.Unreachable, "none"},
		{"ends at once", func(c *Config) { c.Daemon = script("ends", "#!/bin/sh\nexit 7\n") }, api.Unreachable, "exit status 7"},
		{"says nonsense", func(c *Config) { c.Daemon = script("nonsense", "#!/bin/sh\necho hello >&3\n") }, api.Unreachable, "ended"},
		{"runtime is a file", func(c *Config) { c.Paths.Runtime = full }, api.Unreachable, full},
		{"state is a file", func(c *Config) { c.Paths.State = full }, api.StoreFailed, full},
		{"bad configuration", func(c *Config) { c.ConfigFile = script("c.yaml", "frob: 1\n") }, api.BadRequest, "frob"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := owner(t, c.change)
			_, err := client.Hello(t.Context(), api.HelloRequest{})
			if e := api.AsError(err, ""); err == nil || e.Code != c.code || !strings.Contains(e.Message, c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSecondDaemonSaysWhose: a daemon started by hand on directories that are
// taken ends with the refusal and its exit status.
func TestSecondDaemonSaysWhose(t *testing.T) {
	c := owner(t)
	if _, err := c.Hello(t.Context(), api.HelloRequest{}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(c.cfg.Daemon)
	cmd.Env = append(os.Environ(), "VIBESPACE_SOCKET="+c.cfg.Paths.Socket, "VIBESPACE_RUNTIME_DIR="+c.cfg.Paths.Runtime, "VIBESPACE_STATE_DIR="+c.cfg.Paths.State)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), c.cfg.Paths.Runtime) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestStoppedDaemonDoesNotBlock: a daemon that hangs is given up soon after the
// verb's timeout.
func TestStoppedDaemonDoesNotBlock(t *testing.T) {
	c := owner(t)
	a, err := c.Hello(t.Context(), api.HelloRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(a.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(a.PID, syscall.SIGCONT)
	for end := time.Now().Add(patience); !stopped(a.PID) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	_, err = c.Ps(t.Context(), api.ListRequest{Common: api.Common{TimeoutMs: 300}})
	if took := time.Since(began); api.CodeOf(err) != api.Unreachable || took > patience {
		t.Errorf("%v after %v", err, took)
	}
}

// stopped says whether every thread of a process has stopped: a signal takes
// its time.
func stopped(pid int) bool {
	stats, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	for _, stat := range stats {
		raw, _ := os.ReadFile(stat)
		if _, after, _ := strings.Cut(string(raw), ") "); !strings.HasPrefix(after, "T") {
			return false
		}
	}
	return len(stats) > 0
}

// TestDaemonKilledIsFoundOut: one that dies under a verb is unreachable, and
// the next verb starts another.
func TestDaemonKilledIsFoundOut(t *testing.T) {
	c := owner(t)
	a, err := c.Hello(t.Context(), api.HelloRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(a.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); c.Listens(t.Context()) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	b, err := c.Hello(t.Context(), api.HelloRequest{})
	if err != nil || b.PID == a.PID {
		t.Fatalf("%+v, %v", b, err)
	}
	// The owner credential is a new one: the client reads it again.
	if _, err := c.Ps(t.Context(), api.ListRequest{}); err != nil {
		t.Error(err)
	}
}

// TestStartDuringDown: a verb that comes while a daemon goes down gets the next
// one.
func TestStartDuringDown(t *testing.T) {
	c := owner(t)
	for range 5 {
		a, err := c.Hello(t.Context(), api.HelloRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(a.PID, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(patience); c.Listens(t.Context()) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		b, err := c.Hello(t.Context(), api.HelloRequest{})
		if err != nil || b.PID == a.PID {
			t.Fatalf("%+v after %+v: %v", b, a, err)
		}
	}
}

// TestHelloIsSaidAgain: a daemon that is killed in the instant it is greeted is
// found out, and the next one is started.
func TestHelloIsSaidAgain(t *testing.T) {
	c := owner(t)
	if err := os.MkdirAll(c.cfg.Paths.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", c.cfg.Paths.Socket)
	if err != nil {
		t.Fatal(err)
	}
	dying := make(chan struct{})
	go func() { // takes one request and dies of it
		defer close(dying)
		if conn, err := l.Accept(); err == nil {
			_, _ = conn.Read(make([]byte, 1))
			l.Close()
			conn.Close()
		}
	}()
	a, err := c.Hello(t.Context(), api.HelloRequest{})
	if err != nil || !a.Started {
		t.Errorf("%+v, %v", a, err)
	}
	l.Close()
	<-dying
}

// TestHelloIsNotSaidForEver: what closes every connection was greeted a hundred
// times a second until the greeting's time was over.
func TestHelloIsNotSaidForEver(t *testing.T) {
	c := owner(t, func(c *Config) { c.NoStart = true })
	if err := os.MkdirAll(c.cfg.Paths.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", c.cfg.Paths.Socket)
	if err != nil {
		t.Fatal(err)
	}
	greeted := make(chan int, 1)
	go func() {
		n := 0
		for {
			conn, err := l.Accept()
			if err != nil {
				greeted <- n
				return
			}
			n++
			_, _ = conn.Read(make([]byte, 1))
			conn.Close()
		}
	}()
	_, err = c.Hello(t.Context(), api.HelloRequest{})
	l.Close()
	if n := <-greeted; api.CodeOf(err) != api.Unreachable || n == 0 || n > 1+greetings {
		t.Errorf("greeted %d times: %v", n, err)
	}
}

// TestOwnerCredentialIsReadAgain: a client that outlives a daemon finds the
// next one's credential.
func TestOwnerCredentialIsReadAgain(t *testing.T) {
	c := owner(t)
	if _, err := c.Ps(t.Context(), api.ListRequest{}); err != nil {
		t.Fatal(err)
	}
	other := New(c.cfg)
	defer other.Close()
	if _, err := other.Down(t.Context(), api.DownRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Hello(t.Context(), api.HelloRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ps(t.Context(), api.ListRequest{}); err != nil {
		t.Error(err)
	}
}

// TestForeignSocket: what is not a daemon of ours is never handed a token.
func TestForeignSocket(t *testing.T) {
	c := owner(t, func(c *Config) { c.NoStart = true })
	if err := os.MkdirAll(c.cfg.Paths.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", c.cfg.Paths.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 4096))
			conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))
			conn.Close()
		}
	}()
	if _, err := c.Hello(t.Context(), api.HelloRequest{}); api.CodeOf(err) != api.Unreachable {
		t.Errorf("%v", err)
	}
	os.Remove(c.cfg.Paths.Socket)
	l.Close()
}

// TestCancel: a caller that gives up is answered cancelled.
func TestCancel(t *testing.T) {
	c := owner(t)
	if _, err := c.Hello(t.Context(), api.HelloRequest{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Ps(ctx, api.ListRequest{}); api.CodeOf(err) != api.Cancelled {
		t.Errorf("%v", err)
	}
}
