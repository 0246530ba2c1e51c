package atspi

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Read reads the structure of a whole application: one bulk call where its
// toolkit fills its cache, the rest, and everything where it does not, with
// all calls in the air at once. It stays within the budget and returns what it
// has with the reason in Cut; what did not answer is in Unreadable. An error
// means that there is no tree at all: [ErrGone], [ErrNoReply], [ErrClosed] or
// ctx's own.
//
// The nodes' details are not read; see [Conn.Locate] and [Conn.Detail].
func (c *Conn) Read(ctx context.Context, app App, b Budget) (*Tree, error) {
	return c.read(ctx, app, b, true)
}

// read is Read; without bulk it takes the pipelined road whatever the toolkit.
func (c *Conn) read(ctx context.Context, app App, b Budget, bulk bool) (*Tree, error) {
	if !uniqueName(app.Root.Bus) {
		return nil, fmt.Errorf("read application %s: %w", clean(app.Root.Bus), ErrMalformed)
	}
	start := time.Now()
	c.directTo(ctx, app)
	r := newReader(c, app, b.orDefault(c.bound))
	ctx, cancel := context.WithTimeout(ctx, r.budget.Time)
	defer cancel()
	if bulk {
		r.askItems()
	} else {
		r.expandRoot(0)
	}
	err := r.flight.run(ctx)
	tree := r.finish()
	tree.Took = time.Since(start)
	if fault := r.verdict(err); fault != nil {
		return nil, fmt.Errorf("read application %s (%s): %w", app.Name, app.Root.Bus, fault)
	}
	return tree, nil
}

// root stands for the application object where a node's index is asked for.
const root = -1

// reader builds one tree. Everything in it is touched by the goroutine that
// runs the flight alone.
type reader struct {
	flight *flight
	budget Budget
	tree   *Tree
	seen   map[Ref]int // nodes in the tree, by reference
	bulk   map[Ref]int // index into items
	items  []item
	below  [][]int // items below each item, in the order of their places
	rooted int     // the application object's own item, or -1
	getAll bool    // the toolkit can answer all properties at once

	moved     bool  // a known node changed more than was told, see Keeper
	todo      []int // cached nodes that are to be expanded
	draining  bool
	rootFault error // why the application object could not be read
	why       map[int]error
}

func newReader(c *Conn, app App, b Budget) *reader {
	return &reader{
		flight: c.newFlightTo(app, b), budget: b, rooted: -1, getAll: app.family() == familyGTK3 || app.family() == familyBrowser,
		tree: &Tree{App: app, Source: SourcePipelined, Nodes: []Node{}, Roots: []int{}},
		seen: map[Ref]int{app.Root: root}, why: map[int]error{},
	}
}

// askItems asks for the cache.
func (r *reader) askItems() {
	cache := Ref{Bus: r.tree.App.Root.Bus, Path: cachePath}
	r.flight.ask(request{ref: cache, method: getItems, limit: r.budget.Bytes, take: func(a reply) {
		list, _, err := a.items(r.budget.Bytes / usualItem)
		if errors.Is(err, ErrNoReply) || errors.Is(err, ErrGone) || errors.Is(err, ErrClosed) {
			r.rootFault = err
			return
		}
		// Any other fault, an empty answer (Qt) and an answer that is too
		// large leave the pipelined road, which the budget bounds.
		if len(list) > 1 {
			r.take(list)
		}
		if r.tree.App.family() == familyBrowser {
			r.collect(a.generation)
			return
		}
		r.expandRoot(a.generation)
	}})
}

// take keeps what the cache lists.
func (r *reader) take(list []item) {
	r.tree.Source = SourceBulk
	r.items = list
	r.bulk = make(map[Ref]int, len(list))
	for i := range list {
		if _, twice := r.bulk[list[i].self]; !twice {
			r.bulk[list[i].self] = i
		}
	}
	r.rooted = -1
	if i, ok := r.bulk[r.tree.App.Root]; ok {
		r.rooted = i
	}
	r.below = siblings(list, r.bulk)
}

// expandRoot reads the application's top levels. The cache is never trusted
// with them: GTK 4 says its application has no child, Chromium lists frames
// without a parent.
func (r *reader) expandRoot(after int) {
	r.askChildren(root, r.tree.App.Root, after)
}

// ref is the reference of a node, or of the application object.
func (r *reader) ref(node int) Ref {
	if node == root {
		return r.tree.App.Root
	}
	return r.tree.Nodes[node].Ref
}

// blame remembers why a node could not be read whole; the first reason stays.
func (r *reader) blame(node int, err error) {
	if node == root {
		if r.rootFault == nil {
			r.rootFault = err
		}
		return
	}
	if r.why[node] == nil {
		r.why[node] = err
	}
}

// cut remembers that a bound was met; the first stays.
func (r *reader) cut(why string) {
	if r.tree.Cut == nil {
		r.tree.Cut = &Cut{Why: why}
	}
}

// verdict turns how the flight ended into what Read returns: a tree that is
// not empty is worth more than the reason it is not whole.
func (r *reader) verdict(err error) error {
	if len(r.tree.Nodes) == 0 && r.rootFault != nil {
		return r.rootFault
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrNoReply):
		r.cut(CutTime)
		if len(r.tree.Nodes) == 0 {
			return ErrNoReply
		}
		return nil
	}
	return err
}

// finish puts the tree in order.
func (r *reader) finish() *Tree {
	t := r.tree
	t.RoundTrips, t.Calls, t.Bytes = r.flight.generation, r.flight.calls, r.flight.received
	t.order(r.why)
	t.normalise()
	return t
}
