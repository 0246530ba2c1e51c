package target

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/lease"
	"vibespace/x11"
)

const (
	// maxAttached bounds the viewers that are attached to a window at once.
	maxAttached = 4
	// letGoBound is how long letting go of what a viewer held may take.
	letGoBound = 2 * time.Second
	// onTopBound is how long a window may take to come to the front.
	onTopBound = time.Second
	// signEvery is how often a viewer that says something counts as there.
	signEvery = 3 * time.Second
)

// Attached is a window that may be shown on the person's own desktop: Serve shows
// it, Close gives the place free again.
type Attached struct {
	Answer api.AttachAnswer

	e *Engine
	w *window
	d *display.Display
	c api.Caller
	// viewer is who drives once the person does something there.
	viewer string
	at     *display.Attachment
}

// AttachHere prepares to show a window on the person's own desktop: its display
// is moved to the rung that can. Nothing of an agent's is disturbed by a viewer
// that only watches. The person's alone.
func (e *Engine) AttachHere(ctx context.Context, c api.Caller, r api.AttachRequest) (*Attached, error) {
	if err := ownerOnly(c, "attach-here"); err != nil {
		return nil, err
	}
	if r.Desktop == "" || len(r.Desktop) > maxViewer {
		return nil, api.Refuse(api.BadRequest, "%s is no X display", api.Quote(r.Desktop, 40)).WithHint("it is DISPLAY of the person's session")
	}
	a, err := doing(ctx, e, c, r.Handle, "attach-here", needReach|needLive, func(ctx context.Context, t *turn) (*Attached, error) {
		if sameDisplay(r.Desktop, t.d.Number()) {
			return nil, api.Refuse(api.BadRequest, "%s is the display of %s itself", r.Desktop, t.w.handle).
				WithHint("run it in a terminal of your own desktop")
		}
		program, err := t.d.Viewer(ctx)
		if err != nil {
			return nil, notMoved(t.w.handle, t.d, err)
		}
		if err := e.ontoXpra(ctx, t); err != nil {
			return nil, err
		}
		viewer := api.ViewerAttached(rand.Text()[:12])
		return &Attached{
			Answer: api.AttachAnswer{Answer: e.answer(c), Window: e.show(ctx, c, t.w), Program: program, Viewer: viewer, Desktop: r.Desktop},
			e:      e, w: t.w, d: t.d, c: c, viewer: viewer,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	if err := a.w.attach(); err != nil {
		return nil, err
	}
	return a, nil
}

// sameDisplay says whether DISPLAY names a display of this machine.
func sameDisplay(name, number string) bool {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "unix"), ".")
	return name == number
}

// ontoXpra moves the display of a window to the rung xpra, unless it is there.
func (e *Engine) ontoXpra(ctx context.Context, t *turn) error {
	done, err := t.w.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := t.again(ctx); err != nil {
		return err
	}
	return e.move(ctx, t, display.RungXpra)
}

// attach takes one of the places for viewers.
func (w *window) attach() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.attached >= maxAttached {
		return api.Refuse(api.Busy, "%s is shown on %d desktops already", w.handle, w.attached).WithHint("end one: Ctrl-C where it was begun")
	}
	w.attached++
	return nil
}

// Close gives the place of a viewer free. It is called once.
func (a *Attached) Close() {
	a.w.mu.Lock()
	defer a.w.mu.Unlock()
	a.w.attached--
}

// Serve shows the window in a viewer until one of them ends, and gives why it was
// not the viewer that did: nil when it was. It closes the connection at its end,
// once last was called with that reason.
func (a *Attached) Serve(ctx context.Context, conn io.ReadWriteCloser, last func(error)) error {
	at, err := a.d.Attach(ctx, a.viewer, conn)
	if err != nil {
		err = a.ended(err)
		last(err)
		_ = conn.Close()
		return err
	}
	a.at = at
	err = a.ended(a.run(ctx))
	a.letGo()
	last(err)
	at.Close()
	return err
}

