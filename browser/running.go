package browser

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vibespace/browser/keeper"
	"vibespace/browser/page"
	"vibespace/browser/provider"
	"vibespace/browser/remote"
	"vibespace/internal/api"
	"vibespace/internal/lease"
	"vibespace/internal/store"
)

// endBound is how long ending a browser may take, whatever the caller waits.
const endBound = 20 * time.Second

// The phases of a browser's life.
const (
	starting = "starting"
	isUp     = "running"
	stopping = "stopping"
	stopped  = "stopped"
)

// running is a browser from the moment it is asked for until all of it is
// gone.
type running struct {
	seat seat // of who started it
	dir  string

	settled chan struct{} // closed once it runs, or could not
	// giveUp ends its coming back; guarded by mu, nil for one that is launched.
	giveUp  context.CancelFunc
	gone    chan struct{} // closed once nothing of it is left
	endOnce sync.Once

	// making is held by who claims a tab that is nobody's: it holds one.
	making chan struct{}
	// sights are the looks at its tabs, for the trace.
	sights sights

	mu      sync.Mutex
	phase   string
	fault   error
	keeper  *keeper.Keeper
	browser *page.Browser
	screen  *Screen
	owner   map[api.TabID]api.SessionID
	active  map[api.SessionID]api.TabID
	// users are the sessions that have the browser, who used it last at the end.
	users []api.SessionID
	busy  int
	used  time.Time
	idle  *time.Timer
	away  map[api.SessionID]*meanwhile
	// unseen are the sessions that have not looked since the person drove.
	unseen map[api.SessionID]bool
	// known and refs are what an earlier daemon told of it: see page.Config. They
	// are set before it is connected.
	known   map[string]api.TabID
	refs    int
	secrets []page.Secret
	// seen are the tabs that there were in this connection, by their own names.
	seen map[api.TabID]string

	// telling is held by who writes what was told; told and upTo are what is
	// written.
	telling sync.Mutex
	down    bool // nothing is written any more
	told    map[api.TabID]store.BrowserTab
	upTo    int
	hidden  []page.Secret // that is written
}

// dirOf is where a browser's keeper lives, and what an ephemeral one keeps.
func (e *Engine) dirOf(h api.Handle) string {
	return filepath.Join(e.cfg.RuntimeDir, "browsers", string(h))
}

