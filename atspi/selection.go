package atspi

import (
	"context"
	"fmt"
)

const selectionIface = interfacePrefix + "Selection"

// maxSelected bounds how many selected children are read of one container.
const maxSelected = 256

// SelectChild selects the child with that index of a container. Containers
// that allow one selection drop the other; the rest add to it.
func (c *Conn) SelectChild(ctx context.Context, ref Ref, index int) error {
	return c.accept(ctx, ref, "select child", selectionIface+".SelectChild", int32(index))
}

// DeselectChild drops the child with that index from the selection.
func (c *Conn) DeselectChild(ctx context.Context, ref Ref, index int) error {
	return c.accept(ctx, ref, "deselect child", selectionIface+".DeselectChild", int32(index))
}

// ClearSelection drops every child from the selection. Containers that always
// have one selected refuse.
func (c *Conn) ClearSelection(ctx context.Context, ref Ref) error {
	return c.accept(ctx, ref, "clear selection", selectionIface+".ClearSelection")
}

// SelectAll selects every child.
func (c *Conn) SelectAll(ctx context.Context, ref Ref) error {
	return c.accept(ctx, ref, "select all", selectionIface+".SelectAll")
}

// ChildSelected reports whether the child with that index is selected.
func (c *Conn) ChildSelected(ctx context.Context, ref Ref, index int) (bool, error) {
	var yes bool
	err := c.ask(ctx, ref, selectionIface+".IsChildSelected", []any{int32(index)}, &yes)
	if err != nil {
		return false, fmt.Errorf("is child %d selected: %w", index, err)
	}
	return yes, nil
}

// Selected returns the selected children of a container, at most 256. GTK 4.8's
// combo box counts its one and cannot name it: [ErrUnsupported].
func (c *Conn) Selected(ctx context.Context, ref Ref) ([]Ref, error) {
	var n int32
	if err := c.askProperty(ctx, ref, selectionIface, "NSelectedChildren", &n); err != nil {
		return nil, fmt.Errorf("count selected children: %w", err)
	}
	refs := make([]Ref, 0, min(max(n, 0), maxSelected))
	for i := range min(n, maxSelected) {
		var child Ref
		err := c.ask(ctx, ref, selectionIface+".GetSelectedChild", []any{i}, &child)
		if err != nil {
			return nil, fmt.Errorf("selected child %d: %w", i, err)
		}
		if !child.Null() {
			refs = append(refs, child)
		}
	}
	return refs, nil
}
