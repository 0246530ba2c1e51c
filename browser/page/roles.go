package page

// roleNames are roles of Chromium's own that ARIA names otherwise, or not at
// all. The others are ARIA's already.
var roleNames = map[string]string{
	"RootWebArea": "document", "WebArea": "document", "StaticText": "text", "LabelText": "label", "Legend": "label",
	"DisclosureTriangle": "button", "DisclosureTriangleGrouped": "button", "PopUpButton": "button", "ToggleButton": "button",
	"Details": "group", "ColorWell": "color", "Date": "date", "DateTime": "datetime", "InputTime": "time",
	"Iframe": "iframe", "IframePresentational": "iframe", "MenuListPopup": "listbox", "MenuListOption": "option", "ListBoxOption": "option",
	"TextFieldWithComboBox": "combobox", "ComboBoxSelect": "combobox", "ComboBoxMenuButton": "combobox", "ComboBoxGrouping": "combobox",
	"SvgRoot": "image", "img": "image", "Canvas": "canvas", "Video": "video", "Audio": "audio",
	"EmbeddedObject": "object", "PluginObject": "object", "DescriptionList": "list", "DescriptionListTerm": "term",
	"DescriptionListDetail": "definition", "Figcaption": "caption", "Section": "generic", "LayoutTable": "generic",
	"LayoutTableRow": "generic", "LayoutTableCell": "generic", "Pre": "generic", "Ruby": "generic", "Abbr": "generic",
	"FooterAsNonLandmark": "generic", "HeaderAsNonLandmark": "generic", "SectionWithoutName": "generic",
	"sectionfooter": "generic", "sectionheader": "generic", "Mark": "generic",
}

// skipped are nodes that say nothing a reader needs.
var skipped = map[string]bool{"InlineTextBox": true, "LineBreak": true, "ListMarker": true}

// wrappers are left out, with what is in them kept: they say how text is set.
var wrappers = map[string]bool{
	"generic": true, "none": true, "presentation": true, "paragraph": true, "label": true, "strong": true, "emphasis": true,
	"code": true, "subscript": true, "superscript": true, "insertion": true, "deletion": true, "rowgroup": true, "blockquote": true,
	"mark": true, "time": false, "": true,
}

// containers are left out when they have no name and hold one thing or none.
var containers = map[string]bool{
	"list": true, "listitem": true, "group": true, "region": true, "form": true, "section": true, "article": true, "figure": true,
	"main": true, "banner": true, "contentinfo": true, "complementary": true, "table": true, "row": true, "cell": true, "definition": true, "term": true,
}

// holds are roles that are named by what is in them, and stand for no more than
// that when it is told itself.
var holds = map[string]bool{"cell": true, "listitem": true, "row": true, "definition": true, "term": true}

// spoken are roles whose name is made of their text: the text below it is not
// told again.
var spoken = map[string]bool{
	"button": true, "link": true, "heading": true, "option": true, "tab": true, "menuitem": true, "menuitemcheckbox": true,
	"menuitemradio": true, "cell": true, "gridcell": true, "columnheader": true, "rowheader": true, "row": true, "listitem": true,
	"treeitem": true, "tooltip": true, "checkbox": true, "radio": true, "switch": true, "term": true, "definition": true, "caption": true,
	"generic": true, "alert": true, "status": true, "label": true, "image": true, "canvas": true,
}

// controls are roles a person can use.
var controls = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "listbox": true, "option": true,
	"checkbox": true, "radio": true, "switch": true, "slider": true, "spinbutton": true, "menuitem": true,
	"menuitemcheckbox": true, "menuitemradio": true, "tab": true, "treeitem": true, "color": true, "date": true, "datetime": true,
	"time": true, "iframe": true, "file": true, "video": true, "audio": true,
}

// tagRoles are what an element is by its tag, for those the accessibility tree
// leaves out.
var tagRoles = map[string]string{
	"button": "button", "a": "link", "select": "combobox", "textarea": "textbox", "summary": "button", "input": "textbox",
}

// inputRoles are what an input is by its type.
var inputRoles = map[string]string{
	"button": "button", "submit": "button", "reset": "button", "image": "button", "checkbox": "checkbox", "radio": "radio",
	"range": "slider", "number": "spinbutton", "color": "color", "date": "date", "time": "time", "file": "button",
}
