package atspi

import "strings"

// Iface is a set of the AT-SPI interfaces an object has, one bit each.
type Iface uint32

// The interfaces this package knows.
const (
	IfaceAccessible Iface = 1 << iota
	IfaceApplication
	IfaceComponent
	IfaceAction
	IfaceText
	IfaceEditableText
	IfaceValue
	IfaceSelection
	IfaceTable
	IfaceTableCell
	IfaceDocument
	IfaceHypertext
	IfaceHyperlink
	IfaceImage
	IfaceCollection
	IfaceCache
)

// interfacePrefix begins the name of every AT-SPI interface.
const interfacePrefix = "org.a11y.atspi."

// ifaceNames are the names without their prefix; the index is the bit.
var ifaceNames = [...]string{
	"Accessible", "Application", "Component", "Action", "Text", "EditableText",
	"Value", "Selection", "Table", "TableCell", "Document", "Hypertext",
	"Hyperlink", "Image", "Collection", "Cache",
}

// Has reports whether every interface of want is in i.
func (i Iface) Has(want Iface) bool { return i&want == want }

// Names returns the interfaces' names without their common prefix, in the
// order of the constants; never nil.
func (i Iface) Names() []string {
	names := make([]string, 0, 4)
	for bit, name := range ifaceNames {
		if i&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// ifacesOf reads a list of interface names; unknown ones are left out.
func ifacesOf(names []string) Iface {
	var set Iface
	for _, name := range names {
		set |= ifaceOf(name)
	}
	return set
}

// ifaceOf is the bit of one full interface name, 0 for a stranger.
func ifaceOf(name string) Iface {
	name, ok := strings.CutPrefix(name, interfacePrefix)
	if !ok {
		return 0
	}
	for bit, known := range ifaceNames {
		if name == known {
			return 1 << bit
		}
	}
	return 0
}
