package target

import (
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
	needs "vibespace/internal/need"
)

// TestThePersonIsToldTheirOwnCommands: a refusal names the commands of who asked.
func TestThePersonIsToldTheirOwnCommands(t *testing.T) {
	t.Parallel()
	e := bareEngine(t, needs.Dir(t), time.Minute)
	defer e.killed(t)
	owner, ctx := api.Caller{Owner: true}, t.Context()
	w := e.bare(t, "w1", "")
	w.app = "mousepad"
	if _, err := e.Stop(ctx, owner, api.HandleRequest{Handle: "w1"}); err != nil {
		t.Fatal(err)
	}
	closeOf := func(c api.Caller, h api.Handle) error {
		_, err := e.Close(ctx, c, api.CloseRequest{Act: api.Act{Handle: h}})
		return err
	}
	takeover := func(h api.Handle) error {
		_, err := e.Takeover(ctx, owner, api.TakeoverRequest{Handle: h})
		return err
	}
	_, driving := e.Trace(ctx, owner, api.TraceRequest{Handle: "w99"})
	for _, c := range []struct {
		err  error
		hint string
	}{
		{takeover("w99"), "vibespace list"},
		{takeover("w1"), "vibespace launch mousepad"},
		{closeOf(owner, "w1"), "vibespace launch mousepad"},
		{driving, "vibespace list"},
		{closeOf(api.Caller{Session: "bob"}, "w1"), "vibespace-window list"},
	} {
		if got := api.AsError(c.err, api.Internal); got.Hint != c.hint {
			t.Errorf("%v has the hint %q, want %q", got, got.Hint, c.hint)
		}
	}
}

// TestStoppedTwice: what ended already is said to have, and counts no process.
func TestStoppedTwice(t *testing.T) {
	t.Parallel()
	e := bareEngine(t, needs.Dir(t), time.Minute)
	defer e.killed(t)
	owner, ctx := api.Caller{Owner: true}, t.Context()
	w := e.bare(t, "w1", "")
	first, err := e.Stop(ctx, owner, api.HandleRequest{Handle: "w1"})
	if err != nil || first.EndedBefore != nil {
		t.Fatalf("%+v, %v", first, err)
	}
	w.killed = 7 // as if it had had a display
	second, err := e.Stop(ctx, owner, api.HandleRequest{Handle: "w1"})
	if err != nil || second.Ended != 0 || second.EndedBefore == nil || second.EndedBefore.Why != "it was stopped" {
		t.Errorf("%+v, %v", second, err)
	}
}

// TestHandbackOfWhatWasNotTaken answers one sentence.
func TestHandbackOfWhatWasNotTaken(t *testing.T) {
	t.Parallel()
	e := bareEngine(t, needs.Dir(t), time.Minute)
	defer e.killed(t)
	e.bare(t, "w1", "")
	a, err := e.Handback(t.Context(), api.Caller{Owner: true}, api.HandbackRequest{Handle: "w1"})
	if err != nil || !a.NotTaken || strings.Count(api.Text("handback", a), "\n") != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestTraceSaysWhatIsStillWritten: an act whose pictures wait says so, until
// they are there.
func TestTraceSaysWhatIsStillWritten(t *testing.T) {
	t.Parallel()
	e := bareEngine(t, needs.Dir(t), time.Minute)
	defer e.killed(t)
	e.bare(t, "w1", "")
	ctx := t.Context()
	id, err := e.cfg.Audit.Row(ctx, api.AuditRow{Session: "alice", Handle: "w1", Verb: "click", By: "tree", Verdict: "ok"})
	if err != nil {
		t.Fatal(err)
	}
	pending := func() bool {
		a, err := e.Trace(ctx, api.Caller{Owner: true}, api.TraceRequest{Handle: "w1"})
		if err != nil || len(a.Rows) != 1 {
			t.Fatalf("%+v, %v", a, err)
		}
		return a.Rows[0].Pending
	}
	e.trace.mark(id)
	if !pending() {
		t.Error("its pictures are written, it says")
	}
	if e.trace.unmark(id); pending() {
		t.Error("its pictures are never written")
	}
}
