package x11

import (
	"context"
	"errors"
	"fmt"
)

// Chord presses a key combination once. The key is found in the group in effect,
// then in the others; what the layout needs to reach it is added (Shift for
// "plus" on a US keyboard); a key that is in none is borrowed. Locks and held
// modifiers are put aside meanwhile, unless the chord is itself a lock key.
// guard, which may be nil, is called right before the first key; its error stops
// the chord and is returned.
//
// Errors: ErrBadKey when a modifier has no key, ErrNoKey, ErrModifiers, the
// guard's, the context's, ErrGone.
func (i *Injector) Chord(ctx context.Context, chord Chord, guard func(context.Context) error) (err error) {
	end, err := i.begin(ctx)
	if err != nil {
		return fmt.Errorf("press %s: %w", chord, err)
	}
	defer end()
	if err := i.refresh(ctx); err != nil {
		return fmt.Errorf("press %s: %w", chord, err)
	}
	q := i.aside(i.board.group())
	defer func() {
		err = errors.Join(err, i.letGo(ctx), q.restore(ctx))
		if err != nil {
			err = fmt.Errorf("press %s: %w", chord, err)
		}
	}()
	codes, err := i.chordKeys(ctx, chord, q)
	if err != nil {
		return err
	}
	if guard != nil {
		if err := guard(ctx); err != nil {
			return err
		}
	}
	return i.send(ctx, downUp(codes)...)
}

// Reach says whether the layout has a key for every modifier of some chords, so
// that what it lacks is found before the first of them is pressed. Other keys
// can be borrowed when their turn comes. The error wraps ErrBadKey.
func (i *Injector) Reach(ctx context.Context, chords ...Chord) error {
	end, err := i.begin(ctx)
	if err != nil {
		return fmt.Errorf("look for keys: %w", err)
	}
	defer end()
	if err := i.refresh(ctx); err != nil {
		return fmt.Errorf("look for keys: %w", err)
	}
	for _, chord := range chords {
		if _, _, err := i.modifierKeys(chord.Mods); err != nil {
			return fmt.Errorf("press %s: %w", chord, err)
		}
	}
	return nil
}

// downUp presses keys in order and releases them in the opposite one.
func downUp(codes []Keycode) []event {
	events := make([]event, 0, 2*len(codes))
	for _, code := range codes {
		events = append(events, keyEvent(code, true))
	}
	for n := len(codes) - 1; n >= 0; n-- {
		events = append(events, keyEvent(codes[n], false))
	}
	return events
}

// chordKeys gives the keys of a chord in the order they are pressed, with the
// keyboard ready for them.
func (i *Injector) chordKeys(ctx context.Context, chord Chord, q *quieted) ([]Keycode, error) {
	codes, have, err := i.modifierKeys(chord.Mods)
	if err != nil {
		return nil, err
	}
	if code, _, ok := i.ownKey(chord.Key); ok {
		if !chord.Key.isLock() {
			err = q.quiet(ctx)
		}
		return append(codes, code), err
	}
	sym := chord.Key.canonical()
	q.group = i.groupOf(sym)
	if _, ok := i.alone(q.group, sym); !ok {
		if err := i.borrowAlone(ctx, q.group, sym); err != nil {
			return nil, err
		}
	}
	if err := i.settle(ctx); err != nil {
		return nil, err
	}
	l := i.board.layout(q.group)
	how, ok := l.strokes[sym]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoKey, chord.Key)
	}
	i.touch(how.code)
	for _, mod := range (how.mods &^ have).each() {
		codes = append(codes, l.shifts[mod])
	}
	return append(codes, how.code), q.quiet(ctx)
}

// groupOf gives the group in effect if it has the symbol, else the first that
// has.
func (i *Injector) groupOf(sym Keysym) int {
	current := i.board.group()
	if _, ok := i.board.layout(current).strokes[sym]; ok {
		return current
	}
	for group := range i.board.keymap.groups() {
		if _, ok := i.board.layout(group).strokes[sym]; ok {
			return group
		}
	}
	return current
}

// modifierKeys finds the key of each modifier of a chord, and what they hold.
func (i *Injector) modifierKeys(mods []Keysym) (codes []Keycode, have modmask, err error) {
	for _, sym := range mods {
		code, mod, ok := i.ownKey(sym)
		if !ok {
			return nil, 0, fmt.Errorf("%w: the keyboard layout has no %s", ErrBadKey, modifierWord(sym))
		}
		codes, have = append(codes, code), have|mod
	}
	return codes, have, nil
}

// twins are the keys that do for a modifier that a layout lacks.
var twins = map[Keysym]Keysym{
	symControlL: symControlR, symShiftL: symShiftR, symAltL: symAltR, symMetaL: symAltL,
}

// ownKey finds the key of a symbol that is a modifier or a lock, in any group.
func (i *Injector) ownKey(sym Keysym) (Keycode, modmask, bool) {
	for tries := 0; tries < 3 && sym != noSymbol; tries++ {
		for group := range i.board.keymap.groups() {
			code, mod := i.board.keymap.withSymbol(sym, group)
			if mod != 0 || code != 0 && (sym.isModifier() || sym.isLock()) {
				return code, mod, true
			}
		}
		sym = twins[sym]
	}
	return 0, 0, false
}

// isLock tells the keys whose effect outlasts them: Caps Lock, Shift Lock, Num
// Lock, Scroll Lock, and the locks and group switches of ISO 9995.
func (k Keysym) isLock() bool {
	return k == 0xffe5 || k == 0xffe6 || k == 0xff7f || k == 0xff14 || k >= 0xfe01 && k <= 0xfe13 && k != symLevel3Shift
}
