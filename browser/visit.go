package browser

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"vibespace/browser/page"
	"vibespace/internal/api"
	"vibespace/internal/lease"
)

// kind says what a verb on a page does.
type kind uint8

const (
	// reads may finish when the person takes over.
	reads kind = 0
	// starts: it starts a browser that is stopped, and makes a tab.
	starts kind = 1 << iota
	// acts is cut when the person takes over.
	acts
)

// visit is one verb of one session in one browser.
type visit struct {
	e    *Engine
	seat seat
	run  *running
	verb string
	k    kind
	did  api.Did
	row  int64 // of the audit, 0 while there is none

	sight  *sight   // of the page's looks, nil when none are taken
	traced *tracing // nil for a verb that is not traced
}

// asked is a request about a page, said its answer.
type (
	asked interface{ PageAsk() api.PageRequest }
	said  interface{ PageHead() *api.PageAnswer }
)

// onPage runs a verb on the page that a request means.
func onPage[Q asked, A any, P interface {
	*A
	said
}](ctx context.Context, e *Engine, c api.Caller, r Q, verb string, k kind, do func(*page.Page, context.Context, Q) (P, error)) (A, error) {
	return onBrowser(ctx, e, c, r, verb, k, func(ctx context.Context, v *visit) (P, error) {
		p, err := v.run.tab(ctx, v.seat.session, r.PageAsk().Tab, k&starts != 0)
		if err != nil {
			return nil, err
		}
		if err := v.e.tell(ctx, v.run); err != nil { // it is the session's before anything is in it
			return nil, err
		}
		if err := v.paused(); err != nil {
			return nil, err
		}
		if err := v.stale(refOf(r)); err != nil {
			return nil, err
		}
		v.begin(ctx, c, p)
		answer, err := do(p, ctx, r)
		if err == nil && looks[verb] {
			v.run.lookedAt(v.seat.session)
		}
		return answer, err
	})
}

// onBrowser runs a verb in the browser that a request means: the profile is
// settled, the browser is there, the person does not drive, and whatever comes
// of it leaves a row.
func onBrowser[Q asked, A any, P interface {
	*A
	said
}](ctx context.Context, e *Engine, c api.Caller, r Q, verb string, k kind, do func(context.Context, *visit) (P, error)) (A, error) {
	began := time.Now()
	v := &visit{e: e, verb: verb, k: k, did: api.Did{Verb: verb}}
	answer, err := visiting(ctx, v, c, r.PageAsk(), do)
	if d, ok := any(answer).(interface{ PageDid() api.Did }); ok && err == nil {
		v.did = d.PageDid()
	}
	if v.run != nil { // what it was told is kept before it is told
		if unkept := v.e.tell(ctx, v.run); err == nil {
			err = unkept
		}
	}
	err = v.leave(ctx, c, began, err)
	v.end(err)
	if err != nil {
		var none A
		if v.run != nil && ctx.Err() == nil {
			err = telling(err, v.handback(api.PageAnswer{}))
		}
		return none, err
	}
	head := answer.PageHead()
	head.Answer, head.Profile = e.answer(ctx, c), v.seat.shown()
	head.Notices = append(head.Notices, v.handback(*head)...)
	head.Notices = append(head.Notices, turnedAway(answer)...)
	head.Fence = fence()
	return *answer, nil
}

// visiting is onBrowser without the row.
func visiting[P any](ctx context.Context, v *visit, c api.Caller, r api.PageRequest, do func(context.Context, *visit) (P, error)) (P, error) {
	var none P
	var err error
	if v.seat, err = v.e.resolve(ctx, c, r.Profile); err != nil {
		return none, err
	}
	if err := v.paused(); err != nil {
		return none, err
	}
	if v.run, err = v.e.up(ctx, v.seat, v.k&starts != 0); err != nil {
		return none, err
	}
	defer v.run.hold(v.seat.session)()
	if err := v.paused(); err != nil {
		return none, err
	}
	within, stop := v.cuttable(ctx)
	defer stop()
	answer, err := do(within, v)
	if err != nil && v.cut(within, err) {
		v.run.interrupted(v.seat.session, v.verb, !v.e.driven(v.seat.Handle))
	}
	return answer, err
}

