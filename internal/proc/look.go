package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// maxEnviron bounds what is read of one environment: the kernel's own bound for
// arguments and environment together is 2 MiB with default limits.
const maxEnviron = 2 << 20

// gone turns the errors by which /proc says that a process ended into ErrGone.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

// Environ reads the environment a process was started with, as "KEY=value". A
// process may have written over it since.
func Environ(pid int) ([]string, error) {
	data, err := readEnviron(nil, pid)
	if err != nil {
		return nil, fmt.Errorf("environment of %d: %w", pid, err)
	}
	var out []string
	for entry := range bytes.SplitSeq(data, []byte{0}) {
		if len(entry) > 0 {
			out = append(out, string(entry))
		}
	}
	return out, nil
}

// WithEnv finds the processes whose environment carries key=value. What fork
// copies is found too. Processes whose environment this uid may not read
// (another user's, or one that made itself undumpable) are left out.
func WithEnv(key, value string) ([]Ident, error) {
	t, err := Processes()
	if err != nil {
		return nil, err
	}
	return t.WithEnv(key, value, 0), nil
}

// WithEnv is the function of that name for a table that was read already, and
// for processes that started at since (in an Ident's ticks) or later: what is
// older than the first process of a kind need not be looked at.
func (t Table) WithEnv(key, value string, since uint64) []Ident {
	want := append([]byte(key+"="+value), 0)
	buf := make([]byte, 0, 8<<10)
	return t.Where(func(e Entry) bool {
		if e.Start < since {
			return false
		}
		var err error
		buf, err = readEnviron(buf, e.PID)
		return err == nil && hasEntry(buf, want)
	})
}

// hasEntry looks for one NUL-terminated entry among an environment's.
func hasEntry(environ, want []byte) bool {
	for {
		at := bytes.Index(environ, want)
		if at < 0 {
			return false
		}
		if at == 0 || environ[at-1] == 0 {
			return true
		}
		environ = environ[at+1:]
	}
}

// How long a process that is becoming another program is waited for: the kernel
// is through in a fraction of a millisecond when nothing else wants the processor.
const (
	execLimit = time.Second
	execGap   = 200 * time.Microsecond
)

// readEnviron reads an environment into buf. The kernel shows none while it loads
// a program, and it tells whoever started one that it runs before that is over: a
// new process is waited for, so that it is not taken for one that has none.
func readEnviron(buf []byte, pid int) ([]byte, error) {
	for deadline := time.Now().Add(execLimit); ; time.Sleep(execGap) {
		var err error
		buf, err = readProc(buf, pid, "environ", maxEnviron)
		if err != nil || len(buf) > 0 || hasNone(pid) || time.Now().After(deadline) {
			return buf, err
		}
	}
}

// hasNone reports whether an environment that reads as empty is: the memory it
// would lie in is there and empty, or the process has none (a thread of the
// kernel, one that has ended).
func hasNone(pid int) bool {
	line, err := readProc(make([]byte, 0, maxStat), pid, "stat", maxStat)
	return err != nil || !loading(line)
}

// loading reads out of a line of /proc/<pid>/stat whether the process has memory
// but no empty environment in it yet.
func loading(line []byte) bool {
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	// As in parseStat; 23 is the size of the memory, 50 and 51 where the
	// environment begins and ends.
	const size, begin, end = 20, 47, 48
	if len(f) <= end || string(f[size]) == "0" {
		return false
	}
	return string(f[end]) == "0" || !bytes.Equal(f[begin], f[end])
}

// readProc reads one file of /proc/<pid> into buf, limit bytes at most. It makes
// three calls where os.ReadFile makes five: ending a display reads these files by
// the thousand.
func readProc(buf []byte, pid int, name string, limit int) ([]byte, error) {
	buf = buf[:0]
	fd, err := retry(func() (int, error) {
		return unix.Open("/proc/"+strconv.Itoa(pid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return buf, gone(err)
	}
	defer unix.Close(fd)
	for len(buf) < limit {
		buf = slices.Grow(buf, 2<<10)
		n, err := retry(func() (int, error) { return unix.Read(fd, buf[len(buf):cap(buf)]) })
		if err != nil {
			return buf, gone(err)
		}
		if n == 0 {
			break
		}
		buf = buf[:len(buf)+n]
		// These files are made whole at each read: one that did not fill what it was
		// given has ended, but for environ, which comes page by page.
		if name == "stat" && len(buf) < cap(buf) {
			break
		}
	}
	return buf, nil
}

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// Libraries lists the files a process has mapped (its program, its libraries,
// fonts, caches), each once, as absolute paths in the order of their first
// mapping. A mapped file that was deleted since is left out.
func Libraries(pid int) ([]string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return nil, fmt.Errorf("libraries of %d: %w", pid, gone(err))
	}
	seen := map[string]bool{}
	var out []string
	for line := range strings.Lines(string(data)) {
		at := strings.IndexByte(line, '/')
		if at < 0 {
			continue
		}
		path := strings.TrimRight(line[at:], "\n")
		if strings.HasSuffix(path, " (deleted)") || seen[path] {
			continue
		}
		seen[path] = true
		out = append(out, path)
	}
	return out, nil
}

// Writing finds the processes of a table, started at since or later, whose stdout
// or stderr is one of the files: what forks away from a program that logs there
// mostly keeps them, even when it empties its environment and leaves every group.
// Processes whose descriptors this uid may not see are left out.
func (t Table) Writing(since uint64, paths ...string) []Ident {
	return t.Where(func(e Entry) bool { return e.Start >= since && writes(e.PID, paths) })
}

// writes looks at descriptors 1 and 2 of a process.
func writes(pid int, paths []string) bool {
	for _, fd := range []string{"/fd/1", "/fd/2"} {
		if to, err := os.Readlink("/proc/" + strconv.Itoa(pid) + fd); err == nil && slices.Contains(paths, to) {
			return true
		}
	}
	return false
}
