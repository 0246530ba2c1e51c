package acceptance

import (
	"strings"
	"testing"

	"vibespace/fixtures"
)

// row is one row of the audit.
type row struct{ At, Session, Handle, Verb, By, Ref, Role, Name, Verdict string }

// rows are the audit rows of a handle, the newest last or first as they come.
func (w *World) rows(handle string) []row {
	w.t.Helper()
	var answer struct{ Rows []row }
	args := []string{"audit"}
	if handle != "" {
		args = append(args, "--handle", handle)
	}
	w.Owner().OK(&answer, args...)
	return answer.Rows
}

// TestAuditRows: every verb leaves one row: who, what, to which element, by
// which road and with what verdict; and never what was typed.
func TestAuditRows(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	p := w.Session("auditor").fixture("gtk3.py")
	const typed = "Zq5auditedZq5"
	snap := p.Snapshot(p.handle)
	alpha, name, disabled := named(t, snap, "Alpha"), named(t, snap, "Name"), named(t, snap, "Disabled")
	before := len(w.rows(p.handle))
	p.Act("click", p.handle, alpha.Ref)
	p.Act("click", p.handle, alpha.Ref, "--point")
	p.Act("type", p.handle, name.Ref, typed)
	p.Act("key", p.handle, "End")
	p.Refused("disabled", "click", p.handle, disabled.Ref)
	w.Session("other").Refused("not_exposed", "click", p.handle, alpha.Ref)
	p.OK(nil, "screenshot", p.handle)

	rows := w.rows(p.handle)
	if len(rows) != before+7 {
		t.Errorf("%d rows became %d, for seven verbs: %+v", before, len(rows), rows)
	}
	for _, want := range []row{
		{Session: "auditor", Verb: "open", Name: fixtures.Path(t, "gtk3.py"), Verdict: "ok"},
		{Session: "auditor", Verb: "snapshot", Verdict: "ok"},
		{Session: "auditor", Verb: "click", By: "tree", Role: "push button", Name: "Alpha", Verdict: "ok"},
		{Session: "auditor", Verb: "click", By: "point", Role: "push button", Name: "Alpha", Verdict: "ok"},
		{Session: "auditor", Verb: "type", By: "tree", Role: "text", Name: "Name", Verdict: "ok"},
		{Session: "auditor", Verb: "key", By: "keys", Verdict: "ok"},
		{Session: "auditor", Verb: "click", Role: "push button", Name: "Disabled", Verdict: "disabled"},
		{Session: "other", Verb: "click", Verdict: "not_exposed"},
		{Session: "auditor", Verb: "screenshot", Verdict: "ok"},
	} {
		found := 0
		for _, r := range rows {
			r.At, r.Handle, r.Ref = "", "", ""
			if r == want {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d rows are %+v in\n%+v", found, want, rows)
		}
	}
	if strings.Contains(string(w.Owner().OK(nil, "audit").JSON), typed) {
		t.Error("the audit holds what was typed")
	}
	nowhere(t, w, typed)
	p.Stop(p.handle)
}

// TestInjectionOff: with injection switched off by configuration keys and points are refused
// with the probe, a node with an action still clicks, text still goes through
// the tree, and a node without an action is no_action both ways.
func TestInjectionOff(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, "VIBESPACE_INJECTION=false")
	p := w.Default().fixture("gtk4.py")
	var probe Probed
	if p.OK(&probe, "probe", p.handle); probe.Roads.Inject.OK || probe.Roads.Inject.Why == "" || !probe.Roads.Tree.OK {
		t.Errorf("%+v", probe)
	}
	snap := p.Snapshot(p.handle)
	alpha, check, name := named(t, snap, "Alpha"), named(t, snap, "Check"), named(t, snap, "Name")
	p.log.Mark()
	for _, args := range [][]string{
		{"key", p.handle, "Return"},
		{"click", p.handle, "--at", "10,10"},
		{"scroll", p.handle, "down"},
		{"type", p.handle, name.Ref, "x", "--keys"},
		{"click", p.handle, alpha.Ref, "--point"},
		{"drag", p.handle, "--from", "1,1", "--to", "9,9"},
		{"hover", p.handle, "--at", "9,9"},
	} {
		r := p.Refused("no_injection", args...)
		if r.Details["probe"] == nil || r.Hint == "" {
			t.Errorf("%v", r)
		}
	}
	for _, way := range [][]string{{"click", p.handle, check.Ref}, {"click", p.handle, check.Ref, "--point"}} {
		// What is closed is not recommended.
		if r := p.Refused("no_action", way...); strings.Contains(r.Hint, "--point") || r.Details["probe"] == nil || r.Details["bounds"] == nil {
			t.Errorf("%v", r)
		}
	}
	p.unseen("injection is off")
	p.clicks(alpha, control{"Alpha", fixtures.Clicked("Alpha")})
	p.types("Name", "by the tree", "tree", name.Ref, "by the tree")
	p.OK(nil, "screenshot", p.handle)
	p.Stop(p.handle)
}
