package x11

import (
	"context"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// configureRequest answers a window that wants another place, size or order.
// One that is not managed gets what it asks for. Of a managed one the manager's
// answer is always told, even when nothing changes: toolkits wait for it.
func (m *WM) configureRequest(ev xproto.ConfigureRequestEvent) {
	c := m.clients[ev.Window]
	if c == nil {
		m.emit(func(x *xgb.Conn) { passThrough(x, ev) })
		return
	}
	asked := c.free
	for _, f := range []struct {
		flag uint16
		to   *int
		v    int
	}{
		{xproto.ConfigWindowX, &asked.X, int(ev.X)},
		{xproto.ConfigWindowY, &asked.Y, int(ev.Y)},
		{xproto.ConfigWindowWidth, &asked.W, int(ev.Width)},
		{xproto.ConfigWindowHeight, &asked.H, int(ev.Height)},
	} {
		if ev.ValueMask&f.flag != 0 {
			*f.to = f.v
		}
	}
	c.pin.changed()
	c.free = keptIn(asked, m.monitor)
	m.move(c)
	if ev.ValueMask&xproto.ConfigWindowStackMode != 0 && ev.ValueMask&xproto.ConfigWindowSibling == 0 {
		m.restack(c.id, ev.StackMode != xproto.StackModeBelow && ev.StackMode != xproto.StackModeBottomIf)
	}
}

// passThrough does what a window that is not managed asks for.
func passThrough(x *xgb.Conn, ev xproto.ConfigureRequestEvent) {
	var values []uint32
	for _, f := range []struct {
		flag uint16
		v    uint32
	}{
		{xproto.ConfigWindowX, uint32(int32(ev.X))},
		{xproto.ConfigWindowY, uint32(int32(ev.Y))},
		{xproto.ConfigWindowWidth, uint32(ev.Width)},
		{xproto.ConfigWindowHeight, uint32(ev.Height)},
		{xproto.ConfigWindowBorderWidth, uint32(ev.BorderWidth)},
		{xproto.ConfigWindowSibling, uint32(ev.Sibling)},
		{xproto.ConfigWindowStackMode, uint32(ev.StackMode)},
	} {
		if ev.ValueMask&f.flag != 0 {
			values = append(values, f.v)
		}
	}
	xproto.ConfigureWindow(x, ev.Window, ev.ValueMask, values)
}

// move brings a window to where it should be and tells it the outcome.
func (m *WM) move(c *client) {
	c.rect = m.target(c)
	m.apply(c)
}

// apply configures a window as the books say. Where that changes nothing the
// server says nothing, and where only the place changes it says it in other
// words than toolkits expect: the window is told in the manager's name, too.
func (m *WM) apply(c *client) {
	r, id := c.rect, c.id
	m.emit(func(x *xgb.Conn) {
		xproto.ConfigureWindow(x, id,
			xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight|
				xproto.ConfigWindowBorderWidth,
			[]uint32{uint32(int32(r.X)), uint32(int32(r.Y)), uint32(r.W), uint32(r.H), 0})
		ev := xproto.ConfigureNotifyEvent{
			Event: id, Window: id, X: int16(r.X), Y: int16(r.Y), Width: uint16(r.W), Height: uint16(r.H),
		}
		xproto.SendEvent(x, false, id, xproto.EventMaskStructureNotify, string(ev.Bytes()))
	})
}

// configured compares what became of a window with what it should be. They
// differ when something went around the manager.
func (m *WM) configured(ctx context.Context, ev xproto.ConfigureNotifyEvent) {
	c := m.clients[ev.Window]
	if c == nil || ev.Event != m.conn.root {
		return
	}
	got := Rect{int(ev.X), int(ev.Y), int(ev.Width), int(ev.Height)}
	if got == c.rect && ev.BorderWidth == 0 {
		if c.pin != nil {
			c.pin.asserted = 0
		}
		return
	}
	if c.pin == nil || c.pin.asserted >= maxAsserts {
		return
	}
	// Several of our own may be on their way: only the last one counts, and it
	// is read, not taken from the event.
	id := c.id
	now, err := query(ctx, m, func(x *xgb.Conn) (Rect, error) {
		g, err := xproto.GetGeometry(x, xproto.Drawable(id)).Reply()
		if err != nil {
			return Rect{}, err
		}
		return inside(g), nil
	})
	if err == nil && now != c.rect {
		c.pin.asserted++
		c.pin.changed()
		m.apply(c)
	}
}

// raise puts a window above the others, what it belongs to right below it, and
// what belongs to it above it.
func (m *WM) raise(c *client) {
	family := m.family(c)
	m.stack = slices.DeleteFunc(m.stack, func(w xproto.Window) bool { return slices.Contains(family, w) })
	m.stack = append(m.stack, family...)
	m.emit(func(x *xgb.Conn) {
		for _, id := range family {
			xproto.ConfigureWindow(x, id, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
		}
	})
}

// family gives the windows that come to the front with c, bottom to top: the
// one at the root of its dialogs, the others of that, c, and what belongs to c.
func (m *WM) family(c *client) []xproto.Window {
	root := c
	for range maxDepth {
		up := m.clients[root.parent]
		if up == nil || up == c {
			break
		}
		root = up
	}
	var below, above []xproto.Window
	for _, id := range m.stack {
		o := m.clients[id]
		switch {
		case o == root || o == c:
		case m.kinOf(o, c.id):
			above = append(above, id)
		case m.kinOf(o, root.id):
			below = append(below, id)
		}
	}
	if root == c {
		return append([]xproto.Window{c.id}, above...)
	}
	return slices.Concat([]xproto.Window{root.id}, below, []xproto.Window{c.id}, above)
}

// restack puts a window on top or at the bottom.
func (m *WM) restack(id xproto.Window, top bool) {
	c := m.clients[id]
	if c != nil && top {
		m.raise(c)
		return
	}
	mode := uint32(xproto.StackModeBelow)
	if top {
		mode = xproto.StackModeAbove
	}
	m.emit(func(x *xgb.Conn) { xproto.ConfigureWindow(x, id, xproto.ConfigWindowStackMode, []uint32{mode}) })
	if c != nil {
		m.stack = slices.DeleteFunc(m.stack, func(w xproto.Window) bool { return w == id })
		m.stack = slices.Insert(m.stack, 0, id)
	}
}

// readMonitor follows a change of the monitor: what fills it is fitted anew,
// and what belongs to other windows is kept on it.
func (m *WM) readMonitor(ctx context.Context) {
	now, err := m.conn.Monitor(ctx)
	if err != nil || now == m.monitor {
		return
	}
	m.monitor = now
	for _, id := range m.order {
		c := m.clients[id]
		before := c.rect
		if c.parent != 0 {
			c.free = keptIn(c.free, now)
		}
		if m.target(c) != before {
			m.move(c)
		}
	}
}
