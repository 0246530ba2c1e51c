package atspi

import (
	"context"
	"errors"
	"fmt"
)

// Locate reads where the nodes below the given top levels are (all of them
// when none is given) and which of them are seen: Extents of every node that
// may be, and afterwards [Tree.Visible] answers. It asks no more than it must:
// what the toolkit says is not showing is left out, and on GTK 4, which says
// nothing of the kind, so is everything below a node that has no area or lies
// outside what it is clipped by.
//
// What could not be read stays without Extents. An error means that the read
// was cut short: [ErrNoReply], [ErrClosed] or ctx's own.
func (c *Conn) Locate(ctx context.Context, t *Tree, tops []int, b Budget) error {
	return c.locateLike(ctx, t, nil, tops, b)
}

// locateLike is Locate of a tree of which an earlier one is known: what could be
// seen then most likely can now, so it is asked for at once instead of level by
// level. What comes of it is the same.
func (c *Conn) locateLike(ctx context.Context, t, before *Tree, tops []int, b Budget) error {
	b = b.orDefault(c.bound)
	ctx, cancel := context.WithTimeout(ctx, b.Time)
	defer cancel()
	if tops == nil {
		tops = t.Roots
	}
	t.scales = nil
	l := c.newLocator(t, b)
	if l.kind == familyGTK4 && before != nil {
		l.foresee(before)
	}
	err := l.locate(ctx, tops)
	l.account()
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrNoReply
	}
	if err != nil {
		return fmt.Errorf("locate nodes of %s: %w", t.App.Name, err)
	}
	t.scales = t.findScales()
	for i := range t.Nodes {
		t.toDevice(i)
	}
	t.showing()
	return nil
}

// newLocator prepares the reading of extents of a tree's nodes.
func (c *Conn) newLocator(t *Tree, b Budget) *locator {
	l := &locator{flight: c.newFlightTo(t.App, b), tree: t, kind: t.App.family(), coord: coordScreen}
	if l.kind == familyGTK4 {
		// The same numbers as screen coordinates, without the warning GTK
		// writes into the application's log for each.
		l.coord = coordWindow
	}
	return l
}

// locate reads what is below the top levels.
func (l *locator) locate(ctx context.Context, tops []int) error {
	if l.kind != familyGTK4 {
		for _, top := range tops {
			l.sweepFrom(top, 0)
		}
		if err := l.flight.run(ctx); err != nil {
			return err
		}
		return l.awaitPages(ctx, tops)
	}
	for _, top := range tops {
		l.descend(top, everywhere, 0)
	}
	if err := l.flight.run(ctx); err != nil {
		return err
	}
	return l.unmap(ctx, tops)
}

// everywhere clips nothing.
var everywhere = Rect{X: -1 << 24, Y: -1 << 24, W: 1 << 25, H: 1 << 25}

// locator reads extents.
type locator struct {
	flight *flight
	tree   *Tree
	kind   family
	coord  int
	// ahead are the nodes that were asked for before it was known that they can
	// be seen.
	ahead map[int]*sighting
}

// sighting is an answer that may be wanted.
type sighting struct {
	came bool
	with reply
	take func(reply) // once it is wanted
}

// foresee asks for the extents of what had some in an earlier tree.
func (l *locator) foresee(before *Tree) {
	had := make(map[Ref]bool, len(before.Nodes))
	for i := range before.Nodes {
		if before.Nodes[i].Extents != nil {
			had[before.Nodes[i].Ref] = true
		}
	}
	l.ahead = make(map[int]*sighting, len(had))
	for i := range l.tree.Nodes {
		ref := l.tree.Nodes[i].Ref
		if !had[ref] {
			continue
		}
		s := &sighting{}
		l.ahead[i] = s
		l.flight.ask(request{ref: ref, method: getExtents, args: intArgs(l.coord), take: func(a reply) {
			if s.came, s.with = true, a; s.take != nil {
				s.take(a)
			}
		}})
	}
}

// account adds what the flight cost to the tree's own figures.
func (l *locator) account() {
	l.tree.RoundTrips += l.flight.generation
	l.tree.Calls += l.flight.calls
	l.tree.Bytes += l.flight.received
}

// extents asks for one node's extents; then gets them.
func (l *locator) extents(node, after int, then func(Rect, int)) {
	take := func(a reply) {
		n := &l.tree.Nodes[node]
		rect, err := a.rect()
		if err != nil {
			l.note(n, err)
			return
		}
		n.Extents = &rect
		l.tree.toDevice(node)
		if then != nil {
			then(rect, a.generation)
		}
	}
	if s := l.ahead[node]; s != nil {
		delete(l.ahead, node) // the next time it is asked anew
		if s.take = take; s.came {
			take(s.with)
		}
		return
	}
	l.flight.ask(request{ref: l.tree.Nodes[node].Ref, method: getExtents, args: intArgs(l.coord), after: after, take: take})
}

// note remembers that a node did not answer. That it refused (GTK 4 counts
// eight actions of an insensitive label and then knows none of them) leaves the
// one thing unread and says nothing of the node.
func (l *locator) note(n *Node, err error) {
	var refusal *RemoteError
	if n.Unreadable == "" && !errors.Is(err, ErrUnsupported) && !errors.As(err, &refusal) && !errors.Is(err, context.DeadlineExceeded) {
		n.Unreadable = reason(err)
	}
}

// sweepFrom asks for all nodes below top that the toolkit says are showing: one
// round trip. A node that is not may have a child that is (a menu in a window
// of its own below a menu that is not open, a positioned element below one
// without area), so nothing is inferred from a parent.
func (l *locator) sweepFrom(top, after int) {
	stack := []int{top}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &l.tree.Nodes[i]
		n.Extents = nil
		if n.Interfaces.Has(IfaceComponent) && n.States.Has(StateShowing|StateVisible) {
			l.extents(i, after, nil)
		}
		stack = append(stack, n.Children...)
	}
}

// descend asks for a node and goes on below it if it can be seen through clip.
func (l *locator) descend(node int, clip Rect, after int) {
	n := &l.tree.Nodes[node]
	n.Extents, n.hidden = nil, false
	if !n.Interfaces.Has(IfaceComponent) {
		for _, child := range n.Children {
			l.descend(child, clip, after)
		}
		return
	}
	l.extents(node, after, func(rect Rect, generation int) {
		inner := clip.Intersect(rect)
		if l.tree.popover(node) {
			inner = rect
		}
		if inner.Empty() {
			return
		}
		for _, child := range l.tree.Nodes[node].Children {
			l.descend(child, inner, generation)
		}
	})
}
