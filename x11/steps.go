package x11

import (
	"context"
	"fmt"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// withoutSteps are size hints without the steps between sizes, to which
// applications that state some snap by themselves. There are some in them.
func withoutSteps(hints []uint32) []uint32 {
	words := slices.Clone(hints)
	words[0] &^= hintInc
	return words
}

// DropSteps takes the steps between sizes out of a window's WM_NORMAL_HINTS, so
// that nobody snaps it to them, and gives the hints as they were; nil when it
// states none.
func (c *Conn) DropSteps(ctx context.Context, id WindowID) (was []uint32, err error) {
	was, err = call(ctx, c, func(x *xgb.Conn) ([]uint32, error) {
		p, err := askProperty(x, xproto.Window(id), xproto.AtomWmNormalHints)()
		if err != nil {
			return nil, err
		}
		words := p.words()
		if h := sizeHints(words); h.IncW < 2 && h.IncH < 2 {
			return nil, nil
		}
		setWords(x, xproto.Window(id), xproto.AtomWmNormalHints, xproto.AtomWmSizeHints, withoutSteps(words)...)
		_, err = xproto.GetInputFocus(x).Reply()
		return words, err
	})
	if err != nil {
		return nil, fmt.Errorf("drop the size steps of window %#x: %w", id, err)
	}
	return was, nil
}

// SetSizeHints writes a window's WM_NORMAL_HINTS, as DropSteps gave them.
func (c *Conn) SetSizeHints(ctx context.Context, id WindowID, hints []uint32) error {
	err := c.do(ctx, func(x *xgb.Conn) error {
		setWords(x, xproto.Window(id), xproto.AtomWmNormalHints, xproto.AtomWmSizeHints, hints...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("set the size hints of window %#x: %w", id, err)
	}
	return nil
}
