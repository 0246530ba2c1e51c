package browser

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/browser/page"
	"vibespace/fixtures"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

// next is the engine of the next daemon after that of e was killed: e's
// browsers run on, and nothing is written of them.
func next(t *testing.T, e *Engine) *Engine {
	t.Helper()
	e.mu.Lock()
	runs := e.runs
	e.runs = map[api.Handle]*running{}
	e.mu.Unlock()
	for _, r := range runs {
		r.endOnce.Do(func() { close(r.gone) }) // nothing of it is ended
		must(t, r.browser.Close())
	}
	n, err := New(t.Context(), e.cfg)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		must(t, n.Shutdown(ctx))
	})
	return n
}

// written are the tabs of a browser as they are kept, by their names.
func written(t *testing.T, e *Engine, h api.Handle) map[api.TabID]store.BrowserTab {
	t.Helper()
	list, err := e.cfg.Store.BrowserTabs(t.Context(), h)
	must(t, err)
	tabs := map[api.TabID]store.BrowserTab{}
	for _, b := range list {
		tabs[b.Tab] = b
	}
	return tabs
}

// TestTabsAreKeptAndComeBack: a tab is written as its session's before anything
// is done in it, and one that came and went too. In the next daemon's hands each
// session has its tabs that live, is told once, and gets no page that is of
// before and nobody's.
func TestTabsAreKeptAndComeBack(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	_, err := e.cfg.Reach.New(ctx, "b", "")
	must(t, err)
	c, asked := api.Caller{Session: "a"}, 0
	var h api.Handle
	e.testAsked = func(v *visit) {
		if asked++; asked == 3 { // it has its tab
			h = v.seat.Handle
			if is := written(t, e, h)["t1"]; is.Session != "a" || !is.Active {
				t.Errorf("a tab in which a verb is about to run is written as %+v", is)
			}
		}
	}
	_, err = e.Snapshot(ctx, c, api.PageSnapshotRequest{})
	must(t, err)
	e.testAsked = nil
	r := e.run(h)
	must(t, (&visit{e: e, seat: e.privatesOf("a")[0], run: r}).doTab(ctx, api.TabRequest{Do: "new"}))
	if is := written(t, e, h)["t2"]; is.Session != "a" || !is.Active {
		t.Errorf("a new tab is written as %+v", is)
	}
	tab := func() *page.Page {
		p, _, err := r.browser.NewTab(ctx, "", "")
		must(t, err)
		return p
	}
	must(t, tab().Close(ctx))
	_, err = e.Tab(ctx, c, api.TabRequest{})
	must(t, err)
	if is := written(t, e, h)["t3"]; is.Target == "" {
		t.Errorf("a tab that came and went is not written: %+v", written(t, e, h))
	}
	two, err := r.browser.Page("t2")
	must(t, err)
	must(t, two.Close(ctx))
	_, err = e.Tab(ctx, c, api.TabRequest{}) // t1 is what it means from now on
	must(t, err)

	theirs, left := tab(), tab()
	_, err = left.Open(ctx, api.PageOpenRequest{URL: fixtures.Pages(t).URL + "/basic.html"})
	must(t, err)
	_, err = e.Open(ctx, c, api.PageOpenRequest{URL: fixtures.Pages(t).URL + "/secret.html"})
	must(t, err)
	_, err = e.Snapshot(ctx, c, api.PageSnapshotRequest{})
	must(t, err)
	hidden := r.browser.Secrets()
	must(t, e.cfg.Store.TellBrowser(ctx, h, r.upTo, []store.BrowserTab{
		{Target: theirs.Target(), Tab: theirs.ID(), Session: "b"},
		{Target: left.Target(), Tab: left.ID()},
		{Target: "closed", Tab: "t9", Session: "a", Active: true}, // after the last that was written
	}))
	e = next(t, e)
	r = e.run(h)
	if r == nil {
		t.Fatal("the browser did not come back")
	}
	select {
	case <-r.settled:
	case <-ctx.Done():
		t.Fatal("the browser does not come back")
	}
	if now := r.browser.Secrets(); len(hidden) == 0 || !slices.Equal(now, hidden) {
		t.Errorf("the fields that hold a secret are %v, and were %v", now, hidden)
	}
	slices.Sort(r.users)
	if len(r.active) != 1 || r.active["a"] != "t1" || !slices.Equal(r.users, []api.SessionID{"a", "b"}) {
		t.Errorf("on show are %v, and those who have it %v", r.active, r.users)
	}
	for _, session := range r.users {
		said, err := e.cfg.Store.TakeNotices(ctx, session)
		must(t, err)
		if n := strings.Count(strings.Join(said, "\n"), "back with its tabs"); n != 1 {
			t.Errorf("%s is told %q", session, said)
		}
	}
	fresh, err := r.newTab(ctx, "b")
	must(t, err)
	if fresh.ID() == left.ID() || fresh.ID() == "t9" {
		t.Errorf("b has got %s, a tab of before", fresh.ID())
	}
}

