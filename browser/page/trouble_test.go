package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"vibespace/internal/api"
)

// TestRedirectDuringSnapshot: an answer is of one document: refs of it work or
// are refused, none is stamped on another (C43).
func TestRedirectDuringSnapshot(t *testing.T) {
	p := open(t, "")
	for range 8 {
		if _, err := p.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/hop.html"}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			s, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{})
			if err != nil {
				refusal(t, err, api.Busy)
				continue
			}
			text := lines(s)
			if strings.Contains(text, `button "Stay"`) == strings.Contains(text, `button "Save"`) {
				t.Fatalf("of neither or both:\n%s", text)
			}
			for _, n := range s.Nodes {
				if n.Name == "Stay" {
					if _, err := p.Click(p.ctx, api.PageClickRequest{Ref: n.Ref}); err != nil {
						refusal(t, err, api.StaleRef)
					}
				}
			}
		}
		if _, err := p.Wait(p.ctx, api.PageWaitRequest{URL: "basic.html", Load: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCrash: a page whose renderer ends says so at once, other tabs go on, and
// a navigation is the way out (C41).
func TestCrash(t *testing.T) {
	p := open(t, "basic.html")
	ref := p.ref("button", "Save")
	p.main.s.Post("Page.crash", nil)
	if err := p.until(p.ctx, func() bool { return p.crashed }); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	refusal(t, second(p.Snapshot(p.ctx, api.PageSnapshotRequest{})), api.PageCrashed)
	refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: ref})), api.PageCrashed)
	refusal(t, second(p.Screenshot(p.ctx, api.PageScreenshotRequest{})), api.PageCrashed)
	if took := time.Since(begun); took > patience {
		t.Errorf("it took %v to say so", took)
	}
	if !p.Tab().Crashed {
		t.Error("the list does not say so")
	}
	if _, err := p.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/basic.html"}); err != nil {
		t.Fatal(err)
	}
	p.click(p.ref("button", "Save"))
}

// TestCrashMeanwhile: what runs when the renderer ends is answered.
func TestCrashMeanwhile(t *testing.T) {
	p := open(t, "basic.html")
	time.AfterFunc(100*time.Millisecond, func() { p.main.s.Post("Page.crash", nil) })
	_, err := p.Wait(p.ctx, api.PageWaitRequest{Text: "never to be seen"})
	refusal(t, err, api.PageCrashed)
}

