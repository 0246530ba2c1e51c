package target

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/lease"
	"vibespace/internal/proc"
)

// lookBound is how long an answer waits to say how a window looks now.
const lookBound = time.Second

// buryBound is how long ending a display may take, whatever the caller waits.
const buryBound = 15 * time.Second

// adopt gives the window its display.
func (w *window) adopt(d *display.Display, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.display, w.shown, w.number, w.took = d, d.ID(), d.Number(), took
	w.refs.keepIn(filepath.Join(d.Dir(), refsFile))
}

// run gives the window its application.
func (w *window) run(app *lifeline) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.proc, w.pid = app, app.PID()
}

// displayTook is how long the display took to start.
func (w *window) displayTook() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.took
}

// finished says whether the window has ended and its display with it: until
// then it counts against the cap.
func (w *window) finished() bool {
	select {
	case <-w.down:
		return true
	default:
		return false
	}
}

// known is a status as the wire has it: a shell's number for the signal that ended
// the application, nil when nobody was told.
func known(s proc.ExitStatus) *int {
	switch {
	case s.Unknown:
		return nil
	case s.Signal != 0:
		s.Code = 128 + int(s.Signal)
	}
	return &s.Code
}

// endedBefore is how a window ended of which nothing is left, nil for any other.
func (w *window) endedBefore() *api.Ended {
	if !w.finished() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// attend waits for the end of an application, or of its display, and ends what
// is left of it. A first process that left its place to another (a starter
// script, a program that forks) is not the end: the application lives while
// any process of it does.
func (e *Engine) attend(w *window, d *display.Display, app *lifeline) {
	e.work.Go(func() { e.watchFootprint(w, d) })
	ended := api.Ended{}
	select {
	case <-e.life.Done():
		return // Shutdown ends it
	case <-w.down:
		return
	case <-d.Done():
		ended.Why = "its display ended: " + d.Why()
	case <-app.gone:
		status, _ := app.Exit()
		ended.Why, ended.Status = fmt.Sprintf("the application ended (%s)", status), known(status)
		w.note(app.LastWords())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	if _, err := e.bury(ctx, w, ended); err != nil {
		e.cfg.Log.Error("an ended window could not be cleared away", "handle", w.handle, "err", err)
	}
}

// note keeps an application's last words.
func (w *window) note(words []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.words = words
}

// bury ends a window: it is said to have ended, its display and every process
// of it go, its lease is dropped and its row written. Whoever comes second
// waits for the first. It gives how many processes ended.
func (e *Engine) bury(ctx context.Context, w *window, ended api.Ended) (int, error) {
	if ended.At.IsZero() {
		ended.At = time.Now().UTC()
	}
	w.mu.Lock()
	if w.ended == nil {
		w.ended, w.state = &ended, "ended"
	}
	first := !w.burying
	w.burying = true
	d, board, kept := w.display, w.board, w.kept
	w.mu.Unlock()
	if !first {
		select {
		case <-w.down:
			return w.killed, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	defer close(w.down)
	// The end of a display is not left half done by a caller who went away.
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), buryBound)
	defer cancel()
	var faults []error
	if d != nil {
		n, err := d.End(bound)
		w.killed = n
		faults = append(faults, err)
	}
	// Now that their connections are gone these have nobody to say goodbye to: an
	// application that floods its bus would hold that up for seconds.
	if kept != nil {
		e.unheard(w, kept.close(bound))
	}
	if board != nil {
		e.unheard(w, board.Close())
	}
	faults = append(faults, e.cfg.Leases.Forget(bound, w.handle), e.keepRow(bound, w))
	w.letGo()
	e.forgetOld()
	e.settleMemory()
	return w.killed, errors.Join(faults...)
}

// unheard records a fault in closing what went with the window's display anyway.
func (e *Engine) unheard(w *window, err error) {
	if err != nil {
		e.cfg.Log.Debug("closed after its display", "handle", w.handle, "err", err)
	}
}

// letGo drops what only a living window needs. The window itself stays, so that
// its handle can be told to have ended; its connections and trees would add up
// for as long as the daemon runs.
func (w *window) letGo() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.display, w.board, w.kept, w.apps = nil, nil, nil, nil
	w.known = map[api.SessionID]memory{}
	w.sight, w.veils = sight{}, nil
}

// settleMemory gives back what the last window took: pictures are large, and a
// daemon that has nothing open may stay for days.
func (e *Engine) settleMemory() {
	for _, w := range e.all() {
		if w.alive() {
			return
		}
	}
	// What a pool holds goes with the second collection after its last use.
	runtime.GC()
	debug.FreeOSMemory()
	// What the last verbs still hold is given back once they are done.
	time.AfterFunc(settleLater, debug.FreeOSMemory)
}

// settleLater is when memory is given back for the second time.
const settleLater = 3 * time.Second

// Stop ends a window now: an agent's its own, the person's any.
func (e *Engine) Stop(ctx context.Context, c api.Caller, r api.HandleRequest) (api.HandleAnswer, error) {
	if c.Owner {
		if p := e.unpark(r.Handle); p != nil {
			return e.stopParked(ctx, c, p)
		}
	}
	return doing(ctx, e, c, r.Handle, "stop", needReach, func(ctx context.Context, t *turn) (api.HandleAnswer, error) {
		if !c.Owner && !t.own() {
			return api.HandleAnswer{}, t.notYoursToEnd()
		}
		if before := t.w.endedBefore(); before != nil {
			return api.HandleAnswer{Answer: e.answer(c), Handle: t.w.handle, EndedBefore: before}, nil
		}
		if !c.Owner {
			return t.stopOwn(ctx)
		}
		if t.w.host != nil && t.w.host.stop != nil && t.w.alive() {
			t.w.host.stop(ctx)
		}
		killed, err := e.bury(ctx, t.w, api.Ended{Why: "it was stopped"})
		if err != nil {
			return api.HandleAnswer{}, err
		}
		return api.HandleAnswer{Answer: e.answer(c), Handle: t.w.handle, Ended: killed}, nil
	})
}

// notOthers refuses while the person drives the window or somebody else holds
// it.
func (t *turn) notOthers() error {
	state := t.e.cfg.Leases.State(t.w.handle)
	if state.Input == lease.InputUser {
		return lease.Paused(state)
	}
	holder := state.Holder
	if holder == "" || holder == t.c.Session {
		return nil
	}
	return api.Refuse(api.Held, "%s is held by %s", t.w.handle, holder).
		WithHint("wait until they detach, or ask the person").With("holder", holder)
}

// isContext says whether an error is a context's end.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// exited refuses what an application that ended cannot do, with its last words.
func exited(app string, p *lifeline) error {
	status, _ := p.Exit()
	words := p.LastWords()
	if words == nil {
		words = []string{}
	}
	return api.Refuse(api.AppExited, "%s ended (%s)", app, status).
		WithHint("lastWords is what it wrote; vibespace doctor names what is missing").
		With("status", status.Code).With("lastWords", words)
}
