package x11

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// fewKeys is an injector for a map of which the keycodes 255 and 100 are free
// and 101 is lent for é, with a level-three key or without.
func fewKeys(t *testing.T, level3 bool) *Injector {
	t.Helper()
	keys := map[Keycode]keyEntry{50: one(symShiftL)}
	mods := map[Keycode]modmask{50: modShift}
	if level3 {
		keys[92], mods[92] = one(symLevel3Shift), 1<<7
	}
	for code := Keycode(8); code < 255; code++ {
		if _, there := keys[code]; !there && code != 100 {
			keys[code] = one('a')
		}
	}
	keys[101] = keyEntry{kind: [4]uint8{1}, groups: 1, width: 2, syms: []Keysym{0xe9, 0xe9}}
	m, err := parseMap(mapReply(keys, mods))
	if err != nil {
		t.Fatal(err)
	}
	i := &Injector{loans: []*loan{{code: 101, syms: symbols{0xe9}, used: 7}}}
	i.board.keymap, i.board.layouts = m, map[int]*layout{}
	return i
}

// TestLending shares few keycodes among many symbols.
func TestLending(t *testing.T) {
	t.Parallel()
	type plan map[Keycode]symbols
	for _, tc := range []struct {
		name    string
		level3  bool
		want    []Keysym
		plan    plan // what changes
		reused  bool
		without Keysym
	}{
		{name: "all there", want: []Keysym{'a', 0xe9}},
		{name: "free codes first", want: []Keysym{'a', 'z', 0xe9, 'y', 'z'}, plan: plan{255: {'z'}, 100: {'y'}}},
		{
			name: "then Shift", want: []Keysym{'z', 'y', 'x', 0xe9, 'w'},
			plan: plan{255: {'z', 'w'}, 100: {'y'}, 101: {0xe9, 'x'}}, reused: true,
		},
		{
			name: "then level three", level3: true, want: []Keysym{'z', 'y', 'x', 'w', 'v', 'u', 't'},
			plan: plan{255: {'z', 'w', 't'}, 100: {'y', 'v'}, 101: {0xe9, 'x', 'u'}}, reused: true,
		},
		{
			name: "what is not needed goes last", want: []Keysym{'z', 'y', 'x', 'w', 'v', 'u', 't'},
			plan: plan{255: {'z', 'w'}, 100: {'y', 'v'}, 101: {'u', 'x'}}, reused: true, without: 't',
		},
		{
			name: "é stays as long as it comes before the rest", want: []Keysym{0xe9, 'z', 'y', 'x', 'w', 'v', 'u'},
			plan: plan{255: {'z', 'w'}, 100: {'y', 'v'}, 101: {0xe9, 'x'}}, reused: true, without: 'u',
		},
		{
			name: "a function shares with nobody", want: []Keysym{symReturn, 'z', 'y', 'x'},
			plan: plan{255: {symReturn}, 100: {'z', 'x'}, 101: {0xe9, 'y'}}, reused: true,
		},
	} {
		i := fewKeys(t, tc.level3)
		p := i.lending(0)
		without := p.serve(i.board.layout(0), tc.want)
		got := plan{}
		for _, l := range p.changed {
			got[l.code] = l.syms
		}
		if len(got) != len(tc.plan) || p.reused != tc.reused || without != tc.without {
			t.Errorf("%s: %v, reused %v, without %v", tc.name, got, p.reused, without)
		}
		for code, syms := range tc.plan {
			if got[code] != syms {
				t.Errorf("%s: key %d carries %v, want %v", tc.name, code, got[code], syms)
			}
		}
		if i.loans[0].syms != (symbols{0xe9}) {
			t.Errorf("%s: a plan changed what is", tc.name)
		}
	}
}

// TestLoanIsRead finds of a loan what the server has: all of its change, nothing
// of it, or another key altogether.
func TestLoanIsRead(t *testing.T) {
	t.Parallel()
	shared := &loan{code: 101, syms: symbols{0xe9, 'z', 'y'}, was: symbols{0xe9}, used: 3}
	for _, tc := range []struct {
		name string
		key  keyEntry
		ours bool
		syms symbols
	}{
		{"as it is", keyEntry{groups: 1, width: 4, syms: []Keysym{0xe9, 'z', 'y', 0xe9}}, true, shared.syms},
		{"as it was", keyEntry{groups: 1, width: 2, syms: []Keysym{0xe9, 0xe9}}, true, symbols{0xe9}},
		{"another key", keyEntry{groups: 1, width: 2, syms: []Keysym{'\\', '_'}}, false, symbols{}},
		{"two groups", keyEntry{groups: 2, width: 2, syms: []Keysym{0xe9, 'z', 'y', 0xe9}}, false, symbols{}},
		{"nothing", keyEntry{}, false, symbols{}},
	} {
		l := readLoan(shared.write(nil))
		m := &keymap{min: 8, max: 255}
		m.keys[101] = tc.key
		if ours := l.read(m); ours != tc.ours || ours && l.syms != tc.syms {
			t.Errorf("%s: ours %v, %v", tc.name, ours, l.syms)
		}
	}
}

