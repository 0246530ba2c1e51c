package store

import "testing"

// TestBrowserStartsWithoutTabs: what was told of an earlier run of a browser,
// whose end could not be written, is nobody's in the next.
func TestBrowserStartsWithoutTabs(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.AddSession(ctx, Session{Label: "a", TokenHash: []byte{1}, Created: now}, ""))
	b := Browser{Handle: "b1", Label: "ephemeral", Ephemeral: true, Session: "a", Up: true, Refs: 2000, Created: now}
	must(t, db.PutBrowser(ctx, b))
	must(t, db.TellBrowser(ctx, "b1", 4000, []BrowserTab{{Target: "T", Tab: "t1", Session: "a", Active: true}}))
	if tabs, err := db.BrowserTabs(ctx, "b1"); err != nil || len(tabs) != 1 || tabs[0] != (BrowserTab{"T", "t1", "a", true}) {
		t.Fatalf("%+v, %v", tabs, err)
	}
	must(t, db.PutBrowser(ctx, b))
	if tabs, err := db.BrowserTabs(ctx, "b1"); err != nil || len(tabs) != 0 {
		t.Errorf("%+v, %v", tabs, err)
	}
	if all, err := db.Browsers(ctx); err != nil || len(all) != 1 || all[0] != b {
		t.Errorf("%+v, %v", all, err)
	}
}
