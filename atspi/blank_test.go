package atspi

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// blankBrowser is a fake Firefox with one page in a panel.
func blankBrowser(p *fakeApp) {
	p.put(rootPath, "/org/w")
	p.put("/org/w", "/org/panel")
	p.put("/org/panel", "/org/page")
	page := p.put("/org/page", "/org/button")
	page.role, page.extents = uint32(RoleDocumentWeb), nowhere
	p.put("/org/button").extents = nowhere
}

// nowhere is what Firefox answers for bounds it does not have.
var nowhere = struct{ X, Y, W, H int32 }{-1, -1, -1, -1}

// TestBoundsThatComeLater reads a page whose bounds are there only after they
// were asked for, and one whose bounds never are.
func TestBoundsThatComeLater(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	asked := 0
	later := newFakeApp(t, d, func(p *fakeApp) {
		blankBrowser(p)
		p.slow = func(member string) {
			if member != "GetExtents" {
				return
			}
			if asked++; asked == 6 {
				p.mu.Lock()
				for _, path := range []dbus.ObjectPath{"/org/page", "/org/button"} {
					p.nodes[path].extents = struct{ X, Y, W, H int32 }{3, 4, 5, 6}
				}
				p.mu.Unlock()
			}
		}
	})
	never := newFakeApp(t, d, blankBrowser)
	for _, c := range []struct {
		p    *fakeApp
		seen bool
	}{{later, true}, {never, false}} {
		app := c.p.app()
		app.Toolkit = "Gecko"
		for round := range 3 {
			tree, err := d.conn.Read(context.Background(), app, Budget{})
			if err != nil {
				t.Fatal(err)
			}
			before := c.p.count("GetExtents")
			if err := d.conn.Locate(context.Background(), tree, nil, patient); err != nil {
				t.Fatal(err)
			}
			seen := tree.Visible()
			if got := !seen[2].Empty() && !seen[3].Empty(); got != c.seen {
				t.Errorf("round %d: the page is seen: %v, want %v", round, got, c.seen)
			}
			// Who waits asks a page anew time and again.
			if asked := c.p.count("GetExtents") - before; round > 0 && asked > 2*len(tree.Nodes) {
				t.Errorf("round %d: waited again, asked %d times", round, asked)
			}
		}
	}
}

// TestFirstLookAtAPage is the first to ask a fresh Firefox for bounds, and gets
// them.
func TestFirstLookAtAPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	firefox.start(t, d)
	r := &rig{desk: d}
	d.until("the page's node", browserPatience, func() bool {
		for _, w := range d.windows() {
			if strings.HasPrefix(w.Title, "Small page") {
				app, ok := d.app("Firefox")
				if !ok {
					return false
				}
				tree := d.read(app, Budget{})
				return located{Tree: tree}.named("Press me") >= 0
			}
		}
		return false
	})
	// A look that waited as long as it may has done its part: a machine may be too
	// busy to have the bounds by then.
	var l located
	button, start := -1, time.Time{}
	d.until("the button's place, at the first look that did not wait in vain", patience, func() bool {
		start = time.Now()
		l = r.locate()
		button = l.named("Press me")
		return button >= 0 && !l.place(button).Empty() || time.Since(start) < blankWait
	})
	if button < 0 || l.place(button).Empty() {
		t.Errorf("node %d is nowhere after %v", button, time.Since(start))
	}
}
