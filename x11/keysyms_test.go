package x11

import (
	"os"
	"os/exec"
	"testing"
	"unicode/utf8"
)

func TestKeysymNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Keysym{
		"Return": 0xff0d, "return": 0xff0d, "F5": 0xffc2, "eacute": 0xe9, "Eacute": 0xc9,
		"Cyrillic_a": 0x6c1, "Greek_omega": 0x7f9, "XF86AudioMute": 0x1008ff12,
		"xf86audiomute": 0x1008ff12, "KP_1": 0xffb1, "plus": 0x2b, "ISO_Left_Tab": 0xfe20,
		"XF86Fn": 0x100811d0, "Page_Up": 0xff55,
	} {
		if got, ok := KeysymNamed(name); !ok || got != want {
			t.Errorf("%s is %#x, %v; want %#x", name, uint32(got), ok, uint32(want))
		}
	}
	for _, name := range []string{"", "nothing", "EACUTE", "Return ", "\x00"} {
		if got, ok := KeysymNamed(name); ok {
			t.Errorf("%q is %v", name, got)
		}
	}
}

func TestKeysymRunes(t *testing.T) {
	t.Parallel()
	for sym, want := range map[Keysym]rune{
		0x61: 'a', 0xe9: 'é', 0x6c1: 'а', 0x7d9: 'Ω', 0x20ac: '€', 0x1000439: 'й', 0x101f600: '😀',
	} {
		if got, ok := sym.Rune(); !ok || got != want {
			t.Errorf("%v stands for %q, %v; want %q", sym, got, ok, want)
		}
	}
	// Functions, dead keys and controls stand for no character, though some
	// have one in the headers.
	for _, sym := range []Keysym{0, 0xff0d, 0xffb1, 0xfe51, 0xffffff, 0x1008ff12, 0x1f, 0x7f, 0x90} {
		if got, ok := sym.Rune(); ok {
			t.Errorf("%#x stands for %q", uint32(sym), got)
		}
	}
	for _, r := range "aé~ßЖΩ你😀\u00a0\u2028" {
		if got, ok := KeysymOf(r).Rune(); !ok || got != r {
			t.Errorf("%q became %q, %v", r, got, ok)
		}
	}
	if a, b := Keysym(0x6c1).canonical(), KeysymOf('а'); a != b {
		t.Errorf("Cyrillic_a is %v, its character is %v", a, b)
	}
}

// TestKeysymListIsCurrent runs the generator where the X headers are.
func TestKeysymListIsCurrent(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/include/X11/XF86keysym.h"); err != nil {
		t.Log("the X headers (x11proto-dev) are not here: the list is taken as it is")
		return
	}
	out, err := exec.Command("go", "run", "keysyms_gen.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	made := parseKeysyms(string(out))
	for name, sym := range keysyms().byName {
		if made.byName[name] != sym {
			t.Errorf("%s is %#x in the list and %#x in the headers", name, uint32(sym), uint32(made.byName[name]))
		}
	}
}

func TestParseChord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		mods []Keysym
		key  Keysym
	}{
		"a":               {nil, 'a'},
		"A":               {nil, 'A'},
		"é":               {nil, 0xe9},
		"你":               {nil, 0x1004f60},
		"Return":          {nil, 0xff0d},
		"enter":           {nil, 0xff0d},
		"F5":              {nil, 0xffc2},
		"f5":              {nil, 0xffc2},
		"ctrl+s":          {[]Keysym{symControlL}, 's'},
		"Ctrl+Shift+Left": {[]Keysym{symControlL, symShiftL}, 0xff51},
		"ctrl+plus":       {[]Keysym{symControlL}, '+'},
		"ctrl++":          {[]Keysym{symControlL}, '+'},
		"+":               {nil, '+'},
		"ctrl+alt+Delete": {[]Keysym{symControlL, symAltL}, 0xffff},
		"Control_R+x":     {[]Keysym{symControlR}, 'x'},
		"altgr+e":         {[]Keysym{symLevel3Shift}, 'e'},
		"ctrl+ctrl+c":     {[]Keysym{symControlL}, 'c'},
		"Shift_L":         {nil, symShiftL},
		"super":           {nil, symSuperL},
		"U20AC":           {nil, 0x10020ac},
		"pageup":          {nil, 0xff55},
		"space":           {nil, ' '},
		" ":               {nil, ' '},
		"ctrl+é":          {[]Keysym{symControlL}, 0xe9},
	} {
		got, err := ParseChord(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got.Key != want.key || len(got.Mods) != len(want.mods) {
			t.Errorf("%q is %v, want %v", text, got, want)
			continue
		}
		for n := range got.Mods {
			if got.Mods[n] != want.mods[n] {
				t.Errorf("%q is %v, want %v", text, got, want)
			}
		}
	}
}

var badChords = []string{
	"", "ctrl+", "+ctrl", "foo", "foo+a", "ctrl+foo", "a+b", "ctrl a", "\n", "\x1b", "ctrl+\x00", "\xff", "VoidSymbol",
	"UD800", "U110000", "Caps_Lock+a", "ctrl+a+",
}

func TestParseChordRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range badChords {
		if got, err := ParseChord(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func FuzzParseChord(f *testing.F) {
	for _, text := range append(badChords, "ctrl+shift+Left", "ctrl++", "é", "U20AC") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		chord, err := ParseChord(text)
		if err != nil {
			return
		}
		if !utf8.ValidString(chord.String()) {
			t.Errorf("%q prints as %q", text, chord)
		}
		again, err := ParseChord(chord.String())
		if err != nil || again.Key.canonical() != chord.Key.canonical() || len(again.Mods) != len(chord.Mods) {
			t.Errorf("%q is %q, which is %v, %v", text, chord, again, err)
		}
	})
}
