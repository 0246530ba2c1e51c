package x11

import (
	"context"
	"fmt"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// knownAtoms are interned once a connection, all in flight together.
var knownAtoms = []string{
	"UTF8_STRING", "COMPOUND_TEXT", "WM_STATE", "WM_PROTOCOLS", "WM_DELETE_WINDOW", "WM_TAKE_FOCUS",
	"WM_CHANGE_STATE", "WM_CLIENT_LEADER", "WM_WINDOW_ROLE", "AT_SPI_BUS",
	"_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING", "_NET_CLOSE_WINDOW",
	"_NET_CURRENT_DESKTOP", "_NET_DESKTOP_GEOMETRY", "_NET_DESKTOP_VIEWPORT", "_NET_FRAME_EXTENTS",
	"_NET_MOVERESIZE_WINDOW", "_NET_NUMBER_OF_DESKTOPS", "_NET_REQUEST_FRAME_EXTENTS",
	"_NET_SUPPORTED", "_NET_SUPPORTING_WM_CHECK", "_NET_WM_ALLOWED_ACTIONS", "_NET_WM_DESKTOP",
	"_NET_WM_NAME", "_NET_WM_PID", "_NET_WM_PING", "_NET_WM_STATE", "_NET_WM_STATE_ABOVE",
	"_NET_WM_STATE_FOCUSED", "_NET_WM_STATE_FULLSCREEN", "_NET_WM_STATE_HIDDEN",
	"_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MODAL",
	"_NET_WM_USER_TIME", "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_DIALOG",
	"_NET_WM_WINDOW_TYPE_NORMAL", "_NET_WM_WINDOW_TYPE_SPLASH", "_NET_WM_WINDOW_TYPE_UTILITY",
	"_NET_WORKAREA", "_GTK_FRAME_EXTENTS", "_MOTIF_WM_HINTS",
}

// maxAtomNames bounds the names remembered for atoms that strangers made.
const maxAtomNames = 4096

// atomTable remembers atoms by name and names by atom.
type atomTable struct {
	mu     sync.RWMutex
	byName map[string]xproto.Atom
	byAtom map[xproto.Atom]string
}

func (t *atomTable) fill(m map[string]xproto.Atom) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName, t.byAtom = m, make(map[xproto.Atom]string, len(m))
	for name, a := range m {
		t.byAtom[a] = name
	}
}

func (t *atomTable) lookup(name string) (xproto.Atom, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	a, ok := t.byName[name]
	return a, ok
}

func (t *atomTable) name(a xproto.Atom) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s, ok := t.byAtom[a]
	return s, ok
}

func (t *atomTable) learn(name string, a xproto.Atom) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byAtom) < maxAtomNames {
		t.byName[name], t.byAtom[a] = a, name
	}
}

// internAll asks for every name at once and returns the wait for the answers.
func internAll(x *xgb.Conn, names []string) func() (map[string]xproto.Atom, error) {
	cookies := make([]xproto.InternAtomCookie, len(names))
	for i, name := range names {
		cookies[i] = xproto.InternAtom(x, false, uint16(len(name)), name)
	}
	return func() (map[string]xproto.Atom, error) {
		m := make(map[string]xproto.Atom, len(names))
		for i, name := range names {
			reply, err := cookies[i].Reply()
			if err != nil {
				return nil, fmt.Errorf("intern atom %s: %w", name, err)
			}
			m[name] = reply.Atom
		}
		return m, nil
	}
}

// atom gives one of knownAtoms without asking the server.
func (c *Conn) atom(name string) xproto.Atom {
	a, ok := c.atoms.lookup(name)
	if !ok {
		panic("x11: atom " + name + " is not among the known ones")
	}
	return a
}

// intern gives any atom, asking the server for one not seen before.
func (c *Conn) intern(ctx context.Context, name string) (xproto.Atom, error) {
	if a, ok := c.atoms.lookup(name); ok {
		return a, nil
	}
	a, err := call(ctx, c, func(x *xgb.Conn) (xproto.Atom, error) {
		m, err := internAll(x, []string{name})()
		return m[name], err
	})
	if err == nil {
		c.atoms.learn(name, a)
	}
	return a, err
}
