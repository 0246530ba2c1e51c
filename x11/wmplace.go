package x11

import (
	"github.com/jezek/xgb/xproto"
)

// place decides where a window is shown first, and how large. The first window
// of an application is its main one and goes to the monitor's corner, so that
// its coordinates are the display's. What belongs to another window, and a
// dialog of nobody, is centred over it.
func (m *WM) place(c *client) Rect {
	w, h := c.hints.Fit(min(c.rect.W, m.monitor.W), min(c.rect.H, m.monitor.H))
	over := m.clients[c.parent]
	if over == nil && m.isDialog(c) {
		over = m.leading()
	}
	if over == nil {
		return Rect{m.monitor.X, m.monitor.Y, w, h}
	}
	return keptIn(centred(w, h, over.rect), m.monitor)
}

// isDialog tells whether a window is one that comes and goes beside a main one.
func (m *WM) isDialog(c *client) bool {
	return c.parent != 0 || m.isKind(c, "_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_SPLASH",
		"_NET_WM_WINDOW_TYPE_UTILITY")
}

// isMain tells whether a window that is about to be shown is a main one. The
// first may be a dialog: for some programs it is all there is.
func (m *WM) isMain(c *client) bool {
	return !m.isDialog(c) || (m.leading() == nil && !m.isKind(c, "_NET_WM_WINDOW_TYPE_SPLASH"))
}

// leading gives the window that a dialog of nobody appears over: the one that
// was used last, else the first.
func (m *WM) leading() *client {
	if len(m.recent) > 0 {
		return m.clients[m.recent[len(m.recent)-1]]
	}
	if len(m.order) > 0 {
		return m.clients[m.order[0]]
	}
	return nil
}

// target gives the rectangle a window should have now, by its pin, its state,
// and what it asked for.
func (m *WM) target(c *client) Rect {
	if c.pin != nil {
		w, h := c.hints.Fit(c.pin.w, c.pin.h)
		return Rect{m.monitor.X, m.monitor.Y, w, h}
	}
	r := c.free
	full := c.states[m.conn.atom("_NET_WM_STATE_FULLSCREEN")]
	if full || c.states[m.conn.atom("_NET_WM_STATE_MAXIMIZED_HORZ")] {
		r.X, r.W = m.monitor.X, m.monitor.W
	}
	if full || c.states[m.conn.atom("_NET_WM_STATE_MAXIMIZED_VERT")] {
		r.Y, r.H = m.monitor.Y, m.monitor.H
	}
	return r
}

// centred gives a rectangle of the size in the middle of another.
func centred(w, h int, over Rect) Rect {
	return Rect{over.X + (over.W-w)/2, over.Y + (over.H-h)/2, w, h}
}

// keptIn moves a rectangle into another, by as little as it takes. One that is
// larger begins where the other begins, so that its title and first controls
// are seen.
func keptIn(r, bounds Rect) Rect {
	r.X = max(bounds.X, min(r.X, bounds.X+bounds.W-r.W))
	r.Y = max(bounds.Y, min(r.Y, bounds.Y+bounds.H-r.H))
	return r
}

// kinOf tells whether a window belongs, over any number of steps, to another.
func (m *WM) kinOf(c *client, ancestor xproto.Window) bool {
	for range maxDepth { // parents may be stated in a circle
		if c == nil || c.parent == 0 {
			return false
		}
		if c.parent == ancestor {
			return true
		}
		c = m.clients[c.parent]
	}
	return false
}
