package atspi

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"
)

// rounds is how often a cost is measured. Three tell a quarter from a half; a
// figure that is quoted takes eleven.
var rounds = flag.Int("rounds", 3, "how often TestSnapshotCost measures")

// shown is the numbers of the nodes that are seen.
func shown(t *Tree) []int {
	var nodes []int
	for i, part := range t.Visible() {
		if !part.Empty() {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// snapshot is what a snapshot costs this package: the structure, where the
// nodes are, and the details of those that are seen.
func (d *desk) snapshot(app App) (tree *Tree, read, locate, detail time.Duration) {
	d.t.Helper()
	ctx := context.Background()
	start := time.Now()
	tree = d.read(app, Budget{})
	read = time.Since(start)
	if err := d.conn.Locate(ctx, tree, nil, patient); err != nil {
		d.t.Fatal(err)
	}
	locate = time.Since(start) - read
	if err := d.conn.Detail(ctx, tree, shown(tree), WantActions|WantText|WantValue, patient); err != nil {
		d.t.Fatal(err)
	}
	return tree, read, locate, time.Since(start) - read - locate
}

// TestSnapshotCost measures a whole snapshot beside a libatspi walk of the same
// application, in turn. What it holds the large tree to is what the time comes from: a
// walk waits for an answer several times a node, this for a few in all.
func TestSnapshotCost(t *testing.T) {
	for _, p := range []program{gtk4Factory, gtk3Factory, mousepad, featherpad, firefox, chromium} {
		t.Run(p.name, func(t *testing.T) {
			d := newDesk(t)
			app := d.launch(p)
			var ours, theirs, reads, locates, details []time.Duration
			var tree *Tree
			for range *rounds {
				for _, w := range d.libatspi(1) {
					if w.App == app.Name {
						theirs = append(theirs, time.Duration(w.MS*float64(time.Millisecond)))
					}
				}
				var read, locate, detail time.Duration
				tree, read, locate, detail = d.snapshot(app)
				ours = append(ours, read+locate+detail)
				reads, locates, details = append(reads, read), append(locates, locate), append(details, detail)
			}
			o, l := median(ours), median(theirs)
			t.Logf("%d nodes, %d seen: ours %v (read %v, locate %v, detail %v; %d calls, %d round trips), libatspi %v, %.1f times",
				len(tree.Nodes), len(shown(tree)), o.Round(100*time.Microsecond), median(reads).Round(100*time.Microsecond),
				median(locates).Round(100*time.Microsecond), median(details).Round(100*time.Microsecond),
				tree.Calls, tree.RoundTrips, l.Round(100*time.Microsecond), float64(l)/float64(o))
			if p.name == gtk4Factory.name && 4*tree.RoundTrips > len(tree.Nodes) {
				t.Errorf("%d round trips for %d nodes", tree.RoundTrips, len(tree.Nodes))
			}
		})
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
