package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Keeper keeps the trees of a bus's applications and brings them up to date
// from the events they send: what nothing was told of is not read again. It
// belongs to one connection. Its methods are safe for concurrent use.
//
// An application that is asked for its tree always answers one call first: the
// events it sent before that answer have come before it, so what is given is
// the tree at that moment, and one that hangs is found out.
type Keeper struct {
	conn   *Conn
	events *Events

	mu   sync.Mutex
	kept map[Ref]*kept
}

// Doubt says what of a kept tree is not to be trusted although no event spoke
// of it.
type Doubt uint8

// The doubts, the larger number including the smaller.
const (
	DoubtNone   Doubt = iota
	DoubtPlaces       // something was painted: things may have moved
	DoubtAll          // read everything anew
)

// kept is one application's tree as it was read last.
type kept struct {
	app App
	// turn is held by whoever brings the tree up to date.
	turn chan struct{}

	// What follows is touched by the holder of turn alone.

	raw   []item // as the toolkit says it, before the tree is normalised
	roots []Ref
	tree  *Tree // located
	index map[Ref]int
	// serial counts the reads that gave the nodes their numbers.
	serial uint64

	mu   sync.Mutex // guards dirt
	dirt dirt
}

// Keep begins to follow the applications of the bus. ctx bounds the call; the
// keeping lasts until Close.
func (c *Conn) Keep(ctx context.Context) (*Keeper, error) {
	events, err := c.Subscribe(ctx, Filter{})
	if err != nil {
		return nil, fmt.Errorf("keep trees: %w", err)
	}
	return &Keeper{conn: c, events: events, kept: map[Ref]*kept{}}, nil
}

// Close ends the keeping.
func (k *Keeper) Close() error { return k.events.Close() }

// Read gives an application's tree, located, as [Conn.Read] and [Conn.Locate]
// would now. Source says how: resident when only what changed was read. The tree
// is the caller's.
func (k *Keeper) Read(ctx context.Context, app App, b Budget, doubt Doubt) (*Tree, error) {
	b = b.orDefault(k.conn.bound)
	ctx, cancel := context.WithTimeout(ctx, b.Time)
	defer cancel()
	t := k.of(app)
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("read application %s: %w", app.Name, ErrNoReply)
	}
	start := time.Now()
	if err := k.update(ctx, t, b, doubt); err != nil {
		t.tree = nil
		if errors.Is(err, ErrGone) {
			k.forget(app.Root)
		}
		return nil, err
	}
	t.tree.Took = time.Since(start)
	return t.tree.clone(), nil
}

// of gives the keeping of an application.
func (k *Keeper) of(app App) *kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.kept[app.Root]
	if t == nil {
		t = &kept{app: app, turn: make(chan struct{}, 1)}
		k.kept[app.Root] = t
	}
	return t
}

// forget drops what is kept of an application.
func (k *Keeper) forget(root Ref) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, root)
}

// update brings a tree up to date. The holder of turn calls it.
func (k *Keeper) update(ctx context.Context, t *kept, b Budget, doubt Doubt) error {
	if t.tree == nil || doubt >= DoubtAll {
		return k.whole(ctx, t, b)
	}
	roots, err := k.conn.topLevels(ctx, t.app, b)
	if err != nil {
		return err
	}
	k.pump()
	d := t.takeDirt()
	if doubt >= DoubtPlaces {
		d.places = true
		d.texts = true
	}
	if !slices.Equal(roots, t.roots) {
		d.roots = true
	}
	d.widen(t.tree)
	switch {
	case d.clean():
		t.tree.Source, t.tree.RoundTrips, t.tree.Calls, t.tree.Bytes = SourceResident, 1, 1, 0
		return nil
	case d.all, taciturn(t.app.family()), len(t.tree.scales) > 0, t.tree.Cut != nil:
		// Scales hang on numbers that a partial read changes.
		return k.whole(ctx, t, b)
	}
	same, err := k.partial(ctx, t, b, d)
	if err == nil && !same {
		return k.whole(ctx, t, b)
	}
	return err
}

// taciturn reports whether a toolkit is silent about much of what changes, so
// that any sign of a change means a whole read. Measured with the fixtures: GTK
// 4.8 tells nothing of a check box that is checked, and Qt 5.15 nothing of a
// widget that is added, removed or moved.
func taciturn(kind family) bool { return kind == familyGTK4 || kind == familyQt }

// whole reads a tree from nothing.
func (k *Keeper) whole(ctx context.Context, t *kept, b Budget) error {
	k.pump() // what was told until here is in what is read now
	t.takeDirt()
	k.conn.directTo(ctx, t.app)
	r := newReader(k.conn, t.app, b)
	r.askItems()
	return k.land(ctx, t, r, b, nil)
}

// partial reads what changed; false says that more did than was told.
func (k *Keeper) partial(ctx context.Context, t *kept, b Budget, d dirt) (bool, error) {
	if !d.structural() {
		return true, k.relocate(ctx, t, t.tree, b, d)
	}
	r := newReader(k.conn, t.app, b)
	r.take(d.mark(t.raw))
	r.expandRoot(0)
	err := k.land(ctx, t, r, b, &d)
	return !r.moved, err
}

