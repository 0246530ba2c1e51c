package api

import (
	"fmt"
	"strings"
	"time"
)

// AttachRequest offers a window on the person's own desktop, the person's alone.
// It is the first message of an attachment, a websocket at
// /v1/person/attach-here. The daemon's first message is AttachAnswer; from then
// on binary messages carry, both ways, what a viewer of xpra's and its server
// say to each other. A text message of the daemon's is a refusal and the last.
type AttachRequest struct {
	Common
	Handle Handle `json:"handle"`
	// Desktop is the X display that the viewer is to be shown on.
	Desktop string `json:"desktop"`
}

// ownLimit is that of the move to the rung that the viewer needs.
func (r AttachRequest) ownLimit() time.Duration { return RungRequest{}.ownLimit() }

// AttachAnswer says that a viewer may come.
type AttachAnswer struct {
	Answer
	Window Window `json:"window"`
	// Program is the viewer to start, Viewer the one that drives the window when
	// the person does something there.
	Program string `json:"program"`
	Viewer  string `json:"viewer"`
	Desktop string `json:"desktop"`
}

// viewerAttached begins the name of every viewer that is attached.
const viewerAttached = "attach-here:"

// ViewerAttached is the name of an attached viewer; id tells it from others.
func ViewerAttached(id string) string { return viewerAttached + id }

// IsAttached says whether a viewer is one that is attached. It has no button to
// hand back with, so that every viewer of the person's may hand back for it.
func IsAttached(viewer string) bool { return strings.HasPrefix(viewer, viewerAttached) }

// text says how to work with it and how to end it.
func (a AttachAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s is shown on %s\n", a.Window.Line(), Quote(a.Desktop, labelRunes))
	fmt.Fprintf(b, "  a key or a click there takes it over; vibespace handback %s gives it back; Ctrl-C here ends showing it\n", a.Window.Handle)
	a.notices(b)
}
