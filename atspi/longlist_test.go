package atspi

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
			d.until("the middle of the list", 60*time.Second, func() bool {
				apps, err := d.conn.Apps(context.Background())
				if err != nil || len(apps) != 1 {
					return false
				}
				tree, err = d.conn.Read(context.Background(), apps[0], Budget{Children: 100})
				if err != nil || d.conn.Locate(context.Background(), tree, nil, Budget{}) != nil {
					return false
				}
				return nodeNamed(tree, middle) >= 0
			})
			list := tree.Nodes[nodeNamed(tree, middle)].Parent
			n := &tree.Nodes[list]
			if n.ChildCount < rows || len(n.Children) > 100 || tree.Cut == nil || tree.Cut.Why != CutNodes {
				t.Errorf("%v of %d children, %d of them read, cut %+v", n.Role, n.ChildCount, len(n.Children), tree.Cut)
			}
			seen, visible := tree.Visible(), 0
			for _, child := range n.Children {
				if strings.HasPrefix(tree.Nodes[child].Name, "Row") && !seen[child].Empty() {
					visible++
				}
			}
			if visible < 5 {
				t.Errorf("%d rows are seen", visible)
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
