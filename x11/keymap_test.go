package x11

import (
	"encoding/binary"
	"slices"
	"testing"
)

// mapReply builds a reply to XkbGetMap: the four types every map starts with
// and one of four levels, a few keys, Shift and the level-three key.
func mapReply(keys map[Keycode]keyEntry, mods map[Keycode]modmask) []byte {
	types := []struct {
		mask    modmask
		levels  int
		entries [][2]byte // modifiers, level
	}{
		{0, 1, nil},
		{modShift, 2, [][2]byte{{1, 1}}},
		{modShift | modLock, 2, [][2]byte{{1, 1}, {2, 1}}},
		{modShift | 1<<4, 2, [][2]byte{{1, 1}, {16, 1}}},
		{modShift | 1<<7, 4, [][2]byte{{1, 1}, {0x80, 2}, {0x81, 3}}},
	}
	b := make([]byte, 40)
	b[10], b[11] = 8, 255
	b[15], b[16] = byte(len(types)), byte(len(types))
	b[17], b[20] = 8, 248
	b[31], b[32], b[33] = 8, 248, byte(len(mods))
	for _, t := range types {
		b = append(b, byte(t.mask), byte(t.mask), 0, 0, byte(t.levels), byte(len(t.entries)), 1, 0)
		for _, e := range t.entries {
			b = append(b, 1, e[0], e[1], e[0], 0, 0, 0, 0)
		}
		b = append(b, make([]byte, 4*len(t.entries))...) // what is preserved
	}
	for code := 8; code < 256; code++ {
		e := keys[Keycode(code)]
		b = append(b, e.kind[:]...)
		b = append(b, byte(e.groups)|e.groupInfo, byte(e.width))
		b = binary.LittleEndian.AppendUint16(b, uint16(len(e.syms)))
		for _, s := range e.syms {
			b = binary.LittleEndian.AppendUint32(b, uint32(s))
		}
	}
	for code, mod := range mods {
		b = append(b, byte(code), byte(mod))
	}
	return b
}

func one(sym Keysym) keyEntry { return keyEntry{groups: 1, width: 1, syms: []Keysym{sym}} }

func sampleMap() []byte {
	return mapReply(map[Keycode]keyEntry{
		50:  one(symShiftL),
		92:  one(symLevel3Shift),
		36:  one(symReturn),
		37:  one(symControlL),
		38:  {kind: [4]uint8{2, 2}, groups: 2, width: 2, syms: []Keysym{'a', 'A', 0x6c6, 0x6e6}},
		24:  {kind: [4]uint8{4}, groups: 1, width: 4, syms: []Keysym{'q', 'Q', '@', 0x7d9}},
		10:  {kind: [4]uint8{1}, groups: 1, width: 2, syms: []Keysym{'1', '!'}},
		87:  {kind: [4]uint8{3}, groups: 1, width: 2, syms: []Keysym{0xff9c, 0xffb1}},
		40:  {kind: [4]uint8{1}, groups: 1, width: 2, syms: []Keysym{'x', 'X'}},
		41:  {kind: [4]uint8{4}, groups: 1, width: 4, syms: []Keysym{'w', 'W', 0, 0xff55}},
		45:  {kind: [4]uint8{1}, groups: 1, width: 2, syms: []Keysym{'x', '?'}},
		60:  {kind: [4]uint8{0, 0, 0}, groups: 3, width: 1, groupInfo: groupsClamp, syms: []Keysym{'k', 'l', 'm'}},
		61:  {kind: [4]uint8{0, 0, 0}, groups: 3, width: 1, groupInfo: groupsRedirect | 1<<4, syms: []Keysym{'n', 'o', 'p'}},
		62:  {kind: [4]uint8{0, 0, 0}, groups: 3, width: 1, syms: []Keysym{'r', 's', 't'}},
		200: {groups: 1, width: 1, syms: []Keysym{0}},
	}, map[Keycode]modmask{50: modShift, 92: 1 << 7, 37: modControl, 203: 1 << 3})
}

