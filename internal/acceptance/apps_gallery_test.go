package acceptance

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// gallery is a toolkit's own window of everything it has.
type gallery struct {
	*Caller
	win    Window
	before Left
}

// openGallery opens a gallery and checks what holds for both.
func openGallery(t *testing.T, app string, most int, sees map[Control]int) gallery {
	t.Helper()
	w := NewWorld(t)
	g := gallery{Caller: w.Default(), before: w.Count()}
	g.win = g.Open(app)
	g.Whole(g.win, sees)
	if words := g.Words("snapshot", g.win.Handle); len(words) > most {
		t.Errorf("%s takes %d bytes to tell, more than %d", app, len(words), most)
	}
	g.SameCensus(g.win)
	g.Picture(g.win)
	return g
}

// stopped stops the gallery and counts what is left.
func (g gallery) stopped() {
	g.t.Helper()
	g.Stop(g.win.Handle)
	g.w.Clean(g.t, g.before)
}

// pick gives the first node of a role and name that is as is says.
func (g gallery) pick(role, name string, is func(Node) bool) Node {
	g.t.Helper()
	s := g.Snapshot(g.win.Handle)
	for _, n := range s.All(role, name) {
		if is(n) {
			return n
		}
	}
	g.t.Fatalf("no %s %q as wanted in\n%s", role, name, s)
	return Node{}
}

// is waits until a node has a state, or has it no more.
func (g gallery) is(ref, state string, want bool) {
	g.t.Helper()
	Eventually(g.t, fmt.Sprintf("%s is %s: %v", ref, state, want), func() bool { return g.Get(g.win.Handle, ref).Is(state) == want })
}

// shortDiff looks at what a diff tells of a check box that changed unobserved:
// its line, and little else. A gallery has things that move by themselves, which
// a diff tells as well: one of a few looks meets none.
func (g gallery) shortDiff(box Node) {
	g.t.Helper()
	var words string
	for range 5 {
		g.Words("snapshot", g.win.Handle)
		g.Act("click", g.win.Handle, box.Ref, "--point", "--no-observe")
		Eventually(g.t, "the check box's line", func() bool {
			words = g.Words("snapshot", g.win.Handle, "--diff")
			return strings.Contains(words, box.Ref)
		})
		g.Act("click", g.win.Handle, box.Ref, "--point")
		if len(words) < 300 {
			return
		}
	}
	g.t.Errorf("the diff after one check box has %d bytes:\n%s", len(words), words)
}

// useful is a node a person could use.
func useful(n Node) bool { return n.Is("enabled") && n.Bounds != nil }

// written replaces the text of a field and reads it back three ways.
func (g gallery) written(field Node, text string) {
	g.t.Helper()
	a := g.Act("type", g.win.Handle, field.Ref, text, "--replace")
	if a.Did.By != "tree" || !True(a.Verified) {
		g.t.Errorf("type: %+v", a)
	}
	Eventually(g.t, "the field has "+text, func() bool { return g.Get(g.win.Handle, field.Ref).Says() == text })
	said := false
	for _, n := range g.w.Walk(g.t, g.win) {
		said = said || slices.Contains(n.Interfaces, "EditableText")
	}
	if !said {
		g.t.Error("the system's library finds no field at all")
	}
	if !strings.Contains(g.Words("snapshot", g.win.Handle, "--find", text), text) {
		g.t.Errorf("snapshot --find does not find %q", text)
	}
}

// clickedAt clicks the middle of a node with the pointer.
func (g gallery) clickedAt(n Node) {
	g.t.Helper()
	x, y := n.Bounds.Middle()
	a := g.Act("click", g.win.Handle, "--at", fmt.Sprintf("%d,%d", x, y))
	if a.Did.By != "point" || a.Did.At == nil || a.Did.At.X != x || a.Did.At.Y != y {
		g.t.Errorf("click --at %d,%d: %+v", x, y, a.Did)
	}
}

