package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"

	"vibespace/internal/api"
)

// item is an element on its way to a reader.
type item struct {
	fr      *frameReading
	backend cdp.BackendNodeID
	at      int // its place in the frame's shape, -1 for none
	role    string
	name    string
	print   string // what tells that it has become another one
	made    bool
	states  []string
	text    *string
	value   *api.Value
	desc    string
	holder  string // placeholder
	actions []string
	more    int
	kids    []*item
	rect    [4]float64 // where it is, for one that was read without layout
}

// key is the item's identity.
func (it *item) key() key { return key{it.fr.f.id, it.fr.at.loader, it.backend} }

// has says whether the item has a state.
func (it *item) has(state string) bool { return slices.Contains(it.states, state) }

// builder makes items of a reading.
type builder struct {
	p      *Page
	r      *reading
	labels map[key]bool // elements that do nothing but name a field
	seen   map[key]*item
	count  api.Census
	open   key // the list whose options are wanted
}

// findLabels notes which elements name others.
func (b *builder) findLabels(fr *frameReading) {
	for _, n := range fr.nodes {
		for i := range n.Properties {
			if n.Properties[i].Name != "labelledby" {
				continue
			}
			for _, by := range n.Properties[i].Related {
				b.labels[key{fr.f.id, fr.at.loader, by}] = true
			}
		}
	}
}

// frame makes the items of a document.
func (b *builder) frame(fr *frameReading) *item {
	if fr.root == nil {
		return nil
	}
	root := &item{fr: fr, backend: fr.root.Backend, at: -1, role: "document", print: documentPrint}
	if fr.shape != nil {
		if i, ok := fr.shape.at[root.backend]; ok {
			root.at = i
		}
	}
	root.name = fr.root.Name.text()
	root.states = []string{"enabled"}
	b.count.Nodes++
	for _, id := range fr.root.Children {
		b.walk(fr, id, root)
	}
	b.missed(fr, root)
	return root
}

// walk adds the item of a node, or those below it, to parent.
func (b *builder) walk(fr *frameReading, id string, parent *item) {
	n := fr.nodes[id]
	if n == nil {
		return
	}
	role := n.Role.text()
	if skipped[role] {
		return
	}
	b.count.Nodes++
	if n.Ignored {
		b.below(fr, n, parent)
		return
	}
	if role == "MenuListPopup" {
		parent.more += len(n.Children)
		if parent.key() == b.open {
			parent.more = 0
			b.below(fr, n, parent)
		}
		return
	}
	it := b.item(fr, n, role)
	if it.role == "text" {
		if strings.TrimSpace(it.name) == "" {
			return
		}
		parent.kids = append(parent.kids, it)
		return
	}
	parent.kids = append(parent.kids, it)
	if it.at >= 0 {
		b.seen[it.key()] = it
	}
	switch {
	case it.role == "iframe":
		b.inside(fr, it)
	case it.text == nil && !it.has("secret"):
		b.below(fr, n, it)
	case it.role == "combobox":
		b.below(fr, n, it)
		it.kids = withoutTexts(it.kids)
	}
	// What is in a field is its value.
}

// below adds what is below a node.
func (b *builder) below(fr *frameReading, n *axNode, parent *item) {
	for _, id := range n.Children {
		b.walk(fr, id, parent)
	}
}

// inside adds the document a frame element shows.
func (b *builder) inside(fr *frameReading, it *item) {
	for _, child := range b.r.frames {
		if child.at.parent != fr.f.id || child.f.ownerNode() != it.backend {
			continue
		}
		if child.root == nil {
			b.count.Unreadable++
			it.states = append(it.states, "unreadable")
			return
		}
		if doc := b.frame(child); doc != nil {
			it.kids = doc.kids
			if it.name == "" {
				it.name = doc.name
			}
		}
	}
}

// item makes the item of a node.
func (b *builder) item(fr *frameReading, n *axNode, role string) *item {
	it := &item{fr: fr, backend: n.Backend, at: -1, role: roleName(role), name: strings.Join(strings.Fields(n.Name.text()), " ")}
	if fr.shape != nil {
		if i, ok := fr.shape.at[n.Backend]; ok {
			it.at = i
		}
	}
	it.print = printOf(role, n.Name.text())
	// A form without a name is no landmark, and version 148 of the browser calls it
	// generic, as others do not: to who fills it in it is a form.
	if it.role == "generic" && it.at >= 0 && fr.shape.tag(it.at) == "form" {
		it.role = "form"
	}
	if it.role == "text" {
		it.states = []string{"enabled"}
		return it
	}
	it.desc = n.Desc.text()
	it.properties(n)
	b.field(it, n)
	if it.at >= 0 {
		it.looks(fr.shape)
	}
	if controls[it.role] && it.role != "iframe" {
		it.actions = []string{"click"}
		b.count.Action++
	}
	if (it.role == "generic" || it.role == "label") && it.at >= 0 {
		if state := it.heeds(fr.shape); state != "" {
			it.made = true
			it.name = fr.shape.textOf(it.at, maxPrint)
			it.print = printOf("listener", it.name)
			it.states = append(it.states, state)
			it.actions = []string{"click"}
		}
	}
	return it
}