// TestFewKeysCarryManySymbols types sixty foreign symbols on a keymap with
// nineteen free keycodes: they are mapped once, and again never.
func TestFewKeysCarryManySymbols(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	r.tool(need.Tool(t, "setxkbmap"), "us")
	keys := r.coreKeys()
	text := foreignText + "абвгдежзийклмнопрст"
	want := ""
	var first map[Keycode]string
	for range 3 {
		if _, err := i.Text(soon(t), text+" "+asciiText, TextOpts{}); err != nil {
			t.Fatal(err)
		}
		want += text + " " + asciiText
		if got := typed(t, path, len(want)); got != want {
			t.Fatalf("typed %q, want %q", got, want)
		}
		now := r.coreKeys()
		if first == nil {
			first = now
		}
		for code, syms := range first {
			if now[code] != syms {
				t.Errorf("key %d was mapped anew: %s, then %s", code, syms, now[code])
			}
		}
	}
	for code, syms := range keys {
		if first[code] != syms {
			t.Errorf("key %d of the layout was %s and is %s", code, syms, first[code])
		}
	}
	// Whoever comes next knows them all.
	second := r.injector()
	if len(second.loans) != 19 || len(second.loans) != len(i.loans) {
		t.Errorf("%d of %d borrowed keys are adopted", len(second.loans), len(i.loans))
	}
	if missing := second.board.layout(0).missing(symsOf(t, text)); missing > 0 {
		t.Errorf("%d symbols are on no key", missing)
	}
	if err := second.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	if left := r.coreKeys(); len(left) != len(keys) {
		t.Errorf("%d keys mean something, and %d did", len(left), len(keys))
	}
}

func symsOf(t *testing.T, text string) []Keysym {
	t.Helper()
	syms, err := textSyms(text)
	if err != nil {
		t.Fatal(err)
	}
	return syms
}

// TestHeldShiftOnASharedKey presses what shares its keycode with another symbol
// while Shift is held: by itself it means what was asked.
func TestHeldShiftOnASharedKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	r.tool(need.Tool(t, "setxkbmap"), "us")
	want := "абвгдежзийклмнопрстуфхцчшщъыьэюя"
	if _, err := i.Text(soon(t), want, TextOpts{}); err != nil {
		t.Fatal(err)
	}
	held := slices.IndexFunc(i.loans, func(l *loan) bool { return l.syms.shared() })
	if held < 0 {
		t.Fatal("no key means two symbols")
	}
	both := i.loans[held].syms
	for _, sym := range both[:2] {
		for _, press := range []struct {
			sym  Keysym
			down bool
		}{{symShiftL, true}, {sym, true}, {sym, false}, {symShiftL, false}} {
			if err := i.Symbol(soon(t), press.sym, press.down); err != nil {
				t.Fatal(err)
			}
		}
		ch, _ := sym.Rune()
		chord, err := ParseChord(strings.Join([]string{"shift", string(ch)}, "+"))
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Chord(soon(t), chord, nil); err != nil {
			t.Fatal(err)
		}
		want += string(ch) + string(ch)
	}
	if got := typed(t, path, len(want)); got != want {
		t.Errorf("typed %q, want %q", got, want)
	}
	if down := r.keysDown(); len(down) > 0 {
		t.Errorf("still down: %v", down)
	}
}

// TestRemapInterrupted cuts texts that need more symbols than the keymap has room
// for, many of them while keys are mapped anew: what is counted is what arrived,
// and in the end no key is left that was borrowed.
func TestRemapInterrupted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	r.tool(need.Tool(t, "setxkbmap"), "us")
	keys := r.coreKeys()
	var all []rune
	for ch := '一'; ch < '一'+200; ch++ {
		all = append(all, ch, 'x')
	}
	r.cutTexts(i, path, "", 40, 10, func(n int) ([]rune, time.Duration) {
		at := n * 10 % len(all)
		return slices.Concat(all[at:], all[:at]), time.Duration(n*397%403) * time.Millisecond
	})
	// As after a daemon that was killed: another takes over what is borrowed.
	second := r.injector()
	if err := second.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	if left := r.coreKeys(); !maps.Equal(keys, left) {
		t.Errorf("keys of the layout changed:\n%v\n%v", keys, left)
	}
}
