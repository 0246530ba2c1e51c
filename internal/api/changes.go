package api

import (
	"fmt"
	"strings"
	"time"
)

// ChangesRequest follows a window the session reaches: what becomes of it, not
// what it shows. Without a timeout it lasts until the caller goes.
type ChangesRequest struct {
	Common
	Handle Handle `json:"handle"`
}

// Change is one thing that became of a window, and one line of the answer.
type Change struct {
	OK     bool      `json:"ok"`
	Handle Handle    `json:"handle"`
	At     time.Time `json:"at"`
	// Change is now (how it stands, the first line), title, opened, closed (a
	// dialog), paused (the person drives), handedBack, or ended, which is the
	// last.
	Change string `json:"change"`
	Title  string `json:"title"`
	// Window is the window as it stands, with now.
	Window *Window `json:"window,omitempty"`
	// Part is the dialog that was opened or closed.
	Part  *Part  `json:"part,omitempty"`
	Ended *Ended `json:"ended,omitempty"`
}

// Line is the change on one line.
func (c Change) Line() string {
	var b strings.Builder
	if c.Change == "now" && c.Window != nil {
		return c.Window.Line()
	}
	fmt.Fprintf(&b, "%s ", c.Handle)
	switch {
	case c.Change == "title":
		b.WriteString("title " + Quote(c.Title, labelRunes))
	case c.Part != nil:
		fmt.Fprintf(&b, "%s window %d, %s %s (%s)", c.Change, c.Part.N, c.Part.Kind, Quote(c.Part.Title, labelRunes), c.Part.Bounds)
	case c.Change == "paused":
		b.WriteString("paused: the person drives")
	case c.Change == "handedBack":
		b.WriteString("handed back")
	case c.Ended != nil:
		b.WriteString("ended: " + oneLine(c.Ended.Why))
	default:
		b.WriteString(oneLine(c.Change))
	}
	return b.String()
}

// text is the line.
func (c Change) text(b *strings.Builder) { b.WriteString(c.Line() + "\n") }
