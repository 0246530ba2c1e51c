package atspi

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// cached is an item of a fake application's cache.
func (p *fakeApp) cached(path, parent string, index, count int) wireItem {
	return wireItem{
		Self: p.ref(path), App: p.ref(rootPath), Parent: p.ref(parent), Index: int32(index), Count: int32(count),
		Ifaces: []string{interfacePrefix + "Accessible"}, Name: "cached " + path, Role: uint32(RoleCheckBox), States: []uint32{1 << 8, 0},
	}
}

// paths lists a tree's paths, indented by depth.
func paths(tree *Tree) string {
	var b strings.Builder
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		b.WriteString(strings.Repeat(" ", n.Depth) + strings.TrimPrefix(string(n.Path), "/org/") + "\n")
	}
	return b.String()
}

// drawn expects that tree, by that road.
func drawn(source string, want string) func(*testing.T, *fakeApp, *Tree, error) {
	return func(t *testing.T, _ *fakeApp, tree *Tree, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if got := paths(tree); got != want || tree.Source != source {
			t.Errorf("%s:\n%swant %s:\n%s", tree.Source, got, source, want)
		}
	}
}

// caches are the ways a cache can contradict the objects, and itself.
var caches = []hostile{
	{name: "a cache that is right is all that is asked", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.items = []wireItem{p.cached("/org/b", "/org/w", 1, 0), p.cached("/org/w", rootPath, 0, 2), p.cached("/org/a", "/org/w", 0, 0)}
	}, check: func(t *testing.T, p *fakeApp, tree *Tree, err error) {
		drawn(SourceBulk, "w\n a\n b\n")(t, p, tree, err)
		if tree.Calls != 2 || tree.RoundTrips != 2 {
			t.Errorf("%d calls, %d round trips", tree.Calls, tree.RoundTrips)
		}
	}},
	{name: "places that are not said", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/a", "/org/b")
		p.items = []wireItem{p.cached("/org/b", "/org/w", -1, 0), p.cached("/org/w", rootPath, 0, 2), p.cached("/org/a", "/org/w", -1, 0)}
	}, check: drawn(SourceBulk, "w\n a\n b\n")},
	{name: "places that are taken twice", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/b", "/org/a")
		p.items = []wireItem{p.cached("/org/w", rootPath, 0, 2), p.cached("/org/a", "/org/w", 0, 0), p.cached("/org/b", "/org/w", 0, 0)}
	}, check: drawn(SourceBulk, "w\n b\n a\n")},
	{name: "gaps in the places", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.items = []wireItem{p.cached("/org/w", rootPath, 0, 2), p.cached("/org/a", "/org/w", 7, 0), p.cached("/org/b", "/org/w", 3, 0)}
	}, check: drawn(SourceBulk, "w\n b\n a\n")},
	{name: "children that the cache lacks", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/a", "/org/new", "/org/b")
		p.put("/org/new", "/org/newer")
		p.items = []wireItem{p.cached("/org/w", rootPath, 0, 3), p.cached("/org/a", "/org/w", 0, 0), p.cached("/org/b", "/org/w", 2, 0)}
	}, check: drawn(SourceBulk, "w\n a\n new\n  newer\n b\n")},
	{name: "children that are no more", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/a")
		p.items = []wireItem{p.cached("/org/w", rootPath, 0, 1), p.cached("/org/a", "/org/w", 0, 0), p.cached("/org/old", "/org/w", 1, 1), p.cached("/org/older", "/org/old", 0, 0)}
	}, check: drawn(SourceBulk, "w\n a\n")},
	{name: "a count of minus one", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/a")
		p.items = []wireItem{p.cached("/org/w", rootPath, 0, -1), p.cached("/org/x", "/org/y", 0, 0)}
	}, check: drawn(SourceBulk, "w\n a\n")},
	{name: "a count without end", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.child = func(path dbus.ObjectPath, i int) any { return p.ref("/org/only") }
		p.items = []wireItem{p.cached("/org/w", rootPath, 0, 1<<31-1), p.cached("/org/x", "/org/y", 0, 0)}
	}, check: drawn(SourceBulk, "w\n only\n")},
	{name: "its own parent, and a circle", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w", "/org/a")
		p.items = []wireItem{
			p.cached("/org/w", "/org/w", 0, 1), p.cached("/org/a", "/org/b", 0, 1), p.cached("/org/b", "/org/a", 0, 1),
			p.cached(rootPath, rootPath, 0, 1),
		}
	}, check: drawn(SourceBulk, "w\na\n b\n")},
	{name: "an object twice", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.items = []wireItem{p.cached("/org/w", rootPath, 0, 1), p.cached("/org/a", "/org/w", 0, 0), p.cached("/org/a", "/org/a", 0, 9), p.cached("/org/w", "/org/a", 0, 5)}
	}, check: drawn(SourceBulk, "w\n a\n")},
	{name: "a cache of another shape", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.items = []string{"no item"}
	}, check: drawn(SourcePipelined, "w\n")},
	{name: "a cache larger than the budget", budget: Budget{Bytes: 20_000}, set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.items = wireItems(2000)
	}, check: drawn(SourcePipelined, "w\n")},
	{name: "a cache larger than the budget in nodes", budget: Budget{Nodes: 100}, set: func(p *fakeApp) {
		f := p.put(rootPath)
		items := wireItems(5000)
		for i := range items {
			items[i].Self.Bus, items[i].Parent.Bus = p.name, p.name
		}
		f.children, p.items = []Ref{items[0].Self}, items
	}, check: cutBy(CutNodes, 100)},
	{name: "an application without the method", set: func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.items = dbus.NewError("org.freedesktop.DBus.Error.UnknownMethod", []any{"no such method"})
	}, check: drawn(SourcePipelined, "w\n")},
	{
		name: "an application that ends while it is read", set: func(p *fakeApp) { p.items = hangUp{} },
		check: func(t *testing.T, _ *fakeApp, _ *Tree, err error) {
			if !errors.Is(err, ErrGone) {
				t.Errorf("%v, want gone", err)
			}
		},
	},
}

