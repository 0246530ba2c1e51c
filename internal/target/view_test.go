package target

import (
	"fmt"
	"strings"
	"testing"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// leaf makes an item a person can see.
func leaf(role atspi.Role, name string, kids ...*item) *item {
	it := &item{
		id: atspi.Ref{Bus: ":1.1", Path: "/x"}, role: role, name: name, seen: true, bounds: &api.Rect{W: 1, H: 1},
		states: []string{"enabled", "showing"}, has: atspi.StateEnabled | atspi.StateShowing, kids: kids,
	}
	for _, k := range kids {
		k.parent = it
	}
	return it
}

// outline prints a view: indentation, role and name a row.
func outline(v view) string {
	var b strings.Builder
	for _, r := range v.rows {
		fmt.Fprintf(&b, "%s%s %q", strings.Repeat(" ", r.depth-1), r.role, r.name)
		if r.more > 0 {
			fmt.Fprintf(&b, " +%d", r.more)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLayFolds(t *testing.T) {
	t.Parallel()
	hidden := leaf(atspi.RolePushButton, "Hidden")
	hidden.seen, hidden.bounds = false, nil
	tree := leaf(atspi.RoleFrame, "Main",
		leaf(atspi.RoleFiller, "",
			leaf(atspi.RolePanel, "",
				leaf(atspi.RolePushButton, "OK", leaf(atspi.RoleLabel, "OK")),
				hidden)),
		leaf(atspi.RoleFiller, "", leaf(atspi.RoleImage, "")),
		leaf(atspi.RoleSeparator, ""),
		leaf(atspi.RoleLabel, "Ready"))
	tests := []struct {
		name string
		want viewWant
		out  string
	}{
		{"default", viewWant{}, "frame \"Main\"\n push button \"OK\"\n label \"Ready\"\n"},
		{"all", viewWant{all: true}, `frame "Main"
 filler ""
  panel ""
   push button "OK"
    label "OK"
   push button "Hidden"
 filler ""
  image ""
 separator ""
 label "Ready"
`},
		{"root", viewWant{root: tree.kids[0].kids[0].kids[0]}, "push button \"OK\"\n"},
		{"find keeps what leads there", viewWant{text: "ok"}, "frame \"Main\"\n push button \"OK\"\n  label \"OK\"\n"},
		{"role", viewWant{role: "label"}, "frame \"Main\"\n push button \"OK\"\n  label \"OK\"\n label \"Ready\"\n"},
		{"nothing found", viewWant{text: "nowhere"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := outline(lay([]*item{tree}, tt.want)); got != tt.out {
				t.Errorf("got:\n%swant:\n%s", got, tt.out)
			}
		})
	}
}

func TestLayCuts(t *testing.T) {
	t.Parallel()
	var rows []*item
	for i := range 200 {
		it := leaf(atspi.RoleListItem, fmt.Sprintf("row %d", i))
		if i == 150 {
			it.has |= atspi.StateSelected
		}
		rows = append(rows, it)
	}
	long := leaf(atspi.RoleFrame, "Main", leaf(atspi.RoleList, "Long", rows...))
	v := lay([]*item{long}, viewWant{})
	if len(v.rows) != 2+listHead+1 {
		t.Errorf("a long list shows %d rows, want its head and the selected one", len(v.rows)-2)
	}
	if v.rows[1].more != 200-listHead-1 {
		t.Errorf("the list says %d more, want %d", v.rows[1].more, 200-listHead-1)
	}
	if v := lay([]*item{long}, viewWant{all: true, maxNodes: 50}); v.cut != "nodes" || len(v.rows) != 50 || v.from != v.rows[1] {
		t.Errorf("cut by nodes: %q after %d rows from %v", v.cut, len(v.rows), v.from)
	}
	deep := leaf(atspi.RolePushButton, "bottom")
	for range 20 {
		deep = leaf(atspi.RolePushButton, "x", deep)
		deep.kids[0].name = fmt.Sprintf("%p", deep)
	}
	if v := lay([]*item{deep}, viewWant{}); v.cut != "depth" || len(v.rows) != viewDepth {
		t.Errorf("cut by depth: %q after %d rows", v.cut, len(v.rows))
	}
	var wide []*item
	for i := range 5000 {
		wide = append(wide, leaf(atspi.RolePushButton, fmt.Sprintf("a button with a long name, number %d", i)))
	}
	v = lay([]*item{leaf(atspi.RoleFrame, "Main", wide...)}, viewWant{maxNodes: 10_000})
	bytes := 0
	for _, n := range v.nodes(func(*item) api.Ref { return "@e1000" }) {
		bytes += len(n.Line()) + 2*n.Depth
	}
	if v.cut != "bytes" || bytes > viewBytes {
		t.Errorf("cut by bytes: %q at %d bytes", v.cut, bytes)
	}
}

func TestNodesNameTheirParents(t *testing.T) {
	t.Parallel()
	tree := leaf(atspi.RoleFrame, "Main", leaf(atspi.RoleFiller, "", leaf(atspi.RolePushButton, "OK")))
	next := 0
	nodes := lay([]*item{tree}, viewWant{}).nodes(func(*item) api.Ref {
		next++
		return api.Ref(fmt.Sprintf("@e%d", next))
	})
	if len(nodes) != 2 || nodes[0].Parent != nil || nodes[1].Parent == nil || *nodes[1].Parent != "@e1" || nodes[1].Depth != 1 {
		t.Errorf("got %+v", nodes)
	}
}

// TestLayUnwraps: what only holds others is left out although the keyboard can
// reach it, and what a reader needs of it stays.
func TestLayUnwraps(t *testing.T) {
	t.Parallel()
	reached := func(it *item) *item {
		it.has |= atspi.StateFocusable
		return it
	}
	tests := []struct {
		name string
		in   *item
		out  string
	}{
		{"scroll pane", reached(leaf(atspi.RoleScrollPane, "", leaf(atspi.RoleText, ""))), " text \"\"\n"},
		{"scroll pane in a scroll pane", reached(leaf(atspi.RoleScrollPane, "", reached(leaf(atspi.RoleFiller, "", leaf(atspi.RoleText, ""))))), " text \"\"\n"},
		{"canvas", reached(leaf(atspi.RolePanel, "")), " panel \"\"\n"},
		{"named panel", leaf(atspi.RolePanel, "Fonts", leaf(atspi.RoleText, "")), " panel \"Fonts\"\n  text \"\"\n"},
		{"notebook without tabs", leaf(atspi.RolePageTabList, "", leaf(atspi.RoleText, "")), " text \"\"\n"},
		{"notebook", leaf(atspi.RolePageTabList, "", leaf(atspi.RolePageTab, "A")), " page tab list \"\"\n  page tab \"A\"\n"},
		{"menu button", leaf(atspi.RolePushButton, "", reached(leaf(atspi.RolePushButton, ""))), " push button \"\"\n"},
		{"label around a control", leaf(atspi.RoleLabel, "Gift", leaf(atspi.RoleCheckBox, "Gift")), " check box \"Gift\"\n"},
		{"label with more", leaf(atspi.RoleLabel, "Size S", leaf(atspi.RoleComboBox, "Size")), " label \"Size S\"\n  combo box \"Size\"\n"},
		{"closed combo box", leaf(atspi.RoleComboBox, "Size", leaf(atspi.RoleMenu, "")), " combo box \"Size\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := lay([]*item{leaf(atspi.RoleFrame, "Main", tt.in)}, viewWant{})
			if got, want := outline(v), "frame \"Main\"\n"+tt.out; got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
			for _, r := range v.rows {
				if r.up.item != nil && r.depth != r.up.depth+1 {
					t.Errorf("%s is at %d below one at %d", r.role, r.depth, r.up.depth)
				}
			}
		})
	}
}

// TestLayReadsParagraphs: a page's words have no name. They have a row until
// it is known that they say nothing.
func TestLayReadsParagraphs(t *testing.T) {
	t.Parallel()
	says := func(role atspi.Role, text string, kids ...*item) *item {
		it := leaf(role, "", kids...)
		it.ifaces = atspi.IfaceText
		if text != "unread" {
			it.detailed, it.text = true, &text
		}
		return it
	}
	tree := leaf(atspi.RoleDocumentWeb, "Page",
		says(atspi.RoleParagraph, "Words"), says(atspi.RoleSection, " "), says(atspi.RoleSection, "unread"),
		leaf(atspi.RolePushButton, "Send", says(atspi.RoleSection, "Send")))
	const want = "document web \"Page\"\n paragraph \"\"\n section \"\"\n push button \"Send\"\n"
	if got := outline(lay([]*item{tree}, viewWant{})); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestLayRepeatsNothing: the runs of words that a browser makes of a paragraph
// are in the paragraph's own line, and a window that holds nothing is none.
func TestLayRepeatsNothing(t *testing.T) {
	t.Parallel()
	text := "Plain words with bold."
	p := leaf(atspi.RoleParagraph, "", leaf(atspi.RoleStatic, "Plain words with"), leaf(atspi.RoleStatic, "bold"), leaf(atspi.RoleLink, "bold"))
	p.detailed, p.text = true, &text
	page := leaf(atspi.RoleDocumentWeb, "Order form", leaf(atspi.RoleStatic, "form"), p)
	empty := leaf(atspi.RoleFrame, "", leaf(atspi.RolePanel, ""))
	empty.seen, empty.bounds, empty.kids[0].seen = false, nil, false
	coming := leaf(atspi.RoleDialog, "Save?", leaf(atspi.RolePushButton, "Yes"))
	coming.seen, coming.bounds, coming.kids[0].seen = false, nil, false
	const want = "document web \"Order form\"\n static \"form\"\n paragraph \"\"\n  link \"bold\"\ndialog \"Save?\"\n"
	if got := outline(lay([]*item{page, empty, coming}, viewWant{})); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}
