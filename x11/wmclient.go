package x11

import (
	"context"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// client is one window that is managed.
type client struct {
	id     xproto.Window
	rect   Rect // as it was last configured
	free   Rect // what it goes back to from maximised and fullscreen
	parent xproto.Window
	kinds  []uint32
	stated []uint32 // WM_NORMAL_HINTS as it is
	hints  SizeHints
	focus  focusModel

	states  map[xproto.Atom]bool // of _NET_WM_STATE
	quiet   bool                 // wants no focus when it is shown
	pin     *pin
	grabbed bool // clicks on it come to the manager first
}

// clientEvents are the events of a managed window that are followed.
const clientEvents = xproto.EventMaskPropertyChange | xproto.EventMaskFocusChange

// facts is what is read of a window before it is managed.
type facts struct {
	ok     bool
	mapped bool
	client client
}

// inspect reads a window. It is not ok when it is gone or not ours to manage.
func (m *WM) inspect(ctx context.Context, id xproto.Window) facts {
	c := m.conn
	f, err := query(ctx, m, func(x *xgb.Conn) (facts, error) {
		attributes := xproto.GetWindowAttributes(x, id)
		geometry := xproto.GetGeometry(x, xproto.Drawable(id))
		model := c.askFocusModel(x, id)
		transient := askProperty(x, id, xproto.AtomWmTransientFor)
		kinds := askProperty(x, id, c.atom("_NET_WM_WINDOW_TYPE"))
		hints := askProperty(x, id, xproto.AtomWmNormalHints)
		states := askProperty(x, id, c.atom("_NET_WM_STATE"))
		used := askProperty(x, id, c.atom("_NET_WM_USER_TIME"))

		a, err := attributes.Reply()
		if err != nil || a.OverrideRedirect || a.Class == xproto.WindowClassInputOnly {
			return facts{}, err
		}
		g, err := geometry.Reply()
		if err != nil {
			return facts{}, err
		}
		f := facts{ok: true, mapped: a.MapState != xproto.MapStateUnmapped}
		f.client = client{id: id, rect: inside(g), states: map[xproto.Atom]bool{}}
		if f.client.focus, _, err = model(); err != nil {
			return facts{}, err
		}
		for _, read := range []struct {
			wait func() (property, error)
			use  func(property)
		}{
			{transient, func(p property) { f.client.parent = xproto.Window(p.word()) }},
			{kinds, func(p property) { f.client.kinds = p.words() }},
			{hints, func(p property) {
				f.client.stated = p.words()
				f.client.hints = sizeHints(f.client.stated)
			}},
			{states, func(p property) {
				for _, a := range p.words() {
					f.client.states[xproto.Atom(a)] = true
				}
			}},
			{used, func(p property) { f.client.quiet = isQuiet(p) }},
		} {
			p, err := read.wait()
			if err != nil {
				return facts{}, err
			}
			read.use(p)
		}
		return f, nil
	})
	if err != nil {
		return facts{}
	}
	return f
}

// adopt manages every window that is shown already, where it is. It is also how
// the manager catches up after it lost events.
func (m *WM) adopt(ctx context.Context) error {
	root := m.conn.root
	children, err := query(ctx, m, func(x *xgb.Conn) ([]xproto.Window, error) {
		tree, err := xproto.QueryTree(x, root).Reply()
		if err != nil {
			return nil, err
		}
		return tree.Children, nil
	})
	if err != nil {
		return err
	}
	for _, id := range slices.Clone(m.order) {
		if !slices.Contains(children, id) {
			m.forget(id)
		}
	}
	for _, id := range children {
		f := m.inspect(ctx, id)
		switch {
		case f.ok && f.mapped && m.clients[id] == nil:
			c := f.client
			c.free = c.rect
			m.enter(&c)
			m.greet(&c)
		case !f.mapped:
			m.forget(id)
		}
	}
	m.moved, m.nowhere = true, true
	return nil
}

// mapRequest manages a window that wants to be shown, and shows it.
func (m *WM) mapRequest(ctx context.Context, id xproto.Window) {
	if m.clients[id] != nil {
		m.emit(func(x *xgb.Conn) { xproto.MapWindow(x, id) })
		return
	}
	f := m.inspect(ctx, id)
	if !f.ok {
		// Whatever it is, it asked to be seen.
		m.emit(func(x *xgb.Conn) { xproto.MapWindow(x, id) })
		return
	}
	c := f.client
	if m.main != nil && m.isMain(&c) {
		c.pin, m.main = m.main, nil
	}
	c.free = m.place(&c)
	m.enter(&c)
	m.greet(&c)
	m.writeStates(&c)
	m.repin(&c)
	m.move(&c)
	m.raise(&c)
	m.emit(func(x *xgb.Conn) { xproto.MapWindow(x, id) })
	if !c.quiet {
		m.focusClient(&c, xproto.TimeCurrentTime)
	}
}

// enter takes a window into the books, on top.
func (m *WM) enter(c *client) {
	m.clients[c.id] = c
	m.order = append(m.order, c.id)
	m.stack = append(m.stack, c.id)
}

// greet does what a managed window needs once: no border, its events, the
// properties that say it is managed.
func (m *WM) greet(c *client) {
	a, id := m.conn.atom, c.id
	m.emit(func(x *xgb.Conn) {
		xproto.ChangeWindowAttributes(x, id, xproto.CwEventMask, []uint32{clientEvents})
		xproto.ConfigureWindow(x, id, xproto.ConfigWindowBorderWidth, []uint32{0})
		setWords(x, id, a("WM_STATE"), a("WM_STATE"), stateNormal, 0)
		setWords(x, id, a("_NET_FRAME_EXTENTS"), xproto.AtomCardinal, 0, 0, 0, 0)
		setWords(x, id, a("_NET_WM_DESKTOP"), xproto.AtomCardinal, 0)
	})
}

// unmapped handles a window that is not shown any more. It stays an X window
// and may come back by another map request.
func (m *WM) unmapped(ev xproto.UnmapNotifyEvent) {
	if m.clients[ev.Window] == nil || ev.Event != m.conn.root {
		return
	}
	m.forget(ev.Window)
	a := m.conn.atom
	m.emit(func(x *xgb.Conn) {
		setWords(x, ev.Window, a("WM_STATE"), a("WM_STATE"), stateWithdrawn, 0)
		xproto.DeleteProperty(x, ev.Window, a("_NET_WM_STATE"))
		xproto.DeleteProperty(x, ev.Window, a("_NET_WM_DESKTOP"))
		xproto.UngrabButton(x, xproto.ButtonIndexAny, ev.Window, xproto.ModMaskAny)
	})
}

// forget takes a window out of the books.
func (m *WM) forget(id xproto.Window) {
	c := m.clients[id]
	if c == nil {
		return
	}
	c.pin.changed()
	delete(m.clients, id)
	is := func(w xproto.Window) bool { return w == id }
	m.order = slices.DeleteFunc(m.order, is)
	m.stack = slices.DeleteFunc(m.stack, is)
	m.recent = slices.DeleteFunc(m.recent, is)
	if m.active == id {
		m.active = 0
	}
	m.nowhere = true
}

// property follows what windows say about themselves after they are shown.
func (m *WM) property(ctx context.Context, ev xproto.PropertyNotifyEvent) {
	c := m.clients[ev.Window]
	if c == nil {
		return
	}
	switch ev.Atom {
	case xproto.AtomWmNormalHints, xproto.AtomWmHints, xproto.AtomWmTransientFor,
		m.conn.atom("WM_PROTOCOLS"), m.conn.atom("_NET_WM_WINDOW_TYPE"):
	default:
		return
	}
	f := m.inspect(ctx, ev.Window)
	if !f.ok {
		return
	}
	c.focus, c.parent, c.kinds = f.client.focus, f.client.parent, f.client.kinds
	// GTK 4 writes the same hints again whenever it is told its size: telling it
	// again for that would never end.
	if slices.Equal(c.stated, f.client.stated) {
		return
	}
	c.stated, c.hints = f.client.stated, f.client.hints
	if c.pin == nil {
		return
	}
	c.pin.hints = nil // what was kept is an earlier word of the application
	m.repin(c)
	if m.target(c) != c.rect {
		m.move(c)
	}
}

// isKind tells whether the window's first known type is among the named ones.
func (m *WM) isKind(c *client, names ...string) bool {
	for _, k := range c.kinds {
		name, known := m.conn.atoms.name(xproto.Atom(k))
		if !known {
			continue
		}
		return slices.Contains(names, name)
	}
	return false
}
