package target

import (
	"context"
	"sort"

	"vibespace/internal/api"
	"vibespace/internal/lease"
)

// Attach takes the lease of a window the caller reaches.
func (e *Engine) Attach(ctx context.Context, c api.Caller, r api.HandleRequest) (api.OpenAnswer, error) {
	return doing(ctx, e, c, r.Handle, "attach", needReach|needLive, func(ctx context.Context, t *turn) (api.OpenAnswer, error) {
		if _, err := e.cfg.Leases.Take(ctx, t.w.handle, c.Session); err != nil {
			return api.OpenAnswer{}, err
		}
		if err := t.again(ctx); err != nil {
			return api.OpenAnswer{}, err
		}
		return api.OpenAnswer{Answer: e.answer(c), Window: e.show(ctx, c, t.w)}, nil
	})
}

// Detach drops the lease; the application keeps running.
func (e *Engine) Detach(ctx context.Context, c api.Caller, r api.HandleRequest) (api.HandleAnswer, error) {
	return doing(ctx, e, c, r.Handle, "detach", needReach, func(ctx context.Context, t *turn) (api.HandleAnswer, error) {
		if err := e.cfg.Leases.Drop(ctx, t.w.handle, c.Session); err != nil {
			return api.HandleAnswer{}, err
		}
		answer := api.HandleAnswer{Answer: e.answer(c), Handle: t.w.handle}
		if t.own() && t.w.origin == agentBrowser {
			answer.Notices = append(answer.Notices, runsOn(t.w.handle))
		}
		return answer, nil
	})
}

// EndHold takes the lease from whoever has it; the person's alone.
func (e *Engine) EndHold(ctx context.Context, c api.Caller, r api.HandleRequest) (api.HandleAnswer, error) {
	if err := ownerOnly(c, "end-hold"); err != nil {
		return api.HandleAnswer{}, err
	}
	return doing(ctx, e, c, r.Handle, "end-hold", needReach, func(ctx context.Context, t *turn) (api.HandleAnswer, error) {
		holder, err := e.cfg.Leases.EndHold(ctx, t.w.handle)
		e.cutAll(t.w.handle)
		if err != nil {
			return api.HandleAnswer{}, err
		}
		return api.HandleAnswer{Answer: e.answer(c), Handle: t.w.handle, Holder: holder}, nil
	})
}

// show is a window as answers show it.
func (e *Engine) show(ctx context.Context, c api.Caller, w *window) api.Window {
	v := w.picture()
	if mode, err := e.mayReach(ctx, c, w); err == nil {
		v.Mode.Share = mode
	}
	if v.Mode.Share == "pixels" {
		v.Mode.Resolved, v.Mode.Why = "pixels", "it is shared as pixels"
	}
	state := e.cfg.Leases.State(w.handle)
	if state.Holder != "" {
		v.Holder = &state.Holder
	}
	if state.Input == lease.InputUser {
		v.Input, v.Driven = state.Input, &api.Driven{Viewer: state.Driver, Since: state.Paused.UTC()}
	}
	if !c.Owner && !w.openedBy(c.Session) {
		v.Origin = "shared"
	}
	d, err := w.live()
	if err != nil {
		return v
	}
	look, cancel := context.WithTimeout(ctx, lookBound)
	defer cancel()
	s, err := w.look(look, d)
	if err != nil {
		return v
	}
	v.Size, v.Visible, v.Windows = s.size(), s.main != nil, s.list()
	if v.Title == "" && s.main != nil {
		v.Title = s.main.Title
	}
	return v
}

// picture is what the engine itself knows of a window, without asking X.
func (w *window) picture() api.Window {
	w.mu.Lock()
	defer w.mu.Unlock()
	rung, why := w.rungLocked()
	return api.Window{
		Handle: w.handle, App: w.app, Label: w.label, Title: w.title, State: w.state, Rung: string(rung), RungWhy: why, Display: w.number, PID: w.pid,
		Origin: w.origin, Mode: api.Mode{Share: "auto", Resolved: w.mode.mode, Why: w.mode.why},
		Input: "agent", Lapsed: w.lapsed, Pin: w.pin, Ended: w.ended, Home: w.home, Windows: []api.Part{},
	}
}

// Status says how the session stands. It needs no lease and asks no window.
func (e *Engine) Status(_ context.Context, c api.Caller, _ api.StatusRequest) (api.StatusAnswer, error) {
	held := e.cfg.Leases.HeldBy(c.Session)
	sort.Slice(held, func(i, j int) bool { return held[i] < held[j] })
	answer := api.StatusAnswer{Answer: e.answer(c), Daemon: e.cfg.Version, Held: []api.Handle{}, Paused: []api.Handle{}, Pauses: []api.Pause{}}
	for _, h := range held {
		answer.Held = append(answer.Held, h)
		if s := e.cfg.Leases.State(h); s.Input == lease.InputUser {
			answer.Paused = append(answer.Paused, h)
			answer.Pauses = append(answer.Pauses, api.Pause{Handle: h, By: s.Input, Since: s.Paused.UTC()})
		}
	}
	return answer, nil
}

// ownerOnly refuses the person's verbs to everybody else.
func ownerOnly(c api.Caller, verb string) error {
	if c.Owner {
		return nil
	}
	return api.Refuse(api.OwnerOnly, "%s is the person's to say", verb).
		WithHint("ask the person; their command is vibespace %s", verb)
}
