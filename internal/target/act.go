package target

import (
	"context"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// act is one acting verb in its turn: it holds the window's turn to act, knows
// the windows as they are, and collects what was done.
type act struct {
	*turn
	scene    scene
	applied  string // yes, unknown
	verified *bool
	// differs counts what a field holds that is not what was typed; it counts
	// while verified is false.
	differs *api.Differs
	// acted is true once something reached the application: from there on a
	// fault is not a refusal to be tried again.
	acted bool
	// look sees what an observation alone does not tell, nil for nothing.
	look func(context.Context, *watching, *api.Observed)
	// late is set when what the act does begins only after a while.
	late bool
	// wasText is what a field held before it was written to, nil when unknown.
	wasText *string
	// wasLength is the length of a password field before, wasCaret where the
	// caret stood, in the toolkit's units.
	wasLength, wasCaret *int
}

// acting runs an acting verb: one at a time a window, decided again when its
// turn came, observed after, with every key and button up whatever happened.
func acting(ctx context.Context, e *Engine, c api.Caller, r api.Act, verb string, want need, f func(context.Context, *act) error, parts ...func(*turn)) (api.Acted, error) {
	var traced *tracing
	answer, err := doing(ctx, e, c, r.Handle, verb, want, func(ctx context.Context, t *turn) (api.Acted, error) {
		done, err := t.w.lock(ctx)
		if err != nil {
			return api.Acted{}, err
		}
		defer done()
		if err := t.again(ctx); err != nil {
			return api.Acted{}, err
		}
		expect, err := parseExpect(r.Expect)
		if err != nil {
			return api.Acted{}, err
		}
		a := &act{turn: t, applied: "yes"}
		if err := a.see(ctx); err != nil {
			return api.Acted{}, err
		}
		bound := traceLook
		if r.NoObserve {
			bound = traceTake
		}
		traced = a.traceBegin(ctx, a.scene, bound, func() bool { return a.acted })
		watch, err := a.watch(ctx, r)
		if err != nil {
			return api.Acted{}, err
		}
		defer watch.close()
		defer a.keysUp(ctx)
		if err := f(ctx, a); err != nil {
			return api.Acted{}, a.fault(ctx, err)
		}
		return a.answer(ctx, r, watch, expect)
	}, parts...)
	traced.traceEnd()
	return answer, err
}

// of says how much a verb is to do, in parts that are counted by kind: what it
// did of them is in its answer when it is cut.
func of(n int, kind func(*api.Partial) **int) func(*turn) {
	return func(t *turn) {
		done := 0
		t.total = &api.Partial{Of: n}
		*kind(t.total) = &done
		t.counted = &done
	}
}

// The kinds of parts.
func chars(p *api.Partial) **int   { return &p.Chars }
func keys(p *api.Partial) **int    { return &p.Keys }
func notches(p *api.Partial) **int { return &p.Notches }
func points(p *api.Partial) **int  { return &p.Points }

// count keeps how many parts are done.
func (t *turn) count(n int) {
	if t.counted != nil {
		*t.counted = n
	}
}

// see looks at the windows of the target again.
func (a *act) see(ctx context.Context) error {
	s, err := a.w.look(ctx, a.d)
	if err != nil {
		return err
	}
	if s.main == nil {
		return notDrawn(a.w.handle)
	}
	a.scene = s
	return nil
}

// ready takes the decision again, just before something reaches the
// application.
func (a *act) ready(ctx context.Context) error {
	if err := a.again(ctx); err != nil {
		return err
	}
	a.begins()
	a.acted, a.doubt = true, atspi.DoubtPlaces
	a.w.touched(a.did.By)
	return nil
}

// keysUpBound is how long releasing what is held may take.
const keysUpBound = 2 * time.Second

// keysUp releases every key and button the act may have left down. It does so
// also when the verb was cancelled.
func (a *act) keysUp(ctx context.Context) {
	inj, why := a.d.Injector()
	if why != "" {
		return
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysUpBound)
	defer cancel()
	if err := inj.ReleaseAll(wait); err != nil {
		a.e.cfg.Log.Warn("keys could not be released", "handle", a.w.handle, "err", err)
	}
}

// fault gives an act's error back with what was done before it.
func (a *act) fault(_ context.Context, err error) error {
	if a.acted && a.did.Partial == nil {
		a.did.Partial = a.total
	}
	refusal := a.refusal(err)
	if a.acted {
		refusal = refusal.With("did", a.did)
	}
	if a.acted && a.total == nil && a.why.Load() != nil {
		// What was asked through the tree was not waited for.
		refusal = refusal.With("applied", "unknown")
	}
	return refusal
}

// answer observes what came of the act and says it.
func (a *act) answer(ctx context.Context, r api.Act, watch *watching, expect *expectation) (api.Acted, error) {
	answer := api.Acted{Handle: a.w.handle, Did: a.did, Applied: a.applied, Verified: a.verified}
	if a.verified != nil && !*a.verified {
		answer.Differs = a.differs
	}
	met, err := true, error(nil)
	if expect != nil {
		// What is told is how things are once the condition has come true.
		met, err = a.expects(ctx, expect)
		answer.Verified = &met
	}
	if !r.NoObserve || expect != nil || r.Snapshot {
		seen := a.observe(ctx, watch)
		a.seen = true
		if a.look != nil {
			a.look(ctx, watch, &seen)
		}
		answer.Observed = &seen
	}
	if expect != nil {
		if a.why.Load() != nil && err != nil {
			a.did.Partial = a.total
			return api.Acted{}, a.refusal(err).With("applied", a.applied)
		}
		if err != nil || !met {
			refusal := api.Refuse(api.ExpectFailed, "the act was done, and %s did not come true", expect).
				WithHint("the act is not to be repeated: take a snapshot and look").
				With("did", a.did).With("applied", a.applied).With("observed", answer.Observed)
			return api.Acted{}, refusal
		}
	}
	if r.Snapshot {
		snap, err := a.snapshot(ctx, api.SnapshotRequest{Handle: a.w.handle})
		if err == nil {
			answer.Tree = &snap
		} else {
			answer.Observed.Failed = a.refusal(err).Error()
		}
	}
	answer.Answer = a.e.answer(a.c)
	return answer, nil
}
