package state

import (
	"slices"

	"vibespace/internal/api"
)

// The divider between two panes stays within these parts of the room.
const (
	DividerLeast = 0.15
	DividerMost  = 0.85
)

// Panes is which windows are shown, side by side: none, one or two. Its zero
// value shows none, with the divider in the middle.
type Panes struct {
	Shown   []api.Handle
	Divider float64 // 0 is the middle
	seen    map[api.Handle]bool
}

// Show shows a window alone, unless it is shown already.
func (p *Panes) Show(h api.Handle) {
	if !slices.Contains(p.Shown, h) {
		p.Shown = []api.Handle{h}
	}
}

// Beside shows a window beside the first one that is shown.
func (p *Panes) Beside(h api.Handle) {
	switch {
	case slices.Contains(p.Shown, h):
	case len(p.Shown) == 0:
		p.Shown = []api.Handle{h}
	default:
		p.Shown = []api.Handle{p.Shown[0], h}
	}
}

// Close takes a window away; the other stays where it is.
func (p *Panes) Close(h api.Handle) {
	p.Shown = slices.DeleteFunc(slices.Clone(p.Shown), func(s api.Handle) bool { return s == h })
}

// Swap changes the sides.
func (p *Panes) Swap() { slices.Reverse(p.Shown) }

// At is where the divider is, within its bounds.
func (p *Panes) At() float64 {
	if p.Divider == 0 {
		return 0.5
	}
	return min(max(p.Divider, DividerLeast), DividerMost)
}

// Follow takes the windows as they are now. One that an agent opened since
// appears beside the same agent's window that is shown, if there is one and
// room; in an empty room it appears alone. A window that ended and was shown
// stays until the person has read why, unless the agent's own window ended: its
// pane closes and nothing else moves. It says whether anything changed.
func (p *Panes) Follow(windows []api.Window, follow bool) bool {
	first := p.seen == nil
	if first {
		p.seen = map[api.Handle]bool{}
	}
	before := slices.Clone(p.Shown)
	here := map[api.Handle]api.Window{}
	for _, w := range windows {
		here[w.Handle] = w
	}
	p.Shown = slices.DeleteFunc(slices.Clone(p.Shown), func(h api.Handle) bool {
		w, ok := here[h]
		return !ok || w.Ended != nil && w.Opener != ""
	})
	for _, w := range windows {
		fresh := !p.seen[w.Handle]
		p.seen[w.Handle] = true
		if first || !fresh || !follow || w.Opener == "" || w.Ended != nil {
			continue
		}
		switch {
		case len(p.Shown) == 0:
			p.Shown = []api.Handle{w.Handle}
		case len(p.Shown) == 1 && Owner(here[p.Shown[0]]) == w.Opener:
			p.Shown = append(p.Shown, w.Handle)
		}
	}
	return !slices.Equal(before, p.Shown)
}
