package atspi

import "context"

// A page of a GTK 4 stack or notebook that is not the current one keeps its
// states, and from the first time it was shown on its extents too: it looks
// like a page that lies in the current one's place. GetAccessibleAtPoint of
// such a page finds nothing anywhere, because GTK picks in drawn widgets
// alone; of a page that is drawn it finds the page or something in it.
// (Measured on gtk4-widget-factory 4.8.3: after page 2 was shown and left
// again, 179 of its nodes have extents and every point of it answers null.)

// unmap finds the nodes that are not drawn though they have area: among
// siblings that lie over one another, those in which no point finds anything.
// It goes from the outside in, because what is below a hidden page needs no
// question; maxNesting bounds the rounds.
func (l *locator) unmap(ctx context.Context, tops []int) error {
	asked := map[int]bool{}
	for range maxNesting {
		found := l.overlapping(tops, asked)
		if len(found) == 0 {
			return nil
		}
		for _, node := range found {
			asked[node] = true
			l.probe(node)
		}
		if err := l.flight.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// maxNesting is how deep stacks are looked for in stacks.
const maxNesting = 8

// overlapping lists the outermost visible nodes that share their place with a
// sibling and were not asked yet.
func (l *locator) overlapping(tops []int, asked map[int]bool) []int {
	var found []int
	seen := l.tree.Visible()
	level := tops
	for len(level) > 0 {
		var next []int
		for _, node := range level {
			children := l.apparent(node, seen, nil)
			pending := false
			for _, child := range children {
				if !asked[child] && l.covered(child, children, seen) {
					found = append(found, child)
					pending = true
				}
			}
			if !pending {
				next = append(next, children...)
			}
		}
		level = next
	}
	return found
}

// apparent appends the visible children of a node; through nodes that are no
// widgets it looks at theirs.
func (l *locator) apparent(node int, seen []Rect, to []int) []int {
	for _, child := range l.tree.Nodes[node].Children {
		switch {
		case !l.tree.Nodes[child].Interfaces.Has(IfaceComponent):
			to = l.apparent(child, seen, to)
		case !seen[child].Empty():
			to = append(to, child)
		}
	}
	return to
}

// covered reports whether half of a node or of a sibling lies in the other.
// A popover lies over its siblings because its extents say nothing, and an
// insensitive node answers no point.
func (l *locator) covered(node int, siblings []int, seen []Rect) bool {
	if l.tree.popover(node) || !l.tree.Nodes[node].States.Has(StateSensitive) {
		return false
	}
	a := seen[node]
	for _, other := range siblings {
		if other == node || l.tree.popover(other) {
			continue
		}
		b := seen[other]
		both := a.Intersect(b)
		if 2*both.W*both.H >= min(a.W*a.H, b.W*b.H) && !both.Empty() {
			return true
		}
	}
	return false
}

// probe asks for a few points of a node and hides it when none finds anything.
// One point is not enough: it may lie on a part that has no object of its own
// (the text in an entry) or on an insensitive widget, and finds nothing there.
func (l *locator) probe(node int) {
	points := l.points(node)
	left, drawn := len(points), false
	for _, p := range points {
		args := intArgs(p[0], p[1], coordWindow)
		l.flight.ask(request{ref: l.tree.Nodes[node].Ref, method: getAtPoint, args: args, after: l.flight.generation, take: func(a reply) {
			ref, err := a.one()
			if err != nil || !ref.Null() {
				drawn = true // in doubt it is shown
			}
			if left--; left == 0 && !drawn {
				l.tree.Nodes[node].hidden = true
			}
		}})
	}
}

// points are where a node is probed: the corners just inside, the middle and
// the middles of the first sensitive nodes below it that have no children.
func (l *locator) points(node int) [][2]int {
	r := *l.tree.Nodes[node].Extents
	points := [][2]int{
		{r.X + r.W/2, r.Y + r.H/2},
		{r.X + 1, r.Y + 1},
		{r.X + r.W - 2, r.Y + 1},
		{r.X + 1, r.Y + r.H - 2},
		{r.X + r.W - 2, r.Y + r.H - 2},
	}
	level := l.tree.Nodes[node].Children
	for depth := 0; depth < 6 && len(level) > 0 && len(points) < 9; depth++ {
		var next []int
		for _, i := range level {
			n := &l.tree.Nodes[i]
			if n.Extents != nil && !n.Extents.Empty() && len(n.Children) == 0 && n.States.Has(StateSensitive) && len(points) < 9 {
				points = append(points, [2]int{n.Extents.X + n.Extents.W/2, n.Extents.Y + n.Extents.H/2})
			}
			next = append(next, n.Children...)
		}
		level = next
	}
	return points
}
