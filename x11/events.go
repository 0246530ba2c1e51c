package x11

import (
	"sync"
	"sync/atomic"

	"github.com/jezek/xgb"
)

// subscription is one consumer's share of the events of a connection.
type subscription struct {
	// C carries the events in order. It is closed when the connection ends or
	// the subscription is closed.
	C <-chan xgb.Event

	ch      chan xgb.Event
	want    func(xgb.Event) bool
	dropped atomic.Bool
	hub     *hub
}

// lost tells, once, that events were dropped because the consumer was slower
// than they came: it must then read anew what it follows.
func (s *subscription) lost() bool { return s.dropped.Swap(false) }

// close ends the subscription and closes C. It may be called more than once.
func (s *subscription) close() { s.hub.remove(s) }

// hub hands the events of one connection to whoever subscribed. It never waits
// for a consumer: the library's reading goroutine, and with it every reply,
// stands still while events are not taken.
type hub struct {
	mu    sync.Mutex
	subs  map[*subscription]struct{}
	ended bool
}

// subscribe delivers the events that want accepts through a queue of the given
// size. want runs on the pump for every event of the connection: it must only
// look at the event. Root substructure events (map, unmap, configure, destroy
// of top levels) and MappingNotify always flow; anything else must be selected.
func (c *Conn) subscribe(want func(xgb.Event) bool, size int) *subscription {
	ch := make(chan xgb.Event, size)
	s := &subscription{C: ch, ch: ch, want: want, hub: &c.hub}
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	if c.hub.ended {
		close(ch)
		return s
	}
	if c.hub.subs == nil {
		c.hub.subs = map[*subscription]struct{}{}
	}
	c.hub.subs[s] = struct{}{}
	return s
}

func (h *hub) remove(s *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.subs[s]; ok {
		delete(h.subs, s)
		close(s.ch)
	}
}

func (h *hub) deliver(ev xgb.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		if !s.want(ev) {
			continue
		}
		select {
		case s.ch <- ev:
		default:
			s.dropped.Store(true)
		}
	}
}

func (h *hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	for s := range h.subs {
		delete(h.subs, s)
		close(s.ch)
	}
}

// pump takes events off the connection until it ends, which the library says
// by an event and an error that are both nil. Errors without an event belong to
// requests nobody waits for (a window that died meanwhile) and mean nothing.
func (c *Conn) pump() {
	for {
		ev, fault := c.x.WaitForEvent()
		if ev == nil && fault == nil {
			break
		}
		if ev != nil {
			c.hub.deliver(ev)
		}
	}
	c.hub.end()
	close(c.done)
}
