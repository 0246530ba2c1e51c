package page

import (
	"context"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestPopups: a tab a page opens is told by who opened it; the tab that acted
// stays what verbs mean (C39).
func TestPopups(t *testing.T) {
	p := open(t, "tabs.html")
	refs := p.named()
	for _, name := range []string{"Popup", "Brief", "Blank"} {
		a := p.click(refs[name])
		var id api.TabID
		for _, e := range a.Effects {
			if e.Kind == "tab" {
				id = e.Tab
			}
		}
		if id == "" {
			t.Errorf("%s: %+v", name, a.Effects)
			continue
		}
		if a.Tab != p.ID() {
			t.Errorf("%s: the answer is of %s", name, a.Tab)
		}
		q, err := p.b.Page(id)
		if err != nil {
			if name != "Brief" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if name == "Popup" && q.Opener() != p.ID() {
			t.Errorf("%s was opened by %q", id, q.Opener())
		}
		if name == "Brief" {
			if err := q.until(p.ctx, func() bool { return q.closed }); err != nil {
				t.Error(err)
			}
			refusal(t, second(q.Snapshot(p.ctx, api.PageSnapshotRequest{})), api.TabGone)
			if e := refusal(t, second(p.b.Page(id)), api.TabGone); !strings.Contains(e.Message, "was closed") {
				t.Errorf("%s: %s", id, e.Message)
			}
			continue
		}
		if _, err := q.Wait(p.ctx, api.PageWaitRequest{URL: "basic.html", Load: true, Text: "fruit"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := q.Close(p.ctx); err != nil {
			t.Error(err)
		}
	}
	p.snap()
	for id, want := range map[api.TabID]string{"t9999": "there is no tab", "x": "there is no tab", "t0": "there is no tab"} {
		if e := refusal(t, second(p.b.Page(id)), api.TabGone); !strings.Contains(e.Message, want) {
			t.Errorf("%s: %s", id, e.Message)
		}
	}
}

// TestDownload: a download is cancelled, and what began it says so, by the
// pointer and by keys, however late it begins. A page that keeps a click to
// itself begins none.
func TestDownload(t *testing.T) {
	p := open(t, "tabs.html")
	refs := p.named()
	for _, name := range []string{"Fetch", "Keep"} {
		e := refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: refs[name]})), api.DownloadBlocked)
		if e.Details["did"] == nil {
			t.Errorf("%s: it does not say that it clicked: %v", name, e.Details)
		}
	}
	p.js(`document.querySelector("a[download]").href += "?late"`)
	refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: refs["Keep"]})), api.DownloadBlocked)
	p.js(`document.body.insertAdjacentHTML("beforeend", "<form action='/download'><input id=field></form>")`)
	for _, what := range []string{"#field", "a[download]"} {
		p.js(`document.querySelector("` + what + `").focus()`)
		refusal(t, second(p.Press(p.ctx, api.PagePressRequest{Keys: []string{"Return"}})), api.DownloadBlocked)
	}
	p.js(`document.querySelector("a[download]").addEventListener("click", (e) => e.preventDefault())`)
	p.click(refs["Keep"])
	refusal(t, second(p.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/download"})), api.DownloadBlocked)
	if got := p.js("document.title"); got != `"Tabs"` {
		t.Errorf("at %s", got)
	}
}

// TestDownloadAfterItsLoad: a load that ends without a document is waited for:
// that it became a download is told after its end.
func TestDownloadAfterItsLoad(t *testing.T) {
	p := open(t, "tabs.html")
	p.beginWatch()
	for _, method := range []string{"Page.frameStartedLoading", "Page.frameStoppedLoading"} {
		p.main.event(method, []byte(`{"frameId":"`+string(p.target)+`"}`))
	}
	time.AfterFunc(300*time.Millisecond, func() { p.saw(api.Effect{Kind: "download"}) })
	p.settle(p.ctx, false, false)
	if seen := p.watched(); kinds(seen) != "download" {
		t.Errorf("%+v", seen)
	}
}

// TestNavigationTold: an act that leaves the page says where to, and one that
// only writes the address says that.
func TestNavigationTold(t *testing.T) {
	p := open(t, "tabs.html")
	refs := p.named()
	find := func(a *api.PageActed) api.Effect {
		for _, e := range a.Effects {
			if e.Kind == "navigation" {
				return e
			}
		}
		t.Errorf("no navigation: %+v", a.Effects)
		return api.Effect{}
	}
	if e := find(p.click(refs["Push"])); !e.SameDocument || !strings.HasSuffix(e.URL, "?page=…") {
		t.Errorf("%+v", e)
	}
	p.click(refs["Push"]) // the same document: the ref lives
	if e := find(p.click(refs["Go"])); e.SameDocument || !strings.HasSuffix(e.URL, "/basic.html") || e.Status == nil || *e.Status != 200 {
		t.Errorf("%+v", e)
	}
	a, err := p.Back(p.ctx, api.PageRequest{})
	if err != nil || a.Title != "Tabs" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = p.Forward(p.ctx, api.PageRequest{}); err != nil || a.Title != "Basic" {
		t.Errorf("%+v, %v", a, err)
	}
	refusal(t, second(p.Forward(p.ctx, api.PageRequest{})), api.CannotSet)
}

// TestOpenRefuses: what is opened is a page of the web and nothing else.
func TestOpenRefuses(t *testing.T) {
	p := open(t, "")
	for url, code := range map[string]api.Code{
		"file:///etc/passwd": api.NavigationBlocked, "chrome://version": api.NavigationBlocked, "javascript:alert(1)": api.NavigationBlocked,
		"data:text/html,x": api.NavigationBlocked, "view-source:http://x/": api.NavigationBlocked, "FILE:///etc": api.NavigationBlocked,
		"http://user:pw@127.0.0.1/": api.NavigationBlocked, "example.com": api.BadRequest, "http://": api.BadRequest, "": api.BadRequest,
		"http://127.0.0.1:1/": api.NavigationBlocked,
	} {
		e := refusal(t, second(p.Open(p.ctx, api.PageOpenRequest{URL: url})), code)
		if strings.Contains(e.Error(), "pw") {
			t.Errorf("%s: %v", url, e)
		}
	}
	for path, status := range map[string]int{"status?code=404": 404, "status?code=403": 403, "auth": 401, "redirect?to=basic.html": 200} {
		a, err := p.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/" + path})
		if err != nil || a.Status == nil || *a.Status != status || !a.Loaded {
			t.Errorf("%s: %+v, %v", path, a, err)
			continue
		}
		if hinted := len(a.Notices) > 0; hinted != (status == 403) {
			t.Errorf("%s: notices %v", path, a.Notices)
		}
	}
	if a, err := p.Open(p.ctx, api.PageOpenRequest{URL: "about:blank"}); err != nil || a.Status != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestContexts: a context has cookies, storage and tabs of its own.
func TestContexts(t *testing.T) {
	p := open(t, "basic.html")
	in, err := p.b.NewContext(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := p.b.NewTab(p.ctx, in, p.site.URL+"/basic.html")
	if err != nil {
		t.Fatal(err)
	}
	if q.Context() != in || p.Context() != "" {
		t.Errorf("contexts %q and %q", p.Context(), q.Context())
	}
	p.js("document.cookie = 'a=1', localStorage.a = 1")
	other := &tab{q, t, p.site, p.ctx}
	if got := other.js("[document.cookie, localStorage.a ?? null]"); got != `["",null]` {
		t.Errorf("the other context has %s", got)
	}
	refusal(t, second(other.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/download"})), api.DownloadBlocked)
	if err := p.b.CloseContext(p.ctx, in); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	if err := q.until(ctx, func() bool { return q.closed }); err != nil {
		t.Error(err)
	}
}

// TestBlank: a tab is blank until something was opened in it or written into it.
func TestBlank(t *testing.T) {
	p := open(t, "")
	is := func() bool {
		t.Helper()
		blank, err := p.Blank(p.ctx)
		if err != nil {
			t.Fatal(err)
		}
		return blank
	}
	if !is() {
		t.Error("a new tab is not blank")
	}
	p.js(`void document.body.append("words")`)
	if is() {
		t.Error("a tab with words in it is blank")
	}
	if !p.MayBeBlank() {
		t.Error("a tab at about:blank is not worth asking")
	}
	if _, err := p.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/basic.html"}); err != nil {
		t.Fatal(err)
	}
	if p.MayBeBlank() {
		t.Error("a tab that shows a page is worth asking")
	}
}
