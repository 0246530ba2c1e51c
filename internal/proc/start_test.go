package proc

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a loaded machine may take for what takes it a moment.
const patience = 60 * time.Second

// sh starts a shell script with the environment given and ends it with the test.
func sh(t *testing.T, script string, spec Spec) *Process {
	t.Helper()
	spec.Path, spec.Args = "/bin/sh", []string{"-c", script}
	p, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background(), 0); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ended waits for a process's end.
func ended(t *testing.T, p *Process) ExitStatus {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatal("still runs")
	}
	st, ok := p.Exit()
	if !ok {
		t.Fatal("done and no exit status")
	}
	return st
}

// lines collects what a process wrote.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// until polls for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestExitStatusAndLastWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		want         ExitStatus
		words        []string
	}{
		{"status", `echo out; echo "no display" >&2; exit 3`, ExitStatus{Code: 3}, []string{"no display"}},
		{"signal", `kill -9 $$`, ExitStatus{Code: -1, Signal: syscall.SIGKILL}, []string{}},
		{"bytes", `printf 'a\377b\033[1m\r\n\n\tc' >&2`, ExitStatus{}, []string{"a\uFFFDb[1m", "\tc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := sh(t, c.script, Spec{})
			if st := ended(t, p); st != c.want {
				t.Errorf("ended with %v, want %v", st, c.want)
			}
			if got := p.LastWords(); strings.Join(got, "|") != strings.Join(c.words, "|") {
				t.Errorf("last words %q, want %q", got, c.words)
			}
		})
	}
}

func TestLastWordsAreBounded(t *testing.T) {
	t.Parallel()
	p := sh(t, `i=0; while [ $i -lt 500 ]; do echo "line $i" >&2; i=$((i+1)); done; head -c 100000 /dev/zero | tr '\0' x >&2`, Spec{})
	ended(t, p)
	words := p.LastWords()
	if n := len(strings.Join(words, "\n")); len(words) != 1 || n > maxWordBytes {
		t.Errorf("%d lines, %d bytes", len(words), n)
	}
}

func TestEnvironmentIsOnlyWhatIsGiven(t *testing.T) {
	t.Setenv("PROC_TEST_SECRET", "s3cret")
	for _, env := range [][]string{nil, {"GIVEN=1"}} {
		p := sh(t, `sleep 60`, Spec{Env: env})
		got, err := Environ(p.PID())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, ",") != strings.Join(env, ",") {
			t.Errorf("environment %q, want %q", got, env)
		}
	}
}

