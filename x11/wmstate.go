package x11

import (
	"context"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const stateWithdrawn = 0 // in WM_STATE

// wmName is the name under which the window manager makes itself known.
const wmName = "vibespace"

// supported are the hints clients may rely on. What is not honoured is not in
// it: toolkits change what they do by this list (without _NET_WM_STATE_FOCUSED
// they follow the focus itself, without _NET_WM_MOVERESIZE they move windows
// themselves).
var supported = []string{
	"_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING", "_NET_CLOSE_WINDOW",
	"_NET_CURRENT_DESKTOP", "_NET_DESKTOP_GEOMETRY", "_NET_DESKTOP_VIEWPORT", "_NET_FRAME_EXTENTS",
	"_NET_NUMBER_OF_DESKTOPS", "_NET_REQUEST_FRAME_EXTENTS", "_NET_SUPPORTED", "_NET_SUPPORTING_WM_CHECK",
	"_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN", "_NET_WM_STATE_MAXIMIZED_HORZ",
	"_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MODAL", "_NET_WM_USER_TIME", "_NET_WM_WINDOW_TYPE",
	"_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_NORMAL", "_NET_WM_WINDOW_TYPE_SPLASH",
	"_NET_WM_WINDOW_TYPE_UTILITY", "_NET_WORKAREA",
}

// announce makes the window manager known to clients.
func (m *WM) announce(ctx context.Context) error {
	a := m.conn.atom
	selection, err := m.conn.intern(ctx, "WM_S0")
	if err != nil {
		return err
	}
	root := m.conn.root
	sw, sh := m.conn.Screen()
	m.check, err = query(ctx, m, func(x *xgb.Conn) (xproto.Window, error) {
		w, err := xproto.NewWindowId(x)
		if err != nil {
			return 0, err
		}
		selectScreenChanges(x, root)
		err = xproto.CreateWindowChecked(x, 0, w, root, -10, -10, 1, 1, 0, xproto.WindowClassInputOnly, 0,
			xproto.CwOverrideRedirect, []uint32{1}).Check()
		if err != nil {
			return 0, err
		}
		xproto.SetSelectionOwner(x, w, selection, xproto.TimeCurrentTime)
		for _, on := range []xproto.Window{root, w} {
			setWords(x, on, a("_NET_SUPPORTING_WM_CHECK"), xproto.AtomWindow, uint32(w))
		}
		xproto.ChangeProperty(x, xproto.PropModeReplace, w, a("_NET_WM_NAME"), a("UTF8_STRING"), 8,
			uint32(len(wmName)), []byte(wmName))
		var list []uint32
		for _, name := range supported {
			list = append(list, uint32(a(name)))
		}
		setWords(x, root, a("_NET_SUPPORTED"), xproto.AtomAtom, list...)
		setWords(x, root, a("_NET_NUMBER_OF_DESKTOPS"), xproto.AtomCardinal, 1)
		setWords(x, root, a("_NET_CURRENT_DESKTOP"), xproto.AtomCardinal, 0)
		setWords(x, root, a("_NET_DESKTOP_VIEWPORT"), xproto.AtomCardinal, 0, 0)
		setWords(x, root, a("_NET_DESKTOP_GEOMETRY"), xproto.AtomCardinal, uint32(sw), uint32(sh))
		return w, nil
	})
	return err
}

// publish writes the root's properties that changed.
func (m *WM) publish() {
	set := func(name string, kind xproto.Atom, values ...uint32) {
		a, root := m.conn.atom(name), m.conn.root
		m.emit(func(x *xgb.Conn) { setWords(x, root, a, kind, values...) })
	}
	if !slices.Equal(m.order, m.told.clients) {
		set("_NET_CLIENT_LIST", xproto.AtomWindow, numbers(m.order)...)
	}
	if !slices.Equal(m.stack, m.told.stacking) {
		set("_NET_CLIENT_LIST_STACKING", xproto.AtomWindow, numbers(m.stack)...)
	}
	if m.active != m.told.active {
		set("_NET_ACTIVE_WINDOW", xproto.AtomWindow, uint32(m.active))
	}
	if r := m.monitor; r != m.told.monitor {
		set("_NET_WORKAREA", xproto.AtomCardinal, uint32(r.X), uint32(r.Y), uint32(r.W), uint32(r.H))
	}
	m.told = published{slices.Clone(m.order), slices.Clone(m.stack), m.active, m.monitor}
}

func numbers(windows []xproto.Window) []uint32 {
	out := make([]uint32, len(windows))
	for i, w := range windows {
		out[i] = uint32(w)
	}
	return out
}

// message handles what clients ask of the window manager. A request to become an
// icon is not granted: there is nothing to bring the window back with.
func (m *WM) message(ev xproto.ClientMessageEvent) {
	a := m.conn.atom
	if ev.Format != 32 {
		return
	}
	if ev.Type == a("_NET_REQUEST_FRAME_EXTENTS") { // asked before a window is shown
		m.emit(func(x *xgb.Conn) {
			setWords(x, ev.Window, a("_NET_FRAME_EXTENTS"), xproto.AtomCardinal, 0, 0, 0, 0)
		})
		return
	}
	c := m.clients[ev.Window]
	if c == nil {
		return
	}
	switch ev.Type {
	case a("_NET_ACTIVE_WINDOW"):
		m.raise(c)
		m.focusClient(c, xproto.TimeCurrentTime)
	case a("_NET_CLOSE_WINDOW"):
		conn := m.conn
		m.emit(func(x *xgb.Conn) { conn.sendProtocol(x, ev.Window, "WM_DELETE_WINDOW", xproto.TimeCurrentTime) })
	case a("_NET_WM_STATE"):
		m.changeState(c, ev.Data.Data32)
	}
}

// changeState handles a _NET_WM_STATE message: an action and two properties.
func (m *WM) changeState(c *client, data []uint32) {
	const (
		remove = iota
		add
		toggle
	)
	if len(data) < 3 {
		return
	}
	for _, v := range data[1:3] {
		state := xproto.Atom(v)
		name, known := m.conn.atoms.name(state)
		if !known || !slices.Contains(supported, name) {
			continue
		}
		switch data[0] {
		case remove:
			delete(c.states, state)
		case add:
			c.states[state] = true
		case toggle:
			c.states[state] = !c.states[state]
		}
	}
	m.writeStates(c)
	m.move(c)
}

// writeStates says which states a window has.
func (m *WM) writeStates(c *client) {
	var list []uint32
	for state, on := range c.states {
		if on {
			list = append(list, uint32(state))
		}
	}
	slices.Sort(list)
	a, id := m.conn.atom("_NET_WM_STATE"), c.id
	m.emit(func(x *xgb.Conn) { setWords(x, id, a, xproto.AtomAtom, list...) })
}
