package x11

import (
	"context"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// focusable tells whether a window can have the focus and should.
func (m *WM) focusable(c *client) bool {
	return (c.focus.set || c.focus.take) && !m.isKind(c, "_NET_WM_WINDOW_TYPE_SPLASH")
}

// modalOf gives the window that holds another up: the topmost modal dialog that
// belongs to it, or the window itself.
func (m *WM) modalOf(c *client) *client {
	modal := m.conn.atom("_NET_WM_STATE_MODAL")
	for _, id := range slices.Backward(m.stack) {
		if o := m.clients[id]; o.states[modal] && m.kinOf(o, c.id) && m.focusable(o) {
			return o
		}
	}
	return c
}

// focusClient offers the focus to a window, or to the dialog that holds it up.
// Whether it took it is seen from the events.
func (m *WM) focusClient(c *client, at xproto.Timestamp) {
	c = m.modalOf(c)
	if !m.focusable(c) {
		return
	}
	m.noteFocus(c.id)
	conn, id, model := m.conn, c.id, c.focus
	m.emit(func(x *xgb.Conn) { conn.offerFocus(x, id, model, at) })
}

// noteFocus records which window was used last.
func (m *WM) noteFocus(id xproto.Window) {
	m.recent = slices.DeleteFunc(m.recent, func(w xproto.Window) bool { return w == id })
	m.recent = append(m.recent, id)
}

// readFocus finds out where the focus is: the events that made it go there may
// be several, and old.
func (m *WM) readFocus(ctx context.Context) {
	now, err := m.focusNow(ctx)
	if err != nil {
		return
	}
	m.active = 0
	if m.clients[now] != nil {
		m.active = now
		m.noteFocus(now)
	}
	if now == 0 {
		m.nowhere = true
	}
}

// focusNow gives the top level that has the focus, 0 for none.
func (m *WM) focusNow(ctx context.Context) (xproto.Window, error) {
	conn := m.conn
	return query(ctx, m, func(x *xgb.Conn) (xproto.Window, error) {
		f, err := xproto.GetInputFocus(x).Reply()
		if err != nil {
			return 0, err
		}
		return conn.topLevel(x, f.Focus)
	})
}

// restoreFocus gives the focus to the window used last when it is nowhere. A
// window that is not managed and has it keeps it.
func (m *WM) restoreFocus(ctx context.Context) {
	if now, err := m.focusNow(ctx); err != nil || now != 0 {
		return
	}
	for _, list := range [][]xproto.Window{m.recent, m.order} {
		for _, id := range slices.Backward(list) {
			if c := m.clients[id]; c != nil && m.focusable(m.modalOf(c)) {
				m.focusClient(c, xproto.TimeCurrentTime)
				return
			}
		}
	}
}

// pressed handles a click on a window that is not in front: it is raised and
// focused, and then the click goes to it as if nobody had looked.
func (m *WM) pressed(ev xproto.ButtonPressEvent) {
	if c := m.clients[ev.Event]; c != nil {
		m.raise(c)
		m.focusClient(c, ev.Time)
	}
	m.emit(func(x *xgb.Conn) { xproto.AllowEvents(x, xproto.AllowReplayPointer, ev.Time) })
}

// grabClicks has the clicks on windows that are not in front come to the
// manager first. The one in front gets its clicks untouched.
func (m *WM) grabClicks() {
	for i, id := range m.stack {
		c := m.clients[id]
		want := id != m.active || i != len(m.stack)-1
		if want == c.grabbed {
			continue
		}
		c.grabbed = want
		m.emit(func(x *xgb.Conn) {
			if want {
				xproto.GrabButton(x, false, id, xproto.EventMaskButtonPress, xproto.GrabModeSync, xproto.GrabModeAsync,
					xproto.WindowNone, xproto.CursorNone, xproto.ButtonIndexAny, xproto.ModMaskAny)
			} else {
				xproto.UngrabButton(x, xproto.ButtonIndexAny, id, xproto.ModMaskAny)
			}
		})
	}
}