// TestHang: a page that computes for ever keeps nobody longer than the verb's
// own time, and its end frees it (C41). It has a browser of its own: one
// operation runs at a time in one.
func TestHang(t *testing.T) {
	t.Parallel()
	_, b := own(t, Config{})
	p := openIn(t, b, "busy.html")
	other := openIn(t, b, "basic.html")
	refs := p.named()
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(p.ctx, 500*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	begun := time.Now()
	var err error
	for tries := 0; err == nil; tries++ { // a busy machine may not come to send the click in its time
		if _, err := p.Click(short(), api.PageClickRequest{Ref: refs["Spin"]}); err != nil {
			t.Logf("the click: %v", err)
		}
		if _, err = p.Snapshot(short(), api.PageSnapshotRequest{}); err == nil && tries > 20 {
			t.Fatal("the page never hangs")
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if took := time.Since(begun); took > patience {
		t.Errorf("it took %v", took)
	}
	other.click(other.ref("button", "Save"))
	if err := p.Close(p.ctx); err != nil {
		t.Error(err)
	}
}

// TestTakenOver: a takeover cuts what runs and says what became of it.
func TestTakenOver(t *testing.T) {
	p := open(t, "fields.html")
	refs := p.named()
	for _, c := range []struct {
		name   string
		do     func(ctx context.Context) error
		effect []string
	}{
		{"wait", func(ctx context.Context) error {
			return second(p.Wait(ctx, api.PageWaitRequest{Text: "never to be seen"}))
		}, []string{"cut"}},
		{"type", func(ctx context.Context) error {
			return second(p.Type(ctx, api.PageTypeRequest{Ref: refs["Long"], Text: strings.Repeat("x", 50_000)}))
		}, []string{"cut", "unknown"}},
		{"eval", func(ctx context.Context) error {
			return second(p.Eval(ctx, api.EvalRequest{Script: "const t = Date.now(); while (Date.now() - t < 60000);"}))
		}, []string{"unknown"}},
	} {
		var e *api.Error
		var took time.Duration
		if p.until1(func() bool {
			ctx, cancel := context.WithCancelCause(p.ctx)
			time.AfterFunc(150*time.Millisecond, func() { cancel(ErrTakenOver) })
			begun := time.Now()
			e = refusal(t, c.do(ctx), api.BrowserInterrupted)
			took = time.Since(begun)
			is, _ := e.Details["effect"].(string)
			if is != "cut" && !contains(c.effect, is) {
				t.Errorf("%s: %v", c.name, e.Details)
			}
			return contains(c.effect, is) // else it was cut before its turn came
		}) != nil {
			t.Errorf("%s: %v", c.name, e.Details)
		}
		if took > patience {
			t.Errorf("%s: it took %v", c.name, took)
		}
		if c.name == "type" {
			did, _ := e.Details["did"].(api.Did)
			if did.Partial != nil && *did.Partial.Chars >= 50_000 { // nil: it was cut before the first
				t.Errorf("type: %+v", e.Details)
			}
		}
	}
	// The script has ended with its caller: the page answers.
	p.snap()
	ctx, cancel := context.WithCancelCause(p.ctx)
	cancel(ErrTakenOver)
	e := refusal(t, second(p.Click(ctx, api.PageClickRequest{Ref: refs["Push"]})), api.BrowserInterrupted)
	if e.Details["effect"] != "cut" {
		t.Errorf("%v", e.Details)
	}
}

// TestTakenOverTruth: what a cut click is told to have done is what the page
// saw, whenever the takeover comes.
func TestTakenOverTruth(t *testing.T) {
	p := open(t, "slowclick.html")
	ref := p.ref("button", "Slow")
	told := map[string]int{}
	for i := range 8 {
		p.js("log.length = 0")
		ctx, cancel := context.WithCancelCause(p.ctx)
		timer := time.AfterFunc(time.Duration(i)*15*time.Millisecond, func() { cancel(ErrTakenOver) })
		_, err := p.Click(ctx, api.PageClickRequest{Ref: ref})
		timer.Stop()
		cancel(nil)
		if err == nil {
			continue // it was done before
		}
		e := refusal(t, err, api.BrowserInterrupted)
		effect, _ := e.Details["effect"].(string)
		told[effect]++
		p.snap() // the page has had whatever was sent
		clicked := p.js("log.length") != "0"
		if (effect == "landed" && !clicked) || (effect == "cut" && clicked) {
			t.Errorf("told %s, the page was clicked: %v", effect, clicked)
		}
	}
	t.Logf("%v", told)
}

// TestQueue: one operation at a time, in order, and no more waiting than is
// allowed.
func TestQueue(t *testing.T) {
	t.Parallel()
	_, b := own(t, Config{})
	p := openIn(t, b, "basic.html")
	if err := b.gate.enter(p.ctx); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	said := make(chan error, maxQueued+5)
	for range maxQueued + 5 {
		wait.Go(func() {
			_, err := p.Snapshot(ctx, api.PageSnapshotRequest{})
			said <- err
		})
	}
	// The five that are too many are answered while the others wait.
	for range 5 {
		if err := <-said; api.CodeOf(err) != api.Busy {
			t.Errorf("one too many is answered %v", err)
		}
	}
	cancel()
	wait.Wait()
	for range maxQueued {
		if err := <-said; err == nil || api.CodeOf(err) == api.Busy {
			t.Errorf("one that waited is answered %v", err)
		}
	}
	b.gate.leave()
	p.snap()
}

// TestStopped: a browser that ended says so, whatever is asked.
func TestStopped(t *testing.T) {
	t.Parallel()
	k, b := own(t, Config{})
	p := openIn(t, b, "basic.html")
	ref := p.ref("button", "Save")
	if _, err := k.Stop(p.ctx); err != nil {
		t.Fatal(err)
	}
	<-b.Done()
	refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: ref})), api.BrowserStopped)
	refusal(t, second(p.Snapshot(p.ctx, api.PageSnapshotRequest{})), api.BrowserStopped)
	_, _, err := b.NewTab(p.ctx, "", "")
	refusal(t, err, api.BrowserStopped)
}

