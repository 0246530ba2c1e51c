package api

import "time"

// ViewerCLI is the viewer of a takeover that names none: the command line. It
// shows no sign of life, so that it lapses only by idle.
const ViewerCLI = "cli"

// TakeoverRequest gives a window to the person, who drives it from a viewer.
type TakeoverRequest struct {
	Common
	Handle Handle `json:"handle"`
	// Viewer names who drives: any word that is the viewer's own for as long as
	// it runs, "" for the command line. Every viewer but the command line shows
	// that it is there with person/driving or person/input.
	Viewer string `json:"viewer,omitempty"`
	// Layout is the keyboard the person presses, as XKB names it: "fr", "de",
	// "us(dvorak)". The window's display has it until the window is handed back;
	// "" leaves the display's own.
	Layout string `json:"layout,omitempty"`
}

// Driven is a window while the person drives it.
type Driven struct {
	// Viewer drives it; "" after the daemon was started again, when nobody does
	// and the window is paused all the same.
	Viewer string    `json:"viewer"`
	Since  time.Time `json:"since"`
	Layout string    `json:"layout,omitempty"`
}

// Why a takeover ends by itself: a face that speaks another language knows them.
const (
	LapseIdle = "nobody did anything in it for a while"
	LapseAway = "the viewer that drove it went away"
)

// Lapse is a takeover that ended by itself.
type Lapse struct {
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

// TakeoverAnswer answers takeover and driving. From the answer to a takeover on
// nothing more reaches the window from any agent, and no key is down.
type TakeoverAnswer struct {
	Answer
	Handle Handle `json:"handle"`
	Driven Driven `json:"driven"`
	// Interrupted is what was cut.
	Interrupted []Interrupted `json:"interrupted"`
	// IdleMs and AwayMs are after how long without input, and without a sign of
	// life, the window goes back by itself; AwayMs is 0 for the command line.
	IdleMs int `json:"idleMs"`
	AwayMs int `json:"awayMs"`
}

// HandbackRequest gives a window back to its agent.
type HandbackRequest struct {
	Common
	Handle Handle `json:"handle"`
	Viewer string `json:"viewer,omitempty"`
	// Note is what the agent should know; it is told with its next command.
	Note string `json:"note,omitempty"`
}

// HandbackAnswer answers it. Told is the session that will be told, nil when
// nobody holds the window.
type HandbackAnswer struct {
	Answer
	Handle Handle     `json:"handle"`
	Told   *SessionID `json:"told"`
	// NotTaken is true for a window that was not taken over: nothing was done.
	NotTaken    bool          `json:"notTaken,omitempty"`
	Interrupted []Interrupted `json:"interrupted"`
	Refused     []Refused     `json:"refused"`
}

// DrivingRequest is a viewer's sign of life; one in ten seconds is plenty.
type DrivingRequest struct {
	Common
	Handle Handle `json:"handle"`
	Viewer string `json:"viewer,omitempty"`
}

// InputRequest is what the person did in the viewer that drives, in order. It
// reaches the window at once and is recorded nowhere.
type InputRequest struct {
	Common
	Handle Handle       `json:"handle"`
	Viewer string       `json:"viewer,omitempty"`
	Events []InputEvent `json:"events"`
}

// InputEvent is one of:
//
//	{"do":"press","key":"eacute"}  {"do":"release","key":"eacute"}   by keysym name or character
//	{"do":"press","code":26}       {"do":"release","code":26}        by X keycode, in the layout of the takeover
//	{"do":"text","text":"…"}                                          pasted text, whatever the layout
//	{"do":"move","at":{…}}                                            window coordinates
//	{"do":"down","button":"left","at":{…}}  {"do":"up","button":"left","at":{…}}   at may be absent
//	{"do":"scroll","direction":"down","by":1,"at":{…}}                held keys stay held
//	{"do":"letgo"}                                                     every key and button up
//
// A press of a key that is down is a repeat of it.
type InputEvent struct {
	Do        string `json:"do"`
	Key       string `json:"key,omitempty"`
	Code      int    `json:"code,omitempty"`
	Text      string `json:"text,omitempty"`
	At        *Point `json:"at,omitempty"`
	Button    string `json:"button,omitempty"`    // left, middle, right
	Direction string `json:"direction,omitempty"` // up, down, left, right
	By        int    `json:"by,omitempty"`
}

// InputAnswer says how many of the events were done: all, in an answer.
type InputAnswer struct {
	Answer
	Handle Handle `json:"handle"`
	Done   int    `json:"done"`
}

// Interrupted is a verb that a takeover cut.
type Interrupted struct {
	Session SessionID `json:"session"`
	At      time.Time `json:"at"`
	Did     Did       `json:"did"`
}

// Refused is a verb that was refused while the person drove; Times counts those
// that followed each other.
type Refused struct {
	Session SessionID `json:"session"`
	Verb    string    `json:"verb"`
	At      time.Time `json:"at"`
	Times   int       `json:"times"`
}

// HandedBack is what a session is told once, with its next command, of a window
// that came back to it: how things stand, the note, what was interrupted, and
// what was refused. Every ref from before is stale until the next snapshot.
type HandedBack struct {
	Handle Handle `json:"handle"`
	Title  string `json:"title"`
	// Diff is what changed since the session was last told of the window; Failed
	// says why there is none.
	Diff   []string `json:"diff"`
	Failed string   `json:"failed,omitempty"`
	// How is "note" when the person gave it back, "idle" or "away" when the
	// takeover lapsed.
	How         string        `json:"how"`
	Note        string        `json:"note"`
	Interrupted []Interrupted `json:"interrupted"`
	Refused     []Refused     `json:"refused"`
	// RefusedMore counts what the bounded list has no room for.
	RefusedMore int       `json:"refusedMore,omitempty"`
	Since       time.Time `json:"since"`
	At          time.Time `json:"at"`
}
