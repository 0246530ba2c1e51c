package atspi

import (
	"context"
	"sync"
	"time"
)

// Firefox keeps the bounds of a page in the process that draws it until
// somebody asks for one: the first GetExtents of anything in a page answers
// -1,-1 -1x-1, and a moment later all of them are there. (Measured on Firefox
// 153; names, states, texts, actions and values are there at once.)

// blankWait is how long a page's bounds are waited for, and blankPause how
// often they are asked for meanwhile.
const (
	blankWait  = time.Second
	blankPause = 10 * time.Millisecond
)

// awaitPages waits until the showing pages that have no area, though what holds
// them has, have one, and reads what is in them again. A page that stays
// without is not waited for a second time.
func (l *locator) awaitPages(ctx context.Context, tops []int) error {
	blank := l.blankPages(tops)
	deadline := time.Now().Add(blankWait)
	for len(blank) > 0 && time.Now().Before(deadline) {
		pause := time.NewTimer(blankPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
		for _, page := range blank {
			l.extents(page, l.flight.generation, func(r Rect, generation int) {
				if !r.Empty() {
					l.sweepFrom(page, generation)
				}
			})
		}
		if err := l.flight.run(ctx); err != nil {
			return err
		}
		blank = l.blankPages(tops)
	}
	for _, page := range blank {
		l.flight.conn.blank.add(l.tree.Nodes[page].Ref)
	}
	return nil
}

// blankPages lists the showing pages below the top levels that have no area
// and ought to have.
func (l *locator) blankPages(tops []int) []int {
	if l.tree.App.Toolkit != "Gecko" {
		return nil
	}
	var blank []int
	stack := append([]int{}, tops...)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &l.tree.Nodes[i]
		if n.Role != RoleDocumentWeb {
			stack = append(stack, n.Children...)
			continue
		}
		if n.Extents == nil || !n.Extents.Empty() || n.Parent < 0 {
			continue
		}
		around := l.tree.Nodes[n.Parent].Extents
		if around != nil && !around.Empty() && !l.flight.conn.blank.has(n.Ref) {
			blank = append(blank, i)
		}
	}
	return blank
}

// refSet is a set of references of a bounded size: the thousand and first
// empties it, which costs one more wait and no memory.
type refSet struct {
	mu   sync.Mutex // guards refs
	refs map[Ref]bool
}

func (s *refSet) add(ref Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refs) >= 1000 || s.refs == nil {
		s.refs = map[Ref]bool{}
	}
	s.refs[ref] = true
}

func (s *refSet) has(ref Ref) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refs[ref]
}
