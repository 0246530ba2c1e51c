package need

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is one line of the process table, as much of it as a verdict needs.
type process struct {
	pid, ppid int
	state     byte
	start     uint64
	cmdline   string
	why       string // what ties it to the run
}

// String names a process for the person who reads the failure.
func (p process) String() string {
	line := p.cmdline
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return fmt.Sprintf("process %d (%s): %s", p.pid, p.why, line)
}

// readProcess reads one process; ok is false when it is gone.
func readProcess(pid int) (p process, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	// The command's name may hold spaces and brackets: fields begin after the
	// last closing one.
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return process{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 {
		return process{}, false
	}
	p = process{pid: pid, state: fields[0][0]}
	p.ppid, _ = strconv.Atoi(fields[1])
	p.start, _ = strconv.ParseUint(fields[19], 10, 64)
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	p.cmdline = strings.TrimSpace(strings.ReplaceAll(string(raw), "\x00", " "))
	if p.cmdline == "" {
		p.cmdline = "[" + string(stat[bytes.IndexByte(stat, '(')+1:end]) + "]"
	}
	return p, true
}

// alive is false for what has ended and waits to be reaped.
func (p process) alive() bool { return p.state != 'Z' && p.state != 'X' }

// processes reads the whole process table.
func processes() map[int]process {
	table := map[int]process{}
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			table[pid] = p
		}
	}
	return table
}

// marked says how a process carries the run's directory: in its environment,
// or in an argument. Applications get an environment made from nothing, but
// their runtime directory, cookie or home lies in the run's directory.
func marked(pid int, dir string) string {
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if bytes.Contains(environ, []byte(dir)) {
		return "its environment names this run"
	}
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if bytes.Contains(args, []byte(dir)) {
		return "an argument names this run"
	}
	return ""
}

// descends reports whether pid has root among its ancestors.
func descends(table map[int]process, pid, root int) bool {
	for range len(table) {
		p, ok := table[pid]
		if !ok || p.ppid <= 1 {
			return false
		}
		if p.ppid == root {
			return true
		}
		pid = p.ppid
	}
	return false
}

// belonging lists the living processes of a run: descendants of root, and
// whatever carries dir. root 0 asks for the mark alone.
func belonging(dir string, root int) []process {
	table := processes()
	var found []process
	for pid, p := range table {
		if pid == os.Getpid() || !p.alive() {
			continue
		}
		switch {
		case root != 0 && descends(table, pid, root):
			p.why = "a descendant of these tests"
		default:
			p.why = marked(pid, dir)
		}
		// A person who looks into the directory from a shell is no leak:
		// arguments count only for what has lost its parent or is ours anyway.
		if p.why == "" || (strings.HasPrefix(p.why, "an argument") && p.ppid != 1) {
			continue
		}
		found = append(found, p)
	}
	return found
}
