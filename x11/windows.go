package x11

import (
	"context"
	"errors"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Window is what a window says of itself and what the server knows of it. All
// of it but the identity may have changed by the time it is read.
type Window struct {
	ID WindowID
	// Geometry is the inside of the window (without a border) in root pixels.
	Geometry Rect
	// Mapped means shown as far as the window is concerned; Viewable, that its
	// ancestors are, too, so that there is something to see.
	Mapped, Viewable bool
	// OverrideRedirect marks what no window manager touches: menus, tooltips.
	OverrideRedirect bool
	// InputOnly windows have no pixels.
	InputOnly bool
	// Title, Class and Instance are valid UTF-8 of a stranger.
	Title, Class, Instance string
	// TransientFor is the window this one belongs to (a dialog's parent), 0 for
	// none. Leader stands for all windows of one application.
	TransientFor, Leader WindowID
	// PID is the local process whose connection made the window, as the server
	// knows it; where it does not, what the window claims; 0 for neither.
	PID int
	// Type are the window's types in its order of preference, by their full
	// names ("_NET_WM_WINDOW_TYPE_DIALOG").
	Type []string
	// Hints are the sizes it states.
	Hints SizeHints
}

// maxTypes bounds the types read of one window.
const maxTypes = 8

// TopLevels gives the children of the root, bottom to top. Of windows that are
// not mapped only identity, geometry and process are read: an application keeps
// a dozen that are never shown. Windows that end meanwhile are left out. Three
// round trips, whatever their number, and a fourth for types not met before; a few
// more through frames (see SeeThrough).
func (c *Conn) TopLevels(ctx context.Context) ([]Window, error) {
	windows, err := call(ctx, c, func(x *xgb.Conn) ([]Window, error) {
		if f, err := c.readFrames(x); f != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return c.topsThrough(x, f)
		}
		tree := xproto.QueryTree(x, c.root)
		owners := c.askOwners(x)
		reply, err := tree.Reply()
		if err != nil {
			return nil, err
		}
		windows, err := c.readGeometry(x, reply.Children)
		if err != nil {
			return nil, err
		}
		return c.readProperties(x, windows, owners(), func(w Window) bool { return w.Mapped })
	})
	if err != nil {
		return nil, fmt.Errorf("list windows of %s: %w", c.display, err)
	}
	return windows, nil
}

// Window gives one window, a top level or not, whole. The error wraps
// ErrNoWindow when there is none.
func (c *Conn) Window(ctx context.Context, id WindowID) (Window, error) {
	w, err := call(ctx, c, func(x *xgb.Conn) (Window, error) {
		owners := c.askOwners(x)
		origin := xproto.TranslateCoordinates(x, xproto.Window(id), c.root, 0, 0)
		got, err := c.readGeometry(x, []xproto.Window{xproto.Window(id)})
		if err != nil {
			return Window{}, err
		}
		got, err = c.readProperties(x, got, owners(), func(Window) bool { return true })
		if err != nil {
			return Window{}, err
		}
		at, err := origin.Reply()
		if err != nil {
			return Window{}, err
		}
		if len(got) == 0 {
			return Window{}, ErrNoWindow
		}
		got[0].Geometry.X, got[0].Geometry.Y = int(at.DstX), int(at.DstY)
		return got[0], nil
	})
	if err != nil {
		return Window{}, fmt.Errorf("read window %#x: %w", id, err)
	}
	return w, nil
}

// At gives the top level that a pointer at p would be over, by stacking and
// shape, or 0 where there is only the root.
func (c *Conn) At(ctx context.Context, p Point) (WindowID, error) {
	id, err := call(ctx, c, func(x *xgb.Conn) (WindowID, error) {
		reply, err := xproto.TranslateCoordinates(x, c.root, c.root, int16(p.X), int16(p.Y)).Reply()
		if err != nil {
			return 0, err
		}
		f, err := c.readFrames(x)
		return WindowID(f.inside(reply.Child)), err
	})
	if err != nil {
		return 0, fmt.Errorf("window at %d,%d: %w", p.X, p.Y, err)
	}
	return id, nil
}

