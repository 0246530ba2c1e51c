package target

import (
	"context"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/lease"
	"vibespace/x11"
)

// The bounds of what a session is told of a takeover.
const (
	maxInterrupted = 20
	maxRefused     = 20
)

// The times after which a takeover nobody uses lapses, unless configured.
const (
	defaultIdle = 10 * time.Minute
	defaultAway = 30 * time.Second
)

// driving is a window's takeover while it lasts. Its fields belong to the
// window's mu.
type driving struct {
	viewer string
	since  time.Time
	// input is when the person last did something, sign when the viewer last
	// showed that it is there.
	input, sign time.Time
	layout      string
	was         x11.Layout    // the display's own
	lent        bool          // layout is in force
	over        chan struct{} // closed when it ends
}

// meanwhile is what befell the sessions of a window while the person drove.
type meanwhile struct {
	interrupted []api.Interrupted
	refused     []api.Refused
	more        int // refused beyond the list
}

// wheel waits for the turn to change how a window is driven. What the person
// does in it comes in between; the pause itself waits for nobody.
func (w *window) wheel(ctx context.Context) (func(), error) {
	select {
	case w.steer <- struct{}{}:
		return func() { <-w.steer }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// startDriving keeps that a viewer drives a window and minds it from then on.
func (e *Engine) startDriving(w *window, s lease.State) *driving {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lapsed = nil
	d := w.driven
	if d != nil && !closed(d.over) {
		d.viewer, d.input, d.sign = s.Driver, now, now
		return d
	}
	next := &driving{viewer: s.Driver, since: s.Paused, input: now, sign: now, over: make(chan struct{})}
	if d != nil { // a hand-back did not come to its end
		next.layout, next.was, next.lent = d.layout, d.was, d.lent
	}
	d, w.driven = next, next
	e.work.Go(func() { e.mind(w, d) })
	return d
}

// resume minds the takeovers of an earlier daemon whose windows are still there.
// They are paused and nobody drives them, until a viewer takes them over again
// or the time without input is over.
func (e *Engine) resume() {
	for _, h := range e.cfg.Leases.Paused() {
		if w := e.window(h); w != nil && w.alive() {
			e.startDriving(w, e.cfg.Leases.State(h))
		}
	}
}

// mind lets a takeover lapse that nobody uses. It runs while the person drives
// and at no other time.
func (e *Engine) mind(w *window, d *driving) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-d.over:
			return
		case <-w.down:
			return
		case <-e.life.Done():
			return
		case <-timer.C:
		}
		left, how := e.left(w, d)
		if left > 0 {
			timer.Reset(left)
			continue
		}
		ctx, cancel := context.WithTimeout(e.life, buryBound)
		if _, err := e.giveBack(ctx, w, w.driver(d), how, ""); err != nil {
			e.cfg.Log.Warn("a takeover that lapsed could not be kept as handed back", "handle", w.handle, "err", err)
		}
		cancel()
		timer.Reset(time.Second) // it is over, or was used in the last moment
	}
}

// left says how long a takeover has until it lapses, and by what.
func (e *Engine) left(w *window, d *driving) (time.Duration, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left, how := time.Until(d.input.Add(e.cfg.TakeoverIdle)), "idle"
	if d.viewer != api.ViewerCLI && d.viewer != "" {
		if away := time.Until(d.sign.Add(e.cfg.TakeoverAway)); away < left {
			left, how = away, "away"
		}
	}
	return left, how
}

// driver is the viewer of a takeover.
func (w *window) driver(d *driving) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return d.viewer
}

// sign keeps that the viewer is there, and that the person did something.
func (w *window) sign(at time.Time, input bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.driven; d != nil {
		d.sign = at
		if input {
			d.input = at
		}
	}
}

// signed keeps when the viewer that drives last showed that it is there.
func (w *window) signed(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.driven; d != nil && at.After(d.sign) {
		d.sign = at
	}
}

// leave stops what the person is doing in a window that is being handed back.
func (w *window) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.driven; d != nil && !closed(d.over) {
		close(d.over)
	}
}

