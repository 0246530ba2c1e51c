package gui

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// pressed collects what the pointer can press below an object, and by which
// thing the keyboard does the same; nil is a thing it does not reach.
func pressed(o fyne.CanvasObject, by fyne.Focusable, found map[fyne.CanvasObject]fyne.Focusable) {
	if o == nil || !o.Visible() {
		return
	}
	if d, ok := o.(fyne.Disableable); ok && d.Disabled() {
		return
	}
	if f, ok := o.(fyne.Focusable); ok && by == nil {
		by = f
	}
	if _, ok := o.(fyne.Tappable); ok {
		found[o] = by
	}
	var inside []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		inside = o.Objects
	case fyne.Widget:
		inside = test.WidgetRenderer(o).Objects()
	}
	for _, c := range inside {
		pressed(c, by, found)
	}
}

// TestWalkByTab: on each screen Tab comes by everything that the pointer can
// press and back to the first, and each shows that the keyboard is on it, in
// the part of a page that is seen.
func TestWalkByTab(t *testing.T) {
	u := newTestUI(t, state.English)
	u.apps = []api.AppInfo{{App: "xterm", Name: "XTerm"}, {App: "gimp", Name: "GNU Image Manipulation Program", Needs: []string{"gimp"}}, {App: "mousepad", Name: "Mousepad"}}
	few := u.apps
	many := few // more than fit
	for i := range 30 {
		many = append(many, api.AppInfo{App: fmt.Sprint("app", i), Name: fmt.Sprint("Application ", i)})
	}
	u.sessions = []api.SessionInfo{{Label: api.DefaultSession}, {Label: "alice", Holds: []api.Handle{"w1"}}}
	u.groups = []api.GroupInfo{{Group: "research", Members: []api.SessionID{"alice"}}}
	u.window.Resize(fyne.NewSize(960, 640))
	c := u.window.Canvas()
	looked := map[string]bool{}
	for _, s := range screens(t) {
		if u.apps = few; s.name == "launcher" {
			u.apps = many
		}
		u.rebuild()
		u.rail.update(shownWindows(), true, nil)
		u.home.update()
		s.show(u)
		var top fyne.CanvasObject = c.Content()
		if o := c.Overlays().Top(); o != nil {
			top = o
		}
		for _, layer := range []fyne.CanvasObject{c.Content(), top} {
			for _, o := range test.LaidOutObjects(layer) {
				if r, ok := o.(*canvas.Raster); ok { // there is no picture
					r.Generator = func(w, h int) image.Image { return image.NewGray(image.Rect(0, 0, w, h)) }
				}
			}
		}
		found := map[fyne.CanvasObject]fyne.Focusable{}
		pressed(top, nil, found)
		walked := map[fyne.Focusable]bool{}
		for c.Unfocus(); ; {
			c.FocusNext()
			u.reveal()
			f := c.Focused()
			if f == nil || walked[f] {
				break
			}
			walked[f] = true
			o := f.(fyne.CanvasObject)
			if why := unseen(top, o); why != "" {
				t.Errorf("%s: Tab comes to %s, %s", s.name, named(o), why)
			}
			if _, menu := f.(*widget.PopUpMenu); menu {
				continue // it has the keyboard alone
			}
			if k := kind(o); !looked[k] {
				looked[k] = true
				with := c.Capture()
				c.Unfocus()
				if !marked(with, c.Capture(), o) {
					t.Errorf("%s: %s does not show that the keyboard is on it", s.name, named(o))
				}
				c.Focus(f)
			}
		}
		for o, f := range found {
			if _, own := o.(interface{ Content() fyne.CanvasObject }); own || o == top || strings.Contains(fmt.Sprintf("%T", o), "scrollBar") {
				continue // a press beside a dialog, and what arrow keys and Tab do instead
			}
			if f == nil || !walked[f] {
				t.Errorf("%s: Tab does not come to %s", s.name, named(o))
			}
		}
		if len(walked) == 0 {
			t.Errorf("%s: Tab comes to nothing", s.name)
		}
		for _, o := range c.Overlays().List() {
			c.Overlays().Remove(o)
		}
		u.asks = nil
	}
}

// unseen says why a thing with the keyboard is not in sight, or "".
func unseen(top, o fyne.CanvasObject) string {
	d := fyne.CurrentApp().Driver()
	at, size := d.AbsolutePositionForObject(o), o.Size()
	around, ok := scrolls(top, o)
	if !ok {
		return "which is nowhere on the screen"
	}
	clip := area{b: fyne.NewPos(960, 640)}
	for _, s := range around {
		from := d.AbsolutePositionForObject(s)
		clip = clip.and(area{a: from, b: from.AddXY(s.Size().Width, s.Size().Height)})
	}
	if at.X < clip.a.X-slack || at.Y < clip.a.Y-slack || at.X+size.Width > clip.b.X+slack || at.Y+size.Height > clip.b.Y+slack {
		return fmt.Sprintf("at %v, %v, of which %v–%v is seen", at, size, clip.a, clip.b)
	}
	return ""
}

// kind tells things apart that show the keyboard in ways of their own.
func kind(o fyne.CanvasObject) string {
	switch o := o.(type) {
	case *widget.Button:
		return fmt.Sprint("button ", o.Importance)
	case *button:
		return fmt.Sprint("button ", o.Importance)
	case *tappable:
		return fmt.Sprint("tappable ", o.plain, o.chosen)
	case *liveView:
		return fmt.Sprint("live view ", o.driving)
	}
	return fmt.Sprintf("%T", o)
}

// named is an object's kind and words.
func named(o fyne.CanvasObject) string { return fmt.Sprintf("%T %.60q", o, texts(o)) }

// marked says whether two pictures differ where a thing is, or close around it.
func marked(a, b image.Image, o fyne.CanvasObject) bool {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	above := 3
	if v, ok := o.(*liveView); ok && v.driving {
		above = 60 // it is said in the bar
	}
	n := 0
	for y := int(at.Y) - above; y < int(at.Y+o.Size().Height)+3; y++ {
		for x := int(at.X) - 3; x < int(at.X+o.Size().Width)+3; x++ {
			if image.Pt(x, y).In(a.Bounds()) && a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n >= 30
}
