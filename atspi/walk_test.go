package atspi

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// walked is one walk of one application by libatspi.
type walked struct {
	App   string
	MS    float64
	N     int
	Nodes [][4]any // depth, role, name, child count
}

// libatspi walks the desk's applications with libatspi.
func (d *desk) libatspi(rounds int) []walked {
	d.t.Helper()
	need.Tool(d.t, "python3-gi")
	need.Tool(d.t, "Atspi-2.0")
	script, err := filepath.Abs("testdata/walk.py")
	if err != nil {
		d.t.Fatal(err)
	}
	out := d.run(need.SystemPython, script, fmt.Sprint(rounds))
	var walks []walked
	for line := range strings.Lines(out) {
		var w walked
		if err := json.Unmarshal([]byte(line), &w); err != nil {
			d.t.Fatalf("%v in %q", err, line)
		}
		walks = append(walks, w)
	}
	return walks
}

// patient is a budget for a comparison that is not about time.
var patient = Budget{Time: time.Minute, Call: time.Minute}

// TestSameNodesAsLibatspi compares whole trees with what the toolkit's own
// client library sees, on both roads.
func TestSameNodesAsLibatspi(t *testing.T) {
	for _, p := range []program{gtk3Factory, gtk4Factory, mousepad, featherpad, firefox, chromium} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			app := d.launch(p)
			var theirs, bulk, piped []string
			// A program may still change: all three must agree in one of
			// a few rounds.
			deadline := time.Now().Add(patience)
			for {
				theirs = nil
				for _, w := range d.libatspi(1) {
					if w.App == app.Name {
						for _, n := range w.Nodes[1:] {
							theirs = append(theirs, fmt.Sprintf("%v %s", n[0].(float64)-1, n[1]))
						}
					}
				}
				bulk = outline(d.read(app, patient))
				tree, err := d.conn.read(t.Context(), app, patient, false)
				if err != nil {
					t.Fatal(err)
				}
				if piped = outline(tree); tree.App.family() == familyGTK4 {
					// GTK 4.8 lists the pages of a stack in its cache and
					// as an index, not as children.
					piped = append([]string{}, bulk...)
					if odd := pagesApart(d.read(app, patient), tree); odd != "" {
						piped = append(piped, odd)
					}
				}
				if slices.Equal(theirs, bulk) && slices.Equal(bulk, piped) || time.Now().After(deadline) {
					break
				}
			}
			diff(t, "bulk", theirs, bulk)
			diff(t, "pipelined", theirs, piped)
			t.Logf("%d nodes", len(bulk))
		})
	}
}

// pagesApart tells of what the cache has more of and one can see, "" for nothing.
func pagesApart(bulk, piped *Tree) string {
	has := map[Ref]bool{}
	for i := range piped.Nodes {
		has[piped.Nodes[i].Ref] = true
	}
	more := 0
	for i := range bulk.Nodes {
		n := &bulk.Nodes[i]
		if !has[n.Ref] {
			if more++; n.Interfaces.Has(IfaceComponent) {
				return fmt.Sprintf("only in the cache: %v %q", n.Role, n.Name+n.Class)
			}
		}
	}
	if len(bulk.Nodes)-more != len(piped.Nodes) {
		return fmt.Sprintf("%d in the cache, %d of them not by asking, %d by asking", len(bulk.Nodes), more, len(piped.Nodes))
	}
	return ""
}

// outline is a tree as depth and role, in document order.
func outline(tree *Tree) []string {
	var lines []string
	for i := range tree.Nodes {
		lines = append(lines, fmt.Sprintf("%d %s", tree.Nodes[i].Depth, tree.Nodes[i].Role))
	}
	return lines
}

func diff(t testing.TB, what string, want, got []string) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			from, to := max(0, i-5), i+5
			t.Errorf("%s: libatspi %d nodes, ours %d; at %d:\nlibatspi %q\nours     %q", what, len(want), len(got), i,
				want[min(from, len(want)):min(to, len(want))], got[min(from, len(got)):min(to, len(got))])
			return
		}
	}
}
