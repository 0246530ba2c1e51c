package atspi

import (
	"time"

	"github.com/godbus/dbus/v5"
)

// Ref names one object on the bus: the connection that exports it and its path
// there. It is comparable.
type Ref struct {
	Bus  string
	Path dbus.ObjectPath
}

// nullPath is the path AT-SPI gives where there is no object.
const nullPath = dbus.ObjectPath("/org/a11y/atspi/null")

// Null reports whether the reference names no object.
func (r Ref) Null() bool { return r.Bus == "" || r.Path == "" || r.Path == nullPath }

// Rect is a rectangle in the pixels of whatever it is said to be relative to.
type Rect struct{ X, Y, W, H int }

// Empty reports whether the rectangle holds no pixel.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Intersect is the part both rectangles have; the zero Rect when none.
func (r Rect) Intersect(o Rect) Rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	w, h := min(r.X+r.W, o.X+o.W)-x, min(r.Y+r.H, o.Y+o.H)-y
	if w <= 0 || h <= 0 {
		return Rect{}
	}
	return Rect{X: x, Y: y, W: w, H: h}
}

// Value is the numeric value of a node.
type Value struct{ Now, Min, Max float64 }

// Node is one accessible object as it was read. Parent and Children index the
// Nodes of its [Tree].
type Node struct {
	Ref
	Parent      int // -1 for a top level
	Children    []int
	Depth       int // 0 for a top level
	Index       int // place among its parent's children, as the toolkit counts
	Role        Role
	Name        string // valid UTF-8; never a class name
	Class       string // the class of an unnamed GTK 4 widget, "GtkMenuButton" for example
	Description string
	States      States // normalised across toolkits
	Interfaces  Iface
	// ChildCount is what the toolkit says: more than len(Children) where the
	// read was cut, -1 where it would not say.
	ChildCount int

	// Detail fills what is below, for the nodes it is asked to.

	Extents *Rect    // screen coordinates as the toolkit answered; see Place
	Actions []string // action names by index; nil when not read
	Text    *string  // the first part of the text; nil when not read, always for a password
	TextLen int      // characters of the whole text
	// Placeholder is what an unnamed field of GTK says while it is empty, ""
	// when it says nothing; read with the text.
	Placeholder string
	Value       *Value
	// Unreadable says why this node, or what is below it, could not be read.
	Unreadable string

	got    Want // what Detail has read, see Keeper
	hidden bool // has area but is not drawn, see unmap
}

// Cut says why a read stopped before the end.
type Cut struct {
	Why string // CutNodes, CutDepth, CutBytes or CutTime: the first bound that was met
}

// Unreadable is a node that did not answer, with the reason.
type Unreadable struct {
	Node int // index into Nodes
	Why  string
}

// App is one registration on the accessibility bus. Several can belong to one
// process, and an empty one can come first.
type App struct {
	Root     Ref
	Name     string
	Toolkit  string // "gtk", "GTK", "Qt", "Gecko", "Chromium"…, as it names itself
	Version  string
	PID      int // 0 when the bus could not say
	Children int // top levels
	// Silent says that the application did not answer; only Root and PID are
	// known then.
	Silent bool
}

// Tree is the structure of one application, the nodes in document order.
type Tree struct {
	Nodes      []Node
	Roots      []int // the application's top levels
	App        App
	Source     string // bulk or pipelined
	Cut        *Cut   // nil when everything was read
	Unreadable []Unreadable
	RoundTrips int   // the longest chain of calls that waited for one another
	Calls      int   // calls made
	Bytes      int64 // bytes received
	Took       time.Duration

	scales  map[int]float64 // see findScales
	serial  uint64          // which whole or structural read it is of, see Keeper
	version uint64          // how often it was brought up to date since
}

// The values of [Tree].Source.
const (
	SourceBulk      = "bulk"
	SourcePipelined = "pipelined"
	SourceResident  = "resident" // by a Keeper, which read only what changed
)
