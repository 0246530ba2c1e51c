package display

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"vibespace/x11"
	"vibespace/xpra"
)

const (
	// guestStep bounds one step of the guest; none waits for an application.
	guestStep = 5 * time.Second
	// settledAfter is how long a pinned window must keep its size to count as
	// settled, settleLimit how long that is waited for, settlePoll how often it is
	// looked at: toolkits answer a new size with wishes of their own.
	settledAfter = 150 * time.Millisecond
	settleLimit  = 2 * time.Second
	settlePoll   = 20 * time.Millisecond
	// maxAsserts bounds how often in a row a pinned size is set again, with less than
	// assertsApart between two.
	maxAsserts   = 20
	assertsApart = time.Second
	// maxKin bounds the walk from a dialog to what it belongs to: parents may be
	// stated in a circle.
	maxKin = 64
)

// guest manages the windows of a display through xpra, where xpra has a window
// manager's place: it is the viewer that asks for every window to be shown, and
// says where. It places them as our own window manager does.
type guest struct {
	x      *x11.Conn
	client *xpra.Client
	clicks *x11.Clicks
	over   sync.WaitGroup
	done   chan struct{}
	once   sync.Once
	err    error

	mu      sync.Mutex
	windows map[int]*guestWindow      // by xpra's count
	menus   map[int]x11.WindowID      // what no window manager touches; by xpra's count
	recent  []int                     // by focus, the latest last
	next    *Size                     // the pin of the next main window
	was     map[x11.WindowID]x11.Rect // the windows that were there, until all are taken
}

// guestWindow is one window that xpra manages.
type guestWindow struct {
	n             int
	id            x11.WindowID
	rect, free    xpra.Rect
	parent        int
	types         []string
	modal, covers bool // covers: fullscreen or maximised
	pin           *Size
	hints         []uint32 // its size hints before it was pinned
	asserted      int      // how often its pin was set again, and when last
	assertedAt    time.Time
}

// newGuest starts to manage what the client tells of, and leaves the windows that
// were there as they stood. It runs until Close or the client's end.
func newGuest(ctx context.Context, x *x11.Conn, client *xpra.Client, was standing) (*guest, error) {
	g := &guest{x: x, client: client, was: was.rects, windows: map[int]*guestWindow{}, menus: map[int]x11.WindowID{}, done: make(chan struct{})}
	var err error
	if g.clicks, err = x.Clicks(ctx, g.clicked); err != nil {
		return nil, err
	}
	x.SeeThrough(true)
	g.over.Go(func() {
		defer close(g.done)
		for _, e := range was.gather(client.C) {
			g.step(e)
		}
		g.settled(was.front())
		for e := range client.C {
			g.step(e)
		}
	})
	return g, nil
}

func (g *guest) Done() <-chan struct{} { return g.done }

// Close ends the guest; xpra, the windows and their frames stay as they are.
func (g *guest) Close() error {
	g.once.Do(func() {
		g.err = errors.Join(g.client.Close(), g.clicks.Close())
		g.over.Wait()
	})
	return g.err
}

// step handles one event. What fails because a window is gone is left alone: the
// event that says so follows. What fails because xpra is gone ends the feed.
func (g *guest) step(e xpra.Event) {
	ctx, cancel := context.WithTimeout(context.Background(), guestStep)
	defer cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.Kind == xpra.New {
		if e.Menu {
			g.menus[e.Window] = x11.WindowID(e.Meta.XID)
		} else {
			g.enter(ctx, e)
		}
		return
	}
	w := g.windows[e.Window]
	if w == nil {
		if e.Kind == xpra.Lost {
			delete(g.menus, e.Window)
			g.restore(ctx)
		}
		return
	}
	switch e.Kind {
	case xpra.Told:
		g.told(ctx, w, e.Meta)
	case xpra.Sized:
		g.sized(ctx, w, e)
	case xpra.Raised:
		g.focus(ctx, w)
	case xpra.Unplaced:
		_ = g.client.Map(w.n, w.rect)
	case xpra.Lost:
		delete(g.windows, w.n)
		g.recent = slices.DeleteFunc(g.recent, func(n int) bool { return n == w.n })
		if len(g.recent) > 0 {
			g.focus(ctx, g.windows[g.recent[len(g.recent)-1]])
		}
		g.restore(ctx)
	}
}

// enter shows a new window.
func (g *guest) enter(ctx context.Context, e xpra.Event) {
	w := &guestWindow{n: e.Window, id: x11.WindowID(e.Meta.XID), rect: e.Rect, parent: e.Meta.Parent, types: e.Meta.Types}
	w.note(e.Meta)
	if g.next != nil && (!w.isDialog() || len(g.windows) == 0) {
		w.pin, g.next = g.next, nil
		w.hints, _ = g.x.DropSteps(ctx, w.id)
	}
	_, known := g.was[w.id]
	if w.free = e.Rect; !known { // else it is where xpra found it
		w.free = g.place(ctx, w)
	}
	w.rect = g.target(ctx, w)
	g.windows[w.n] = w
	if g.client.Map(w.n, w.rect) != nil {
		return
	}
	quiet, _ := g.x.WantsNoFocus(ctx, w.id)
	switch {
	case known: // above those before it; who has the focus is decided when all are here
		g.recent = append(g.recent, w.n)
	case w.is("SPLASH") || quiet:
		g.recent = slices.Insert(g.recent, 0, w.n)
		g.guard(ctx)
		g.restore(ctx)
	default:
		g.focus(ctx, w)
	}
}

