package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibespace/fixtures"
)

const (
	// chaosTimeout is what a verb that meets a fault is given: no verb may take
	// longer than its timeout plus a second, whatever is broken.
	chaosTimeout = 3 * time.Second
	// besideOthers is what a verb is given that has to come to its end, where
	// other tests have the machine as well.
	besideOthers = 45 * time.Second
)

// fault is one thing that breaks, made on purpose, and what has to come of it.
type fault struct {
	name, made string
	// answer is what the callers are told, or how it comes back, by name.
	answer string
	// within bounds the answer, or the way back. It is asserted by `make chaos`,
	// which has the machine to itself; a test beside others asserts the runner's own.
	within time.Duration
	// short faults are tests of every run; the others are made by `make chaos` alone.
	short bool
	run   func(*harm)
}

// harm is one fault while it is made, and what came of it.
type harm struct {
	t      *testing.T
	fault  fault
	w      *World
	a      *Caller
	began  time.Time
	took   time.Duration
	got    []string // verbs with what they were answered
	down   []string // keys and buttons that are down afterwards
	left   Left
	why    string // why it was not made
	strict bool
}

// faults is the table.
func faults() []fault {
	return slices.Concat(daemonFaults(), displayFaults(), busFaults(), browserFaults(), diskFaults(), limitFaults(), clientFaults())
}

// TestChaos makes each fault against a daemon of its own. CHAOS=all makes those
// that are too long for every run as well, one after the other, holds each to
// its bound, and with CHAOS_REPORT writes the table into that page.
func TestChaos(t *testing.T) {
	t.Parallel()
	all, page := os.Getenv("CHAOS") == "all", os.Getenv("CHAOS_REPORT")
	var mu sync.Mutex
	done := map[string]*harm{}
	t.Run("faults", func(t *testing.T) {
		for _, f := range faults() {
			if !all && !f.short {
				continue
			}
			t.Run(strings.ReplaceAll(f.name, " ", "-"), func(t *testing.T) {
				if !all {
					t.Parallel()
				}
				h := &harm{t: t, fault: f, strict: all}
				mu.Lock()
				done[f.name] = h
				mu.Unlock()
				f.run(h)
				h.closed()
			})
		}
	})
	if page != "" {
		var rows []string
		for _, f := range faults() {
			if h := done[f.name]; h != nil {
				rows = append(rows, h.row())
			}
		}
		writeSection(t, page, "faults", strings.Join(append([]string{
			"| fault | how it is made | answer | bound | took | left behind |", "|---|---|---|---|---|---|",
		}, rows...), "\n"))
	}
}

// world makes the world of a fault.
func (h *harm) world(variables ...string) {
	h.t.Helper()
	h.w = NewWorld(h.t, variables...)
	h.a = h.w.Session("agent")
}

// hurt is the moment at which the fault is made.
func (h *harm) hurt() { h.began = time.Now() }

// healed is the moment at which the answer came, or things were as before.
func (h *harm) healed() { h.took = time.Since(h.began) }

// skipped says why a fault is not made here. Only what a machine does not let
// us do is skipped, and the table says so.
func (h *harm) skipped(why string, err error) {
	h.t.Helper()
	h.why = fmt.Sprintf("%s: %v", why, err)
	h.t.Logf("not made: %s", h.why)
}

// says runs a verb that meets the fault: it has to end in its time, and to be
// answered with one of the codes, "done" among them for a success.
func (h *harm) says(c *Caller, codes []string, args ...string) Reply {
	h.t.Helper()
	given := h.given(codes)
	r := c.Run(append(slices.Clip(args), "--timeout", given.String())...)
	code := r.Code
	if r.OK {
		code = "done"
	}
	h.got = append(h.got, args[0]+": "+code)
	if !slices.Contains(codes, code) {
		h.t.Errorf("want one of %q: %v", codes, r)
	}
	if most := given + time.Second; h.strict && r.Took > most+prompt {
		h.t.Errorf("it took longer than %v: %v", most, r)
	}
	return r
}

// given is the time of a verb that is to be answered with one of the codes: one
// that may hang on what is stopped waits no longer than its bound everywhere.
func (h *harm) given(codes []string) time.Duration {
	late := append(slices.Clip(hanging), "unreachable")
	if h.strict || slices.ContainsFunc(codes, func(code string) bool { return slices.Contains(late, code) }) {
		return chaosTimeout
	}
	return besideOthers
}

