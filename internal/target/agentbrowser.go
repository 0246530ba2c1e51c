package target

import (
	"context"
	"fmt"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/lease"
)

// agentBrowser is the origin of a browser that an agent opened through its own
// door, the lowest rung of the ladder.
const agentBrowser = "agent-browser"

// browserCap is how many browsers of the rung a session may have at once.
const browserCap = 2

// BrowserSpec is a browser that an agent opens, as the ladder chose it.
type BrowserSpec struct {
	// Label is the agent's own name for it.
	Label string
	// Program is the executable's name, found where programs are looked for.
	Program string
	// Blind says why it is not asked for a tree, "" when it is.
	Blind string
	// Profile is the directory of a profile that is kept, absolute; "" is one
	// that ends with the display.
	Profile string
	// pageless is set where no page is asked for.
	pageless bool
	// NoPin leaves a window without a size of its own, whatever its mode.
	NoPin bool
}

// OpenBrowser starts a real browser for an agent: its accessibility switch on,
// nothing in its command line that drives it, a profile of its own, and a lease
// for who asked. The window verbs drive it from there on.
func (e *Engine) OpenBrowser(ctx context.Context, c api.Caller, r api.OpenRequest, b BrowserSpec) (api.OpenAnswer, error) {
	r.App, b.pageless = b.Program, r.URL == ""
	return e.begin(ctx, c, asked{OpenRequest: r, browser: &b}, "new", func(p program) (display.AppSpec, error) {
		page := r
		if page.URL == "" {
			page.URL = "about:blank"
		}
		return display.AppSpec{Path: p.path, Args: browserArgs(p, page), Env: browserEnv(p), Locale: e.locale()}, nil
	})
}

// pin settles the size of a browser that is driven by pixels.
func (r *asked) pin() {
	switch {
	case r.browser == nil:
	case r.browser.NoPin:
		r.Size = nil
	case r.browser.Blind != "" && r.Size == nil:
		r.Size = new(defaultPin)
	}
}

// isBrowser makes a new window an agent's browser; nil leaves it.
func (w *window) isBrowser(b *BrowserSpec) {
	if b == nil {
		return
	}
	w.origin, w.label, w.profile, w.blind, w.noPin = agentBrowser, b.Label, b.Profile, b.Blind, b.NoPin
	w.program.browser, w.pageless = true, b.pageless
	if b.Blind != "" {
		w.mode = resolved{mode: "pixels", why: b.Blind}
	}
}

// byAgent says whether an agent opened the window.
func (w *window) byAgent() bool { return w.origin == "opened" || w.origin == agentBrowser }

// openedBy says whether a session that lives opened the window: the session
// itself, not a later one of its label.
func (w *window) openedBy(s api.SessionID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byAgent() && w.opener == s && !w.orphaned
}

// orphan keeps that the session that opened the window has ended.
func (w *window) orphan() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orphaned = true
}

// browserRoom refuses a session one browser too many, of the windows it opened.
func browserRoom(mine []api.Window) error {
	open := []api.Window{}
	for _, w := range mine {
		if w.Origin == agentBrowser {
			open = append(open, w)
		}
	}
	if len(open) < browserCap {
		return nil
	}
	return api.Refuse(api.DesktopAppCap, "this session has %d desktop browsers, and may have %d", len(open), browserCap).
		With("limit", browserCap).With("yours", open).
		WithHint("vibespace-window stop %s", open[0].Handle)
}

// AgentBrowsers lists the browsers of the rung that a session reaches, by
// handle or label: all for "", the living ones first.
func (e *Engine) AgentBrowsers(ctx context.Context, c api.Caller, name string) ([]api.Window, error) {
	var living, ended []api.Window
	for _, w := range e.all() {
		if w.origin != agentBrowser || w.host != nil || name != "" && string(w.handle) != name && w.label != name {
			continue
		}
		switch _, err := e.mayReach(ctx, c, w); {
		case api.CodeOf(err) == api.NotExposed:
			continue
		case err != nil:
			return nil, err
		}
		if w.label == name && w.opener != c.Session {
			continue // a label is its opener's own word
		}
		if p := w.picture(); p.Ended == nil {
			living = append(living, p)
		} else {
			ended = append(ended, p)
		}
	}
	return append(living, ended...), nil
}

