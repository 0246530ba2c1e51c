package x11

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// maxPropertyWords bounds what is read of one property, in units of 4 bytes: a
// window may carry megabytes (icons), and a title of 16 KiB is cut.
const maxPropertyWords = 4 << 10

// maxSide bounds every size a window states: X cannot hold a larger one.
const maxSide = 32767

// property is one property as the server gave it.
type property struct {
	kind   xproto.Atom
	format byte
	value  []byte
}

// askProperty puts the read of a property in flight.
func askProperty(x *xgb.Conn, w xproto.Window, name xproto.Atom) func() (property, error) {
	cookie := xproto.GetProperty(x, false, w, name, xproto.GetPropertyTypeAny, 0, maxPropertyWords)
	return func() (property, error) {
		reply, err := cookie.Reply()
		if err != nil {
			return property{}, err
		}
		return property{kind: reply.Type, format: reply.Format, value: reply.Value}, nil
	}
}

// words gives the values of a property of 32-bit numbers, none for another.
func (p property) words() []uint32 {
	if p.format != 32 {
		return nil
	}
	out := make([]uint32, 0, len(p.value)/4)
	for b := p.value; len(b) >= 4; b = b[4:] {
		out = append(out, binary.LittleEndian.Uint32(b))
	}
	return out
}

// word gives the first number, or 0.
func (p property) word() uint32 {
	if w := p.words(); len(w) > 0 {
		return w[0]
	}
	return 0
}

// bytes gives the value of a property of 8-bit units, nil for another.
func (p property) bytes() []byte {
	if p.format != 8 {
		return nil
	}
	return p.value
}

// SizeHints are the sizes a window states for itself (WM_NORMAL_HINTS). A zero
// means that it states none.
type SizeHints struct {
	MinW, MinH   int
	MaxW, MaxH   int
	BaseW, BaseH int
	IncW, IncH   int // sizes are Base plus a multiple of Inc
}

const (
	hintMin  = 1 << 4
	hintMax  = 1 << 5
	hintInc  = 1 << 6
	hintBase = 1 << 8

	normalHintsWords = 18
)

// sizeHints reads WM_NORMAL_HINTS. What a window says may be anything: sizes
// that no window can have are left out.
func sizeHints(words []uint32) SizeHints {
	if len(words) == 0 {
		return SizeHints{}
	}
	w := make([]uint32, normalHintsWords)
	copy(w, words)
	pair := func(flag uint32, at int) (int, int) {
		if w[0]&flag == 0 {
			return 0, 0
		}
		return side(w[at]), side(w[at+1])
	}
	var h SizeHints
	h.MinW, h.MinH = pair(hintMin, 5)
	h.MaxW, h.MaxH = pair(hintMax, 7)
	h.IncW, h.IncH = pair(hintInc, 9)
	h.BaseW, h.BaseH = pair(hintBase, 15)
	if h.MinW == 0 && h.MinH == 0 {
		h.MinW, h.MinH = h.BaseW, h.BaseH
	}
	return h
}

func side(v uint32) int {
	if v > maxSide {
		return 0
	}
	return int(v)
}

// Fit gives the size nearest to w by h that the minimum and maximum allow.
func (h SizeHints) Fit(w, ht int) (int, int) {
	fit := func(v, low, high int) int {
		if high > 0 && high >= low {
			v = min(v, high)
		}
		return max(v, low, 1)
	}
	return fit(w, h.MinW, h.MaxW), fit(ht, h.MinH, h.MaxH)
}

// class splits WM_CLASS, two strings that each end with a zero.
func class(b []byte) (instance, name string) {
	parts := splitZero(b)
	if len(parts) > 0 {
		instance = latin1(parts[0])
	}
	if len(parts) > 1 {
		name = latin1(parts[1])
	}
	return instance, name
}

// title gives the text of _NET_WM_NAME if there is one, else of WM_NAME.
func (c *Conn) title(net, old property) string {
	if b := untilZero(net.bytes()); len(b) > 0 {
		return validText(b)
	}
	b := untilZero(old.bytes())
	switch old.kind {
	case c.atom("UTF8_STRING"):
		return validText(b)
	case c.atom("COMPOUND_TEXT"):
		return compoundText(b)
	}
	return latin1(b)
}

// SetRootProperty sets a STRING property of the root window.
func (c *Conn) SetRootProperty(ctx context.Context, name, value string) error {
	a, err := c.intern(ctx, name)
	if err == nil {
		err = c.do(ctx, func(x *xgb.Conn) error {
			return xproto.ChangePropertyChecked(x, xproto.PropModeReplace, c.root, a, xproto.AtomString, 8,
				uint32(len(value)), []byte(value)).Check()
		})
	}
	if err != nil {
		return fmt.Errorf("set root property %s: %w", name, err)
	}
	return nil
}

// RootProperty gives a text property of the root window, "" when it is not set.
func (c *Conn) RootProperty(ctx context.Context, name string) (string, error) {
	a, err := c.intern(ctx, name)
	var p property
	if err == nil {
		p, err = call(ctx, c, func(x *xgb.Conn) (property, error) { return askProperty(x, c.root, a)() })
	}
	if err != nil {
		return "", fmt.Errorf("read root property %s: %w", name, err)
	}
	return latin1(p.bytes()), nil
}

// setWords replaces a property of 32-bit numbers and does not wait.
func setWords(x *xgb.Conn, w xproto.Window, name, kind xproto.Atom, values ...uint32) {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	xproto.ChangeProperty(x, xproto.PropModeReplace, w, name, kind, 32, uint32(len(values)), b)
}