// closed looks at what the fault cost: the time it took, and what it left.
func (h *harm) closed() {
	h.t.Helper()
	if h.why != "" {
		return
	}
	if h.strict && h.took > h.fault.within {
		h.t.Errorf("it took %v, and is given %v", h.took.Round(time.Millisecond), h.fault.within)
	}
	if len(h.down) > 0 {
		h.t.Errorf("%v are down", h.down)
	}
	if h.left.Empty() {
		h.left = h.w.settled(Left{Files: []string{"run/browsers"}}) // it is the daemon's own
	}
	if !h.left.Empty() {
		h.t.Errorf("left behind: %s", h.left)
	}
	h.t.Logf("%s: %v; %s", h.fault.name, h.took.Round(time.Millisecond), strings.Join(h.got, ", "))
}

// row is the fault's line of the table.
func (h *harm) row() string {
	took, left := fmt.Sprintf("%.1f s", h.took.Seconds()), h.counted()
	answer := h.fault.answer
	switch {
	case h.why != "":
		took, left = "not made here: "+h.why, ""
	case h.t.Failed():
		answer += " – **not so in this run**: " + strings.Join(h.got, ", ")
	}
	return fmt.Sprintf("| %s | %s | %s | %g s | %s | %s |", h.fault.name, h.fault.made, answer, h.fault.within.Seconds(), took, left)
}

// counted says what is left, in numbers.
func (h *harm) counted() string {
	if h.left.Empty() && len(h.down) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%d processes, %d X sockets and locks, %d segments, %d files, %d keys down",
		len(h.left.Processes), len(h.left.Displays), len(h.left.Segments), len(h.left.Files), len(h.down))
}

// pid finds a process of a window's display by the beginning of its name.
func (h *harm) pid(handle, name string) int {
	h.t.Helper()
	pids := h.pids(handle, name)
	if len(pids) == 0 {
		h.t.Fatalf("%s has no process %s", handle, name)
	}
	return pids[0]
}

// pids finds the processes of a window's display by the beginning of their name.
func (h *harm) pids(handle, name string) []int {
	h.t.Helper()
	var ps struct {
		Processes []struct {
			Handle, Name, What string
			PID                int
		}
	}
	h.w.Owner().OK(&ps, "ps")
	var pids []int
	for _, p := range ps.Processes {
		if p.Handle == handle && strings.HasPrefix(p.Name, name) {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// signal sends a signal to a process, which has to be there.
func (h *harm) signal(pid int, sig syscall.Signal) {
	h.t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		h.t.Fatalf("%v to %d: %v", sig, pid, err)
	}
}

// pause stops a process for as long as during runs.
func (h *harm) pause(pid int, during func()) {
	h.t.Helper()
	h.signal(pid, syscall.SIGSTOP)
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	during()
	h.signal(pid, syscall.SIGCONT)
}

// neighbour opens a window that the fault is no business of, and gives what
// checks that it is served as before.
func (h *harm) neighbour() (served func()) {
	h.t.Helper()
	file := h.w.File("neighbour")
	win := h.a.Open("xterm", "--", "-e", "sh", "-c", "stty raw -echo; exec cat > "+file)
	sent := ""
	return func() {
		h.t.Helper()
		h.a.Act("type", win.Handle, "n")
		sent += "n"
		Eventually(h.t, "the neighbour has what was typed", func() bool {
			got, err := os.ReadFile(file)
			return err == nil && string(got) == sent
		})
	}
}

// works checks that the fixture's button is clicked, as the fixture saw it.
func (p program) works() {
	p.t.Helper()
	p.log.Mark()
	p.Act("click", p.handle, p.ref("Alpha"))
	p.log.Wait(p.t, fixtures.Clicked("Alpha"), seen)
}

// stopAll ends every window there is: what is left afterwards is too much.
func (h *harm) stopAll() {
	h.t.Helper()
	var list struct{ Windows []Window }
	h.w.Owner().OK(&list, "list")
	for _, w := range list.Windows {
		if w.State != "ended" {
			h.w.Owner().OK(nil, "stop", w.Handle)
		}
	}
}

// writeSection writes a table between the marks of its name in a page.
func writeSection(t *testing.T, page, name, text string) {
	t.Helper()
	if !filepath.IsAbs(page) {
		t.Fatalf("%s: tests run in a directory of their own; name the page from /", page)
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->", "<!-- /"+name+" -->"
	head, rest, found := strings.Cut(string(raw), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no marks %s and %s", page, begin, end)
	}
	if err := os.WriteFile(page, []byte(head+begin+"\n"+text+"\n"+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
