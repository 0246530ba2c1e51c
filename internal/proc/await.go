package proc

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Await returns when one of the processes has ended, or with ctx's error. It
// holds a pidfd of each and sleeps in the kernel: waiting for a process of
// somebody else's costs nothing. With none it returns at once.
func Await(ctx context.Context, ids []Ident) error {
	fds := make([]unix.PollFd, 0, len(ids)+1)
	defer func() {
		for _, fd := range fds {
			_ = unix.Close(int(fd.Fd))
		}
	}()
	for _, id := range ids {
		fd, err := open(id)
		if errors.Is(err, ErrGone) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("wait for %s: %w", id, err)
		}
		fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	if len(fds) == 0 {
		return nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("wait for %d processes: %w", len(ids), err)
	}
	defer read.Close()
	stop := context.AfterFunc(ctx, func() { _ = write.Close() })
	defer func() {
		if stop() {
			_ = write.Close()
		}
	}()
	cancel, err := unix.Dup(int(read.Fd()))
	if err != nil {
		return fmt.Errorf("wait for %d processes: %w", len(ids), err)
	}
	fds = append(fds, unix.PollFd{Fd: int32(cancel), Events: unix.POLLIN})
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("wait for %d processes: %w", len(ids), err)
		}
		return ctx.Err()
	}
}
