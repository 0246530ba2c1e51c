package x11

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// What a person does reaches the display as they do it: nothing is put aside,
// what is pressed stays down until it is released or until ReleaseAll, and a
// press of a key that is down is a repeat of it, since autorepeat is off here.

// KeyNamed gives the keysym of a key by its X name, a common name, or the
// character itself.
func KeyNamed(name string) (Keysym, bool) {
	if name == "" || len(name) > maxChord {
		return 0, false
	}
	return keyNamed(name)
}

// Key presses or releases one key by its keycode, in the layout that is loaded.
// A release of a key that this injector does not hold does nothing.
func (i *Injector) Key(ctx context.Context, code Keycode, down bool) error {
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if code < i.board.keymap.min || code > i.board.keymap.max {
		return fmt.Errorf("%w: keycode %d", ErrBadKey, code)
	}
	if err := i.settle(ctx); err != nil {
		return err
	}
	if err := i.handle(ctx, code, down); err != nil {
		return fmt.Errorf("key %d: %w", code, err)
	}
	return nil
}

// Symbol presses or releases the key of a symbol: the one that means it while
// what is held is held, else the one that means it with other modifiers, which
// are pressed for that moment, else a borrowed one. It is for a viewer that
// knows what a key means and not where it is. A release goes to the key that the
// symbol was pressed by.
func (i *Injector) Symbol(ctx context.Context, sym Keysym, down bool) error {
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if down {
		err = i.symbolDown(ctx, sym)
	} else if code, ok := i.symbolHeld(sym); ok {
		err = i.handle(ctx, code, false)
	}
	if err != nil {
		return fmt.Errorf("key %s: %w", sym, err)
	}
	return nil
}

// Notch turns the wheel by one where the pointer is, whatever keys are held.
func (i *Injector) Notch(ctx context.Context, dir Direction) error {
	button, ok := wheelButtons[dir]
	if !ok {
		return fmt.Errorf("wheel: no direction %q", dir)
	}
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return i.press(ctx, byte(button))
}

// handle presses or releases a key as a person does.
func (i *Injector) handle(ctx context.Context, code Keycode, down bool) error {
	held := i.holds(code)
	switch {
	case !down && !held:
		return nil
	case down && held && i.board.keymap.mods[code] != 0:
		return nil // a modifier that repeats is still down
	case down && held:
		again := keyEvent(code, true)
		again.wait = sameKeyGap
		return i.send(ctx, keyEvent(code, false), again)
	}
	i.touch(code)
	return i.send(ctx, keyEvent(code, down))
}

// holds says whether this injector holds a key down.
func (i *Injector) holds(code Keycode) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, held := i.keys[code]
	return held
}

// symbolDown finds the key of a symbol and presses it.
func (i *Injector) symbolDown(ctx context.Context, sym Keysym) error {
	if err := i.refresh(ctx); err != nil {
		return err
	}
	if code, _, ok := i.ownKey(sym); ok {
		i.by[sym] = code
		return i.handle(ctx, code, true)
	}
	group, mods := i.board.group(), i.board.state.mods
	code := i.meaning(sym.canonical(), group, mods)
	var with []Keycode
	if code == 0 {
		how, err := i.strokeOf(ctx, sym.canonical(), group)
		if err != nil {
			return err
		}
		code = how.code
		for _, mod := range (how.mods &^ mods).each() {
			with = append(with, i.board.layout(group).shifts[mod])
		}
	}
	if err := i.settle(ctx); err != nil {
		return err
	}
	i.by[sym] = code
	if len(with) == 0 || i.holds(code) {
		return i.handle(ctx, code, true)
	}
	events := append(pressEach(with), keyEvent(code, true))
	for _, mod := range slices.Backward(with) {
		events = append(events, keyEvent(mod, false))
	}
	i.touch(code)
	return i.send(ctx, events...)
}

// meaning is the key that means a symbol while modifiers are in effect, 0 for
// none.
func (i *Injector) meaning(sym Keysym, group int, mods modmask) Keycode {
	m := i.board.keymap
	for c := int(m.min); c <= int(m.max); c++ {
		code := Keycode(c)
		if m.mods[code] == 0 && m.symbol(code, group, mods).canonical() == sym {
			return code
		}
	}
	return 0
}

// strokeOf is how a symbol is pressed in a group, by a borrowed key if it has to
// be.
func (i *Injector) strokeOf(ctx context.Context, sym Keysym, group int) (stroke, error) {
	if how, ok := i.alone(group, sym); ok {
		return how, nil
	}
	if err := i.borrowAlone(ctx, group, sym); err != nil {
		return stroke{}, err
	}
	how, ok := i.board.layout(group).strokes[sym]
	if !ok {
		return stroke{}, fmt.Errorf("%w: %s", ErrNoKey, sym)
	}
	return how, nil
}

// symbolHeld is the key that a symbol was pressed by and that is still down. A
// viewer whose Shift went up first releases another symbol than it pressed; that
// is found by what the key can mean.
func (i *Injector) symbolHeld(sym Keysym) (Keycode, bool) {
	if code, ok := i.by[sym]; ok {
		delete(i.by, sym)
		return code, i.holds(code)
	}
	for pressed, code := range maps.Clone(i.by) {
		if !i.holds(code) {
			delete(i.by, pressed)
			continue
		}
		if slices.ContainsFunc(i.board.keymap.keys[code].syms, func(s Keysym) bool { return s.canonical() == sym.canonical() }) {
			delete(i.by, pressed)
			return code, true
		}
	}
	return 0, false
}
