package atspi

import "slices"

// Role says what kind of thing a node is: AT-SPI's own numbers.
type Role uint32

// The roles, in AT-SPI's order. Numbers this list does not have are kept and
// print as "unknown".
const (
	RoleInvalid Role = iota
	RoleAcceleratorLabel
	RoleAlert
	RoleAnimation
	RoleArrow
	RoleCalendar
	RoleCanvas
	RoleCheckBox
	RoleCheckMenuItem
	RoleColorChooser
	RoleColumnHeader
	RoleComboBox
	RoleDateEditor
	RoleDesktopIcon
	RoleDesktopFrame
	RoleDial
	RoleDialog
	RoleDirectoryPane
	RoleDrawingArea
	RoleFileChooser
	RoleFiller
	RoleFocusTraversable
	RoleFontChooser
	RoleFrame
	RoleGlassPane
	RoleHTMLContainer
	RoleIcon
	RoleImage
	RoleInternalFrame
	RoleLabel
	RoleLayeredPane
	RoleList
	RoleListItem
	RoleMenu
	RoleMenuBar
	RoleMenuItem
	RoleOptionPane
	RolePageTab
	RolePageTabList
	RolePanel
	RolePasswordText
	RolePopupMenu
	RoleProgressBar
	RolePushButton
	RoleRadioButton
	RoleRadioMenuItem
	RoleRootPane
	RoleRowHeader
	RoleScrollBar
	RoleScrollPane
	RoleSeparator
	RoleSlider
	RoleSpinButton
	RoleSplitPane
	RoleStatusBar
	RoleTable
	RoleTableCell
	RoleTableColumnHeader
	RoleTableRowHeader
	RoleTearoffMenuItem
	RoleTerminal
	RoleText
	RoleToggleButton
	RoleToolBar
	RoleToolTip
	RoleTree
	RoleTreeTable
	RoleUnknown
	RoleViewport
	RoleWindow
	RoleExtended
	RoleHeader
	RoleFooter
	RoleParagraph
	RoleRuler
	RoleApplication
	RoleAutocomplete
	RoleEditbar
	RoleEmbedded
	RoleEntry
	RoleChart
	RoleCaption
	RoleDocumentFrame
	RoleHeading
	RolePage
	RoleSection
	RoleRedundantObject
	RoleForm
	RoleLink
	RoleInputMethodWindow
	RoleTableRow
	RoleTreeItem
	RoleDocumentSpreadsheet
	RoleDocumentPresentation
	RoleDocumentText
	RoleDocumentWeb
	RoleDocumentEmail
	RoleComment
	RoleListBox
	RoleGrouping
	RoleImageMap
	RoleNotification
	RoleInfoBar
	RoleLevelBar
	RoleTitleBar
	RoleBlockQuote
	RoleAudio
	RoleVideo
	RoleDefinition
	RoleArticle
	RoleLandmark
	RoleLog
	RoleMarquee
	RoleMath
	RoleRating
	RoleTimer
	RoleStatic
	RoleMathFraction
	RoleMathRoot
	RoleSubscript
	RoleSuperscript
	RoleDescriptionList
	RoleDescriptionTerm
	RoleDescriptionValue
	RoleFootnote
	RoleContentDeletion
	RoleContentInsertion
	RoleMark
	RoleSuggestion
	RolePushButtonMenu
)

// roleNames are the names every AT-SPI client uses; the index is the role.
var roleNames = [...]string{
	"invalid",
	"accelerator label",
	"alert",
	"animation",
	"arrow",
	"calendar",
	"canvas",
	"check box",
	"check menu item",
	"color chooser",
	"column header",
	"combo box",
	"date editor",
	"desktop icon",
	"desktop frame",
	"dial",
	"dialog",
	"directory pane",
	"drawing area",
	"file chooser",
	"filler",
	"focus traversable",
	"font chooser",
	"frame",
	"glass pane",
	"html container",
	"icon",
	"image",
	"internal frame",
	"label",
	"layered pane",
	"list",
	"list item",
	"menu",
	"menu bar",
	"menu item",
	"option pane",
	"page tab",
	"page tab list",
	"panel",
	"password text",
	"popup menu",
	"progress bar",
	"push button",
	"radio button",
	"radio menu item",
	"root pane",
	"row header",
	"scroll bar",
	"scroll pane",
	"separator",
	"slider",
	"spin button",
	"split pane",
	"status bar",
	"table",
	"table cell",
	"table column header",
	"table row header",
	"tearoff menu item",
	"terminal",
	"text",
	"toggle button",
	"tool bar",
	"tool tip",
	"tree",
	"tree table",
	"unknown",
	"viewport",
	"window",
	"extended",
	"header",
	"footer",
	"paragraph",
	"ruler",
	"application",
	"autocomplete",
	"editbar",
	"embedded",
	"entry",
	"chart",
	"caption",
	"document frame",
	"heading",
	"page",
	"section",
	"redundant object",
	"form",
	"link",
	"input method window",
	"table row",
	"tree item",
	"document spreadsheet",
	"document presentation",
	"document text",
	"document web",
	"document email",
	"comment",
	"list box",
	"grouping",
	"image map",
	"notification",
	"info bar",
	"level bar",
	"title bar",
	"block quote",
	"audio",
	"video",
	"definition",
	"article",
	"landmark",
	"log",
	"marquee",
	"math",
	"rating",
	"timer",
	"static",
	"math fraction",
	"math root",
	"subscript",
	"superscript",
	"description list",
	"description term",
	"description value",
	"footnote",
	"content deletion",
	"content insertion",
	"mark",
	"suggestion",
	"push button menu",
}

// rolesByName is roleNames the other way round.
var rolesByName = func() map[string]Role {
	m := make(map[string]Role, len(roleNames))
	for i, name := range roleNames {
		m[name] = Role(i)
	}
	return m
}()

// String returns AT-SPI's own name of the role, "push button" for example, and
// "unknown" for a number it does not have.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return "unknown"
}

// RoleNames lists AT-SPI's names of the roles.
func RoleNames() []string { return slices.Clone(roleNames[:]) }

// RoleNamed returns the role of that AT-SPI name. "button" is what newer
// versions of AT-SPI call a push button.
func RoleNamed(name string) (Role, bool) {
	if name == "button" {
		return RolePushButton, true
	}
	r, ok := rolesByName[name]
	return r, ok
}
