package page

import (
	"context"
	"sync/atomic"

	"vibespace/internal/api"
)

// maxQueued is how many operations of a browser may wait.
const maxQueued = 32

// gate lets one operation at a time into a browser, in the order they came.
type gate struct {
	turn    chan struct{} // holds one token while nobody is in
	waiting atomic.Int32
}

// init opens the gate.
func (g *gate) init() {
	g.turn = make(chan struct{}, 1)
	g.turn <- struct{}{}
}

// enter waits for its turn; leave gives it on.
func (g *gate) enter(ctx context.Context) error {
	select {
	case <-g.turn:
		return nil
	default:
	}
	if g.waiting.Add(1) > maxQueued {
		g.waiting.Add(-1)
		return api.Refuse(api.Busy, "%d operations wait for this browser already", maxQueued).WithHint("wait for an answer, then try again")
	}
	defer g.waiting.Add(-1)
	select {
	case <-g.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave lets the next one in.
func (g *gate) leave() { g.turn <- struct{}{} }
