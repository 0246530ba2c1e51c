//go:build soak

package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vibespace/internal/need"
)

// soak is one long run: windows that are driven, taken over and broken at
// random, and what went wrong of it.
type soak struct {
	t     *testing.T
	w     *World
	seed  uint64
	ends  context.Context
	every time.Duration // between two faults

	sessions []*Caller
	workers  []worker

	// still is held for reading while something is stopped on purpose: what a
	// stopped program has to take in arrives when it goes on.
	still sync.RWMutex

	mu       sync.Mutex
	verbs    map[string]int            // by what they were answered
	answered map[string]map[string]int // session, verb: what has to have a row
	faults   map[string]int
	wrong    []string // acts that reached something else, or nothing
	hung     []string
	odd      []string // answers that no fault explains
	memory   []sample
	takes    int
	acts     atomic.Int64
	clients  map[string]int // of an X server, when its window was new
}

// worker drives one window or one browser until the run is over.
type worker interface {
	drive(ctx context.Context)
	// window is what there is of it now, "" while there is none.
	window() (handle string, pid int)
}

// soakTime reads a duration from the environment.
func soakTime(t *testing.T, name string, otherwise time.Duration) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(os.Getenv(name))
	if os.Getenv(name) == "" {
		return otherwise
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return d
}

// TestSoak drives eight windows of five toolkits and two browsers by six
// sessions for SOAK_TIME, with takeovers at random and a fault each SOAK_FAULT.
// SOAK_SEED repeats a run's choices, SOAK_REPORT is a page to write.
func TestSoak(t *testing.T) {
	need.Chromium(t)
	need.Xterm(t)
	lasts := soakTime(t, "SOAK_TIME", time.Hour)
	seed, err := strconv.ParseUint(os.Getenv("SOAK_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (SOAK_SEED repeats its choices), %v", seed, lasts)
	s := &soak{
		t: t, seed: seed, every: soakTime(t, "SOAK_FAULT", time.Minute), verbs: map[string]int{},
		answered: map[string]map[string]int{}, faults: map[string]int{}, clients: map[string]int{},
	}
	s.w = NewWorld(t, headless, "VIBESPACE_DISPLAYS_MAX=12", "VIBESPACE_AUDIT_KEEP=10000000", "VIBESPACE_TRACE_PICTURES=true")
	for i := range 6 {
		s.sessions = append(s.sessions, s.w.Session(fmt.Sprint("agent", i)))
	}
	before, descriptors, goroutines := s.w.Count(), s.w.descriptors(), s.goroutines()
	s.people()
	ctx, cancel := context.WithTimeout(context.Background(), lasts)
	defer cancel()
	s.ends = ctx
	var all sync.WaitGroup
	for _, each := range s.workers {
		all.Go(func() { each.drive(ctx) })
	}
	all.Go(func() { s.person(ctx) })
	all.Go(func() { s.breaks(ctx) })
	all.Go(func() { s.measures(ctx) })
	all.Wait()
	s.checked(before, descriptors, goroutines, lasts)
}

// random gives one of the run's sources of choices.
func (s *soak) random(n uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, n)) }

