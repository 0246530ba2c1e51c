package page

import (
	"context"
	"errors"
	"testing"
	"time"

	"vibespace/browser/keeper"
	"vibespace/internal/api"
)

// again connects anew to a browser that was let go, with what was told of it.
func again(t *testing.T, k *keeper.Keeper, was *Browser) *Browser {
	t.Helper()
	cfg := Config{Eval: true, Known: map[string]api.TabID{}, Refs: was.Refs()}
	for _, p := range was.Pages() {
		cfg.Known[p.Target()] = p.ID()
	}
	was.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		link, err := k.Attach(ctx)
		if err == nil {
			b, err := Connect(ctx, link, link.Session, cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { b.Close() })
			return b
		}
		if api.CodeOf(err) != api.Held {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond) // it is still letting the first one go
	}
}

// TestConnectAgain: a second connection finds the tabs by their names, each
// page as it stood; no number of an element or a tab is given again, and a tab
// whose dialog nobody can answer any more does not keep the others.
func TestConnectAgain(t *testing.T) {
	t.Parallel()
	k, b := own(t, Config{Eval: true})
	p := openIn(t, b, "dialogs.html")
	other := openIn(t, b, "fields.html")
	field := other.ref("textbox", "Long")
	if _, err := other.Fill(other.ctx, api.PageFillRequest{Ref: field, Text: "Ada"}); err != nil {
		t.Fatal(err)
	}
	p.click(p.named()["Alert"])
	b2 := again(t, k, b)
	mute := mustPage(t, b2, p.ID())
	short, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	// A machine that is slow meets the caller's own end before it can say why.
	if _, err := mute.Snapshot(short, api.PageSnapshotRequest{}); api.CodeOf(err) != api.NotResponding && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a page that cannot answer: %v", err)
	}
	if err := mute.Close(p.ctx); err != nil {
		t.Errorf("it cannot be closed: %v", err)
	}
	now := mustPage(t, b2, other.ID())
	if _, err := now.Get(other.ctx, api.PageGetRequest{Ref: field}); api.CodeOf(err) != api.StaleRef {
		t.Errorf("an element of before: %v", err)
	}
	s, err := now.Find(other.ctx, api.PageFindRequest{Role: "textbox", Name: "Long"})
	if err != nil || len(s.Nodes) != 1 || s.Nodes[0].Text == nil || *s.Nodes[0].Text != "Ada" || s.Nodes[0].Ref == field {
		t.Errorf("the field is %+v, %v; it was %s", s, err, field)
	}
	fresh, _, err := b2.NewTab(other.ctx, "", "")
	if err != nil || fresh.ID() == p.ID() || fresh.ID() == other.ID() {
		t.Errorf("a new tab is %v, %v", fresh, err)
	}
}

// mustPage is the tab of that name.
func mustPage(t *testing.T, b *Browser, id api.TabID) *Page {
	t.Helper()
	p, err := b.Page(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
