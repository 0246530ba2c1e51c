package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// Lines is a command that runs: its standard input is the test's to write, its
// standard output comes in lines.
type Lines struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte // closed at the end of standard output
	stderr bytes.Buffer
}

// Start begins a verb with --json that is answered in lines. It is ended with
// the test at the latest.
func (c *Caller) Start(args ...string) *Lines {
	c.t.Helper()
	l := &Lines{t: c.t, lines: make(chan []byte, 1000)}
	l.cmd = exec.Command(c.w.program(c.program), append([]string{"--json"}, args...)...)
	l.cmd.Dir, l.cmd.Env, l.cmd.Stderr = c.w.Work, append(slices.Clip(c.w.env), c.env...), &l.stderr
	var err error
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		c.t.Fatal(err)
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer close(l.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				l.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	c.t.Cleanup(func() {
		if l.cmd.ProcessState == nil {
			_ = l.cmd.Process.Kill()
			_ = l.cmd.Wait()
		}
	})
	return l
}

// Say writes lines to the command.
func (l *Lines) Say(lines ...string) {
	l.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(l.in, line+"\n"); err != nil {
			l.t.Fatalf("say %s: %v", line, err)
		}
	}
}

// Next is the next answer.
func (l *Lines) Next() Reply {
	l.t.Helper()
	select {
	case line, ok := <-l.lines:
		if !ok {
			l.t.Fatalf("no more answers: %s", l.stderr.String())
		}
		r := Reply{JSON: line}
		if err := json.Unmarshal(line, &r); err != nil {
			l.t.Fatalf("an answer is no JSON object: %v: %s", err, line)
		}
		return r
	case <-time.After(soon):
		l.t.Fatalf("no answer comes: %s", l.stderr.String())
		return Reply{}
	}
}

// Interrupt sends what Ctrl-C does.
func (l *Lines) Interrupt() {
	l.t.Helper()
	if err := l.cmd.Process.Signal(os.Interrupt); err != nil {
		l.t.Fatal(err)
	}
}

// End closes the command's input and gives its exit status. No answer may be
// left.
func (l *Lines) End() int {
	l.t.Helper()
	_ = l.in.Close()
	for line := range l.lines {
		l.t.Errorf("one more answer: %s", line)
	}
	_ = l.cmd.Wait()
	return l.cmd.ProcessState.ExitCode()
}
