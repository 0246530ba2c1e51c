package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// Where the registry listens for who listens to what.
const (
	registryPath  = dbus.ObjectPath("/org/a11y/atspi/registry")
	registryIface = "org.a11y.atspi.Registry"
)

const (
	// maxPending bounds the events nobody took yet. A busy window makes some
	// hundred a second; what is beyond is better read anew than followed.
	maxPending = 4096
	// maxPendingBytes bounds their paths and names, which a hostile peer can
	// make 64 KiB long each.
	maxPendingBytes = 1 << 20
)

// Register tells every application of the bus, now and later, that this
// connection wants to hear of changes, and starts the registry if need be. It
// lasts as long as the connection. Applications look at their start: GTK 4.8
// tells nothing to whom it found nobody listening, and Electron and WebKitGTK
// build no tree. So it comes before the application.
func (c *Conn) Register(ctx context.Context) error {
	if c.registered.Load() {
		return nil
	}
	if err := c.wakeRegistry(ctx); err != nil {
		return err
	}
	for _, class := range []string{"object:", "window:", "focus:", "document:"} {
		const method = registryIface + ".RegisterEvent"
		err := c.call(ctx, registryName, registryPath, method, []any{class, []string{}, ""})
		if err != nil && !errors.Is(err, ErrClosed) {
			// Before at-spi2-core 2.44 it took the class alone.
			err = c.call(ctx, registryName, registryPath, method, []any{class})
		}
		if err != nil {
			return fmt.Errorf("register for %s events: %w", class, err)
		}
	}
	c.registered.Store(true)
	return nil
}

// wakeRegistry starts the registry unless it runs. The bus is asked first
// because it starts only what it has a service file for, whoever has the name.
func (c *Conn) wakeRegistry(ctx context.Context) error {
	var there bool
	if err := c.call(ctx, busName, busPath, busName+".NameHasOwner", []any{registryName}, &there); err != nil {
		return fmt.Errorf("is the registry there: %w", err)
	}
	if there {
		return nil
	}
	return c.StartRegistry(ctx)
}

// Filter says which events a subscription takes; the zero value is all.
type Filter struct {
	Bus   string // bus name of the one application; empty: every one
	Kinds []Kind // only these; empty: every kind
	// Relevant decides which events [Events.Settle] waits for; nil is
	// [Event.Relevant]. It runs for every event and must return at once.
	Relevant func(Event) bool
}

// takes reports whether the filter lets an event through.
func (f *Filter) takes(e Event) bool {
	if f.Bus != "" && e.Source.Bus != f.Bus {
		return false
	}
	return len(f.Kinds) == 0 || slices.Contains(f.Kinds, e.Kind)
}

// Batch is what came since the last one, in order.
type Batch struct {
	Events []Event
	// Overflow says that Lost events were dropped before the first of Events:
	// nothing that was known of the tree may be trusted.
	Overflow bool
	Lost     int
}

// Events is a subscription. Events that nobody takes are coalesced, and beyond
// a bound dropped and marked, so that it never grows whatever applications do.
// Its methods are safe for concurrent use; one goroutine should take.
type Events struct {
	conn   *Conn
	filter Filter
	remove func()
	rules  []string
	once   sync.Once
	done   chan struct{} // closed by Close
	ready  chan struct{} // holds one token while something is pending

	mu      sync.Mutex // guards what is below; never held over a call
	queue   []Event
	pending map[eventKey]int // place in queue of the events that coalesce
	bytes   int
	lost    int
	seq     uint64
	moves   uint64        // relevant events so far
	moved   time.Time     // when the last of them came
	wake    chan struct{} // closed at the next of them; nil when nobody waits
}

// eventKey is what coalescing events have in common.
type eventKey struct {
	source Ref
	kind   Kind
	detail string
}

// matchRules are the signals that make events. Names that leave are wanted so
// that a tree whose application ended is known to be void.
var matchRules = []string{
	"type='signal',interface='" + eventPrefix + "Object'",
	"type='signal',interface='" + eventPrefix + "Window'",
	"type='signal',interface='" + eventPrefix + "Document'",
	"type='signal',interface='" + eventPrefix + "Focus'",
	"type='signal',interface='" + interfacePrefix + "Cache'",
	"type='signal',sender='" + busName + "',member='NameOwnerChanged',arg2=''",
}