// maxPrint is how much of an element's text is its name.
const maxPrint = 100

// printOf is what must be the same for an element to be the one that was told.
func printOf(role, name string) string { return role + "\x00" + name }

// documentPrint is that of a document: it is the same as long as it is there.
const documentPrint = "document"

// roleName is a role as ARIA names it.
func roleName(role string) string {
	if name, ok := roleNames[role]; ok {
		return name
	}
	if role != "" && role[0] >= 'A' && role[0] <= 'Z' {
		return strings.ToLower(role[:1]) + role[1:]
	}
	return role
}

// plainStates are properties that are states by their own name when true.
var plainStates = []string{"focusable", "focused", "required", "readonly", "multiselectable", "modal", "busy", "selected"}

// editableRoles are roles whose text can be written.
var editableRoles = map[string]bool{"textbox": true, "searchbox": true, "spinbutton": true, "combobox": true}

// properties takes an item's states from the accessibility tree.
func (it *item) properties(n *axNode) {
	add := func(s ...string) { it.states = append(it.states, s...) }
	if n.property("disabled") != "true" {
		add("enabled")
	}
	for _, name := range plainStates {
		if n.property(name) == "true" {
			add(name)
		}
	}
	add(twoWay(n.property("checked"), "checkable", "checked", "")...)
	collapsed := "collapsed"
	if it.role == "combobox" {
		collapsed = "" // so is nearly every one
	}
	add(twoWay(n.property("expanded"), "expandable", "expanded", collapsed)...)
	if v := n.property("pressed"); v == "true" || v == "mixed" {
		add("pressed")
	}
	if v := n.property("invalid"); v != "" && v != "false" {
		add("invalid")
	}
	if v := n.property("level"); v != "" && it.role == "heading" {
		add("level" + v)
	}
	if n.property("editable") != "" && editableRoles[it.role] {
		add("editable")
	}
	slices.Sort(it.states)
}

// twoWay are the states of a property that is there or not, and true or not.
func twoWay(is, able, on, off string) []string {
	switch {
	case is == "true":
		return []string{able, on}
	case is == "mixed":
		return []string{able, "mixed"}
	case is == "false" && off != "":
		return []string{able, off}
	case is == "false":
		return []string{able}
	}
	return nil
}

// field takes an item's value, unless it is a secret.
func (b *builder) field(it *item, n *axNode) {
	if it.at >= 0 && b.p.isSecret(it.key(), it.looksSecret(n)) {
		it.states = append(it.states, "secret")
		return
	}
	text := n.Value.text()
	switch it.role {
	case "slider", "spinbutton", "progressbar", "scrollbar", "meter":
		it.value = numbers(n, text)
		if it.value != nil {
			b.count.Value++
		}
	case "textbox", "searchbox", "combobox", "date", "datetime", "time", "color":
		if it.at >= 0 {
			if v, ok := it.fr.shape.values[int64(it.at)]; ok && text == "" {
				text = v
			}
		}
		it.text = &text
		b.count.Text++
		if it.has("editable") {
			b.count.EditableText++
		}
	}
}

// numbers is a value with its bounds, nil when it has none.
func numbers(n *axNode, text string) *api.Value {
	now, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	v := &api.Value{Now: now}
	v.Min, _ = strconv.ParseFloat(n.property("valuemin"), 64)
	v.Max, _ = strconv.ParseFloat(n.property("valuemax"), 64)
	return v
}

// looksSecret says whether a field is one that holds a secret.
func (it *item) looksSecret(n *axNode) bool {
	s := it.fr.shape
	tag := s.tag(it.at)
	if tag != "input" && tag != "textarea" {
		return false
	}
	kind := tag
	if tag == "input" {
		kind, _ = s.attribute(it.at, "type")
		kind = strings.ToLower(kind)
	}
	auto, _ := s.attribute(it.at, "autocomplete")
	words := []string{n.Name.text()}
	for _, name := range []string{"name", "id", "placeholder", "aria-label"} {
		if v, ok := s.attribute(it.at, name); ok {
			words = append(words, v)
		}
	}
	by, _ := s.attribute(it.at, "aria-labelledby")
	return secret(kind, auto, !s.resolves(by), words...)
}

// looks takes states from the layout.
func (it *item) looks(s *shape) {
	if it.fr.shape.opacity[it.at] < 0.05 {
		it.states = append(it.states, "transparent")
	}
	if it.role == "textbox" || it.role == "searchbox" {
		if v, ok := s.attribute(it.at, "placeholder"); ok {
			it.holder = v
		}
	}
}

