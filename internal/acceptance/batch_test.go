package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"vibespace/fixtures"
)

// batchDid is what a batch that was stopped says it did.
type batchDid struct {
	Verb    string
	Partial struct{ Verbs, Of int }
	In      *struct {
		Verb    string
		Partial *struct{ Chars, Of int }
	}
}

// stopped reads a refusal that stopped a batch.
func stopped(t *testing.T, r Reply) (did batchDid, line int) {
	t.Helper()
	var v struct {
		Details struct {
			Did  batchDid
			Line int
		}
	}
	r.Into(t, &v)
	if v.Details.Did.Verb != "batch" {
		t.Errorf("it does not say what was done: %v", r)
	}
	return v.Details.Did, v.Details.Line
}

// TestBatch: verbs are done in order and answered one by one as they end, each
// in its own words, and what follows a refusal is not done.
func TestBatch(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	check, name := p.ref("Check"), p.ref("Name")
	b := p.Start("batch", p.handle, "-")
	p.log.Mark()
	b.Say(`{"verb":"click","ref":"` + check + `"}`)
	var a Acted
	b.Next().Into(t, &a) // before the next line was sent
	if a.Handle != p.handle || a.Did.Verb != "click" || a.Did.Ref != check {
		t.Errorf("%+v", a)
	}
	p.log.Wait(t, fixtures.Toggled("Check", true), seen)
	b.Say("", fmt.Sprintf(`{"verb":"type","handle":%q,"ref":%q,"text":"é\n","enter":false}`, p.handle, name),
		`{"verb":"click","ref":"`+check+`"}`)
	r := b.Next()
	did, line := stopped(t, r)
	// Of is what had come by then: the last line may have been on its way.
	if of := did.Partial.Of; r.OK || r.Code != "single_line" || line != 3 || did.Partial.Verbs != 1 || of != 2 && of != 3 {
		t.Errorf("%s", r.JSON)
	}
	if status := b.End(); status != 1 {
		t.Errorf("exit %d", status)
	}
	if p.node("Check").Is("checked") == false {
		t.Error("a line after the refusal was done")
	}
	p.Stop(p.handle)
}

// TestBatchRefusals: a line that is none is refused with its number, and the
// exit status is the refusal's own.
func TestBatchRefusals(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	check := p.ref("Check")
	good := `{"verb":"get","ref":"` + check + `","what":"states"}`
	for _, c := range []struct {
		lines  string
		line   int
		code   string
		status int
	}{
		{good + "\n{\"verb\":\n", 2, "bad_request", 2},
		{good + "\nclick\n" + good, 2, "bad_request", 2},
		{good + "\n" + good + "\n{\"verb\":\"clack\"}\n" + good, 3, "bad_request", 2},
		{`{"ref":"@e1"}`, 1, "bad_request", 2},
		{`{"verb":"click","reff":"@e1"}`, 1, "bad_request", 2},
		{`{"verb":"click","ref":7}`, 1, "bad_request", 2},
		{`{"verb":"batch"}`, 1, "bad_request", 2},
		{`{"verb":"person/stop"}`, 1, "bad_request", 2},
		{`{"verb":"click","ref":"@e9999"}`, 1, "unknown_ref", 1},
		{`{"verb":"click","ref":"@e1","handle":"w77"}`, 1, "not_exposed", 1},
		{`{"verb":"wait","text":"never so called","timeoutMs":100}`, 1, "timeout", 4},
		{`{"verb":"click","ref":"` + check + `","expect":"title=never so called"}`, 1, "expect_failed", 4},
		{strings.Repeat(`{"verb":"status"}`+"\n", 1002), 1001, "too_large", 1},
		{`{"verb":"type","text":"` + strings.Repeat("x", 1<<20) + `"}`, 1, "too_large", 1},
	} {
		b := p.Start("batch", p.handle, "-")
		go func() { _, _ = b.in.Write([]byte(c.lines)); _ = b.in.Close() }()
		r := b.Next()
		done := 0
		for ; r.OK; r = b.Next() {
			done++
		}
		did, line := stopped(t, r)
		if r.Code != c.code || line != c.line || did.Partial.Verbs != done {
			t.Errorf("%.80q: %s", c.lines, r.JSON)
		}
		if status := b.End(); status != c.status {
			t.Errorf("%.80q: exit %d, want %d", c.lines, status, c.status)
		}
	}
	p.Refused("not_exposed", "batch", "w77", "-")
	p.Refused("bad_request", "batch", p.handle, "file")
	b := p.Start("batch", p.handle, "-", "--timeout", "50ms")
	if r := b.Next(); r.Code != "timeout" {
		t.Errorf("%s", r.JSON)
	}
	if status := b.End(); status != 4 {
		t.Errorf("exit %d", status)
	}
	p.Stop(p.handle)
}

