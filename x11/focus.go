package x11

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

var (
	// ErrNotFocusable says that a window cannot have the focus now: it is not
	// shown, or says that it takes no input.
	ErrNotFocusable = errors.New("the window takes no focus")
	// ErrNotFocused says that a window was offered the focus and did not take it.
	ErrNotFocused = errors.New("the window did not take the focus")
)

const (
	// focusLimit bounds the wait for a window that takes the focus by itself.
	focusLimit = time.Second
	// focusPoll is how often the focus is looked at meanwhile.
	focusPoll = 5 * time.Millisecond

	// maxDepth bounds the walk from a window to its top level.
	maxDepth = 64

	// stateNormal is the state of a shown window in WM_STATE.
	stateNormal = 1

	hintsInput = 1 // the flag in WM_HINTS that its second word counts
)

// focusModel is how a window wants to be given the focus (ICCCM 4.1.7).
type focusModel struct {
	set  bool // by SetInputFocus
	take bool // by a WM_TAKE_FOCUS message
}

// askFocusModel puts the read of a window's focus model in flight.
func (c *Conn) askFocusModel(x *xgb.Conn, w xproto.Window) func() (focusModel, []uint32, error) {
	hints := askProperty(x, w, xproto.AtomWmHints)
	protocols := askProperty(x, w, c.atom("WM_PROTOCOLS"))
	return func() (focusModel, []uint32, error) {
		h, err := hints()
		if err != nil {
			return focusModel{}, nil, err
		}
		p, err := protocols()
		if err != nil {
			return focusModel{}, nil, err
		}
		words := p.words()
		return focusModel{
			set:  takesInput(h.words()),
			take: hasWord(words, uint32(c.atom("WM_TAKE_FOCUS"))),
		}, words, nil
	}
}

// takesInput reads the input flag of WM_HINTS; a window that says nothing does.
func takesInput(hints []uint32) bool {
	return len(hints) < 2 || hints[0]&hintsInput == 0 || hints[1] != 0
}

func hasWord(words []uint32, v uint32) bool {
	for _, w := range words {
		if w == v {
			return true
		}
	}
	return false
}

// offerFocus gives the focus in the way the window wants it and does not wait.
// The focus reverts to the root when the window goes, where keys reach nobody,
// never to what happens to be under the pointer.
func (c *Conn) offerFocus(x *xgb.Conn, w xproto.Window, m focusModel, at xproto.Timestamp) {
	if m.set {
		xproto.SetInputFocus(x, xproto.InputFocusParent, w, at)
	}
	if m.take {
		c.sendProtocol(x, w, "WM_TAKE_FOCUS", at)
	}
}

// sendProtocol sends a WM_PROTOCOLS message and does not wait.
func (c *Conn) sendProtocol(x *xgb.Conn, w xproto.Window, name string, at xproto.Timestamp) {
	ev := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: c.atom("WM_PROTOCOLS"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(c.atom(name)), uint32(at), 0, 0, 0}),
	}
	xproto.SendEvent(x, false, w, xproto.EventMaskNoEvent, string(ev.Bytes()))
}

// Focus gives a top level the keyboard focus and returns when it, or a window
// inside it, has it. A window that cannot have it is ErrNotFocusable, one that
// does not take it within a second ErrNotFocused.
func (c *Conn) Focus(ctx context.Context, id WindowID) error {
	if err := c.focus(ctx, id); err != nil {
		return fmt.Errorf("focus window %#x: %w", id, err)
	}
	return nil
}