// runsOn tells an agent what detaching does not do.
func runsOn(h api.Handle) string {
	return fmt.Sprintf("%s runs until your session ends: vibespace-window stop %s ends it now", h, h)
}

// notYoursToEnd refuses to end a window to who did not open it.
func (t *turn) notYoursToEnd() error {
	if t.w.origin != agentBrowser {
		return notYours(t.w.handle, "may end it")
	}
	return api.Refuse(api.NotYourBrowser, "only the session that opened %s may end it", t.w.handle).WithHint("ask the person")
}

// stopOwn ends a window of the caller's own.
func (t *turn) stopOwn(ctx context.Context) (api.HandleAnswer, error) {
	err := t.notOthers()
	if err != nil && (t.w.origin != agentBrowser || api.CodeOf(err) != api.WindowPaused) {
		return api.HandleAnswer{}, err
	}
	answer := api.HandleAnswer{Answer: t.e.answer(t.c), Handle: t.w.handle}
	if t.w.origin != agentBrowser {
		killed, err := t.e.bury(ctx, t.w, api.Ended{Why: "it was stopped"})
		answer.Ended = killed
		return answer, err
	}
	ends, err := t.e.endOrWait(ctx, t.w, "it was stopped")
	if ends != nil {
		answer.EndsBy = ends
		return answer, err
	}
	answer.Ended = t.w.killed
	return answer, err
}

// endOrWait ends a window. A browser that the person drives at the time is
// left to them until they hand it back, for one grace at the most; that is said
// once. It gives until when, nil for a window that has ended.
func (e *Engine) endOrWait(ctx context.Context, w *window, why string) (*time.Time, error) {
	if w.origin != agentBrowser || e.cfg.Leases.State(w.handle).Input != lease.InputUser {
		e.closeKept(ctx, w)
		_, err := e.bury(ctx, w, api.Ended{Why: why})
		return nil, err
	}
	w.mu.Lock()
	again := w.ending
	if !again {
		w.ending, w.endsBy = true, time.Now().UTC().Add(e.cfg.EndGrace)
	}
	by := w.endsBy
	w.mu.Unlock()
	if again {
		return &by, nil
	}
	// A row beside the one of the verb that asked.
	if _, err := e.cfg.Audit.Row(context.WithoutCancel(e.life), api.AuditRow{Handle: w.handle, Verb: "ends", Name: why, Verdict: "waits"}); err != nil {
		e.cfg.Log.Error("an audit row could not be written", "verb", "ends", "err", err)
	}
	e.work.Go(func() { e.endAfter(w, by, why) })
	return &by, nil
}

// closeBound is how long a browser whose profile is kept may take to write it
// down.
const closeBound = 3 * time.Second

// closeKept asks a browser whose profile is kept to close, and waits a while:
// one that is killed loses what it had not written yet.
func (e *Engine) closeKept(ctx context.Context, w *window) {
	d, err := w.live()
	w.mu.Lock()
	app := w.proc
	w.mu.Unlock()
	if err != nil || app == nil || w.profile == "" {
		return
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeBound)
	defer cancel()
	s, err := w.look(bound, d)
	if err != nil || s.main == nil {
		return
	}
	if asked, err := d.X().CloseWindow(bound, s.main.ID); err != nil || !asked {
		return
	}
	select {
	case <-app.gone:
	case <-bound.Done():
	}
}

// endAfter ends a window when the person has handed it back, or at a time.
func (e *Engine) endAfter(w *window, by time.Time, why string) {
	late := time.NewTimer(time.Until(by))
	defer late.Stop()
	for {
		changed := e.cfg.Leases.Changed(w.handle)
		if e.cfg.Leases.State(w.handle).Input != lease.InputUser {
			break
		}
		select {
		case <-changed:
			continue
		case <-late.C:
		case <-w.down:
			return
		case <-e.life.Done():
			return // Shutdown ends it
		}
		break
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	e.closeKept(ctx, w)
	if _, err := e.bury(ctx, w, api.Ended{Why: why}); err != nil {
		e.cfg.Log.Error("a browser whose time is over could not be ended", "handle", w.handle, "err", err)
	}
}
