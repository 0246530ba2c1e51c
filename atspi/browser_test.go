package atspi

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestBrowserPages reads a page in each browser at two scales, checks that
// every control of it is there and that the password is nowhere, and clicks a
// button where the tree says it is: the page changes its title.
func TestBrowserPages(t *testing.T) {
	for _, c := range []struct {
		name string
		p    program
	}{
		{"firefox", firefox},
		{"firefoxx2", scaled(firefox, "GDK_SCALE=2")},
		{"chromium", chromium},
		{"chromiumx2", scaled(chromium, "CHROMIUM_SCALE=2")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			app := d.launch(c.p)
			r := &rig{desk: d}
			var l located
			button := -1
			d.until("the page in place", browserPatience, func() bool {
				// The window may have its title only when the page has come.
				for _, w := range d.windows() {
					if strings.HasPrefix(w.Title, "Small page") && w.Geometry.X < 51 {
						d.run("xdotool", "windowmove", w.id, "51", "33")
					}
				}
				l = r.locate()
				button = l.named("Press me")
				page := l.named("Small page")
				return button >= 0 && !l.place(button).Empty() && page >= 0 && !l.seen[page].Empty() && l.Nodes[l.Roots[0]].Extents.X > 0
			})
			if app.Toolkit != "Gecko" && app.Toolkit != "Chromium" {
				t.Errorf("toolkit %q", app.Toolkit)
			}
			// A browser may still be putting the page together.
			var odd []string
			for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
				if odd = r.page(r.locate()); len(odd) == 0 || time.Now().After(deadline) {
					break
				}
			}
			for _, o := range odd {
				t.Error(o)
			}
			at := l.place(button)
			w := l.shapes[l.surface(button)].Geometry
			if at.X < w.X || at.Y < w.Y+80 || at.X+at.W > w.X+w.W || at.Y+at.H > w.Y+w.H || at.W < 40 {
				t.Errorf("the button is at %v in a window at %v", at, w)
			}
			pressed := time.Time{}
			d.until("the title the button gives", patience, func() bool {
				if time.Since(pressed) > repress {
					r.press(at)
					pressed = time.Now()
				}
				for _, w := range d.windows() {
					if strings.HasPrefix(w.Title, "clicked") {
						return true
					}
				}
				return false
			})
		})
	}
}

// scaled is a program that draws twice as large.
func scaled(p program, env string) program {
	return program{p.name, func(t testing.TB, d *desk) {
		d.more = append(d.more, env)
		p.start(t, d)
	}}
}

// page tells what is odd about the page's nodes.
func (r *rig) page(l located) (odd []string) {
	r.t.Helper()
	if err := r.conn.Detail(r.ctx(), l.Tree, shown(l.Tree), WantActions|WantText|WantValue, patient); err != nil {
		return []string{err.Error()}
	}
	say := func(format string, args ...any) { odd = append(odd, fmt.Sprintf(format, args...)) }
	roles := map[Role]int{}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if n.Text != nil && strings.Contains(*n.Text, "hunter2") || strings.Contains(n.Name+n.Description, "hunter2") {
			r.t.Errorf("the password is in %v %q", n.Role, n.Name)
		}
		if l.seen[i].Empty() {
			continue
		}
		roles[n.Role]++
		switch n.Name {
		case "Range":
			if n.Value == nil || n.Value.Now != 3 || n.Value.Max != 10 {
				say("the range: %+v", n.Value)
			}
		case "Tick":
			if !n.States.Has(StateChecked) {
				say("the tick: %v", n.States.Names())
			}
		case "Name":
			if n.Role == RoleEntry && (n.Text == nil || *n.Text != "abc") {
				say("the field: %+v", n.Text)
			}
		case "Secret":
			if n.Role == RolePasswordText && (n.Text != nil || n.TextLen != 7) {
				say("the password field: %+v, %d", n.Text, n.TextLen)
			}
		}
	}
	for role, least := range map[Role]int{
		RoleHeading: 1, RoleLink: 1, RoleEntry: 1, RolePasswordText: 1, RoleComboBox: 1, RoleCheckBox: 1, RoleSlider: 1,
		RoleListItem: 2, RoleTableCell: 2, RoleDocumentWeb: 1,
	} {
		if roles[role] < least {
			say("%d of %v are seen", roles[role], role)
		}
	}
	return odd
}
