package atspi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// wellFormed checks what every tree must be, whatever was answered.
func wellFormed(t testing.TB, tree *Tree) {
	t.Helper()
	seen := map[Ref]bool{}
	roots := 0
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if seen[n.Ref] {
			t.Fatalf("node %d %v is there twice", i, n.Ref)
		}
		seen[n.Ref] = true
		switch {
		case n.Parent == -1:
			roots++
			if n.Depth != 0 {
				t.Fatalf("top level %d at depth %d", i, n.Depth)
			}
		case n.Parent < 0 || n.Parent >= i:
			t.Fatalf("node %d has the parent %d", i, n.Parent)
		case n.Depth != tree.Nodes[n.Parent].Depth+1:
			t.Fatalf("node %d at depth %d below %d", i, n.Depth, tree.Nodes[n.Parent].Depth)
		}
		for _, child := range n.Children {
			if child <= i || child >= len(tree.Nodes) || tree.Nodes[child].Parent != i {
				t.Fatalf("node %d has the child %d", i, child)
			}
		}
	}
	if roots != len(tree.Roots) {
		t.Fatalf("%d top levels, %d without a parent", len(tree.Roots), roots)
	}
	for _, u := range tree.Unreadable {
		if u.Node < 0 || u.Node >= len(tree.Nodes) || u.Why == "" {
			t.Fatalf("unreadable %+v", u)
		}
	}
}

// hostile is one thing an application may do to its reader.
type hostile struct {
	name   string
	set    func(p *fakeApp)
	budget Budget
	check  func(t *testing.T, p *fakeApp, tree *Tree, err error)
}

// whole expects a tree of that many nodes.
func whole(nodes int) func(*testing.T, *fakeApp, *Tree, error) {
	return func(t *testing.T, _ *fakeApp, tree *Tree, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if len(tree.Nodes) != nodes {
			t.Errorf("%d nodes, want %d", len(tree.Nodes), nodes)
		}
	}
}

// cutBy expects a tree of no more than that many nodes, cut for that reason.
func cutBy(why string, most int) func(*testing.T, *fakeApp, *Tree, error) {
	return func(t *testing.T, _ *fakeApp, tree *Tree, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if tree.Cut == nil || tree.Cut.Why != why || len(tree.Nodes) > most || len(tree.Nodes) == 0 {
			t.Errorf("cut %v, %d nodes; want cut by %s, at most %d", tree.Cut, len(tree.Nodes), why, most)
		}
	}
}

// faulty expects a tree whose node at that path is unreadable for a reason that
// says so.
func faulty(path, why string) func(*testing.T, *fakeApp, *Tree, error) {
	return func(t *testing.T, _ *fakeApp, tree *Tree, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range tree.Unreadable {
			if string(tree.Nodes[u.Node].Path) == path && strings.Contains(u.Why, why) {
				return
			}
		}
		t.Errorf("unreadable: %+v, want %s because of %q", tree.Unreadable, path, why)
	}
}

