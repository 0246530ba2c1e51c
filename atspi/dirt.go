package atspi

import "slices"

// dirt is what the events of an application make doubtful in its tree.
type dirt struct {
	all    bool // read everything anew
	roots  bool // top levels came or went
	places bool // anything may be elsewhere
	texts  bool // any text or value may be another

	fields   map[Ref]bool // name, role, states of a node
	children map[Ref]bool // which nodes a node holds
	bounds   map[Ref]bool // where a node is
	details  map[Ref]Want // what Detail read of a node
}

// maxDirt is how many nodes are read one by one; a tree in which more changed
// is read in bulk.
const maxDirt = 256

// clean reports whether nothing changed.
func (d *dirt) clean() bool {
	return !d.all && !d.roots && !d.places && !d.texts &&
		len(d.fields)+len(d.children)+len(d.bounds)+len(d.details) == 0
}

// structural reports whether nodes themselves are to be read.
func (d *dirt) structural() bool { return d.roots || len(d.fields)+len(d.children) > 0 }

// put adds a node to a set.
func put(set *map[Ref]bool, ref Ref) {
	if *set == nil {
		*set = map[Ref]bool{}
	}
	(*set)[ref] = true
}

// stale marks details of a node.
func (d *dirt) stale(ref Ref, want Want) {
	if d.details == nil {
		d.details = map[Ref]Want{}
	}
	d.details[ref] |= want
}

// note takes an event in. What is not known to leave the rest of the tree as it
// is makes the places doubtful, or everything.
func (d *dirt) note(e Event) {
	switch e.Kind {
	case KindBounds:
		put(&d.bounds, e.Source)
	case KindState:
		d.noteState(e)
	case KindProperty:
		d.noteProperty(e)
	case KindText:
		d.stale(e.Source, WantText)
		put(&d.fields, e.Source) // a label's name is its text
	case KindChildren:
		put(&d.children, e.Source)
		d.places = true
	case KindSelection, KindActiveDescendant, KindFocus:
		put(&d.fields, e.Source)
		if !e.Child.Null() {
			put(&d.fields, e.Child)
		}
		// Some toolkits tell of the list alone, and not of the rows that were
		// chosen and are not any more.
		put(&d.children, e.Source)
	case KindVisibleData:
		d.places = true
	case KindWindow:
		put(&d.fields, e.Source)
		d.places = true
	case KindModel, KindDocument, KindLeft, KindCacheRemove:
		d.all = true
	case KindCaret, KindTextSelection, KindAttributes, KindCacheAdd:
		// Nothing a tree shows.
	default:
		d.all = true
	}
	d.bound()
}

// still are the states that change nothing but themselves.
var still = []string{"focused", "armed", "pressed", "checked", "selected", "active", "busy", "indeterminate", "has-tooltip", "default"}

// noteState takes a change of state in.
func (d *dirt) noteState(e Event) {
	put(&d.fields, e.Source)
	if !slices.Contains(still, e.Detail) {
		// What is shown, enabled or expanded moves its surroundings, and what is
		// disabled loses its actions.
		d.places = true
		d.stale(e.Source, WantActions)
	}
	d.stale(e.Source, WantValue)
}

// noteProperty takes a change of a property in.
func (d *dirt) noteProperty(e Event) {
	switch e.Detail {
	case "accessible-value":
		d.stale(e.Source, WantValue|WantText)
		d.values(e.Source)
	case "accessible-parent":
		d.all = true
	default:
		put(&d.fields, e.Source)
		d.stale(e.Source, WantText)
	}
}

// values remembers whose value changed: a scroll bar's moves what it scrolls.
func (d *dirt) values(ref Ref) { d.stale(ref, wantScroll) }

// wantScroll marks, among details, a node whose value changed. It is decided
// where the node's role is known.
const wantScroll Want = 1 << 7

