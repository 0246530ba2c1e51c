package target

import (
	"context"

	"vibespace/internal/api"
)

// SessionNew makes a session and gives its token, this once. The person's
// alone.
func (e *Engine) SessionNew(ctx context.Context, c api.Caller, r api.SessionRequest) (api.SessionAnswer, error) {
	if err := ownerOnly(c, "session new"); err != nil {
		return api.SessionAnswer{}, err
	}
	token, err := e.cfg.Reach.New(ctx, r.Label, r.Group)
	if err != nil {
		return api.SessionAnswer{}, err
	}
	return e.sessionAnswer(r.Label, token), nil
}

// Run makes a session, or reuses the one that lives, and gives a token for a
// command that is run as it. The person's alone.
func (e *Engine) Run(ctx context.Context, c api.Caller, r api.SessionRequest) (api.SessionAnswer, error) {
	if err := ownerOnly(c, "run"); err != nil {
		return api.SessionAnswer{}, err
	}
	token, err := e.cfg.Reach.Run(ctx, r.Label)
	if err != nil {
		return api.SessionAnswer{}, err
	}
	return e.sessionAnswer(r.Label, token), nil
}

// sessionAnswer is a session with the environment that makes a command act as
// it.
func (e *Engine) sessionAnswer(label api.SessionID, token string) api.SessionAnswer {
	return api.SessionAnswer{OK: true, Label: label, Token: token, Env: map[string]string{
		"VIBESPACE_SESSION_TOKEN": token, "VIBESPACE_SOCKET": e.cfg.Socket,
	}}
}

// SessionList lists the living sessions. The person's alone.
func (e *Engine) SessionList(ctx context.Context, c api.Caller, _ api.SessionRequest) (api.SessionsAnswer, error) {
	if err := ownerOnly(c, "session list"); err != nil {
		return api.SessionsAnswer{}, err
	}
	list, err := e.cfg.Reach.Sessions(ctx)
	if err != nil {
		return api.SessionsAnswer{}, err
	}
	answer := api.SessionsAnswer{OK: true, Sessions: []api.SessionInfo{}, Ending: []api.Ending{}}
	for _, s := range list {
		answer.Sessions = append(answer.Sessions, api.SessionInfo{
			Label: s.Label, Created: s.Created, Groups: append([]string{}, s.Groups...),
			Holds: append([]api.Handle{}, e.cfg.Leases.HeldBy(s.Label)...),
		})
	}
	pending, err := e.cfg.Store.PendingEnds(ctx)
	if err != nil {
		return api.SessionsAnswer{}, err
	}
	for _, p := range pending {
		answer.Ending = append(answer.Ending, api.Ending{Label: p.Label, Windows: p.Windows, Due: p.Due, Waits: p.Waits})
	}
	return answer, nil
}

// SessionEnd ends a session: its tokens, its leases and its shares at once, the
// windows it opened itself after a grace. The person's alone.
func (e *Engine) SessionEnd(ctx context.Context, c api.Caller, r api.SessionRequest) (api.SessionsAnswer, error) {
	if err := ownerOnly(c, "session end"); err != nil {
		return api.SessionsAnswer{}, err
	}
	if err := e.cfg.Reach.End(ctx, r.Label, e.cfg.EndGrace); err != nil {
		return api.SessionsAnswer{}, err
	}
	for _, w := range e.all() {
		if w.opener == r.Label {
			w.orphan()
		}
		e.recheck(ctx, w)
	}
	dropped, err := e.cfg.Leases.DropAll(ctx, r.Label)
	if err != nil {
		return api.SessionsAnswer{}, err
	}
	for _, h := range dropped {
		if w := e.window(h); w != nil {
			e.hush(ctx, w)
		}
	}
	if err := e.awaitEndings(ctx); err != nil {
		return api.SessionsAnswer{}, err
	}
	e.mu.Lock()
	also := e.alsoEnds
	e.mu.Unlock()
	if also != nil {
		also(ctx, r.Label)
	}
	return e.SessionList(ctx, c, r)
}

// AlsoEnds names what is done at the end of every session besides, whether the
// person ended it or its process is gone. It is called once, at the start.
func (e *Engine) AlsoEnds(do func(context.Context, api.SessionID)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.alsoEnds = do
}
