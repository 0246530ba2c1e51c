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
	tree := ""
	d.until("the list of windows", patience, func() (ok bool) {
		// A window that ends while the list is made ends the program that makes it.
		var err error
		tree, err = d.try("xwininfo", "-root", "-tree")
		return err == nil
	})
	for line := range strings.Lines(tree) {
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
	if err := r.conn.Locate(r.ctx(), tree, nil, patient); err != nil {
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

// repress is how long a press may take to be seen before it is done again: a window
// that is on its way to its place is not where it was a moment ago.
const repress = 10 * time.Second

// pressed clicks where the tree says a control is, and waits until the program
// itself says that this control was hit.
func (r *rig) pressed(name, event string) {
	r.t.Helper()
	r.pressedAt(event+" of "+name, fixtures.Of(event, name), func() Rect {
		l := r.locate()
		node := l.named(name)
		if node < 0 {
			return Rect{}
		}
		return l.place(node)
	})
}

// pressedAt clicks where find says, and waits until the program saw it.
func (r *rig) pressedAt(what string, seen func(fixtures.Event) bool, find func() Rect) {
	r.t.Helper()
	var last time.Time
	before := len(r.journal.Since())
	r.until(what, patience, func() bool {
		if slices.ContainsFunc(r.journal.Since()[before:], seen) {
			return true
		}
		if time.Since(last) > repress {
			if at := find(); !at.Empty() {
				r.press(at)
				last = time.Now()
			}
		}
		return false
	})
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

// insideWindow checks that everything seen lies in its window, once the window has
// its size.
func (r *rig) insideWindow() {
	r.t.Helper()
	wrong := ""
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if wrong = r.outside(); wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			r.t.Error(wrong)
			return
		}
	}
}

// outside tells of something seen that is not in its window, "" for nothing.
func (r *rig) outside() string {
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
			return fmt.Sprintf("%v %q at %v is outside its window %v", l.Nodes[i].Role, l.Nodes[i].Name, at, w)
		}
	}
	if shown < 30 {
		return fmt.Sprintf("only %d of %d nodes are seen", shown, len(l.Nodes))
	}
	return ""
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
	r.pressedAt("tab "+name, fixtures.Of("select", "Tabs"), func() Rect {
		l := r.locate()
		seen := func(tab bool) int {
			return slices.IndexFunc(everyNode(l.Tree), func(i int) bool {
				return l.Nodes[i].Name == name && (!tab || l.Nodes[i].Role == RolePageTab) && !l.seen[i].Empty()
			})
		}
		node := seen(true)
		if node < 0 { // GTK 3: the label of the tab
			node = seen(false)
		}
		if node < 0 {
			return Rect{}
		}
		return l.place(node)
	})
}

// TestMenusArePlaced opens a menu with the pointer and clicks an item, which
// lies in a window of its own, partly outside the main window.
func TestMenusArePlaced(t *testing.T) {
	for _, kind := range toolkits {
		for _, scale := range []string{"1", "2"} {
			t.Run(kind+"x"+scale, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, kind, "--at", "41,77", "--scale", scale)
				r.opened("File", "Save As")
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
				r.until("the main window's node on its window", patience, func() bool {
					l := r.locate()
					s := l.surface(l.named("Alpha"))
					return s >= 0 && l.shapes[s].Title == "Fixture "+map[string]string{"gtk3": "GTK3", "gtk4": "GTK4", "qt5": "Qt5"}[kind]
				})
			})
		}
	}
}

// opened opens a menu of the menu bar with the pointer, and waits until an item of
// it is seen.
func (r *rig) opened(menu, item string) {
	r.t.Helper()
	var last time.Time
	r.until("the menu "+menu, patience, func() bool {
		l := r.locate()
		if l.visible(item) {
			return true
		}
		at := slices.IndexFunc(everyNode(l.Tree), func(i int) bool { return l.Nodes[i].Name == menu && !l.seen[i].Empty() })
		if at >= 0 && time.Since(last) > repress && !l.place(at).Empty() {
			r.press(l.place(at))
			last = time.Now()
		}
		return false
	})
}
