package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	rest := " 1 77 88 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1 2 3"
	for _, c := range []struct {
		line, name string
		state      byte
		ok         bool
	}{
		{"42 (sh) S" + rest, "sh", 'S', true},
		{"42 (a b) (c)) Z" + rest, "a b) (c)", 'Z', true},
		{"42 () R" + rest, "", 'R', true},
		{"42 sh S" + rest, "", 0, false},
		{"42 (sh) S 1 2", "", 0, false},
		{"x (sh) S" + rest, "", 0, false},
		{"", "", 0, false},
	} {
		e, err := parseStat([]byte(c.line))
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if c.ok && (e.PID != 42 || e.Name != c.name || e.State != c.state || e.Parent != 1 || e.Group != 77 || e.Session != 88 || e.Start != 4711) {
			t.Errorf("%q: %+v", c.line, e)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (a b) (c)) Z 1 77 88 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := parseStat(line)
		if err != nil && e.PID != 0 && e.Start != 0 {
			t.Errorf("%q: %+v and %v", line, e, err)
		}
	})
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	self, err := IdentOf(os.Getpid())
	if err != nil || !self.Alive() || self.Start == 0 {
		t.Fatalf("%v %v", self, err)
	}
	if (Ident{PID: self.PID, Start: self.Start + 1}).Alive() {
		t.Error("another start time is another process")
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if _, err := IdentOf(pid); !errors.Is(err, ErrGone) {
			t.Errorf("pid %d: %v", pid, err)
		}
	}
}

func TestSignalSparesAReusedPID(t *testing.T) {
	t.Parallel()
	p := sh(t, `sleep 1000`, Spec{})
	old := Ident{PID: p.PID(), Start: p.Ident().Start - 1}
	if err := Signal(old, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("signal to the pid's earlier owner: %v", err)
	}
	n, err := EndAll(t.Context(), func() ([]Ident, error) { return []Ident{old}, nil })
	if n != 0 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	if !p.Ident().Alive() {
		t.Fatal("a stranger was killed")
	}
	if err := Signal(Ident{PID: os.Getpid()}, syscall.SIGTERM); err == nil {
		t.Error("signalled ourselves")
	}
}

// sleepers counts the processes that sleep for good.
func sleepers(ids []Ident) (n int) {
	for _, id := range ids {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id.PID))
		if string(line) == "sleep\x001000\x00" {
			n++
		}
	}
	return n
}

func TestWithEnvFindsWhatForked(t *testing.T) {
	t.Parallel()
	key, value := "PROC_TEST_MARK", strconv.Itoa(os.Getpid())+t.Name()
	p := sh(t, `(setsid sleep 1000 &) ; sleep 1000; :`, Spec{Env: []string{"PATH=/bin:/usr/bin", key + "=" + value}})
	other := sh(t, `sleep 1000; :`, Spec{Env: []string{"X" + key + "=" + value, key + "=" + value + "x"}})
	long := sh(t, `sleep 1000; :`, Spec{Env: []string{"FIRST=" + strings.Repeat("x", 100_000), key + "=" + value}})
	// The shells' helpers carry it for a moment, too: what stays is counted.
	var found []Ident
	until(t, "the five that stay carry the mark", func() bool {
		var err error
		if found, err = WithEnv(key, value); err != nil {
			t.Fatal(err)
		}
		return len(found) == 5 && sleepers(found) == 3
	})
	if !slices.Contains(found, long.Ident()) || !slices.Contains(found, p.Ident()) || slices.Contains(found, other.Ident()) {
		t.Errorf("found %v, started %v, other %v", found, p.Ident(), other.Ident())
	}
	if table, err := Processes(); err != nil || len(table.WithEnv(key, value, long.Ident().Start+1000)) > 0 {
		t.Errorf("found what started before: %v", err)
	}
	n, err := EndAll(t.Context(), func() ([]Ident, error) { return WithEnv(key, value) })
	if err != nil || n != 5 {
		t.Errorf("ended %d, %v", n, err)
	}
	for _, id := range found {
		if id.Alive() {
			t.Errorf("%v lives", id)
		}
	}
}

