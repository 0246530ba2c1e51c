package target

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/lease"
)

// need is what a verb asks of its caller and its window.
type need uint8

const (
	// needReach: the session may see the window. Every verb needs it.
	needReach need = 1 << iota
	// needLease: the session holds the window.
	needLease
	// needTree: the share carries tree verbs.
	needTree
	// needLive: the window's display is there.
	needLive
	// needInject: keys and the pointer are switched on.
	needInject
)

const (
	needRead = needReach | needLease | needTree | needLive
	needSee  = needReach | needLease | needLive
	needKeys = needReach | needLease | needLive | needInject
)

// turn is one verb of one caller on one window, from the first decision to the
// audit row.
type turn struct {
	e    *Engine
	w    *window
	d    *display.Display
	c    api.Caller
	verb string
	need need
	held lease.Lease
	// doubt is what the turn knows that no event need have told: it acted.
	doubt atspi.Doubt
	since time.Time
	did   api.Did
	// row is the verb's row of the audit, once it has one.
	row int64
	// seen is true once what came of an act was looked at.
	seen bool
	// prints is true for keys that may put characters somewhere.
	prints bool
	// begun is true once the decision let the turn begin; begunFile says what it
	// does, "" until it does something.
	begun     bool
	begunFile string
	// total counts what the verb has done of what it is to do, for the answer
	// when it is cut; nil for a verb that has no parts.
	total   *api.Partial
	counted *int // in total
	// stop ends the turn's context; why is the refusal it was ended for.
	stop context.CancelCauseFunc
	why  atomic.Pointer[api.Error]
}

// turnOf is a verb's turn before any decision.
func (e *Engine) turnOf(c api.Caller, h api.Handle, verb string, want need) *turn {
	return &turn{e: e, w: e.window(h), c: c, verb: verb, need: want, since: time.Now(), did: api.Did{Verb: verb}}
}

// enter takes the decision whether a caller may do a verb to a window, and
// begins its turn. Whatever happens later, leave writes the audit row.
func (t *turn) enter(ctx context.Context) error {
	err := t.again(ctx)
	if err == nil && t.need&needLive != 0 {
		// What cannot be recorded is not begun.
		err = t.e.cfg.Audit.Ready(ctx)
	}
	t.begun = err == nil
	return err
}

// again is the one decision of this engine: may this caller do this verb to
// this window now. It is asked at the beginning, after every wait and just
// before every act and every hand-over of a tree or a picture, since a share,
// a lease and a window can end at any instant.
func (t *turn) again(ctx context.Context) error {
	err := t.decide(ctx)
	if err == nil && t.e.testAsked != nil {
		t.e.testAsked(t)
	}
	return err
}

// decide is the decision itself.
func (t *turn) decide(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	mode, err := t.e.mayReach(ctx, t.c, t.w)
	if err != nil {
		return err
	}
	if t.need&needLive != 0 {
		d, err := t.w.live()
		if err != nil {
			return err
		}
		t.d = d
	}
	if t.need&needLease != 0 {
		if err := t.hold(); err != nil {
			return err
		}
	}
	if t.need&needTree != 0 {
		if err := t.carriesTree(mode); err != nil {
			return err
		}
	}
	if t.need&needInject != 0 {
		return t.e.injects(t.d)
	}
	return nil
}

// mayReach gives the mode of the share a caller sees a window by. A window the
// caller may not see is refused in the words of one that does not exist.
func (e *Engine) mayReach(ctx context.Context, c api.Caller, w *window) (string, error) {
	if c.Owner {
		return "auto", nil
	}
	mode, ok, err := e.cfg.Reach.May(ctx, c.Session, w.handle)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", notExposed(w.handle)
	}
	return mode, nil
}

// hold asks the lease: the caller must hold the window, under the same lease
// as when the turn began.
func (t *turn) hold() error {
	if t.held.Holder != "" {
		return t.e.cfg.Leases.Use(t.held)
	}
	l, err := t.e.cfg.Leases.Hold(t.w.handle, t.c.Session)
	t.held = l
	return err
}

// carriesTree asks whether tree verbs go: the share's mode, or what auto came
// to.
func (t *turn) carriesTree(mode string) error {
	if mode == "pixels" {
		return api.Refuse(api.ModePixels, "%s is shared as pixels: its tree is not read", t.w.handle).
			WithHint("vibespace-window screenshot %s", t.w.handle).With("mode", mode)
	}
	if r := t.w.resolution(); mode == "auto" && r.mode == "pixels" {
		return api.Refuse(api.ModePixels, "%s is driven by pixels: %s", t.w.handle, r.why).
			WithHint("vibespace-window screenshot %s; vibespace-window mode %s tree looks for a tree again", t.w.handle, t.w.handle).
			With("mode", "auto").With("why", r.why)
	}
	return nil
}

