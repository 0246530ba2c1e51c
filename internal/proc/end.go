package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How ending waits: for the killed to disappear, and between two scans that found
// nothing (a process may be forking while the first one looks).
const (
	deathWait = 50 * time.Millisecond
	scanGap   = 2 * time.Millisecond
)

// Signal sends a signal to this very process. The error is ErrGone when it has
// ended, whoever has its pid now.
func Signal(id Ident, sig syscall.Signal) error {
	fd, err := open(id)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); err != nil {
		return fmt.Errorf("signal %s: %w", id, gone(err))
	}
	return nil
}

// open gets a pidfd of this very process: the descriptor holds on to whichever
// process has the pid, and the start time read afterwards proves it is ours.
func open(id Ident) (int, error) {
	if id.PID <= 1 || id.PID == os.Getpid() {
		return -1, fmt.Errorf("signal %s: not ours to end", id)
	}
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err != nil {
		return -1, fmt.Errorf("signal %s: %w", id, gone(err))
	}
	if !id.Alive() {
		unix.Close(fd)
		return -1, fmt.Errorf("signal %s: %w", id, ErrGone)
	}
	return fd, nil
}

// EndAll kills everything find returns, again and again until two scans in a row
// find nothing, and returns how many distinct processes it killed. Our own
// process and pid 1 are never among them. The error is that of a scan, of a kill
// that is not permitted, or ctx's when something would not die in time.
func EndAll(ctx context.Context, find func() ([]Ident, error)) (killed int, err error) {
	seen := map[Ident]bool{}
	for quiet := 0; quiet < 2; {
		found, err := find()
		if err != nil {
			return len(seen), fmt.Errorf("end processes: %w", err)
		}
		round, err := kill(found)
		for _, id := range round.hit {
			seen[id] = true
		}
		pause := scanGap
		if round.waiting() {
			quiet, pause = 0, deathWait
		} else if err == nil {
			quiet++
		}
		round.await(pause)
		if err != nil {
			return len(seen), fmt.Errorf("end processes: %w", err)
		}
		if quiet < 2 && ctx.Err() != nil {
			return len(seen), fmt.Errorf("end processes (%d left): %w", len(found), context.Cause(ctx))
		}
	}
	return len(seen), nil
}

// round is one pass of killing: who was hit, and the descriptors that tell of
// their end.
type round struct {
	hit []Ident
	fds []unix.PollFd
}

// kill sends KILL to all that still live. What may not be killed is an error,
// after the rest was.
func kill(found []Ident) (round, error) {
	var r round
	var errs []error
	for _, id := range found {
		if id.PID <= 1 || id.PID == os.Getpid() {
			continue
		}
		fd, err := open(id)
		if err == nil {
			if err = gone(unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)); err != nil {
				unix.Close(fd)
			}
		}
		switch {
		case err == nil:
			r.hit = append(r.hit, id)
			r.fds = append(r.fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		case !errors.Is(err, ErrGone):
			errs = append(errs, fmt.Errorf("kill %s: %w", id, err))
		}
	}
	return r, errors.Join(errs...)
}

// waiting reports whether somebody was hit.
func (r *round) waiting() bool { return len(r.fds) > 0 }

// await returns when all that were hit have ended, at the latest after d, and
// closes the descriptors.
func (r *round) await(d time.Duration) {
	if len(r.fds) == 0 {
		time.Sleep(d)
		return
	}
	until := time.Now().Add(d)
	left := r.fds
	for len(left) > 0 {
		wait := time.Until(until)
		if wait <= 0 {
			break
		}
		n, err := unix.Poll(left, int(wait.Milliseconds())+1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
		if n <= 0 {
			continue
		}
		rest := make([]unix.PollFd, 0, len(left))
		for _, p := range left {
			if p.Revents == 0 {
				rest = append(rest, p)
			}
		}
		left = rest
	}
	for _, p := range r.fds {
		unix.Close(int(p.Fd))
	}
}
