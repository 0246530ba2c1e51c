package x11

import (
	"sync"

	"github.com/jezek/xgb"
)

// maxFreeIDs bounds the identifiers kept for reuse.
const maxFreeIDs = 1024

// idPool hands out resource identifiers and takes them back. A connection has
// about two million, and the library never reuses one: a picture a frame would
// end a long-lived connection in hours.
type idPool struct {
	mu   sync.Mutex
	free []uint32
}

// take gives an unused identifier.
func (p *idPool) take(x *xgb.Conn) (uint32, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		return id, nil
	}
	return x.NewId()
}

// give returns an identifier whose resource the server has been asked to free.
// The request that frees it must have been made before.
func (p *idPool) give(id uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFreeIDs {
		p.free = append(p.free, id)
	}
}
