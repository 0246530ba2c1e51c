package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"vibespace/browser/page"
	"vibespace/fixtures"
	"vibespace/internal/api"
)

// kept hands on the pictures of acts.
type kept chan PageAct

func (kept) Expect(int64)     {}
func (k kept) Keep(a PageAct) { k <- a }

// next gives the next act's pictures.
func (k kept) next(t *testing.T) PageAct {
	t.Helper()
	select {
	case a := <-k:
		return a
	case <-time.After(90 * time.Second):
		t.Fatal("no act was traced")
		return PageAct{}
	}
}

// TestARefusedActEndsTheLastLook: what was seen before an act is not what there is
// after it, refused or not.
func TestARefusedActEndsTheLastLook(t *testing.T) {
	t.Parallel()
	for _, row := range []int64{0, 1} {
		v := &visit{verb: "open", row: row, sight: &sight{}, traced: &tracing{before: &page.Look{}}}
		if v.settle(api.Refuse(api.NavigationBlocked, "no page")); v.sight.last != nil || v.sight.due != nil {
			t.Errorf("row %d: %+v", row, v.sight)
		}
	}
}

// TestNoPictureOfBeforeThePerson: what was seen before the person drove is not
// what there was before the next act.
func TestNoPictureOfBeforeThePerson(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	acts := make(kept, 100)
	e.cfg.Traces = acts
	site := fixtures.Pages(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c := api.Caller{Session: "a"}
	_, err := e.Open(ctx, c, api.PageOpenRequest{URL: site.URL + "/tall.html"})
	must(t, err)
	scroll := func() PageAct {
		t.Helper()
		_, err := e.Scroll(ctx, c, api.PageScrollRequest{Direction: "down"})
		must(t, err)
		return acts.next(t)
	}
	a := acts.next(t) // the page was opened
	for end := time.Now().Add(90 * time.Second); a.After == nil || a.Before == nil; a = scroll() {
		if time.Now().After(end) {
			t.Fatalf("never both pictures: %q", a.Note)
		}
	}
	h := e.privatesOf("a")[0].Handle
	_, err = e.cfg.Leases.Takeover(ctx, h, "test")
	must(t, err)
	e.handedBack(e.run(h), "")
	_, err = e.cfg.Leases.Handback(ctx, h, "test")
	must(t, err)
	if a = scroll(); a.Before != nil || !strings.Contains(a.Note, noteNone) {
		t.Errorf("a picture before: %v, %q", a.Before != nil, a.Note)
	}
}
