package target

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/lease"
	"vibespace/internal/store"
	"vibespace/x11"
)

const (
	// takeBack is how long a daemon's start waits for the windows of the one that
	// died; one that takes longer is still starting until then.
	takeBack = 2 * time.Second
	// proveBound is how long a display may take to answer before it is parked. It
	// takes a tenth of a second, and many times that on a machine that swaps.
	proveBound = 15 * time.Second
)

// recover takes back what a daemon that died left: its displays with their
// windows, leases, shares, takeovers and pins. What is dead is ended, and what
// cannot be proven is parked.
func (e *Engine) recover(ctx context.Context) error {
	orphans, err := display.Orphans(e.cfg.RuntimeDir)
	if err != nil {
		e.cfg.Log.Error("the displays of an earlier daemon could not be looked for", "err", err)
	}
	// Their handles are given to nothing else, and nobody asks for them any more.
	if _, err := e.cfg.Store.PruneWindows(ctx, time.Now().Add(-keepRows)); err != nil {
		return err
	}
	rows, err := e.cfg.Store.Windows(ctx)
	if err != nil {
		return err
	}
	left := map[string]*display.Orphan{}
	for i := range orphans {
		left[string(orphans[i].ID)] = &orphans[i]
	}
	ended := map[string]bool{}
	for _, row := range rows {
		if row.Ended != nil {
			ended[row.Display] = true
			continue
		}
		o := left[row.Display]
		delete(left, row.Display)
		w := e.fromRow(ctx, row)
		e.coming.Go(func() { e.comeBack(w, row, o) })
	}
	for id, o := range left {
		h := e.expectHost(o)
		e.coming.Go(func() { e.unowned(o, ended[id], h) })
	}
	e.await(ctx)
	if err := e.cfg.Store.SettlePending(ctx); err != nil {
		return err
	}
	if err := e.awaitEndings(ctx); err != nil {
		return err
	}
	return e.endOwns(ctx)
}

// await waits until everything has come back, for a bounded time.
func (e *Engine) await(ctx context.Context) {
	back := make(chan struct{})
	e.work.Go(func() {
		defer close(back)
		e.coming.Wait()
	})
	bound, cancel := context.WithTimeout(ctx, takeBack)
	defer cancel()
	select {
	case <-back:
	case <-bound.Done():
		e.cfg.Log.Warn("not every window of an earlier daemon is back yet")
	}
}