// run does what the person does in the viewer until the end.
func (a *Attached) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.e.work.Go(func() {
		select {
		case <-a.w.down:
			cancel()
		case <-ctx.Done():
		}
	})
	for {
		act, err := a.next(ctx)
		if err != nil {
			return err
		}
		if act.Kind == 0 {
			continue
		}
		if err := a.do(ctx, act); err != nil && ctx.Err() == nil {
			a.e.cfg.Log.Debug("an act in an attached viewer was not done", "handle", a.w.handle, "kind", act.Kind, "err", err)
		}
	}
}

// next waits for an act, and shows meanwhile that the viewer is there as long as
// it says something. It may give none.
func (a *Attached) next(ctx context.Context) (display.Act, error) {
	bound, cancel := context.WithTimeout(ctx, signEvery)
	defer cancel()
	act, err := a.at.Next(bound)
	if _, drives := a.drives(); drives {
		a.w.signed(a.at.Heard())
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return display.Act{}, nil
	}
	return act, err
}

// ended says why a viewer is not served any more: nil when it left by itself.
func (a *Attached) ended(err error) error {
	// Xpra may end before the record of the end that it ends with.
	for end := time.Now().Add(endNotice); err != nil && !errors.Is(err, display.ErrViewerLeft) && !errors.Is(err, context.Canceled) &&
		a.w.alive() && time.Now().Before(end); {
		time.Sleep(readBackPoll)
	}
	if _, gone := a.w.live(); gone != nil {
		return forPerson(gone)
	}
	switch {
	case err == nil, errors.Is(err, display.ErrViewerLeft):
		return nil
	case errors.Is(err, context.Canceled):
		return err
	}
	if now, _ := a.d.Rung(); now != display.RungXpra {
		return api.Refuse(api.NotResponding, "%s is on the rung %s now, which shows it nowhere else", a.w.handle, now).
			WithHint("vibespace attach-here %s", a.w.handle)
	}
	return api.Refuse(api.NotResponding, "%s cannot be shown any more: %v", a.w.handle, err).WithHint("vibespace attach-here %s", a.w.handle)
}

// drives says whether the person drives the window from this viewer, and under
// which name. What they took over on the command line they drive from here.
func (a *Attached) drives() (viewer string, ok bool) {
	s := a.e.cfg.Leases.State(a.w.handle)
	return s.Driver, s.Input == lease.InputUser && (s.Driver == a.viewer || s.Driver == api.ViewerCLI)
}

// take takes the window over for this viewer, unless the person drives it from
// here already. It is false when they drive it from elsewhere.
func (a *Attached) take(ctx context.Context) (viewer string, ok bool) {
	if viewer, ok := a.drives(); ok {
		return viewer, true
	}
	if s := a.e.cfg.Leases.State(a.w.handle); s.Input == lease.InputUser && s.Driver != "" {
		return "", false
	}
	if _, err := a.e.Takeover(ctx, a.c, api.TakeoverRequest{Handle: a.w.handle, Viewer: a.viewer}); err != nil {
		a.e.cfg.Log.Debug("a window was not taken over by its attached viewer", "handle", a.w.handle, "err", err)
		return "", false
	}
	return a.drives()
}

// begins says of an act that it takes the window over: what a person means to do,
// unlike a pointer that passes, or a key that is held since before.
func begins(act display.Act) bool {
	switch act.Kind {
	case display.ActKey:
		return act.Down && !act.Again
	case display.ActButton:
		return act.Down
	case display.ActWheel, display.ActClose:
		return true
	}
	return false
}

// do does what the person did.
func (a *Attached) do(ctx context.Context, act display.Act) error {
	if act.Kind == display.ActSize {
		return a.size(ctx, act)
	}
	viewer, ok := a.drives()
	if !ok && begins(act) {
		viewer, ok = a.take(ctx)
	}
	if !ok {
		return nil
	}
	if act.Kind == display.ActClose {
		_, err := a.d.X().CloseWindow(ctx, x11.WindowID(act.Window))
		return err
	}
	_, err := a.e.touch(ctx, a.w, viewer, []touch{func(ctx context.Context, h *hand) error { return a.touch(ctx, h, act) }}, act.Kind != display.ActFocus)
	return err
}

