package x11

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// The protocol library ships no XKEYBOARD, and the core protocol knows nothing
// of layout groups and locks. These are the requests of the extension that
// injection cannot do without, written by hand after "The X Keyboard Extension:
// Protocol Specification", version 1.0.

const extKeyboard = "XKEYBOARD"

const (
	xkbUseExtension   = 0
	xkbGetState       = 4
	xkbLatchLockState = 5
	xkbGetMap         = 8
	xkbSetMap         = 9
	xkbGetNames       = 17
	xkbGetKbdByName   = 23

	xkbCoreKeyboard = 0x0100 // the server applies what is asked to every keyboard

	xkbKeyTypes    = 1 << 0
	xkbKeySyms     = 1 << 1
	xkbModifierMap = 1 << 2

	// xkbTwoLevel is the place of the type TWO_LEVEL in every map: the
	// specification reserves the first four.
	xkbTwoLevel = 1
)

// modmask is a set of the eight real modifiers.
type modmask uint8

const (
	modShift   modmask = 1 << 0
	modLock    modmask = 1 << 1
	modControl modmask = 1 << 2
)

// xkb makes the extension's requests. Its methods may only be used inside call.
type xkb struct{ opcode byte }

// openXKB asks for the extension and tells the server the version spoken.
func openXKB(x *xgb.Conn) (xkb, error) {
	reply, err := xproto.QueryExtension(x, uint16(len(extKeyboard)), extKeyboard).Reply()
	if err != nil {
		return xkb{}, err
	}
	if !reply.Present {
		return xkb{}, fmt.Errorf("%w: %s", ErrNoExtension, extKeyboard)
	}
	k := xkb{reply.MajorOpcode}
	answer, err := k.ask(x, k.request(xkbUseExtension, 1, 0)).Reply()
	if err != nil {
		return xkb{}, err
	}
	if len(answer) < 2 || answer[1] == 0 {
		return xkb{}, fmt.Errorf("%w: %s 1.0", ErrNoExtension, extKeyboard)
	}
	return k, nil
}

// request starts a request of 16-bit fields; further bytes may be appended
// before it is sent.
func (k xkb) request(minor byte, fields ...uint16) []byte {
	b := []byte{k.opcode, minor, 0, 0}
	for _, f := range fields {
		b = binary.LittleEndian.AppendUint16(b, f)
	}
	return b
}

// ask sends a request that has a reply.
func (k xkb) ask(x *xgb.Conn, b []byte) *xgb.Cookie {
	cookie := x.NewCookie(true, true)
	x.NewRequest(sized(b), cookie)
	return cookie
}

// tell sends a request that has none; its error is what Check returns.
func (k xkb) tell(x *xgb.Conn, b []byte) *xgb.Cookie {
	cookie := x.NewCookie(true, false)
	x.NewRequest(sized(b), cookie)
	return cookie
}

// sized pads a request and writes its length into it.
func sized(b []byte) []byte {
	b = pad4(b)
	binary.LittleEndian.PutUint16(b[2:], uint16(len(b)/4))
	return b
}

// kbState is what of the keyboard is held, latched and locked.
type kbState struct {
	mods, base, latched, locked modmask
	group                       int // effective
	lockedGroup                 int
	buttons                     uint16 // pointer buttons down, as in an event's state
}

func (k xkb) getState(x *xgb.Conn) *xgb.Cookie {
	return k.ask(x, k.request(xkbGetState, xkbCoreKeyboard, 0))
}

func parseState(b []byte) (kbState, error) {
	if len(b) < 26 {
		return kbState{}, errors.New("XkbGetState: the reply is too short")
	}
	return kbState{
		mods: modmask(b[8]), base: modmask(b[9]), latched: modmask(b[10]), locked: modmask(b[11]),
		group: int(b[12]), lockedGroup: int(b[13]),
		buttons: binary.LittleEndian.Uint16(b[24:]),
	}, nil
}

// lock changes what is locked: the modifiers in affect become those in locks,
// and the locked group becomes group, unless that is negative. Latches go.
func (k xkb) lock(x *xgb.Conn, affect, locks modmask, group int) *xgb.Cookie {
	b := k.request(xkbLatchLockState, xkbCoreKeyboard)
	lockGroup, number := byte(0), byte(0)
	if group >= 0 {
		lockGroup, number = 1, byte(group)
	}
	b = append(b, byte(affect), byte(locks), lockGroup, number, 0xff, 0, 0, 1, 0, 0)
	return k.tell(x, b)
}

func (k xkb) getMap(x *xgb.Conn) *xgb.Cookie {
	b := k.request(xkbGetMap, xkbCoreKeyboard, xkbKeyTypes|xkbKeySyms|xkbModifierMap, 0)
	return k.ask(x, append(b, make([]byte, 18)...))
}

// setSymbols gives consecutive keycodes their symbols, on keys of the type
// TWO_LEVEL, or of the type four with as many levels, in a single group; or none
// at all. One group serves whichever is locked; those types do not look at Caps
// Lock; and a key whose levels are the same to the core protocol means that
// symbol to it as well. (Through the core protocol the server itself would choose
// the type, and make a lone capital the second level of its small letter.)
//
// It is one request for all of them because each makes every client read the
// map anew: 40 ms in Qt.
func (k xkb) setSymbols(x *xgb.Conn, m *keymap, four uint8, run keyRun) *xgb.Cookie {
	var keys []byte
	total := 0
	for _, key := range run.keys {
		levels := key.levels()
		kind := uint8(xkbTwoLevel)
		switch len(levels) {
		case 0:
			keys = append(keys, make([]byte, 8)...)
			continue
		case len(key):
			kind = four
		}
		total += len(levels)
		width := byte(len(levels))
		keys = append(keys, kind, 0, 0, 0, 1, width, width, 0) // one group
		for _, sym := range levels {
			keys = binary.LittleEndian.AppendUint32(keys, uint32(sym))
		}
	}
	b := k.request(xkbSetMap, xkbCoreKeyboard, xkbKeySyms, 0)
	b = append(b, byte(m.min), byte(m.max), 0, 0, byte(run.first), byte(len(run.keys)))
	b = binary.LittleEndian.AppendUint16(b, uint16(total))
	b = append(b, make([]byte, 4+3+3+3+3+2)...)
	return k.tell(x, append(b, keys...))
}
