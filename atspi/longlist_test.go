package atspi

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// TestLongLists reads lists of 200,000 rows that are scrolled to the middle: a
// part of them, in no time, and it is the part that is seen.
func TestLongLists(t *testing.T) {
	const rows = 200_000
	for kind, tools := range map[string]func(testing.TB) string{"gtk3": need.GTK3, "qt5": need.Qt} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			tools(t)
			d := newDesk(t)
			script, err := filepath.Abs("testdata/longlist.py")
			if err != nil {
				t.Fatal(err)
			}
			d.start(nil, need.SystemPython, script, kind, fmt.Sprint(rows))
			var tree *Tree
			middle := fmt.Sprintf("Row %d", rows/2)
			visible := 0
			d.until("the middle of the list, and some rows of it seen", patience, func() bool {
				apps, err := d.conn.Apps(context.Background())
				if err != nil || len(apps) != 1 {
					return false
				}
				b := patient
				b.Children = 100
				tree, err = d.conn.Read(context.Background(), apps[0], b)
				if err != nil || d.conn.Locate(context.Background(), tree, nil, patient) != nil || nodeNamed(tree, middle) < 0 {
					return false
				}
				visible = 0
				seen := tree.Visible()
				for _, child := range tree.Nodes[tree.Nodes[nodeNamed(tree, middle)].Parent].Children {
					if strings.HasPrefix(tree.Nodes[child].Name, "Row") && !seen[child].Empty() {
						visible++
					}
				}
				return visible >= 5
			})
			list := tree.Nodes[nodeNamed(tree, middle)].Parent
			n := &tree.Nodes[list]
			if n.ChildCount < rows || len(n.Children) > 100 || tree.Cut == nil || tree.Cut.Why != CutNodes {
				t.Errorf("%v of %d children, %d of them read, cut %+v", n.Role, n.ChildCount, len(n.Children), tree.Cut)
			}
			t.Logf("%d nodes, %d rows seen, %d calls, %v", len(tree.Nodes), visible, tree.Calls, tree.Took)
			if first := tree.Nodes[n.Children[0]].Index; first < rows/2-200 || first > rows/2 {
				t.Errorf("the first row that was read has the place %d", first)
			}
		})
	}
}

// nodeNamed finds a node by name.
func nodeNamed(tree *Tree, name string) int {
	for i := range tree.Nodes {
		if tree.Nodes[i].Name == name {
			return i
		}
	}
	return -1
}
