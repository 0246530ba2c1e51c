package proc

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Watch closes done when a process ends that need not be our child, and gives
// what ends the watch itself. Nothing runs meanwhile: the kernel makes the
// descriptor readable. The error wraps ErrGone when it has ended already.
func Watch(id Ident, done chan<- struct{}) (stop func(), err error) {
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		if errors.Is(err, unix.ESRCH) {
			err = ErrGone
		}
		return nil, fmt.Errorf("watch %s: %w", id, err)
	}
	if !id.Alive() { // the pid is somebody else's by now
		_ = unix.Close(fd)
		return nil, fmt.Errorf("watch %s: %w", id, ErrGone)
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
			_ = f.Close() // most watches are not stopped: they end with the process
		}
	})
	return func() { _ = f.Close(); over.Wait() }, nil
}

// Adopt gives a process that another one of ours started, whose output goes to
// a log file. It is not collected by us, so how it ends is not known; one that
// has ended already is given as ended. Release lets go of it.
func Adopt(id Ident, name, log string) (*Process, error) {
	p := &Process{
		id: id, name: name, session: true, done: make(chan struct{}), fed: make(chan struct{}),
		exit: ExitStatus{Code: -1, Unknown: true}, words: func() []string { return fileTail(log, 0) }, unwatch: func() {},
	}
	close(p.fed)
	stop, err := Watch(id, p.done)
	switch {
	case errors.Is(err, ErrGone):
		close(p.done)
	case err != nil:
		return nil, err
	default:
		p.unwatch = stop
	}
	return p, nil
}

// Release ends the watch of an adopted process, which lives on. Its Done is
// then never closed; a child of ours cannot be released.
func (p *Process) Release() {
	if p.unwatch != nil {
		p.unwatch()
	}
}
