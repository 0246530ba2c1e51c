package x11

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
)

// Keycode is a physical key, as the server numbers them (8 to 255).
type Keycode byte

// keymap is the server's map: what each key means in each group and at each
// level, which modifiers choose the level, and which keys are modifiers.
type keymap struct {
	min, max Keycode
	types    []keyType
	keys     [256]keyEntry
	mods     [256]modmask
}

// keyType tells which modifiers choose which level of a key.
type keyType struct {
	mask   modmask // the modifiers it looks at
	levels int
	chosen map[modmask]int // level by modifiers; others choose level 0
}

type keyEntry struct {
	kind      [4]uint8
	groups    int
	groupInfo uint8
	width     int
	syms      []Keysym
}

const (
	groupsClamp    = 0x40 // bits of groupInfo: what a group past the last means
	groupsRedirect = 0x80
)

// group gives the key's own group for the keyboard's, and false for a key
// without any.
func (e *keyEntry) group(g int) (int, bool) {
	switch {
	case e.groups == 0:
		return 0, false
	case g < e.groups:
		return g, true
	case e.groupInfo&groupsRedirect != 0:
		if to := int(e.groupInfo>>4) & 3; to < e.groups {
			return to, true
		}
		return 0, true
	case e.groupInfo&groupsClamp != 0:
		return e.groups - 1, true
	}
	return g % e.groups, true
}

// symbol gives what a key means in a group while exactly mods are in effect.
func (m *keymap) symbol(code Keycode, group int, mods modmask) Keysym {
	e := &m.keys[code]
	g, ok := e.group(group)
	if !ok || int(e.kind[g]) >= len(m.types) {
		return noSymbol
	}
	t := &m.types[e.kind[g]]
	level := t.chosen[mods&t.mask]
	if level >= e.width || g*e.width+level >= len(e.syms) {
		return noSymbol
	}
	return e.syms[g*e.width+level]
}

// spare tells whether a key means nothing at all, so that it can be borrowed.
func (m *keymap) spare(code Keycode) bool {
	if m.mods[code] != 0 {
		return false
	}
	for _, s := range m.keys[code].syms {
		if s != noSymbol {
			return false
		}
	}
	return true
}

// fourLevels finds the type of a key with two levels, and two more while a
// modifier besides Shift is held, that looks at nothing else; and that modifier,
// 0 when the map has no such type.
func (m *keymap) fourLevels() (kind uint8, level3 modmask) {
	for n, t := range m.types[:min(len(m.types), 256)] {
		mod := t.mask &^ modShift
		want := map[modmask]int{modShift: 1, mod: 2, modShift | mod: 3}
		if t.levels == len(want)+1 && single(mod) && maps.Equal(t.chosen, want) {
			return uint8(n), mod
		}
	}
	return 0, 0
}

// groups gives how many groups the map has.
func (m *keymap) groups() int {
	n := 1
	for i := range m.keys {
		n = max(n, m.keys[i].groups)
	}
	return n
}

// withSymbol finds a key that means a symbol at its first level, preferring one
// that is a modifier, and its modifier.
func (m *keymap) withSymbol(sym Keysym, group int) (Keycode, modmask) {
	var found Keycode
	for c := int(m.max); c >= int(m.min); c-- {
		code := Keycode(c)
		if m.symbol(code, group, 0) != sym {
			continue
		}
		if m.mods[code] != 0 {
			return code, m.mods[code]
		}
		found = code
	}
	return found, 0
}

var errShortMap = errors.New("XkbGetMap: the reply is too short")

// parseMap reads the reply to XkbGetMap.
func parseMap(b []byte) (*keymap, error) {
	if len(b) < 40 {
		return nil, errShortMap
	}
	m := &keymap{min: Keycode(b[10]), max: Keycode(b[11])}
	r := &reader{b: b[40:]}
	if b[14] != 0 {
		return nil, fmt.Errorf("XkbGetMap: the types start at %d", b[14])
	}
	for range int(b[15]) {
		m.types = append(m.types, r.keyType())
	}
	first, n := int(b[17]), int(b[20])
	for code := first; code < first+n && code < len(m.keys); code++ {
		m.keys[code] = r.keyEntry()
	}
	for range int(b[33]) {
		pair := r.take(2)
		if pair != nil {
			m.mods[pair[0]] = modmask(pair[1])
		}
	}
	if r.short {
		return nil, errShortMap
	}
	return m, nil
}

