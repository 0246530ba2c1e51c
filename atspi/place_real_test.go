package atspi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// window is a top level of the display.
type window struct {
	id string
	Surface
}

var (
	topLine  = regexp.MustCompile(`^ {5}(0x[0-9a-f]+) (?:"(.*)"|\(has no name\)): \(.*?\)  (\d+)x(\d+)\+.*  \+(-?\d+)\+(-?\d+)$`)
	mapState = "Map State: IsViewable"
	override = "Override Redirect State: yes"
)

// windows lists the display's viewable top levels of some size.
func (d *desk) windows() []window {
	d.t.Helper()
	need.Tool(d.t, "xwininfo")
	var found []window
	for line := range strings.Lines(d.run("xwininfo", "-root", "-tree")) {
		m := topLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		about, err := d.try("xwininfo", "-id", m[1], "-all")
		if err != nil || !strings.Contains(about, mapState) {
			continue // gone meanwhile, or not mapped
		}
		n := func(i int) int { v, _ := strconv.Atoi(m[i]); return v }
		w := window{id: m[1], Surface: Surface{Geometry: Rect{X: n(5), Y: n(6), W: n(3), H: n(4)}, Title: m[2], Popup: strings.Contains(about, override)}}
		if w.Geometry.W > 10 && w.Geometry.H > 10 && w.Geometry.X+w.Geometry.W > 0 {
			found = append(found, w)
		}
	}
	return found
}

// located is a tree with its places on the screen.
type located struct {
	*Tree
	seen   []Rect
	places []Transform // of each surface
	tops   []int
	shapes []window
}

// locate reads the one application of the desk, located, with its windows
// matched.
func (r *rig) locate() located {
	r.t.Helper()
	apps, err := r.conn.Apps(r.ctx())
	if err != nil || len(apps) != 1 {
		r.t.Fatalf("%d applications, %v", len(apps), err)
	}
	tree := r.read(apps[0], Budget{})
	if err := r.conn.Locate(r.ctx(), tree, nil, Budget{}); err != nil {
		r.t.Fatal(err)
	}
	l := located{Tree: tree, seen: tree.Visible(), shapes: r.windows()}
	surfaces := make([]Surface, len(l.shapes))
	for i, w := range l.shapes {
		surfaces[i] = w.Surface
	}
	l.tops = tree.Match(surfaces)
	for i, top := range l.tops {
		if top < 0 {
			l.places = append(l.places, Transform{})
			continue
		}
		l.places = append(l.places, tree.Place(top, surfaces[i].Geometry))
	}
	return l
}

// surface is the index of the surface a node is drawn on.
func (l located) surface(node int) int {
	for ; node >= 0; node = l.Nodes[node].Parent {
		if i := slices.Index(l.tops, node); i >= 0 {
			return i
		}
	}
	return -1
}

// place is where a node's visible part is on the screen.
func (l located) place(node int) Rect {
	i := l.surface(node)
	if i < 0 {
		return Rect{}
	}
	return l.places[i].Rect(l.seen[node])
}

// named finds the control of that name; what is inside a control and carries
// its name is none.
func (l located) named(name string) int {
	for i := range l.Nodes {
		if l.Nodes[i].Name == name && !slices.Contains(inner, l.Nodes[i].Role) {
			return i
		}
	}
	for i := range l.Nodes { // a list whose rows are labels
		if l.Nodes[i].Name == name {
			return i
		}
	}
	return -1
}

// press clicks the middle of a rectangle with the pointer.
func (r *rig) press(at Rect) {
	r.t.Helper()
	need.Tool(r.t, "xdotool")
	r.run("xdotool", "mousemove", fmt.Sprint(at.X+at.W/2), fmt.Sprint(at.Y+at.H/2), "click", "1")
}

// pressed clicks where the tree says a control is, and waits until the program
// itself says that this control was hit.
func (r *rig) pressed(name, event string) {
	r.t.Helper()
	var at Rect
	r.until("place of "+name, patience, func() bool {
		l := r.locate()
		node := l.named(name)
		if node < 0 {
			return false
		}
		at = l.place(node)
		return !at.Empty()
	})
	r.press(at)
	r.journal.Wait(r.t, fixtures.Of(event, name), patience)
}

// TestBoundsArePixels clicks controls of each toolkit where the tree says they
// are, with the window away from the corner, at scale 1 and 2, and asks the
// program which control it was.
func TestBoundsArePixels(t *testing.T) {
	for _, kind := range toolkits {
		for _, scale := range []string{"1", "2"} {
			t.Run(kind+"x"+scale, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, kind, "--at", "37,61", "--scale", scale)
				for _, name := range []string{"Alpha", "Beta", "Gamma", "Target", "Victim", "Once", "Row 1", "Inside Page One", "Add Toasts"} {
					r.pressed(name, "click")
				}
				for _, name := range []string{"Toggle", "Check", "Radio Two"} {
					r.pressed(name, "toggle")
				}
				r.insideWindow()
			})
		}
	}
}

