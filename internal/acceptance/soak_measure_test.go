//go:build soak

package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vibespace/internal/need"
)

// sample is the daemon's memory at a moment.
type sample struct {
	at  time.Time
	pid int
	kb  int
}

const (
	sampleEvery = 5 * time.Second
	// warm is how long a daemon's memory may still be finding its size.
	warm = 30 * time.Second
)

// pss is a process's memory in kB, 0 when it is gone.
func (s *soak) pss(pid int) int {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(raw)) {
		kb := 0
		if _, err := fmt.Sscanf(line, "Pss: %d kB", &kb); err == nil {
			return kb
		}
	}
	return 0
}

// measures takes the daemon's memory now and then.
func (s *soak) measures(ctx context.Context) {
	for pausing(ctx, sampleEvery) {
		for _, p := range s.w.scan(false) {
			if kb := s.pss(p.pid); p.daemon(s.w) && kb > 0 {
				s.mu.Lock()
				s.memory = append(s.memory, sample{time.Now(), p.pid, kb})
				s.mu.Unlock()
			}
		}
	}
}

// slope is how the memory of a daemon grows, in kB a minute: least squares over
// each life that was longer than it takes to get warm, weighed by how long.
func (s *soak) slope() float64 {
	lives := map[int][]sample{}
	for _, m := range s.memory {
		lives[m.pid] = append(lives[m.pid], m)
	}
	sum, weight := 0.0, 0.0
	for _, life := range lives {
		begin := life[0].at
		var n, sx, sy, sxx, sxy float64
		for _, m := range life {
			if m.at.Sub(begin) < warm {
				continue
			}
			x, y := m.at.Sub(begin).Minutes(), float64(m.kb)
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
		if n < 3 || n*sxx == sx*sx {
			continue
		}
		sum += n * (n*sxy - sx*sy) / (n*sxx - sx*sx)
		weight += n
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// xclients counts the connections of each X server of the world.
func (s *soak) xclients() map[string]int {
	count := map[string]int{}
	for _, p := range s.w.scan(false) {
		if !strings.HasPrefix(p.cmdline, "/usr/bin/Xvfb ") {
			continue
		}
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
		n := 0
		for _, fd := range fds {
			if to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p.pid, fd.Name())); strings.HasPrefix(to, "socket:") {
				n++
			}
		}
		count[itoa(p.pid)] = n
	}
	return count
}

// sawClients remembers how many clients new X servers have.
func (s *soak) sawClients() {
	now := s.xclients()
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid, n := range now {
		if _, known := s.clients[pid]; !known {
			s.clients[pid] = n
		}
	}
}

// grownClients are the X servers that have more clients than when they were new.
func (s *soak) grownClients() (grown []string) {
	const fewer = 4 // a keeper of a picture, a recorder of a takeover
	for pid, n := range s.xclients() {
		if was, known := s.clients[pid]; known && n > was+fewer {
			grown = append(grown, fmt.Sprintf("X server %s has %d clients, and had %d", pid, n, was))
		}
	}
	return grown
}

// lostRows compares the verbs that were answered with the rows of the audit.
func (s *soak) lostRows() (lost []string) {
	script := `import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(json.dumps([list(r) for r in db.execute("SELECT session, verb, count(*) FROM audit GROUP BY 1, 2")]))`
	out, err := exec.Command(need.Tool(s.t, "python3"), "-c", script, filepath.Join(s.w.State, "state.db")).Output()
	var rows [][3]any
	if err == nil {
		err = json.Unmarshal(out, &rows)
	}
	if err != nil {
		s.t.Fatalf("read the audit: %v", err)
	}
	have := map[string]int{}
	for _, r := range rows {
		session, _ := r[0].(string)
		verb, _ := r[1].(string)
		n, _ := r[2].(float64)
		have[session+" "+strings.TrimPrefix(verb, "browser/")] += int(n)
	}
	for _, session := range slices.Sorted(maps.Keys(s.answered)) {
		for verb, n := range s.answered[session] {
			if have[session+" "+verb] < n {
				lost = append(lost, fmt.Sprintf("%s, %s: %d answered, %d rows", session, verb, n, have[session+" "+verb]))
			}
		}
	}
	return lost
}

// pausing waits; false when the run is over.
func pausing(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// dump ends the daemon in the way that makes it say what each goroutine does,
// and shows what it held.
func (s *soak) dump() {
	pid := s.w.daemonPID()
	fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	for _, fd := range fds {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		s.t.Logf("descriptor %s: %s", fd.Name(), to)
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		s.t.Error(err)
	}
	Eventually(s.t, "the daemon is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	said, _ := os.ReadFile(filepath.Join(s.w.State, "vibespaced.crash"))
	s.t.Logf("%s", said)
}
