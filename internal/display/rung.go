package display

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"vibespace/internal/proc"
	"vibespace/x11"
	"vibespace/xpra"
)

// Rung is who shows and places the windows of a display. The server, the buses
// and the applications are the same on both.
type Rung string

// The rungs of a display.
const (
	// RungPlain has our own window manager on it.
	RungPlain Rung = "xvfb"
	// RungXpra has xpra on it, so that a window can be shown on another desktop.
	RungXpra Rung = "xpra"
)

// xpraLimit bounds the start of xpra: two seconds, and many times that on a
// machine that swaps.
const xpraLimit = 30 * time.Second

// rejoinLimit bounds how long an xpra that runs may take to let us in again: a
// tenth of a second, and many times that on a machine that swaps.
const rejoinLimit = 12 * time.Second

// fallBackLimit bounds how long a display may take to get our own window manager
// in place of an xpra that ended.
const fallBackLimit = 10 * time.Second

// fallBackPause lies between two attempts at that.
const fallBackPause = 2 * time.Second

// ErrNoXpra says that this machine has no xpra that works; the error names what it
// lacks.
var ErrNoXpra = xpra.ErrMissing

// Manager shows, places and focuses the windows of a display and holds those that
// are pinned at their size: our own window manager, or xpra through us.
type Manager interface {
	// Pin holds a window at a size in the monitor's corner until Unpin, and says
	// what became of it.
	Pin(ctx context.Context, id x11.WindowID, w, h int) (x11.Pinned, error)
	// PinNext pins the next main window before it is shown.
	PinNext(ctx context.Context, w, h int) error
	// Unpin lets a window go.
	Unpin(ctx context.Context, id x11.WindowID) error
	// Done is closed when it manages nothing any more.
	Done() <-chan struct{}
	// Close ends it; the windows stay as they are.
	Close() error
}

// WM is what manages its windows now.
func (d *Display) WM() Manager {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wm
}

// Rung is who manages its windows now, and why that is not who was asked for; ""
// when it is.
func (d *Display) Rung() (r Rung, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rung, d.rungWhy
}

// manage makes m the one that manages the display's windows.
func (d *Display) manage(m Manager, r Rung, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wm, d.rung, d.rungWhy = m, r, why
}

// startManager starts what was asked for, or our own window manager with the
// reason.
func (d *Display) startManager(ctx context.Context) error {
	if d.cfg.Rung != RungXpra {
		return d.startWM(ctx, "")
	}
	// The record is written when the rest of the display is there, too.
	later := func(context.Context) error { return nil }
	part, cancel := mostOf(ctx)
	defer cancel()
	err := d.phase("xpra", func() error { return d.startXpra(part, later, standing{}) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	d.cfg.Log.Warn("the display goes without xpra", "display", d.id, "err", err)
	d.find.forget(WhatXpra)
	return d.takeOverWM(ctx, err.Error())
}

// mostOf bounds a part after which another one must still find time.
func mostOf(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := xpraLimit
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)*2/3)
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("not ready after %v", limit.Round(time.Second)))
}

