package acceptance

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Left is what there is of a world at one moment: what a window that ended may
// leave nothing of.
type Left struct {
	// Processes are those of displays and applications, the daemon excepted.
	Processes []string
	// Displays are sockets and locks of X servers.
	Displays []string
	// Segments is SysV shared memory made by a process of the world.
	Segments []string
	// Files are the files, sockets and directories of displays: buses, homes,
	// cookies, logs.
	Files []string
}

// Empty says whether nothing is left.
func (l Left) Empty() bool {
	return len(l.Processes)+len(l.Displays)+len(l.Segments)+len(l.Files) == 0
}

// Beyond is what l has and base has not.
func (l Left) Beyond(base Left) Left {
	return Left{
		Processes: without(l.Processes, base.Processes), Displays: without(l.Displays, base.Displays),
		Segments: without(l.Segments, base.Segments), Files: without(l.Files, base.Files),
	}
}

func without(list, base []string) []string {
	var rest []string
	for _, s := range list {
		if !slices.Contains(base, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// String lists what is left.
func (l Left) String() string {
	var b strings.Builder
	for _, kind := range []struct {
		name string
		list []string
	}{{"process", l.Processes}, {"display", l.Displays}, {"segment", l.Segments}, {"file", l.Files}} {
		for _, s := range kind.list {
			fmt.Fprintf(&b, "\n  %s %s", kind.name, s)
		}
	}
	return b.String()
}

// Count counts what there is now.
func (w *World) Count() Left {
	w.t.Helper()
	table := w.look()
	var l Left
	for _, p := range table {
		if !p.daemon(w) {
			l.Processes = append(l.Processes, p.String())
		}
	}
	l.Displays = w.displays()
	l.Segments = w.segments()
	l.Files = w.files()
	return l
}

// Clean waits until nothing is left beyond base, and fails the test when
// something stays.
func (w *World) Clean(t testing.TB, base Left) {
	t.Helper()
	if left := w.settled(base); !left.Empty() {
		t.Errorf("left behind: %s", left)
	}
}

// settled counts until nothing is left beyond base, or for long enough: a kernel
// takes its time to take a process away.
func (w *World) settled(base Left) Left {
	w.t.Helper()
	left := w.Count().Beyond(base)
	for end := time.Now().Add(soon); !left.Empty() && time.Now().Before(end); left = w.Count().Beyond(base) {
		time.Sleep(20 * time.Millisecond)
	}
	return left
}

// process is one process of a world.
type process struct {
	pid, ppid int
	start     string // in ticks since the machine began
	cmdline   string
	why       string
}

// mineLocked says whether a pid is that of a process that was this world's: one
// that lives must have begun when ours did.
func (w *World) mineLocked(pid int) bool {
	start, ours := w.ours[pid]
	if !ours {
		return false
	}
	fields := statOf(pid)
	return fields == nil || fields[startField] == start
}

// startField is when a process began, among what statOf gives.
const startField = 19

// statOf gives what the kernel tells of a process after its name: its state, its
// parent and so on; nil when it is gone.
func statOf(pid int) []string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= startField {
		return nil
	}
	return fields
}

// String names a process.
func (p process) String() string { return fmt.Sprintf("%d (%s): %.160s", p.pid, p.why, p.cmdline) }

// daemon says whether a process is the daemon itself: it may stay.
func (p process) daemon(w *World) bool {
	path, _, _ := strings.Cut(p.cmdline, " ")
	return filepath.Base(path) == "vibespaced" && p.why == "environment"
}

// look finds the processes of the world: those that carry its directory in
// their environment, command line, working directory or open files, and what
// descends from them.
func (w *World) look() []process { return w.scan(true) }

// scan is look; one that is not thorough leaves open files out, which cost as
// much as all the rest on a machine with many processes.
func (w *World) scan(thorough bool) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[int]process{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() {
			if p, ok := w.read(pid, thorough); ok {
				all[pid] = p
			}
		}
	}
	for grew := true; grew; {
		grew = false
		for pid, p := range all {
			if up, ok := all[p.ppid]; p.why == "" && ok && up.why != "" {
				p.why = "child of " + strconv.Itoa(p.ppid)
				all[pid] = p
				grew = true
			}
		}
	}
	var list []process
	w.mu.Lock()
	defer w.mu.Unlock()
	for pid, p := range all {
		if p.why != "" {
			w.ours[pid] = p.start
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b process) int { return a.pid - b.pid })
	return list
}

// process reads one process and what ties it to the world; false when it has
// ended.
func (w *World) process(pid int) (process, bool) { return w.read(pid, true) }

// lives says whether a pid is that of a process of the world, which somebody
// else's may have by now.
func (w *World) lives(pid int) bool {
	p, there := w.process(pid)
	return there && p.why != ""
}

// read is process, with a look at its open files when it is thorough.
func (w *World) read(pid int, thorough bool) (process, bool) {
	at := fmt.Sprintf("/proc/%d/", pid)
	fields := statOf(pid)
	if fields == nil || fields[0] == "Z" || fields[0] == "X" {
		return process{}, false
	}
	p := process{pid: pid, start: fields[startField]}
	p.ppid, _ = strconv.Atoi(fields[1])
	cmdline, _ := os.ReadFile(at + "cmdline")
	p.cmdline = strings.TrimSpace(strings.ReplaceAll(string(cmdline), "\x00", " "))
	environ, _ := os.ReadFile(at + "environ")
	cwd, _ := os.Readlink(at + "cwd")
	switch {
	case bytes.Contains(environ, []byte(w.Dir+"/")):
		p.why = "environment"
	case bytes.Contains(cmdline, []byte(w.Dir+"/")):
		p.why = "command line"
	case strings.HasPrefix(cwd, w.Dir+"/"):
		p.why = "working directory"
	case thorough && w.holds(at):
		p.why = "open file"
	}
	return p, true
}

// holds says whether a process has a file of the world open.
func (w *World) holds(at string) bool {
	fds, _ := os.ReadDir(at + "fd")
	for _, fd := range fds {
		if path, _ := os.Readlink(at + "fd/" + fd.Name()); strings.HasPrefix(path, w.Dir+"/") {
			return true
		}
	}
	return false
}

// see remembers which server has a display: another world's may have the
// number next.
func (w *World) see(display string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	number := strings.TrimPrefix(display, ":")
	if pid := lockedBy(number); pid != 0 {
		w.servers[number] = pid
	}
}

// displays lists the sockets and locks of servers of the world.
func (w *World) displays() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	locks, _ := filepath.Glob("/tmp/.X*-lock")
	for _, path := range locks {
		number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), ".X"), "-lock")
		info, err := os.Lstat(path)
		if err != nil || info.ModTime().Before(w.since) {
			continue
		}
		if pid := lockedBy(number); w.mineLocked(pid) {
			w.servers[number] = pid
		}
	}
	for number, pid := range w.servers {
		now := lockedBy(number)
		if now == pid {
			list = append(list, "/tmp/.X"+number+"-lock")
		}
		// A socket without a lock is nobody else's: a server locks first.
		if _, err := os.Lstat("/tmp/.X11-unix/X" + number); err == nil && (now == pid || now == 0) {
			list = append(list, "/tmp/.X11-unix/X"+number)
		}
	}
	slices.Sort(list)
	return list
}

