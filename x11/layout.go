package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// ErrNoLayout says that the server knows no keyboard layout of that name.
var ErrNoLayout = errors.New("no such keyboard layout")

// Layout is a keyboard layout as the server loads it: the names of its four
// parts, and what clients are told of it.
type Layout struct {
	keycodes, types, compat, symbols string
	rules                            []byte // of rulesProperty; nil for none
}

// layoutName is a layout as people name it, perhaps with a variant. What is no
// such name never reaches the compiler.
var layoutName = regexp.MustCompile(`^([a-z][a-z0-9_]{0,30})(?:\(([A-Za-z0-9_-]{1,40})\))?$`)

// rulesProperty tells clients what setxkbmap was asked for.
const rulesProperty = "_XKB_RULES_NAMES"

// ParseLayout reads "fr" or "us(dvorak)". Whether there is such a layout is the
// server's to say.
func ParseLayout(name string) (Layout, error) {
	m := layoutName.FindStringSubmatch(name)
	if m == nil {
		return Layout{}, fmt.Errorf("%w: %.60q", ErrNoLayout, name)
	}
	return Layout{
		// As the rules of our own servers have it: without the multimedia keys,
		// whose keycodes are wanted for other symbols.
		keycodes: "evdev+aliases(qwerty)", types: "complete", compat: "complete", symbols: "pc+" + name,
		rules: fmt.Appendf(nil, "evdev\x00pc105\x00%s\x00%s\x00\x00", m[1], m[2]),
	}, nil
}

// SetLayout loads a keyboard layout and gives the one that was there, to be set
// again. Keys that are held stay held: let go of them first. Clients read the
// map anew, and what is pressed next waits until they can have. ErrNoLayout when
// the server cannot load it; the layout is then as it was.
func (i *Injector) SetLayout(ctx context.Context, to Layout) (was Layout, err error) {
	end, err := i.begin(ctx)
	if err != nil {
		return Layout{}, fmt.Errorf("set the keyboard layout: %w", err)
	}
	defer end()
	rules, err := i.c.intern(ctx, rulesProperty)
	if err == nil {
		was, err = i.layoutNow(ctx, rules)
	}
	if err == nil {
		err = i.load(ctx, to, rules)
	}
	if err == nil {
		i.board.raw = nil // the same map again is news to clients all the same
		err = i.refresh(ctx)
	}
	if err != nil {
		return Layout{}, fmt.Errorf("set the keyboard layout: %w", err)
	}
	return was, nil
}

// layoutNow reads the names of the layout that is loaded.
func (i *Injector) layoutNow(ctx context.Context, rules xproto.Atom) (Layout, error) {
	return call(ctx, i.c, func(x *xgb.Conn) (Layout, error) {
		names := i.xkb.getNames(x)
		told := xproto.GetProperty(x, false, i.c.root, rules, xproto.AtomString, 0, 256)
		raw, err := names.Reply()
		if err != nil {
			return Layout{}, err
		}
		prop, err := told.Reply()
		if err != nil {
			return Layout{}, err
		}
		if len(raw) < 32+4*4 {
			return Layout{}, errors.New("XkbGetNames: the reply is too short")
		}
		var parts [4]string
		for n := range parts {
			atom := xproto.Atom(binary.LittleEndian.Uint32(raw[32+4*n:]))
			name, err := xproto.GetAtomName(x, atom).Reply()
			if err != nil {
				return Layout{}, err
			}
			parts[n] = name.Name
		}
		l := Layout{keycodes: parts[0], symbols: parts[1], types: parts[2], compat: parts[3]}
		if prop.Format == 8 {
			l.rules = prop.Value
		}
		return l, nil
	})
}

// load has the server compile and load a layout.
func (i *Injector) load(ctx context.Context, l Layout, rules xproto.Atom) error {
	return i.c.do(ctx, func(x *xgb.Conn) error {
		reply, err := i.xkb.loadNamed(x, l).Reply()
		if err != nil {
			return err
		}
		if len(reply) < 16 || reply[10] == 0 {
			return fmt.Errorf("%w: %s", ErrNoLayout, l.symbols)
		}
		if l.rules == nil {
			return nil
		}
		return xproto.ChangePropertyChecked(x, xproto.PropModeReplace, i.c.root, rules, xproto.AtomString, 8,
			uint32(len(l.rules)), l.rules).Check()
	})
}

// getNames asks for the names of what a keyboard is made of, in the order
// keycodes, symbols, types, compat.
func (k xkb) getNames(x *xgb.Conn) *xgb.Cookie {
	const which = 1<<0 | 1<<2 | 1<<4 | 1<<5
	return k.ask(x, k.request(xkbGetNames, xkbCoreKeyboard, 0, which, 0))
}

// loadNamed asks the server to compile a keyboard of named parts and to load it.
// All parts but the drawing are needed; the drawing is not even wanted.
func (k xkb) loadNamed(x *xgb.Conn, l Layout) *xgb.Cookie {
	const need = 0xff &^ (1 << 6)
	b := k.request(xkbGetKbdByName, xkbCoreKeyboard, need, need)
	b = append(b, 1, 0) // load
	for _, part := range []string{"", l.keycodes, l.types, l.compat, l.symbols, ""} {
		b = append(append(b, byte(len(part))), part...)
	}
	return k.ask(x, b)
}
