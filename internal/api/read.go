package api

import "time"

// Node is one element of a window's tree.
type Node struct {
	Ref    Ref      `json:"ref"`
	Parent *Ref     `json:"parent"`
	Depth  int      `json:"depth"`
	Role   string   `json:"role"` // AT-SPI's own name: "push button"
	Name   string   `json:"name"`
	States []string `json:"states"`
	// Bounds is the visible part in window coordinates; nil when wholly hidden.
	Bounds  *Rect    `json:"bounds"`
	Clipped bool     `json:"clipped,omitempty"`
	Actions []string `json:"actions"`
	Text    *string  `json:"text,omitempty"`
	Value   *Value   `json:"value,omitempty"`
	// Placeholder is what an unnamed field says while it is empty.
	Placeholder string `json:"placeholder,omitempty"`
	// Description is the element's own, when it has one that is not its name.
	Description string `json:"description,omitempty"`
	// Window is the part of the target the node lies in; 0 is the main window.
	Window int `json:"window,omitempty"`
	// More counts the items of a long list that were left out below this node.
	More int `json:"more,omitempty"`
}

// Value is the numeric value of a node.
type Value struct {
	Now float64 `json:"now"`
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Census counts what was read, so that a reader knows what it was not shown.
type Census struct {
	Nodes        int `json:"nodes"`
	Listed       int `json:"listed"`
	Component    int `json:"component"`
	Action       int `json:"action"`
	EditableText int `json:"editableText"`
	Text         int `json:"text"`
	Value        int `json:"value"`
	Unreadable   int `json:"unreadable"`
}

// Cut says why a walk stopped and how to have the rest.
type Cut struct {
	Why      string `json:"why"` // nodes, depth, bytes, time
	Continue string `json:"continue"`
}

// Unreadable is a subtree that did not answer.
type Unreadable struct {
	Ref  Ref    `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name"`
	Why  string `json:"why"`
}

// SnapshotRequest asks for a window's tree.
type SnapshotRequest struct {
	Common
	Handle   Handle `json:"handle"`
	All      bool   `json:"all,omitempty"`
	Root     Ref    `json:"root,omitempty"`
	Depth    int    `json:"depth,omitempty"`
	MaxNodes int    `json:"maxNodes,omitempty"`
	Diff     bool   `json:"diff,omitempty"`
	// Fresh reads everything anew, whatever is known of the window.
	Fresh  bool   `json:"fresh,omitempty"`
	Find   string `json:"find,omitempty"`
	Role   string `json:"role,omitempty"`
	Window *int   `json:"window,omitempty"`
}

// Snapshot is a window's tree as a reader sees it.
type Snapshot struct {
	Answer
	Handle     Handle `json:"handle"`
	Generation int    `json:"generation"`
	Title      string `json:"title"`
	Size       Size   `json:"size"`
	Nodes      []Node `json:"nodes"`
	Census     Census `json:"census"`
	Cut        *Cut   `json:"cut"`
	// Diff replaces the nodes when --diff was asked for: "+ line", "~ line" and
	// "- line" since the session was last told of the window.
	Diff       []string     `json:"diff,omitempty"`
	Unreadable []Unreadable `json:"unreadable,omitempty"`
	Windows    []Part       `json:"windows"`
	Source     string       `json:"source"` // bulk, pipelined, resident
	TookMs     int          `json:"tookMs"`
	RoundTrips int          `json:"roundTrips"`
}

// FindRequest asks for refs. Name is a substring, or /re/.
type FindRequest struct {
	Common
	Handle Handle `json:"handle"`
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	State  string `json:"state,omitempty"`
}

// FindAnswer lists the nodes found.
type FindAnswer struct {
	Answer
	Handle Handle `json:"handle"`
	Nodes  []Node `json:"nodes"`
	Census Census `json:"census"`
	Cut    *Cut   `json:"cut"`
}

// GetRequest asks for one node, read anew.
type GetRequest struct {
	Common
	Handle Handle `json:"handle"`
	Ref    Ref    `json:"ref"`
	What   string `json:"what,omitempty"` // text, value, states, bounds, actions, all
}

// GetAnswer is that node. Length is its whole text's, in characters, when it
// has one.
type GetAnswer struct {
	Answer
	Handle Handle `json:"handle"`
	Node   Node   `json:"node"`
	What   string `json:"what"`
	Length *int   `json:"length,omitempty"`
}

// ScreenshotRequest asks for a picture.
type ScreenshotRequest struct {
	Common
	Handle  Handle `json:"handle"`
	Format  string `json:"format,omitempty"` // png (default), jpeg
	Ref     Ref    `json:"ref,omitempty"`
	Window  *int   `json:"window,omitempty"`
	All     bool   `json:"all,omitempty"`
	MaxSide int    `json:"maxSide,omitempty"`
	// Out is an absolute path the daemon writes for the caller (same uid);
	// "" puts the picture under the state directory.
	Out string `json:"out,omitempty"`
}

// ScreenshotAnswer says where the picture is and how it maps to window
// coordinates: window = origin + pixel/scale.
type ScreenshotAnswer struct {
	Answer
	Handle  Handle  `json:"handle"`
	Path    string  `json:"path"`
	W       int     `json:"w"`
	H       int     `json:"h"`
	Origin  Point   `json:"origin"`
	Scale   float64 `json:"scale"`
	SHA256  string  `json:"sha256"`
	Bytes   int     `json:"bytes"`
	Clipped *Rect   `json:"clipped"` // what was asked for, when less is shown
	Windows []Part  `json:"windows"`
	TookMs  int     `json:"tookMs"`
}

// WaitRequest waits for the conditions named, all of them.
type WaitRequest struct {
	Common
	Handle Handle `json:"handle"`
	Text   string `json:"text,omitempty"`
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	// State is a state the node must have, or with "-" before it must not.
	State  string `json:"state,omitempty"`
	Gone   bool   `json:"gone,omitempty"`
	Title  string `json:"title,omitempty"`
	IdleMs int    `json:"idleMs,omitempty"`
	Window bool   `json:"window,omitempty"`
	Exit   bool   `json:"exit,omitempty"`
}

// WaitAnswer says what was met.
type WaitAnswer struct {
	Answer
	Handle Handle `json:"handle"`
	Met    string `json:"met"`
	TookMs int    `json:"tookMs"`
	Nodes  []Node `json:"nodes,omitempty"`
}

// ProbeRequest asks which roads exist, here or to one window.
type ProbeRequest struct {
	Common
	Handle Handle `json:"handle,omitempty"`
}

// Road is one way of reading or acting, as it was tried.
type Road struct {
	OK  bool   `json:"ok"`
	Why string `json:"why"`
}

// Roads is the probe's result.
type Roads struct {
	Tree    Road `json:"tree"`
	Inject  Road `json:"inject"`
	Capture Road `json:"capture"`
	Apps    Road `json:"apps"`
}

// ProbeAnswer is the probe's answer.
type ProbeAnswer struct {
	Answer
	Handle Handle `json:"handle,omitempty"`
	Roads  Roads  `json:"roads"`
}

// StatusRequest asks how the session stands.
type StatusRequest struct {
	Common
}

// StatusAnswer says it.
type StatusAnswer struct {
	Answer
	Daemon string   `json:"daemon"`
	Held   []Handle `json:"held"`
	// Paused lists the windows the person drives now, Pauses since when.
	Paused []Handle `json:"paused"`
	Pauses []Pause  `json:"pauses"`
}

// Pause is a window of the session's that the person drives.
type Pause struct {
	Handle Handle    `json:"handle"`
	By     string    `json:"by"` // user
	Since  time.Time `json:"since"`
}
