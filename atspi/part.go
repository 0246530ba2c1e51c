package atspi

// askPart reads a part of a list that is longer than the budget: from the
// first child that is visible on, or from the first of all where the toolkit
// does not say which that is. Nothing is ever asked for as many children as
// such a list claims to have.
func (r *reader) askPart(node, after int) {
	ref := r.ref(node)
	r.ask(request{ref: ref, method: getExtents, args: intArgs(coordScreen), after: after, take: func(a reply) {
		rect, err := a.rect()
		if err != nil || rect.Empty() {
			r.askRange(node, 0, a.generation)
			return
		}
		// Just inside the corner: the very edge can be a border or a
		// header.
		args := intArgs(rect.X+rect.W/2, rect.Y+rect.H/4, coordScreen)
		r.ask(request{ref: ref, method: getAtPoint, args: args, after: a.generation, take: func(a reply) {
			child, err := a.one()
			if err != nil || child.Null() || !uniqueName(child.Bus) || child == ref {
				r.askRange(node, 0, a.generation)
				return
			}
			r.ask(request{ref: child, method: getIndex, after: a.generation, take: func(a reply) {
				index, err := a.number()
				if err != nil {
					index = 0
				}
				// The point lies a quarter down; what is above it is
				// visible too.
				r.askRange(node, index-r.budget.Children/4, a.generation)
			}})
		}})
	}})
}

// coordScreen and coordWindow say what a point is relative to.
const (
	coordScreen = 0
	coordWindow = 1
)

// askRange reads as many children as the budget allows, from a place on.
func (r *reader) askRange(node, from, after int) {
	r.cut(CutNodes)
	count := r.tree.Nodes[node].ChildCount
	from = max(0, min(from, count-r.budget.Children))
	n := min(r.budget.Children, count-from)
	refs, left := make([]Ref, n), n
	for k := range n {
		r.ask(request{ref: r.ref(node), method: getChild, args: intArgs(from + k), after: after, take: func(a reply) {
			ref, err := a.one()
			if err != nil {
				r.blame(node, err)
			}
			refs[k] = ref
			if left--; left == 0 {
				r.attach(node, refs, from, a.generation)
			}
		}})
	}
}
