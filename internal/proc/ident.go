package proc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// ErrGone says that a process ended, or that its pid belongs to another one now.
var ErrGone = errors.New("process is gone")

// Ident names one process for good: a pid alone is reused by the kernel, a pid
// with the time its process started is not. The zero Ident names nothing.
type Ident struct {
	// PID is the process id.
	PID int `json:"pid"`
	// Start is field 22 of /proc/<pid>/stat, in clock ticks since the machine booted.
	Start uint64 `json:"start"`
}

// String is "pid@start", for logs and errors.
func (id Ident) String() string { return fmt.Sprintf("%d@%d", id.PID, id.Start) }

// IdentOf reads the identity of the process that has the pid now; a process that
// has ended and was not waited for yet (a zombie) still has one. The error wraps
// ErrGone when there is none.
func IdentOf(pid int) (Ident, error) {
	s, err := readStat(pid)
	if err != nil {
		return Ident{}, err
	}
	return s.Ident, nil
}

// Alive reports whether this very process still runs; a zombie does not.
func (id Ident) Alive() bool {
	s, err := readStat(id.PID)
	return err == nil && s.Start == id.Start && !s.dead()
}

// Entry is one process as one pass over /proc saw it.
type Entry struct {
	Ident
	// Parent, Group and Session are the pids of the parent, the group's leader and
	// the session's leader.
	Parent, Group, Session int
	// Name is the kernel's name of the process, 15 bytes at most.
	Name string
	// State is the kernel's letter: R, S, D, T, Z…
	State byte
}

// dead reports a process that runs no code any more: it waits for its parent to
// collect it, and no signal changes that.
func (e Entry) dead() bool { return e.State == 'Z' || e.State == 'X' || e.State == 'x' }

// maxStat is more than a line of /proc/<pid>/stat ever has: 52 numbers and a name.
const maxStat = 2 << 10

// readStat reads one /proc/<pid>/stat.
func readStat(pid int) (Entry, error) {
	if pid <= 0 {
		return Entry{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	data, err := readProc(make([]byte, 0, maxStat), pid, "stat", maxStat)
	if err != nil {
		return Entry{}, fmt.Errorf("pid %d: %w", pid, err)
	}
	return parseStat(data)
}

// parseStat takes one line of /proc/<pid>/stat apart. The name stands in
// parentheses and may hold spaces and parentheses itself, so it ends at the last
// one; a library that scans the line by format costs some 40 µs a process, and
// ending a display reads every process of the machine several times.
func parseStat(line []byte) (Entry, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return Entry{}, fmt.Errorf("stat line %.40q: no name", line)
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line[:open])))
	if err != nil {
		return Entry{}, fmt.Errorf("stat line %.40q: %w", line, err)
	}
	f := bytes.Fields(line[end+1:])
	// Fields are counted from 3 (state) after the name; 22 is the start time.
	const state, ppid, pgrp, session, start = 0, 1, 2, 3, 19
	if len(f) <= start || len(f[state]) != 1 {
		return Entry{}, fmt.Errorf("stat line %.40q: %d fields", line, len(f))
	}
	e := Entry{Name: string(line[open+1 : end]), State: f[state][0]}
	e.PID = pid
	for _, n := range []struct {
		to *int
		at int
	}{{&e.Parent, ppid}, {&e.Group, pgrp}, {&e.Session, session}} {
		if *n.to, err = strconv.Atoi(string(f[n.at])); err != nil {
			return Entry{}, fmt.Errorf("stat of %d: %w", pid, err)
		}
	}
	if e.Start, err = strconv.ParseUint(string(f[start]), 10, 64); err != nil {
		return Entry{}, fmt.Errorf("stat of %d: %w", pid, err)
	}
	return e, nil
}