// has42 waits until a spin button has its number.
func (g gallery) has42(spin Node) {
	g.t.Helper()
	Eventually(g.t, "the spin button has 42", func() bool {
		v := g.Get(g.win.Handle, spin.Ref).Value
		return v != nil && v.Now == 42
	})
}

// scrolled turns the wheel over a long text and sees it move.
func (g gallery) scrolled(long Node) {
	g.t.Helper()
	_, above := g.Screenshot(g.win.Handle, "--ref", long.Ref)
	if above.Bounds().Size() != image.Pt(long.Bounds.W, long.Bounds.H) {
		g.t.Errorf("the picture of %v is %v", *long.Bounds, above.Bounds())
	}
	g.Act("scroll", g.win.Handle, "down", "--by", "5", long.Ref)
	Eventually(g.t, "the text scrolled", func() bool {
		_, below := g.Screenshot(g.win.Handle, "--ref", long.Ref)
		return !Same(above, below)
	})
}

// lorem is a long text that a person can scroll.
func lorem(n Node) bool { return strings.HasPrefix(n.Says(), "Lorem ipsum") }

func TestGTK3Gallery(t *testing.T) {
	t.Parallel()
	need.WidgetFactory3(t)
	g := openGallery(t, "gtk3-widget-factory", 8<<10, map[Control]int{
		{"push button", "Minimize"}: 1, {"push button", "Maximize"}: 1, {"push button", "Close"}: 1, {"toggle button", "Menu"}: 1,
		{"radio button", "Page 1"}: 1, {"radio button", "Page 2"}: 1, {"radio button", "Page 3"}: 1,
		{"text", ""}: 6, {"combo box", "Left"}: 1, {"combo box", "Middle"}: 1, {"combo box", "Right"}: 1,
		{"label", "label"}: 2, {"spin button", ""}: 2, {"check box", "checkbutton"}: 6, {"radio button", "radiobutton"}: 6,
		{"toggle button", "togglebutton"}: 4, {"toggle button", ""}: 2, {"push button", "Sans Regular"}: 1,
		{"push button", "(None)"}: 1, {"push button", "link button"}: 1, {"progress bar", ""}: 5, {"level bar", ""}: 2,
		{"slider", ""}: 5, {"panel", "Inset"}: 1, {"panel", "Outset"}: 1, {"panel", "Groove"}: 1, {"panel", "Ridge"}: 1,
		{"table column header", "Cool"}: 1, {"table column header", "Nick"}: 1,
		{"table cell", "Andrea"}: 1, {"table cell", "Cimi"}: 1, {"table cell", "Benjamin"}: 1, {"table cell", "Company"}: 1,
		{"page tab", "page 1"}: 4, {"page tab", "page 2"}: 4, {"page tab", "page 3"}: 4,
	})
	h := g.win.Handle

	box := g.pick("check box", "checkbutton", func(n Node) bool { return useful(n) && n.Is("checked") })
	if a := g.Act("click", h, box.Ref); a.Did.By != "tree" || a.Did.Role != "check box" || a.Did.Name != "checkbutton" || a.Did.Action != "click" {
		t.Errorf("click: %+v", a.Did)
	}
	g.is(box.Ref, "checked", false)
	g.clickedAt(box)
	g.is(box.Ref, "checked", true)
	g.shortDiff(box)
	g.Told(g.Act("click", h, g.pick("toggle button", "togglebutton", useful).Ref), h, "togglebutton")
	g.Act("set", h, box.Ref, "--uncheck")
	g.is(box.Ref, "checked", false)

	off := g.pick("check box", "checkbutton", func(n Node) bool { return !n.Is("enabled") })
	g.Refused("disabled", "click", h, off.Ref)

	g.written(g.pick("text", "", func(n Node) bool { return useful(n) && n.Says() == "entry" }), "anders")
	spin := g.pick("spin button", "", useful)
	g.Act("set", h, spin.Ref, "--value", "42")
	g.has42(spin)
	tab := g.pick("page tab", "page 2", useful)
	g.Act("click", h, tab.Ref, "--point")
	g.is(tab.Ref, "selected", true)
	g.scrolled(g.pick("text", "", lorem))

	var found Found
	g.OK(&found, "find", h, "--role", "toggle button", "--name", "/^toggle/")
	if len(found.Nodes) != 4 {
		t.Errorf("find has %d toggle buttons", len(found.Nodes))
	}
	g.Act("click", h, g.pick("radio button", "Page 2", useful).Ref)
	g.OK(nil, "wait", h, "--role", "radio button", "--name", "Page 2", "--timeout", "60s")
	Eventually(t, "page 1 is not shown", func() bool { return len(g.Snapshot(h).All("check box", "checkbutton")) == 0 })
	g.Refused("timeout", "wait", h, "--text", "never to be seen", "--timeout", "300ms")
	g.stopped()
}

