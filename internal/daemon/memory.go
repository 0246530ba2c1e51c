package daemon

import (
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
)

const (
	// memoryDir is where memory that two processes share comes from: a file
	// there lies in no disk.
	memoryDir = "/dev/shm"
	// memorySlots is how many pictures it holds: as many as a viewer may have
	// that it did not acknowledge, so that none is written over.
	memorySlots = 2
	// maxMemory bounds what one viewer's takes: two pictures of a screen of
	// 3840x2160. What is larger goes through the socket.
	maxMemory = 2 * 3840 * 2160 * 4
)

// memory is the pixels that a viewer reads without their passing the socket.
type memory struct {
	file *os.File
	buf  []byte
	slot int
	// fresh is true until the descriptor was passed on.
	fresh bool
	// off is why there is none; pixels then go through the socket.
	off error
}

// slotFor gives room for n bytes, and where it lies; nil when there is none.
func (m *memory) slotFor(n int) ([]byte, int) {
	if m.off == nil && n*memorySlots > len(m.buf) {
		m.off = m.grow(n)
	}
	if m.off != nil {
		return nil, 0
	}
	each := len(m.buf) / memorySlots
	m.slot = (m.slot + 1) % memorySlots
	at := m.slot * each
	return m.buf[at : at+n], at
}

// grow makes memory for pictures of n bytes, in place of what there was. A
// viewer keeps what it was passed before: it may still be reading it.
func (m *memory) grow(n int) error {
	size := memorySlots * ((n + 4095) &^ 4095)
	if size > maxMemory {
		return fmt.Errorf("%d bytes of shared memory are more than a viewer gets", size)
	}
	m.close()
	f, err := os.CreateTemp(memoryDir, "vibespace-")
	if err != nil {
		return err
	}
	// Nothing but the descriptors keeps it: it is gone with them.
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return err
	}
	// Room is taken now: memory that is not there when it is written to would
	// end the daemon.
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(size)); err != nil {
		f.Close()
		return fmt.Errorf("take %d bytes of %s: %w", size, memoryDir, err)
	}
	buf, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		f.Close()
		return fmt.Errorf("map %d bytes of shared memory: %w", size, err)
	}
	m.file, m.buf, m.fresh = f, buf, true
	return nil
}

// close lets it go.
func (m *memory) close() {
	if m.buf != nil {
		_ = syscall.Munmap(m.buf)
		m.buf = nil
	}
	if m.file != nil {
		_ = m.file.Close()
		m.file = nil
	}
}

// passing sends descriptors with the next bytes of a connection.
type passing struct {
	mu      sync.Mutex
	pending []int
}

// pass has a descriptor go along with what is written next. It has to stay open
// until then.
func (p *passing) pass(fd int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = append(p.pending, fd)
}

// take gives what is to go along now.
func (p *passing) take() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	fds := p.pending
	p.pending = nil
	return fds
}

// Write writes to the connection, descriptors that are to go along with it.
func (p peer) Write(b []byte) (int, error) {
	unix, ok := p.Conn.(*net.UnixConn)
	if !ok || p.passing == nil || len(b) == 0 {
		return p.Conn.Write(b)
	}
	fds := p.passing.take()
	if len(fds) == 0 {
		return p.Conn.Write(b)
	}
	n, _, err := unix.WriteMsgUnix(b, syscall.UnixRights(fds...), nil)
	if err != nil || n == len(b) {
		return n, err
	}
	more, err := p.Conn.Write(b[n:])
	return n + more, err
}
