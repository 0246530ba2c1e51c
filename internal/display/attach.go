package display

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"vibespace/x11"
	"vibespace/xpra"
)

// ErrNotXpra says that a display is not on the rung xpra.
var ErrNotXpra = errors.New("the display is not on the rung xpra")

// Act is one thing a person does in a viewer that is attached to a display.
type Act = xpra.Act

// What a person does in a viewer.
const (
	ActKey    = xpra.ActKey
	ActButton = xpra.ActButton
	ActWheel  = xpra.ActWheel
	ActMove   = xpra.ActMove
	ActFocus  = xpra.ActFocus
	ActClose  = xpra.ActClose
	ActSize   = xpra.ActSize
)

// ErrViewerLeft says that the viewer of an attachment ended it.
var ErrViewerLeft = xpra.ErrLeft

const (
	// focusPoll is how often a window that is to get the keyboard is looked at,
	// focusLimit how long.
	focusPoll  = 10 * time.Millisecond
	focusLimit = time.Second
	// whereLimit bounds the look for where a menu belongs.
	whereLimit = time.Second
)

// Viewer is xpra's program, which is a viewer too. The error wraps ErrNoXpra and
// names what is missing.
func (d *Display) Viewer(ctx context.Context) (string, error) {
	return xpra.Viewer(ctx, d.cfg.Xpra)
}

// Attachment is a viewer of a display's windows on another desktop. What the
// person does there is read with Next, and what comes of it is the caller's.
type Attachment struct {
	*xpra.Relay
	d *Display
	g *guest
}

// Attach lets a viewer of xpra's see the windows of a display that is on that
// rung; id tells it from others. ctx bounds the call. It ends by Close, with the
// viewer, and when the display leaves the rung. It closes the viewer's connection.
func (d *Display) Attach(ctx context.Context, id string, viewer io.ReadWriteCloser) (*Attachment, error) {
	g, ok := d.WM().(*guest)
	if !ok {
		return nil, fmt.Errorf("attach to display %s: %w", d.id, ErrNotXpra)
	}
	r, err := xpra.NewRelay(ctx, xpra.RelayConfig{
		Socket: xpra.Socket(d.at.xpra()), ID: id, Viewer: viewer, Where: d.where,
	})
	if err != nil {
		return nil, fmt.Errorf("attach to display %s: %w", d.id, err)
	}
	return &Attachment{Relay: r, d: d, g: g}, nil
}

// where is a window's place on the display.
func (d *Display) where(xid uint32) (xpra.Rect, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), whereLimit)
	defer cancel()
	w, err := d.x.Window(ctx, x11.WindowID(xid))
	return xpra.Rect(w.Geometry), err == nil
}

// Raise brings a window to the front, or the modal dialog that holds it up.
func (a *Attachment) Raise(ctx context.Context, id x11.WindowID) error {
	_, err := a.g.raise(ctx, id, true)
	return err
}

// Focus gives a window the keyboard, or the modal dialog that holds it up, and
// waits until it has it. A menu that has it keeps it.
func (a *Attachment) Focus(ctx context.Context, id x11.WindowID) error {
	got, err := a.g.raise(ctx, id, false)
	if err != nil || got == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, focusLimit)
	defer cancel()
	tick := time.NewTicker(focusPoll)
	defer tick.Stop()
	for {
		if has, err := a.d.x.Focused(ctx); err == nil && has == got {
			return nil
		}
		select {
		case <-tick.C:
		case <-a.g.done:
			return xpra.ErrGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Resize gives a window another size where it is, unless it is held at one or
// covers the display: then it says false, and nothing is done.
func (a *Attachment) Resize(ctx context.Context, id x11.WindowID, to Size) (bool, error) {
	return a.g.resize(ctx, id, to)
}

// raise does what a click on a window does, and gives the window that gets the
// keyboard by it. Unless it is always, it does nothing when that one has it, or a
// menu, and gives 0.
func (g *guest) raise(ctx context.Context, id x11.WindowID, always bool) (x11.WindowID, error) {
	has, err := g.x.Focused(ctx)
	if err != nil {
		return 0, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.byID(id)
	if w == nil {
		return 0, x11.ErrNoWindow
	}
	front := g.modalOf(w)
	if !always && (has == front.id || has != 0 && g.byID(has) == nil) {
		return 0, nil
	}
	err = g.x.OfferFocus(ctx, front.id)
	g.focus(ctx, front)
	return front.id, err
}

// resize gives a window another size, as large as it may be.
func (g *guest) resize(ctx context.Context, id x11.WindowID, to Size) (bool, error) {
	now, err := g.x.Window(ctx, id)
	if err != nil {
		return false, err
	}
	wide, high := g.x.Screen()
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.byID(id)
	switch {
	case w == nil:
		return false, x11.ErrNoWindow
	case w.pin != nil || w.covers:
		return false, nil
	}
	to.W, to.H = now.Hints.Fit(max(1, min(to.W, wide)), max(1, min(to.H, high)))
	w.rect.W, w.rect.H = to.W, to.H
	w.free = w.rect
	return true, g.client.Configure(w.n, w.rect)
}
