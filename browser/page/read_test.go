package page

import (
	"bytes"
	"context"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestSnapshotForms: a part, a depth, a list's options, a diff.
func TestSnapshotForms(t *testing.T) {
	p := open(t, "basic.html")
	s := p.snap()
	again, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{Diff: true})
	if err != nil || !again.Diffed || len(again.Diff) != 0 {
		t.Errorf("unchanged: %+v, %v", again, err)
	}
	if text := api.Text("snapshot", *again); len(text) >= 100 {
		t.Errorf("%d bytes for no change: %s", len(text), text)
	}
	p.click(p.ref("button", "Save"))
	p.js("void document.querySelector('h1').remove(), document.querySelector('#agree').checked = true")
	d, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{Diff: true})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(d.Diff, "\n")
	for _, want := range []string{`- heading "Fruit"`, `~ checkbox "I agree"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
	form := p.ref("form", "")
	part, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{Root: form, Depth: 2})
	if err != nil || part.Nodes[0].Ref != form || len(part.Nodes) >= len(s.Nodes) {
		t.Errorf("%v\n%s", err, lines(part))
	}
	list, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{Root: p.ref("combobox", "Country")})
	if err != nil || !strings.Contains(lines(list), `option "Chile"`) {
		t.Errorf("%v\n%s", err, lines(list))
	}
}

// TestGet: one element's text, value, attributes and source.
func TestGet(t *testing.T) {
	p := open(t, "basic.html")
	refs := p.named()
	for _, c := range []struct {
		name, what, attr, want string
	}{
		{"Name", "value", "", "apple"},
		{"Save", "text", "", "Save"},
		{"Mail", "attr", "placeholder", "you@example.org"},
		{"Country", "value", "", "Austria"},
		{"Fruit", "html", "", "<h1>Fruit</h1>"},
	} {
		g, err := p.Get(p.ctx, api.PageGetRequest{Ref: refs[c.name], What: c.what, Attr: c.attr})
		if err != nil || g.Got == nil || *g.Got != c.want {
			t.Errorf("%s %s: %+v, %v", c.name, c.what, g, err)
		}
	}
	g, err := p.Get(p.ctx, api.PageGetRequest{Ref: refs["Save"], What: "attr", Attr: "none"})
	if err != nil || g.Got != nil {
		t.Errorf("%+v, %v", g, err)
	}
	if g, err = p.Get(p.ctx, api.PageGetRequest{Ref: refs["Save"]}); err != nil || g.Node.Bounds == nil {
		t.Errorf("%+v, %v", g, err)
	}
	// The document has a ref as everything else, and is no element.
	if g, err = p.Get(p.ctx, api.PageGetRequest{Ref: refs["Basic"], What: "text"}); err != nil || g.Got == nil || !strings.Contains(*g.Got, "Fruit") {
		t.Errorf("%q: %+v, %v", refs["Basic"], g, err)
	}
}

// TestFind: by role, by name, by state.
func TestFind(t *testing.T) {
	p := open(t, "basic.html")
	for want, r := range map[string]api.PageFindRequest{
		"Save": {Role: "button", Name: "sav"}, "Never": {Role: "button", State: "disabled"}, "Two": {State: "checked"},
		"Again": {Name: "/^Ag/"}, "Password": {State: "secret"},
	} {
		f, err := p.Find(p.ctx, r)
		if err != nil || len(f.Nodes) != 1 || f.Nodes[0].Name != want {
			t.Errorf("%+v: %+v, %v", r, f, err)
		}
	}
	if f, err := p.Find(p.ctx, api.PageFindRequest{Name: "nowhere"}); err != nil || f.Nodes == nil || len(f.Nodes) != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	refusal(t, second(p.Find(p.ctx, api.PageFindRequest{Name: "/(/"})), api.BadRequest)
}

// TestExtract: markdown, text and tables, of the page and of a part.
func TestExtract(t *testing.T) {
	p := open(t, "basic.html")
	a, err := p.Extract(p.ctx, api.ExtractRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Fruit", "Pick **one** of these.", "| apple", "- first"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("no %q in\n%s", want, a.Text)
		}
	}
	if strings.Contains(a.Text, "addEventListener") || strings.Contains(a.Text, "hunter2") {
		t.Errorf("too much in\n%s", a.Text)
	}
	if a, err = p.Extract(p.ctx, api.ExtractRequest{Format: "text", Ref: p.ref("heading", "Fruit")}); err != nil || a.Text != "Fruit" {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = p.Extract(p.ctx, api.ExtractRequest{Format: "json-table"})
	if err != nil || len(a.Tables) != 1 || a.Tables[0].Caption != "Stock" || strings.Join(a.Tables[0].Head, " ") != "Fruit Count" || len(a.Tables[0].Rows) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestScreenshot: the viewport, the whole page, one element.
func TestScreenshot(t *testing.T) {
	p := open(t, "cover.html")
	far := p.ref("button", "Far")
	for _, c := range []struct {
		r    api.PageScreenshotRequest
		fits func(w, h int) bool
	}{
		{api.PageScreenshotRequest{}, func(w, h int) bool { return w > 600 && h < 1000 }},
		{api.PageScreenshotRequest{Full: true, Format: "jpeg"}, func(w, h int) bool { return w > 600 && h > 3000 }},
		{api.PageScreenshotRequest{Ref: far}, func(w, h int) bool { return w == 120 && h == 40 }},
	} {
		shot, err := p.Screenshot(p.ctx, c.r)
		if err != nil {
			t.Fatal(err)
		}
		cfg, format, err := image.DecodeConfig(bytes.NewReader(shot.Data))
		if err != nil || format != shot.Format || cfg.Width != shot.W || cfg.Height != shot.H || !c.fits(shot.W, shot.H) {
			t.Errorf("%+v: %+v %s, told %dx%d, %v", c.r, cfg, format, shot.W, shot.H, err)
		}
	}
}

// TestWait: every form, its end, and what can never come (C44).
func TestWait(t *testing.T) {
	p := open(t, "basic.html")
	out := p.ref("button", "Save")
	p.js("void setTimeout(() => { document.querySelector('#out').textContent = 'here at last' }, 150)")
	if a, err := p.Wait(p.ctx, api.PageWaitRequest{Text: "Here at last"}); err != nil {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{Ref: out}); err != nil {
		t.Error(err)
	}
	p.js("void setTimeout(() => document.querySelector('#save').remove(), 100)")
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{Gone: out}); err != nil {
		t.Error(err)
	}
	p.js("void setTimeout(() => history.pushState({}, '', '?at=2'), 100)")
	if a, err := p.Wait(p.ctx, api.PageWaitRequest{URL: "at=2", Load: true, IdleMs: 50}); err != nil || !strings.Contains(a.Met, "url") {
		t.Errorf("%+v, %v", a, err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, 200*time.Millisecond)
	defer cancel()
	refusal(t, second(p.Wait(ctx, api.PageWaitRequest{Text: "never to be seen"})), api.Timeout)
	refusal(t, second(p.Wait(p.ctx, api.PageWaitRequest{Ref: "@e999999"})), api.UnknownRef)
	refusal(t, second(p.Wait(p.ctx, api.PageWaitRequest{})), api.BadRequest)
}

// TestLogs: console, faults and requests, bounded, without what is secret.
func TestLogs(t *testing.T) {
	p := open(t, "basic.html")
	p.js("void (() => { for (let i = 0; i < 400; i++) console.log('line', i, {a: 1}); console.error('bad'); setTimeout(() => { throw new Error('thrown') }); fetch('/status?code=404&token=abc123') })()")
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{IdleMs: 100}); err != nil {
		t.Fatal(err)
	}
	// What a page said and asked comes to us in its own time.
	if err := p.until1(func() bool {
		e, err := p.Errors(p.ctx, api.PageLogRequest{})
		r, rerr := p.Requests(p.ctx, api.PageLogRequest{Tail: 1})
		return err == nil && rerr == nil && len(e.Entries) >= 2 && len(r.Entries) == 1 && r.Entries[0].TookMs != nil &&
			r.Entries[0].Status != nil && *r.Entries[0].Status == 404
	}); err != nil {
		t.Error(err)
	}
	c, err := p.Console(p.ctx, api.PageLogRequest{})
	if err != nil || len(c.Entries) != 100 || c.Dropped == 0 || c.Cut == nil {
		t.Errorf("%d entries, %d dropped, %+v, %v", len(c.Entries), c.Dropped, c.Cut, err)
	}
	e, err := p.Errors(p.ctx, api.PageLogRequest{})
	said := ""
	for _, l := range e.Entries {
		said += l.Text + "\n"
	}
	if err != nil || !strings.Contains(said, "bad") || !strings.Contains(said, "thrown") {
		t.Errorf("%s, %v", said, err)
	}
	r, err := p.Requests(p.ctx, api.PageLogRequest{Tail: 1})
	if err != nil || len(r.Entries) != 1 || r.Entries[0].Status == nil || *r.Entries[0].Status != 404 || strings.Contains(r.Entries[0].URL, "abc123") || r.Entries[0].TookMs == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestEval: only where it is allowed, and bounded.
func TestEval(t *testing.T) {
	p := open(t, "basic.html")
	a, err := p.Eval(p.ctx, api.EvalRequest{Script: "await Promise.resolve({n: document.querySelectorAll('li').length})"})
	if err != nil || string(a.Value) != `{"n":2}` {
		t.Errorf("%s, %v", a.Value, err)
	}
	e := refusal(t, second(p.Eval(p.ctx, api.EvalRequest{Script: "throw new Error('no')"})), api.BadRequest)
	if !strings.Contains(e.Message, "no") {
		t.Errorf("%v", e)
	}
	if a, err = p.Eval(p.ctx, api.EvalRequest{Script: "'x'.repeat(100000)"}); err != nil || a.Cut == nil {
		t.Errorf("%d bytes, %v", len(a.Value), err)
	}
	_, b := own(t, Config{})
	q := openIn(t, b, "basic.html")
	refusal(t, second(q.Eval(q.ctx, api.EvalRequest{Script: "1"})), api.MethodRefused)
}

// TestScrollAndHover: the wheel turns what it is over.
func TestScrollAndHover(t *testing.T) {
	p := open(t, "cover.html")
	a, err := p.Scroll(p.ctx, api.PageScrollRequest{Direction: "down", By: 4})
	if err != nil || !strings.Contains(kinds(a.Effects), "scrolled") {
		t.Errorf("%+v, %v", a, err)
	}
	p.js("window.over = [], document.addEventListener('mouseover', e => over.push(e.target.textContent.trim()))")
	if _, err := p.Hover(p.ctx, api.PageHoverRequest{Ref: p.ref("button", "Inner")}); err != nil {
		t.Fatal(err)
	}
	if p.until1(func() bool { return p.js("over.at(-1)") == `"Inner"` }) != nil {
		t.Errorf("over %s", p.js("over"))
	}
	a, err = p.Scroll(p.ctx, api.PageScrollRequest{Direction: "up", By: 500})
	if err != nil || p.until1(func() bool { return p.js("scrollY") == "0" }) != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestExpect: a condition of the caller's is part of the act.
func TestExpect(t *testing.T) {
	p := open(t, "basic.html")
	refs := p.named()
	if _, err := p.Click(p.ctx, api.PageClickRequest{Ref: refs["Save"], PageAct: api.PageAct{Expect: "text=saved", Snapshot: true}}); err != nil {
		t.Error(err)
	}
	if _, err := p.Click(p.ctx, api.PageClickRequest{Ref: refs["I agree"], PageAct: api.PageAct{Expect: string(refs["I agree"]) + ".state=checked"}}); err != nil {
		t.Error(err)
	}
	e := refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: refs["Save"], PageAct: api.PageAct{Expect: "title=Nowhere"}})), api.ExpectFailed)
	if e.Details["did"] == nil {
		t.Errorf("%v", e.Details)
	}
	refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: refs["Save"], PageAct: api.PageAct{Expect: "weather=fine"}})), api.BadRequest)
}

// TestPlaceOfFound: what find and get tell stands where the snapshot lists it.
func TestPlaceOfFound(t *testing.T) {
	for _, path := range []string{"basic.html", "fields.html", "frames.html"} {
		t.Run(path, func(t *testing.T) { placesAgree(open(t, path)) })
	}
}

// placesAgree gets and finds what a snapshot lists.
func placesAgree(p *tab) {
	t := p.t
	t.Helper()
	s := p.snap()
	deep := 0
	for _, n := range s.Nodes[1:] { // the first is the page
		got, err := p.Get(p.ctx, api.PageGetRequest{Ref: n.Ref})
		if err != nil {
			t.Fatalf("%s: %v", n.Ref, err)
		}
		same := func(verb string, is api.Node) {
			if is.Depth != n.Depth || (is.Parent == nil) != (n.Parent == nil) || is.Parent != nil && *is.Parent != *n.Parent {
				t.Errorf("%s %s: in %v, depth %d; the snapshot: in %v, depth %d", verb, n.PageLine(), is.Parent, is.Depth, n.Parent, n.Depth)
			}
		}
		same("get", got.Node)
		if n.Depth > 1 {
			deep++
		}
		if n.Role != "button" {
			continue
		}
		found, err := p.Find(p.ctx, api.PageFindRequest{Role: n.Role})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found.Nodes {
			if f.Ref == n.Ref {
				same("find", f)
			}
		}
	}
	if deep == 0 {
		t.Errorf("nothing is deep:\n%s", lines(s))
	}
}