// injects says why keys and the pointer cannot go to a display, or nil.
func (e *Engine) injects(d *display.Display) error {
	if _, why := d.Injector(); why != "" {
		return api.Refuse(api.NoInjection, "keys and the pointer cannot be used here: %s", why).
			WithHint("a node with an action of its own can still be clicked by its ref").
			With("probe", api.Road{OK: false, Why: why})
	}
	return nil
}

// notExposed refuses a window that does not exist and one the caller may not
// see in the same words.
func notExposed(h api.Handle) error {
	return api.Refuse(api.NotExposed, "there is no window %s here", api.Quote(string(h), 40)).
		WithHint("vibespace-window list")
}

// leave writes the verb's audit row and gives its error back as a refusal. A
// verb whose row cannot be written is refused: what cannot be recorded is not
// answered as done.
func (t *turn) leave(ctx context.Context, h api.Handle, err error) error {
	refusal := t.overtaken(ctx, t.refusal(err))
	t.remember(refusal)
	verdict := "ok"
	if refusal != nil {
		verdict = string(refusal.Code)
	}
	t.show(verdict)
	id, werr := t.e.cfg.Audit.Row(ctx, t.auditRow(h, verdict))
	t.settled()
	if t.row = id; werr != nil {
		t.e.cfg.Log.Error("an audit row could not be written", "verb", t.verb, "err", werr)
		if refusal == nil {
			refusal = api.AsError(werr, api.StoreFailed).With("did", t.did)
		}
	}
	switch {
	case refusal == nil:
		return nil
	case t.c.Owner:
		return forPerson(refusal)
	}
	return refusal
}

// overtaken says of a verb whose own time was up that it was: that the
// application had not answered by then is not its fault.
func (t *turn) overtaken(ctx context.Context, refusal *api.Error) *api.Error {
	if refusal == nil || refusal.Code != api.NotResponding || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return refusal
	}
	late := api.Refuse(api.Timeout, "%s was not done in its time", t.verb).WithHint("give it more with --timeout")
	late.Details = refusal.Details
	return late
}

// showBound is how long looking up an element's place for a viewer may take.
const showBound = time.Second

// show tells who watches the window what an agent did to it. Where an element
// lies is looked up beside the verb, which nobody who watches slows down.
func (t *turn) show(verdict string) {
	if t.w == nil || t.c.Owner || t.did.By == "" {
		return
	}
	t.w.mu.Lock()
	s := t.w.stream
	t.w.mu.Unlock()
	if s == nil {
		return
	}
	act := api.SeenAct{Session: t.c.Session, Did: t.did, Verdict: verdict, At: time.Now().UTC()}
	s.told(act)
	if act.Did.Ref == "" || act.Did.At != nil || t.d == nil {
		return
	}
	seen := &turn{e: t.e, w: t.w, d: t.d, c: t.c, held: t.held, doubt: t.doubt}
	t.e.work.Go(func() {
		ctx, cancel := context.WithTimeout(t.e.life, showBound)
		defer cancel()
		box, err := seen.boxOf(ctx, act.Did.Ref)
		if err != nil {
			return // it is gone, as the act may have meant it to be
		}
		scene, err := seen.w.look(ctx, seen.d)
		if err != nil || scene.main == nil {
			return
		}
		place := scene.local(box)
		act.Box = &place
		s.told(act)
	})
}

// refusal gives any fault of the turn as a refusal, with the window's own end
// said first: an application that died explains every other fault. A turn that
// was cut says by what, and what it had done.
func (t *turn) refusal(err error) *api.Error {
	if err == nil {
		return nil
	}
	if t.w != nil && t.need&needLive != 0 && follows[api.CodeOf(err)] {
		t.w.awaitEnd()
		if _, gone := t.w.live(); gone != nil {
			return api.AsError(gone, api.NotLive).With("did", t.did)
		}
	}
	if t.w != nil && api.CodeOf(err) == "" && !errors.Is(err, context.Canceled) {
		if _, gone := t.w.live(); gone != nil && t.need&needLive != 0 {
			return api.AsError(gone, api.NotLive)
		}
	}
	return t.cutShort(api.AsError(err, api.NotResponding))
}

// window finds a window by its handle.
func (e *Engine) window(h api.Handle) *window {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.windows[h]
}

// doing runs a verb between enter and leave. The context it is given ends with
// the caller's, and when the verb is cut.
func doing[A any](ctx context.Context, e *Engine, c api.Caller, h api.Handle, verb string, want need, f func(context.Context, *turn) (A, error), parts ...func(*turn)) (A, error) {
	var none A
	t := e.turnOf(c, h, verb, want)
	if t.w == nil {
		return none, t.leave(ctx, h, notExposed(h))
	}
	for _, part := range parts {
		part(t)
	}
	within, done := t.cuttable(ctx)
	defer done()
	if err := t.enter(within); err != nil {
		return none, t.leave(ctx, h, err)
	}
	e.standings(within, c)
	a, err := f(within, t)
	if err = t.leave(ctx, h, err); err != nil {
		return none, err
	}
	return a, nil
}
