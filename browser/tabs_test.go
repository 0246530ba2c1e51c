package browser

import (
	"context"
	"errors"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/api"
)

// TestOnlyABlankTabIsGiven: of the tabs that are nobody's and that no page
// opened, a session gets one that was never used, and none that shows or showed
// something.
func TestOnlyABlankTabIsGiven(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	_, err := e.Snapshot(ctx, api.Caller{Session: "a"}, api.PageSnapshotRequest{})
	must(t, err)
	r := e.run(e.privatesOf("a")[0].Handle)
	used, _, err := r.browser.NewTab(ctx, "", fixtures.Pages(t).URL+"/basic.html")
	must(t, err)
	first, err := r.newTab(ctx, "b")
	must(t, err)
	if first.ID() == used.ID() {
		t.Fatalf("b has got %s, which shows a page", used.ID())
	}
	empty, _, err := r.browser.NewTab(ctx, "", "")
	must(t, err)
	if second, err := r.newTab(ctx, "b"); err != nil || second.ID() != empty.ID() {
		t.Errorf("b has got another than %s, which is empty: %v, %v", empty.ID(), second, err)
	}
}

// TestNewTabHeedsItsCaller: who waits for another's new tab waits no longer than
// they want.
func TestNewTabHeedsItsCaller(t *testing.T) {
	t.Parallel()
	r := &running{making: make(chan struct{}, 1)}
	r.making <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.newTab(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestABatchHoldsItsTab: in a browser that other sessions use as well, a line of
// a batch makes, shows and closes no tab; alone, or outside a batch, it does.
func TestABatchHoldsItsTab(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c := api.Caller{Session: "a"}
	_, err := e.Snapshot(ctx, c, api.PageSnapshotRequest{})
	must(t, err)
	r := e.run(e.privatesOf("a")[0].Handle)
	tab := func(do string, batch bool) error {
		_, err := e.Tab(ctx, c, api.TabRequest{Do: do, InBatch: batch})
		return err
	}
	must(t, tab("new", true))
	r.hold("b")()
	for _, do := range []string{"new", "show", "close"} {
		if err := tab(do, true); api.CodeOf(err) != api.TabInBatch {
			t.Errorf("%s: %v", do, err)
		}
	}
	must(t, tab("list", true))
	must(t, tab("close", false))
}
