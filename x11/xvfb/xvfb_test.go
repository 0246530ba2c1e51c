package xvfb_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/need"
	"vibespace/internal/proc"
	"vibespace/x11"
	"vibespace/x11/xvfb"
)

func TestMain(m *testing.M) { need.Main(m) }

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func start(t testing.TB, cfg xvfb.Config) *xvfb.Server {
	t.Helper()
	need.Xvfb(t)
	if cfg.Dir == "" {
		cfg.Dir = need.Dir(t)
	}
	s, err := xvfb.Start(within(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(within(t)); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return s
}

func answers(t testing.TB, s *xvfb.Server) error {
	c, err := x11.Dial(within(t), s.Display(), s.Cookie())
	if err != nil {
		return err
	}
	return errors.Join(c.Sync(within(t)), c.Close())
}

// onDisk lists what there is of a server. A number may be another server's as soon
// as it is free: the lock says whose it is.
func onDisk(s *xvfb.Server) []string {
	lock := fmt.Sprintf("/tmp/.X%d-lock", s.Number())
	paths := []string{s.CookieFile(), filepath.Join(filepath.Dir(s.CookieFile()), "xkb")}
	if text, err := os.ReadFile(lock); err != nil || strings.TrimSpace(string(text)) == strconv.Itoa(s.Ident().PID) {
		paths = append(paths, lock, fmt.Sprintf("/tmp/.X11-unix/X%d", s.Number()))
	}
	return slices.DeleteFunc(paths, func(p string) bool { _, err := os.Lstat(p); return err != nil })
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	s := start(t, xvfb.Config{Screen: xvfb.Size{W: 800, H: 600}})
	if err := answers(t, s); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(s); len(got) != 4 {
		t.Errorf("a running server has %v", got)
	}
	for range 2 {
		if err := s.Stop(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if got := onDisk(s); len(got) != 0 {
		t.Errorf("left on disk: %v", got)
	}
	if s.Ident().Alive() {
		t.Error("the server still runs")
	}
	select {
	case <-s.Done():
	default:
		t.Error("Done is open after Stop")
	}
}

// Without a cookie, or with another display's, any process of the machine would
// be able to look and type.
func TestOnlyTheCookieOpens(t *testing.T) {
	t.Parallel()
	a, b := start(t, xvfb.Config{}), start(t, xvfb.Config{})
	for name, cookie := range map[string][]byte{"none": nil, "another display's": b.Cookie(), "zeros": make([]byte, 16)} {
		c, err := x11.Dial(within(t), a.Display(), cookie)
		if !errors.Is(err, x11.ErrRefused) {
			t.Errorf("cookie %s: %v", name, err)
		}
		if c != nil {
			t.Errorf("cookie %s: connected", name)
		}
	}
	info, err := os.Stat(a.CookieFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("cookie file: %v %v", info.Mode(), err)
	}
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", a.Ident().PID))
	if strings.Contains(string(args), string(a.Cookie())) || strings.Contains(string(args), "-ac\x00") {
		t.Error("the command line gives the cookie away")
	}
}

func TestReachableByItsSocketFileOnly(t *testing.T) {
	t.Parallel()
	s := start(t, xvfb.Config{})
	sockets, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sockets)) {
		if strings.HasSuffix(strings.TrimSpace(line), fmt.Sprintf("@/tmp/.X11-unix/X%d", s.Number())) {
			t.Errorf("abstract socket: %s", line)
		}
	}
	if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", 6000+s.Number())); err == nil {
		conn.Close()
		t.Error("the server listens on TCP")
	}
}

// Servers without an abstract socket that choose their own number all choose
// the same one, and the later takes over the earlier one's socket.
func TestParallelStartsAreDistinct(t *testing.T) {
	t.Parallel()
	need.Xvfb(t)
	const n = 12
	servers := make([]*xvfb.Server, n)
	var wg sync.WaitGroup
	for i := range servers {
		dir := need.Dir(t)
		wg.Go(func() {
			s, err := xvfb.Start(within(t), xvfb.Config{Dir: dir, Screen: xvfb.Size{W: 640, H: 480}, NoGL: true})
			if err != nil {
				t.Error(err)
				return
			}
			servers[i] = s
		})
	}
	wg.Wait()
	t.Cleanup(func() {
		for _, s := range servers {
			if s != nil {
				if err := s.Stop(within(t)); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if t.Failed() {
		return
	}
	seen := map[int]bool{}
	for _, s := range servers {
		if seen[s.Number()] {
			t.Errorf("display :%d twice", s.Number())
		}
		seen[s.Number()] = true
	}
	for _, s := range servers[:n/2] {
		if err := s.Stop(within(t)); err != nil {
			t.Error(err)
		}
	}
	for _, s := range servers[n/2:] {
		if err := answers(t, s); err != nil {
			t.Errorf("display %s after others ended: %v", s.Display(), err)
		}
	}
}

func TestKilledServerLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := start(t, xvfb.Config{})
			if err := proc.Signal(s.Ident(), sig); err != nil {
				t.Fatal(err)
			}
			if sig == syscall.SIGKILL {
				<-s.Done()
				if len(onDisk(s)) != 4 {
					t.Errorf("a killed server left %v: nothing to prove", onDisk(s))
				}
			}
			if err := s.Stop(within(t)); err != nil {
				t.Fatal(err)
			}
			if got := onDisk(s); len(got) != 0 {
				t.Errorf("left on disk: %v", got)
			}
		})
	}
}

// What was killed must not cost a later server on the same number its socket.
func TestStopSparesASuccessor(t *testing.T) {
	t.Parallel()
	s := start(t, xvfb.Config{})
	if err := proc.Signal(s.Ident(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	lock := fmt.Sprintf("/tmp/.X%d-lock", s.Number())
	socket := fmt.Sprintf("/tmp/.X11-unix/X%d", s.Number())
	for _, p := range []string{lock, socket} {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.WriteFile(lock, fmt.Appendf(nil, "%10d\n", os.Getpid()), 0o444); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(lock)
	if err := s.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{lock, socket} {
		if _, err := os.Lstat(p); err != nil {
			t.Errorf("Stop took the successor's %s", p)
		}
	}
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	s := start(t, xvfb.Config{})
	got, err := xvfb.Adopt(within(t), s.Record())
	if err != nil {
		t.Fatal(err)
	}
	if err := answers(t, got); err != nil {
		t.Errorf("adopted: %v", err)
	}
	select {
	case <-got.Done():
		t.Error("Done while the server runs")
	default:
	}
	if err := got.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	<-got.Done()
	<-s.Done()
	if left := onDisk(s); len(left) != 0 {
		t.Errorf("left on disk: %v", left)
	}
	if _, err := xvfb.Adopt(within(t), s.Record()); !errors.Is(err, xvfb.ErrNotOurs) {
		t.Errorf("adopting what ended: %v", err)
	}
}

func TestAdoptRefusesWhatItCannotProve(t *testing.T) {
	t.Parallel()
	a, b := start(t, xvfb.Config{}), start(t, xvfb.Config{})
	self, err := proc.IdentOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	later := a.Ident()
	later.Start++
	tests := map[string]xvfb.Record{
		"another process":        {Number: a.Number(), Ident: self, Dir: a.Record().Dir},
		"the pid was used again": {Number: a.Number(), Ident: later, Dir: a.Record().Dir},
		"another display":        {Number: b.Number(), Ident: a.Ident(), Dir: a.Record().Dir},
		"another cookie":         {Number: a.Number(), Ident: a.Ident(), Dir: b.Record().Dir},
		"no cookie":              {Number: a.Number(), Ident: a.Ident(), Dir: need.Dir(t)},
	}
	for name, r := range tests {
		s, err := xvfb.Adopt(within(t), r)
		if !errors.Is(err, xvfb.ErrNotOurs) || s != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := answers(t, a); err != nil {
		t.Errorf("after the refusals: %v", err)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(xvfb.Record){
		"running": func(xvfb.Record) {},
		"killed":  func(r xvfb.Record) { _ = proc.Signal(r.Ident, syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, xvfb.Config{})
			before(s.Record())
			for range 2 {
				if err := xvfb.Clean(within(t), s.Record()); err != nil {
					t.Fatal(err)
				}
			}
			if left := onDisk(s); len(left) != 0 {
				t.Errorf("left on disk: %v", left)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	need.Xvfb(t)
	dir := need.Dir(t)
	if _, err := xvfb.Start(within(t), xvfb.Config{Dir: dir, Path: "/bin/false"}); err == nil || !strings.Contains(err.Error(), "status 1") {
		t.Errorf("a server that ends: %v", err)
	}
	mute := filepath.Join(t.TempDir(), "mute")
	need.Script(t, mute, "#!/bin/sh\nexec sleep 100\n")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := xvfb.Start(ctx, xvfb.Config{Dir: dir, Path: mute}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that never answers: %v", err)
	}
	if _, err := xvfb.Start(within(t), xvfb.Config{Dir: filepath.Join(dir, "none")}); err == nil {
		t.Error("started without a directory")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("left in the directory: %v %v", entries, err)
	}
}

// An unusual directory name must not reach the shell that compiles the keymap.
func TestUnquotableDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(need.Dir(t), "a $(touch evil) `b` \"c\"")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := answers(t, start(t, xvfb.Config{Dir: dir})); err != nil {
		t.Error(err)
	}
}

func BenchmarkStart(b *testing.B) {
	need.Xvfb(b)
	dir := need.Dir(b)
	for _, noGL := range []bool{false, true} {
		b.Run(fmt.Sprintf("noGL=%v", noGL), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				s, err := xvfb.Start(within(b), xvfb.Config{Dir: dir, NoGL: noGL})
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
				b.StopTimer()
				if err := s.Stop(within(b)); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
		})
	}
}