func TestGTK4Gallery(t *testing.T) {
	t.Parallel()
	need.WidgetFactory4(t)
	g := openGallery(t, "gtk4-widget-factory", 16<<10, map[Control]int{
		{"push button", "Minimize"}: 1, {"push button", "Maximize"}: 1, {"push button", "Close"}: 1,
		{"label", "Page 1"}: 1, {"label", "Page 2"}: 1, {"label", "Page 3"}: 1,
		{"text", ""}: 6, {"password text", ""}: 1, {"label", "label"}: 2, {"spin button", ""}: 2,
		{"check box", "checkbutton"}: 6, {"check box", "radiobutton"}: 6, {"push button", "togglebutton"}: 4,
		{"check box", ""}: 2, {"label", "Sans Regular"}: 1, {"link", "link button"}: 1,
		{"progress bar", ""}: 5, {"level bar", ""}: 2, {"slider", ""}: 6,
		{"label", "Large Title"}: 1, {"label", "Title 1"}: 1, {"label", "Caption"}: 1,
		{"label", "Cool"}: 1, {"label", "Icon"}: 1, {"label", "Name"}: 1, {"label", "Nick"}: 1,
		{"label", "Sunset"}: 1, {"label", "NYC"}: 1, {"label", "Beach"}: 1,
		{"label", "page 1"}: 3, {"label", "page 2"}: 3, {"label", "page 3"}: 3, {"page tab", "Tab"}: 12,
	})
	h := g.win.Handle

	// GTK 4.8 gives a check box no action: only the pointer can press it.
	box := g.pick("check box", "checkbutton", func(n Node) bool { return useful(n) && n.Is("checked") })
	no := g.Refused("no_action", "click", h, box.Ref)
	if !strings.Contains(no.Hint, "--point") {
		t.Errorf("the way out is %q", no.Hint)
	}
	g.Act("click", h, box.Ref, "--point")
	g.is(box.Ref, "checked", false)
	g.clickedAt(box)
	g.is(box.Ref, "checked", true)
	g.shortDiff(box)

	button := g.pick("push button", "togglebutton", func(n Node) bool { return useful(n) && !n.Is("pressed") })
	clicked := g.Act("click", h, button.Ref)
	if clicked.Did.By != "tree" || clicked.Did.Action != "click" {
		t.Errorf("click: %+v", clicked.Did)
	}
	g.Told(clicked, h, "togglebutton")
	g.is(button.Ref, "pressed", true)
	for _, off := range []Node{
		g.pick("push button", "togglebutton", func(n Node) bool { return !n.Is("enabled") }),
		g.pick("text", "", func(n Node) bool { return !n.Is("enabled") && n.Says() == "comboboxentry" }),
	} {
		g.Refused("disabled", "click", h, off.Ref)
	}

	g.written(g.pick("text", "", func(n Node) bool { return useful(n) && n.Says() == "entry" }), "anders 你好 😀")
	spin := g.pick("spin button", "", useful)
	g.Act("set", h, spin.Ref, "--value", "42")
	g.has42(spin)
	g.scrolled(g.pick("text", "", lorem))
	g.Act("key", h, "Tab")
	g.Act("click", h, g.pick("page tab", "Page _2", useful).Ref)
	Eventually(t, "page 1 is not shown", func() bool { return len(g.Snapshot(h).All("check box", "checkbutton")) == 0 })
	g.stopped()
}
