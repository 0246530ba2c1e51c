package x11

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrBadKey says that a chord cannot be read, or that nothing can press it.
var ErrBadKey = errors.New("bad key")

// Chord is one key pressed while modifiers are held.
type Chord struct {
	// Mods are pressed in this order and released in the opposite one.
	Mods []Keysym
	// Key is the symbol meant. What the layout needs to reach it (Shift for
	// "plus" on a US keyboard) is added when it is pressed.
	Key Keysym
}

// maxChord bounds what is parsed; the longest keysym name has 28 letters.
const maxChord = 200

// modifierNames are what people and other tools call modifiers.
var modifierNames = map[string]Keysym{
	"ctrl": symControlL, "control": symControlL,
	"shift": symShiftL,
	"alt":   symAltL, "option": symAltL,
	"super": symSuperL, "win": symSuperL, "cmd": symSuperL, "command": symSuperL,
	"meta":  symMetaL,
	"hyper": symHyperL,
	"altgr": symLevel3Shift,
}

// keyAliases are common names that are not X names.
var keyAliases = map[string]string{
	"enter": "Return", "esc": "Escape", "del": "Delete", "ins": "Insert",
	"pgup": "Prior", "pageup": "Prior", "page_up": "Prior",
	"pgdn": "Next", "pgdown": "Next", "pagedown": "Next", "page_down": "Next",
	"arrowleft": "Left", "arrowright": "Right", "arrowup": "Up", "arrowdown": "Down",
	"back": "BackSpace", "spacebar": "space", "capslock": "Caps_Lock", "numlock": "Num_Lock",
	"printscreen": "Print", "prtsc": "Print", "contextmenu": "Menu",
	"ctrl": "Control_L", "control": "Control_L", "shift": "Shift_L", "alt": "Alt_L",
	"super": "Super_L", "win": "Super_L", "cmd": "Super_L", "meta": "Meta_L", "hyper": "Hyper_L",
	"altgr": "ISO_Level3_Shift",
}

// ParseChord reads "ctrl+shift+Left", "Return", "a", "é", "ctrl+plus",
// "ctrl++" or "U20AC": modifiers, then a key by its X keysym name, by a common
// name, or as the character itself. A capital letter means the letter with
// Shift. Errors wrap ErrBadKey.
func ParseChord(s string) (Chord, error) {
	if s == "" || len(s) > maxChord || !utf8.ValidString(s) {
		return Chord{}, fmt.Errorf("%w: %.40q", ErrBadKey, s)
	}
	var chord Chord
	rest := s
	for {
		head, tail, ok := strings.Cut(rest, "+")
		if !ok || head == "" || tail == "" {
			break
		}
		mod, ok := modifierNamed(head)
		if !ok {
			return Chord{}, fmt.Errorf("%w: %q in %q is not a modifier (ctrl, shift, alt, super, meta, hyper, altgr)",
				ErrBadKey, head, s)
		}
		if !slices.Contains(chord.Mods, mod) {
			chord.Mods = append(chord.Mods, mod)
		}
		rest = tail
	}
	key, ok := keyNamed(rest)
	if !ok {
		return Chord{}, fmt.Errorf("%w: %q is not an X keysym name or a character", ErrBadKey, rest)
	}
	chord.Key = key
	return chord, nil
}

func modifierNamed(name string) (Keysym, bool) {
	if k, ok := modifierNames[strings.ToLower(name)]; ok {
		return k, true
	}
	k, ok := KeysymNamed(name)
	if !ok || !k.isModifier() {
		return 0, false
	}
	return k, true
}

// isModifier tells the modifier keys from all others: Shift_L to Hyper_R
// without the locks, and the level and group shifts of ISO 9995.
func (k Keysym) isModifier() bool {
	return k >= symShiftL && k <= 0xffee && k != 0xffe5 && k != 0xffe6 ||
		k == symLevel3Shift || k == 0xfe11 || k == 0xff7e
}

func keyNamed(name string) (Keysym, bool) {
	if r, n := utf8.DecodeRuneInString(name); n == len(name) {
		if !typeable(r) {
			return 0, false
		}
		return KeysymOf(r), true
	}
	if k, ok := keysyms().byName[name]; ok {
		return k, ok && k != 0xffffff // VoidSymbol is no key
	}
	if alias, ok := keyAliases[strings.ToLower(name)]; ok {
		return KeysymNamed(alias)
	}
	if r, ok := codePoint(name); ok {
		return KeysymOf(r), typeable(r)
	}
	k, ok := KeysymNamed(name)
	return k, ok && k != 0xffffff
}

// codePoint reads "U20AC" and "U+20AC".
func codePoint(name string) (rune, bool) {
	digits, ok := strings.CutPrefix(name, "U")
	if !ok {
		return 0, false
	}
	digits = strings.TrimPrefix(digits, "+")
	if len(digits) < 4 || len(digits) > 6 {
		return 0, false
	}
	var r rune
	for _, d := range strings.ToLower(digits) {
		i := strings.IndexRune("0123456789abcdef", d)
		if i < 0 {
			return 0, false
		}
		r = r<<4 | rune(i)
	}
	return r, utf8.ValidRune(r)
}

// typeable tells characters from controls, which have no key of their own.
func typeable(r rune) bool {
	return r >= 0x20 && r != 0x7f && (r < 0x80 || r > 0x9f) && r != utf8.RuneError
}

// String gives the chord in the form ParseChord reads.
func (c Chord) String() string {
	var b strings.Builder
	for _, m := range c.Mods {
		b.WriteString(modifierWord(m) + "+")
	}
	b.WriteString(c.Key.String())
	return b.String()
}

func modifierWord(k Keysym) string {
	for _, w := range []string{"ctrl", "shift", "alt", "super", "meta", "hyper", "altgr"} {
		if modifierNames[w] == k {
			return w
		}
	}
	return k.String()
}
