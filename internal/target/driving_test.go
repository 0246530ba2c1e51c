package target

import (
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/lease"
)

// TestATakeoverOfAnEarlierDaemonLapses: a window that was taken over when its
// daemon ended is paused, driven by nobody, and goes back to its agent after the
// time without input, with what there is to tell.
func TestATakeoverOfAnEarlierDaemonLapses(t *testing.T) {
	t.Parallel()
	e := bareEngine(t, t.TempDir(), time.Minute)
	defer e.killed(t)
	if _, err := e.cfg.Reach.New(t.Context(), "a", ""); err != nil {
		t.Fatal(err)
	}
	w := e.bare(t, "w1", "a")
	if _, err := e.cfg.Leases.Take(t.Context(), "w1", "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.cfg.Leases.Takeover(t.Context(), "w1", ""); err != nil { // as it is read from the store
		t.Fatal(err)
	}
	changed := e.cfg.Leases.Changed("w1")
	e.cfg.TakeoverIdle = time.Millisecond
	e.resume()
	select {
	case <-changed:
	case <-time.After(60 * time.Second):
		t.Fatal("it does not lapse")
	}
	if s := e.cfg.Leases.State("w1"); s.Input != lease.InputAgent || s.Holder != "a" {
		t.Errorf("%+v", s)
	}
	if kept, err := e.cfg.Store.Notices(t.Context(), "a"); err != nil || len(kept) != 1 || !strings.HasPrefix(kept[0], recapOf("w1")) {
		t.Errorf("a later daemon would tell %q, %v", kept, err)
	}
	a := api.Caller{Session: "a"}
	e.standings(t.Context(), a)
	told := e.tell(t.Context(), a)
	if len(told) != 1 || told[0].How != "idle" || told[0].Failed == "" {
		t.Errorf("told %+v", told)
	}
	if again := e.tell(t.Context(), a); len(again) > 0 {
		t.Errorf("told again: %+v", again)
	}
	if kept, err := e.cfg.Store.Notices(t.Context(), "a"); err != nil || len(kept) > 0 {
		t.Errorf("a later daemon would tell again: %q, %v", kept, err)
	}
	if lapsed := w.picture().Lapsed; lapsed == nil || lapsed.Why == "" {
		t.Errorf("lapsed: %+v", lapsed)
	}
}

// TestWhatIsToldIsBounded: an agent that is refused a thousand times while the
// person drives is told of a few, and how many more there were; a verb that is
// repeated is one line.
func TestWhatIsToldIsBounded(t *testing.T) {
	t.Parallel()
	w := newWindow("w1", program{}, api.OpenRequest{}, "a", "opened")
	w.driven = &driving{since: time.Now(), over: make(chan struct{})}
	for n := range 1000 {
		w.refused("a", []string{"click", "click", "snapshot"}[n%3])
		w.interrupted("a", api.Did{Verb: "key"})
	}
	o := w.endDriving(lease.State{Lease: lease.Lease{Handle: "w1", Holder: "a"}}, "note", "")
	if len(o.said.Refused) != maxRefused || o.said.Refused[0].Times != 2 || o.said.RefusedMore == 0 || len(o.said.Interrupted) != maxInterrupted {
		t.Errorf("%d refused, %d more, %d interrupted", len(o.said.Refused), o.said.RefusedMore, len(o.said.Interrupted))
	}
	e := bareEngine(t, t.TempDir(), time.Minute)
	defer e.killed(t)
	for range 3 * maxOwed {
		e.owe(o)
	}
	if n := len(e.owed["a"]); n != maxOwed {
		t.Errorf("%d wait to be told", n)
	}
}
