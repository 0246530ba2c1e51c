package atspi

import (
	"html"
	"regexp"
	"strings"
)

// normalise gives names and states one meaning across toolkits.
func (t *Tree) normalise() {
	kind := t.App.family()
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.States = normalStates(kind, n.States)
		n.rename(kind)
		if kind == familyGTK4 && n.Parent >= 0 && n.Parent < i && t.disables(n.Parent) {
			n.States &^= StateSensitive | StateEnabled
		}
		if n.Parent >= 0 && n.Parent < i && t.Password(n.Parent) {
			// Browsers make the characters of a field nodes of their own.
			n.Name, n.Description = "", ""
		}
	}
}

// rename gives a node the name and the description that they are elsewhere.
func (n *Node) rename(kind family) {
	switch kind {
	case familyGTK4:
		n.Name, n.Class = gtk4Name(n.Name, n.Role)
	case familyQt:
		n.Description = plain(n.Description)
	}
	if n.Name == "" && (kind == familyGTK4 || tipped(n.Role)) {
		// What a tooltip says is the only name that many an icon button has.
		n.Name, n.Description = strings.TrimSpace(n.Description), ""
	}
	if n.Description == n.Name {
		n.Description = ""
	}
}

// tipped reports whether a node of that role may be known by its tooltip. A
// slider of GTK 3 has its value there, and what holds other nodes is known by
// those: a row of a list, the place of a button in a tool bar.
func tipped(role Role) bool {
	switch role {
	case RolePushButton, RoleToggleButton, RoleCheckBox, RoleRadioButton, RoleIcon, RoleImage, RoleText, RoleEntry,
		RolePasswordText, RoleComboBox, RoleLink, RoleColorChooser:
		return true
	}
	return false
}

// tag is one mark of a rich text.
var tag = regexp.MustCompile(`<[^<>]*>`)

// plain is the words of a tooltip. Qt hands on what it was given, and what
// begins with a mark is rich text there.
func plain(s string) string {
	if !strings.HasPrefix(s, "<") {
		return s
	}
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(s, " "))), " ")
}

// disables reports whether nothing below a GTK 4 node can be used: GTK 4.8 says
// insensitive of the widget it was set for and not of what is in it.
func (t *Tree) disables(i int) bool {
	n := &t.Nodes[i]
	return n.Interfaces.Has(IfaceComponent) && !n.States.Has(StateSensitive) && n.Unreadable == ""
}

// normalStates maps one toolkit's states to what they mean elsewhere. GTK 4.8
// marks nothing enabled: sensitive is what it calls that. Its showing is
// worthless too (one node in 948) and is computed by Locate; until then it is
// what the toolkit said.
func normalStates(kind family, s States) States {
	if kind == familyGTK4 && s.Has(StateSensitive) {
		s |= StateEnabled
	}
	return s
}

// classPrefixes begin the class names of widgets.
var classPrefixes = []string{"Gtk", "Gdk", "Adw", "Hdy", "Vte", "WebKit", "Panel"}

// classSuffixes end the class names of an application's own widgets: the
// widget they derive from.
var classSuffixes = []string{
	"View", "Button", "Entry", "Box", "Bar", "Row", "Stack", "List", "Grid",
	"Area", "Popover", "Paned", "Overlay", "Widget", "Chooser", "Sidebar",
	"Switcher", "Label", "Image", "Picture", "Scale", "Switch", "Gizmo", "Cell",
}

// gtk4Name tells a name from the class name GTK 4 before 4.10 gives where a
// widget has none ("GtkMenuButton", or an application's own "MyTextView").
func gtk4Name(name string, role Role) (real, class string) {
	if !camel(name) {
		return name, ""
	}
	for _, prefix := range classPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest[0] >= 'A' && rest[0] <= 'Z' {
			return "", name
		}
	}
	switch role {
	case RoleFrame, RoleWindow, RoleDialog, RoleLabel, RoleLink, RoleMenuItem, RolePageTab, RoleListItem, RoleTableCell:
		return name, "" // these are named by their text
	}
	for _, suffix := range classSuffixes {
		if strings.HasSuffix(name, suffix) {
			return "", name
		}
	}
	return name, ""
}

// camel reports whether s is one word of letters and digits with at least two
// humps, which every class name is.
func camel(s string) bool {
	humps, lower := 0, false
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			humps++
		case c >= 'a' && c <= 'z':
			lower = true
		case c < '0' || c > '9':
			return false
		}
		if i == 0 && humps == 0 {
			return false
		}
	}
	return humps > 1 && lower
}