// settled gives the focus to the window that had it among those that were there.
func (g *guest) settled(front x11.WindowID) {
	ctx, cancel := context.WithTimeout(context.Background(), guestStep)
	defer cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.was = nil
	if w := g.byID(front); w != nil {
		g.focus(ctx, w)
	}
}

// note takes what is said of a window.
func (w *guestWindow) note(m xpra.Meta) {
	if m.Modal != nil {
		w.modal = *m.Modal
	}
	if m.Fullscreen != nil || m.Maximized != nil {
		w.covers = m.Fullscreen != nil && *m.Fullscreen || m.Maximized != nil && *m.Maximized
	}
	if m.Parent != 0 {
		w.parent = m.Parent
	}
}

func (w *guestWindow) is(kind string) bool {
	return slices.ContainsFunc(w.types, func(t string) bool { return strings.TrimPrefix(t, "_NET_WM_WINDOW_TYPE_") == kind })
}

// isDialog tells whether a window is one that comes and goes beside a main one.
func (w *guestWindow) isDialog() bool {
	return w.parent != 0 || w.is("DIALOG") || w.is("SPLASH") || w.is("UTILITY")
}

// monitor is what applications take for the screen.
func (g *guest) monitor(ctx context.Context) x11.Rect {
	m, err := g.x.Monitor(ctx)
	if err != nil {
		m = firstMonitor
	}
	return m
}

// place decides where a window is shown first: the main one in the monitor's
// corner, what belongs to another in the middle of that.
func (g *guest) place(ctx context.Context, w *guestWindow) xpra.Rect {
	m := g.monitor(ctx)
	r := xpra.Rect{X: m.X, Y: m.Y, W: min(w.rect.W, m.W), H: min(w.rect.H, m.H)}
	over := g.windows[w.parent]
	if over == nil && w.isDialog() && len(g.recent) > 0 {
		over = g.windows[g.recent[len(g.recent)-1]]
	}
	if over == nil {
		return r
	}
	r.X = max(m.X, min(over.rect.X+(over.rect.W-r.W)/2, m.X+m.W-r.W))
	r.Y = max(m.Y, min(over.rect.Y+(over.rect.H-r.H)/2, m.Y+m.H-r.H))
	return r
}

// target is the rectangle a window should have now.
func (g *guest) target(ctx context.Context, w *guestWindow) xpra.Rect {
	m := g.monitor(ctx)
	switch {
	case w.pin != nil:
		width, height := w.pin.W, w.pin.H
		if now, err := g.x.Window(ctx, w.id); err == nil {
			h := now.Hints
			h.IncW, h.IncH = 0, 0
			width, height = h.Fit(width, height)
		}
		return xpra.Rect{X: m.X, Y: m.Y, W: width, H: height}
	case w.covers:
		return xpra.Rect{X: m.X, Y: m.Y, W: m.W, H: m.H}
	}
	return w.free
}

// told follows what a window says of itself.
func (g *guest) told(ctx context.Context, w *guestWindow, m xpra.Meta) {
	before := w.covers
	w.note(m)
	if w.covers != before {
		w.rect = g.target(ctx, w)
		_ = g.client.Configure(w.n, w.rect)
	}
}

// sized follows a window that was given another size by its application, or by a
// viewer. A pinned one gets its own back.
func (g *guest) sized(ctx context.Context, w *guestWindow, e xpra.Event) {
	now := e.Rect
	if !e.At {
		now.X, now.Y = w.rect.X, w.rect.Y
	}
	if w.pin == nil {
		w.rect = now
		if !w.covers {
			w.free = now
		}
		return
	}
	if time.Since(w.assertedAt) > assertsApart {
		w.asserted = 0
	}
	if w.rect = g.target(ctx, w); w.rect == now || w.asserted >= maxAsserts {
		return
	}
	w.asserted++
	w.assertedAt = time.Now()
	// It may have stated steps between its sizes again.
	if hints, err := g.x.DropSteps(ctx, w.id); err == nil && hints != nil {
		w.hints = hints
	}
	_ = g.client.Configure(w.n, w.rect)
}

// focus raises and focuses a window, or the modal dialog that holds it up.
func (g *guest) focus(ctx context.Context, w *guestWindow) {
	w = g.modalOf(w)
	g.recent = append(slices.DeleteFunc(g.recent, func(n int) bool { return n == w.n }), w.n)
	_ = g.client.Focus(w.n)
	g.guard(ctx)
}

