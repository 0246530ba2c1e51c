package target

import (
	"context"
	"time"
	"unicode/utf8"

	"vibespace/internal/api"
	"vibespace/internal/lease"
	"vibespace/x11"
)

// The bounds of what a viewer says.
const (
	maxViewer = 100
	maxNote   = 4000
)

// quietBound is how long a takeover waits for the verb it cut to let go. A verb
// that hangs beyond it cannot press anything any more: its context has ended.
const quietBound = 1500 * time.Millisecond

// viewerOf is the viewer a request names.
func viewerOf(name string) (string, error) {
	switch {
	case name == "":
		return api.ViewerCLI, nil
	case len(name) > maxViewer || !utf8.ValidString(name):
		return "", api.Refuse(api.BadRequest, "the viewer's name is longer than %d bytes, or no UTF-8", maxViewer).
			WithHint("any short word that is the viewer's own")
	}
	return name, nil
}

// Takeover gives a window to the person: every verb that runs on it is cut at
// once, and when it has answered nothing of an agent reaches the window any more
// and no key or button is down. The person's alone.
func (e *Engine) Takeover(ctx context.Context, c api.Caller, r api.TakeoverRequest) (api.TakeoverAnswer, error) {
	if err := ownerOnly(c, "takeover"); err != nil {
		return api.TakeoverAnswer{}, err
	}
	viewer, err := viewerOf(r.Viewer)
	if err != nil {
		return api.TakeoverAnswer{}, err
	}
	if err := checkLayout(r.Layout); err != nil {
		return api.TakeoverAnswer{}, err
	}
	// Nothing that can fail for another reason than the window's own stands
	// before the person.
	return doing(ctx, e, c, r.Handle, "takeover", needReach, func(ctx context.Context, t *turn) (api.TakeoverAnswer, error) {
		if _, err := t.w.live(); err != nil {
			return api.TakeoverAnswer{}, err
		}
		return e.takeOver(ctx, t, viewer, r.Layout)
	})
}

// takeOver pauses the window, and returns when it is quiet.
func (e *Engine) takeOver(ctx context.Context, t *turn, viewer, layout string) (api.TakeoverAnswer, error) {
	w := t.w
	_, err := e.cfg.Leases.Takeover(ctx, w.handle, viewer)
	if api.CodeOf(err) == api.TakeoverHeld {
		return api.TakeoverAnswer{}, err
	}
	release, lerr := w.wheel(ctx)
	if lerr != nil {
		return api.TakeoverAnswer{}, lerr
	}
	defer release()
	// A hand-back that was on its way may have come in between.
	state, err := e.cfg.Leases.Takeover(ctx, w.handle, viewer)
	if api.CodeOf(err) == api.TakeoverHeld {
		return api.TakeoverAnswer{}, err
	}
	answer := api.TakeoverAnswer{Answer: e.answer(t.c), Handle: w.handle, Interrupted: []api.Interrupted{}}
	if err != nil {
		answer.Notices = append(answer.Notices, "you drive "+string(w.handle)+", and if the daemon ended now that would be forgotten: "+err.Error())
	}
	d := e.startDriving(w, state)
	if err := e.quiet(ctx, w); err != nil {
		answer.Notices = append(answer.Notices, "keys or buttons may still be down: "+err.Error())
	}
	if err := e.lendLayout(ctx, w, d, layout); err != nil {
		answer.Notices = append(answer.Notices, "the keyboard layout stays as it was: "+err.Error())
	}
	e.answerDriven(&answer, w, state)
	return answer, nil
}

// quiet waits until the verb that was cut has ended and lets go of every key and
// button.
func (e *Engine) quiet(ctx context.Context, w *window) error {
	d, err := w.live()
	if err != nil {
		return nil //nolint:nilerr // a window that ended holds nothing down
	}
	bound, cancel := context.WithTimeout(ctx, quietBound)
	defer cancel()
	if done, err := w.lock(bound); err == nil {
		defer done()
	}
	inj, why := d.Injector()
	if why != "" {
		return nil
	}
	return inj.ReleaseAll(ctx)
}

