package atspi

import (
	"slices"
	"testing"
)

// surfaceTree is a tree of one top level with those extents.
func surfaceTree(toolkit string, extents Rect) *Tree {
	return &Tree{App: App{Toolkit: toolkit}, Roots: []int{0}, Nodes: []Node{{Parent: -1, Extents: &extents, Interfaces: IfaceComponent, Role: RoleFrame}}}
}

// TestPlace holds what was measured on real windows; the pixel of the last
// column was looked up in a picture of the window.
func TestPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, toolkit string
		top, x        Rect
		node, want    Rect
		exact         bool
	}{
		{"gtk3", "gtk", Rect{201, 302, 1366, 741}, Rect{201, 302, 1366, 741}, Rect{206, 307, 1356, 46}, Rect{206, 307, 1356, 46}, true},
		{"gtk3 at scale 2, at an odd place", "gtk", Rect{100, 151, 1367, 741}, Rect{201, 302, 2732, 1482}, Rect{105, 156, 1356, 46}, Rect{211, 312, 2712, 92}, true},
		{"gtk3 that has not heard of its move", "gtk", Rect{0, 0, 640, 480}, Rect{33, 44, 640, 480}, Rect{0, 0, 39, 25}, Rect{33, 44, 39, 25}, true},
		{"gtk4", "GTK", Rect{0, 0, 1666, 868}, Rect{150, 250, 1676, 878}, Rect{524, 61, 96, 24}, Rect{679, 316, 96, 24}, true},
		{"gtk4 at scale 2", "GTK", Rect{0, 0, 1332, 744}, Rect{150, 250, 2684, 1508}, Rect{10, 56, 100, 10}, Rect{180, 372, 200, 20}, true},
		{"gtk4 without a border", "GTK", Rect{0, 0, 760, 600}, Rect{37, 61, 760, 600}, Rect{6, 6, 10, 10}, Rect{43, 67, 10, 10}, true},
		{"qt", "Qt", Rect{77, 88, 700, 500}, Rect{77, 88, 700, 500}, Rect{77, 110, 700, 40}, Rect{77, 110, 700, 40}, true},
		{"qt at scale 2, at an odd place", "Qt", Rect{39, 44, 700, 500}, Rect{77, 88, 1400, 1000}, Rect{43, 70, 33, 32}, Rect{85, 140, 66, 64}, true},
		{"firefox at scale 2", "Gecko", Rect{50, 30, 864, 540}, Rect{100, 60, 1728, 1080}, Rect{84, 30, 796, 44}, Rect{168, 60, 1592, 88}, true},
		{"chromium at scale 2", "Chromium", Rect{70, 3, 940, 580}, Rect{140, 6, 1880, 1160}, Rect{185, 44, 746, 44}, Rect{370, 88, 1492, 88}, true},
		{"chromium at scale 1.5", "Chromium", Rect{0, 0, 800, 600}, Rect{0, 0, 1200, 900}, Rect{10, 10, 3, 3}, Rect{15, 15, 5, 5}, true},
		{"in the middle of a resize", "gtk", Rect{10, 10, 640, 480}, Rect{10, 10, 900, 500}, Rect{20, 20, 5, 5}, Rect{20, 20, 5, 5}, false},
		{"gtk4 in the middle of a resize", "GTK", Rect{0, 0, 640, 480}, Rect{10, 10, 1100, 490}, Rect{20, 20, 5, 5}, Rect{260, 35, 5, 5}, false},
		{"a window that is nowhere", "gtk", Rect{}, Rect{10, 10, 900, 500}, Rect{20, 20, 5, 5}, Rect{30, 30, 5, 5}, false},
		{"nothing stays nothing", "gtk", Rect{10, 10, 640, 480}, Rect{10, 10, 640, 480}, Rect{20, 20, 0, 5}, Rect{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			place := surfaceTree(c.toolkit, c.top).Place(0, c.x)
			if got := place.Rect(c.node); got != c.want || place.Exact != c.exact {
				t.Errorf("%+v: %v, want %v", place, got, c.want)
			}
		})
	}
}

// popoverTree is a GTK 4 window with a button and an open popover on it.
func popoverTree(button, popover, content Rect) *Tree {
	return &Tree{App: App{Toolkit: "GTK"}, Roots: []int{0}, Nodes: []Node{
		{Parent: -1, Children: []int{1}, Extents: &Rect{0, 0, 1666, 868}, Interfaces: IfaceComponent, Role: RoleWindow},
		{Parent: 0, Depth: 1, Children: []int{2}, Extents: &button, Interfaces: IfaceComponent, Role: RolePushButton},
		{Parent: 1, Depth: 2, Children: []int{3}, Extents: &popover, Interfaces: IfaceComponent, Role: RoleMenu, Class: "GtkPopoverMenu"},
		{Parent: 2, Depth: 3, Extents: &content, Interfaces: IfaceComponent, Class: "GtkPopoverContent"},
	}}
}

