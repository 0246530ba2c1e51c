package atspi

import (
	"context"
	"errors"
	"fmt"
)

// ReadNode reads one object anew: role, name, states (normalised as in a tree
// of app), interfaces, children's number, parent and extents, one round trip.
// Parent in the node is -1; the parent's reference is returned beside it, the
// application object's for a top level. [ErrGone] says that the object is no
// more, or says so itself by its defunct state.
//
// What a toolkit only says of a whole tree is not corrected: a GTK 4 node's
// showing state and whether it is drawn need [Conn.Locate].
func (c *Conn) ReadNode(ctx context.Context, app App, ref Ref) (Node, Ref, error) {
	fail := func(err error) (Node, Ref, error) {
		return Node{}, Ref{}, fmt.Errorf("read node %s %s: %w", clean(ref.Bus), ref.Path, err)
	}
	if ref.Null() || !uniqueName(ref.Bus) || !ref.Path.IsValid() {
		return fail(ErrGone)
	}
	b := Budget{}.orDefault(c.bound)
	r := newReader(c, app, b)
	r.budget.Depth = 0 // the node alone
	at := r.add(root, ref, 0)
	r.askNode(at, 0)
	var parent Ref
	r.flight.ask(request{ref: ref, method: getProperty, args: parentArgs, take: func(a reply) {
		if a.variant("(so)") == nil {
			parent, _ = a.one()
		}
	}})
	l := c.newLocator(r.tree, b)
	l.flight = r.flight
	l.extents(at, 0, nil)
	if err := r.flight.run(ctx); err != nil {
		return fail(err)
	}
	if err := r.there(at); err != nil {
		return fail(err)
	}
	r.tree.Nodes[at].Unreadable = ""
	r.tree.normalise()
	return r.tree.Nodes[at], parent, nil
}

// there reports whether a node that was asked about is one. Qt and GDBus answer
// an object that is no more as one that has no such interface; there is no
// object without the one that was asked for.
func (r *reader) there(at int) error {
	n := &r.tree.Nodes[at]
	err := r.why[at]
	if errors.Is(err, ErrUnsupported) || err == nil && (n.States.Has(StateDefunct) || n.Role == RoleInvalid && n.Interfaces == 0) {
		return ErrGone
	}
	return err
}

// Ancestor is one step up from a node.
type Ancestor struct {
	Ref
	Role Role
	Name string
}

// maxAncestry bounds a chain of parents; a loop of them ends earlier.
const maxAncestry = 256

// Ancestry reads the chain of parents of a node, nearest first, up to and
// without the application object. An object that is its own ancestor is
// [ErrMalformed].
func (c *Conn) Ancestry(ctx context.Context, app App, ref Ref) ([]Ancestor, error) {
	chain := []Ancestor{}
	seen := map[Ref]bool{ref: true}
	for range maxAncestry {
		node, parent, err := c.ReadNode(ctx, app, ref)
		if err != nil {
			return nil, fmt.Errorf("ancestry: %w", err)
		}
		if len(seen) > 1 {
			chain = append(chain, Ancestor{Ref: ref, Role: node.Role, Name: node.Name})
		}
		if parent.Null() || parent == app.Root || !uniqueName(parent.Bus) {
			return chain, nil
		}
		if seen[parent] {
			return nil, fmt.Errorf("ancestry of %s %s: %w: it is its own ancestor", ref.Bus, ref.Path, ErrMalformed)
		}
		seen[parent] = true
		ref = parent
	}
	return nil, fmt.Errorf("ancestry of %s %s: %w: no end", ref.Bus, ref.Path, ErrMalformed)
}
