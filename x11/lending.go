package x11

import (
	"cmp"
	"slices"
)

// lending plans which symbol goes on which keycode, before anything changes.
//
// A keycode can carry as many symbols as it has levels that can be reached: one
// by itself, one with Shift, two more with the level-three key. A level costs
// two more events a character, and a keycode that changes its meaning costs a
// wait of tens of milliseconds, so codes that are free go first, then levels
// that are, and what was pressed longest ago last.
type lending struct {
	free    []Keycode
	loans   []*loan // longest unused first; copies
	levels  int     // of a borrowed key
	needed  map[Keysym]bool
	changed []*loan // of loans: those that are to be mapped
	reused  bool    // one of them means something else until now
}

// lending begins a plan for what is pressed in a group.
func (i *Injector) lending(group int) *lending {
	p := &lending{free: i.board.spareCodes(), levels: i.board.levels(group), needed: map[Keysym]bool{}}
	for _, l := range slices.SortedFunc(slices.Values(i.loans), func(a, b *loan) int { return cmp.Compare(a.used, b.used) }) {
		same := *l
		p.loans = append(p.loans, &same)
	}
	return p
}

// levels gives how many symbols one borrowed key can have in a group.
func (b *board) levels(group int) int {
	l := b.layout(group)
	if !l.reaches(modShift) {
		return 1
	}
	if _, mod := b.keymap.fourLevels(); mod == 0 || mod != l.level3 {
		return 2
	}
	return len(symbols{})
}

// serve finds a place for each symbol of want that has none, as far as there is
// room, and gives the first that stays without. The symbols that come first
// share the room: those absent, and those whose loans must stay for them.
func (p *lending) serve(l *layout, want []Keysym) (without Keysym) {
	lent := map[Keysym]bool{}
	for _, l := range p.loans {
		for _, sym := range l.syms {
			lent[sym] = true
		}
	}
	var absent []Keysym
	for _, sym := range want {
		_, have := l.strokes[sym]
		if p.needed[sym] || have && !lent[sym] {
			continue
		}
		if len(p.needed) == p.levels*(len(p.free)+len(p.loans)) {
			without = sym
			break
		}
		p.needed[sym] = true
		if !have {
			absent = append(absent, sym)
		}
	}
	for _, sym := range absent {
		if !p.place(sym) {
			return sym
		}
	}
	return without
}

// place finds a place for one symbol, on a key that it may share.
func (p *lending) place(sym Keysym) bool {
	if _, char := sym.Rune(); !char {
		return p.placeAlone(sym) // programs look for functions at every level of a key
	}
	l, level := p.fresh(), 0
	if l == nil {
		l, level = p.gap()
	}
	if l == nil {
		l, level = p.stale()
	}
	if l == nil {
		return false
	}
	p.change(l)
	l.syms[level] = sym
	return true
}

// placeAlone finds a key for one symbol that shares it with no other.
func (p *lending) placeAlone(sym Keysym) bool {
	var l *loan
	switch at := slices.IndexFunc(p.loans, func(l *loan) bool { return slices.Contains(l.syms[:], sym) }); {
	case at >= 0:
		l = p.loans[at]
	case len(p.free) > 0:
		l = p.fresh()
	default:
		at = slices.IndexFunc(p.loans, func(l *loan) bool {
			return !slices.ContainsFunc(l.syms[:], func(s Keysym) bool { return p.needed[s] })
		})
		if at < 0 {
			return false
		}
		l = p.loans[at]
	}
	p.change(l)
	l.syms = symbols{sym}
	return true
}

// fresh borrows a free keycode; nil when there is none.
func (p *lending) fresh() *loan {
	if len(p.free) == 0 {
		return nil
	}
	l := &loan{code: p.free[0]}
	p.free = p.free[1:]
	p.loans = append(p.loans, l)
	return l
}

// gap finds a level that carries nothing, the cheapest to reach first.
func (p *lending) gap() (*loan, int) {
	for level := 1; level < p.levels; level++ {
		for _, l := range p.loans {
			if _, char := l.syms[0].Rune(); char && l.syms[level] == noSymbol {
				return l, level
			}
		}
	}
	return nil, 0
}

// stale finds a level that carries what is not needed, on the key that was
// pressed longest ago.
func (p *lending) stale() (*loan, int) {
	for _, l := range p.loans {
		if _, char := l.syms[0].Rune(); !char && p.needed[l.syms[0]] {
			continue
		}
		for level, sym := range l.syms[:p.levels] {
			if sym != noSymbol && !p.needed[sym] {
				return l, level
			}
		}
	}
	return nil, 0
}

// change notes that a loan is about to.
func (p *lending) change(l *loan) {
	if slices.Contains(p.changed, l) {
		return
	}
	p.changed = append(p.changed, l)
	p.reused = p.reused || l.syms != symbols{}
	l.was = l.syms
}
