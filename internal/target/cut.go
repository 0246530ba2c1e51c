package target

import (
	"context"
	"maps"

	"vibespace/internal/api"
)

// A verb that needs the lease can be cut: its context ends, with the refusal it
// is answered with as the cause, the moment the person takes the window over or
// the session loses it. Asking again finds the same, later.

// cuttable gives the context of a turn and how it is ended. It must begin
// before the decision is asked, so that no takeover can come between.
func (t *turn) cuttable(ctx context.Context) (context.Context, func()) {
	if t.need&needLease == 0 {
		return ctx, func() {}
	}
	within, stop := context.WithCancelCause(ctx)
	t.stop = stop
	w := t.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[t] = struct{}{}
	return within, func() {
		stop(nil)
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, t)
	}
}

// cut ends a turn for a reason. The first one is what it is answered with.
func (t *turn) cut(why error) {
	refusal := api.AsError(why, api.Cancelled)
	if t.why.CompareAndSwap(nil, refusal) {
		t.stop(refusal)
	}
}

// turns gives the verbs that run on a window and can be cut.
func (w *window) turns() map[*turn]struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.running)
}

// cutAll cuts every verb of a window that may not go on by the lease alone: it
// reads no store and waits for nothing.
func (e *Engine) cutAll(h api.Handle) {
	w := e.window(h)
	if w == nil {
		return
	}
	for t := range w.turns() {
		if _, err := e.cfg.Leases.Hold(h, t.c.Session); err != nil {
			t.cut(err)
		}
	}
}

// recheck asks for every verb that runs on a window whether its session may
// still see and hold it, and cuts those that may not. It is for whoever changed
// what a session reaches: a share, a group, a session's end.
func (e *Engine) recheck(ctx context.Context, w *window) {
	for t := range w.turns() {
		_, err := e.mayReach(ctx, t.c, w)
		if code := api.CodeOf(err); code == api.NotExposed || code == api.BadSession {
			t.cut(err)
		}
	}
	e.cutAll(w.handle)
}

// cutShort makes a refusal that ended a verb in the middle say why it was cut
// and what had been done.
func (t *turn) cutShort(refusal *api.Error) *api.Error {
	if why := t.why.Load(); why != nil {
		said := *why
		said.Details = maps.Clone(why.Details)
		for _, of := range []string{"did", "line", "verb"} { // a batch says how far it came
			if v, ok := refusal.Details[of]; ok {
				said.With(of, v)
			}
		}
		refusal = &said
	}
	if !t.runs() || !takenAway[refusal.Code] {
		return refusal
	}
	if said, ok := refusal.Details["did"].(api.Did); ok && said.Verb == t.verb {
		return refusal
	}
	did := t.did // a batch is refused by the verb in it that was
	if did.Partial == nil {
		did.Partial = t.total
	}
	return refusal.With("did", did)
}

// runs says whether the turn has a lease to lose and was let begin.
func (t *turn) runs() bool { return t.begun && t.need&needLease != 0 }

// takenAway are the refusals by which a verb that runs loses its window.
var takenAway = map[api.Code]bool{
	api.WindowPaused: true, api.NotExposed: true, api.NotAttached: true, api.Held: true, api.BadSession: true,
}

// remember keeps what a takeover cut or refused, for when the window is handed
// back, and puts into any other refusal what its session is to be told.
func (t *turn) remember(refusal *api.Error) {
	switch {
	case refusal == nil || t.w == nil || t.c.Owner:
	case refusal.Code != api.WindowPaused && t.begun:
		ctx, cancel := context.WithTimeout(t.e.life, standBound)
		defer cancel()
		if told := t.e.tell(ctx, t.c); len(told) > 0 {
			refusal.With("handedBack", told)
		}
	case refusal.Code == api.WindowPaused && t.runs():
		did, _ := refusal.Details["did"].(api.Did)
		t.w.interrupted(t.c.Session, did)
	case refusal.Code == api.WindowPaused:
		t.w.refused(t.c.Session, t.verb)
	}
}
