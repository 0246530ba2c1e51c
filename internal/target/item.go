package target

import (
	"slices"
	"strings"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/x11"
)

// item is one element of a reading: what the toolkit said, in the terms an
// answer is given in.
type item struct {
	id          atspi.Ref
	role        atspi.Role
	name        string
	description string
	states      []string
	has         atspi.States
	ifaces      atspi.Iface
	parent      *item
	kids        []*item
	// part is the window of the target the element lies in.
	part   int
	window x11.WindowID
	// seen is whether a person can see it now; bounds is the visible part.
	seen    bool
	bounds  *api.Rect
	clipped bool
	// What is read only for elements that are listed; detailed says it was.
	detailed   bool
	actions    []string
	text       *string
	hint       string // what an unnamed field says while it is empty
	value      *api.Value
	unreadable string
	// tree and index say where the reading came from.
	tree  *atspi.Tree
	index int
}

// fingerprint is what a ref to the element will be held against.
func (it *item) fingerprint() fingerprint {
	var trail strings.Builder
	for up := it.parent; up != nil; up = up.parent {
		trail.WriteString(up.role.String())
		trail.WriteByte('<')
	}
	f := fingerprint{role: it.role, name: it.name, trail: trail.String()}
	if it.parent != nil {
		f.parent = it.parent.id
	}
	if !it.has.Has(atspi.StateSensitive) {
		for up := it.parent; up != nil && !up.has.Has(atspi.StateSensitive); up = up.parent {
			f.under = up.id
		}
	}
	return f
}

// controls are the roles a person uses or reads, listed also without a name.
var controls = map[atspi.Role]bool{
	atspi.RoleAlert: true, atspi.RoleCalendar: true, atspi.RoleCheckBox: true,
	atspi.RoleCheckMenuItem: true, atspi.RoleColorChooser: true, atspi.RoleComboBox: true,
	atspi.RoleDateEditor: true, atspi.RoleDial: true, atspi.RoleDialog: true,
	atspi.RoleDocumentFrame: true, atspi.RoleDocumentText: true, atspi.RoleDocumentWeb: true,
	atspi.RoleEditbar: true, atspi.RoleEntry: true, atspi.RoleFileChooser: true,
	atspi.RoleFontChooser: true, atspi.RoleFrame: true, atspi.RoleHeading: true,
	atspi.RoleInfoBar: true, atspi.RoleLevelBar: true, atspi.RoleLink: true,
	atspi.RoleList: true, atspi.RoleListBox: true, atspi.RoleListItem: true,
	atspi.RoleMenu: true, atspi.RoleMenuBar: true, atspi.RoleMenuItem: true,
	atspi.RoleNotification: true, atspi.RolePageTab: true, atspi.RolePageTabList: true,
	atspi.RolePasswordText: true, atspi.RolePopupMenu: true, atspi.RoleProgressBar: true,
	atspi.RolePushButton: true, atspi.RoleRadioButton: true, atspi.RoleRadioMenuItem: true,
	atspi.RoleSlider: true, atspi.RoleSpinButton: true, atspi.RoleStatusBar: true,
	atspi.RoleTable: true, atspi.RoleTerminal: true, atspi.RoleText: true,
	atspi.RoleToggleButton: true, atspi.RoleToolBar: true, atspi.RoleTree: true,
	atspi.RoleTreeItem: true, atspi.RoleTreeTable: true, atspi.RoleWindow: true,
}

// wording are the roles that are nothing but their words: one whose words its
// parent already says is left out.
var wording = map[atspi.Role]bool{
	atspi.RoleLabel: true, atspi.RoleStatic: true, atspi.RoleParagraph: true,
	atspi.RoleCaption: true, atspi.RoleSection: true, atspi.RoleImage: true, atspi.RoleIcon: true,
}

// worth says whether the default view lists an element; the others are folded
// into their parents. said is the name of the nearest listed ancestor.
func (it *item) worth(said string) bool {
	name := strings.TrimSpace(it.name)
	switch {
	case it.parent == nil, it.unreadable != "":
		return true
	case wording[it.role]:
		if name != "" {
			return name != strings.TrimSpace(said)
		}
		return it.focusable() || it.textual(said)
	case controls[it.role]:
		return true
	case name != "" && it.name != said:
		return true
	}
	return it.focusable() || it.has.Has(atspi.StateEditable) || it.textual(said)
}

// wrapper says whether a row for an element says nothing beyond the rows below
// it, of which there are some: the keyboard can reach many a scroll pane and
// filler, and nobody acts on one. The tab list of a notebook without tabs and
// the frame around a menu button's own button are such as well.
func (it *item) wrapper(kids []*row) bool {
	if it.parent == nil || it.unreadable != "" {
		return false
	}
	one := len(kids) == 1
	switch {
	case it.role == atspi.RolePageTabList:
		return !slices.ContainsFunc(kids, func(r *row) bool { return r.role == atspi.RolePageTab })
	case wording[it.role] && one:
		// The words of a label around a control are the control's name.
		return strings.TrimSpace(it.name) == strings.TrimSpace(kids[0].name)
	case strings.TrimSpace(it.name) != "":
		return false
	case it.role == atspi.RolePushButton && one && !it.focusable():
		return kids[0].role == atspi.RolePushButton || kids[0].role == atspi.RoleToggleButton
	}
	return !controls[it.role] && !wording[it.role] && it.text == nil
}

// focusable says whether the keyboard can reach the element.
func (it *item) focusable() bool { return it.has.Has(atspi.StateFocusable) }

// textual says whether the element has words of its own that its name and said
// do not say, or may have: a page's paragraphs have no name, and their text is
// read only when they have a row.
func (it *item) textual(said string) bool {
	switch {
	case it.role == atspi.RoleImage || it.role == atspi.RoleIcon:
		return false
	case !it.detailed:
		return it.ifaces.Has(atspi.IfaceText)
	case it.text == nil:
		return false
	}
	words := strings.TrimSpace(*it.text)
	return words != "" && words != strings.TrimSpace(said)
}

// node is the element as an answer shows it, without its ref and place.
func (it *item) node() api.Node {
	n := api.Node{
		Role: it.role.String(), Name: it.name, States: it.states, Bounds: it.bounds,
		Clipped: it.clipped, Actions: it.actions, Text: it.text, Value: it.value, Window: it.part, Placeholder: it.hint,
	}
	if it.description != it.name {
		n.Description = it.description
	}
	if n.States == nil {
		n.States = []string{}
	}
	if n.Actions == nil {
		n.Actions = []string{}
	}
	if !it.seen || it.bounds == nil {
		n.States = append(append([]string{}, n.States...), "offscreen")
	}
	return n
}