// size follows a wish for another size. A window that is pinned keeps its own, and
// so does one that an agent holds: a viewer that watches changes nothing for it.
func (a *Attached) size(ctx context.Context, act display.Act) error {
	s := a.e.cfg.Leases.State(a.w.handle)
	_, drives := a.drives()
	if drives || s.Input != lease.InputUser && s.Holder == "" {
		done, err := a.at.Resize(ctx, x11.WindowID(act.Window), display.Size{W: act.W, H: act.H})
		if done || err != nil {
			return err
		}
	}
	return a.at.SizeBack(act.Window)
}

// touch does an act with the person's hand.
func (a *Attached) touch(ctx context.Context, h *hand, act display.Act) error {
	id := x11.WindowID(act.Window)
	switch act.Kind {
	case display.ActFocus:
		if id == 0 { // what is held is let go elsewhere
			return h.inj.ReleaseAll(ctx)
		}
		return a.focus(ctx, id, act.Menu)
	case display.ActKey:
		if act.Down && !act.Again {
			if err := a.focus(ctx, id, act.Menu); err != nil {
				return err
			}
		}
		return h.inj.Symbol(ctx, x11.Keysym(act.Key), act.Down)
	}
	return a.point(ctx, h, act)
}

// point does an act of the pointer.
func (a *Attached) point(ctx context.Context, h *hand, act display.Act) error {
	id := x11.WindowID(act.Window)
	at, err := h.in(ctx, id, api.Point{X: act.X, Y: act.Y})
	if err != nil {
		return err
	}
	if begins(act) {
		if err := a.onTop(ctx, h, id, act.Menu, at); err != nil {
			return err
		}
	}
	if err := h.inj.Move(ctx, at); err != nil {
		return err
	}
	switch act.Kind {
	case display.ActButton:
		return h.inj.Button(ctx, x11.Button(act.Button), act.Down)
	case display.ActWheel:
		for range act.By {
			if err := h.inj.Notch(ctx, wheel[act.Direction]); err != nil {
				return err
			}
		}
	}
	return nil
}

// errCovered says that another window lies where the person pointed: on their
// desktop it does not.
var errCovered = errors.New("another window is on top of it")

// onTop sees to it that a point of a window is of that window, as it is on the
// person's desktop. Menus are in front by themselves.
func (a *Attached) onTop(ctx context.Context, h *hand, id x11.WindowID, menu bool, at x11.Point) error {
	top, err := h.x.At(ctx, at)
	if err != nil || top == id {
		return err
	}
	if menu {
		return errCovered
	}
	if err := a.at.Raise(ctx, id); err != nil {
		return err
	}
	bound, cancel := context.WithTimeoutCause(ctx, onTopBound, errCovered)
	defer cancel()
	for {
		if top, err = h.x.At(bound, at); err == nil && top == id {
			return nil
		}
		select {
		case <-time.After(readBackPoll):
		case <-bound.Done():
			return context.Cause(bound)
		}
	}
}

// focus gives a window the keyboard, if it has it not. Menus take it by
// themselves.
func (a *Attached) focus(ctx context.Context, id x11.WindowID, menu bool) error {
	if menu || id == 0 {
		return nil
	}
	return a.at.Focus(ctx, id)
}

// letGo releases what a viewer held that has left. The window stays taken over
// for as long as one that went away may come back.
func (a *Attached) letGo() {
	viewer, ok := a.drives()
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), letGoBound)
	defer cancel()
	let := []touch{func(ctx context.Context, h *hand) error { return h.inj.ReleaseAll(ctx) }}
	if _, err := a.e.touch(ctx, a.w, viewer, let, false); err != nil && a.w.alive() {
		a.e.cfg.Log.Warn("what an attached viewer held may still be down", "handle", a.w.handle, "err", err)
	}
}