// lockedBy is the pid in the lock of a display, 0 without one.
func lockedBy(number string) int {
	text, _ := os.ReadFile("/tmp/.X" + number + "-lock")
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// segments lists the shared memory that a process of the world made.
func (w *World) segments() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	table, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(table)) {
		const id, size, maker, changed = 1, 3, 4, 13
		f := strings.Fields(line)
		if len(f) <= changed {
			continue
		}
		if at, err := strconv.ParseInt(f[changed], 10, 64); err != nil || at < w.since.Unix() {
			continue
		}
		if pid, err := strconv.Atoi(f[maker]); err == nil && w.mineLocked(pid) {
			list = append(list, fmt.Sprintf("%s of %s bytes by %d", f[id], f[size], pid))
		}
	}
	return list
}

// standing are the files of the daemon itself, in the runtime directory and in
// the state directory.
var standing = []string{
	"run/api.sock", "run/owner", "run/runtime.lock", "run/start.lock", "run/displays",
	"state/state.db", "state/state.db-wal", "state/state.db-shm", "state/state.lock",
	"state/vibespaced.log", "state/vibespaced.crash",
}

// files lists what lies in the runtime and the state directory besides what the
// daemon itself keeps there, the pictures that were asked for and the trace.
func (w *World) files() []string {
	var list []string
	for _, dir := range []string{w.Runtime, w.State} {
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(w.Dir, path)
			if rel == "state/pictures" || rel == "state/trace" || rel == "state/browsers" { // profiles that have a name are kept
				return fs.SkipDir
			}
			if err == nil && path != dir && !slices.Contains(standing, rel) {
				list = append(list, rel)
			}
			return nil // what vanishes meanwhile is not left
		})
	}
	return list
}
