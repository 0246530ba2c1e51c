package x11

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Change is a kind of event about a top level window.
type Change uint8

// What a Watcher tells.
const (
	Mapped     Change = iota + 1
	Unmapped          // no longer shown; it may still exist
	Destroyed         // does not exist any more
	Configured        // moved, resized or restacked: Geometry says how it is now
	Retitled          // its title may be another
	// Lost says that events were dropped: what is followed must be read anew.
	// Its Window is 0.
	Lost
)

// String gives the change's name, lower case.
func (k Change) String() string {
	names := [...]string{"none", "mapped", "unmapped", "destroyed", "configured", "retitled", "lost"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("change %d", uint8(k))
}

// Event is one change of one top level window.
type Event struct {
	Change   Change
	Window   WindowID
	Geometry Rect // of Configured; without the border
}

const (
	// watchQueue is how many server events a watcher may be behind before some
	// are dropped; a window that is dragged makes hundreds a second.
	watchQueue = 512

	// maxPending bounds what waits for a slow reader, after coalescing. A
	// display has tens of windows.
	maxPending = 1024
)

// Watcher follows the top level windows of a display.
type Watcher struct {
	// C carries the changes in order. A reader that is slow finds several moves
	// or titles of one window made one, and after too many a Lost. It is closed
	// when the connection or the watch ends.
	C <-chan Event

	sub  *subscription
	stop chan struct{}
	once sync.Once
	over sync.WaitGroup
}

// Close ends the watch and closes C. It may be called more than once.
func (w *Watcher) Close() {
	w.once.Do(func() {
		w.sub.close()
		close(w.stop)
	})
	w.over.Wait()
}

// Watch follows the top level windows from now on, until Close or the end of the
// connection. ctx bounds the call only. Any number of watches may run.
func (c *Conn) Watch(ctx context.Context) (*Watcher, error) {
	if err := c.followTitles(ctx); err != nil {
		return nil, fmt.Errorf("watch %s: %w", c.display, err)
	}
	name, old := c.atom("_NET_WM_NAME"), xproto.Atom(xproto.AtomWmName)
	sub := c.subscribe(func(ev xgb.Event) bool {
		_, ok := c.change(ev, name, old)
		return ok
	}, watchQueue)
	out := make(chan Event)
	w := &Watcher{C: out, sub: sub, stop: make(chan struct{})}
	w.over.Go(func() {
		defer close(out)
		w.run(out, func(ev xgb.Event) Event { e, _ := c.change(ev, name, old); return e })
	})
	return w, nil
}

// run hands on what comes, keeping what the reader has not taken yet.
func (w *Watcher) run(out chan<- Event, read func(xgb.Event) Event) {
	var pending backlog
	for {
		var (
			head Event
			to   chan<- Event
		)
		if len(pending.events) > 0 {
			head, to = pending.events[0], out
		}
		select {
		case ev, ok := <-w.sub.C:
			if !ok {
				return
			}
			if w.sub.lost() {
				pending.add(Event{Change: Lost})
			}
			pending.add(read(ev))
		case to <- head:
			pending.events = pending.events[1:]
		case <-w.stop:
			return
		}
	}
}

// backlog is what a reader has not taken yet.
type backlog struct{ events []Event }

// add appends an event. A move or a title replaces an earlier one of the same
// window unless something else happened to that window between them. A Lost that
// waits stands for later ones, too: who takes it reads everything as it is then.
func (b *backlog) add(e Event) {
	if e.Change == Lost && slices.Contains(b.events, e) {
		return
	}
	if e.Change == Configured || e.Change == Retitled {
		for i := len(b.events) - 1; i >= 0; i-- {
			old := &b.events[i]
			if old.Window != e.Window {
				continue
			}
			if old.Change == e.Change {
				*old = e
				return
			}
			if old.Change != Configured && old.Change != Retitled {
				break
			}
		}
	}
	if len(b.events) >= maxPending {
		b.events = append(b.events[:0:0], Event{Change: Lost})
	}
	b.events = append(b.events, e)
}

// change reads a server event as a change of a top level.
func (c *Conn) change(ev xgb.Event, name, old xproto.Atom) (Event, bool) {
	switch v := ev.(type) {
	case xproto.MapNotifyEvent:
		return Event{Change: Mapped, Window: WindowID(v.Window)}, v.Event == c.root
	case xproto.UnmapNotifyEvent:
		return Event{Change: Unmapped, Window: WindowID(v.Window)}, v.Event == c.root
	case xproto.DestroyNotifyEvent:
		return Event{Change: Destroyed, Window: WindowID(v.Window)}, v.Event == c.root
	case xproto.ConfigureNotifyEvent:
		border := int(v.BorderWidth)
		return Event{
			Change: Configured, Window: WindowID(v.Window),
			Geometry: Rect{X: int(v.X) + border, Y: int(v.Y) + border, W: int(v.Width), H: int(v.Height)},
		}, v.Event == c.root && v.Window != c.root
	case xproto.PropertyNotifyEvent:
		return Event{Change: Retitled, Window: WindowID(v.Window)}, v.Window != c.root && (v.Atom == name || v.Atom == old)
	}
	return Event{}, false
}

// titles asks the server for the property changes of every top level, of those
// that exist and of those to come. It runs from the first watch to the end of
// the connection, once for all watches.
type titles struct {
	mu      sync.Mutex
	started bool
}

func (c *Conn) followTitles(ctx context.Context) error {
	c.titles.mu.Lock()
	defer c.titles.mu.Unlock()
	if c.titles.started {
		return nil
	}
	sub := c.subscribe(func(ev xgb.Event) bool {
		v, ok := ev.(xproto.CreateNotifyEvent)
		return ok && v.Parent == c.root && !v.OverrideRedirect
	}, watchQueue)
	if err := c.followExisting(ctx); err != nil {
		sub.close()
		return err
	}
	c.titles.started = true
	c.background.Go(func() {
		for ev := range sub.C {
			follow := func(x *xgb.Conn) error {
				if v, ok := ev.(xproto.CreateNotifyEvent); ok {
					followTitle(x, v.Window)
				}
				return nil
			}
			// The connection's end is the bound here: it closes sub.C, too.
			_ = c.do(context.Background(), follow)
			if sub.lost() {
				_ = c.followExisting(context.Background())
			}
		}
	})
	return nil
}

func (c *Conn) followExisting(ctx context.Context) error {
	return c.do(ctx, func(x *xgb.Conn) error {
		tree, err := xproto.QueryTree(x, c.root).Reply()
		if err != nil {
			return err
		}
		for _, w := range tree.Children {
			followTitle(x, w)
		}
		in, err := c.readFrames(x)
		if err != nil {
			return err
		}
		if in != nil {
			for w := range in.frame {
				followTitle(x, w)
			}
		}
		_, err = xproto.GetInputFocus(x).Reply() // from here on nothing is missed
		return err
	})
}

func followTitle(x *xgb.Conn, w xproto.Window) {
	xproto.ChangeWindowAttributes(x, w, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
}