// TestAgain: a connection that comes later finds the tabs there are, and what
// the one before it had attached is gone.
func TestAgain(t *testing.T) {
	t.Parallel()
	k, b := own(t, Config{})
	p := openIn(t, b, "frames.html")
	p.snap()
	b.Close()
	var l any
	for range int(patience / (10 * time.Millisecond)) {
		link, err := k.Attach(p.ctx)
		if err == nil {
			c, err := Connect(p.ctx, link, link.Session, Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			l = c
			break
		}
		if api.CodeOf(err) != api.Held {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	c, ok := l.(*Browser)
	if !ok {
		t.Fatal("the link is still held")
	}
	for _, q := range c.Pages() {
		if q.target == p.target {
			again := &tab{q, t, p.site, p.ctx}
			again.whole("is its frame there", func(s *api.PageSnapshot) bool { return names(s, "button", "Middle") > 0 })
			return
		}
	}
	t.Errorf("the tab is not among %d", len(c.Pages()))
}

// TestLarge: a page of a hundred thousand nodes is answered within bounds, counts
// all that was left out, and what was told works (C42). When the time is too
// short for it that is said with the way out, and the next try succeeds.
func TestLarge(t *testing.T) {
	t.Parallel()
	_, b := own(t, Config{Eval: true})
	p := openIn(t, b, "basic.html")
	p.js("void (() => { let h = ''; for (let i = 0; i < 33000; i++) h += `<div>row ${i} <button>b${i}</button></div>`; document.body.innerHTML = h; document.addEventListener('click', e => document.title = e.target.textContent) })()")
	short, cancel := context.WithTimeout(p.ctx, 20*time.Millisecond) // for a thousand questions
	_, err := p.Snapshot(short, api.PageSnapshotRequest{})
	cancel()
	if e := api.AsError(err, api.Internal); e == nil || e.Code != api.Timeout || !strings.Contains(e.Hint, "--timeout") {
		t.Errorf("in 20 ms: %v", err)
	}
	begun := time.Now()
	s := p.snap()
	t.Logf("%v, %+v, %+v", time.Since(begun), s.Census, s.Cut)
	if left := 0; s.Cut != nil {
		if _, err := fmt.Sscanf(s.Cut.Continue, "%d more left out", &left); err != nil || len(s.Nodes)-1+left != 66_000 { // a row is a text and a button
			t.Errorf("%d are told and %s, %v", len(s.Nodes)-1, s.Cut.Continue, err)
		}
	}
	text := api.Text("snapshot", *s)
	if len(text) > 24<<10 || s.Cut == nil || s.Cut.Why == "depth" {
		t.Errorf("%d bytes, cut %+v", len(text), s.Cut)
	}
	p.click(p.ref("button", "b7"))
	if got := p.js("document.title"); got != `"b7"` {
		t.Errorf("clicked %s", got)
	}
	f, err := p.Find(p.ctx, api.PageFindRequest{Name: "b32999"})
	if err != nil || len(f.Nodes) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	p.click(f.Nodes[0].Ref)
	if got := p.js("document.title"); got != `"b32999"` {
		t.Errorf("clicked %s", got)
	}
}

// TestWordy: a page of few elements and many words keeps to the bytes that a text
// may have, and says that it was cut for them (C42).
func TestWordy(t *testing.T) {
	p := open(t, "basic.html")
	p.js("void (() => { let h = ''; for (let i = 0; i < 400; i++) h += `<button>${i} ${'wordy '.repeat(15)}</button>`; document.body.innerHTML = h })()")
	s := p.snap()
	if text := api.Text("snapshot", *s); len(text) > 24<<10 || s.Cut == nil {
		t.Errorf("%d bytes, cut %+v", len(text), s.Cut)
	}
}

// TestDeepAndMany: nesting of thousands, a list of tens of thousands, one text
// of megabytes.
func TestDeepAndMany(t *testing.T) {
	p := open(t, "basic.html")
	p.js("void (() => { let d = document.body; d.insertAdjacentHTML('beforeend', '<div>'.repeat(5000) + '<button>Deep</button>'); for (let i = 0; i < 1000; i++) { const e = document.createElement('div'); d.append(e); d = e; } d.innerHTML = '<button>Deeper</button>'; document.querySelector('select').innerHTML = '<option>o'.repeat(20000); const q = document.createElement('p'); q.textContent = 'long '.repeat(400000); document.body.prepend(q); })()")
	s := p.snap()
	text := api.Text("snapshot", *s)
	if len(text) > 24<<10 || !strings.Contains(text, "+20000 more") {
		t.Errorf("%d bytes: %s", len(text), fmt.Sprintf("%.2000s", text))
	}
}

// TestBusyPage: an act that went to a page which then does not answer in time
// says what it did, and that nobody knows what came of it: done again, it
// would be done twice.
func TestBusyPage(t *testing.T) {
	t.Parallel()
	_, b := own(t, Config{}) // where nobody else's turn comes before
	p := openIn(t, b, "basic.html")
	p.js(`(() => {
		window.clicks = 0
		const busy = () => { clicks++; for (const end = Date.now() + 4000; Date.now() < end;) {} }
		for (const b of document.querySelectorAll("button")) if (b.textContent.includes("Save")) b.addEventListener("click", busy)
		addEventListener("keydown", busy)
		return 1
	})()`)
	ref := p.ref("button", "Save")
	for _, c := range []struct {
		verb string
		do   func(context.Context) error
	}{
		{"click", func(ctx context.Context) error { return second(p.Click(ctx, api.PageClickRequest{Ref: ref})) }},
		{"press", func(ctx context.Context) error {
			return second(p.Press(ctx, api.PagePressRequest{Keys: []string{"F2"}}))
		}},
	} {
		for sent := false; !sent; { // on a busy machine the second may be over before
			before := p.js("clicks")
			ctx, cancel := context.WithTimeout(p.ctx, time.Second)
			err := c.do(ctx)
			cancel()
			sent = p.js("clicks") != before
			if !sent && errors.Is(err, context.DeadlineExceeded) {
				continue
			}
			e := refusal(t, err, api.Timeout)
			did, _ := e.Details["did"].(api.Did)
			if sent && (e.Details["applied"] != "unknown" || did.Verb != c.verb || !strings.Contains(e.Hint, "snapshot")) {
				t.Errorf("%s: %+v", c.verb, e)
			}
		}
	}
}

// TestReadingOfALeftPage: what was read of a page that has gone on since is not
// told as the next one's: it is read again.
func TestReadingOfALeftPage(t *testing.T) {
	p := open(t, "basic.html")
	first := p.where(p.mainFrame()).loader
	reads := 0
	p.testRead = func() {
		if reads++; reads > 1 {
			return
		}
		p.main.s.Post("Page.navigate", map[string]any{"url": p.site.URL + "/refs.html"})
		if err := p.until(p.ctx, func() bool { return p.frames[cdp.FrameID(p.target)].loader != first && !p.loading }); err != nil {
			t.Error(err)
		}
	}
	s, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{})
	p.testRead = nil
	if err != nil {
		t.Fatal(err)
	}
	text := lines(s)
	if reads < 2 || !strings.Contains(text, `button "two"`) || strings.Contains(text, `button "Save"`) {
		t.Errorf("after %d readings:\n%s", reads, text)
	}
}