// land runs a reader, keeps what it read and locates it. With d it was a
// partial read: what is known of the nodes besides is carried over.
func (k *Keeper) land(ctx context.Context, t *kept, r *reader, b Budget, d *dirt) error {
	err := r.flight.run(ctx)
	raw, roots := r.raw()
	old := t.tree
	tree := r.finish()
	if fault := r.verdict(err); fault != nil {
		return fmt.Errorf("read application %s (%s): %w", t.app.Name, t.app.Root.Bus, fault)
	}
	t.raw, t.roots = raw, roots
	t.serial++
	tree.serial = t.serial
	t.keep(tree)
	if d == nil {
		return k.conn.locateLike(ctx, tree, old, nil, b)
	}
	tree.Source = SourceResident
	tree.carry(old)
	return k.relocate(ctx, t, tree, b, *d)
}

// keep makes a tree the one that is kept.
func (t *kept) keep(tree *Tree) {
	t.tree = tree
	t.index = make(map[Ref]int, len(tree.Nodes))
	for i := range tree.Nodes {
		t.index[tree.Nodes[i].Ref] = i
	}
}

// relocate reads the extents that are not known any more, and drops the details
// that are not.
func (k *Keeper) relocate(ctx context.Context, t *kept, tree *Tree, b Budget, d dirt) error {
	tree.version++
	tree.Source = SourceResident
	d.drop(tree)
	if d.places {
		return k.conn.Locate(ctx, tree, nil, b)
	}
	l := k.conn.newLocator(tree, b)
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if !n.Interfaces.Has(IfaceComponent) || !n.States.Has(StateShowing|StateVisible) {
			n.Extents = nil
			continue
		}
		if n.Extents == nil || d.bounds[n.Ref] {
			l.extents(i, 0, nil)
		}
	}
	err := l.flight.run(ctx)
	l.account()
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrNoReply
	}
	if err != nil {
		return fmt.Errorf("locate nodes of %s: %w", t.app.Name, err)
	}
	return nil
}

// topLevels asks an application for its top levels, which every event it sent
// before has come ahead of.
func (c *Conn) topLevels(ctx context.Context, app App, b Budget) (refs []Ref, err error) {
	f := c.newFlight(b)
	f.ask(request{ref: app.Root, method: getChildren, take: func(a reply) { refs, err = a.refs(b.Children) }})
	if ferr := f.run(ctx); ferr != nil && err == nil {
		err = ferr
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrNoReply
	}
	if err != nil {
		return nil, fmt.Errorf("top levels of %s: %w", app.Name, err)
	}
	return refs, nil
}

// pump hands the events that have come to the trees they are about.
func (k *Keeper) pump() {
	batch := k.events.Take()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.kept {
		if batch.Overflow {
			t.soil(func(d *dirt) { d.all = true })
		}
		for _, e := range batch.Events {
			if e.Source.Bus == t.app.Root.Bus {
				t.soil(func(d *dirt) { d.note(e) })
			}
		}
	}
}

// soil notes a change.
func (t *kept) soil(f func(*dirt)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.dirt)
}

// takeDirt gives what has changed and begins anew.
func (t *kept) takeDirt() dirt {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.dirt
	t.dirt = dirt{}
	return d
}

// Detail reads details as [Conn.Detail] does, those alone that are not known
// from an earlier one, and keeps what it read.
func (k *Keeper) Detail(ctx context.Context, tree *Tree, nodes []int, want Want, b Budget) error {
	missing := map[Want][]int{}
	for _, i := range nodes {
		if i < 0 || i >= len(tree.Nodes) {
			continue
		}
		if need := want &^ tree.Nodes[i].got; need != 0 {
			missing[need] = append(missing[need], i)
		}
	}
	for need, group := range missing {
		if err := k.conn.Detail(ctx, tree, group, need, b); err != nil {
			return err
		}
		for _, i := range group {
			if n := &tree.Nodes[i]; n.Unreadable == "" {
				n.got |= need
			}
		}
	}
	if len(missing) > 0 {
		k.remember(ctx, tree, nodes)
	}
	return nil
}

// remember takes details over into the tree that is kept, when that is still
// the one they were read for.
func (k *Keeper) remember(ctx context.Context, tree *Tree, nodes []int) {
	t := k.of(tree.App)
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return
	}
	if t.tree == nil || t.tree.serial != tree.serial || t.tree.version != tree.version {
		return
	}
	for _, i := range nodes {
		if i < 0 || i >= len(t.tree.Nodes) {
			continue
		}
		n, o := &t.tree.Nodes[i], &tree.Nodes[i]
		n.Actions, n.Text, n.TextLen, n.Value, n.got = o.Actions, o.Text, o.TextLen, o.Value, o.got
		n.Placeholder = o.Placeholder
	}
}