// untilQuit bounds what the end of the display cuts short.
func (d *Display) untilQuit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	go func() {
		select {
		case <-d.quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// Move puts another manager on a display that runs: the applications and what is
// in them stay as they are. Pins are the caller's to set again. A move that fails
// leaves the display with our own window manager; ErrDead is a display that ended.
func (d *Display) Move(ctx context.Context, to Rung) error {
	if err := d.move(ctx, to); err != nil {
		return fmt.Errorf("move display %s to %s: %w", d.id, to, err)
	}
	return nil
}

func (d *Display) move(ctx context.Context, to Rung) error {
	if to == RungXpra {
		// What is missing is said before anything is touched.
		if _, err := xpra.Program(ctx, d.cfg.Xpra); err != nil {
			return err
		}
	}
	d.moving.Lock()
	defer d.moving.Unlock()
	if closed(d.quit) || closed(d.done) {
		return ErrDead
	}
	if now, _ := d.Rung(); now == to {
		return nil
	}
	// Half a move is no state to leave a display in, but for the one that is ended.
	ctx, cancel := d.untilQuit(context.WithoutCancel(ctx), xpraLimit+fallBackLimit)
	defer cancel()
	was := d.standing(ctx, false)
	if err := d.WM().Close(); err != nil {
		d.cfg.Log.Warn("a window manager did not end in order", "display", d.id, "err", err)
	}
	var err error
	if to == RungXpra {
		if err = d.startXpra(ctx, d.writeRecord, was); err == nil {
			return d.writeRecord(ctx)
		}
	}
	if closed(d.quit) {
		return ErrDead // what is left of it is the end's
	}
	return errors.Join(err, d.leaveXpra(ctx))
}

// leaveXpra ends xpra, if there is any, and has our own window manager take its
// windows.
func (d *Display) leaveXpra(ctx context.Context) error {
	err := errors.Join(d.endXpra(ctx), d.takeOverWM(ctx, ""))
	d.x.SeeThrough(false)
	return errors.Join(err, d.writeRecord(ctx))
}

// startXpra starts xpra and becomes its client, with the windows as they were. keep
// is called once it is a process of the display.
func (d *Display) startXpra(ctx context.Context, keep func(context.Context) error, was standing) error {
	ctx, cancel := context.WithTimeoutCause(ctx, xpraLimit, fmt.Errorf("not ready after %v", xpraLimit))
	defer cancel()
	log, err := d.logs.append(d.at.worldLog())
	if err != nil {
		return err
	}
	defer log.Close()
	d.gate.RLock()
	through := sync.OnceFunc(d.gate.RUnlock)
	defer through()
	if closed(d.quit) {
		return ErrDead
	}
	client, err := xpra.Start(ctx, xpra.Config{
		Display: d.number, CookieFile: d.cookieFile, Dir: d.at.xpra(), Log: log, Path: d.cfg.Xpra,
		// Its own toolkit must not appear among the applications of the tree.
		Env: d.busEnv("NO_AT_BRIDGE=1", "GDK_BACKEND=x11", "PYTHONDONTWRITEBYTECODE=1"),
	}, func(p *proc.Process) error {
		d.mu.Lock()
		d.children = append(d.children, p)
		d.mu.Unlock()
		d.find.add(p.Ident(), WhatXpra)
		defer through()
		return keep(ctx)
	})
	if err != nil {
		return err
	}
	return d.joinXpra(ctx, client, was)
}

// joinXpra makes a client of xpra the display's window manager, which leaves the
// windows as they were.
func (d *Display) joinXpra(ctx context.Context, client *xpra.Client, was standing) error {
	g, err := newGuest(ctx, d.x, client, was)
	if err != nil {
		return errors.Join(err, client.Close())
	}
	d.manage(g, RungXpra, "")
	return nil
}

// adoptManager takes back what managed the display's windows when its daemon died.
// An xpra that does not let us in any more is ended: the windows it had are ours
// to manage then.
func (d *Display) adoptManager(ctx context.Context, o Orphan) error {
	id := o.xpra()
	if o.r.Rung != string(RungXpra) && id == (proc.Ident{}) {
		return d.takeOverWM(ctx, o.r.RungWhy)
	}
	err := errors.New("the daemon died while xpra was started or ended")
	if o.r.Rung == string(RungXpra) {
		err = d.rejoinXpra(ctx, id)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	d.cfg.Log.Warn("the display is taken back without xpra", "display", d.id, "err", err)
	defer d.x.SeeThrough(false)
	if err := d.endXpra(ctx); err != nil {
		return err
	}
	return d.takeOverWM(ctx, err.Error())
}

// rejoinXpra proves that xpra is the process of the record, and becomes its client
// again.
func (d *Display) rejoinXpra(ctx context.Context, id proc.Ident) error {
	if !id.Alive() {
		return errors.New("xpra ended while no daemon ran")
	}
	if table, err := proc.Processes(); err == nil && table[id.PID].State == 'T' {
		return errors.New("xpra was stopped and answers nobody")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, rejoinLimit, errors.New("xpra does not answer"))
	defer cancel()
	socket := xpra.Socket(d.at.xpra())
	pid, err := listener(ctx, "unix:path="+socket)
	if err != nil {
		return fmt.Errorf("xpra does not listen: %w", err)
	}
	if pid != id.PID {
		return fmt.Errorf("process %d listens in xpra's place", pid)
	}
	// Asked before there is a viewer: xpra shows its windows anew then, one by one.
	d.x.SeeThrough(true)
	was := d.standing(ctx, true)
	client, err := xpra.Dial(ctx, socket)
	if err != nil {
		return err
	}
	return d.joinXpra(ctx, client, was)
}

// endXpra kills xpra and what it started. The server gives the windows that were
// in its frames back to the root, and shows them.
func (d *Display) endXpra(ctx context.Context) error {
	for _, p := range d.find.recorded() {
		if p.What == WhatXpra {
			_ = proc.Signal(p.Ident, syscall.SIGCONT) // a stopped one is killed all the same
		}
	}
	_, err := proc.EndAll(ctx, d.find.idents(func(p Process) bool { return p.What == WhatXpra }))
	d.find.forget(WhatXpra)
	return err
}

// fallBack puts our own window manager in the place of an xpra that ended or
// answers no more. The windows lose nothing by it.
func (d *Display) fallBack(g *guest) error {
	ctx, cancel := d.untilQuit(context.Background(), fallBackLimit)
	defer cancel()
	why := fmt.Sprintf("xpra ended: %v", g.client.Err())
	_ = g.Close()
	defer d.x.SeeThrough(false) // until then its frames may still be there
	if err := d.endXpra(ctx); err != nil {
		return err
	}
	if err := d.takeOverWM(ctx, why); err != nil {
		return err
	}
	wm := d.WM()
	for id, p := range g.pins() {
		if id == 0 {
			_ = wm.PinNext(ctx, p.W, p.H)
		} else {
			_, _ = wm.Pin(ctx, id, p.W, p.H) // gone is fine
		}
	}
	d.cfg.Log.Warn("xpra ended and its display goes on without", "display", d.id, "why", why)
	return d.writeRecord(ctx)
}

func (l layout) xpra() string { return filepath.Join(l.dir, "xpra") }

// xpra is xpra's process, zero when none was recorded.
func (o Orphan) xpra() proc.Ident {
	for _, p := range o.r.Processes {
		if p.What == WhatXpra {
			return p.Ident
		}
	}
	return proc.Ident{}
}
