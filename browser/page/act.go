package page

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// invalidParams is the protocol's code for a command it does not understand.
const invalidParams = -32602

// doing is an act from its first look to its answer.
type doing struct {
	o    *op
	p    *Page
	r    api.PageAct
	a    *aim  // nil for acts on whatever has the focus
	doc  *node // the document that is watched, nil for the element's
	did  api.Did
	sent []*devtools.Pending
	// led is how much of what was sent only led to the act.
	led int
	// verified is the read-back, value what was read, secret fields excepted.
	verified *bool
	effects  []api.Effect
	// unseen: what was sent did not come to the document it was meant for.
	unseen bool
	// saves: what was sent followed a link that saves what it leads to.
	saves bool
	// shown: a frame was drawn after all that was sent.
	shown bool
}

// act runs an act: do looks, refuses, and sends; what it began is waited for,
// observed and told.
func (p *Page) act(ctx context.Context, r api.PageAct, verb string, ref api.Ref, do func(d *doing) error) (*api.PageActed, error) {
	begun := time.Now()
	expect, err := p.expects(r.Expect)
	if err != nil {
		return nil, err
	}
	return run(ctx, p, func(o *op) (*api.PageActed, error) {
		d := &doing{o: o, p: p, r: r, did: api.Did{Verb: verb, By: "pointer"}}
		defer p.main.letGo()
		if err := d.aimAt(ref); err != nil {
			return nil, err
		}
		if err := d.carryOut(do); err != nil {
			return nil, d.refused(err)
		}
		answer := &api.PageActed{Did: d.did, Applied: "yes", Verified: d.verified, Effects: d.effects}
		if d.unseen {
			answer.Applied = "unknown"
		}
		answer.SettledMs = int(time.Since(begun).Milliseconds())
		if err := d.finish(answer, expect); err != nil {
			return nil, err
		}
		return answer, nil
	})
}

// aimAt looks at the element again. An act without one is on the page that was
// told of: not on one of another origin that it has gone to by itself since, be
// it while nobody looked.
func (d *doing) aimAt(ref api.Ref) error {
	if ref == "" {
		is := d.p.where(d.p.mainFrame()).origin
		d.p.mu.Lock()
		told, untold := d.p.toldOrigin, d.p.untold
		d.p.mu.Unlock()
		if untold {
			return api.Refuse(api.StaleRef, "nothing was told of the page since the daemon was started anew: take a snapshot first").
				WithHint("vibespace-browser snapshot")
		}
		if told != "" && told != is {
			return api.Refuse(api.StaleRef, "the page went from %s to %s by itself", told, is).WithHint("vibespace-browser snapshot").
				With("was", told).With("is", is)
		}
		return nil
	}
	a, err := d.p.take(d.o.ctx, ref)
	if err != nil {
		return err
	}
	d.a = a
	d.did.Ref, d.did.Role, d.did.Name = a.e.ref, a.e.role, a.e.name
	return nil
}

// carryOut watches, does, waits for what was begun and tells what was seen.
func (d *doing) carryOut(do func(d *doing) error) error {
	d.o.act(d.p)
	d.p.beginWatch()
	if err := do(d); err != nil {
		if d.p.sawOne("download") {
			return downloadBlocked(d.p.downloadName())
		}
		return err
	}
	if err := d.echo(); err != nil {
		return err
	}
	if !d.r.NoObserve {
		d.p.settle(d.o.ctx, d.saves, d.shown)
	}
	d.changes()
	d.effects = append(d.effects, d.p.watched()...)
	for _, e := range d.effects {
		if e.Kind == "download" {
			return downloadBlocked(e.Text)
		}
	}
	if len(d.effects) == 0 {
		d.effects = []api.Effect{{Kind: "nothing"}}
	}
	return nil
}

// downloadName is the file that a download was for.
func (p *Page) downloadName() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.effects {
		if e.Kind == "download" {
			return e.Text
		}
	}
	return ""
}

// refused adds to a refusal what had been done already.
func (d *doing) refused(err error) error {
	var e *api.Error
	if errors.As(err, &e) && (e.Code == api.DownloadBlocked || d.did.Partial != nil) {
		return e.With("did", d.did)
	}
	if errors.Is(context.Cause(d.o.ctx), ErrTakenOver) {
		return d.interrupted()
	}
	if d.o.sent && d.o.ctx.Err() != nil && !errors.As(err, &e) && !errors.As(context.Cause(d.o.ctx), &e) {
		return d.late()
	}
	return err
}

// late is the refusal of an act whose time ran out, or that was cancelled,
// after it had gone to the page: whether it was done is not known.
func (d *doing) late() error {
	return api.AsError(d.o.ctx.Err(), api.Timeout).
		WithHint("it went to the page, which did not answer in time: vibespace-browser snapshot, before you do it again").
		With("did", d.did).With("applied", "unknown")
}