// TestBatchHoldsTheWindow: nobody of the same session acts between two verbs of
// a batch, and reads go on.
func TestBatchHoldsTheWindow(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	check := p.ref("Check")
	b := p.Start("batch", p.handle, "-")
	b.Say(`{"verb":"click","ref":"` + check + `"}`)
	b.Next()
	p.Refused("timeout", "click", p.handle, check, "--timeout", "300ms")
	p.OK(nil, "snapshot", p.handle)
	if status := b.End(); status != 0 {
		t.Errorf("exit %d", status)
	}
	p.Act("click", p.handle, check)
	p.Stop(p.handle)
}

// TestBatchCut: a hold that ends or a share that is taken back stops a batch at
// once, in the middle of a verb and between two, and says how much was done.
func TestBatchCut(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	owner, agent := w.Owner(), w.Session("agent")
	log := w.File("log")
	var win Opened
	owner.OK(&win, "launch", fixtures.Path(t, "gtk3.py"), "--env", fixtures.LogVariable+"="+log)
	h := win.Window.Handle
	p := program{Caller: agent, kit: "gtk3.py", handle: h, log: fixtures.Log(t, log)}
	for _, c := range []struct{ code, end string }{{"not_exposed", "unshare"}, {"not_attached", "end-hold"}} {
		owner.OK(nil, "share", h, "--with", "session:agent")
		agent.OK(nil, "attach", h)

		between := agent.Start("batch", h, "-")
		between.Say(`{"verb":"list"}`)
		between.Next()
		owner.OK(nil, c.end, h)
		r := between.Next()
		if did, line := stopped(t, r); r.Code != c.code || did.Partial.Verbs != 1 || line != 2 {
			t.Errorf("%s: %s", c.end, r.JSON)
		}
		if status := between.End(); status != 1 {
			t.Errorf("exit %d", status)
		}

		owner.OK(nil, "share", h, "--with", "session:agent")
		agent.OK(nil, "attach", h)
		notes := p.ref("Notes")
		within := agent.Start("batch", h, "-")
		p.log.Mark()
		within.Say(`{"verb":"type","ref":"`+notes+`","replace":true,"keys":true,"text":"`+strings.Repeat("long ", 10_000)+`"}`, `{"verb":"list"}`)
		p.log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "key" }, seen)
		owner.OK(nil, c.end, h)
		r = within.Next()
		did, line := stopped(t, r)
		if r.Code != c.code || did.Partial.Verbs != 0 || did.Partial.Of != 2 || line != 1 ||
			did.In == nil || did.In.Partial == nil || did.In.Partial.Chars >= did.In.Partial.Of {
			t.Errorf("%s: %s", c.end, r.JSON)
		}
		if status := within.End(); status != 1 {
			t.Errorf("exit %d", status)
		}
	}
	owner.OK(nil, "stop", h)
}