// insideWindow checks that everything seen lies in its window.
func (r *rig) insideWindow() {
	r.t.Helper()
	l := r.locate()
	shown := 0
	for i := range l.Nodes {
		s := l.surface(i)
		if l.seen[i].Empty() || s < 0 {
			continue
		}
		shown++
		at, w := l.place(i), l.shapes[s].Geometry
		if at.X < w.X-1 || at.Y < w.Y-1 || at.X+at.W > w.X+w.W+1 || at.Y+at.H > w.Y+w.H+1 {
			r.t.Errorf("%v %q at %v is outside its window %v", l.Nodes[i].Role, l.Nodes[i].Name, at, w)
		}
	}
	if shown < 30 {
		r.t.Errorf("only %d of %d nodes are seen", shown, len(l.Nodes))
	}
}

// visible reports whether a control is seen.
func (l located) visible(name string) bool {
	node := l.named(name)
	return node >= 0 && !l.seen[node].Empty()
}

// TestWhatIsSeen switches pages and scrolls: what is on another page or out of
// the scrolled part is not seen, though GTK 4 says it is in the same place.
func TestWhatIsSeen(t *testing.T) {
	for _, kind := range toolkits {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, kind)
			seen := func(step string, want map[string]bool) {
				t.Helper()
				var wrong []string
				deadline := time.Now().Add(patience)
				for {
					l := r.locate()
					wrong = nil
					for name, is := range want {
						if l.visible(name) != is {
							wrong = append(wrong, fmt.Sprintf("%q seen: %v", name, !is))
						}
					}
					if len(wrong) == 0 {
						return
					}
					if time.Now().After(deadline) {
						t.Fatalf("%s: %v", step, wrong)
					}
					time.Sleep(50 * time.Millisecond)
				}
			}
			first := map[string]bool{
				"Inside Page One": true, "Inside Page Two": false, "Inside Page Three": false,
				"Row 1": true, "Row 30": false, "Below": false, "Disabled": true, "Save As": false, "Alpha": true,
			}
			seen("at first", first)
			r.pressTab("Page Two")
			seen("on page two", map[string]bool{"Inside Page One": false, "Inside Page Two": true, "Inside Page Three": false, "Alpha": true})
			r.pressTab("Page One")
			seen("back on page one", first)
		})
	}
}

// pressTab changes the page with the pointer.
func (r *rig) pressTab(name string) {
	r.t.Helper()
	l := r.locate()
	for i := range l.Nodes {
		if l.Nodes[i].Name == name && l.Nodes[i].Role == RolePageTab && !l.seen[i].Empty() {
			r.press(l.place(i))
			r.journal.Wait(r.t, fixtures.Of("select", "Tabs"), patience)
			return
		}
	}
	for i := range l.Nodes { // GTK 3: the label of the tab
		if l.Nodes[i].Name == name && !l.seen[i].Empty() {
			r.press(l.place(i))
			r.journal.Wait(r.t, fixtures.Of("select", "Tabs"), patience)
			return
		}
	}
	r.t.Fatalf("no tab %q is seen", name)
}

// TestMenusArePlaced opens a menu with the pointer and clicks an item, which
// lies in a window of its own, partly outside the main window.
func TestMenusArePlaced(t *testing.T) {
	for _, kind := range toolkits {
		for _, scale := range []string{"1", "2"} {
			t.Run(kind+"x"+scale, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, kind, "--at", "41,77", "--scale", scale)
				l := r.locate()
				r.press(l.place(l.menu(t, "File")))
				r.pressed("Save As", "click")
			})
		}
	}
}

// TestDialogsArePlaced opens a dialog, a second window of the same process, and
// clicks in it and then in the main window.
func TestDialogsArePlaced(t *testing.T) {
	for _, kind := range toolkits {
		for _, scale := range []string{"1", "2"} {
			t.Run(kind+"x"+scale, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, kind, "--at", "141,277", "--scale", scale)
				r.pressed("Open Dialog", "click")
				r.until("the dialog's node on its window", patience, func() bool {
					l := r.locate()
					at := l.named("Inside Dialog")
					s := l.surface(at)
					return s >= 0 && l.shapes[s].Title == "Dialog" && l.places[s].Exact
				})
				r.pressed("Inside Dialog", "click")
				r.insideWindow()
				l := r.locate()
				if s := l.surface(l.named("Alpha")); s < 0 || l.shapes[s].Title != "Fixture "+map[string]string{"gtk3": "GTK3", "gtk4": "GTK4", "qt5": "Qt5"}[kind] {
					t.Errorf("the main window's node is on surface %d of %+v", s, l.shapes)
				}
			})
		}
	}
}

// menu finds the entry of a menu bar.
func (l located) menu(t *testing.T, name string) int {
	t.Helper()
	for i := range l.Nodes {
		if n := &l.Nodes[i]; n.Name == name && !l.seen[i].Empty() {
			return i
		}
	}
	t.Fatalf("no menu %q is seen", name)
	return -1
}