func (c *Conn) focus(ctx context.Context, id WindowID) error {
	type state struct{ has, can bool }
	now, err := call(ctx, c, func(x *xgb.Conn) (state, error) {
		w := xproto.Window(id)
		model := c.askFocusModel(x, w)
		attributes, err := xproto.GetWindowAttributes(x, w).Reply()
		if err != nil {
			return state{}, err
		}
		m, _, err := model()
		if err != nil {
			return state{}, err
		}
		if attributes.MapState != xproto.MapStateViewable || (!m.set && !m.take) {
			return state{}, nil
		}
		if has, err := c.hasFocus(x, w); err != nil || has {
			return state{has: has, can: true}, err
		}
		c.offerFocus(x, w, m, xproto.TimeCurrentTime)
		has, err := c.hasFocus(x, w)
		return state{has: has, can: true}, err
	})
	if err != nil {
		return err
	}
	if !now.can {
		return ErrNotFocusable
	}
	if now.has {
		return nil
	}
	return c.awaitFocus(ctx, id)
}

// WantsNoFocus says whether a window asked to be shown without the focus: its
// _NET_WM_USER_TIME is 0.
func (c *Conn) WantsNoFocus(ctx context.Context, id WindowID) (bool, error) {
	p, err := call(ctx, c, func(x *xgb.Conn) (property, error) {
		return askProperty(x, xproto.Window(id), c.atom("_NET_WM_USER_TIME"))()
	})
	if err != nil {
		return false, fmt.Errorf("read whether window %#x wants the focus: %w", id, err)
	}
	return isQuiet(p), nil
}

// isQuiet says that of what was read.
func isQuiet(used property) bool { return len(used.words()) > 0 && used.word() == 0 }

// OfferFocus gives a top level the keyboard focus as Focus does, without waiting
// for what comes of it.
func (c *Conn) OfferFocus(ctx context.Context, id WindowID) error {
	err := c.do(ctx, func(x *xgb.Conn) error {
		m, _, err := c.askFocusModel(x, xproto.Window(id))()
		if err == nil {
			c.offerFocus(x, xproto.Window(id), m, xproto.TimeCurrentTime)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("focus window %#x: %w", id, err)
	}
	return nil
}

func (c *Conn) awaitFocus(ctx context.Context, id WindowID) error {
	ctx, cancel := context.WithTimeoutCause(ctx, focusLimit, ErrNotFocused)
	defer cancel()
	tick := time.NewTicker(focusPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		has, err := call(ctx, c, func(x *xgb.Conn) (bool, error) { return c.hasFocus(x, xproto.Window(id)) })
		if err != nil || has {
			return err
		}
	}
}

// hasFocus tells whether w or a window inside it has the focus.
func (c *Conn) hasFocus(x *xgb.Conn, w xproto.Window) (bool, error) {
	f, err := xproto.GetInputFocus(x).Reply()
	if err != nil || f.Focus == w {
		return err == nil, err
	}
	top, err := c.topLevel(x, f.Focus)
	return top == w, err
}

// Focused gives the top level that has the keyboard focus, or 0 when none has:
// the focus is nowhere, on the root, or follows the pointer.
func (c *Conn) Focused(ctx context.Context) (WindowID, error) {
	id, err := call(ctx, c, func(x *xgb.Conn) (WindowID, error) {
		f, err := xproto.GetInputFocus(x).Reply()
		if err != nil {
			return 0, err
		}
		top, err := c.topLevel(x, f.Focus)
		return WindowID(top), err
	})
	if err != nil {
		return 0, fmt.Errorf("read the focus of %s: %w", c.display, err)
	}
	return id, nil
}

// topLevel gives the child of the root that w is or is inside of, or what stands
// for it through its frame; 0 for the root itself, for no window, and for one that
// is gone.
func (c *Conn) topLevel(x *xgb.Conn, w xproto.Window) (xproto.Window, error) {
	f, err := c.readFrames(x)
	if err != nil {
		return 0, err
	}
	for range maxDepth {
		if f.isTop(w) {
			return w, nil
		}
		if w == c.root || w == xproto.InputFocusNone || w == xproto.InputFocusPointerRoot {
			return 0, nil
		}
		tree, err := xproto.QueryTree(x, w).Reply()
		if err != nil {
			if errors.Is(translate(err), ErrNoWindow) {
				return 0, nil
			}
			return 0, err
		}
		if tree.Parent == c.root {
			return w, nil
		}
		w = tree.Parent
	}
	return 0, nil
}