// Subscribe begins to collect events. It registers the connection if that was
// not done. ctx bounds the call; the subscription lives until Close or until
// the connection ends.
func (c *Conn) Subscribe(ctx context.Context, filter Filter) (*Events, error) {
	if err := c.Register(ctx); err != nil {
		return nil, err
	}
	if filter.Relevant == nil {
		filter.Relevant = Event.Relevant
	}
	e := &Events{
		conn: c, filter: filter, done: make(chan struct{}), ready: make(chan struct{}, 1),
		pending: map[eventKey]int{},
	}
	e.remove = c.signals.add(e.take)
	for _, rule := range matchRules {
		if err := c.call(ctx, busName, busPath, busName+".AddMatch", []any{rule}); err != nil {
			_ = e.Close() // the first fault is the one that matters
			return nil, fmt.Errorf("match %s: %w", rule, err)
		}
		e.rules = append(e.rules, rule)
	}
	return e, nil
}

// Close ends the subscription and wakes whoever waits on it with [ErrClosed].
// It may be called more than once.
func (e *Events) Close() error {
	var fault error
	e.once.Do(func() {
		e.remove()
		close(e.done)
		for _, rule := range e.rules {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			err := e.conn.call(ctx, busName, busPath, busName+".RemoveMatch", []any{rule})
			cancel()
			if errors.Is(err, ErrClosed) {
				break // the rules went with the connection
			}
			if err != nil && fault == nil {
				fault = fmt.Errorf("drop a match rule: %w", err)
			}
		}
	})
	return fault
}

// take is called for each signal of the connection, in order, from the
// goroutine that reads the socket.
func (e *Events) take(sig *dbus.Signal) {
	ev, ours := parseEvent(sig)
	if !ours || !e.filter.takes(ev) {
		return
	}
	ev.At = time.Now()
	relevant := e.filter.Relevant(ev)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seq++
	ev.Seq = e.seq
	if relevant {
		e.moves++
		e.moved = ev.At
		if e.wake != nil {
			close(e.wake)
			e.wake = nil
		}
	}
	e.pushLocked(ev)
	select {
	case e.ready <- struct{}{}:
	default:
	}
}

// pushLocked keeps an event until somebody takes it.
func (e *Events) pushLocked(ev Event) {
	key := eventKey{ev.Source, ev.Kind, ev.Detail}
	if ev.coalesces() {
		if i, there := e.pending[key]; there {
			ev.Count += e.queue[i].Count
			e.queue[i] = ev
			return
		}
	}
	size := len(ev.Source.Bus) + len(ev.Source.Path) + len(ev.Child.Bus) + len(ev.Child.Path) + len(ev.Detail)
	if len(e.queue) >= maxPending || e.bytes+size > maxPendingBytes {
		// Whoever takes must read everything anew, so what is pending is
		// worth nothing either; what comes from here on is.
		for i := range e.queue {
			e.lost += e.queue[i].Count
		}
		clear(e.queue)
		clear(e.pending)
		e.queue, e.bytes = e.queue[:0], 0
	}
	e.bytes += size
	if ev.coalesces() {
		e.pending[key] = len(e.queue)
	}
	e.queue = append(e.queue, ev)
}

// Take returns what is pending without waiting; nothing is an empty Batch.
func (e *Events) Take() Batch {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := Batch{Events: e.queue, Overflow: e.lost > 0, Lost: e.lost}
	e.queue, e.bytes, e.lost = nil, 0, 0
	clear(e.pending)
	return b
}

// Next waits until something is pending and returns it. It ends with ctx's
// error, or with [ErrClosed] when the subscription or the connection ended.
func (e *Events) Next(ctx context.Context) (Batch, error) {
	for {
		select {
		case <-e.ready:
			if b := e.Take(); b.Overflow || len(b.Events) > 0 {
				return b, nil
			}
		case <-ctx.Done():
			return Batch{}, ctx.Err()
		case <-e.done:
			return Batch{}, ErrClosed
		case <-e.conn.Done():
			return Batch{}, ErrClosed
		}
	}
}
