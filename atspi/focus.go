package atspi

import "context"

const componentIface = interfacePrefix + "Component"

// GrabFocus asks a node to take the keyboard focus of its window. The window
// itself needs the display's focus before keys arrive, and Qt calls no node
// focused before; that is not this package's. GTK 3 scrolls the node into view
// as well. GTK 4.8 is [ErrUnsupported].
func (c *Conn) GrabFocus(ctx context.Context, ref Ref) error {
	return c.accept(ctx, ref, "focus", componentIface+".GrabFocus")
}

// Focused returns the index of the focused node, the deepest one where a
// toolkit marks its ancestors too, and false when none is marked.
func (t *Tree) Focused() (index int, ok bool) {
	index = -1
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.States.Has(StateFocused) && (index < 0 || n.Depth > t.Nodes[index].Depth) {
			index = i
		}
	}
	return index, index >= 0
}

// Edge says where a node should come to lie when it is scrolled into view.
type Edge uint32

// The edges, by AT-SPI's numbers.
const (
	EdgeTopLeft Edge = iota
	EdgeBottomRight
	EdgeTop
	EdgeBottom
	EdgeLeft
	EdgeRight
	EdgeAnywhere // as little as makes the node visible
)

// ScrollTo scrolls what holds a node until the node is visible. Browsers do;
// GTK 3 answers [ErrRefused], GTK 4.8 and Qt [ErrUnsupported]. There the scroll
// bars beside it have a value that can be set.
func (c *Conn) ScrollTo(ctx context.Context, ref Ref, edge Edge) error {
	return c.accept(ctx, ref, "scroll", componentIface+".ScrollTo", uint32(edge))
}

// ScrollToPoint scrolls what holds a node until the node's top left corner is
// at that point, in screen coordinates as the toolkit counts them.
func (c *Conn) ScrollToPoint(ctx context.Context, ref Ref, x, y int) error {
	return c.accept(ctx, ref, "scroll to point", componentIface+".ScrollToPoint", uint32(0), int32(x), int32(y))
}