func TestKeymapSymbols(t *testing.T) {
	t.Parallel()
	m, err := parseMap(sampleMap())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		code  Keycode
		group int
		mods  modmask
		want  Keysym
	}{
		{38, 0, 0, 'a'},
		{38, 0, modShift, 'A'},
		{38, 0, modLock, 'A'},
		{38, 0, modControl | modShift, 'A'}, // what the type does not look at
		{38, 0, modShift | modLock, 'a'},    // no entry: the first level
		{38, 1, 0, 0x6c6},
		{38, 2, 0, 'a'}, // past the last group: wrapped
		{24, 0, 0x80, '@'},
		{24, 0, 0x81, 0x7d9},
		{24, 3, 0, 'q'},
		{10, 0, modLock, '1'},
		{60, 3, 0, 'm'}, // clamped
		{61, 3, 0, 'o'}, // redirected
		{62, 3, 0, 'r'}, // wrapped
		{99, 0, 0, noSymbol},
	} {
		if got := m.symbol(tc.code, tc.group, tc.mods); got != tc.want {
			t.Errorf("key %d, group %d, modifiers %#x: %v, want %v", tc.code, tc.group, uint8(tc.mods), got, tc.want)
		}
	}
	if m.groups() != 3 {
		t.Errorf("%d groups", m.groups())
	}
	for code, want := range map[Keycode]bool{38: false, 99: true, 200: true, 203: false, 50: false} {
		if m.spare(code) != want {
			t.Errorf("key %d is spare: %v", code, !want)
		}
	}
}

func TestLayoutStrokes(t *testing.T) {
	t.Parallel()
	m, err := parseMap(sampleMap())
	if err != nil {
		t.Fatal(err)
	}
	first, second := m.layout(0), m.layout(1)
	for sym, want := range map[Keysym]stroke{
		'a':           {38, 0},
		'A':           {38, modShift},
		'@':           {24, 0x80},
		KeysymOf('Ω'): {24, 0x81},
		'x':           {40, 0}, // the lowest key that has it
		'X':           {40, modShift},
		'w':           {41, 0},
		symReturn:     {36, 0},
		0xffb1:        {87, modShift}, // a keypad's digit is not that of the text
	} {
		if got := first.strokes[sym]; got != want {
			t.Errorf("%v is pressed by %+v, want %+v", sym, got, want)
		}
	}
	for _, sym := range []Keysym{symShiftL, symControlL, 'W', KeysymOf('ф'), 'z'} {
		if got, ok := first.strokes[sym]; ok {
			t.Errorf("%v is pressed by %+v", sym, got)
		}
	}
	if got := second.strokes[KeysymOf('ф')]; got != (stroke{38, 0}) {
		t.Errorf("ф of the second group is pressed by %+v", got)
	}
	if n := second.missing([]Keysym{'a', 'q', KeysymOf('Ф')}); n != 1 {
		t.Errorf("%d are missing, want the a", n)
	}
}

func TestParseMapRefusesShortReplies(t *testing.T) {
	t.Parallel()
	whole := sampleMap()
	for n := range len(whole) {
		if _, err := parseMap(whole[:n]); err == nil {
			t.Fatalf("%d bytes of %d were taken", n, len(whole))
		}
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add(sampleMap())
	f.Add(mapReply(nil, nil))
	f.Fuzz(func(_ *testing.T, b []byte) {
		m, err := parseMap(b)
		if err != nil {
			return
		}
		for group := range m.groups() {
			for code := range 256 {
				m.symbol(Keycode(code), group, modShift)
				m.spare(Keycode(code))
			}
			m.layout(group)
		}
	})
}

func TestConsecutive(t *testing.T) {
	t.Parallel()
	runs := consecutive([]*loan{
		{code: 9, syms: symbols{'c', 'C'}}, {code: 200, syms: symbols{'x'}}, {code: 8, syms: symbols{'b'}}, {code: 202, syms: symbols{'z'}},
	})
	if len(runs) != 3 || runs[0].first != 8 || !slices.Equal(runs[0].keys, []symbols{{'b'}, {'c', 'C'}}) ||
		runs[1].first != 200 || runs[2].first != 202 {
		t.Errorf("%+v", runs)
	}
}
