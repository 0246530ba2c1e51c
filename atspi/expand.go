package atspi

import (
	"errors"
	"slices"
)

// expand finds the children of a node that has just come into the tree.
func (r *reader) expand(node int) {
	n := &r.tree.Nodes[node]
	if n.Depth >= r.budget.Depth {
		if n.ChildCount != 0 {
			r.cut(CutDepth)
		}
		return
	}
	i, cached := r.bulk[n.Ref]
	if cached {
		if refs, sure := r.listed(i); sure {
			r.attach(node, refs, 0, 0)
			return
		}
	}
	switch {
	case n.ChildCount == 0 && (!cached || len(r.below[i]) == 0):
	case n.ChildCount < 0 && cached:
		r.askCount(node) // a menu or a table of GTK 3, which may be huge
	default:
		r.askChildren(node, n.Ref, 1)
	}
}

// listed gives the children the cache has for an item. sure is false when the
// cache contradicts itself (another number of children than it counts, places
// that are missing or taken twice): the object is asked then.
func (r *reader) listed(i int) (refs []Ref, sure bool) {
	below := r.below[i]
	if len(below) != r.items[i].count {
		return nil, false
	}
	last := -1
	refs = make([]Ref, len(below))
	for k, j := range below {
		it := &r.items[j]
		if it.index <= last {
			return nil, false
		}
		last = it.index
		refs[k] = it.self
	}
	return refs, true
}

// siblings groups items below their parents, in the order of their places.
// Items that claim to be their own parent are nobody's.
func siblings(list []item, by map[Ref]int) [][]int {
	below := make([][]int, len(list))
	for i := range list {
		p, ok := by[list[i].parent]
		if !ok || p == i || by[list[i].self] != i {
			continue
		}
		below[p] = append(below[p], i)
	}
	for _, group := range below {
		slices.SortStableFunc(group, func(a, b int) int { return list[a].index - list[b].index })
	}
	return below
}

// askCount asks how many children a node has before it asks for them.
func (r *reader) askCount(node int) {
	r.ask(request{ref: r.ref(node), method: getProperty, args: childCountArgs, after: 1, take: func(a reply) {
		count, err := a.numberIn()
		if err != nil {
			r.blame(node, err)
			return
		}
		n := &r.tree.Nodes[node]
		n.ChildCount = max(count, 0)
		if n.ChildCount > 0 {
			r.askChildren(node, n.Ref, a.generation)
		}
	}})
}

// askChildren asks a node for its children: for all of them where there are
// few, else for a part.
func (r *reader) askChildren(node int, ref Ref, after int) {
	if node != root && r.tree.Nodes[node].ChildCount > r.budget.Children {
		r.askPart(node, after)
		return
	}
	r.ask(request{ref: ref, method: getChildren, after: after, take: func(a reply) {
		refs, err := a.refs(r.budget.Children + 1)
		if err != nil {
			r.blame(node, err)
			return
		}
		if len(refs) > r.budget.Children {
			refs = refs[:r.budget.Children]
			r.cut(CutNodes)
		}
		r.attach(node, refs, 0, a.generation)
	}})
}

// attach puts references into the tree as the children of a node, the first of
// them at place first, and goes on with each. What is already in the tree, a
// parent of its own for example, and what names no object is left out.
func (r *reader) attach(node int, refs []Ref, first, after int) {
	for k, ref := range refs {
		if ref.Null() || !uniqueName(ref.Bus) {
			continue
		}
		if _, twice := r.seen[ref]; twice {
			continue
		}
		if len(r.tree.Nodes) >= r.budget.Nodes {
			r.cut(CutNodes)
			return
		}
		at := r.add(node, ref, first+k)
		if i, ok := r.bulk[ref]; ok {
			r.fill(at, &r.items[i])
			r.todo = append(r.todo, at)
			if r.items[i].stale {
				r.askFields(at, r.items[i].recount, after)
			}
			continue
		}
		r.askNode(at, after)
	}
	r.drain()
}

// drain expands the cached nodes that have come into the tree, level by level:
// where the budget cuts, it cuts what is deepest, and no nesting of a stranger
// is a recursion of ours.
func (r *reader) drain() {
	if r.draining {
		return
	}
	r.draining = true
	for len(r.todo) > 0 {
		at := r.todo[0]
		r.todo = r.todo[1:]
		r.expand(at)
	}
	r.draining = false
}

