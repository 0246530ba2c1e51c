package atspi

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestFrozenApplication stops one of two applications: the other one and the
// list of both must not notice, the stopped one is given up after one bound,
// also in the middle of a read, and comes back.
func TestFrozenApplication(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	healthy, frozen := d.launch(mousepad), d.launch(gtk3Factory)
	if frozen.PID == 0 || frozen.Toolkit != "gtk" || frozen.Version == "" {
		t.Fatalf("%+v", frozen)
	}
	if err := syscall.Kill(frozen.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(frozen.PID, syscall.SIGCONT)
	ctx := context.Background()

	// Within its bound the healthy one answers, if not the first time on a machine
	// that has better to do.
	var apps []App
	d.until("the list of both", patience, func() bool {
		var err error
		apps, err = d.conn.Apps(ctx)
		return err == nil && len(apps) == 2 && !slices.ContainsFunc(apps, func(app App) bool { return app.Root != frozen.Root && app.Silent })
	})
	for _, app := range apps {
		if is := app.Root == frozen.Root; app.Silent != is || app.PID == 0 || !is && app.Name != "mousepad" {
			t.Errorf("%+v", app)
		}
	}
	start := time.Now()
	_, err := d.conn.Read(ctx, frozen, Budget{Call: 500 * time.Millisecond})
	if took := time.Since(start); !errors.Is(err, ErrNoReply) || took > soon {
		t.Errorf("read of the frozen one: %v after %v", err, took)
	}
	if _, _, err := d.conn.ReadNode(ctx, frozen, frozen.Root); !errors.Is(err, ErrNoReply) {
		t.Errorf("a node of the frozen one: %v", err)
	}
	if _, err := d.conn.App(ctx, frozen.Root); !errors.Is(err, ErrNoReply) {
		t.Errorf("the frozen one by itself: %v", err)
	}
	if tree := d.read(healthy, Budget{}); len(tree.Nodes) < 100 || tree.Cut != nil {
		t.Errorf("the healthy one: %d nodes, %v", len(tree.Nodes), tree.Cut)
	}
	if err := syscall.Kill(frozen.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	d.until("the frozen one again", patience, func() bool {
		tree, err := d.conn.Read(ctx, frozen, patient)
		return err == nil && len(tree.Nodes) > 100 && tree.Cut == nil
	})
}

// TestFrozenInTheMiddle stops an application between the reading of its tree
// and that of its details.
func TestFrozenInTheMiddle(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	app := d.launch(featherpad)
	tree := d.read(app, Budget{})
	if err := syscall.Kill(app.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(app.PID, syscall.SIGCONT)
	b := Budget{Call: 300 * time.Millisecond}
	start := time.Now()
	if err := d.conn.Locate(context.Background(), tree, nil, b); !errors.Is(err, ErrNoReply) {
		t.Errorf("locate: %v", err)
	}
	if err := d.conn.Detail(context.Background(), tree, []int{0, 1, 2, 3, 4, 5}, WantActions|WantText|WantValue|WantExtents, b); !errors.Is(err, ErrNoReply) {
		t.Errorf("detail: %v", err)
	}
	if took := time.Since(start); took > soon {
		t.Errorf("took %v", took)
	}
	if tree.Nodes[0].Unreadable == "" {
		t.Error("a node that did not answer does not say so")
	}
}

// TestKilledApplication reads what is no more.
func TestKilledApplication(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	app := d.launch(mousepad)
	tree := d.read(app, Budget{})
	if err := syscall.Kill(app.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.until("the end of it", patience, func() bool {
		apps, err := d.conn.Apps(context.Background())
		return err == nil && len(apps) == 0
	})
	start := time.Now()
	if _, err := d.conn.Read(context.Background(), app, Budget{}); !errors.Is(err, ErrGone) {
		t.Errorf("read: %v", err)
	}
	if _, _, err := d.conn.ReadNode(context.Background(), app, tree.Nodes[3].Ref); !errors.Is(err, ErrGone) {
		t.Errorf("a node: %v", err)
	}
	if _, err := d.conn.App(context.Background(), app.Root); !errors.Is(err, ErrGone) {
		t.Errorf("the application: %v", err)
	}
	if err := d.conn.Locate(context.Background(), tree, nil, Budget{}); err != nil {
		t.Errorf("locate: %v", err) // every node says so by itself
	}
	if took := time.Since(start); took > soon {
		t.Errorf("took %v", took)
	}
}

// TestReadNodeAnew reads single nodes of each toolkit as the tree has them, and
// the chain above them, and says of a path nobody has that it is gone.
func TestReadNodeAnew(t *testing.T) {
	for _, p := range []program{gtk3Factory, gtk4Factory, featherpad, firefox, chromium} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			app := d.launch(p)
			tree := d.read(app, Budget{})
			ctx := context.Background()
			type single struct {
				want, got Node
				parent    Ref
				err       error
			}
			var singles []single
			for i := range tree.Nodes {
				want := &tree.Nodes[i]
				if !want.Interfaces.Has(IfaceComponent) || i%(1+len(tree.Nodes)/40) != 0 {
					continue
				}
				got, parent, err := d.conn.ReadNode(ctx, app, want.Ref)
				singles = append(singles, single{*want, got, parent, err})
			}
			deep := deepest(tree)
			chain, chainErr := d.conn.Ancestry(ctx, app, tree.Nodes[deep].Ref)
			// A browser that comes up renames and drops what it showed: only what
			// was the same before and after says what a read between had to find.
			after := map[Ref]Node{}
			again := d.read(app, Budget{})
			for i := range again.Nodes {
				after[again.Nodes[i].Ref] = again.Nodes[i]
			}
			still := func(n Node) bool {
				now, ok := after[n.Ref]
				return ok && now.Role == n.Role && now.Name == n.Name && now.Class == n.Class && now.Interfaces == n.Interfaces && now.Depth == n.Depth
			}
			checked, odd := 0, 0
			for _, s := range singles {
				got, want, parent := s.got, s.want, s.parent
				if !still(want) {
					continue
				}
				if s.err != nil {
					t.Fatal(s.err)
				}
				checked++
				if got.Role != want.Role || got.Name != want.Name || got.Class != want.Class || got.Interfaces != want.Interfaces || got.Ref != want.Ref {
					t.Errorf("got %v %q %s %v, want %v %q %s %v", got.Role, got.Name, got.Class, got.Interfaces.Names(), want.Role, want.Name, want.Class, want.Interfaces.Names())
				}
				up := app.Root
				if want.Parent >= 0 {
					up = tree.Nodes[want.Parent].Ref
				}
				// GTK 4's stack pages are in the cache alone, Chromium's
				// frames say they have no parent, and some of GTK 3's
				// widgets name another one than the one that lists them.
				if parent != up && !parent.Null() && (want.Parent < 0 || tree.Nodes[want.Parent].Interfaces.Has(IfaceComponent)) {
					odd++
				}
				if odd > 1+checked/10 {
					t.Errorf("%v %q: parent %v, want %v", want.Role, want.Name, parent, up)
				}
			}
			if checked < 10 {
				t.Errorf("only %d nodes were compared", checked)
			}
			if still(tree.Nodes[deep]) && (chainErr != nil || len(chain) == 0 || len(chain) > tree.Nodes[deep].Depth) {
				t.Errorf("%d ancestors of a node at depth %d, %v", len(chain), tree.Nodes[deep].Depth, chainErr)
			}
			bogus := tree.Nodes[deep].Ref
			bogus.Path += "999999"
			for _, ref := range []Ref{bogus, {}, {Bus: "no name", Path: "/x"}, {Bus: app.Root.Bus, Path: nullPath}, {Bus: app.Root.Bus, Path: "no path"}} {
				if _, _, err := d.conn.ReadNode(ctx, app, ref); !errors.Is(err, ErrGone) {
					t.Errorf("%v: %v, want gone", ref, err)
				}
			}
		})
	}
}

// deepest is the first of the deepest nodes.
func deepest(tree *Tree) int {
	deep := 0
	for i := range tree.Nodes {
		if tree.Nodes[i].Depth > tree.Nodes[deep].Depth && tree.Nodes[i].Interfaces.Has(IfaceComponent) {
			deep = i
		}
	}
	return deep
}