// heeds says why an element that is no control is there to be clicked: by a
// script's "listener" on it, by the "pointer" it shows, which is all that a page
// with one listener for everything tells, or as a label, "listener" as well, of
// a field that is not shown itself. "" is for every other.
func (it *item) heeds(s *shape) string {
	if !s.shown(it.at) {
		return ""
	}
	switch s.tag(it.at) {
	case "html", "body", "#document":
		return ""
	case "label":
		if s.standsIn(it.at) {
			return "listener"
		}
		return ""
	}
	points := s.style(it.at, 2) == "pointer"
	_, _, w, h, _ := s.box(it.at)
	switch {
	case s.click[int64(it.at)] && (points || w*h < 0.5*s.doc.ContentWidth*s.doc.ContentHeight):
		return "listener" // one that covers about the whole page hears for what is in it
	case points && !s.pointedAbove(it.at):
		return "pointer"
	}
	return ""
}

// pointedAbove says whether what an element lies in shows the pointer as well:
// then that is what is clicked.
func (s *shape) pointedAbove(i int) bool {
	up := s.doc.Nodes.ParentIndex[i]
	return up >= 0 && s.style(int(up), 2) == "pointer"
}

// standsIn says whether a label is of a field that is not shown.
func (s *shape) standsIn(i int) bool {
	of := -1
	if id, ok := s.attribute(i, "for"); ok {
		for k := range s.doc.Nodes.Attributes {
			if have, ok := s.attribute(k, "id"); ok && have == id {
				of = k
				break
			}
		}
	} else {
		of = s.fieldIn(i)
	}
	return of >= 0 && s.layout[of] < 0
}

// fieldIn is the first field below an element, -1 for none.
func (s *shape) fieldIn(i int) int {
	for _, k := range s.kids[i] {
		switch s.tag(k) {
		case "input", "select", "textarea", "button":
			return k
		}
		if of := s.fieldIn(k); of >= 0 {
			return of
		}
	}
	return -1
}

// missed adds the elements that are shown and to be used, and that the
// accessibility tree leaves out: hidden from it, or known by a listener alone.
func (b *builder) missed(fr *frameReading, root *item) {
	s := fr.shape
	if s == nil {
		return
	}
	for i, id := range s.doc.Nodes.BackendNodeID {
		if s.layout[i] < 0 || s.doc.Nodes.NodeType[i] != 1 {
			continue
		}
		if b.seen[key{fr.f.id, fr.at.loader, id}] != nil {
			continue
		}
		role := elementRole(s, i)
		it := &item{fr: fr, backend: id, at: i, role: role, made: true}
		if role == "" {
			it.role = "generic"
			state := it.heeds(s)
			if state == "" {
				continue
			}
			it.states = []string{"enabled", state}
		} else {
			it.states = []string{"enabled", "aria-hidden"}
		}
		if !s.shown(i) {
			continue
		}
		b.adopt(it, root)
	}
}

// shown says whether an element takes place and is visible.
func (s *shape) shown(i int) bool {
	_, _, w, h, ok := s.box(i)
	return ok && w >= 1 && h >= 1 && s.style(i, 0) == "visible"
}

// adopt finishes an item the accessibility tree does not know, and puts it
// below the nearest one that is known.
func (b *builder) adopt(it, root *item) {
	s := it.fr.shape
	it.name = s.textOf(it.at, maxPrint)
	if v, ok := s.attribute(it.at, "aria-label"); ok && it.name == "" {
		it.name = v
	}
	it.print = printOf("listener", it.name)
	it.actions = []string{"click"}
	b.count.Nodes++
	b.count.Action++
	if _, off := s.attribute(it.at, "disabled"); off {
		it.states = it.states[1:]
	}
	it.looks(s)
	b.seen[it.key()] = it
	for up := s.doc.Nodes.ParentIndex[it.at]; up >= 0; up = s.doc.Nodes.ParentIndex[up] {
		if known := b.seen[key{it.fr.f.id, it.fr.at.loader, s.doc.Nodes.BackendNodeID[up]}]; known != nil {
			known.kids = append(known.kids, it)
			return
		}
	}
	root.kids = append(root.kids, it)
}

// elementRole is the role of an element a person can use, by its tag, "" for
// every other.
func elementRole(s *shape, i int) string {
	tag := s.tag(i)
	role := tagRoles[tag]
	switch tag {
	case "a":
		if _, ok := s.attribute(i, "href"); !ok {
			return ""
		}
	case "input":
		kind, _ := s.attribute(i, "type")
		if kind = strings.ToLower(kind); kind == "hidden" {
			return ""
		}
		if r, ok := inputRoles[kind]; ok {
			return r
		}
	}
	return role
}
