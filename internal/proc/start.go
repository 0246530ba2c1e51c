package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// drainTime bounds how long the end of a process waits for the rest of its output.
// All it wrote is in the pipe already, and what a child that kept the pipe open
// writes later is not waited for: only a writer that blocks makes this run out.
const drainTime = 5 * time.Second

// pipeSize is what a pipe of the kernel holds.
const pipeSize = 64 << 10

// Spec says what to start. Path alone is required.
type Spec struct {
	// Path is the program, absolute: nothing is looked up in anybody's PATH.
	Path string
	// Args follow the program's name.
	Args []string
	// Env is the whole environment, as "KEY=value"; nil is an empty one.
	Env []string
	// Dir is the working directory; empty is the root directory, so that no child
	// keeps the directory of whoever started us busy.
	Dir string
	// Log gets stdout and stderr; nil keeps only the last words of stderr. An
	// *os.File (opened to append) is handed to the process itself, which then goes on
	// writing when we die; any other writer is fed through a pipe that dies with us,
	// and must not block.
	Log io.Writer
	// ExtraFiles become descriptors 3, 4…; the caller closes its own copies.
	ExtraFiles []*os.File
	// Stdin is /dev/null when nil.
	Stdin *os.File
	// NewSession makes the process lead a session, not only a group.
	NewSession bool
}

// ExitStatus is how a process ended.
type ExitStatus struct {
	// Code is what it exited with, -1 when a signal ended it.
	Code int
	// Signal is what ended it, 0 when it exited.
	Signal syscall.Signal
	// Unknown is set for a process that was not our child: nobody told us. Code is
	// -1 then.
	Unknown bool
}

// String is "status 1" or "signal killed".
func (s ExitStatus) String() string {
	if s.Unknown {
		return "its status is not known: an earlier daemon started it"
	}
	if s.Signal != 0 {
		return "signal " + s.Signal.String()
	}
	return fmt.Sprintf("status %d", s.Code)
}

// Process is one child we started and collect, or one that was adopted. Its
// methods are safe for concurrent use.
type Process struct {
	id      Ident
	name    string
	session bool
	done    chan struct{}
	exit    ExitStatus // written before done is closed

	words func() []string
	pipe  *os.File      // our end of the output pipe, nil with a log file
	fed   chan struct{} // the output pipe was read to its end
	dry   chan struct{} // what was in the pipe at the process's end was read

	unwatch func() // ends the watch of an adopted one, nil for a child

	mu   sync.Mutex
	over bool // the group was seen empty after the leader's end: its number may be anybody's
}

// Start starts a process. It lives until it ends or Stop is called, whatever
// happens to us; it is collected (no zombie) while we live.
func Start(spec Spec) (*Process, error) {
	cmd := &exec.Cmd{
		Path: spec.Path, Args: append([]string{spec.Path}, spec.Args...), Env: spec.Env, Dir: spec.Dir,
		ExtraFiles:  spec.ExtraFiles,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: !spec.NewSession, Setsid: spec.NewSession},
	}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	if spec.Stdin != nil {
		cmd.Stdin = spec.Stdin
	}
	p := &Process{name: spec.Path, session: spec.NewSession, done: make(chan struct{}), fed: make(chan struct{}), dry: make(chan struct{})}
	child, err := p.connect(cmd, spec.Log)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	err = begin(cmd)
	if child != nil {
		child.Close()
	}
	if err != nil {
		p.closePipe()
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	// Nobody but wait collects it, so even a process that ended already has its
	// start time here.
	p.id, err = IdentOf(cmd.Process.Pid)
	if err != nil {
		p.id = Ident{PID: cmd.Process.Pid}
	}
	go p.wait(cmd)
	return p, nil
}

// connect gives the command its stdout and stderr and p its memory of them. The
// returned file is the child's and is to be closed after the start.
func (p *Process) connect(cmd *exec.Cmd, log io.Writer) (child *os.File, err error) {
	if f, ok := log.(*os.File); ok && f != nil {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		path, from := f.Name(), info.Size()
		p.words = func() []string { return fileTail(path, from) }
		cmd.Stdout, cmd.Stderr = f, f
		close(p.fed)
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	keep := &tail{}
	var sink io.Writer = keep
	if log != nil {
		sink = io.MultiWriter(keep, log)
		cmd.Stdout = w
	}
	cmd.Stderr = w
	p.words, p.pipe = keep.words, r
	go p.feed(sink)
	return w, nil
}

// feed copies the output pipe until nobody writes to it any more. It goes on when
// the writer fails: a full log must not stop the program that writes it. A read
// deadline is the process's end, told by wait: what is in the pipe then is read
// before dry is closed.
func (p *Process) feed(sink io.Writer) {
	defer close(p.fed)
	buf := make([]byte, 32<<10)
	for {
		n, err := p.pipe.Read(buf)
		_, _ = sink.Write(buf[:n])
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			p.empty(sink, buf)
			_ = p.pipe.SetReadDeadline(time.Time{})
			close(p.dry)
		case err != nil:
			return
		}
	}
}

