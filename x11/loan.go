package x11

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	// loanProperty lists, on the root window, the keycodes that are borrowed and
	// for what, so that the next injector of the same display may reuse them.
	loanProperty = "_VIBESPACE_BORROWED_KEYS"

	// loanWords is the length of one of its entries: the keycode, its symbols and
	// those before, each a CARDINAL of 32 bits.
	loanWords = 1 + 2*len(symbols{})
)

// symbols are what a borrowed key means: by itself, with Shift, with the
// level-three key, with both. Nothing but the first need be there.
type symbols [4]Keysym

// shared tells whether a key means more than one symbol.
func (s symbols) shared() bool { return s != symbols{s[0]} }

// levels gives the symbols as the key has them. What is nothing of its own is
// the first: a key of one symbol means it with Shift as well, and to the core
// protocol.
func (s symbols) levels() []Keysym {
	if s == (symbols{}) {
		return nil
	}
	n := 2
	if s[2] != noSymbol || s[3] != noSymbol {
		n = len(s)
	}
	all := make([]Keysym, n)
	for level := range all {
		all[level] = cmp.Or(s[level], s[0])
	}
	return all
}

// loan is a keycode that nothing used and that carries symbols for us.
type loan struct {
	code Keycode
	syms symbols
	was  symbols // before the last change, of which half may have happened
	used uint64  // the injector's tick when it was last pressed
}

// read looks what of the loan is in the keymap, and tells whether the key there
// is one of ours at all: loading a layout undoes a loan.
func (l *loan) read(m *keymap) bool {
	e := &m.keys[l.code]
	if m.mods[l.code] != 0 || e.groups != 1 || len(e.syms) == 0 {
		return false
	}
	if slices.Equal(e.syms, l.syms.levels()) {
		return true
	}
	l.syms = l.was
	return slices.Equal(e.syms, l.syms.levels())
}

// adoptLoans takes over the keycodes that a former injector borrowed.
func (i *Injector) adoptLoans(ctx context.Context) error {
	prop, err := i.c.intern(ctx, loanProperty)
	if err != nil {
		return err
	}
	list, err := call(ctx, i.c, func(x *xgb.Conn) ([]byte, error) {
		reply, err := xproto.GetProperty(x, false, i.c.root, prop, xproto.AtomCardinal, 0, 256*uint32(loanWords)).Reply()
		if err != nil || reply.Format != 32 {
			return nil, err
		}
		return reply.Value, nil
	})
	if err != nil {
		return fmt.Errorf("read the borrowed keys: %w", err)
	}
	for ; len(list) >= 4*loanWords; list = list[4*loanWords:] {
		if l := readLoan(list); l.read(i.board.keymap) {
			i.loans = append(i.loans, l)
		}
	}
	return nil
}

// readLoan reads an entry of the list.
func readLoan(b []byte) *loan {
	word := func(n int) uint32 { return binary.LittleEndian.Uint32(b[4*n:]) }
	l := &loan{code: Keycode(word(0))}
	for level := range l.syms {
		l.syms[level] = Keysym(word(1 + level))
		l.was[level] = Keysym(word(1 + len(l.syms) + level))
	}
	return l
}

// write adds the loan's entry to the list.
func (l *loan) write(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(l.code))
	for _, sym := range append(l.syms[:], l.was[:]...) {
		b = binary.LittleEndian.AppendUint32(b, uint32(sym))
	}
	return b
}

// mapKeys gives borrowed keycodes their symbols and writes down which are. What
// is under way is not given up with ctx: keys that change after somebody has read
// what they mean would be nobody's.
func (i *Injector) mapKeys(ctx context.Context, changed []*loan) error {
	prop, err := i.c.intern(ctx, loanProperty)
	if err != nil {
		return err
	}
	if err := i.strayed(ctx); err != nil {
		return err
	}
	var list []byte
	for _, l := range i.loans {
		list = l.write(list)
	}
	theMap, runs := i.board.keymap, consecutive(changed)
	four, _ := theMap.fourLevels()
	if err := i.c.enter(ctx); err != nil {
		return err // nothing is under way
	}
	tail, cancel := lingering(ctx)
	defer cancel()
	out := make(chan struct{})
	_, err = entered(tail, i.c, func(x *xgb.Conn) (struct{}, error) {
		defer close(out)
		// The list first: a keycode on it that carries nothing does no harm.
		errs := []error{xproto.ChangePropertyChecked(x, xproto.PropModeReplace, i.c.root, prop,
			xproto.AtomCardinal, 32, uint32(len(list)/4), list).Check()}
		cookies := make([]*xgb.Cookie, len(runs))
		for n, run := range runs {
			cookies[n] = i.xkb.setSymbols(x, theMap, four, run)
		}
		x.Sync()
		for _, cookie := range cookies {
			errs = append(errs, cookie.Check())
		}
		return struct{}{}, errors.Join(errs...)
	})
	if err != nil && tail.Err() != nil {
		i.stray = out
	}
	return err
}

// keyRun is the symbols of consecutive keycodes.
type keyRun struct {
	first Keycode
	keys  []symbols
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
		last.keys = append(last.keys, l.syms)
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
		back[n] = &loan{code: l.code}
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