func TestCaches(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	for _, h := range caches {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			h.run(t, d)
		})
	}
}

// TestItemsTruncated cuts a real answer at every length: a decoder that is not
// careful reads past the end.
func TestItemsTruncated(t *testing.T) {
	t.Parallel()
	msg := wireMessage(t, wireItems(5))
	h, err := parseHead(msg)
	if err != nil {
		t.Fatal(err)
	}
	start := headSize + pad8(int(h.fields))
	for n := start; n < len(msg); n++ {
		r := landed(t, getItems, msg[:n])
		list, _, err := r.items(100)
		if err == nil || len(list) > 5 {
			t.Fatalf("cut to %d of %d bytes: %d items, %v", n, len(msg), len(list), err)
		}
	}
	r := landed(t, getItems, msg)
	if list, complete, err := r.items(100); err != nil || !complete || len(list) != 5 || list[4].name != "node 4" || list[4].index != 3 {
		t.Errorf("whole: %d items, %v", len(list), err)
	}
	if list, complete, err := landedItems(t, msg, 2); err != nil || complete || len(list) != 2 {
		t.Errorf("two of them: %d items, complete %v, %v", len(list), complete, err)
	}
}

func landedItems(t *testing.T, msg []byte, most int) ([]item, bool, error) {
	r := landed(t, getItems, msg)
	return r.items(most)
}

// FuzzItems decodes and builds from any bytes that claim to be a cache.
func FuzzItems(f *testing.F) {
	whole := wireMessage(f, wireItems(12))
	f.Add(whole)
	f.Add(wireMessage(f, []wireItem{}))
	broken := append([]byte{}, whole...)
	binary.LittleEndian.PutUint32(broken[len(broken)-8:], 1<<31)
	f.Add(broken)
	f.Fuzz(func(t *testing.T, msg []byte) {
		if len(msg) < headSize || msg[0] != 'l' && msg[0] != 'B' {
			return
		}
		h, err := parseHead(msg)
		if err != nil || int64(len(msg)) < headSize+int64(pad8(int(h.fields))) {
			return
		}
		fl := &flight{}
		r := fl.read(answer{head: h, msg: msg}, &request{ref: Ref{Bus: ":1.7", Path: rootPath}, method: getItems})
		list, _, err := r.items(10_000)
		if err == nil {
			build(t, list)
		}
	})
}

// FuzzBuild builds a tree from a cache in which anything may point anywhere.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{0, 255, 0, 2, 1, 0, 0, 0, 2, 0, 1, 0})
	f.Add([]byte{0, 0, 0, 1, 1, 1, 1, 1})
	f.Add([]byte{0, 1, 0, 1, 1, 0, 0, 1, 0, 255, 3, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []item
		for ; len(data) >= 4 && len(list) < 500; data = data[4:] {
			list = append(list, item{
				self: numbered(data[0]), parent: numbered(data[1]), index: int(int8(data[2])), count: int(int8(data[3])),
				name: string(data[:4]), role: Role(data[3]),
			})
		}
		build(t, list)
	})
}

func numbered(n byte) Ref {
	if n == 255 {
		return Ref{Bus: ":1.7", Path: rootPath}
	}
	return Ref{Bus: ":1.7", Path: dbus.ObjectPath("/n" + string('a'+rune(n%16)) + string('a'+rune(n/16)))}
}

// build puts the tree of a cache together without a bus: what would be asked is
// not answered.
func build(t *testing.T, list []item) {
	t.Helper()
	root := Ref{Bus: ":1.7", Path: rootPath}
	r := newReader(&Conn{}, App{Root: root, Toolkit: "GTK"}, Budget{Nodes: 300, Depth: 20}.orDefault(DefaultCall))
	r.take(list)
	var tops []Ref
	for i := range list {
		if list[i].parent == root || i == 0 {
			tops = append(tops, list[i].self)
		}
	}
	r.attach(-1, tops, 0, 0)
	tree := r.finish()
	wellFormed(t, tree)
	if len(tree.Nodes) > 300 {
		t.Fatalf("%d nodes", len(tree.Nodes))
	}
	for i := range tree.Nodes {
		tree.Nodes[i].Extents = &Rect{X: i, W: i % 7, H: 3}
	}
	if seen := tree.Visible(); len(seen) != len(tree.Nodes) {
		t.Fatalf("%d of %d nodes", len(seen), len(tree.Nodes))
	}
}
