package target

import (
	"cmp"
	"context"
	"sync"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// window is one window target: an application on a display of its own, with
// everything the engine remembers of it.
type window struct {
	handle  api.Handle
	app     string
	title   string // given at open; "" shows the application's own
	origin  string // opened, shared, agent-browser
	label   string // an agent's own name for its browser
	profile string // the directory of a browser's kept profile, "" for one that ends with the display
	blind   string // why it is not asked for a tree, "" when it is
	// host is set for a browser that another engine drives.
	host *hosted
	// pageless is a browser that was given no page: its tree has none either.
	pageless bool
	noPin    bool // --size auto: pixels do not pin it
	opener   api.SessionID
	home     string       // the name of a kept home
	rung     display.Rung // that was asked for
	created  time.Time
	program  program

	refs *refs
	// act is held by the verb that is acting; one at a time a window. steer is
	// held while how it is driven changes, and while the person's input goes in.
	act, steer chan struct{}

	seeing sync.Mutex // guards what was painted of it; taken before mu

	mu        sync.Mutex
	state     string // starting, ready, ended
	display   *display.Display
	proc      *lifeline
	pid       int
	number    string
	ended     *api.Ended
	mode      resolved
	pin       *api.Size
	main      x11.WindowID
	parts     map[x11.WindowID]int
	running   map[*turn]struct{} // verbs that can be cut
	driven    *driving           // while the person drives
	lapsed    *api.Lapse         // how that ended last, if by itself
	attached  int                // viewers on the person's own desktop
	meanwhile meanwhile
	nextN     int
	gen       int
	known     map[api.SessionID]memory
	apps      map[string]atspi.App // who is on the bus, by name
	kept      *keeping             // once it was read
	board     *x11.Clipboard       // once somebody asked for it
	stream    *stream              // while somebody watches
	acts      uint64               // how many acts have reached it
	sight     sight                // what the last reading told
	moved     bool                 // an act since may have moved the keyboard focus
	veils     map[atspi.Ref]bool   // elements that were typed into
	veiled    bool                 // something was typed into a place that is not known
	traced    *tracing             // the last act, until its second picture is taken
	shown     display.ID           // its display, also once that has ended
	asked     string               // the mode asked for at open
	took      time.Duration        // how long the display took to start
	words     []string             // the application's last ones
	footprint footprint            // its memory
	// down is closed when the window has ended and its display is gone.
	down chan struct{}
	// burying is true once somebody ends the display; killed is how many
	// processes that took, to be read after down.
	burying bool
	// orphaned is true once the session that opened it has ended.
	orphaned bool
	ending   bool // it ends once the person is done with it, by endsBy at the latest
	endsBy   time.Time
	killed   int
}

// resolved is what auto came to, and why.
type resolved struct {
	mode string // tree, pixels
	why  string
	// late is a tree that was waited for in vain, and may still come.
	late bool
}

// rungLocked is who manages the window's display, and why that is not who was
// asked for; before there is one, who is to.
func (w *window) rungLocked() (rung display.Rung, why string) {
	if w.display == nil {
		return w.rung, ""
	}
	return w.display.Rung()
}

// newWindow makes a window that is starting.
func newWindow(h api.Handle, p program, r api.OpenRequest, opener api.SessionID, origin string) *window {
	return &window{
		handle: h, app: p.name, title: r.Title, origin: origin, opener: opener, home: r.Home,
		created: time.Now().UTC(), program: p, refs: newRefs(), act: make(chan struct{}, 1), steer: make(chan struct{}, 1),
		rung: cmp.Or(display.Rung(r.Rung), display.RungPlain), state: "starting", parts: map[x11.WindowID]int{}, known: map[api.SessionID]memory{}, running: map[*turn]struct{}{},
		mode: resolved{mode: "tree", why: "not looked at yet"}, down: make(chan struct{}),
	}
}

// alive says whether the window's display is there.
func (w *window) alive() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended == nil
}

// endedAt is when the window ended, zero while it lives.
func (w *window) endedAt() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		return time.Time{}
	}
	return w.ended.At
}

// live gives the display, or the refusal of a window that has ended.
func (w *window) live() (*display.Display, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ended != nil:
		return nil, api.Refuse(api.NotLive, "%s has ended: %s", w.handle, w.ended.Why).
			WithHint("vibespace-window open %s", w.app).With("ended", w.ended)
	case w.display == nil:
		return nil, api.Refuse(api.NotLive, "%s is still starting", w.handle).
			WithHint("vibespace-window list")
	}
	return w.display, nil
}

// resolution is what auto came to for this window.
func (w *window) resolution() resolved {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mode
}

// lock waits for the window's turn to act, and gives the way to end it. A verb
// of a batch has its batch's turn.
func (w *window) lock(ctx context.Context) (func(), error) {
	if inBatch(ctx, w) {
		return func() {}, nil
	}
	select {
	case w.act <- struct{}{}:
		return func() { <-w.act }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// memory is what one session knows of a window. said is the view it was told,
// in whole or by diffs that left nothing out; seen is the view an act looked at
// last, whether it was told or not.
type memory struct {
	said *told
	seen *told
}

// knows gives what a session knows.
func (w *window) knows(s api.SessionID) memory {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[s]
}

// tellsAll keeps that a session was told a view.
func (w *window) tellsAll(s api.SessionID, t *told) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[s] = memory{said: t, seen: t}
}

// looks keeps a view that was looked at for a session. whole says that the
// session was told all that differs from the view that was seen before.
func (w *window) looks(s api.SessionID, t *told, whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.known[s]
	if whole && m.said != nil && m.said == m.seen {
		m.said = t
	}
	m.seen = t
	w.known[s] = m
}