// state says how a profile's browser stands.
func (e *Engine) state(h api.Handle) string {
	r := e.run(h)
	if r == nil {
		return stopped
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase
}

// run gives the browser of a profile, nil for one that is stopped.
func (e *Engine) run(h api.Handle) *running {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[h]
}

// stoppedRefusal is the answer to every verb that does not start a browser.
func stoppedRefusal(s seat) error {
	return api.Refuse(api.BrowserStopped, "the browser of %s (%s) is stopped", s.Handle, s.Label).
		WithHint("vibespace-browser open <url> starts it; so do snapshot and tab new").With("handle", s.Handle)
}

// up gives the running browser of a seat; one that is stopped is started for a
// verb that may.
func (e *Engine) up(ctx context.Context, s seat, may bool) (*running, error) {
	for {
		r, fresh, err := e.place(s, may)
		if err != nil {
			return nil, err
		}
		if fresh {
			return r, e.start(ctx, r, e.launch)
		}
		wait := r.settled
		r.mu.Lock()
		phase := r.phase
		r.mu.Unlock()
		switch phase {
		case isUp:
			return r, nil
		case stopping, stopped:
			if !may {
				return nil, stoppedRefusal(s)
			}
			wait = r.gone
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// place finds a seat's browser, or reserves a place under the cap for it
// before anything is started.
func (e *Engine) place(s seat, may bool) (r *running, fresh bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.runs[s.Handle]; r != nil {
		return r, false, nil
	}
	switch {
	case !may:
		return nil, false, stoppedRefusal(s)
	case e.deleted[s.Handle]:
		return nil, false, api.Refuse(api.NotExposed, "the profile %s was deleted", s.Handle).WithHint("vibespace-browser profiles")
	case e.closing:
		return nil, false, api.Refuse(api.StartFailed, "the daemon is stopping").WithHint("vibespace up")
	case len(e.runs) >= e.cfg.Browsers:
		return nil, false, e.capLocked(s)
	}
	return e.enterLocked(s), true, nil
}

// enterLocked makes the place of a browser that is about to run.
func (e *Engine) enterLocked(s seat) *running {
	r := &running{
		making: make(chan struct{}, 1),
		seat:   s, users: []api.SessionID{s.session}, dir: e.dirOf(s.Handle), phase: starting, settled: make(chan struct{}), gone: make(chan struct{}),
		owner: map[api.TabID]api.SessionID{}, active: map[api.SessionID]api.TabID{}, used: time.Now(), away: map[api.SessionID]*meanwhile{},
		unseen: map[api.SessionID]bool{}, told: map[api.TabID]store.BrowserTab{}, seen: map[api.TabID]string{},
	}
	e.runs[s.Handle] = r
	return r
}

// capLocked refuses one browser too many: the caller's own are named, with the
// command that ends one, and the others counted.
func (e *Engine) capLocked(s seat) error {
	mine := []map[string]any{}
	var first api.Handle
	for h, r := range e.runs {
		if r.seat.session == s.session {
			mine = append(mine, map[string]any{"handle": h, "label": r.seat.Label})
			if first == "" || h < first {
				first = h
			}
		}
	}
	refusal := api.Refuse(api.BrowserCap, "all %d browsers are in use", e.cfg.Browsers).
		With("limit", e.cfg.Browsers).With("yours", mine).With("others", len(e.runs)-len(mine))
	if first == "" {
		return refusal.WithHint("none is yours: wait, or ask the person to stop one")
	}
	return refusal.WithHint("vibespace-browser detach --profile %s", first)
}

// start gets a browser up that has its place, by launching it or taking it
// back. Of a start that fails nothing is left.
func (e *Engine) start(ctx context.Context, r *running, launch func(context.Context, *running) error) error {
	err := launch(ctx, r)
	r.mu.Lock()
	r.fault = err
	if err == nil {
		r.phase = isUp
		r.idle = time.AfterFunc(e.cfg.Idle, func() { e.lapse(r) })
	}
	b := r.browser
	r.mu.Unlock()
	if err != nil {
		close(r.settled)
		e.stop(context.WithoutCancel(ctx), r)
		return err
	}
	// Before it is settled: Shutdown waits for that, and then for the work.
	e.work.Go(func() {
		select {
		case <-b.Done():
			e.stop(context.WithoutCancel(e.life), r)
		case <-r.gone:
		}
	})
	close(r.settled)
	return nil
}

// launch makes the display, the keeper and the connection.
func (e *Engine) launch(ctx context.Context, r *running) error {
	s := r.seat
	if s.Address != "" {
		link, err := remote.Dial(ctx, s.Address)
		if err != nil {
			return err
		}
		if err := e.connect(ctx, r, link, link.Session); err != nil {
			return err
		}
		return e.keepUp(ctx, r)
	}
	path, err := e.chromium()
	if err != nil {
		return err
	}
	if len(e.cfg.Keeper) == 0 {
		return api.Refuse(api.StartFailed, "this daemon cannot find its own program, which keeps browsers").WithHint("vibespace down, then vibespace up")
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	env, err := e.environ(ctx, r, false)
	if err != nil {
		return err
	}
	k, err := keeper.Start(ctx, keeper.Spec{
		Program: e.cfg.Keeper, Dir: r.dir, Chromium: path, Profile: s.Dir, Env: env,
		Headless: s.Headless || e.cfg.Screen == nil, Size: windowSize, Idle: e.cfg.Idle,
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.keeper = k
	r.mu.Unlock()
	link, err := k.Attach(ctx)
	if err != nil {
		return err
	}
	if err := e.connect(ctx, r, link, link.Session); err != nil {
		return err
	}
	if status, err := k.Status(ctx); err == nil && !s.ephemeral {
		if err := e.cfg.Store.Wrote(ctx, s.Handle, status.Major, provider.Chromium, time.Now().UTC()); err != nil {
			e.cfg.Log.Warn("which browser wrote a profile could not be kept", "handle", s.Handle, "err", err)
		}
	}
	return e.keepUp(ctx, r)
}

// environ is a browser's environment: for one with a window, that of a display
// made for it, or of the one that an earlier daemon left.
func (e *Engine) environ(ctx context.Context, r *running, left bool) ([]string, error) {
	s, env := r.seat, []string{"TMPDIR=" + r.dir}
	if s.Headless || e.cfg.Screen == nil {
		return env, nil
	}
	screen, err := e.cfg.Screen(ctx, ScreenSpec{
		Handle: s.Handle, Label: s.Label, Size: windowSize, Left: left, Opener: s.session, Holder: r.holder,
		HandedBack: func(note string) { e.handedBack(r, note) }, Stop: func(ctx context.Context) { e.stoppedByPerson(ctx, r) },
	})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.screen = &screen
	r.mu.Unlock()
	return append(screen.Env, env...), nil
}

// windowSize is the size of a browser's window.
var windowSize = api.Size{W: 1280, H: 800}

// chromium finds the browser of the first rung.
func (e *Engine) chromium() (string, error) {
	b, err := e.ladder.Use(provider.Chromium)
	if err != nil {
		return "", err
	}
	return b.Why, nil // where it was found
}

// connect links the engine to a browser that runs.
func (e *Engine) connect(ctx context.Context, r *running, link io.ReadWriteCloser, session string) error {
	b, err := page.Connect(ctx, link, session, page.Config{
		Eval: e.cfg.Eval, TabOpened: r.tabOpened, TabClosed: r.tabClosed, Known: r.known, Refs: r.refs, Secrets: r.secrets,
	})
	if err != nil {
		_ = link.Close()
		return err
	}
	r.mu.Lock()
	r.browser = b
	r.mu.Unlock()
	return nil
}

// stop ends a browser, its display and what an ephemeral one kept. Whoever
// comes second waits for the first. What one that is still being started, or is
// coming back, has by then is known only when that is over.
func (e *Engine) stop(ctx context.Context, r *running) {
	r.endOnce.Do(func() {
		r.startOver()
		bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), endBound)
		defer cancel()
		r.mu.Lock()
		r.phase = stopping
		b, k, screen, idle := r.browser, r.keeper, r.screen, r.idle
		r.mu.Unlock()
		if idle != nil {
			idle.Stop()
		}
		// First: what a daemon that dies meanwhile leaves is to be ended.
		faults := []error{e.keepDown(bound, r)}
		if b != nil {
			r.leaveNothing(bound, b)
			faults = append(faults, b.Close())
		}
		if k != nil {
			_, err := k.Stop(bound)
			faults = append(faults, err)
		}
		if screen != nil {
			faults = append(faults, screen.End(bound))
		}
		faults = append(faults, os.RemoveAll(r.dir))
		if err := errors.Join(faults...); err != nil {
			e.cfg.Log.Warn("a browser did not end cleanly", "handle", r.seat.Handle, "err", err)
		}
		r.mu.Lock()
		r.phase = stopped
		r.mu.Unlock()
		e.mu.Lock()
		if e.runs[r.seat.Handle] == r {
			delete(e.runs, r.seat.Handle)
		}
		e.mu.Unlock()
		close(r.gone)
	})
	<-r.gone
}

// startOver waits until a start is over, for a bounded time; one that takes a
// browser back is cut.
func (r *running) startOver() {
	r.mu.Lock()
	giveUp := r.giveUp
	r.mu.Unlock()
	if giveUp != nil {
		giveUp()
	}
	late := time.NewTimer(proveBound)
	defer late.Stop()
	select {
	case <-r.settled:
	case <-late.C:
	}
}

// leaveNothing closes every session's tabs in somebody else's browser, which
// runs on.
func (r *running) leaveNothing(ctx context.Context, b *page.Browser) {
	if r.seat.Address == "" {
		return
	}
	for _, p := range b.Pages() {
		r.mu.Lock()
		owner := r.owner[p.ID()]
		r.mu.Unlock()
		if owner != "" {
			_ = p.Close(ctx) // one that does not close stays theirs
		}
	}
}

// lapse stops a browser that nobody has used for the idle time: none that a
// verb uses, and none that the person drives.
func (e *Engine) lapse(r *running) {
	r.mu.Lock()
	left := e.cfg.Idle - time.Since(r.used)
	if r.busy > 0 || e.driven(r.seat.Handle) {
		left = e.cfg.Idle
	}
	if left > 0 {
		r.idle.Reset(left)
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	e.cfg.Log.Info("a browser that nobody used is stopped", "handle", r.seat.Handle)
	e.stop(context.WithoutCancel(e.life), r)
}

// Shutdown ends every browser and waits for what the engine still runs.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.closing = true
	var all []*running
	for _, r := range e.runs {
		all = append(all, r)
	}
	e.mu.Unlock()
	e.end()
	var done sync.WaitGroup
	for _, r := range all {
		done.Go(func() {
			select {
			case <-r.settled: // what is being started is ended whole
			case <-ctx.Done():
			}
			e.stop(ctx, r)
		})
	}
	done.Wait()
	e.work.Wait()
	_ = os.Remove(filepath.Join(e.cfg.RuntimeDir, "browsers"))
	return nil
}

// driven says whether the person drives a browser.
func (e *Engine) driven(h api.Handle) bool {
	return e.cfg.Leases.State(h).Input == lease.InputUser
}

// endLater leaves a browser that the person drives to them, until they hand it
// back or for one grace at the most; false for one they do not drive.
func (e *Engine) endLater(r *running) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing || !e.driven(r.seat.Handle) {
		return false
	}
	e.cfg.Log.Info("the end of a browser waits for the person", "handle", r.seat.Handle)
	e.work.Go(func() {
		late := time.NewTimer(e.cfg.Grace)
		defer late.Stop()
		for {
			changed := e.cfg.Leases.Changed(r.seat.Handle)
			if !e.driven(r.seat.Handle) {
				break
			}
			select {
			case <-changed:
				continue
			case <-late.C:
			case <-r.gone:
				return
			case <-e.life.Done():
				return // Shutdown ends it
			}
			break
		}
		e.stop(context.WithoutCancel(e.life), r)
	})
	return true
}

// SessionEnded ends what hangs on a session: its ephemeral browsers, those of
// its helpers, and its tabs in the others.
func (e *Engine) SessionEnded(ctx context.Context, session api.SessionID) {
	for _, s := range e.privatesOf(session) {
		r := e.run(s.Handle)
		if r != nil && e.endLater(r) {
			e.drop(s)
			continue
		}
		if r != nil {
			e.stop(ctx, r)
		}
		e.forget(ctx, s)
	}
	e.mu.Lock()
	var all []*running
	for _, r := range e.runs {
		all = append(all, r)
	}
	e.mu.Unlock()
	for _, r := range all {
		r.left(session)
		if e.driven(r.seat.Handle) {
			continue // it lapses once nobody uses it
		}
		if _, err := r.closeTabs(ctx, session); err != nil {
			e.cfg.Log.Warn("the tabs of a session that ended could not all be closed", "session", session, "err", err)
		}
		if _, err := e.stopUnheld(ctx, r.seat); err != nil {
			e.cfg.Log.Warn("who is attached to a profile could not be read", "handle", r.seat.Handle, "err", err)
		}
	}
}
