package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrNoKey says that a symbol is on no key and that no keycode is free to
// borrow for it.
var ErrNoKey = errors.New("no key for the symbol and none free")

// mapSettle is how long clients get to see that keys were mapped before the
// first of them is pressed. Measured with xterm and GTK: 60 ms and then no delay
// loses nothing, no wait loses a tenth.
const mapSettle = 60 * time.Millisecond

// borrow maps the symbols of want that a group cannot press yet on keycodes that
// are free, on levels of borrowed ones that are, or instead of those pressed
// longest ago. Only as many of want as there is room for are served, in order:
// the first can be pressed afterwards, or the error is ErrNoKey, which it also is
// when there are no keycodes at all.
func (i *Injector) borrow(ctx context.Context, group int, want []Keysym) error {
	p := i.lending(group)
	without := p.serve(i.board.layout(group), want)
	if len(p.changed) == 0 {
		if len(i.loans) > 0 && i.board.layout(group).missing(want[:1]) == 0 {
			return nil // what comes first has all there are: later is its time
		}
		return fmt.Errorf("%w: %s", ErrNoKey, without)
	}
	return i.remap(ctx, p)
}

// borrowAlone maps a symbol on a keycode that means nothing else at any level,
// for keys that are pressed while a modifier is held: Shift and é is not what
// shares the key with é.
func (i *Injector) borrowAlone(ctx context.Context, group int, sym Keysym) error {
	p := i.lending(group)
	if !p.placeAlone(sym) {
		return fmt.Errorf("%w: %s", ErrNoKey, sym)
	}
	return i.remap(ctx, p)
}

// alone is how a symbol is pressed in a group by a key that means nothing else
// by our doing, if there is one.
func (i *Injector) alone(group int, sym Keysym) (stroke, bool) {
	how, ok := i.board.layout(group).strokes[sym]
	shared := slices.ContainsFunc(i.loans, func(l *loan) bool { return l.code == how.code && l.syms.shared() })
	return how, ok && !shared
}

// remap has the server map what was planned. Before a keycode changes what it
// means, the program with the focus must have handled what was pressed: one that
// is behind would read it with the new meaning.
func (i *Injector) remap(ctx context.Context, p *lending) error {
	if p.reused {
		if err := i.drain(ctx); err != nil {
			return err
		}
	}
	i.tick++
	for _, l := range p.changed {
		l.used = i.tick
	}
	i.loans = p.loans
	err := i.mapKeys(ctx, p.changed)
	i.board.raw = nil // read it anew, also after half a change
	if err != nil {
		return fmt.Errorf("borrow keys: %w", err)
	}
	return i.refresh(ctx)
}

// settle waits until clients can have seen the last change of the keymap.
func (i *Injector) settle(ctx context.Context) error {
	if left := mapSettle - time.Since(i.board.changed); left > 0 {
		return pause(ctx, left)
	}
	return nil
}

// spareCodes gives the keycodes that mean nothing, the highest first: the low
// ones are keys of common keyboards, which programs may know by number.
func (b *board) spareCodes() []Keycode {
	var codes []Keycode
	for c := int(b.keymap.max); c >= int(b.keymap.min); c-- {
		if b.keymap.spare(Keycode(c)) {
			codes = append(codes, Keycode(c))
		}
	}
	return codes
}

// pause waits, for no longer than ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
