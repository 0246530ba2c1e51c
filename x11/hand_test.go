package x11

import (
	"errors"
	"testing"
)

// stroke presses and releases keys of a person's keyboard, one after the other.
func (r *rig) strokes(i *Injector, codes ...Keycode) {
	r.t.Helper()
	for _, code := range codes {
		for _, down := range []bool{true, false} {
			if err := i.Key(soon(r.t), code, down); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// TestHandOnAnotherKeyboard: what is pressed on a French keyboard arrives on a
// display that had a US one, by keycode and by symbol, and afterwards the
// display has its own again.
func TestHandOnAnotherKeyboard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	before := r.coreKeys()
	fr, err := ParseLayout("fr")
	if err != nil {
		t.Fatal(err)
	}
	was, err := i.SetLayout(soon(t), fr)
	if err != nil {
		t.Fatal(err)
	}
	const level3 Keycode = 108
	r.strokes(i, 24, 25, 26, 27, 28, 29, 65, 11, 65, 48, 65)
	if err := i.Key(soon(t), level3, true); err != nil {
		t.Fatal(err)
	}
	r.strokes(i, 26)
	if err := i.Key(soon(t), level3, false); err != nil {
		t.Fatal(err)
	}
	want := "azerty é ù €"
	if got := typed(t, path, len(want)); got != want {
		t.Errorf("typed %q, want %q", got, want)
	}
	for _, c := range want {
		r.press(i, KeysymOf(c))
	}
	want += want
	if got := typed(t, path, len(want)); got != want {
		t.Errorf("typed %q, want %q", got, want)
	}
	if _, err := i.SetLayout(soon(t), was); err != nil {
		t.Fatal(err)
	}
	after := r.coreKeys()
	for code, syms := range before {
		if after[code] != syms {
			t.Errorf("key %d meant %s and means %s", code, syms, after[code])
		}
	}
	r.strokes(i, 24, 25, 26)
	if got := typed(t, path, len(want)+3); got != want+"qwe" {
		t.Errorf("typed %q after", got)
	}
	if down := r.keysDown(); len(down) > 0 {
		t.Errorf("still down: %v", down)
	}
}

// press presses and releases the key of a symbol.
func (r *rig) press(i *Injector, sym Keysym) {
	r.t.Helper()
	for _, down := range []bool{true, false} {
		if err := i.Symbol(soon(r.t), sym, down); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestHandBySymbol: a viewer that knows only what is pressed presses it here,
// whatever else is held; a key that is down repeats, and goes up although its
// Shift went up first.
func TestHandBySymbol(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	r.press(i, 'a')
	r.press(i, 'A') // nobody holds Shift
	r.press(i, KeysymOf('é'))
	r.press(i, KeysymOf('€'))
	hold := func(sym Keysym, down bool) {
		t.Helper()
		if err := i.Symbol(soon(t), sym, down); err != nil {
			t.Fatal(err)
		}
	}
	hold(symShiftL, true)
	r.press(i, 'B')
	r.press(i, '!')
	hold('C', true)
	hold('C', true)
	hold('C', true)
	hold(symShiftL, true) // a modifier that repeats is still down
	hold(symShiftL, false)
	hold('c', false)
	r.press(i, 'd')
	want := "aAé€B!CCCd"
	if got := typed(t, path, len(want)); got != want {
		t.Errorf("typed %q, want %q", got, want)
	}
	hold(symControlL, true)
	hold('x', true)
	if down := r.keysDown(); len(down) != 2 {
		t.Errorf("down: %v, want two keys", down)
	}
	if err := i.ReleaseAll(soon(t)); err != nil {
		t.Fatal(err)
	}
	hold('x', false) // late
	if down := r.keysDown(); len(down) > 0 {
		t.Errorf("still down: %v", down)
	}
}

func TestLayoutThatIsNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "fr+us", "fr(", "../x", "fr:2", "Fr", "fr(a b)"} {
		if _, err := ParseLayout(name); !errors.Is(err, ErrNoLayout) {
			t.Errorf("%q: %v", name, err)
		}
	}
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	none, err := ParseLayout("klingonese")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.SetLayout(soon(t), none); !errors.Is(err, ErrNoLayout) {
		t.Errorf("set: %v", err)
	}
	r.strokes(i, 24)
	if got := typed(t, path, 1); got != "q" {
		t.Errorf("typed %q", got)
	}
}
