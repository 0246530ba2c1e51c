package x11

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/shm"
	"golang.org/x/sys/unix"
)

const (
	// maxSegments bounds the segments kept for the next picture. Two let a live
	// view and a screenshot go on beside each other.
	maxSegments = 2

	// segmentStep rounds sizes up, so that a window that grows by a little does
	// not need another segment.
	segmentStep = 1 << 20
)

// segment is System V shared memory that the server writes pictures into.
type segment struct {
	id  shm.Seg
	buf []byte
}

// segmentPool keeps the segments of one connection. A segment is marked for
// removal as soon as both sides are attached, so that the kernel frees it when
// they are gone, however they went: none is ever left behind.
type segmentPool struct {
	mu      sync.Mutex
	idle    []*segment
	over    []*segment // detached here, to be detached by the server at the next take
	refused error      // the server will not attach: it is on another machine, or confined
	closed  bool
}

// take gives a segment of at least size bytes. It may only be used inside call.
func (p *segmentPool) take(x *xgb.Conn, ids *idPool, size int) (*segment, error) {
	p.mu.Lock()
	if p.refused != nil || p.closed {
		defer p.mu.Unlock()
		return nil, errors.Join(p.refused, errors.New("no shared memory"))
	}
	for n, s := range p.idle {
		if len(s.buf) >= size {
			p.idle = slices.Delete(p.idle, n, n+1)
			p.mu.Unlock()
			return s, nil
		}
	}
	for _, s := range p.idle { // too small, all of them
		p.dropLocked(s)
	}
	over := p.over
	p.idle, p.over = nil, nil
	p.mu.Unlock()
	for _, s := range over {
		shm.Detach(x, s.id)
		ids.give(uint32(s.id))
	}
	s, err := newSegment(x, ids, (size+segmentStep-1)/segmentStep*segmentStep)
	if errors.Is(err, errRefused) {
		p.mu.Lock()
		p.refused = err
		p.mu.Unlock()
	}
	return s, err
}

// put gives a segment back.
func (p *segmentPool) put(s *segment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= maxSegments {
		p.dropLocked(s)
		return
	}
	p.idle = append(p.idle, s)
}

func (p *segmentPool) dropLocked(s *segment) {
	_ = unix.SysvShmDetach(s.buf)
	s.buf = nil
	p.over = append(p.over, s)
}

// close lets go of every segment; those in use go when they are given back.
func (p *segmentPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var errs []error
	for _, s := range p.idle {
		errs = append(errs, unix.SysvShmDetach(s.buf))
	}
	p.idle = nil
	return errors.Join(errs...)
}

var errRefused = errors.New("the server does not attach shared memory")

func newSegment(x *xgb.Conn, ids *idPool, size int) (*segment, error) {
	key, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, 0o600|unix.IPC_CREAT)
	if err != nil {
		return nil, fmt.Errorf("get %d bytes of shared memory: %w", size, err)
	}
	remove := func() { _, _ = unix.SysvShmCtl(key, unix.IPC_RMID, nil) }
	buf, err := unix.SysvShmAttach(key, 0, 0)
	if err != nil {
		remove()
		return nil, fmt.Errorf("attach %d bytes of shared memory: %w", size, err)
	}
	id, err := ids.take(x)
	if err == nil {
		err = shm.AttachChecked(x, shm.Seg(id), uint32(key), false).Check()
		remove()
		if err != nil {
			ids.give(id)
			err = fmt.Errorf("%w: %w", errRefused, err)
		}
	} else {
		remove()
	}
	if err != nil {
		_ = unix.SysvShmDetach(buf)
		return nil, err
	}
	return &segment{id: shm.Seg(id), buf: buf}, nil
}

// handoff passes a filled segment from the goroutine that had it filled to the
// one that reads it, which may have given up waiting: then it goes back to the
// pool. Not before: the server may still be writing into it.
type handoff struct {
	pool  *segmentPool
	mu    sync.Mutex
	seg   *segment
	ended bool
}

func (h *handoff) give(s *segment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s == nil {
		return
	}
	if h.ended {
		h.pool.put(s)
		return
	}
	h.seg = s
}

// end returns the segment to the pool, now or as soon as it comes.
func (h *handoff) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	if h.seg != nil {
		h.pool.put(h.seg)
		h.seg = nil
	}
}
