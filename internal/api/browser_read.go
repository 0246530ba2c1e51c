package api

import (
	"encoding/json"
	"time"
)

// PageSnapshotRequest asks for a page's tree.
type PageSnapshotRequest struct {
	PageRequest
	All   bool `json:"all,omitempty"`
	Root  Ref  `json:"root,omitempty"`
	Depth int  `json:"depth,omitempty"`
	Diff  bool `json:"diff,omitempty"`
	// MaxBytes bounds the text; 0 is 24 KiB, and at most 256 KiB are given.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// Frame is one document of a page. The nodes of a frame lie below the node
// Ref, nil for the page's own.
type Frame struct {
	Ref    *Ref   `json:"ref"`
	URL    string `json:"url"`
	Origin string `json:"origin"` // "null" is an opaque one
	// CrossOrigin: it does not have the origin of the page.
	CrossOrigin bool `json:"crossOrigin,omitempty"`
	// Unreadable says why its nodes are missing.
	Unreadable string `json:"unreadable,omitempty"`
}

// PageSnapshot is a page's tree as a reader sees it. The nodes are those of
// windows with the roles of ARIA; bounds are CSS pixels of the viewport, and lie
// outside of it for what is scrolled away. What pages add to the states:
// "listener" (it is no control, and a script listens on it for clicks), "pointer"
// (it is no control, and shows the pointer of one), "aria-hidden" (it is shown,
// and hidden from readers), "secret" (a field that holds a secret: its value is
// never told), "transparent", "offscreen" and "unreadable".
type PageSnapshot struct {
	PageAnswer
	Generation int    `json:"generation"`
	Viewport   Size   `json:"viewport"`
	Nodes      []Node `json:"nodes"`
	Census     Census `json:"census"`
	Cut        *Cut   `json:"cut"`
	// Diff replaces the nodes when it was asked for: "+ line", "~ line" and
	// "- line" since the last snapshot of this document.
	Diff   []string `json:"diff,omitempty"`
	Diffed bool     `json:"diffed,omitempty"`
	Frames []Frame  `json:"frames"`
	// Scrolled is the page's scroll position.
	Scrolled Point `json:"scrolled"`
	// Source is accessibility, or script for a page too large to be read whole.
	Source     string `json:"source"`
	TookMs     int    `json:"tookMs"`
	RoundTrips int    `json:"roundTrips"`
}

// PageFindRequest asks for refs. Name is a substring, or /re/.
type PageFindRequest struct {
	PageRequest
	Role  string `json:"role,omitempty"`
	Name  string `json:"name,omitempty"`
	State string `json:"state,omitempty"`
}

// PageFindAnswer lists the nodes found.
type PageFindAnswer struct {
	PageAnswer
	Nodes  []Node `json:"nodes"`
	Census Census `json:"census"`
	Cut    *Cut   `json:"cut"`
}

// PageGetRequest asks for one element, read anew.
type PageGetRequest struct {
	PageRequest
	Ref  Ref    `json:"ref"`
	What string `json:"what,omitempty"` // text, value, attr, html; "" is the node
	Attr string `json:"attr,omitempty"`
}

// PageGetAnswer is the element and what was asked of it. Got is nil when the
// element does not have it; Hidden says that it has it and it is a secret.
type PageGetAnswer struct {
	PageAnswer
	Node   Node    `json:"node"`
	What   string  `json:"what"`
	Got    *string `json:"got"`
	Hidden bool    `json:"hidden,omitempty"`
	Cut    *Cut    `json:"cut"`
}

// PageWaitRequest waits for the conditions named, all of them.
type PageWaitRequest struct {
	PageRequest
	Text string `json:"text,omitempty"`
	// URL is a part of the page's URL, or /re/.
	URL string `json:"url,omitempty"`
	// Ref must be there and showing, Gone must not be there any more.
	Ref  Ref  `json:"ref,omitempty"`
	Gone Ref  `json:"gone,omitempty"`
	Load bool `json:"load,omitempty"`
	// IdleMs is how long the page must neither load nor change.
	IdleMs int `json:"idleMs,omitempty"`
}

// PageWaitAnswer says what was met.
type PageWaitAnswer struct {
	PageAnswer
	Met    string `json:"met"`
	TookMs int    `json:"tookMs"`
}

// ExtractRequest asks for what a page, or one element of it, says.
type ExtractRequest struct {
	PageRequest
	Ref    Ref    `json:"ref,omitempty"`
	Format string `json:"format,omitempty"` // markdown (default), text, json-table
}

// ExtractAnswer is it. Tables is set for json-table alone.
type ExtractAnswer struct {
	PageAnswer
	Format string      `json:"format"`
	Text   string      `json:"text"`
	Tables []PageTable `json:"tables,omitempty"`
	Cut    *Cut        `json:"cut"`
}

// PageTable is one table of a page.
type PageTable struct {
	Caption string     `json:"caption,omitempty"`
	Head    []string   `json:"head"`
	Rows    [][]string `json:"rows"`
}

// PageScreenshotRequest asks for a picture of the viewport, of the whole page,
// or of one element.
type PageScreenshotRequest struct {
	PageRequest
	Full   bool   `json:"full,omitempty"`
	Ref    Ref    `json:"ref,omitempty"`
	Format string `json:"format,omitempty"` // png (default), jpeg
	// Out is an absolute path the daemon writes for the caller (same uid);
	// "" puts the picture under the state directory.
	Out string `json:"out,omitempty"`
}

// PageScreenshotAnswer says where the picture is and which part of the page it
// shows: page = origin + pixel/scale, in CSS pixels.
type PageScreenshotAnswer struct {
	PageAnswer
	Path   string  `json:"path"`
	W      int     `json:"w"`
	H      int     `json:"h"`
	Origin Point   `json:"origin"`
	Scale  float64 `json:"scale"`
	SHA256 string  `json:"sha256"`
	Bytes  int     `json:"bytes"`
	// Clipped is what was asked for, when less is shown.
	Clipped *Rect `json:"clipped"`
	TookMs  int   `json:"tookMs"`
}

// PageLogRequest asks for what a page said: console, errors and requests share
// it.
type PageLogRequest struct {
	PageRequest
	// Tail is how many of the last entries; 0 is 100, which is also the most.
	Tail int `json:"tail,omitempty"`
}

// Logged is a line a page logged, or a fault of it.
type Logged struct {
	At    time.Time `json:"at"`
	Level string    `json:"level"` // log, info, warning, error, debug
	Text  string    `json:"text"`
	URL   string    `json:"url,omitempty"`
	Line  int       `json:"line,omitempty"`
}

// Requested is something a page asked the network for, without headers, bodies
// and the values of its query.
type Requested struct {
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	URL    string    `json:"url"`
	Type   string    `json:"type"`
	Status *int      `json:"status"`
	// Failed is why there is no answer.
	Failed string `json:"failed,omitempty"`
	TookMs *int   `json:"tookMs"`
}

// LoggedAnswer answers console and errors, oldest first. Dropped counts what
// came before and is not kept; Cut what is kept and was not handed out.
type LoggedAnswer struct {
	PageAnswer
	Entries []Logged `json:"entries"`
	Dropped int      `json:"dropped"`
	Cut     *Cut     `json:"cut"`
}

// RequestsAnswer answers requests, oldest first.
type RequestsAnswer struct {
	PageAnswer
	Entries []Requested `json:"entries"`
	Dropped int         `json:"dropped"`
	Cut     *Cut        `json:"cut"`
}

// EvalRequest runs a script in the page, where the configuration allows it.
type EvalRequest struct {
	PageRequest
	Script string `json:"script"`
}

// EvalAnswer is what the script gave, as JSON, and what its running did.
type EvalAnswer struct {
	PageAnswer
	Value   json.RawMessage `json:"value"`
	Effects []Effect        `json:"effects"`
	Cut     *Cut            `json:"cut"`
}
