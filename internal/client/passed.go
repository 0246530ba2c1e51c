package client

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
)

// maxPassed bounds the descriptors that wait to be taken: one is all that is
// ever on its way.
const maxPassed = 4

// passedConn is a connection that keeps the descriptors its peer passes along
// with what it writes.
type passedConn struct {
	net.Conn

	mu     sync.Mutex
	fds    []int
	closed bool
}

// Read reads bytes, and keeps descriptors that come with them.
func (c *passedConn) Read(b []byte) (int, error) {
	unix, ok := c.Conn.(*net.UnixConn)
	if !ok {
		return c.Conn.Read(b)
	}
	oob := make([]byte, syscall.CmsgSpace(4*maxPassed))
	n, size, _, _, err := unix.ReadMsgUnix(b, oob)
	if size > 0 {
		c.keep(oob[:size])
	}
	return max(n, 0), err // it is -1 when the connection ended
}

// keep takes the descriptors out of a control message.
func (c *passedConn) keep(oob []byte) {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			if c.closed || len(c.fds) >= maxPassed {
				_ = syscall.Close(fd)
				continue
			}
			c.fds = append(c.fds, fd)
		}
	}
}

// take gives the descriptor that came first, which is the caller's to close.
func (c *passedConn) take() (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.fds) == 0 {
		return 0, false
	}
	fd := c.fds[0]
	c.fds = c.fds[1:]
	return fd, true
}

// closeAll closes what was not taken, and what may still come.
func (c *passedConn) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, fd := range c.fds {
		_ = syscall.Close(fd)
	}
	c.fds = nil
}

// open maps the shared memory whose descriptor came with a note, in place of
// what there was.
func (w *Watching) open(size int) error {
	fd, ok := w.passed.take()
	if !ok {
		return errors.New("no descriptor came with it")
	}
	f := os.NewFile(uintptr(fd), "frames")
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// Reading beyond its end would end this process.
	if info.Size() < int64(size) {
		return fmt.Errorf("it has %d bytes, not %d", info.Size(), size)
	}
	mapped, err := syscall.Mmap(fd, 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unmapLocked()
	w.memory = mapped
	if w.closed {
		w.unmapLocked()
	}
	return nil
}

// unmapLocked lets the shared memory go.
func (w *Watching) unmapLocked() {
	if w.memory != nil {
		_ = syscall.Munmap(w.memory)
		w.memory = nil
	}
}
