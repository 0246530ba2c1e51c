package api

import "time"

// The identities that cross the socket. Each is its own type so that one
// cannot be handed in for another.
type (
	// SessionID is a session's label: unique among the living sessions of a uid.
	SessionID string
	// Handle names a window target, "w7". It is never given twice.
	Handle string
	// Ref names an element of a window, "@e12". It is never given twice in a window.
	Ref string
)

// DefaultSession is the one session of callers without a token.
const DefaultSession SessionID = "default"

// Caller is who asks, as the daemon decided it once for the connection. It
// never crosses the socket.
type Caller struct {
	Session SessionID
	// Owner is true for a caller that showed the owner credential: the person.
	Owner bool
	// Agent is a short description of the calling process for notices and audit.
	Agent string
}

// Size is a width and a height in device pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Point is a position in window coordinates.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Rect is a rectangle in window coordinates: (0,0) is the main window's top
// left corner.
type Rect struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Window is a window target as every answer shows it.
type Window struct {
	Handle Handle `json:"handle"`
	App    string `json:"app"`
	// Label is what an agent calls the browser it opened.
	Label string `json:"label,omitempty"`
	Title string `json:"title"`
	State string `json:"state"` // starting, ready, ended
	Rung  string `json:"rung"`  // xvfb, xpra
	// RungWhy is why the rung is not the one that was asked for, "" when it is.
	RungWhy string     `json:"rungWhy,omitempty"`
	Display string     `json:"display"`
	PID     int        `json:"pid"`
	Origin  string     `json:"origin"` // opened, shared, desktop, agent-browser
	Mode    Mode       `json:"mode"`
	Holder  *SessionID `json:"holder"`
	Input   string     `json:"input"` // agent, user
	// Driven is who drives it, while the person does; Lapsed the last takeover
	// when that ended by itself.
	Driven  *Driven `json:"driven,omitempty"`
	Lapsed  *Lapse  `json:"lapsed,omitempty"`
	Size    Size    `json:"size"`
	Pin     *Size   `json:"pin"`
	Visible bool    `json:"visible"`
	Ended   *Ended  `json:"ended,omitempty"`
	// Home is the name of a kept home, "" for one that ends with the window
	// and for the person's own.
	Home string `json:"home,omitempty"`
	// Windows lists the parts of the target: its main window, dialogs and popups.
	Windows []Part `json:"windows"`
	// Opener and Shares are told to the person alone, in their list: the session
	// that opened it, "" for the person, and who reaches it.
	Opener SessionID `json:"opener,omitempty"`
	Shares []Share   `json:"shares,omitempty"`
	// Questions counts those about it that wait for the person; theirs alone too.
	Questions int `json:"questions,omitempty"`
}

// Part is one X window of a target. N is what --window takes: 0 is the main
// window, and a number is never given twice in a target.
type Part struct {
	N      int    `json:"n"`
	Kind   string `json:"kind"` // main, dialog, popup
	Title  string `json:"title"`
	Bounds Rect   `json:"bounds"`
}

// Mode is which verbs a share carries.
type Mode struct {
	Share    string `json:"share"`    // auto, tree, pixels
	Resolved string `json:"resolved"` // tree, pixels
	Why      string `json:"why"`
}

// Ended says how a window target ended.
type Ended struct {
	Why string `json:"why"`
	// Status is what the application exited with, 128 and its number when a signal
	// ended it; null when it is not known or was not waited for.
	Status *int      `json:"status"`
	At     time.Time `json:"at"`
}

// Common is what every request may carry.
type Common struct {
	// TimeoutMs bounds the verb; 0 means the verb's own default.
	TimeoutMs int `json:"timeoutMs,omitempty"`
}

// Timing gives the request its bound; embedded, so that every request has it.
func (c Common) Timing() time.Duration { return time.Duration(c.TimeoutMs) * time.Millisecond }

// Answer is what every success carries.
type Answer struct {
	OK      bool      `json:"ok"`
	Session SessionID `json:"session,omitempty"`
	// Notices are sentences said once: a lease that passed on, a mode that
	// resolved again, several agents on the default session.
	Notices []string `json:"notices,omitempty"`
	// HandedBack tells, once, of windows that the person gave back.
	HandedBack []HandedBack `json:"handedBack,omitempty"`
}

// AppInfo is an application that can be opened here.
type AppInfo struct {
	App   string   `json:"app"`
	Name  string   `json:"name"`
	Kind  string   `json:"kind"` // desktop, configured, browser
	Exec  string   `json:"exec"`
	Needs []string `json:"needs"`
	// Icon is the file of its picture, PNG or SVG, "" for none.
	Icon string `json:"icon,omitempty"`
}

// AppsRequest asks what can be opened.
type AppsRequest struct {
	Common
}

// AppsAnswer lists it.
type AppsAnswer struct {
	Answer
	Apps []AppInfo `json:"apps"`
}

// OpenRequest starts an application. Launch (the person) and open (an agent)
// share it.
type OpenRequest struct {
	Common
	App   string   `json:"app"`
	Args  []string `json:"args,omitempty"`
	Title string   `json:"title,omitempty"`
	Size  *Size    `json:"size,omitempty"`
	Mode  string   `json:"mode,omitempty"`
	Rung  string   `json:"rung,omitempty"`
	Home  string   `json:"home,omitempty"`
	Env   []string `json:"env,omitempty"` // K=V
	// Dir is the caller's working directory: a relative path names a file there.
	Dir string `json:"dir,omitempty"`
	// URL and With are launch's alone: a page to open, a session to share with.
	URL  string `json:"url,omitempty"`
	With string `json:"with,omitempty"`
	// Remember keeps With for the application's later windows.
	Remember bool `json:"remember,omitempty"`
}

// OpenAnswer answers open, launch, attach and share.
type OpenAnswer struct {
	Answer
	Window   Window   `json:"window"`
	NotReady []string `json:"notReady,omitempty"`
	// Remembered is what is remembered for the application and was not applied
	// (launch): --with remembered applies it.
	Remembered []Remembered `json:"remembered,omitempty"`
	// TookMs and DisplayMs say how long the whole open and its display took.
	TookMs    int `json:"tookMs,omitempty"`
	DisplayMs int `json:"displayMs,omitempty"`
}

// ListRequest asks for the windows the session reaches, or, from the person,
// for all of them. Ended has the person's list tell of ended ones too.
type ListRequest struct {
	Common
	Ended bool `json:"ended,omitempty"`
}

// ListAnswer lists them. Of ended windows the newest few are listed; EndedMore
// counts those that are not.
type ListAnswer struct {
	Answer
	Windows   []Window `json:"windows"`
	EndedMore int      `json:"endedMore,omitempty"`
}

// HandleRequest names a window and nothing else: attach, detach, stop.
type HandleRequest struct {
	Common
	Handle Handle `json:"handle"`
}

// HandleAnswer answers detach, stop and end-hold.
type HandleAnswer struct {
	Answer
	Handle Handle `json:"handle"`
	// Ended counts the processes that ended with the window (stop).
	Ended int `json:"ended,omitempty"`
	// EndedBefore is how the window had ended already (stop).
	EndedBefore *Ended `json:"endedBefore,omitempty"`
	// Holder is who held the window until now (end-hold), "" for nobody.
	Holder SessionID `json:"holder,omitempty"`
	// EndsBy is when a browser the person drives ends at the latest (stop).
	EndsBy *time.Time `json:"endsBy,omitempty"`
}
