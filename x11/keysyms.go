package x11

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:generate sh -c "go run keysyms_gen.go > keysyms.txt"

// Keysym is the X number of a symbol on a key: a character or a function.
type Keysym uint32

// The keysyms this package presses or looks for itself.
const (
	noSymbol       Keysym = 0
	symTab         Keysym = 0xff09
	symReturn      Keysym = 0xff0d
	symShiftL      Keysym = 0xffe1
	symShiftR      Keysym = 0xffe2
	symControlL    Keysym = 0xffe3
	symControlR    Keysym = 0xffe4
	symMetaL       Keysym = 0xffe7
	symAltL        Keysym = 0xffe9
	symAltR        Keysym = 0xffea
	symSuperL      Keysym = 0xffeb
	symHyperL      Keysym = 0xffed
	symLevel3Shift Keysym = 0xfe03

	// unicodeSyms is where the keysyms of all other characters start.
	unicodeSyms Keysym = 0x01000000

	firstFunction Keysym = 0xfd00 // 3270 keys, then ISO, keypad, function keys
	lastFunction  Keysym = 0xffff
)

//go:embed keysyms.txt
var keysymList string

// keysymTable is the X headers' list, both ways.
type keysymTable struct {
	byName  map[string]Keysym
	byFold  map[string]Keysym // lower case: only names that stay distinct
	names   map[Keysym]string
	runes   map[Keysym]rune // keysyms above Latin-1 that are one character
	legacy  map[rune]Keysym
	unclear map[string]bool
}

var keysyms = sync.OnceValue(func() *keysymTable { return parseKeysyms(keysymList) })

func parseKeysyms(list string) *keysymTable {
	t := &keysymTable{
		byName: map[string]Keysym{}, byFold: map[string]Keysym{}, names: map[Keysym]string{},
		runes: map[Keysym]rune{}, legacy: map[rune]Keysym{}, unclear: map[string]bool{},
	}
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		v, err := strconv.ParseUint(fields[1], 16, 32)
		if err != nil {
			panic("x11: keysyms.txt: " + err.Error())
		}
		t.add(fields[0], Keysym(v))
		if len(fields) > 2 && v > 0xff && Keysym(v) < unicodeSyms {
			r, err := strconv.ParseUint(fields[2], 16, 32)
			if err != nil {
				panic("x11: keysyms.txt: " + err.Error())
			}
			t.runes[Keysym(v)] = rune(r)
			if _, taken := t.legacy[rune(r)]; !taken {
				t.legacy[rune(r)] = Keysym(v)
			}
		}
	}
	for name := range t.unclear {
		delete(t.byFold, name)
	}
	return t
}

func (t *keysymTable) add(name string, k Keysym) {
	t.byName[name] = k
	if _, taken := t.names[k]; !taken {
		t.names[k] = name
	}
	folded := strings.ToLower(name)
	if was, taken := t.byFold[folded]; taken && was != k {
		t.unclear[folded] = true // "eacute" and "Eacute"
	}
	t.byFold[folded] = k
}

// KeysymNamed gives the keysym of an X name ("Return", "eacute",
// "XF86AudioMute"). A name in another case is found when only one keysym can
// be meant by it ("return", "pageup" is not a name).
func KeysymNamed(name string) (Keysym, bool) {
	t := keysyms()
	if k, ok := t.byName[name]; ok {
		return k, true
	}
	k, ok := t.byFold[strings.ToLower(name)]
	return k, ok
}

// KeysymOf gives the keysym of a character: Latin-1 is itself, any other the
// keysym X reserves for its code point.
func KeysymOf(r rune) Keysym {
	if r >= 0x20 && r <= 0x7e || r >= 0xa0 && r <= 0xff {
		return Keysym(r)
	}
	return unicodeSyms | Keysym(r)
}

// Rune gives the character a keysym stands for; function keys have none.
func (k Keysym) Rune() (rune, bool) {
	switch {
	case k >= 0x20 && k <= 0x7e || k >= 0xa0 && k <= 0xff:
		return rune(k), true
	case k >= firstFunction && k <= lastFunction:
		return 0, false
	case k > unicodeSyms && k <= unicodeSyms|unicode.MaxRune:
		return rune(k &^ unicodeSyms), true
	}
	r, ok := keysyms().runes[k]
	return r, ok
}

// String gives the keysym's X name, a "U20AC" for a character without one, or
// its number.
func (k Keysym) String() string {
	if name, ok := keysyms().names[k]; ok {
		return name
	}
	if r, ok := k.Rune(); ok {
		return fmt.Sprintf("U%04X", r)
	}
	return fmt.Sprintf("0x%x", uint32(k))
}

// canonical makes one of the several keysyms a character can have, so that
// Cyrillic_a of a Russian layout and U0430 are the same symbol.
func (k Keysym) canonical() Keysym {
	if r, ok := k.Rune(); ok {
		return KeysymOf(r)
	}
	return k
}