// add appends a node below its parent.
func (r *reader) add(parent int, ref Ref, index int) int {
	at := len(r.tree.Nodes)
	r.seen[ref] = at
	n := Node{Ref: ref, Parent: parent, Index: index, ChildCount: -1}
	if parent == root {
		r.tree.Roots = append(r.tree.Roots, at)
	} else {
		n.Depth = r.tree.Nodes[parent].Depth + 1
		r.tree.Nodes[parent].Children = append(r.tree.Nodes[parent].Children, at)
	}
	r.tree.Nodes = append(r.tree.Nodes, n)
	return at
}

// fill gives a node what the cache says of it.
func (r *reader) fill(at int, it *item) {
	n := &r.tree.Nodes[at]
	n.Role, n.Name, n.Description = it.role, it.name, it.description
	n.States, n.Interfaces, n.ChildCount = it.states, it.ifaces, it.count
}

// askNode asks an object for everything the cache would have said, and for its
// children as soon as their number is known.
func (r *reader) askNode(at, after int) {
	r.askSelf(at, after, func(n *Node, count, generation int) {
		if n.ChildCount = count; count > 0 {
			r.expandAsked(at, generation)
		}
	})
}

// askFields asks a node that is known for what may have changed of it. Another
// number of children than is known, where nothing was said of them, means that
// more changed than was told.
func (r *reader) askFields(at int, recounted bool, after int) {
	r.askSelf(at, after, func(n *Node, count, _ int) {
		if !recounted {
			r.moved = r.moved || count != n.ChildCount
		}
	})
}

// askSelf asks for everything of a node; counted gets the number of its
// children, -1 when the toolkit did not say.
func (r *reader) askSelf(at, after int, counted func(n *Node, count, generation int)) {
	if r.getAll {
		r.askAll(at, after, counted)
	} else {
		r.askEach(at, after, counted)
	}
	r.askOf(at, getRole, nil, after, func(n *Node, a *reply) error {
		if a.err == nil {
			n.Role = Role(a.uint32())
		}
		return a.fault()
	})
	r.askOf(at, getState, nil, after, func(n *Node, a *reply) error {
		words, err := a.words(2)
		n.States = statesOf(words)
		return err
	})
	r.askOf(at, getIfaces, nil, after, func(n *Node, a *reply) (err error) {
		n.Interfaces, err = a.ifaces()
		return err
	})
}

// askOf asks a node; take gets the node and the answer.
func (r *reader) askOf(at int, m *method, args []byte, after int, take func(n *Node, a *reply) error) {
	r.ask(request{ref: r.ref(at), method: m, args: args, after: after, take: func(a reply) {
		if err := take(&r.tree.Nodes[at], &a); err != nil {
			r.blame(at, err)
		}
	}})
}

// askEach asks for a node's properties one by one.
func (r *reader) askEach(at, after int, counted func(n *Node, count, generation int)) {
	r.askOf(at, getProperty, childCountArgs, after, func(n *Node, a *reply) error {
		count, err := a.numberIn()
		if err != nil {
			count = -1
		}
		counted(n, count, a.generation)
		return err
	})
	r.askOf(at, getProperty, nameArgs, after, func(n *Node, a *reply) (err error) {
		n.Name, err = a.textIn()
		return err
	})
	r.askOf(at, getProperty, descriptionArgs, after, func(n *Node, a *reply) error {
		text, err := a.textIn()
		if errors.Is(err, ErrUnsupported) {
			return nil // a node without one
		}
		n.Description = text
		return err
	})
}

// askAll asks for a node's properties at once.
func (r *reader) askAll(at, after int, counted func(n *Node, count, generation int)) {
	r.askOf(at, getAll, accessibleArgs, after, func(n *Node, a *reply) error {
		count := -1
		err := a.properties(func(name, sig string, v *cursor) {
			switch {
			case name == "Name" && sig == "s":
				n.Name = clean(string(v.raw()))
			case name == "Description" && sig == "s":
				n.Description = clean(string(v.raw()))
			case name == "ChildCount" && sig == "i":
				count = int(v.int32())
			}
		})
		counted(n, count, a.generation)
		return err
	})
}

// expandAsked goes on below a node that was asked for by itself.
func (r *reader) expandAsked(node, after int) {
	n := &r.tree.Nodes[node]
	if n.Depth >= r.budget.Depth {
		r.cut(CutDepth)
		return
	}
	r.askChildren(node, n.Ref, after)
}

// ask queues a call unless the bytes are used up.
func (r *reader) ask(q request) {
	if r.flight.received > int64(r.budget.Bytes) {
		r.cut(CutBytes)
		return
	}
	r.flight.ask(q)
}
