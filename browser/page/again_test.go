package page

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vibespace/browser/keeper"
	"vibespace/internal/api"
)

// again connects anew to a browser that was let go, with what was told of it.
func again(t *testing.T, k *keeper.Keeper, was *Browser) *Browser {
	t.Helper()
	cfg := Config{Eval: true, Known: map[string]api.TabID{}, Refs: was.Refs(), Secrets: was.Secrets()}
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

// TestNothingIsBelievedOfBefore: what was told in an earlier connection is no
// ground for an act: keys go to no page that was not looked at since, an element
// that was told then is not gone because nothing is known of it, and a field that
// held a secret holds one whatever the page calls it meanwhile.
func TestNothingIsBelievedOfBefore(t *testing.T) {
	t.Parallel()
	k, b := own(t, Config{Eval: true})
	p := openIn(t, b, "basic.html")
	p.js(`void document.body.insertAdjacentHTML('beforeend', '<input id=mine type=password aria-label="Favourite" value="hush-42">')`)
	ref := p.ref("textbox", "Favourite")
	p.js("void (mine.type = 'text')")
	p = &tab{mustPage(t, again(t, k, b), p.ID()), t, p.site, p.ctx}
	for name, err := range map[string]error{
		"press": second(p.Press(p.ctx, api.PagePressRequest{Keys: []string{"x"}})),
		"type":  second(p.Type(p.ctx, api.PageTypeRequest{Text: "x"})),
		"gone":  second(p.Wait(p.ctx, api.PageWaitRequest{Gone: ref})),
	} {
		if e := refusal(t, err, api.StaleRef); !strings.Contains(e.Message, "take a snapshot first") {
			t.Errorf("%s: %v", name, e)
		}
	}
	if text := api.Text("snapshot", *p.snap()); strings.Contains(text, "hush-42") || !strings.Contains(text, `"Favourite"`) {
		t.Errorf("%s", text)
	}
	now := p.ref("textbox", "Favourite")
	refusal(t, second(p.Fill(p.ctx, api.PageFillRequest{Ref: now, Text: "x"})), api.SensitiveField)
	var press api.PagePressRequest
	press.Keys, press.Expect = []string{"Tab"}, "gone="+string(ref)
	if e := refusal(t, second(p.Press(p.ctx, press)), api.StaleRef); !strings.Contains(e.Message, "take a snapshot first") {
		t.Errorf("%v", e)
	}
	press.Expect = ""
	if _, err := p.Press(p.ctx, press); err != nil {
		t.Errorf("a page that was looked at: %v", err)
	}
	if err := p.Show(p.ctx); err != nil {
		t.Fatal(err)
	}
	if l, _ := p.looked(); !l.Whole {
		t.Error("a picture shows what may have been written then")
	}
	p.js("void mine.remove()")
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{Gone: now}); err != nil {
		t.Errorf("it is gone: %v", err)
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
