package x11

import (
	"context"
	"fmt"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	// pinQuiet is how long a pinned window must ask for nothing before its size
	// is taken as settled: toolkits answer a new size with requests of their own,
	// and what is read before that may not last.
	pinQuiet = 150 * time.Millisecond

	// pinLimit bounds that wait for an application that never stops asking.
	pinLimit = 2 * time.Second

	// maxAsserts bounds how often in a row a pinned size is set again after
	// something went around the window manager.
	maxAsserts = 20
)

// pin is the exact size one window is held at.
type pin struct {
	w, h     int
	asserted int      // how often in a row it was set again
	stripped int      // how often the steps were taken out of the hints
	hints    []uint32 // WM_NORMAL_HINTS as the application wrote it last
	activity chan struct{}
}

func newPin(w, h int) *pin { return &pin{w: w, h: h, activity: make(chan struct{}, 1)} }

// changed tells whoever waits for the pin, if there is one, that the window did
// something.
func (p *pin) changed() {
	if p == nil {
		return
	}
	select {
	case p.activity <- struct{}{}:
	default:
	}
}

// Pinned is what became of a pin.
type Pinned struct {
	// Want is the size asked for, Got the one the window has.
	WantW, WantH int
	GotW, GotH   int
	// Hints are the window's own limits; a pin goes to the nearest size that
	// they allow, whatever steps they state between sizes.
	Hints SizeHints
}

// Exact tells whether the window has the size asked for.
func (p Pinned) Exact() bool { return p.WantW == p.GotW && p.WantH == p.GotH }

// Pin holds a managed window at a size, in the monitor's corner, until Unpin: the
// application cannot change it, by itself or by going fullscreen. It returns
// when the window has settled, at the latest after two seconds, and says what
// size the window has then. The size is limited by the window's own minimum and
// maximum only. The pin holds whatever the outcome.
func (m *WM) Pin(ctx context.Context, id WindowID, w, h int) (Pinned, error) {
	out, err := m.pin(ctx, xproto.Window(id), w, h)
	if err != nil {
		return Pinned{}, fmt.Errorf("pin window %#x to %dx%d: %w", id, w, h, err)
	}
	return out, nil
}

func (m *WM) pin(ctx context.Context, id xproto.Window, w, h int) (Pinned, error) {
	if err := isSize(w, h); err != nil {
		return Pinned{}, err
	}
	p := newPin(w, h)
	found := false
	err := m.ask(ctx, func() {
		c := m.clients[id]
		if c == nil {
			return
		}
		found = true
		if c.pin != nil {
			p.hints = c.pin.hints
		}
		c.pin = p
		m.repin(c)
		m.move(c)
	})
	if err != nil {
		return Pinned{}, err
	}
	if !found {
		return Pinned{}, ErrNoWindow
	}
	if err := p.settle(ctx); err != nil {
		return Pinned{}, err
	}
	got, err := m.conn.Window(ctx, WindowID(id))
	if err != nil {
		return Pinned{}, err
	}
	return Pinned{WantW: w, WantH: h, GotW: got.Geometry.W, GotH: got.Geometry.H, Hints: got.Hints}, nil
}

func isSize(w, h int) error {
	if w < 1 || h < 1 || w > maxSide || h > maxSide {
		return fmt.Errorf("%dx%d is no size", w, h)
	}
	return nil
}

// PinNext pins the next main window to be shown, before it is shown, so that it
// is laid out once. Pin of that window then says what became of it.
func (m *WM) PinNext(ctx context.Context, w, h int) error {
	err := isSize(w, h)
	if err == nil {
		err = m.ask(ctx, func() { m.main = newPin(w, h) })
	}
	if err != nil {
		return fmt.Errorf("pin the next window to %dx%d: %w", w, h, err)
	}
	return nil
}

// settle waits until the window has been quiet for a while.
func (p *pin) settle(ctx context.Context) error {
	limit := time.NewTimer(pinLimit)
	defer limit.Stop()
	quiet := time.NewTimer(pinQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-p.activity:
			quiet.Reset(pinQuiet)
		case <-quiet.C:
			return nil
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// repin takes the steps out of a pinned window's size hints, since applications
// that state some snap to them by themselves. They may state them again.
func (m *WM) repin(c *client) {
	p := c.pin
	if p == nil {
		return
	}
	p.changed()
	if (c.hints.IncW < 2 && c.hints.IncH < 2) || p.stripped >= maxAsserts {
		return
	}
	p.stripped++
	p.hints = c.stated
	words := withoutSteps(c.stated)
	c.stated, c.hints = words, sizeHints(words)
	id := c.id
	m.emit(func(x *xgb.Conn) { setWords(x, id, xproto.AtomWmNormalHints, xproto.AtomWmSizeHints, words...) })
}

// Unpin lets a window go. It keeps its size until the application asks for
// another. A window that is not pinned, or not there, is fine.
func (m *WM) Unpin(ctx context.Context, id WindowID) error {
	err := m.ask(ctx, func() {
		c := m.clients[xproto.Window(id)]
		if c == nil || c.pin == nil {
			return
		}
		hints := c.pin.hints
		c.free, c.pin = c.rect, nil
		if hints != nil {
			c.stated, c.hints = hints, sizeHints(hints)
			m.emit(func(x *xgb.Conn) {
				setWords(x, xproto.Window(id), xproto.AtomWmNormalHints, xproto.AtomWmSizeHints, hints...)
			})
		}
		m.move(c)
	})
	if err != nil {
		return fmt.Errorf("unpin window %#x: %w", id, err)
	}
	return nil
}
