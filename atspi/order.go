package atspi

import (
	"context"
	"errors"
	"slices"
)

// order renumbers the nodes in document order, so that a read of the same tree
// gives the same numbers whatever order the answers came in, and gives the
// unreadable ones their reasons. Objects that had vanished before anything of
// them was read are left out.
func (t *Tree) order(why map[int]error) {
	sorted := t.document(why)
	to := make([]int, len(t.Nodes)) // the new number of each
	for i := range to {
		to[i] = -1
	}
	for at, i := range sorted {
		to[i] = at
	}
	nodes := make([]Node, len(sorted))
	for at, i := range sorted {
		n := t.Nodes[i]
		n.Children = renumber(n.Children, to)
		if n.Parent >= 0 {
			n.Parent = to[n.Parent]
		}
		if err := why[i]; err != nil {
			n.Unreadable = reason(err)
			t.Unreadable = append(t.Unreadable, Unreadable{Node: at, Why: n.Unreadable})
		}
		nodes[at] = n
	}
	t.Roots = renumber(t.Roots, to)
	t.Nodes = nodes
}

// document lists the nodes in document order, without what had vanished.
func (t *Tree) document(why map[int]error) []int {
	sorted := make([]int, 0, len(t.Nodes))
	stack := slices.Clone(t.Roots)
	slices.Reverse(stack)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if vanished(&t.Nodes[i], why[i]) {
			continue
		}
		sorted = append(sorted, i)
		for _, child := range slices.Backward(t.Nodes[i].Children) {
			stack = append(stack, child)
		}
	}
	return sorted
}

// renumber gives a list its new numbers and drops what has none.
func renumber(list, to []int) []int {
	kept := list[:0]
	for _, i := range list {
		if to[i] >= 0 {
			kept = append(kept, to[i])
		}
	}
	return kept
}

// vanished reports whether an object was gone, or the time was up, before
// anything of it was read.
func vanished(n *Node, why error) bool {
	early := errors.Is(why, ErrGone) || errors.Is(why, context.DeadlineExceeded)
	return early && n.Role == RoleInvalid && n.States == 0 && len(n.Children) == 0
}

// reason is why a node could not be read, for a reader.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the time of the read was up"
	}
	return short(err.Error(), 200)
}