var hostiles = []hostile{
	{name: "a child is its own ancestor", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/a")
		p.put("/org/a", "/org/b")
		p.put("/org/b", "/org/w", "/org/a", "/org/b", rootPath)
	}, check: whole(3)},
	{name: "a child is there twice", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w", "/org/w")
		p.put("/org/w", "/org/a", "/org/a", "/org/b", "/org/a")
	}, check: whole(3)},
	{name: "children without end", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w").count = int32(1<<31 - 1)
		p.child = func(_ dbus.ObjectPath, i int) any { return p.ref(fmt.Sprintf("/org/w/%d", i)) }
	}, check: func(t *testing.T, p *fakeApp, tree *Tree, err error) {
		cutBy(CutNodes, 501)(t, p, tree, err)
		if len(tree.Nodes) != 501 || p.count("GetChildAtIndex") != 500 || p.count("GetChildren") != 1 {
			t.Errorf("%d nodes, GetChildAtIndex %d times, GetChildren %d times", len(tree.Nodes), p.count("GetChildAtIndex"), p.count("GetChildren"))
		}
		if tree.Nodes[0].ChildCount != 1<<31-1 {
			t.Errorf("ChildCount %d: it must say what was left out", tree.Nodes[0].ChildCount)
		}
	}},
	{name: "more children than counted", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		many := []string{}
		for i := range 5000 {
			many = append(many, fmt.Sprintf("/org/c/%d", i))
		}
		p.put("/org/w", many...).count = int32(3)
	}, check: cutBy(CutNodes, 501)},
	{name: "a tree without end", budget: Budget{Nodes: 3000, Time: time.Minute}, set: func(p *fakeApp) {
		p.put(rootPath, "/org/n")
		grow(p, 3)
	}, check: cutBy(CutNodes, 3000)},
	{name: "depth without end", budget: Budget{Depth: 60, Time: time.Minute}, set: func(p *fakeApp) {
		p.put(rootPath, "/org/n")
		grow(p, 1)
	}, check: cutBy(CutDepth, 61)},
	{name: "more bytes than allowed", budget: Budget{Bytes: 200_000, Time: time.Minute}, set: func(p *fakeApp) {
		p.put(rootPath, "/org/n")
		grow(p, 3)
	}, check: cutBy(CutBytes, 20_000)},
	{name: "children of the wrong type", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		f := p.put("/org/w", "/org/a")
		f.children = "no list"
	}, check: faulty("/org/w", "wrong shape")},
	{name: "a role that is a text", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w").role = "push button"
	}, check: faulty("/org/w", "wrong shape")},
	{name: "a name that is a number", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w").name = int32(4)
	}, check: faulty("/org/w", "wrong shape")},
	{name: "states without end", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w").states = make([]uint32, 100_000)
	}, check: whole(1)},
	{name: "an unknown role", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w").role = uint32(4_000_000_000)
	}, check: func(t *testing.T, _ *fakeApp, tree *Tree, err error) {
		if err != nil || tree.Nodes[0].Role.String() != "unknown" {
			t.Fatalf("%v, or a role that is known", err)
		}
	}},
	{name: "a negative count", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/a").count = int32(-5)
	}, check: whole(1)},
	{name: "a name of two megabytes", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w", "/org/v")
		p.put("/org/w").name = strings.Repeat("x", 2<<20)
	}, check: faulty("/org/w", "message cap")},
	{name: "names that would close the connection", set: func(p *fakeApp) {
		f := p.put(rootPath, "/org/w")
		f.children = []Ref{{Path: "/x"}, {Bus: "no name", Path: "/x"}, {Bus: ":", Path: "/x"}, {Bus: busName, Path: busPath}, {Bus: registryName, Path: rootPath}, {Bus: p.name, Path: nullPath}, p.ref("/org/w")}
	}, check: whole(1)},
	{name: "a node that does not answer", budget: Budget{Call: 2 * time.Second}, set: func(p *fakeApp) {
		p.put(rootPath, "/org/w", "/org/v", "/org/u")
		p.put("/org/v").name = hang{}
		p.put("/org/u", "/org/a", "/org/b")
	}, check: func(t *testing.T, p *fakeApp, tree *Tree, err error) {
		if err != nil || len(tree.Nodes) != 5 {
			t.Fatalf("%v: want 5 nodes", err)
		}
		faulty("/org/v", "no reply")(t, p, tree, err)
	}},
	{
		name: "nothing answers", budget: Budget{Call: 300 * time.Millisecond}, set: func(p *fakeApp) { p.items = hang{} },
		check: func(t *testing.T, _ *fakeApp, _ *Tree, err error) {
			if !errors.Is(err, ErrNoReply) {
				t.Errorf("%v, want no reply", err)
			}
		},
	},
	{name: "silent after the first level", budget: Budget{Call: 2 * time.Second}, set: func(p *fakeApp) {
		p.put(rootPath, "/org/w", "/org/v")
		for _, path := range []string{"/org/w", "/org/v"} {
			*p.put(path) = fake{children: hang{}, count: hang{}, role: hang{}, name: hang{}, description: hang{}, states: hang{}, ifaces: hang{}}
		}
	}, check: cutBy(CutTime, 2)},
	{name: "time runs out", budget: Budget{Time: 400 * time.Millisecond, Nodes: 1 << 20, Bytes: 1 << 30}, set: func(p *fakeApp) {
		p.put(rootPath, "/org/n")
		grow(p, 3)
	}, check: func(t *testing.T, p *fakeApp, tree *Tree, err error) {
		cutBy(CutTime, 1<<20)(t, p, tree, err)
		if tree.Took > soon {
			t.Errorf("took %v", tree.Took)
		}
	}},
}

// grow makes every path the parent of n new ones.
func grow(p *fakeApp, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	nodes := p.nodes
	var below func(path dbus.ObjectPath, depth int)
	below = func(path dbus.ObjectPath, depth int) {
		if depth == 0 {
			return
		}
		f := p.node(path)
		refs := []Ref{}
		for i := range n {
			child := fmt.Sprintf("%s/%d", path, i)
			refs = append(refs, p.ref(child))
		}
		f.children, f.count = refs, int32(n)
		nodes[path] = f
		for _, ref := range refs {
			below(ref.Path, depth-1)
		}
	}
	depth := 9
	if n == 1 {
		depth = 100
	}
	below("/org/n", depth)
}

func TestHostileApplications(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			h.run(t, d)
		})
	}
}

// run reads an application that was set so, and checks that whatever it did, the answer
// is one or the other, the tree is one, and the connection still works.
func (h *hostile) run(t *testing.T, d *desk) {
	t.Helper()
	p := newFakeApp(t, d, h.set)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := d.dialFor(t, Config{})
	b := h.budget
	if b.Time == 0 { // what is not about time may take it: machines are busy
		b.Time, b.Call = time.Minute, cmp.Or(b.Call, time.Minute)
	}
	tree, err := c.Read(ctx, p.app(), b)
	if tree == nil && err == nil {
		t.Fatal("neither a tree nor an error")
	}
	if tree != nil {
		wellFormed(t, tree)
	}
	h.check(t, p, tree, err)
	if ctx.Err() != nil {
		t.Error("it took a minute")
	}
	if err := c.call(ctx, busName, busPath, busName+".GetId", nil); err != nil {
		t.Errorf("the connection afterwards: %v", err)
	}
}
