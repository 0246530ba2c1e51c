package x11

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// ErrNoKey says that a symbol is on no key and that no keycode is free to
// borrow for it.
var ErrNoKey = errors.New("no key for the symbol and none free")

const (
	// mapSettle is how long clients get to see that keys were mapped before the
	// first of them is pressed. Measured with xterm and GTK: 60 ms and then no
	// delay loses nothing, no wait loses a tenth.
	mapSettle = 60 * time.Millisecond

	// loanProperty lists, on the root window, the keycodes that are borrowed, so
	// that the next injector of the same display may reuse them.
	loanProperty = "_VIBESPACE_BORROWED_KEYS"
)

// loan is a keycode that nothing used and that carries a symbol for us.
type loan struct {
	code Keycode
	sym  Keysym
	used uint64 // the injector's tick when it was last pressed
}

// read takes the symbol of the loan from the keymap, and tells whether the key
// there is one of ours at all: loading a layout undoes a loan.
func (l *loan) read(m *keymap) bool {
	e := &m.keys[l.code]
	if m.mods[l.code] != 0 || e.groups != 1 || len(e.syms) != 2 || e.syms[0] != e.syms[1] || e.syms[0] == noSymbol {
		return false
	}
	l.sym = e.syms[0]
	return true
}

// adoptLoans takes over the keycodes that a former injector borrowed.
func (i *Injector) adoptLoans(ctx context.Context) error {
	prop, err := i.c.intern(ctx, loanProperty)
	if err != nil {
		return err
	}
	codes, err := call(ctx, i.c, func(x *xgb.Conn) ([]byte, error) {
		reply, err := xproto.GetProperty(x, false, i.c.root, prop, xproto.AtomCardinal, 0, 64).Reply()
		if err != nil || reply.Format != 8 {
			return nil, err
		}
		return reply.Value, nil
	})
	if err != nil {
		return fmt.Errorf("read the borrowed keys: %w", err)
	}
	for _, code := range codes {
		if l := (&loan{code: Keycode(code)}); l.read(i.board.keymap) {
			i.loans = append(i.loans, l)
		}
	}
	return nil
}

// borrow maps the symbols of want that a group cannot press yet on keycodes that
// are free, or on those pressed longest ago. Only as many of want as there are
// keycodes are served, in order: the first can be pressed afterwards, or the
// error is ErrNoKey, which it also is when there are no keycodes at all.
// Before a keycode changes its symbol, the program with the focus must have
// handled what was pressed: one that is behind would read it with the new
// meaning.
func (i *Injector) borrow(ctx context.Context, group int, want []Keysym) error {
	made, reused, without := i.pickCodes(group, want)
	if len(made) == 0 {
		if len(i.loans) > 0 && i.board.layout(group).missing(want[:1]) == 0 {
			return nil // what comes first has all there are: later is its time
		}
		return fmt.Errorf("%w: %s", ErrNoKey, without)
	}
	if reused {
		if err := i.drain(ctx); err != nil {
			return err
		}
	}
	i.loans = slices.DeleteFunc(i.loans, func(old *loan) bool {
		return slices.ContainsFunc(made, func(l *loan) bool { return l.code == old.code })
	})
	i.loans = append(i.loans, made...)
	err := i.mapKeys(ctx, made)
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

// pickCodes chooses a keycode for each symbol that needs one, as far as they
// reach, tells whether any of them means something else until now, and names
// the first symbol that stays without.
func (i *Injector) pickCodes(group int, want []Keysym) (made []*loan, reused bool, without Keysym) {
	l := i.board.layout(group)
	free := i.board.spareCodes()
	old := slices.SortedFunc(slices.Values(i.loans), func(a, b *loan) int { return cmp.Compare(a.used, b.used) })
	lent := map[Keysym]bool{}
	for _, l := range old {
		lent[l.sym] = true
	}
	// The symbols that come first share the keycodes: those absent, and those
	// whose loans must stay for them.
	needed := map[Keysym]bool{}
	var absent []Keysym
	for _, sym := range want {
		_, have := l.strokes[sym]
		if needed[sym] || have && !lent[sym] {
			continue
		}
		if len(needed) == len(free)+len(old) {
			without = sym
			break
		}
		needed[sym] = true
		if !have {
			absent = append(absent, sym)
		}
	}
	old = slices.DeleteFunc(old, func(l *loan) bool { return needed[l.sym] })
	for _, sym := range absent {
		var code Keycode
		if len(free) > 0 {
			code, free = free[0], free[1:]
		} else {
			code, old, reused = old[0].code, old[1:], true
		}
		i.tick++
		made = append(made, &loan{code: code, sym: sym, used: i.tick})
	}
	return made, reused, without
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

// mapKeys gives borrowed keycodes their symbols and writes down which are.
func (i *Injector) mapKeys(ctx context.Context, made []*loan) error {
	prop, err := i.c.intern(ctx, loanProperty)
	if err != nil {
		return err
	}
	list := make([]byte, len(i.loans))
	for n, l := range i.loans {
		list[n] = byte(l.code)
	}
	slices.SortFunc(list, cmp.Compare)
	theMap, runs := i.board.keymap, consecutive(made)
	return i.c.do(ctx, func(x *xgb.Conn) error {
		// The list first: a keycode on it that carries nothing does no harm.
		errs := []error{xproto.ChangePropertyChecked(x, xproto.PropModeReplace, i.c.root, prop,
			xproto.AtomCardinal, 8, uint32(len(list)), list).Check()}
		cookies := make([]*xgb.Cookie, len(runs))
		for n, run := range runs {
			cookies[n] = i.xkb.setSymbols(x, theMap, run.first, run.syms)
		}
		x.Sync()
		for _, cookie := range cookies {
			errs = append(errs, cookie.Check())
		}
		return errors.Join(errs...)
	})
}

// keyRun is the symbols of consecutive keycodes.
type keyRun struct {
	first Keycode
	syms  []Keysym
}

// consecutive sorts loans into runs of neighbouring keycodes.
func consecutive(loans []*loan) []keyRun {
	var runs []keyRun
	sorted := slices.SortedFunc(slices.Values(loans), func(a, b *loan) int { return cmp.Compare(a.code, b.code) })
	for n, l := range sorted {
		if n == 0 || sorted[n-1].code+1 != l.code {
			runs = append(runs, keyRun{first: l.code})
		}
		last := &runs[len(runs)-1]
		last.syms = append(last.syms, l.sym)
	}
	return runs
}

// returnLoans makes the borrowed keycodes mean nothing again.
func (i *Injector) returnLoans(ctx context.Context) error {
	if len(i.loans) == 0 {
		return nil
	}
	back := make([]*loan, len(i.loans))
	for n, l := range i.loans {
		back[n] = &loan{code: l.code, sym: noSymbol}
	}
	i.loans, i.board.raw = nil, nil
	if err := i.mapKeys(ctx, back); err != nil {
		return fmt.Errorf("return borrowed keys: %w", err)
	}
	return nil
}

// touch notes that a borrowed keycode was pressed.
func (i *Injector) touch(code Keycode) {
	for _, l := range i.loans {
		if l.code == code {
			i.tick++
			l.used = i.tick
			return
		}
	}
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