// reader takes fields off a reply and remembers running out of it.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.short = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) keyType() keyType {
	head := r.take(8)
	if head == nil {
		return keyType{}
	}
	t := keyType{mask: modmask(head[0]), levels: int(head[4]), chosen: map[modmask]int{}}
	entries := int(head[5])
	for range entries {
		e := r.take(8)
		// An entry is inactive while its virtual modifier has no real one.
		if e != nil && e[0] != 0 {
			t.chosen[modmask(e[1])] = int(e[2])
		}
	}
	if head[6] != 0 { // what the type preserves: of no use here
		r.take(4 * entries)
	}
	return t
}

func (r *reader) keyEntry() keyEntry {
	head := r.take(8)
	if head == nil {
		return keyEntry{}
	}
	e := keyEntry{
		kind: [4]uint8(head[:4]), groups: int(head[4] & 0x0f), groupInfo: head[4], width: int(head[5]),
	}
	e.groups = min(e.groups, len(e.kind))
	n := int(binary.LittleEndian.Uint16(head[6:]))
	b := r.take(4 * n)
	if b == nil {
		return e
	}
	e.syms = make([]Keysym, n)
	for i := range e.syms {
		e.syms[i] = Keysym(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return e
}

// stroke is how a symbol is pressed: a key while modifiers are held.
type stroke struct {
	code Keycode
	mods modmask
}

// layout is what can be pressed in one group of a keymap with nothing locked.
type layout struct {
	group   int
	strokes map[Keysym]stroke   // by canonical keysym
	shifts  map[modmask]Keycode // the keys that hold the level modifiers
	level3  modmask             // the modifier of the level-three key; 0 for none
}

// layout finds how each symbol is pressed in a group: at the lowest cost in
// modifiers, then with the lowest keycode. Only Shift and the level-three key
// are used to reach a level; modifier keys themselves are left out.
func (m *keymap) layout(group int) *layout {
	l := &layout{group: group, strokes: map[Keysym]stroke{}, shifts: map[modmask]Keycode{}}
	if code, mod := m.withSymbol(symShiftL, group); mod == modShift {
		l.shifts[modShift] = code
	} else if code, mod := m.withSymbol(symShiftR, group); mod == modShift {
		l.shifts[modShift] = code
	}
	if code, mod := m.withSymbol(symLevel3Shift, group); single(mod) && mod > modControl {
		l.level3 = mod
		l.shifts[mod] = code
	}
	for _, mods := range []modmask{0, modShift, l.level3, modShift | l.level3} {
		if !l.reaches(mods) {
			continue
		}
		for c := int(m.min); c <= int(m.max); c++ {
			code := Keycode(c)
			sym := m.symbol(code, group, mods).canonical()
			if sym == noSymbol || m.mods[code] != 0 || mods != 0 && m.doubles(code, group) {
				continue
			}
			if _, have := l.strokes[sym]; !have {
				l.strokes[sym] = stroke{code, mods}
			}
		}
	}
	return l
}

// doubles tells whether a key is also a function key at some level, as letters
// are in the Neo layouts. Programs with Xt look for shortcuts among all levels of
// a key while Shift is down: to xterm, Shift and such a letter scrolls.
func (m *keymap) doubles(code Keycode, group int) bool {
	e := &m.keys[code]
	g, ok := e.group(group)
	if !ok {
		return false
	}
	char, function := false, false
	for _, sym := range e.syms[min(g*e.width, len(e.syms)):min((g+1)*e.width, len(e.syms))] {
		_, is := sym.Rune()
		char = char || is
		function = function || sym >= 0xff00 && sym <= lastFunction
	}
	return char && function
}

// reaches tells whether the layout has a key for each of the modifiers.
func (l *layout) reaches(mods modmask) bool {
	for _, mod := range mods.each() {
		if _, ok := l.shifts[mod]; !ok {
			return false
		}
	}
	return true
}

func single(m modmask) bool { return m != 0 && m&(m-1) == 0 }

// each gives the modifiers of a set, one at a time.
func (m modmask) each() []modmask {
	var all []modmask
	for bit := modmask(1); bit != 0; bit <<= 1 {
		if m&bit != 0 {
			all = append(all, bit)
		}
	}
	return all
}

// missing counts the symbols that the layout cannot press.
func (l *layout) missing(syms []Keysym) int {
	n := 0
	for _, s := range syms {
		if _, ok := l.strokes[s]; !ok {
			n++
		}
	}
	return n
}
