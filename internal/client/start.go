package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"vibespace/internal/api"
)

// startLimit bounds the start of a daemon: it listens within 0.1 s on an idle
// machine, and one on which everything waits for everything is given two hundred
// times that.
const startLimit = 20 * time.Second

// pollEvery is how often a lock or a socket that gives no event is looked at.
const pollEvery = 10 * time.Millisecond

// start runs a daemon, detached, and returns when it listens. Clients that
// start at the same time take turns, so that the later ones find the first
// one's daemon.
func (c *Client) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	unlock, err := c.turn(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if c.listens(ctx) {
		return nil
	}
	for {
		said, err := c.run(ctx)
		if err != nil {
			return err
		}
		if said.OK {
			c.mu.Lock()
			c.started = true
			c.mu.Unlock()
			return nil
		}
		// The directories are taken: by a daemon started by hand, which will
		// listen presently, or by one on its way down, which will let go.
		if said.Code != api.Busy || !pause(ctx) {
			return said.Error
		}
		if c.listens(ctx) {
			return nil
		}
	}
}

// turn takes the lock that makes starters take turns. It makes the runtime
// directory when it is missing.
func (c *Client) turn(ctx context.Context) (func(), error) {
	dir := c.cfg.Paths.Runtime
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, c.unreachable("no daemon runs and its directory cannot be made: %v", err).WithHint("vibespace doctor")
	}
	path := filepath.Join(dir, "start.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, c.unreachable("no daemon runs and none can be started: %v", err).WithHint("vibespace doctor")
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || !pause(ctx) {
			f.Close()
			return nil, c.unreachable("another command has been starting the daemon for %v", startLimit).WithHint("vibespace doctor")
		}
	}
}

// pause waits one poll; false when the time is over.
func pause(ctx context.Context) bool {
	t := time.NewTimer(pollEvery)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// listens says whether a daemon of ours accepts.
func (c *Client) listens(ctx context.Context) bool {
	conn, err := c.dial(ctx, "", "")
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// run starts the program and waits for the one line it says on its ready
// descriptor: that it listens, or the refusal it ends with.
func (c *Client) run(ctx context.Context) (api.Refusal, error) {
	path, err := c.daemonPath()
	if err != nil {
		return api.Refusal{}, c.unreachable("the daemon's program cannot be found: %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return api.Refusal{}, c.unreachable("no daemon runs and none can be started: %v", err)
	}
	defer r.Close()
	cmd := c.command(path, w)
	err = cmd.Start()
	w.Close()
	if err != nil {
		return api.Refusal{}, c.unreachable("no daemon runs and %s cannot be started: %v", path, root(err)).
			WithHint("make build, or put vibespaced beside this program")
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }() // reaped whenever it ends; not ours to end
	if deadline, ok := ctx.Deadline(); ok {
		r.SetReadDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, func() { r.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(r).ReadBytes('\n')
	var said api.Refusal
	if err == nil && json.Unmarshal(line, &said) == nil && (said.OK || said.Error != nil) {
		return said, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return api.Refusal{}, c.unreachable("vibespaced was started and does not listen yet").
			WithHint("its log is %s", c.cfg.Paths.LogFile())
	}
	return api.Refusal{}, c.unreachable("vibespaced ended at once: %s", ending(ctx, died)).WithHint("its log is %s", c.cfg.Paths.LogFile())
}

// command is the detached daemon: a session of its own, in /, with nothing of
// the caller's environment but what is listed, and no terminal.
func (c *Client) command(path string, ready *os.File) *exec.Cmd {
	cmd := exec.Command(path)
	if c.cfg.ConfigFile != "" {
		cmd.Args = append(cmd.Args, "--config", c.cfg.ConfigFile)
	}
	environ := c.cfg.Environ
	if environ == nil {
		environ = os.Environ()
	}
	cmd.Env = append(api.DaemonEnv(environ), api.ReadyFD+"=3",
		"VIBESPACE_SOCKET="+c.cfg.Paths.Socket,
		"VIBESPACE_RUNTIME_DIR="+c.cfg.Paths.Runtime,
		"VIBESPACE_STATE_DIR="+c.cfg.Paths.State)
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{ready} // becomes descriptor 3
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// ending says how a daemon that closed its ready descriptor without a word
// ended.
func ending(ctx context.Context, died <-chan error) string {
	select {
	case err := <-died:
		if err == nil {
			return "exit status 0"
		}
		return err.Error()
	case <-ctx.Done():
		return "without a word"
	}
}

// isReset says whether a connection broke under a request.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// root strips the address and the operation that Go's network errors repeat.
func root(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%w", p.Err)
	}
	return err
}

// Listens says whether a daemon of this user accepts on the socket. It starts
// none.
func (c *Client) Listens(ctx context.Context) bool { return c.listens(ctx) }
