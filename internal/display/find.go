package display

import (
	"maps"
	"os"
	"slices"
	"sync"

	"vibespace/internal/proc"
)

// What says what a process of a display is.
type What string

// The kinds of processes of a display.
const (
	WhatServer   What = "server"
	WhatBus      What = "session bus"
	WhatLauncher What = "accessibility bus" // the launcher, the bus it starts, what that starts
	WhatXpra     What = "xpra"
	WhatApp      What = "app" // what was launched, and everything that came of it
)

// Process is one live process of a display.
type Process struct {
	proc.Ident
	What What
	// Name is the kernel's name of it, 15 bytes at most.
	Name string
}

// finder knows how the processes of one display are told from all others. No
// single sign is enough: an application can empty its environment, leave its
// group and session, and be adopted by pid 1. What has lost every sign but one
// is still found by that one.
type finder struct {
	sign, mark string   // the variable of the environment that tells, and its value
	logs       []string // files that only processes of the display write to

	mu sync.Mutex
	// ask returns the pids that the display's server and buses know; nil asks
	// nobody. It is called without the lock.
	ask     func() []int
	started map[proc.Ident]What // those we started
	led     map[int]uint64      // leaders of groups and sessions that are ours, with start times
	known   map[int]bool        // pids of all that were ever found
	seen    map[proc.Ident]bool // all that were found alive since count was called
}

// newFinder makes a finder for a display's mark and log files.
func newFinder(mark string, at layout) *finder {
	return &finder{
		sign: markVariable, mark: mark, logs: []string{at.appLog(), at.worldLog()},
		started: map[proc.Ident]What{}, led: map[int]uint64{}, known: map[int]bool{},
	}
}

// askBy sets who is asked for further pids.
func (f *finder) askBy(ask func() []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ask = ask
}

// add remembers a process that we started, which leads its group.
func (f *finder) add(id proc.Ident, what What) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started[id] = what
	f.led[id.PID] = id.Start
	f.known[id.PID] = true
}

// forget drops what we started as one kind and what has ended: it is not for the
// record any more.
func (f *finder) forget(what What) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.started, func(id proc.Ident, w What) bool { return w == what && !id.Alive() })
}

// recorded lists what we started, by pid.
func (f *finder) recorded() []recorded {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []recorded{}
	for id, what := range f.started {
		out = append(out, recorded{id, what})
	}
	slices.SortFunc(out, func(a, b recorded) int { return a.PID - b.PID })
	return out
}

// count begins to count the distinct processes that are found alive.
func (f *finder) count() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = map[proc.Ident]bool{}
}

// counted is how many there were since.
func (f *finder) counted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.seen)
}

// pids are all that were ever found, for what they left behind.
func (f *finder) pids() map[int]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.known)
}

// scan looks for the live processes of the display.
func (f *finder) scan() ([]Process, error) {
	f.mu.Lock()
	ask := f.ask
	f.mu.Unlock()
	var asked []int
	if ask != nil {
		asked = ask()
	}
	table, err := proc.Processes()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// Most of a machine's processes are older than the display and need no look.
	since := f.sinceLocked()
	signed := append(table.WithEnv(f.sign, f.mark, since), table.Writing(since, f.logs...)...)
	set := f.seedLocked(table, signed, asked)
	f.growLocked(table, set)
	return f.labelLocked(table, set), nil
}

// sinceLocked is when the first process of the display started, 0 when none is
// known.
func (f *finder) sinceLocked() uint64 {
	oldest := uint64(0)
	for id := range f.started {
		if oldest == 0 || id.Start < oldest {
			oldest = id.Start
		}
	}
	return oldest
}

// seedLocked is what a sign of its own shows to be ours. Who is merely connected
// to the server or a bus counts only when it is younger than the display: an
// accessibility tool, a test or a daemon that was there before is a visitor.
func (f *finder) seedLocked(table proc.Table, signed []proc.Ident, asked []int) map[int]bool {
	strangers := strangers(table)
	set := map[int]bool{}
	put := func(e proc.Entry, ok bool) {
		if ok && !strangers[e.PID] {
			set[e.PID] = true
		}
	}
	for _, id := range signed {
		e, ok := table[id.PID]
		put(e, ok && e.Start == id.Start)
	}
	for id := range f.started {
		e, ok := table[id.PID]
		put(e, ok && e.Start == id.Start)
	}
	oldest := f.sinceLocked()
	for _, pid := range asked {
		e, ok := table[pid]
		put(e, ok && oldest > 0 && e.Start >= oldest)
	}
	return set
}

// strangers are this process and its ancestors, which no sign makes ours to end.
func strangers(table proc.Table) map[int]bool {
	out := map[int]bool{0: true, 1: true}
	for pid := os.Getpid(); pid > 1 && !out[pid]; pid = table[pid].Parent {
		out[pid] = true
	}
	return out
}

// growLocked adds what descends from the set and what is in a group or session
// that one of the set leads or led. A leader's number that another process has by
// now leads nothing of ours.
func (f *finder) growLocked(table proc.Table, set map[int]bool) {
	strangers := strangers(table)
	for size := -1; size != len(set); {
		size = len(set)
		for pid := range set {
			if e := table[pid]; e.Group == pid || e.Session == pid {
				f.led[pid] = e.Start
			}
		}
		for pid, start := range f.led {
			if e, ok := table[pid]; ok && e.Start != start {
				delete(f.led, pid)
			}
		}
		ours := func(pid int) bool { _, ok := f.led[pid]; return ok }
		for pid, e := range table {
			if !strangers[pid] && (ours(e.Group) || ours(e.Session)) {
				set[pid] = true
			}
		}
		for _, id := range table.Descendants(slices.Collect(maps.Keys(set))...) {
			if !strangers[id.PID] {
				set[id.PID] = true
			}
		}
	}
}

// labelLocked lists the set by pid and says what each is.
func (f *finder) labelLocked(table proc.Table, set map[int]bool) []Process {
	out := make([]Process, 0, len(set))
	for _, pid := range slices.Sorted(maps.Keys(set)) {
		e := table[pid]
		f.known[pid] = true
		if f.seen != nil {
			f.seen[e.Ident] = true
		}
		out = append(out, Process{Ident: e.Ident, What: f.whatLocked(table, e), Name: e.Name})
	}
	return out
}

// whatLocked is what we started a process as, or its nearest ancestor, or the
// leader of its session: what a bus starts loses its parent but not that. All
// else is of the application.
func (f *finder) whatLocked(table proc.Table, e proc.Entry) What {
	at := e
	for range len(table) {
		if what, ok := f.started[at.Ident]; ok {
			return what
		}
		above, ok := table[at.Parent]
		if !ok {
			break
		}
		at = above
	}
	for id, what := range f.started {
		if id.PID == e.Session && f.led[id.PID] == id.Start {
			return what
		}
	}
	return WhatApp
}

// idents is scan as proc.EndAll wants it, of the processes that keep chooses.
func (f *finder) idents(keep func(Process) bool) func() ([]proc.Ident, error) {
	return func() ([]proc.Ident, error) {
		found, err := f.scan()
		if err != nil {
			return nil, err
		}
		var out []proc.Ident
		for _, p := range found {
			if keep(p) {
				out = append(out, p.Ident)
			}
		}
		return out, nil
	}
}