// A process that was only just started read as one without an environment, once
// in some hundreds: the kernel was still loading its program.
func TestEnvironmentIsThereFromTheStart(t *testing.T) {
	t.Parallel()
	const key, value = "PROC_TEST_FRESH", "1"
	for range 200 {
		p, err := Start(Spec{Path: "/bin/sleep", Args: []string{"1000"}, Env: []string{key + "=" + value}})
		if err != nil {
			t.Fatal(err)
		}
		id := p.Ident()
		got, err := Environ(id.PID)
		if err != nil || len(got) != 1 || got[0] != key+"="+value {
			t.Errorf("environment %q, %v", got, err)
		}
		if err := Signal(id, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		ended(t, p)
	}
}

// What has no environment for good is not waited for.
func TestLoading(t *testing.T) {
	t.Parallel()
	line := func(size, begin, end string) []byte {
		f := strings.Fields("S 1 77 88 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 0")
		f[20], f[47], f[48] = size, begin, end
		return []byte("42 (a b) (c)) " + strings.Join(f, " "))
	}
	for _, c := range []struct {
		name string
		line []byte
		want bool
	}{
		{"it is being loaded", line("421888", "0", "0"), true},
		{"it was a moment ago", line("421888", "4000", "4008"), true},
		{"it has an empty one", line("421888", "4000", "4000"), false},
		{"a thread of the kernel, or a zombie", line("0", "0", "0"), false},
		{"a line that is cut", line("421888", "0", "0")[:60], false},
		{"nothing", nil, false},
	} {
		if got := loading(c.line); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestStartOfNothing(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/nonexistent/program", "sh", "/etc/passwd"} {
		if p, err := Start(Spec{Path: path}); err == nil || p != nil {
			t.Errorf("started %q", path)
		}
	}
}

func TestLogGetsBothStreams(t *testing.T) {
	t.Parallel()
	var log lines
	p := sh(t, `echo one; echo two >&2`, Spec{Log: &log})
	ended(t, p)
	if got := log.String(); !strings.Contains(got, "one\n") || !strings.Contains(got, "two\n") {
		t.Errorf("log %q", got)
	}
}

func TestLogFileOutlivesItsReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("of an earlier process\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := sh(t, `echo one; echo two >&2; exit 1`, Spec{Log: f})
	f.Close()
	ended(t, p)
	if got := strings.Join(p.LastWords(), "|"); got != "one|two" {
		t.Errorf("last words %q", got)
	}
}

// A program that forks a daemon leaves its stderr open in the daemon: the end of
// the program is still seen at once, and Stop ends the daemon when it stayed in
// the group.
func TestHeldPipeDoesNotHoldTheEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script string }{
		{"same group", `sleep 1000 & echo $! ; echo bye >&2; exit 7`},
		{"own session", `setsid sleep 1000 & echo $! ; echo bye >&2; exit 7`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log lines
			p := sh(t, c.script, Spec{Log: &log, Env: []string{"PATH=/usr/bin:/bin", "HELD=" + t.Name()}})
			if st := ended(t, p); st.Code != 7 {
				t.Errorf("ended with %v", st)
			}
			if got := p.LastWords(); len(got) == 0 || got[len(got)-1] != "bye" {
				t.Errorf("last words %q", got)
			}
			if err := p.Stop(t.Context(), time.Second); err != nil {
				t.Error(err)
			}
			left, err := Group(p.PID())
			if err != nil || len(left) > 0 {
				t.Errorf("left in the group: %v %v", left, err)
			}
			if _, err := EndAll(t.Context(), func() ([]Ident, error) { return WithEnv("HELD", t.Name()) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// slowLines is a log that takes its time.
type slowLines struct{ lines }

func (l *slowLines) Write(p []byte) (int, error) {
	time.Sleep(300 * time.Millisecond)
	return l.lines.Write(p)
}

// The end of a program was announced a tenth of a second after it at the latest,
// also when its last words were still on their way: a machine that was busy lost
// them. Who holds the pipe and writes on without an end holds nothing up.
func TestTheEndComesAfterTheLastWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script string }{
		{"held", `sleep 1000 & echo first >&2; sleep 0.1; echo bye >&2; exit 7`},
		{"written to", `yes >&2 & echo bye >&2; exit 7`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			log := &slowLines{}
			p := sh(t, c.script, Spec{Log: log, Env: []string{"PATH=/usr/bin:/bin"}})
			if st := ended(t, p); st.Code != 7 {
				t.Errorf("ended with %v", st)
			}
			if !strings.Contains(log.String(), "bye\n") {
				t.Errorf("it ended, and the log has %q", log.String())
			}
		})
	}
}

func TestStopIsPoliteThenNot(t *testing.T) {
	t.Parallel()
	var log lines
	polite := sh(t, `trap 'echo asked; exit 4' TERM; echo ready; while :; do sleep 0.05; done`, Spec{Log: &log, Env: []string{"PATH=/bin:/usr/bin"}})
	until(t, "ready", func() bool { return strings.Contains(log.String(), "ready") })
	if err := polite.Stop(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if st := ended(t, polite); st.Code != 4 || !strings.Contains(log.String(), "asked") {
		t.Errorf("ended with %v, wrote %q", st, log.String())
	}
	var deafLog lines
	deaf := sh(t, `trap '' TERM; echo ready; while :; do sleep 0.05; done`, Spec{Log: &deafLog, NewSession: true, Env: []string{"PATH=/bin:/usr/bin"}})
	until(t, "ready", func() bool { return strings.Contains(deafLog.String(), "ready") })
	if err := deaf.Stop(t.Context(), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if st := ended(t, deaf); st.Signal != syscall.SIGKILL {
		t.Errorf("ended with %v", st)
	}
	if err := deaf.Stop(t.Context(), time.Second); err != nil {
		t.Errorf("second stop: %v", err)
	}
}

func TestStopKillsAFrozenProcess(t *testing.T) {
	t.Parallel()
	p := sh(t, `sleep 1000`, Spec{})
	if err := Signal(p.Ident(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(t.Context(), 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	st, err := Run(t.Context(), Spec{Path: "/bin/sh", Args: []string{"-c", "exit 5"}})
	if err != nil || st.Code != 5 {
		t.Errorf("%v %v", st, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, Spec{Path: "/bin/sleep", Args: []string{"1000"}}); err == nil {
		t.Error("a run outlived its context")
	}
}