// fromRow makes the window of a row, without its display.
func (e *Engine) fromRow(ctx context.Context, row store.Window) *window {
	p := program{name: row.App, path: row.Path, browser: isBrowser(row.Path) || row.Origin == agentBrowser}
	w := newWindow(row.Handle, p, api.OpenRequest{Title: row.Title, Home: row.Home, Rung: row.Rung}, row.Opener, row.Origin)
	w.label, w.created, w.pid, w.pin, w.asked = row.Label, row.Created, row.PID, row.Pin, row.Mode
	w.mode, w.shown = resolved{mode: row.Resolved, why: row.Why}, display.ID(row.Display)
	// Which page it was given is not known, nor what was typed and where.
	w.pageless, w.veiled = true, true
	if lives, err := e.cfg.Store.Opened(ctx, row.Handle, row.Opener); err != nil || !lives {
		w.orphaned = true // a later session of its label is another one
	}
	if row.Origin == agentBrowser {
		w.profile = e.keptProfile(ctx, row.Handle)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.windows[row.Handle] = w
	e.order = append(e.order, row.Handle)
	return w
}

// keptProfile is the directory that a browser's profile is kept in, "" for none.
func (e *Engine) keptProfile(ctx context.Context, h api.Handle) string {
	kept, err := e.cfg.Store.KeptProfiles(ctx)
	if err != nil {
		e.cfg.Log.Warn("the kept profiles could not be read", "err", err)
	}
	for _, k := range kept {
		if k.Handle == h {
			return k.Dir
		}
	}
	return ""
}

// displayConfig says how displays are made and taken back.
func (e *Engine) displayConfig(h api.Handle) display.Config {
	return display.Config{RuntimeDir: e.cfg.RuntimeDir, Inject: e.cfg.Inject, For: string(h), Log: e.cfg.Log}
}

// comeBack takes a window back, or says how it ended.
func (e *Engine) comeBack(w *window, row store.Window, o *display.Orphan) {
	ctx, cancel := context.WithTimeout(e.life, proveBound)
	defer cancel()
	if o == nil {
		e.lost(w, nil, "its display ended while no daemon ran")
		return
	}
	if row.State != "ready" && o.Unproven == "" {
		// Nobody was told of it.
		e.lost(w, o, "the daemon ended while it was being opened")
		return
	}
	var size display.Size
	if row.Pin != nil {
		size = display.Size{W: row.Pin.W, H: row.Pin.H}
	}
	d, err := o.Adopt(ctx, e.displayConfig(w.handle), size)
	switch {
	case errors.Is(err, display.ErrDead):
		e.lost(w, o, "its display ended while no daemon ran: "+err.Error())
		return
	case err != nil && e.life.Err() != nil:
		if e.isClosing() {
			e.lost(w, o, "the daemon was stopped")
		}
		return // else a later daemon takes it back
	case err != nil:
		if running, perr := o.Processes(); perr == nil && len(running) == 0 {
			e.lost(w, o, "its display ended while no daemon ran")
			return
		}
		e.park(w, o, err)
		return
	}
	if err := e.rejoin(ctx, w, d, o); err != nil {
		e.cfg.Log.Error("a window could not be taken back whole", "handle", w.handle, "err", err)
	}
}

// rejoin makes an adopted display a window's again.
func (e *Engine) rejoin(ctx context.Context, w *window, d *display.Display, o *display.Orphan) error {
	app, err := o.App()
	if err != nil || app == nil || len(remaining(d)) == 0 {
		w.adopt(d, 0)
		bound, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
		defer cancel()
		ended := api.Ended{Why: "the application ended while no daemon ran: its status is not known"}
		if app != nil {
			w.note(app.LastWords())
		}
		_, buryErr := e.bury(bound, w, ended)
		return errors.Join(err, buryErr)
	}
	if rung, why := d.Rung(); rung == display.RungXpra || why != "" {
		_ = w.drawn(ctx, d) // an application without a window is taken back, too
	}
	state := e.cfg.Leases.State(w.handle)
	faults := []error{w.refs.resume(filepath.Join(d.Dir(), refsFile)), e.repin(ctx, w, d), e.recordBegun(ctx, d)}
	if state.Input == lease.InputUser {
		faults = append(faults, ownLayout(ctx, d))
	}
	line := &lifeline{App: app, gone: make(chan struct{})}
	if !w.begin(d, line) { // Shutdown came first
		bound, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
		defer cancel()
		_, err := d.End(bound)
		return errors.Join(append(faults, err)...)
	}
	e.work.Go(func() { line.follow(e.life, w, d) })
	e.work.Go(func() { e.attend(w, d, line) })
	if state.Input == lease.InputUser {
		e.startDriving(w, state)
	}
	if state.Holder != "" {
		faults = append(faults, e.cfg.Store.AddNotice(ctx, state.Holder, cameBack(w.handle), time.Now().UTC()))
	}
	e.cfg.Log.Info("took back a window", "handle", w.handle, "display", d.Number(), "holder", state.Holder, "input", state.Input)
	return errors.Join(faults...)
}

// cameBack tells a holder what a restart of the daemon took from it.
func cameBack(h api.Handle) string {
	return fmt.Sprintf("the daemon was started anew and took %s back as it was; its refs are stale until the next snapshot, and what was copied from here is lost", h)
}

// begin makes a window that came back usable; false when it has ended meanwhile.
func (w *window) begin(d *display.Display, line *lifeline) bool {
	w.adopt(d, d.Phases()["all"])
	w.run(line)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return false
	}
	w.state = "ready"
	return true
}

// repin holds a pinned window at its size again.
func (e *Engine) repin(ctx context.Context, w *window, d *display.Display) error {
	w.mu.Lock()
	size := w.pin
	w.mu.Unlock()
	if size == nil {
		return nil
	}
	s, err := w.look(ctx, d)
	if err != nil {
		return err
	}
	if s.main == nil {
		return d.WM().PinNext(ctx, size.W, size.H)
	}
	return pin(ctx, w, d, s.main, *size)
}

// ownLayout takes away the keyboard layout that was lent to a viewer: the viewer
// that comes back lends it again.
func ownLayout(ctx context.Context, d *display.Display) error {
	inj, why := d.Injector()
	if why != "" {
		return nil
	}
	own, err := x11.ParseLayout("us")
	if err != nil {
		return err
	}
	_, err = inj.SetLayout(ctx, own)
	return err
}

// isClosing says whether the engine shuts down.
func (e *Engine) isClosing() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closing
}

// lost ends a window that cannot come back, and what is left of its display.
func (e *Engine) lost(w *window, o *display.Orphan, why string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	var err error
	if o != nil {
		_, err = o.End(ctx)
	}
	if _, buryErr := e.bury(ctx, w, api.Ended{Why: why}); err != nil || buryErr != nil {
		e.cfg.Log.Error("a window of an earlier daemon could not be cleared away", "handle", w.handle, "err", errors.Join(err, buryErr))
	}
}