// answerDriven says how a takeover stands.
func (e *Engine) answerDriven(answer *api.TakeoverAnswer, w *window, s lease.State) {
	answer.Driven = api.Driven{Viewer: s.Driver, Since: s.Paused.UTC()}
	answer.IdleMs = int(e.cfg.TakeoverIdle.Milliseconds())
	if s.Driver != api.ViewerCLI {
		answer.AwayMs = int(e.cfg.TakeoverAway.Milliseconds())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	answer.Interrupted = append(answer.Interrupted, w.meanwhile.interrupted...)
	if w.driven != nil {
		answer.Driven.Layout = w.driven.layout
	}
}

// Driving is the sign of life of the viewer that drives. The person's alone.
func (e *Engine) Driving(_ context.Context, c api.Caller, r api.DrivingRequest) (api.TakeoverAnswer, error) {
	w, viewer, err := e.wheelOf(c, "driving", r.Handle, r.Viewer)
	if err != nil {
		return api.TakeoverAnswer{}, err
	}
	w.sign(time.Now(), false)
	answer := api.TakeoverAnswer{Answer: e.answer(c), Handle: w.handle, Interrupted: []api.Interrupted{}}
	state := e.cfg.Leases.State(w.handle)
	if state.Driver != viewer {
		return api.TakeoverAnswer{}, notDriving(w.handle)
	}
	e.answerDriven(&answer, w, state)
	return answer, nil
}

// wheelOf finds the window that a viewer says it drives, and refuses one that
// does not.
func (e *Engine) wheelOf(c api.Caller, verb string, h api.Handle, name string) (*window, string, error) {
	if err := ownerOnly(c, verb); err != nil {
		return nil, "", err
	}
	viewer, err := viewerOf(name)
	if err != nil {
		return nil, "", err
	}
	w := e.window(h)
	if w == nil {
		return nil, "", forPerson(notExposed(h))
	}
	if _, err := w.live(); err != nil {
		return nil, "", forPerson(err)
	}
	return w, viewer, e.drives(w, viewer)
}

// drives refuses a viewer that does not drive a window.
func (e *Engine) drives(w *window, viewer string) error {
	switch s := e.cfg.Leases.State(w.handle); {
	case s.Input != lease.InputUser || s.Driver == "":
		return notDriving(w.handle)
	case s.Driver != viewer:
		return lease.TakeoverHeld(s)
	}
	return nil
}

// notDriving refuses a viewer that has not taken over, or no longer.
func notDriving(h api.Handle) error {
	return api.Refuse(api.NotAttached, "%s is not driven from here", h).WithHint("vibespace takeover %s", h).With("handle", h)
}

// Handback gives a window back to its agent, which is told how things stand with
// its next command. The person's alone.
func (e *Engine) Handback(ctx context.Context, c api.Caller, r api.HandbackRequest) (api.HandbackAnswer, error) {
	if err := ownerOnly(c, "handback"); err != nil {
		return api.HandbackAnswer{}, err
	}
	viewer, err := viewerOf(r.Viewer)
	if err != nil {
		return api.HandbackAnswer{}, err
	}
	if n := utf8.RuneCountInString(r.Note); n > maxNote || !utf8.ValidString(r.Note) {
		return api.HandbackAnswer{}, api.Refuse(api.BadRequest, "the note has %d characters, or is no UTF-8", n).
			WithHint("at most %d", maxNote)
	}
	return doing(ctx, e, c, r.Handle, "handback", needReach, func(ctx context.Context, t *turn) (api.HandbackAnswer, error) {
		answer := api.HandbackAnswer{Answer: e.answer(c), Handle: t.w.handle, Interrupted: []api.Interrupted{}, Refused: []api.Refused{}}
		report, err := e.giveBack(ctx, t.w, viewer, "note", r.Note)
		if api.CodeOf(err) == api.StoreFailed {
			answer.Notices = append(answer.Notices, "it is handed back, and if the daemon ended now that would be forgotten: "+err.Error())
			err = nil
		}
		if err != nil {
			return api.HandbackAnswer{}, err
		}
		if report == nil {
			answer.NotTaken = true
		} else {
			answer.Told = report.told
			answer.Interrupted = append(answer.Interrupted, report.said.Interrupted...)
			answer.Refused = append(answer.Refused, report.said.Refused...)
		}
		return answer, nil
	})
}

// giveBack ends a takeover: nothing of the person's stays down, the layout is
// the display's own again, and then the agent may act. It gives nil for a window
// that was the agent's already. An attached viewer has no button for it: any of the
// person's hands back for it.
func (e *Engine) giveBack(ctx context.Context, w *window, viewer, how, note string) (*owed, error) {
	s := e.cfg.Leases.State(w.handle)
	if api.IsAttached(s.Driver) {
		viewer = s.Driver
	}
	if s.Input != lease.InputUser {
		return nil, nil
	} else if s.Driver != "" && s.Driver != viewer {
		return nil, lease.TakeoverHeld(s)
	}
	w.leave()
	release, err := w.wheel(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	before := e.cfg.Leases.State(w.handle)
	if before.Input != lease.InputUser {
		return nil, nil
	}
	// The person's hand is off: what they hold is let go and their layout with
	// it, however short the caller's time is.
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysUpBound)
	defer cancel()
	if err := e.letGoOf(bound, w); err != nil {
		e.cfg.Log.Warn("a window was not handed back as it was taken", "handle", w.handle, "err", err)
	}
	report := w.endDriving(before, how, note)
	e.owe(report)
	_, err = e.cfg.Leases.Handback(ctx, w.handle, viewer)
	if w.host != nil && w.host.handedBack != nil {
		w.host.handedBack(note)
	}
	return report, err
}

// letGoOf releases what the person holds and takes their layout away.
func (e *Engine) letGoOf(ctx context.Context, w *window) error {
	d, err := w.live()
	if err != nil {
		return nil //nolint:nilerr // a window that ended holds nothing down
	}
	inj, why := d.Injector()
	if why != "" {
		return nil
	}
	if err := inj.ReleaseAll(ctx); err != nil {
		return err
	}
	return w.returnLayout(ctx, inj)
}

// checkLayout refuses what is no layout's name.
func checkLayout(name string) error {
	if name == "" {
		return nil
	}
	if _, err := x11.ParseLayout(name); err != nil {
		return api.Refuse(api.BadRequest, "%s is no keyboard layout", api.Quote(name, 60)).WithHint("as XKB names it: fr, de, us(dvorak)")
	}
	return nil
}
