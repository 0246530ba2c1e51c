package target

import (
	"context"
	"slices"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/lease"
)

// HostSpec is a display for a browser that another engine keeps and drives
// over CDP.
type HostSpec struct {
	// Handle is the profile's: the person sees, watches and takes over the
	// browser's window by it, and the lease of it pauses the page verbs too.
	Handle api.Handle
	Label  string
	Size   api.Size
	// Left asks for the display that an earlier daemon left for the handle, and
	// for none that is new.
	Left bool
	// Opener is the session that had the browser started; Holder gives the one
	// that drives its pages now, "" for none. Both are told to the person alone.
	Opener api.SessionID
	Holder func() api.SessionID
	// HandedBack is told the note with which the person gave it back.
	HandedBack func(note string)
	// Stop ends the browser that runs there when the person stops the window.
	// Optional: without it the end of its display ends the browser.
	Stop func(context.Context)
}

// Hosted is a display made for a browser.
type Hosted struct {
	// Env is what a program needs to be on the display, without a home.
	Env []string
	// End ends the display and everything on it.
	End func(context.Context) error
}

// hosted marks a window whose program is not this engine's: it has no row of
// its own in the store, and no agent sees it unless it is shared.
type hosted struct {
	opener     api.SessionID
	holder     func() api.SessionID
	handedBack func(note string)
	stop       func(context.Context)
}

// whose gives the session that opened a window and the one that drives it, ""
// for none, as the person is told. Who opened a hosted window reaches it by the
// browser's own verbs only: to an agent it is nobody's.
func (e *Engine) whose(w *window) (opener, holder api.SessionID) {
	holder = e.cfg.Leases.State(w.handle).Holder
	if w.host == nil {
		return w.opener, holder
	}
	if holder == "" && w.host.holder != nil && w.alive() {
		holder = w.host.holder()
	}
	return w.host.opener, holder
}

// homeless are the variables of an application's home, which the browser's
// keeper gives it.
var homeless = []string{"HOME=", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "TMPDIR="}

// Host makes a display for a browser, and a window of it for the person. It
// does not count as a display: the browser has a cap of its own.
func (e *Engine) Host(ctx context.Context, s HostSpec) (Hosted, error) {
	w := newWindow(s.Handle, program{name: "chromium", browser: true}, api.OpenRequest{}, "", agentBrowser)
	w.label, w.host = s.Label, &hosted{opener: s.Opener, holder: s.Holder, handedBack: s.HandedBack, stop: s.Stop}
	w.mode = resolved{mode: "pixels", why: "its pages are driven by vibespace-browser"}
	if err := e.addHosted(w); err != nil {
		return Hosted{}, err
	}
	began := time.Now()
	d, err := e.hostDisplay(ctx, s)
	if err != nil {
		_, _ = e.bury(ctx, w, api.Ended{Why: "its display did not start"})
		return Hosted{}, startFault("the display", err)
	}
	w.adopt(d, time.Since(began))
	w.mu.Lock()
	w.state = "ready"
	w.mu.Unlock()
	e.work.Go(func() { e.attendHosted(w, d) })
	if state := e.cfg.Leases.State(w.handle); state.Input == lease.InputUser {
		e.startDriving(w, state) // of an earlier daemon
	}
	env := slices.DeleteFunc(d.Env(display.AppSpec{Locale: e.locale()}), func(kv string) bool {
		return slices.ContainsFunc(homeless, func(key string) bool { return strings.HasPrefix(kv, key) })
	})
	return Hosted{Env: env, End: func(ctx context.Context) error {
		_, err := e.bury(ctx, w, api.Ended{Why: "its browser was stopped"})
		return err
	}}, nil
}

// hostDisplay gives the display that an earlier daemon left for a browser, or a
// new one.
func (e *Engine) hostDisplay(ctx context.Context, s HostSpec) (*display.Display, error) {
	if d := e.claim(ctx, s.Handle); d != nil {
		return d, nil
	}
	if s.Left {
		return nil, api.Refuse(api.StartFailed, "the display of %s is gone", s.Handle)
	}
	cfg := e.displayConfig(s.Handle)
	cfg.Screen = display.Size{W: max(e.cfg.Screen.W, s.Size.W), H: max(e.cfg.Screen.H, s.Size.H)}
	return display.Start(ctx, cfg, displayID(s.Handle))
}

// addHosted enters a hosted window in place of an earlier one of its handle.
func (e *Engine) addHosted(w *window) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return api.Refuse(api.StartFailed, "the daemon is stopping").WithHint("vibespace up")
	}
	if e.windows[w.handle] == nil {
		e.order = append(e.order, w.handle)
	}
	e.windows[w.handle] = w
	return nil
}

// attendHosted ends what is left of a hosted display that ended by itself.
func (e *Engine) attendHosted(w *window, d *display.Display) {
	e.work.Go(func() { e.watchFootprint(w, d) })
	select {
	case <-e.life.Done():
		return // Shutdown ends it
	case <-w.down:
		return
	case <-d.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	if _, err := e.bury(ctx, w, api.Ended{Why: "its display ended: " + d.Why()}); err != nil {
		e.cfg.Log.Error("a browser's display could not be cleared away", "handle", w.handle, "err", err)
	}
}

// keepRow writes a window's row; a hosted one has none.
func (e *Engine) keepRow(ctx context.Context, w *window) error {
	if w.host != nil {
		return nil
	}
	return e.cfg.Store.UpdateWindow(ctx, w.row())
}
