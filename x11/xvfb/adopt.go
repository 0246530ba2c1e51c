package xvfb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"vibespace/internal/proc"
)

// Adopt takes over a server that an earlier process started. It proves that the
// record's process runs, that it is the one that listens on the display's
// socket, and that it accepts the recorded cookie; otherwise the error wraps
// ErrNotOurs and nothing was touched.
func Adopt(ctx context.Context, r Record) (*Server, error) {
	cookie, err := readCookie(cookiePath(r.Dir))
	if err != nil {
		return nil, fmt.Errorf("adopt display :%d: %w: %w", r.Number, ErrNotOurs, err)
	}
	s := &Server{record: r, cookie: cookie, done: make(chan struct{})}
	if s.stopIt, err = watch(r.Ident, s.done); err != nil {
		return nil, fmt.Errorf("adopt display :%d: %w: %w", r.Number, ErrNotOurs, err)
	}
	if err := handshake(ctx, r, cookie); err != nil {
		s.stopIt()
		return nil, fmt.Errorf("adopt display :%d: %w: %w", r.Number, ErrNotOurs, err)
	}
	return s, nil
}

// watch closes done when the process ends, and returns what ends the watch
// itself. Nothing runs meanwhile: the kernel makes the descriptor readable.
func watch(id proc.Ident, done chan<- struct{}) (stop func(), err error) {
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		if errors.Is(err, unix.ESRCH) {
			err = proc.ErrGone
		}
		return nil, fmt.Errorf("watch %s: %w", id, err)
	}
	if !id.Alive() { // the pid is somebody else's by now
		_ = unix.Close(fd)
		return nil, fmt.Errorf("watch %s: %w", id, proc.ErrGone)
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	raw, err := f.SyscallConn()
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("watch %s: %w", id, err)
	}
	var over sync.WaitGroup
	over.Go(func() {
		err := raw.Read(func(fd uintptr) bool {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return err == nil && n > 0
		})
		if err == nil {
			close(done)
		}
	})
	return func() { _ = f.Close(); over.Wait() }, nil
}
