package acceptance

import (
	"strings"
	"testing"
	"time"
)

// The answers as the contract writes them.

// Size is a width and a height in pixels.
type Size struct{ W, H int }

// Rect is a rectangle in window coordinates.
type Rect struct{ X, Y, W, H int }

// Middle is the point in the middle of a rectangle.
func (r Rect) Middle() (x, y int) { return r.X + r.W/2, r.Y + r.H/2 }

// Within says whether r lies in a picture of that size.
func (r Rect) Within(s Size) bool {
	return r.X >= 0 && r.Y >= 0 && r.W > 0 && r.H > 0 && r.X+r.W <= s.W && r.Y+r.H <= s.H
}

// Window is a window as every answer shows it.
type Window struct {
	Handle, App, Title, State, Rung, RungWhy, Display, Origin, Input string
	PID                                                              int
	Mode                                                             struct{ Share, Resolved, Why string }
	Holder                                                           *string
	Opener                                                           string
	Size                                                             Size
	Pin                                                              *Size
	Visible                                                          bool
	Ended                                                            *struct {
		Why    string
		Status int
	}
	Windows []Part
}

// Part is one X window of a target.
type Part struct {
	N           int
	Kind, Title string
	Bounds      Rect
}

// Opened answers open, launch, attach and share.
type Opened struct {
	Session           string
	Window            Window
	NotReady          []string
	Notices           []string
	TookMs, DisplayMs int
}

// Node is one element of a tree.
type Node struct {
	Ref             string
	Parent          *string
	Depth           int
	Role, Name      string
	States, Actions []string
	Bounds          *Rect
	Clipped         bool
	Text            *string
	Value           *struct{ Now, Min, Max float64 }
	Window, More    int
	Description     string
}

// Is says whether a node has a state.
func (n Node) Is(state string) bool {
	for _, s := range n.States {
		if s == state {
			return true
		}
	}
	return false
}

// Says is the node's text, "" when it has none.
func (n Node) Says() string {
	if n.Text == nil {
		return ""
	}
	return *n.Text
}

// Census is what a reading counted.
type Census struct{ Nodes, Listed, Component, Action, EditableText, Text, Value, Unreadable int }

// Snapshot answers snapshot.
type Snapshot struct {
	Handle, Title, Source string
	Generation            int
	Nodes                 []Node
	Census                Census
	Cut                   *struct{ Why, Continue string }
	Diff                  []string
	Windows               []Part
	TookMs, RoundTrips    int
}

// Of gives the one node of a role and a name. More than one, or none, fails the
// test.
func (s Snapshot) Of(t testing.TB, role, name string) Node {
	t.Helper()
	found := s.All(role, name)
	if len(found) != 1 {
		t.Fatalf("%d nodes are %s %q in\n%s", len(found), role, name, s)
	}
	return found[0]
}

// All gives the nodes of a role and a name; "" for either is any.
func (s Snapshot) All(role, name string) []Node {
	var found []Node
	for _, n := range s.Nodes {
		if (role == "" || n.Role == role) && (name == "" || n.Name == name) {
			found = append(found, n)
		}
	}
	return found
}

// By gives the node of a ref, as it is in this snapshot.
func (s Snapshot) By(t testing.TB, ref string) Node {
	t.Helper()
	for _, n := range s.Nodes {
		if n.Ref == ref {
			return n
		}
	}
	t.Fatalf("%s is not in\n%s", ref, s)
	return Node{}
}

// String is an outline for whoever reads a failure.
func (s Snapshot) String() string {
	var b strings.Builder
	for _, n := range s.Nodes {
		b.WriteString(strings.Repeat("  ", n.Depth) + n.Role + " " + n.Name + " " + n.Ref + "\n")
	}
	return b.String()
}

// Acted answers every act.
type Acted struct {
	Handle string
	Did    struct {
		Verb, By, Ref, Role, Name, Action string
		At                                *struct{ X, Y int }
	}
	Applied  string
	Observed *struct {
		SettledMs      int
		Diff           []string
		PictureChanged *bool
		Failed         string
	}
	Verified *bool
	Tree     *Snapshot
	Notices  []string
}

// True says whether something is known and so.
func True(b *bool) bool { return b != nil && *b }

// Picture answers screenshot.
type Picture struct {
	Path, SHA256 string
	W, H, Bytes  int
	Origin       struct{ X, Y int }
	Scale        float64
	Clipped      *Rect
	Windows      []Part
}

// Found answers find.
type Found struct {
	Nodes  []Node
	Census Census
}

// Got answers get.
type Got struct {
	Node   Node
	What   string
	Length *int
}

// Met answers wait.
type Met struct {
	Met    string
	TookMs int
	Nodes  []Node
}

// Road is one line of a probe.
type Road struct {
	OK  bool
	Why string
}

// Probed answers probe.
type Probed struct {
	Roads struct{ Tree, Inject, Capture, Apps Road }
}

// Open opens an application and returns its window, which has to be ready.
func (c *Caller) Open(args ...string) Window {
	c.t.Helper()
	var o Opened
	open := []string{"open"}
	if c.w.rung != "" {
		open = append(open, "--rung", c.w.rung)
	}
	r := c.OK(&o, append(open, args...)...)
	c.ready(o, r)
	if c.w.rung != "" && o.Window.Rung != c.w.rung {
		c.t.Errorf("%s: opened on %s: %v", c.name, o.Window.Rung, r)
	}
	return o.Window
}

// ready checks a window that was opened.
func (c *Caller) ready(o Opened, r Reply) {
	c.t.Helper()
	w := o.Window
	if w.Handle == "" || w.State != "ready" || w.Display == "" || w.PID == 0 || len(o.NotReady) > 0 || w.Size.W <= 0 || w.Size.H <= 0 {
		c.t.Errorf("%s: not ready: %v", c.name, r)
	}
	c.w.see(w.Display)
}

// reads runs a verb that reads a window and has to succeed. An application that
// gets no processor for a second does not answer, which is told, and is asked
// again.
func (c *Caller) reads(answer any, args ...string) {
	c.t.Helper()
	r := c.Run(args...)
	for end := time.Now().Add(soon); r.Code == "not_responding" && time.Now().Before(end); {
		r = c.Run(args...)
	}
	if !r.OK {
		c.t.Fatalf("%s: %v", c.name, r)
	}
	r.Into(c.t, answer)
}

// Snapshot takes a snapshot.
func (c *Caller) Snapshot(handle string, args ...string) Snapshot {
	c.t.Helper()
	var s Snapshot
	c.reads(&s, append([]string{"snapshot", handle}, args...)...)
	return s
}

// Act runs an act that has to be applied.
func (c *Caller) Act(args ...string) Acted {
	c.t.Helper()
	var a Acted
	r := c.OK(&a, args...)
	if a.Applied != "yes" {
		c.t.Errorf("%s: applied is %q: %v", c.name, a.Applied, r)
	}
	return a
}

// Get reads one element anew.
func (c *Caller) Get(handle, ref string) Node {
	c.t.Helper()
	var g Got
	c.reads(&g, "get", handle, ref, "all")
	return g.Node
}

// Stop ends a window.
func (c *Caller) Stop(handle string) {
	c.t.Helper()
	c.OK(nil, "stop", handle)
}
