//go:build soak

package acceptance

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"time"
)

// people makes who drives what: eight windows of five toolkits and two browsers,
// by six sessions.
func (s *soak) people() {
	for i, kit := range []string{"gtk3.py", "gtk4.py", "qt5.py", "xterm", "bare.py", "gtk3.py", "qt5.py", "xterm"} {
		s.workers = append(s.workers, &soaked{s: s, c: s.sessions[i%len(s.sessions)], rng: s.random(uint64(10 + i)), kit: kit})
	}
	for i := range 2 {
		s.workers = append(s.workers, newBrowsed(s, s.sessions[4+i], s.random(uint64(30+i))))
	}
}

// one gives a window there is now.
func (s *soak) one(rng *rand.Rand) (handle string, pid int) {
	for range 50 {
		if handle, pid = s.workers[rng.IntN(len(s.workers))].window(); handle != "" {
			return handle, pid
		}
	}
	return "", 0
}

// person takes windows over and hands them back.
func (s *soak) person(ctx context.Context) {
	rng, me := s.random(2), s.w.Owner()
	for pausing(ctx, time.Duration(3+rng.IntN(8))*time.Second) {
		handle, _ := s.one(rng)
		if handle == "" || !s.ask(me, "takeover", handle).OK {
			continue
		}
		s.mu.Lock()
		s.takes++
		s.mu.Unlock()
		pausing(ctx, time.Duration(200+rng.IntN(2000))*time.Millisecond)
		for range 20 {
			r := s.ask(me, "handback", handle, "--note", "soak")
			if r.OK || r.Code != "unreachable" && r.Code != "timeout" && r.Code != "not_responding" {
				break
			}
		}
	}
}

// breaks makes a fault each minute.
func (s *soak) breaks(ctx context.Context) {
	rng := s.random(3)
	for pausing(ctx, s.every) {
		kinds := s.kinds()
		kind := kinds[rng.IntN(len(kinds))]
		if kind.make(ctx, rng) {
			s.mu.Lock()
			s.faults[kind.name]++
			s.mu.Unlock()
			s.t.Logf("fault: %s", kind.name)
		}
	}
}

// breakage is a fault of the soak.
type breakage struct {
	name string
	make func(context.Context, *rand.Rand) bool
}

// kinds are the faults a soak makes.
func (s *soak) kinds() []breakage {
	part := func(name string, sig syscall.Signal) func(context.Context, *rand.Rand) bool {
		return func(ctx context.Context, rng *rand.Rand) bool {
			handle, _ := s.one(rng)
			return s.hits(ctx, s.partOf(handle, name), sig)
		}
	}
	app := func(sig syscall.Signal) func(context.Context, *rand.Rand) bool {
		return func(ctx context.Context, rng *rand.Rand) bool {
			_, pid := s.one(rng)
			return s.hits(ctx, pid, sig)
		}
	}
	ours := func(is func(process) bool, sig syscall.Signal) func(context.Context, *rand.Rand) bool {
		return func(ctx context.Context, _ *rand.Rand) bool { return s.hits(ctx, s.processOf(is), sig) }
	}
	daemon := func(p process) bool { return p.daemon(s.w) && !strings.Contains(p.cmdline, " keeper") }
	chromium := func(p process) bool {
		return strings.Contains(p.cmdline, "/chromium") && !strings.Contains(p.cmdline, "--type=") && !strings.Contains(p.cmdline, "crashpad")
	}
	renderer := func(p process) bool { return strings.Contains(p.cmdline, "--type=renderer") }
	return []breakage{
		{"daemon killed", ours(daemon, syscall.SIGKILL)},
		{"daemon stopped", ours(daemon, syscall.SIGSTOP)},
		{"X server killed", part("Xvfb", syscall.SIGKILL)},
		{"X server stopped", part("Xvfb", syscall.SIGSTOP)},
		{"application killed", app(syscall.SIGKILL)},
		{"application stopped", app(syscall.SIGSTOP)},
		{"bus killed", part("dbus-daemon", syscall.SIGKILL)},
		{"bus stopped", part("dbus-daemon", syscall.SIGSTOP)},
		{"registry killed", part("at-spi2-registr", syscall.SIGKILL)},
		{"browser killed", ours(chromium, syscall.SIGKILL)},
		{"browser stopped", ours(chromium, syscall.SIGSTOP)},
		{"renderer killed", ours(renderer, syscall.SIGKILL)},
		{"clients that vanish", s.vanish},
	}
}

// stopTime is how long something is stopped: longer than what a verb waits for
// an application, shorter than a verb's own time.
const stopTime = 3 * time.Second

// hits sends a signal; what it stops goes on after a while.
func (s *soak) hits(ctx context.Context, pid int, sig syscall.Signal) bool {
	if pid <= 0 {
		return false
	}
	if sig == syscall.SIGSTOP {
		s.still.Lock()
		defer s.still.Unlock()
		defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
		if syscall.Kill(pid, sig) != nil {
			return false
		}
		pausing(ctx, stopTime)
		return true
	}
	return syscall.Kill(pid, sig) == nil
}

// partOf finds a process of a window's display.
func (s *soak) partOf(handle, name string) int {
	var ps struct {
		Processes []struct {
			Handle, Name string
			PID          int
		}
	}
	r := s.ask(s.w.Owner(), "ps")
	if !r.OK || json.Unmarshal(r.JSON, &ps) != nil {
		return 0
	}
	for _, p := range ps.Processes {
		if p.Handle == handle && strings.HasPrefix(p.Name, name) {
			return p.PID
		}
	}
	return 0
}

// processOf finds a process of the world.
func (s *soak) processOf(is func(process) bool) int {
	for _, p := range s.w.scan(false) {
		if is(p) {
			return p.pid
		}
	}
	return 0
}

// vanish asks and goes away, half of it in the middle of a request.
func (s *soak) vanish(context.Context, *rand.Rand) bool {
	for i := range 40 {
		c, err := net.Dial("unix", s.w.Runtime+"/api.sock")
		if err != nil {
			return false
		}
		request := onWire("list", "{}", 2)
		_, _ = io.WriteString(c, request[:len(request)/(1+i%2)])
		_ = c.Close()
	}
	return true
}