func TestPlacePopover(t *testing.T) {
	t.Parallel()
	menu := popoverTree(Rect{1498, 5, 36, 34}, Rect{1498, 5, 241, 287}, Rect{1507, 25, 223, 257})
	list := popoverTree(Rect{507, 232, 130, 34}, Rect{507, 238, 136, 138}, Rect{516, 246, 118, 120})
	for _, c := range []struct {
		name          string
		tree          *Tree
		window        Rect
		item, want    Rect
		popupIsPlaced bool
	}{
		{"a menu", menu, Rect{1551, 292, 241, 287}, Rect{1519, 25, 199, 30}, Rect{1572, 312, 199, 30}, true},
		{"a list", list, Rect{659, 519, 136, 144}, Rect{525, 246, 100, 30}, Rect{677, 533, 100, 30}, true},
		{"a menu at scale 2", menu, Rect{1551, 292, 482, 574}, Rect{1519, 25, 199, 30}, Rect{1593, 332, 398, 60}, true},
		{"a window of another popover", menu, Rect{0, 0, 300, 300}, Rect{1519, 25, 199, 30}, Rect{21, 20, 199, 30}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			place := c.tree.Place(2, c.window)
			if got := place.Rect(c.item); got != c.want || place.Exact != c.popupIsPlaced {
				t.Errorf("%+v: %v, want %v", place, got, c.want)
			}
			found := c.tree.Match([]Surface{{Geometry: Rect{150, 250, 1676, 878}, Title: "x"}, {Geometry: c.window, Popup: true}})
			want := []int{0, 2}
			if !c.popupIsPlaced {
				want[1] = -1
			}
			if !slices.Equal(found, want) {
				t.Errorf("matched %v, want %v", found, want)
			}
			seen := c.tree.Visible()
			if seen[2] != *c.tree.Nodes[2].Extents || seen[3] != *c.tree.Nodes[3].Extents {
				t.Errorf("seen %v: a popover is not clipped by what it hangs on", seen)
			}
		})
	}
}

func TestMatchWindows(t *testing.T) {
	t.Parallel()
	top := func(name string, r Rect) Node {
		return Node{Parent: -1, Name: name, Extents: &r, Role: RoleFrame, Interfaces: IfaceComponent}
	}
	for _, c := range []struct {
		name     string
		toolkit  string
		nodes    []Node
		surfaces []Surface
		want     []int
	}{
		{
			"by title, though one is smaller", "gtk",
			[]Node{top("Main", Rect{0, 0, 640, 480}), top("Dialog", Rect{50, 50, 200, 100})},
			[]Surface{{Rect{50, 50, 200, 100}, "Dialog", false}, {Rect{0, 0, 640, 480}, "Main", false}},
			[]int{1, 0},
		},
		{
			"one title, told apart by place", "Qt",
			[]Node{top("Doc", Rect{0, 0, 640, 480}), top("Doc", Rect{300, 0, 640, 480})},
			[]Surface{{Rect{300, 0, 640, 480}, "Doc", false}, {Rect{0, 0, 640, 480}, "Doc", false}},
			[]int{1, 0},
		},
		{
			"a top level without a name", "gtk",
			[]Node{top("", Rect{20, 20, 1366, 741})},
			[]Surface{{Rect{20, 20, 1366, 741}, "gtk3-widget-factory", false}},
			[]int{0},
		},
		{
			"a window that has no node", "gtk",
			[]Node{top("Main", Rect{0, 0, 640, 480})},
			[]Surface{{Rect{0, 0, 640, 480}, "Main", false}, {Rect{5, 5, 20, 900}, "Splash", false}},
			[]int{0, -1},
		},
		{
			"a window that has just been resized", "GTK",
			[]Node{top("Main", Rect{0, 0, 640, 480})},
			[]Surface{{Rect{0, 0, 2000, 1000}, "Main", false}},
			[]int{0},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree := &Tree{App: App{Toolkit: c.toolkit}, Nodes: c.nodes}
			for i := range c.nodes {
				tree.Roots = append(tree.Roots, i)
			}
			if got := tree.Match(c.surfaces); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