// restore gives the focus to the window that was used last when no window has it:
// a menu that had it took it along, and xpra gives none to a window that it
// believes to have it.
func (g *guest) restore(ctx context.Context) {
	if len(g.recent) == 0 {
		return
	}
	has, err := g.x.Focused(ctx)
	if err != nil || g.byID(has) != nil {
		return
	}
	for _, id := range g.menus {
		if id == has && id != 0 {
			return
		}
	}
	w := g.modalOf(g.windows[g.recent[len(g.recent)-1]])
	g.focus(ctx, w)
	_ = g.x.OfferFocus(ctx, w.id)
}

// modalOf is the latest modal dialog that belongs to a window, or the window.
func (g *guest) modalOf(w *guestWindow) *guestWindow {
	for _, n := range slices.Backward(g.recent) {
		if o := g.windows[n]; o.modal && o != w && g.kinOf(o, w.n) {
			return o
		}
	}
	return w
}

// kinOf tells whether a window belongs to another, by any number of others.
func (g *guest) kinOf(w *guestWindow, ancestor int) bool {
	for range maxKin {
		if w == nil || w.parent == 0 {
			return false
		}
		if w.parent == ancestor {
			return true
		}
		w = g.windows[w.parent]
	}
	return false
}

// guard has the clicks on windows that are not in front come here first.
func (g *guest) guard(ctx context.Context) {
	var behind []x11.WindowID
	for n, w := range g.windows {
		if w.id != 0 && (len(g.recent) == 0 || n != g.recent[len(g.recent)-1]) {
			behind = append(behind, w.id)
		}
	}
	_ = g.clicks.Watch(ctx, behind...)
}

// clicked brings a window to the front before its click reaches it. Its focus is
// set through the server itself, which is asked before the click goes on.
func (g *guest) clicked(id x11.WindowID) {
	ctx, cancel := context.WithTimeout(context.Background(), guestStep)
	defer cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.byID(id)
	if w == nil {
		return
	}
	_ = g.x.OfferFocus(ctx, g.modalOf(w).id)
	g.focus(ctx, w)
}

func (g *guest) byID(id x11.WindowID) *guestWindow {
	for _, w := range g.windows {
		if w.id == id && id != 0 {
			return w
		}
	}
	return nil
}

// pins are the sizes that windows are held at; 0 stands for the next main one.
func (g *guest) pins() map[x11.WindowID]Size {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := map[x11.WindowID]Size{}
	for _, w := range g.windows {
		if w.pin != nil {
			out[w.id] = *w.pin
		}
	}
	if g.next != nil {
		out[0] = *g.next
	}
	return out
}

// Pin holds a window at a size; see [Manager].
func (g *guest) Pin(ctx context.Context, id x11.WindowID, w, h int) (x11.Pinned, error) {
	if err := g.pin(ctx, id, Size{w, h}); err != nil {
		return x11.Pinned{}, err
	}
	return g.settle(ctx, id, w, h)
}

func (g *guest) pin(ctx context.Context, id x11.WindowID, size Size) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.byID(id)
	if w == nil {
		return x11.ErrNoWindow
	}
	hints, err := g.x.DropSteps(ctx, id)
	if err != nil {
		return err
	}
	if hints != nil {
		w.hints = hints
	}
	w.pin, w.asserted = &size, 0
	w.rect = g.target(ctx, w)
	return g.client.Configure(w.n, w.rect)
}

// settle waits until a pinned window has had its size for a while, and says what
// size it has.
func (g *guest) settle(ctx context.Context, id x11.WindowID, w, h int) (x11.Pinned, error) {
	tick := time.NewTicker(settlePoll)
	defer tick.Stop()
	limit := time.Now().Add(settleLimit)
	since := time.Now()
	for {
		now, err := g.x.Window(ctx, id)
		if err != nil {
			return x11.Pinned{}, err
		}
		out := x11.Pinned{WantW: w, WantH: h, GotW: now.Geometry.W, GotH: now.Geometry.H, Hints: now.Hints}
		if !out.Exact() {
			since = time.Now()
		}
		if time.Since(since) >= settledAfter || time.Now().After(limit) {
			return out, nil
		}
		select {
		case <-tick.C:
		case <-g.done:
			return x11.Pinned{}, xpra.ErrGone
		case <-ctx.Done():
			return x11.Pinned{}, context.Cause(ctx)
		}
	}
}

// PinNext pins the next main window; see [Manager].
func (g *guest) PinNext(_ context.Context, w, h int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next = &Size{w, h}
	return nil
}

// Unpin lets a window go; see [Manager].
func (g *guest) Unpin(ctx context.Context, id x11.WindowID) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.byID(id)
	if w == nil || w.pin == nil {
		return nil
	}
	w.pin, w.free = nil, w.rect
	if w.hints == nil {
		return nil
	}
	hints := w.hints
	w.hints = nil
	return g.x.SetSizeHints(ctx, id, hints)
}