// endDriving forgets the takeover of a window and gives what is to be told of
// it.
func (w *window) endDriving(s lease.State, how, note string) *owed {
	now := time.Now().UTC()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.driven
	if d == nil {
		d = &driving{since: s.Paused} // an earlier daemon's
	}
	m := w.meanwhile
	w.driven, w.meanwhile = nil, meanwhile{}
	if how != "note" {
		w.lapsed = &api.Lapse{At: now, Why: lapseWhy[how]}
	}
	o := &owed{w: w, said: api.HandedBack{
		Handle: w.handle, Diff: []string{}, How: how, Note: note, Interrupted: []api.Interrupted{}, Refused: []api.Refused{},
		RefusedMore: m.more, Since: d.since.UTC(), At: now,
	}}
	if s.Holder != "" {
		o.told = &s.Holder
	}
	for _, i := range m.interrupted {
		// A verb of an earlier takeover that was slow to end was told then.
		if (i.Session == s.Holder || s.Holder == "") && !i.At.Before(d.since.Truncate(time.Millisecond)) {
			o.said.Interrupted = append(o.said.Interrupted, i)
		}
	}
	for _, r := range m.refused {
		if r.Session == s.Holder || s.Holder == "" {
			o.said.Refused = append(o.said.Refused, r)
		}
	}
	return o
}

// lapseWhy says why a takeover ended by itself.
var lapseWhy = map[string]string{
	"idle": api.LapseIdle,
	"away": api.LapseAway,
}

// interrupted keeps that a takeover cut a verb.
func (w *window) interrupted(s api.SessionID, did api.Did) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := &w.meanwhile
	if n := len(m.interrupted); n > 0 && did.In != nil && m.interrupted[n-1].Did.Verb == did.In.Verb && m.interrupted[n-1].Session == s {
		m.interrupted = m.interrupted[:n-1] // it is told as part of its batch
	}
	m.interrupted = append(m.interrupted, api.Interrupted{Session: s, At: time.Now().UTC(), Did: did})
	m.interrupted = m.interrupted[max(0, len(m.interrupted)-maxInterrupted):]
}

// refused keeps that a verb was refused while the person drives.
func (w *window) refused(s api.SessionID, verb string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, now := &w.meanwhile, time.Now().UTC()
	if n := len(m.refused); n > 0 && m.refused[n-1].Session == s && m.refused[n-1].Verb == verb {
		m.refused[n-1].At, m.refused[n-1].Times = now, m.refused[n-1].Times+1
		return
	}
	if len(m.refused) >= maxRefused {
		m.more++
		return
	}
	m.refused = append(m.refused, api.Refused{Session: s, Verb: verb, At: now, Times: 1})
}

// lendLayout gives the display the layout of the viewer that drives.
func (e *Engine) lendLayout(ctx context.Context, w *window, d *driving, name string) error {
	w.mu.Lock()
	same := name == d.layout
	w.mu.Unlock()
	if same {
		return nil
	}
	disp, err := w.live()
	if err != nil {
		return err
	}
	inj, why := disp.Injector()
	if why != "" {
		return e.injects(disp)
	}
	if name == "" {
		return w.returnLayout(ctx, inj)
	}
	to, err := x11.ParseLayout(name)
	if err != nil {
		return err
	}
	was, err := inj.SetLayout(ctx, to)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d.layout = name
	if !d.lent {
		d.was, d.lent = was, true
	}
	return nil
}

// returnLayout gives the display its own layout again.
func (w *window) returnLayout(ctx context.Context, inj *x11.Injector) error {
	w.mu.Lock()
	d := w.driven
	if d == nil || !d.lent {
		w.mu.Unlock()
		return nil
	}
	was := d.was
	w.mu.Unlock()
	if _, err := inj.SetLayout(ctx, was); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d.layout, d.lent = "", false
	return nil
}

// noteDriven says why an act has no picture after it.
const noteDriven = "no picture after: the person took over"

// driven says whether the person drives a window.
func (e *Engine) driven(w *window) bool {
	return e.cfg.Leases.State(w.handle).Input == lease.InputUser
}
