package x11

import (
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// A window manager that is not ours may put every window it manages into a
// window of its own, its frame. Then it is the frames that are children of the
// root, and the windows of applications are one below. What this connection
// gives as top levels are the applications' windows all the same, once it is told
// to look through frames.

// SeeThrough has the connection look through the frames of another window
// manager, or not any more: the windows that the root's _NET_CLIENT_LIST names are
// the top levels then, with what no window manager touches, and nothing else is.
func (c *Conn) SeeThrough(on bool) { c.framed.Store(on) }

// frames are the frames of a moment and what is in them. It is nil when there
// are none to look through.
type frames struct {
	client map[xproto.Window]xproto.Window // by frame
	frame  map[xproto.Window]xproto.Window // by client
}

// readFrames reads them; two round trips.
func (c *Conn) readFrames(x *xgb.Conn) (*frames, error) {
	if !c.framed.Load() {
		return nil, nil
	}
	list, err := askProperty(x, c.root, c.atom("_NET_CLIENT_LIST"))()
	if err != nil {
		return nil, err
	}
	clients := list.words()
	trees := make([]xproto.QueryTreeCookie, len(clients))
	for i, id := range clients {
		trees[i] = xproto.QueryTree(x, xproto.Window(id))
	}
	f := &frames{client: map[xproto.Window]xproto.Window{}, frame: map[xproto.Window]xproto.Window{}}
	for i, id := range clients {
		tree, err := trees[i].Reply()
		if err != nil {
			continue // it is gone
		}
		w, in := xproto.Window(id), tree.Parent
		if in == c.root {
			in = w
		}
		f.frame[w], f.client[in] = in, w
	}
	return f, nil
}

// inside gives what a child of the root stands for: the window in the frame, or
// itself.
func (f *frames) inside(w xproto.Window) xproto.Window {
	if f != nil && f.client[w] != 0 {
		return f.client[w]
	}
	return w
}

// isTop tells whether a window is a managed one, whatever it is in.
func (f *frames) isTop(w xproto.Window) bool { return f != nil && f.frame[w] != 0 }

// topsThrough is TopLevels of a display with frames: the windows in them, in the
// frames' order, and the ones that no window manager touches. The other windows of
// the root are the window manager's own.
func (c *Conn) topsThrough(x *xgb.Conn, f *frames) ([]Window, error) {
	tree, err := xproto.QueryTree(x, c.root).Reply()
	if err != nil {
		return nil, err
	}
	owners := c.askOwners(x)
	manager, err := askProperty(x, c.root, c.atom("_NET_SUPPORTING_WM_CHECK"))()
	if err != nil {
		return nil, err
	}
	ids := make([]xproto.Window, len(tree.Children))
	for i, id := range tree.Children {
		ids[i] = f.inside(id)
	}
	windows, err := c.readGeometry(x, ids)
	if err != nil {
		return nil, err
	}
	windows = c.place(x, f, windows)
	o := owners()
	its := o.of(WindowID(manager.word()))
	kept := windows[:0]
	for _, w := range windows {
		if f.isTop(xproto.Window(w.ID)) || w.OverrideRedirect && (its == 0 || o.of(w.ID) != its) {
			kept = append(kept, w)
		}
	}
	return c.readProperties(x, kept, o, func(w Window) bool { return w.Mapped })
}

// place turns the geometry of framed windows into root pixels.
func (c *Conn) place(x *xgb.Conn, f *frames, windows []Window) []Window {
	asked := make([]xproto.TranslateCoordinatesCookie, len(windows))
	framed := func(w Window) bool {
		id := xproto.Window(w.ID)
		return f.isTop(id) && f.frame[id] != id
	}
	for i, w := range windows {
		if framed(w) {
			asked[i] = xproto.TranslateCoordinates(x, xproto.Window(w.ID), c.root, 0, 0)
		}
	}
	kept := windows[:0]
	for i, w := range windows {
		if framed(w) {
			at, err := asked[i].Reply()
			if err != nil {
				continue // it is gone
			}
			w.Geometry.X, w.Geometry.Y = int(at.DstX), int(at.DstY)
		}
		kept = append(kept, w)
	}
	return kept
}