// empty copies what is in the pipe and waits for nothing. It reads no more than a
// pipe holds: somebody may go on writing without an end.
func (p *Process) empty(sink io.Writer, buf []byte) {
	raw, err := p.pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		for left := pipeSize; left > 0; {
			n, err := retry(func() (int, error) { return unix.Read(int(fd), buf) })
			if err != nil || n <= 0 {
				return
			}
			_, _ = sink.Write(buf[:n])
			left -= n
		}
	})
}

// fileTail reads the last words in a log file, none from before from (an earlier
// process may have written there). A file that was cut since is read from its start.
func fileTail(path string, from int64) []string {
	f, err := os.Open(path)
	if err != nil {
		return []string{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return []string{}
	}
	if from > info.Size() {
		from = 0
	}
	from = max(from, info.Size()-maxWordBytes)
	text, _ := io.ReadAll(io.NewSectionReader(f, from, maxWordBytes))
	return lastLines(string(text))
}

// wait collects the process and announces its end.
func (p *Process) wait(cmd *exec.Cmd) {
	waitFor(cmd)
	p.exit = ExitStatus{Code: -1}
	if st := cmd.ProcessState; st != nil {
		p.exit.Code = st.ExitCode()
		if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			p.exit.Signal = ws.Signal()
		}
	}
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	if p.pipe != nil {
		_ = p.pipe.SetReadDeadline(time.Unix(1, 0))
	}
	select {
	case <-p.fed:
		p.closePipe()
	case <-p.dry:
	case <-timer.C:
	}
	close(p.done)
}

// closePipe gives up our end of the output pipe, if there is one.
func (p *Process) closePipe() {
	if p.pipe != nil {
		_ = p.pipe.Close()
	}
}

// Ident is the process's pid and start time.
func (p *Process) Ident() Ident { return p.id }

// PID is the process's pid, also its group's number (and its session's).
func (p *Process) PID() int { return p.id.PID }

// Done is closed when the process has ended and was collected.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit is how the process ended; false while it runs.
func (p *Process) Exit() (ExitStatus, bool) {
	select {
	case <-p.done:
		return p.exit, true
	default:
		return ExitStatus{}, false
	}
}

// LastWords are the last lines of its stderr, 20 lines and 4 KiB at most, valid
// UTF-8 without control characters; with a log file, of stdout and stderr.
func (p *Process) LastWords() []string { return p.words() }

// Stop ends the process and its group: TERM, after grace (or when the leader has
// ended) KILL until none is left. It returns when all are gone or ctx ends, and
// may be called again, also long after the end.
func (p *Process) Stop(ctx context.Context, grace time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil
	}
	if grace > 0 {
		p.term(ctx, grace)
	}
	if _, err := EndAll(ctx, p.members); err != nil {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return fmt.Errorf("stop %s: %w", p.name, context.Cause(ctx))
	}
	p.over = true
	p.closePipe()
	<-p.fed
	return nil
}

// term asks every member to end and waits for the leader, grace at most.
func (p *Process) term(ctx context.Context, grace time.Duration) {
	members, err := p.members()
	if err != nil {
		return
	}
	for _, id := range members {
		_ = Signal(id, syscall.SIGTERM)
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// members are the live processes of the group, and of the session where it leads
// one. A stranger that got the leader's pid after all of ours were gone makes the
// number his: then there are none.
func (p *Process) members() ([]Ident, error) {
	t, err := Processes()
	if err != nil {
		return nil, err
	}
	if now, ok := t[p.id.PID]; ok && now.Start != p.id.Start {
		return nil, nil
	}
	return t.Where(func(e Entry) bool {
		return e.Group == p.id.PID || (p.session && e.Session == p.id.PID)
	}), nil
}

// Run starts a short-lived process, waits for it and returns how it ended. When
// ctx ends first the process and its group are killed and the error says so.
func Run(ctx context.Context, spec Spec) (ExitStatus, error) {
	p, err := Start(spec)
	if err != nil {
		return ExitStatus{}, err
	}
	var cut error
	select {
	case <-p.Done():
	case <-ctx.Done():
		cut = fmt.Errorf("run %s: %w", spec.Path, context.Cause(ctx))
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := errors.Join(cut, p.Stop(clean, 0)); err != nil {
		return ExitStatus{}, err
	}
	return p.exit, nil
}