func TestDescendantsAndGroup(t *testing.T) {
	t.Parallel()
	p := sh(t, `sh -c 'sleep 1000; :' & setsid sleep 1000 & wait`, Spec{NewSession: true, Env: []string{"PATH=/bin:/usr/bin"}})
	var below []Ident
	until(t, "three descendants", func() bool {
		below, _ = Descendants(p.PID())
		table, err := Processes()
		if err != nil {
			t.Fatal(err)
		}
		return len(below) == 3 && len(table.Group(p.PID())) == 3 && len(table.Session(p.PID())) == 3
	})
	if slices.Contains(below, p.Ident()) {
		t.Error("a process is not its own descendant")
	}
	if _, err := EndAll(t.Context(), func() ([]Ident, error) { return Descendants(p.PID()) }); err != nil {
		t.Error(err)
	}
}

// A process that forks faster than one scan can follow is still ended.
func TestEndAllOutrunsAForker(t *testing.T) {
	t.Parallel()
	key, value := "PROC_TEST_FORKER", strconv.Itoa(os.Getpid())
	sh(t, `while :; do (sleep 1000 & sleep 0.01) & sleep 0.01; done`, Spec{Env: []string{"PATH=/bin:/usr/bin", key + "=" + value}})
	// Only those that stay are counted: the shell's helpers may be gone again
	// before anybody is ended.
	until(t, "five that stay", func() bool {
		found, err := WithEnv(key, value)
		return err == nil && sleepers(found) >= 5
	})
	n, err := EndAll(t.Context(), func() ([]Ident, error) { return WithEnv(key, value) })
	if err != nil || n < 5 {
		t.Errorf("ended %d, %v", n, err)
	}
	if left, err := WithEnv(key, value); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestEndAllStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	// A new process each time is found for ever.
	_, err := EndAll(ctx, func() ([]Ident, error) {
		p, err := Start(Spec{Path: "/bin/sleep", Args: []string{"1000"}})
		if err != nil {
			return nil, err
		}
		return []Ident{p.Ident()}, nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	boom := fmt.Errorf("no /proc")
	if _, err := EndAll(t.Context(), func() ([]Ident, error) { return nil, boom }); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
}

func TestLibraries(t *testing.T) {
	t.Parallel()
	p := sh(t, `sleep 1000; :`, Spec{Env: []string{"PATH=/bin:/usr/bin"}})
	has := func(part string) bool {
		libs, err := Libraries(p.PID())
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(libs, func(l string) bool { return strings.Contains(l, part) })
	}
	until(t, "libc is mapped", func() bool { return has("/libc.so") || has("/libc-") || has("musl") })
	if has("libgtk") {
		t.Error("a shell maps no toolkit")
	}
	if err := p.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(int) ([]string, error){Libraries, Environ} {
		if _, err := read(p.PID()); !errors.Is(err, ErrGone) {
			t.Errorf("of an ended process: %v", err)
		}
	}
}

func BenchmarkWithEnv(b *testing.B) {
	for b.Loop() {
		if _, err := WithEnv("PROC_TEST_MARK", "none"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProcesses(b *testing.B) {
	for b.Loop() {
		if _, err := Processes(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestWritingFindsWhatKeptTheLog(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/log"
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sh(t, `setsid env -i sleep 1000 & sleep 1000 >/dev/null 2>&1 & wait`, Spec{Env: []string{"PATH=/bin:/usr/bin"}, Log: f})
	find := func() ([]Ident, error) {
		table, err := Processes()
		return table.Writing(0, path), err
	}
	until(t, "the shell and one sleep write there", func() bool {
		found, err := find()
		return err == nil && len(found) == 2
	})
	if _, err := EndAll(t.Context(), find); err != nil {
		t.Error(err)
	}
}

func TestRemoveSegments(t *testing.T) {
	t.Parallel()
	since := time.Now()
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		maker int
		since time.Time
		want  int
	}{
		{"another's", os.Getppid(), since, 0},
		{"an older one", os.Getpid(), since.Add(time.Hour), 0},
		{"ours", os.Getpid(), since, 1},
		{"gone", os.Getpid(), since, 0},
	} {
		n, err := RemoveSegments(map[int]bool{c.maker: true}, c.since)
		if n != c.want || err != nil {
			t.Errorf("%s: removed %d, %v", c.name, n, err)
		}
	}
	if _, err := unix.SysvShmAttach(id, 0, 0); err == nil {
		t.Error("the segment is still there")
	}
}