// TestBatchInterrupted: Ctrl-C ends the verb that runs in the daemon, also when
// more lines are to come.
func TestBatchInterrupted(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	p.focus(p.node("Notes"))
	b := p.Start("batch", p.handle, "-")
	p.log.Mark()
	b.Say(`{"verb":"list"}`, `{"verb":"type","keys":true,"noObserve":true,"timeoutMs":600000,"text":"`+strings.Repeat("long ", 10_000)+`"}`)
	b.Next()
	p.log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "key" }, seen) // into the second
	b.Interrupt()
	if r := b.Next(); r.Code != "cancelled" {
		t.Errorf("%s", r.JSON)
	}
	if status := b.End(); status != 130 {
		t.Errorf("exit %d", status)
	}
	var audit struct {
		Rows []struct{ Verb, Verdict string }
	}
	for _, verb := range []string{"type", "batch"} {
		Eventually(t, verb+" is cancelled", func() bool {
			p.w.Owner().OK(&audit, "audit", "--handle", p.handle)
			for _, row := range audit.Rows {
				if row.Verb == verb && row.Verdict == "cancelled" {
					return true
				}
			}
			return false
		})
	}
	p.Act("click", p.handle, p.ref("Check")) // the window's turn is free
	p.Stop(p.handle)
}

// TestBatchTakenOver: a takeover stops all of a batch, in the middle of a verb
// and between two, also one that is handed back before the next line comes.
func TestBatchTakenOver(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	owner := w.Owner()
	p := w.Default().fixture("gtk3.py")
	type taken struct {
		name, second string
		handback     bool // before the second line is sent
	}
	typing := `{"verb":"type","text":"` + strings.Repeat("long ", 10_000) + `","keys":true,"noObserve":true}`
	for _, c := range []taken{{"waiting for a line", "", false}, {"in the middle", typing, false}, {"handed back", `{"verb":"list"}`, true}} {
		p.focus(p.node("Notes"))
		b := p.Start("batch", p.handle, "-")
		b.Say(`{"verb":"list"}`)
		b.Next()
		p.log.Mark()
		if c.second != "" && !c.handback {
			b.Say(c.second)
			p.log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "key" }, seen)
		}
		owner.OK(nil, "takeover", p.handle)
		if c.handback {
			owner.OK(nil, "handback", p.handle)
		}
		r := b.Next()
		did, line := stopped(t, r)
		if r.Code != "window_paused" || r.Details["by"] != "user" || did.Partial.Verbs != 1 || line != 2 {
			t.Errorf("%s: %s", c.name, r.JSON)
		}
		if c.name == "in the middle" && (did.In == nil || did.In.Partial == nil || did.In.Partial.Chars == 0) {
			t.Errorf("%s: %s", c.name, r.JSON)
		}
		if status := b.End(); status != 1 {
			t.Errorf("%s: exit %d", c.name, status)
		}
		owner.OK(nil, "handback", p.handle)
	}
	p.Stop(p.handle)
}

// TestBatchGivenUp: a window that was given up and taken again while a verb of
// a batch looked at another one ends the batch, though a line waits already.
func TestBatchGivenUp(t *testing.T) {
	t.Parallel()
	caller := NewWorld(t).Default()
	p, other := caller.fixture("gtk3.py"), caller.fixture("gtk3.py")
	b := p.Start("batch", p.handle, "-")
	b.Say(fmt.Sprintf(`{"verb":"wait","handle":%q,"name":"Check","state":"checked","timeoutMs":60000}`, other.handle),
		`{"verb":"click","ref":"`+p.ref("Check")+`"}`)
	p.OK(nil, "detach", p.handle)
	p.OK(nil, "attach", p.handle)
	other.Act("click", other.handle, other.ref("Check"))
	if r := b.Next(); !r.OK {
		t.Errorf("%s", r.JSON)
	}
	r := b.Next()
	if did, line := stopped(t, r); r.Code != "not_attached" || did.Partial.Verbs != 1 || line != 2 {
		t.Errorf("%s", r.JSON)
	}
	if status := b.End(); status != 1 {
		t.Errorf("exit %d", status)
	}
	p.Stop(p.handle)
	other.Stop(other.handle)
}
