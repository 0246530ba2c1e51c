package atspi

// Visible works out which nodes are seen and how much of each, from the states
// and the Extents that Locate left: for each node the visible part, in the
// coordinates of Extents, and the zero Rect for a node that is not seen.
//
// GTK 3, Qt and the browsers say what is showing; there the visible part is
// what the clipping ancestors leave. GTK 4 does not say; there a node is seen
// when it has area that every ancestor up to its own surface leaves. Menus,
// popovers and drop-down lists live on a surface of their own and are not
// clipped by what they hang on in the tree. What lies in front of a window is
// not considered: that is for whoever knows the windows.
func (t *Tree) Visible() []Rect {
	seen := make([]Rect, len(t.Nodes))
	kind := t.App.family()
	clips := make([]Rect, len(t.Nodes)) // what a node's children are clipped by
	for i := range t.Nodes {            // parents come before their children
		n := &t.Nodes[i]
		clip := everywhere
		if n.Parent >= 0 && n.Parent < i {
			clip = clips[n.Parent]
		}
		if kind == familyGTK4 {
			seen[i], clips[i] = t.gtk4Visible(i, clip)
		} else {
			seen[i], clips[i] = t.stateVisible(i, kind, clip)
		}
	}
	return seen
}

// gtk4Visible is the visible part of a node and what its children are clipped
// by.
func (t *Tree) gtk4Visible(i int, clip Rect) (seen, below Rect) {
	n := &t.Nodes[i]
	switch {
	case n.hidden:
		return Rect{}, Rect{}
	case !n.Interfaces.Has(IfaceComponent):
		return Rect{}, clip // the page of a stack: no widget of its own
	case n.Extents == nil:
		return Rect{}, Rect{}
	case clip.Empty():
		return Rect{}, Rect{}
	case t.popover(i):
		return *n.Extents, *n.Extents
	}
	seen = clip.Intersect(*n.Extents)
	return seen, seen
}

// stateVisible is the same for toolkits that say what is showing.
func (t *Tree) stateVisible(i int, kind family, clip Rect) (seen, below Rect) {
	n := &t.Nodes[i]
	if n.Extents == nil || n.Extents.Empty() || !n.States.Has(StateShowing|StateVisible) {
		return Rect{}, clip
	}
	if ownSurface(kind, n.Role, t.parentRole(i)) {
		clip = everywhere
	}
	seen = clip.Intersect(*n.Extents)
	if clipping(kind, n.Role) {
		return seen, clip.Intersect(*n.Extents)
	}
	return seen, clip
}

// parentRole is the role of a node's parent.
func (t *Tree) parentRole(i int) Role {
	if p := t.Nodes[i].Parent; p >= 0 {
		return t.Nodes[p].Role
	}
	return RoleApplication
}

// ownSurface reports whether a node of that role is drawn in a window of its
// own. In GTK 3 a menu's items are children of the entry that opens it.
func ownSurface(kind family, role, parent Role) bool {
	switch role {
	case RolePopupMenu, RoleToolTip, RoleWindow, RoleFrame, RoleDialog, RoleAlert, RoleFileChooser, RoleColorChooser, RoleFontChooser:
		return role != RoleAlert && role != RoleFrame || kind != familyBrowser
	case RoleMenu, RoleMenuItem, RoleCheckMenuItem, RoleRadioMenuItem, RoleTearoffMenuItem, RoleSeparator:
		return parent == RoleMenu || parent == RoleComboBox || parent == RolePushButton || parent == RoleToggleButton
	case RoleList, RoleListBox, RoleTreeTable:
		return parent == RoleComboBox
	}
	return false
}

// clipping reports whether a node of that role cuts off what reaches past it.
// A web page's elements overflow as they like; a toolkit's containers hold
// what is in them, except for what only stands for what it opens: the entry
// that holds a menu, the tab that holds a page.
func clipping(kind family, role Role) bool {
	switch role {
	case RoleMenu, RoleMenuItem, RoleComboBox, RoleCheckMenuItem, RoleRadioMenuItem, RolePushButton, RoleToggleButton, RolePageTab, RoleApplication:
		return false
	case RoleFrame, RoleDialog, RoleWindow, RoleDocumentWeb, RoleScrollPane, RoleViewport, RoleInternalFrame:
		return true
	}
	return kind == familyGTK3 || kind == familyQt
}

// popover reports whether a GTK 4 node is a popover, which has a surface of
// its own: every popover's only child is its content, a widget without a name.
func (t *Tree) popover(i int) bool {
	for _, child := range t.Nodes[i].Children {
		if t.Nodes[child].Class == "GtkPopoverContent" {
			return true
		}
	}
	return false
}

// showing gives GTK 4 nodes the showing state they have everywhere else.
func (t *Tree) showing() {
	if t.App.family() != familyGTK4 {
		return
	}
	for i, part := range t.Visible() {
		if part.Empty() {
			t.Nodes[i].States &^= StateShowing
		} else {
			t.Nodes[i].States |= StateShowing
		}
	}
}