// TestPopupsOfPopups: a tab is whose the page is that opened it, in whatever
// order they come.
func TestPopupsOfPopups(t *testing.T) {
	t.Parallel()
	r := &running{owner: map[api.TabID]api.SessionID{"t1": "a"}}
	openers := map[api.TabID]api.TabID{"t1": "", "t7": ""}
	for i, id := range []api.TabID{"t2", "t3", "t4", "t5", "t6"} {
		openers[id] = []api.TabID{"t3", "t4", "t5", "t6", "t1"}[i]
	}
	r.handDownLocked(openers)
	for _, id := range []api.TabID{"t2", "t3", "t4", "t5", "t6"} {
		if r.owner[id] != "a" {
			t.Errorf("%s is %q's", id, r.owner[id])
		}
	}
	if r.owner["t7"] != "" {
		t.Errorf("a tab that no page opened is %q's", r.owner["t7"])
	}
}

// TestStopWaitsForTheStart: a browser that is still coming back is ended with
// all that its start has made by then.
func TestStopWaitsForTheStart(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	s, err := e.own(t.Context(), api.Caller{Session: "a"})
	must(t, err)
	e.mu.Lock()
	r := e.enterLocked(s)
	e.mu.Unlock()
	starts, cut := context.WithTimeout(t.Context(), 90*time.Second)
	defer cut()
	r.giveUp = cut
	ended := make(chan struct{})
	started := make(chan error, 1)
	go func() {
		started <- e.start(starts, r, func(ctx context.Context, r *running) error {
			<-ctx.Done() // by the stop that runs already
			r.mu.Lock()
			r.screen = &Screen{End: func(context.Context) error { close(ended); return nil }}
			r.mu.Unlock()
			return ctx.Err()
		})
	}()
	e.stop(t.Context(), r)
	select {
	case <-ended:
	default:
		t.Error("the display that the start had made is left")
	}
	if err := <-started; err == nil || e.run(s.Handle) != nil {
		t.Errorf("it was started: %v", err)
	}
}

// TestEndedMeanwhile: what hangs on a session that ended before the engine was
// told of ends goes, and a living one's stays.
func TestEndedMeanwhile(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	ctx := t.Context()
	_, err := e.cfg.Reach.New(ctx, "b", "")
	must(t, err)
	for _, session := range []api.SessionID{"a", "b"} {
		_, err = e.own(ctx, api.Caller{Session: session})
		must(t, err)
	}
	must(t, e.cfg.Reach.End(ctx, "a", 0))
	must(t, e.EndedMeanwhile(ctx))
	if a, b := e.privatesOf("a"), e.privatesOf("b"); len(a) != 0 || len(b) != 1 {
		t.Errorf("a has %v, b %v", a, b)
	}
	all, err := e.cfg.Store.Browsers(ctx)
	if err != nil || len(all) != 1 || all[0].Session != "b" {
		t.Errorf("%+v, %v", all, err)
	}
}