// widen adds what no event tells of. Whether a widget of GTK 3 is showing is
// worked out, when it is asked, from where its scroll pane stands; a slider is
// described by its value; and a menu takes the focus from a field that does not
// say so.
func (d *dirt) widen(t *Tree) {
	if d.clean() {
		return
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if d.details[n.Ref]&wantScroll == 0 {
			continue
		}
		if n.Role == RoleScrollBar {
			d.places = true
		}
		if n.Description != "" {
			put(&d.fields, n.Ref)
		}
	}
	if d.places && t.App.family() == familyGTK3 {
		for i, scrolled := range t.scrolled() {
			if scrolled && t.Nodes[i].States.Has(StateVisible) {
				put(&d.fields, t.Nodes[i].Ref)
			}
		}
	}
	if d.structural() {
		for i := range t.Nodes {
			if t.Nodes[i].States.Has(StateFocused) {
				put(&d.fields, t.Nodes[i].Ref)
			}
		}
	}
	d.bound()
}

// scrolled tells which nodes lie in a scroll pane.
func (t *Tree) scrolled() []bool {
	in := make([]bool, len(t.Nodes))
	for i := range t.Nodes { // parents come before their children
		if p := t.Nodes[i].Parent; p >= 0 && p < i {
			role := t.Nodes[p].Role
			in[i] = in[p] || role == RoleScrollPane || role == RoleViewport
		}
	}
	return in
}

// bound gives up on single nodes when they are too many.
func (d *dirt) bound() {
	if len(d.fields)+len(d.children)+len(d.details) > maxDirt {
		d.all = true
	}
}

// mark gives the items of a tree with what changed marked to be asked for.
func (d *dirt) mark(raw []item) []item {
	list := slices.Clone(raw)
	for i := range list {
		it := &list[i]
		if d.children[it.self] {
			it.recount = true
			it.count = -1
		}
		it.stale = d.fields[it.self]
		if d.children[it.parent] {
			it.stale = true
		}
	}
	return list
}

// drop forgets the details that are not true any more.
func (d *dirt) drop(t *Tree) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		gone := d.details[n.Ref]
		if d.texts {
			gone |= WantText | WantValue
		}
		n.forget(gone)
	}
}

// forget drops details of a node.
func (n *Node) forget(gone Want) {
	n.got &^= gone
	if gone&WantText != 0 {
		n.Text, n.TextLen, n.Placeholder = nil, 0, ""
	}
	if gone&WantValue != 0 {
		n.Value = nil
	}
	if gone&WantActions != 0 {
		n.Actions = nil
	}
}

// carry takes over what is known of the nodes of an earlier tree.
func (t *Tree) carry(old *Tree) {
	at := make(map[Ref]int, len(old.Nodes))
	for i := range old.Nodes {
		at[old.Nodes[i].Ref] = i
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		j, ok := at[n.Ref]
		if !ok {
			continue
		}
		o := &old.Nodes[j]
		n.Extents, n.Actions, n.Text, n.TextLen, n.Value, n.got = o.Extents, o.Actions, o.Text, o.TextLen, o.Value, o.got
		n.Placeholder = o.Placeholder
		if n.Role != o.Role || n.Interfaces != o.Interfaces {
			n.Extents = nil
			n.forget(WantActions | WantText | WantValue)
		}
	}
}

// clone gives a tree that can be changed without changing this one. The
// children's numbers are shared: nobody changes them.
func (t *Tree) clone() *Tree {
	c := *t
	c.Nodes = slices.Clone(t.Nodes)
	c.Roots = slices.Clone(t.Roots)
	c.Unreadable = slices.Clone(t.Unreadable)
	return &c
}

// raw gives what was read as a list of items, before it is put in order, and
// the top levels.
func (r *reader) raw() ([]item, []Ref) {
	nodes := r.tree.Nodes
	list := make([]item, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		list[i] = item{
			self: n.Ref, parent: r.tree.App.Root, index: n.Index, count: n.ChildCount, ifaces: n.Interfaces,
			name: n.Name, role: n.Role, description: n.Description, states: n.States,
		}
		if n.Parent >= 0 {
			list[i].parent = nodes[n.Parent].Ref
		}
	}
	roots := make([]Ref, 0, len(r.tree.Roots))
	for _, i := range r.tree.Roots {
		roots = append(roots, nodes[i].Ref)
	}
	return list, roots
}
