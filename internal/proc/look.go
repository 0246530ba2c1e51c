package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

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
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, fmt.Errorf("environment of %d: %w", pid, gone(err))
	}
	var out []string
	for entry := range bytes.SplitSeq(data, []byte{0}) {
		if len(entry) > 0 {
			out = append(out, string(entry))
		}
	}
	return out, nil
}

// WithEnv finds the processes whose environment carries key=value, in one pass
// over /proc. What fork copies is found too. Processes whose environment this uid
// may not read (another user's, or one that made itself undumpable) are left out.
func WithEnv(key, value string) ([]Ident, error) {
	pids, err := pids()
	if err != nil {
		return nil, err
	}
	want := append([]byte(key+"="+value), 0)
	var out []Ident
	var buf bytes.Buffer
	for _, pid := range pids {
		if !hasEnv(&buf, pid, want) {
			continue
		}
		if e, err := readStat(pid); err == nil && !e.dead() {
			out = append(out, e.Ident)
		}
	}
	return out, nil
}

// hasEnv looks for one NUL-terminated entry in a process's environment.
func hasEnv(buf *bytes.Buffer, pid int, want []byte) bool {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	defer f.Close()
	buf.Reset()
	if _, err := buf.ReadFrom(io.LimitReader(f, maxEnviron)); err != nil {
		return false
	}
	data := buf.Bytes()
	for {
		at := bytes.Index(data, want)
		if at < 0 {
			return false
		}
		if at == 0 || data[at-1] == 0 {
			return true
		}
		data = data[at+1:]
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

// Writing finds the processes whose stdout or stderr is one of the files: what
// forks away from a program that logs there mostly keeps them, even when it
// empties its environment and leaves every group. Processes whose descriptors
// this uid may not see are left out.
func Writing(paths ...string) ([]Ident, error) {
	pids, err := pids()
	if err != nil {
		return nil, err
	}
	var out []Ident
	for _, pid := range pids {
		if !writes(pid, paths) {
			continue
		}
		if e, err := readStat(pid); err == nil && !e.dead() {
			out = append(out, e.Ident)
		}
	}
	return out, nil
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