// readGeometry reads what the server knows of the windows.
func (c *Conn) readGeometry(x *xgb.Conn, ids []xproto.Window) ([]Window, error) {
	attributes := make([]xproto.GetWindowAttributesCookie, len(ids))
	geometry := make([]xproto.GetGeometryCookie, len(ids))
	for i, id := range ids {
		attributes[i] = xproto.GetWindowAttributes(x, id)
		geometry[i] = xproto.GetGeometry(x, xproto.Drawable(id))
	}
	windows := make([]Window, 0, len(ids))
	for i, id := range ids {
		a, err := attributes[i].Reply()
		if err == nil {
			var g *xproto.GetGeometryReply
			if g, err = geometry[i].Reply(); err == nil {
				windows = append(windows, Window{
					ID:               WindowID(id),
					Geometry:         inside(g),
					Mapped:           a.MapState != xproto.MapStateUnmapped,
					Viewable:         a.MapState == xproto.MapStateViewable,
					OverrideRedirect: a.OverrideRedirect,
					InputOnly:        a.Class == xproto.WindowClassInputOnly,
				})
			}
		}
		if err = translate(err); err != nil && !errors.Is(err, ErrNoWindow) {
			return nil, err
		}
	}
	return windows, nil
}

// windowProperties are the properties of one window that are on their way.
type windowProperties struct {
	netName, name, class, transient, kind, leader, hints, pid func() (property, error)
}

func (c *Conn) askProperties(x *xgb.Conn, id xproto.Window) windowProperties {
	ask := func(name xproto.Atom) func() (property, error) { return askProperty(x, id, name) }
	return windowProperties{
		netName:   ask(c.atom("_NET_WM_NAME")),
		name:      ask(xproto.AtomWmName),
		class:     ask(xproto.AtomWmClass),
		transient: ask(xproto.AtomWmTransientFor),
		kind:      ask(c.atom("_NET_WM_WINDOW_TYPE")),
		leader:    ask(c.atom("WM_CLIENT_LEADER")),
		hints:     ask(xproto.AtomWmNormalHints),
		pid:       ask(c.atom("_NET_WM_PID")),
	}
}

// readProperties adds what the windows say of themselves, to those that want
// accepts. Windows that no longer exist are left out.
func (c *Conn) readProperties(x *xgb.Conn, windows []Window, o owners, want func(Window) bool) ([]Window, error) {
	asked := make([]windowProperties, len(windows))
	for i, w := range windows {
		if want(w) {
			asked[i] = c.askProperties(x, xproto.Window(w.ID))
		}
	}
	out := make([]Window, 0, len(windows))
	kinds := make([][]uint32, 0, len(windows))
	for i, w := range windows {
		var types []uint32
		if asked[i].name != nil {
			var err error
			if types, err = c.describe(&w, asked[i]); errors.Is(err, ErrNoWindow) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		if pid := o.of(w.ID); pid != 0 {
			w.PID = pid
		}
		out, kinds = append(out, w), append(kinds, types)
	}
	names, err := c.atomNames(x, kinds)
	if err != nil {
		return nil, err
	}
	for i, types := range kinds {
		for _, a := range types {
			if name := names[xproto.Atom(a)]; name != "" {
				out[i].Type = append(out[i].Type, name)
			}
		}
	}
	return out, nil
}

// describe takes the properties of one window and gives the atoms of its types.
func (c *Conn) describe(w *Window, r windowProperties) ([]uint32, error) {
	var p [8]property
	for i, wait := range [len(p)]func() (property, error){
		r.netName, r.name, r.class, r.transient, r.leader, r.hints, r.pid, r.kind,
	} {
		var err error
		if p[i], err = wait(); err != nil {
			return nil, translate(err)
		}
	}
	w.Title = c.title(p[0], p[1])
	w.Instance, w.Class = class(p[2].bytes())
	w.TransientFor, w.Leader = WindowID(p[3].word()), WindowID(p[4].word())
	w.Hints = sizeHints(p[5].words())
	w.PID = int(p[6].word() & 0x7fffffff)
	types := p[7].words()
	return types[:min(len(types), maxTypes)], nil
}

// inside gives a window's rectangle within its border, in its parent's pixels.
func inside(g *xproto.GetGeometryReply) Rect {
	border := int(g.BorderWidth)
	return Rect{X: int(g.X) + border, Y: int(g.Y) + border, W: int(g.Width), H: int(g.Height)}
}
