package target

import (
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/audit"
	"vibespace/internal/lease"
	needs "vibespace/internal/need"
	"vibespace/internal/reach"
	"vibespace/internal/store"
)

// bareEngine is an engine on a state directory, without any display.
func bareEngine(t *testing.T, state string, grace time.Duration) *Engine {
	t.Helper()
	db, err := store.Open(state)
	if err != nil {
		t.Fatal(err)
	}
	book, err := reach.Open(t.Context(), db, reach.Config{})
	if err != nil {
		t.Fatal(err)
	}
	leases, err := lease.Open(t.Context(), db, lease.Config{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := audit.Open(t.Context(), db, audit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), Config{
		RuntimeDir: needs.Dir(t), StateDir: state, Store: db, Leases: leases, Reach: book, Audit: log, EndGrace: grace,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// killed is the end of an engine whose daemon was killed: it ends nothing.
func (e *Engine) killed(t *testing.T) {
	t.Helper()
	e.end()
	e.work.Wait()
	if err := e.cfg.Store.Close(); err != nil {
		t.Error(err)
	}
}

// bare puts a window of a session into an engine, without a display.
func (e *Engine) bare(t *testing.T, h api.Handle, opener api.SessionID) *window {
	t.Helper()
	w := newWindow(h, program{}, api.OpenRequest{}, opener, "opened")
	if err := e.cfg.Store.AddWindow(t.Context(), w.row()); err != nil {
		t.Fatal(err)
	}
	e.windows[h] = w
	e.order = append(e.order, h)
	return w
}

// pending are the ends that wait.
func (e *Engine) pending(t *testing.T) []api.Ending {
	t.Helper()
	a, err := e.SessionList(t.Context(), api.Caller{Owner: true}, api.SessionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Ending
}

// eventually asks until it is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestEndingWaitsForThePerson: the windows of an ended session wait while the
// person drives one of them, which is said once, and end after that.
func TestEndingWaitsForThePerson(t *testing.T) {
	t.Parallel()
	// Long enough that a machine that is busy looks between the two waits.
	e := bareEngine(t, needs.Dir(t), 4*time.Second)
	defer e.killed(t)
	owner, ctx := api.Caller{Owner: true}, t.Context()
	for _, label := range []api.SessionID{"alice", "bob"} {
		if _, err := e.SessionNew(ctx, owner, api.SessionRequest{Label: label}); err != nil {
			t.Fatal(err)
		}
	}
	first, second, others := e.bare(t, "w1", "alice"), e.bare(t, "w2", "alice"), e.bare(t, "w3", "bob")
	if _, err := e.cfg.Leases.Take(ctx, "w1", "alice"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.cfg.Leases.Takeover(ctx, "w2", "app"); err != nil {
		t.Fatal(err)
	}
	a, err := e.SessionEnd(ctx, owner, api.SessionRequest{Label: "alice"})
	if err != nil || len(a.Ending) != 1 || len(a.Ending[0].Windows) != 2 || a.Ending[0].Waits != 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	if _, held := e.cfg.Leases.Holder("w1"); held {
		t.Error("the session's lease outlives it")
	}
	eventually(t, "it waits one more grace", func() bool { p := e.pending(t); return len(p) == 1 && p[0].Waits == 1 })
	if !first.alive() || !second.alive() {
		t.Fatal("a window ended while the person drives one")
	}
	// Another session of the label has nothing to do with it.
	if _, err := e.SessionNew(ctx, owner, api.SessionRequest{Label: "alice"}); err != nil {
		t.Fatal(err)
	}
	if e.bare(t, "w4", "alice"); !e.window("w4").openedBy("alice") || second.openedBy("alice") {
		t.Error("a session of the same label owns what the ended one opened, or not its own")
	}
	eventually(t, "they end", func() bool { return len(e.pending(t)) == 0 })
	eventually(t, "they are buried", func() bool { return first.finished() && second.finished() })
	if !others.alive() || !e.window("w4").alive() {
		t.Error("a window of another session ended")
	}
	if why := first.ended.Why; why != "its session alice ended" {
		t.Errorf("it ended because %q", why)
	}
	said := map[string]int{}
	// The row of an end is written when the window has ended.
	eventually(t, "each end has its row", func() bool {
		rows, err := e.cfg.Audit.List(ctx, api.AuditRequest{})
		if err != nil {
			t.Fatal(err)
		}
		clear(said)
		for _, r := range rows {
			if r.Verb == "session end" {
				said[string(r.Handle)+" "+r.Verdict]++
			}
		}
		return len(said) >= 3
	})
	if len(said) != 3 || said["w2 waits"] != 1 || said["w1 ok"] != 1 || said["w2 ok"] != 1 {
		t.Errorf("the audit says %v", said)
	}
}

// TestEndingWaitsForWatchers: looking at a window counts as using it.
func TestEndingWaitsForWatchers(t *testing.T) {
	t.Parallel()
	e := bareEngine(t, needs.Dir(t), time.Hour)
	defer e.killed(t)
	if _, err := e.SessionNew(t.Context(), api.Caller{Owner: true}, api.SessionRequest{Label: "alice"}); err != nil {
		t.Fatal(err)
	}
	w := e.bare(t, "w1", "alice")
	if h := e.usedByPerson([]api.Handle{"w1", "w7"}); h != "" {
		t.Errorf("%s is used by nobody", h)
	}
	w.stream = &stream{}
	if h := e.usedByPerson([]api.Handle{"w1"}); h != "w1" {
		t.Errorf("a window that is watched counts as %q", h)
	}
	w.stream = nil
}

// TestEndingOutlivesTheDaemon: what waits is in the store, so that an engine
// after a kill waits for what is left of the time; what has ended meanwhile is
// waited for no more.
func TestEndingOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	state := needs.Dir(t)
	owner, ctx := api.Caller{Owner: true}, t.Context()
	e := bareEngine(t, state, time.Hour)
	if _, err := e.SessionNew(ctx, owner, api.SessionRequest{Label: "alice"}); err != nil {
		t.Fatal(err)
	}
	w := e.bare(t, "w1", "alice")
	a, err := e.SessionEnd(ctx, owner, api.SessionRequest{Label: "alice"})
	if err != nil || len(a.Ending) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	e.killed(t)

	db, err := store.Open(state)
	if err != nil {
		t.Fatal(err)
	}
	left, err := db.PendingEnds(ctx)
	if err != nil || len(left) != 1 || left[0].Label != "alice" || !left[0].Due.Equal(a.Ending[0].Due) {
		t.Fatalf("after the kill %+v, %v", left, err)
	}
	if err := db.PutPending(ctx, left[0].ID, time.Now().Add(3*time.Second), 1); err != nil {
		t.Fatal(err)
	}
	// An engine that finds the window alive again waits on.
	e = &Engine{cfg: e.cfg, windows: map[api.Handle]*window{"w1": w}, order: []api.Handle{"w1"}, ending: map[int64]bool{}}
	e.life, e.end = t.Context(), func() {}
	e.cfg.Store = db
	if e.cfg.Leases, err = lease.Open(ctx, db, lease.Config{}); err != nil {
		t.Fatal(err)
	}
	if e.cfg.Reach, err = reach.Open(ctx, db, reach.Config{}); err != nil {
		t.Fatal(err)
	}
	if e.cfg.Audit, err = audit.Open(ctx, db, audit.Config{}); err != nil {
		t.Fatal(err)
	}
	if err := e.awaitEndings(ctx); err != nil {
		t.Fatal(err)
	}
	if p := e.pending(t); len(p) != 1 || p[0].Waits != 1 {
		t.Errorf("it waits for %+v", p)
	}
	eventually(t, "the window ends", w.finished)
	eventually(t, "nothing waits", func() bool { return len(e.pending(t)) == 0 })
	e.work.Wait()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	// One that finds it ended waits for nothing.
	e = bareEngine(t, state, time.Hour)
	if p := e.pending(t); len(p) != 0 {
		t.Errorf("it waits for %+v", p)
	}
	e.killed(t)
}