// cuttable gives the context of an act, which ends when the person takes over.
func (v *visit) cuttable(ctx context.Context) (context.Context, func()) {
	if v.k&acts == 0 {
		return ctx, func() {}
	}
	within, cut := context.WithCancelCause(ctx)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			changed := v.e.cfg.Leases.Changed(v.seat.Handle)
			if v.e.cfg.Leases.State(v.seat.Handle).Input == lease.InputUser {
				cut(page.ErrTakenOver)
				return
			}
			select {
			case <-changed:
			case <-done:
				return
			}
		}
	}()
	return within, func() { close(done); <-ended; cut(nil) }
}

// cut says whether it was the takeover that ended a verb.
func (v *visit) cut(within context.Context, err error) bool {
	return errors.Is(context.Cause(within), page.ErrTakenOver) && api.CodeOf(err) == api.BrowserInterrupted
}

// paused refuses every verb on a page while the person drives.
func (v *visit) paused() error {
	s := v.e.cfg.Leases.State(v.seat.Handle)
	if s.Input != lease.InputUser {
		if v.e.testAsked != nil {
			v.e.testAsked(v)
		}
		return nil
	}
	if r := v.e.run(v.seat.Handle); r != nil {
		r.refused(v.seat.session, v.verb)
	}
	return api.Refuse(api.BrowserPaused, "the person drives %s (%s) since %s", v.seat.Handle, v.seat.Label, s.Paused.UTC().Format(time.RFC3339)).
		WithHint("wait until it is handed back: vibespace-browser status says so").
		With("handle", v.seat.Handle).With("by", lease.InputUser).With("since", s.Paused.UTC().Format(time.RFC3339))
}

// leave writes the verb's row and gives its error back as a refusal.
func (v *visit) leave(ctx context.Context, c api.Caller, began time.Time, err error) error {
	refusal := api.AsError(err, api.NotResponding)
	verdict := "ok"
	if refusal != nil {
		verdict = string(refusal.Code)
		if did, ok := refusal.Details["did"].(api.Did); ok { // some of it was done, or may be
			v.did = did
		}
	}
	row := api.AuditRow{
		At: time.Now().UTC(), Session: c.Session, Handle: v.seat.Handle, Verb: v.verb, By: v.did.By, Ref: v.did.Ref,
		Role: v.did.Role, Name: v.did.Name, Verdict: verdict, TookMs: int(time.Since(began).Milliseconds()),
	}
	var werr error
	if v.row, werr = v.e.cfg.Audit.Row(ctx, row); werr != nil {
		v.e.cfg.Log.Error("an audit row could not be written", "verb", v.verb, "err", werr)
		if refusal == nil {
			return api.AsError(werr, api.StoreFailed)
		}
	}
	if refusal == nil {
		return nil
	}
	return refusal
}

// looks are the verbs that tell refs anew.
var looks = map[string]bool{"snapshot": true, "find": true, "open": true}

// refOf is the element a request names, "" for none.
func refOf(q any) api.Ref {
	if f := reflect.ValueOf(q).FieldByName("Ref"); f.IsValid() && f.Kind() == reflect.String {
		return api.Ref(f.String())
	}
	return ""
}

// stale refuses every element from before the person drove: they may have
// changed anything. A snapshot makes them good again.
func (v *visit) stale(ref api.Ref) error {
	v.run.mu.Lock()
	defer v.run.mu.Unlock()
	if ref == "" || !v.run.unseen[v.seat.session] {
		return nil
	}
	return api.Refuse(api.StaleRef, "%s is of before the person drove %s", ref, v.seat.Handle).
		WithHint("vibespace-browser snapshot --profile %s; what is still there keeps its ref", v.seat.Handle).With("ref", ref)
}

// turnedAway words what an answer of the server may mean: a hint, which nobody
// should take for a finding.
func turnedAway(answer any) []string {
	var status *int
	switch a := answer.(type) {
	case *api.PageOpenAnswer:
		status = a.Status
	case *api.PageActed:
		for _, e := range a.Effects {
			if e.Status != nil {
				status = e.Status
			}
		}
	}
	if status == nil || *status != http.StatusForbidden && *status != http.StatusTooManyRequests {
		return nil
	}
	return []string{fmt.Sprintf("the server answered %d, which may mean that it keeps automation out, or something else: nobody checked. "+
		"If you think so, say it with vibespace-browser blocked --url U --why W --tier 3; nothing is switched for it", *status)}
}

// fence is a word that no page can know: it marks where a page's words begin
// and end in a text answer.
func fence() string {
	var b [5]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