// interrupted says what became of an act that a takeover cut: late answers
// tell, for a moment.
func (d *doing) interrupted() error {
	effect := "cut"
	if d.o.sent {
		effect = "landed"
		late, cancel := context.WithTimeout(context.WithoutCancel(d.o.ctx), lateLimit)
		defer cancel()
		for _, c := range d.sent {
			if c.Wait(late, nil) != nil {
				effect = "unknown"
			}
		}
		if (d.did.Partial != nil || d.led > 0 && len(d.sent) <= d.led) && effect == "landed" {
			effect = "cut" // some of it did: partial says how much; or the pointer came there, and did nothing
		}
	}
	return interrupted(false).With("effect", effect).With("did", d.did)
}

// send sends input to the page. The context is asked once more: nothing leaves
// after the end.
func (d *doing) send(method string, params any) error {
	if err := d.o.ctx.Err(); err != nil {
		return context.Cause(d.o.ctx)
	}
	c, err := d.p.main.s.Begin(method, params)
	if err != nil {
		return err
	}
	d.o.sent = true
	d.sent = append(d.sent, c)
	return nil
}

// echo waits until the page has had what was sent, or something keeps it from
// answering: a dialog, its end, its leaving.
func (d *doing) echo() error {
	soon, cancel := context.WithTimeout(d.o.ctx, echoLimit)
	defer cancel()
	for _, c := range d.sent {
		for {
			d.p.mu.Lock()
			over := d.p.standsLocked() || d.p.sawLocked("navigation", "chooser")
			moved := d.p.moved
			d.p.mu.Unlock()
			if over {
				return nil
			}
			select {
			case <-c.Answered():
				var said *devtools.Error
				if errors.As(c.Wait(soon, nil), &said) && said.Code == invalidParams {
					return said // a fault of ours: nothing reached the page
				}
			case <-moved:
				continue
			case <-soon.Done():
				if d.o.ctx.Err() != nil {
					return context.Cause(d.o.ctx)
				}
				return nil // a page that does not answer: the effects say nothing
			}
			break
		}
	}
	return nil
}

// watching is the document whose changes are counted, nil when it cannot be
// asked any more.
func (d *doing) watching() *node {
	switch {
	case d.p.stands():
		return nil
	case d.doc != nil:
		return d.doc
	case d.a == nil || d.p.where(d.a.f).loader != d.a.e.key.loader:
		return nil
	}
	return &node{p: d.p, f: d.a.f, l: d.a.l, agent: d.a.agent}
}

// changes counts what changed in the document that is watched.
func (d *doing) changes() {
	n := d.watching()
	if n == nil {
		return
	}
	soon, cancel := context.WithTimeout(d.o.ctx, echoLimit)
	defer cancel()
	var count int
	if n.ask(soon, "changed", &count) == nil && count > 0 {
		d.effects = append(d.effects, api.Effect{Kind: "changed", Count: count})
	}
}

// watchChanges begins to count what changes in the element's document. It is
// waited for: input goes another way to the page, and would be there first.
func (d *doing) watchChanges() error {
	n := &node{p: d.p, f: d.a.f, l: d.a.l, agent: d.a.agent}
	return n.ask(d.o.ctx, "watch", nil)
}

// again reads the element's state after the act; false when it cannot be read
// any more.
func (d *doing) again() (state, bool) {
	var s state
	if d.p.stands() || d.a == nil || d.p.where(d.a.f).loader != d.a.e.key.loader {
		return s, false
	}
	soon, cancel := context.WithTimeout(d.o.ctx, echoLimit)
	defer cancel()
	if err := d.a.ask(soon, "state", &s); err != nil || s.Gone {
		return s, false
	}
	return s, true
}

// finish adds what every answer carries, and asks the caller's condition.
func (d *doing) finish(answer *api.PageActed, expect *expectation) error {
	answer.PageAnswer = d.p.Answer()
	answer.Fence = fence()
	if d.r.Snapshot {
		tree, err := d.p.snapshot(d.o.ctx, api.PageSnapshotRequest{Diff: true})
		if err != nil {
			answer.Failed = "snapshot: " + d.p.fault(d.o.ctx, err, true).Error()
		}
		answer.Tree = tree
	}
	if expect == nil {
		return nil
	}
	met, err := d.p.expected(d.o.ctx, expect)
	if err != nil && d.o.ctx.Err() == nil {
		answer.Failed = err.Error()
	}
	if !met {
		return api.Refuse(api.ExpectFailed, "the act was done, and %s did not come", expect).
			WithHint("vibespace-browser snapshot; do not repeat the act for this").With("did", answer.Did).With("effects", answer.Effects)
	}
	return nil
}

// modifiers are the bits of "ctrl+shift".
func modifiers(mod string) (int64, error) {
	var bits int64
	if mod == "" {
		return 0, nil
	}
	for _, m := range strings.Split(strings.ToLower(mod), "+") {
		at := slices.IndexFunc(modifierKeys, func(k modifierKey) bool { return slices.Contains(k.words, m) })
		if at < 0 {
			return 0, api.Refuse(api.BadKey, "%q is no modifier", m).WithHint("ctrl, shift, alt or meta, joined by +")
		}
		bits |= modifierKeys[at].bit
	}
	return bits, nil
}