// ask runs one command line, counts what it was answered, and checks that it
// kept its time. It may be called from any goroutine.
func (s *soak) ask(c *Caller, args ...string) Reply {
	const limit = 10 * time.Second
	bound, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(bound, s.w.program(c.program), append([]string{"--json"}, args...)...)
	timed := slices.Contains(args, "--timeout")
	if !timed {
		cmd.Args = slices.Insert(cmd.Args, 2, "--timeout", limit.String())
	}
	cmd.Dir, cmd.Env = s.w.Work, append(slices.Clip(s.w.env), c.env...)
	began := time.Now()
	out, _ := cmd.Output() // the exit status is compared below
	r := Reply{Args: args, JSON: out, Took: time.Since(began), Status: cmd.ProcessState.ExitCode()}
	_ = json.Unmarshal(out, &r)
	code := r.Code
	if r.OK {
		code = "done"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verbs[code]++
	if most := limit + time.Second; !timed && r.Took > most+prompt {
		s.hung = append(s.hung, r.String())
	}
	if code == "" || code == "internal" || r.Status == 2 || r.OK != (r.Status == 0) {
		s.odd = append(s.odd, r.String())
	}
	if c.program != "vibespace" && code != "" && code != "unreachable" && code != "busy" && r.Status != 2 {
		if s.answered[c.name] == nil {
			s.answered[c.name] = map[string]int{}
		}
		s.answered[c.name][args[0]]++
	}
	return r
}

// missed records an act that reached something else, or nothing.
func (s *soak) missed(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// calm waits until nothing is stopped on purpose.
func (s *soak) calm() {
	s.still.RLock()
	defer s.still.RUnlock()
}

// goroutines is what the daemon's doctor counts.
func (s *soak) goroutines() int {
	h := harm{t: s.t, w: s.w}
	return h.goroutines()
}

// checked ends the run and says what came of it.
func (s *soak) checked(before Left, descriptors, goroutines int, lasts time.Duration) {
	t := s.t
	grown := s.grownClients()
	for _, c := range s.sessions {
		s.ask(c.Browsers(), "detach", "ephemeral")
	}
	(&harm{t: t, w: s.w}).stopAll()
	left := s.w.settled(Left{Files: append(before.Files, "run/browsers")})
	var d, g int
	for end := time.Now().Add(45 * time.Second); time.Now().Before(end); time.Sleep(time.Second) {
		if d, g = s.w.descriptors(), s.goroutines(); d <= descriptors+8 && g <= goroutines+8 {
			break
		}
	}
	after := s.pss(s.w.daemonPID())
	if d > descriptors+8 || g > goroutines+8 {
		s.dump()
	}
	s.w.Owner().OK(nil, "down")
	lost := s.lostRows()
	slope := s.slope()
	lines := []string{
		"| what | figure |", "|---|---|",
		fmt.Sprintf("| length, seed | %v, %d |", lasts, s.seed),
		fmt.Sprintf("| command lines run, of these acts | %d, %d |", total(s.verbs), s.acts.Load()),
		fmt.Sprintf("| answers | %s |", counts(s.verbs)),
		fmt.Sprintf("| takeovers | %d |", s.takes),
		fmt.Sprintf("| faults made | %s |", counts(s.faults)),
		fmt.Sprintf("| wrong targets, by what the programs saw | %d |", len(s.wrong)),
		fmt.Sprintf("| verbs that hung | %d |", len(s.hung)),
		fmt.Sprintf("| answers without a name | %d |", len(s.odd)),
		fmt.Sprintf("| audit rows missing, of answered verbs | %d |", len(lost)),
		fmt.Sprintf("| left behind: processes, X sockets and locks, segments, files | %d, %d, %d, %d |",
			len(left.Processes), len(left.Displays), len(left.Segments), len(left.Files)),
		fmt.Sprintf("| daemon's descriptors, before and after | %d, %d |", descriptors, d),
		fmt.Sprintf("| daemon's goroutines, before and after | %d, %d |", goroutines, g),
		fmt.Sprintf("| X servers with more clients than when their window was new | %d |", len(grown)),
		fmt.Sprintf("| daemon's memory (Pss): at the end with nothing open; slope within a life of it | %.1f MB; %+.1f kB a minute |",
			float64(after)/1024, slope),
	}
	t.Log("\n" + strings.Join(lines, "\n"))
	for what, list := range map[string][]string{
		"wrong target": s.wrong, "hung": s.hung, "no name": s.odd, "no row": lost, "X clients": grown,
	} {
		for _, one := range list[:min(len(list), 20)] {
			t.Errorf("%s: %s", what, one)
		}
	}
	if !left.Empty() {
		t.Errorf("left behind: %s", left)
	}
	if d > descriptors+8 || g > goroutines+8 {
		t.Errorf("%d descriptors, %d before; %d goroutines, %d before", d, descriptors, g, goroutines)
	}
	if page := os.Getenv("SOAK_REPORT"); page != "" {
		writeSection(t, page, "soak", strings.Join(lines, "\n"))
	}
}

// total adds up counts.
func total(m map[string]int) (n int) {
	for _, k := range m {
		n += k
	}
	return n
}

// counts lists counts by name.
func counts(m map[string]int) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		words = append(words, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(words, ", ")
}
