package atspi

// Surface is what the X server says of one window of an application.
type Surface struct {
	Geometry Rect   // root pixels, without border
	Title    string // valid UTF-8
	Popup    bool   // override-redirect: a menu, a list, a tooltip
}

// Match finds the node that each surface shows: a top level for a window, a
// popup menu or GTK 4 popover for a popup. -1 stands for none, which is what a
// GTK 3 menu gets: its items hang on the entry that opened it and need no
// other transform than their window's. The tree must have been located.
func (t *Tree) Match(surfaces []Surface) []int {
	found := make([]int, len(surfaces))
	taken := map[int]bool{}
	for s := range surfaces {
		found[s] = -1
	}
	// The best pairs first, so that of two windows of one title each gets
	// the node of its own size.
	for least := bestScore; least > 0; least-- {
		for s := range surfaces {
			if found[s] >= 0 {
				continue
			}
			for _, node := range t.tops(surfaces[s].Popup) {
				if !taken[node] && t.score(node, surfaces[s]) >= least {
					found[s], taken[node] = node, true
					break
				}
			}
		}
	}
	return found
}

// tops lists the nodes that can have a window of their own.
func (t *Tree) tops(popup bool) []int {
	if !popup {
		return t.Roots
	}
	nodes := []int{}
	kind := t.App.family()
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch {
		case n.Extents == nil || n.Extents.Empty():
		case kind == familyGTK4:
			if t.popover(i) {
				nodes = append(nodes, i)
			}
		case n.Parent < 0, ownSurface(kind, n.Role, t.parentRole(i)):
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// bestScore is the score of a pair that agrees in everything.
const bestScore = 4

// score says how well a node and a surface agree; 0 is not at all.
func (t *Tree) score(node int, s Surface) int {
	n := &t.Nodes[node]
	if n.Extents == nil || n.Extents.Empty() {
		return 0
	}
	place := t.Place(node, s.Geometry)
	score := 0
	if place.Exact {
		score = 2
		if t.App.family() == familyGTK4 || place.near() {
			score++
		}
	}
	if s.Popup {
		if score < bestScore-1 {
			return 0
		}
		return score
	}
	if s.Title != "" && n.Name == s.Title {
		score++
	}
	return score
}

// near reports whether the toolkit's coordinates were the screen's already, but
// for what rounding costs.
func (t Transform) near() bool {
	limit := 2*t.Scale + 1
	return t.X >= -limit && t.X <= limit && t.Y >= -limit && t.Y <= limit
}
