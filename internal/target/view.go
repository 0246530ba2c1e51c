package target

import (
	"strings"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// The bounds of a view: what a reader that pays by the token is given at once.
const (
	viewBytes = 48 << 10
	viewDepth = 12
	viewNodes = 2000
	// listHead is how many items of one long list are shown before the rest
	// is a count.
	listHead = 60
)

// viewWant is what a reader asked to see of a reading.
type viewWant struct {
	all      bool
	root     *item
	depth    int
	maxNodes int
	text     string // contained in name or text, letter case aside
	role     string
	part     *int
}

// row is one line of a view.
type row struct {
	*item
	up    *row
	depth int
	more  int
	kids  []*row
	// match is whether a filter chose the row itself and not only a row below.
	match bool
}

// view is the rows of a reading that are shown, in order, and what was cut.
type view struct {
	rows []*row
	cut  string // "", nodes, depth, bytes
	// from is the nearest listed row above what was cut.
	from *row
}

// lay folds a reading into the rows a reader gets: wrappers that say nothing
// are left out and their children lifted, long lists are cut with a count.
func lay(roots []*item, want viewWant) view {
	l := layer{want: want, depth: want.depth}
	if l.depth <= 0 {
		l.depth = viewDepth
		if want.all {
			l.depth = 64
		}
	}
	if want.root != nil {
		roots = []*item{want.root}
	}
	top := &row{}
	for _, r := range roots {
		l.fold(r, top, "")
	}
	if l.filtering() {
		top.kids = keepMatches(top.kids)
	} else if !want.all {
		cutLists(top)
	}
	return l.flatten(top)
}

// layer is one layout in progress.
type layer struct {
	want  viewWant
	depth int
	deep  *row
}

// filtering says whether a filter chooses rows.
func (l *layer) filtering() bool { return l.want.text != "" || l.want.role != "" }

// fold puts it, or what it holds, under up.
func (l *layer) fold(it *item, up *row, said string) {
	at := up
	if l.listed(it, said) && (l.want.all || l.matches(it) || !up.repeats(it)) {
		at = &row{item: it, up: up, depth: up.depth + 1, match: l.matches(it)}
		up.kids = append(up.kids, at)
		said = it.name
	}
	for _, kid := range it.kids {
		l.fold(kid, at, said)
	}
	if at != up && !l.want.all && !l.filtering() && it != l.want.root {
		up.unwrap(at)
	}
}

// speakers are the roles whose words are told whole, by name or by text.
var speakers = map[atspi.Role]bool{
	atspi.RoleParagraph: true, atspi.RoleLabel: true, atspi.RoleSection: true, atspi.RoleListItem: true,
	atspi.RolePushButton: true, atspi.RoleToggleButton: true, atspi.RoleLink: true, atspi.RoleHeading: true,
	atspi.RoleTableCell: true, atspi.RoleBlockQuote: true, atspi.RoleCaption: true, atspi.RoleCheckBox: true,
	atspi.RoleRadioButton: true, atspi.RoleMenuItem: true, atspi.RolePageTab: true,
}

// repeats says whether an element is but a piece of what the row says:
// Chromium makes every run of words in a paragraph an element of its own.
func (r *row) repeats(it *item) bool {
	if it.role != atspi.RoleStatic || r.item == nil || !speakers[r.role] {
		return false
	}
	words := strings.TrimSpace(it.name)
	return strings.Contains(r.name, words) || (r.text != nil && strings.Contains(*r.text, words))
}

// unwrap puts the rows below the last of r's in its place when that is but a
// wrapper, and drops the menu of a closed combo box, which holds none.
func (r *row) unwrap(last *row) {
	switch {
	case len(last.kids) == 0:
		if last.role == atspi.RoleMenu && last.name == "" && r.item != nil && r.role == atspi.RoleComboBox {
			r.kids = r.kids[:len(r.kids)-1]
		}
	case last.wrapper(last.kids):
		r.kids = append(r.kids[:len(r.kids)-1], last.kids...)
		for _, kid := range last.kids {
			kid.lift(r)
		}
	}
}

// lift hangs a row, and what is below it, one level higher.
func (r *row) lift(up *row) {
	r.up, r.depth = up, up.depth+1
	for _, kid := range r.kids {
		kid.lift(r)
	}
}

// listed says whether an element gets a row. One that is not seen gets none,
// and what is below it may: the page of a notebook without tabs has no place of
// its own, and holds the whole document.
func (l *layer) listed(it *item, said string) bool {
	switch {
	case l.want.part != nil && it.part != *l.want.part:
		return false // what is in it may be in that window: a popup's node hangs on what opened it
	case l.want.all || it == l.want.root:
		return true
	case !it.seen && (it.parent != nil || it.name == ""):
		return false // a window with a name may be on its way
	}
	return it.worth(said) || l.matches(it)
}

// matches says whether a filter chooses the element.
func (l *layer) matches(it *item) bool {
	if !l.filtering() {
		return false
	}
	if l.want.role != "" && it.role.String() != l.want.role {
		return false
	}
	return l.want.text == "" || it.says(l.want.text)
}

// says looks for words in an element's name, text and description, letter case
// aside.
func (it *item) says(words string) bool {
	words = strings.ToLower(words)
	for _, s := range []string{it.name, it.description, it.hint} {
		if strings.Contains(strings.ToLower(s), words) {
			return true
		}
	}
	return it.text != nil && strings.Contains(strings.ToLower(*it.text), words)
}

// keepMatches drops the rows that neither match nor lead to one that does.
func keepMatches(rows []*row) []*row {
	var kept []*row
	for _, r := range rows {
		r.kids = keepMatches(r.kids)
		if r.match || len(r.kids) > 0 {
			kept = append(kept, r)
		}
	}
	return kept
}

// cutLists shortens runs of items of one role to their head, and the chosen
// and focused ones wherever they are: those are what a reader looks for.
func cutLists(up *row) {
	for _, kid := range up.kids {
		cutLists(kid)
	}
	if up.item == nil || len(up.kids) <= listHead || !longList(up) {
		return
	}
	kept := up.kids[:0:0]
	for i, kid := range up.kids {
		if i < listHead || kid.has.Has(atspi.StateSelected) || kid.has.Has(atspi.StateFocused) {
			kept = append(kept, kid)
		}
	}
	up.more += len(up.kids) - len(kept)
	up.kids = kept
}

// items are the roles of which a list is a long one of the same kind.
var items = map[atspi.Role]bool{
	atspi.RoleListItem: true, atspi.RoleTableCell: true, atspi.RoleTreeItem: true,
	atspi.RoleTableRow: true, atspi.RoleMenuItem: true, atspi.RoleIcon: true, atspi.RoleLabel: true,
}

// longList says whether most of a row's children are items of a list.
func longList(up *row) bool {
	n := 0
	for _, kid := range up.kids {
		if items[kid.role] {
			n++
		}
	}
	return n*4 >= len(up.kids)*3
}

// flatten puts the rows in reading order within the bounds of nodes and bytes.
func (l *layer) flatten(top *row) view {
	v := view{}
	limit := l.want.maxNodes
	if limit <= 0 {
		limit = viewNodes
	}
	bytes := 0
	var walk func(r *row) bool
	walk = func(r *row) bool {
		for _, kid := range r.kids {
			if len(v.rows) >= limit {
				v.cut, v.from = "nodes", r
				return false
			}
			if kid.depth > l.depth && !l.filtering() {
				if l.deep == nil {
					l.deep = r
				}
				break
			}
			n := kid.node()
			n.Ref = "@e1000"
			bytes += len(n.Line()) + 2*kid.depth
			if bytes > viewBytes && len(v.rows) > 0 {
				v.cut, v.from = "bytes", r
				return false
			}
			v.rows = append(v.rows, kid)
			if !walk(kid) {
				return false
			}
		}
		return true
	}
	walk(top)
	if v.cut == "" && l.deep != nil {
		v.cut, v.from = "depth", l.deep
	}
	if v.from != nil && v.from.item == nil {
		v.from = nil
	}
	return v
}

// nodes gives the view's rows as an answer shows them; tell gives each its ref.
func (v view) nodes(tell func(*item) api.Ref) []api.Node {
	nodes := make([]api.Node, 0, len(v.rows))
	refOf := make(map[*row]api.Ref, len(v.rows))
	for _, r := range v.rows {
		n := r.node()
		n.Ref = tell(r.item)
		n.Depth = r.depth - 1
		n.More = r.more
		refOf[r] = n.Ref
		if up, ok := refOf[r.up]; ok {
			n.Parent = &up
		}
		nodes = append(nodes, n)
	}
	return nodes
}
