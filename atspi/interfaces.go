package atspi

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

// ifaceBits is the bit of each full interface name.
var ifaceBits = func() map[string]Iface {
	m := make(map[string]Iface, len(ifaceNames))
	for bit, name := range ifaceNames {
		m[interfacePrefix+name] = 1 << bit
	}
	return m
}()
