package proc

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// Table is every live process of the machine at one moment, by pid. Zombies are
// left out: nothing can be done to them but wait, which is their parent's duty.
type Table map[int]Entry

// Processes reads /proc once. A process that ends meanwhile is left out.
func Processes() (Table, error) {
	pids, err := pids()
	if err != nil {
		return nil, err
	}
	t := make(Table, len(pids))
	for _, pid := range pids {
		if e, err := readStat(pid); err == nil && !e.dead() {
			t[pid] = e
		}
	}
	return t, nil
}

// pids lists the numbers in /proc.
func pids() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("read processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("read processes: %w", err)
	}
	out := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out, nil
}

// Where lists the processes that satisfy keep, by ascending pid.
func (t Table) Where(keep func(Entry) bool) []Ident {
	var out []Ident
	for _, e := range t {
		if keep(e) {
			out = append(out, e.Ident)
		}
	}
	slices.SortFunc(out, func(a, b Ident) int { return a.PID - b.PID })
	return out
}

// Descendants lists every process that has one of the pids among its ancestors,
// the pids themselves not included.
func (t Table) Descendants(pids ...int) []Ident {
	children := make(map[int][]int, len(t))
	for pid, e := range t {
		children[e.Parent] = append(children[e.Parent], pid)
	}
	below := map[int]bool{}
	queue := slices.Clone(pids)
	for len(queue) > 0 {
		pid := queue[0]
		queue = queue[1:]
		for _, child := range children[pid] {
			if !below[child] {
				below[child] = true
				queue = append(queue, child)
			}
		}
	}
	for _, pid := range pids {
		delete(below, pid)
	}
	return t.Where(func(e Entry) bool { return below[e.PID] })
}

// Group lists the members of a process group.
func (t Table) Group(leader int) []Ident {
	return t.Where(func(e Entry) bool { return e.Group == leader })
}

// Session lists the members of a session.
func (t Table) Session(leader int) []Ident {
	return t.Where(func(e Entry) bool { return e.Session == leader })
}

// Descendants reads the processes that have one of the pids among their ancestors.
func Descendants(pids ...int) ([]Ident, error) {
	t, err := Processes()
	if err != nil {
		return nil, err
	}
	return t.Descendants(pids...), nil
}

// Group reads the members of a process group.
func Group(leader int) ([]Ident, error) {
	t, err := Processes()
	if err != nil {
		return nil, err
	}
	return t.Group(leader), nil
}
