package acceptance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
)

// HandedBack is what a session is told once of a window that came back.
type HandedBack struct {
	Handle, Title, Failed, How, Note string
	Diff                             []string
	Interrupted                      []struct {
		Session string
		Did     struct {
			Verb    string
			Partial *struct{ Chars, Keys, Notches, Points, Verbs, Of *int }
		}
	}
	Refused []struct {
		Session, Verb string
		Times         int
	}
	Since, At time.Time
}

// Told is an answer's part of what was handed back.
type Told struct {
	HandedBack []HandedBack
	Window     Window
	Paused     []string
	Pauses     []struct{ Handle, By string }
}

// TestTakeover: while the person drives, acts, snapshots and pictures are
// refused by name and the rest works; the next command after the hand-back is
// told once how things stand, the note, and what was refused; refs are stale
// until the next snapshot and keep their numbers.
func TestTakeover(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	p := w.Session("a").fixture("gtk3.py")
	me := w.Owner()
	before := p.Snapshot(p.handle)
	alpha := before.Of(t, "push button", "Alpha").Ref

	me.OK(nil, "takeover", p.handle)
	for _, args := range [][]string{
		{"click", p.handle, alpha},
		{"click", p.handle, alpha},
		{"snapshot", p.handle},
		{"screenshot", p.handle},
		{"type", p.handle, "x"},
		{"wait", p.handle, "--idle", "10"},
		{"stop", p.handle},
	} {
		r := p.Refused("window_paused", args...)
		if r.Details["by"] != "user" || r.Details["since"] == nil || r.Details["did"] != nil {
			t.Errorf("%v", r)
		}
	}
	var told Told
	p.OK(&told, "status")
	if !slices.Equal(told.Paused, []string{p.handle}) || len(told.Pauses) != 1 || told.Pauses[0].By != "user" || len(told.HandedBack) > 0 {
		t.Errorf("status: %+v", told)
	}
	p.OK(nil, "probe", p.handle)
	var list struct{ Windows []Window }
	p.OK(&list, "list")
	if len(list.Windows) != 1 || list.Windows[0].Input != "user" {
		t.Errorf("list: %+v", list)
	}

	me.OK(nil, "share", p.handle, "--with", "session:a") // the person may do as they like meanwhile
	me.OK(nil, "handback", p.handle, "--note", "mind the gap")
	r := p.Refused("stale_ref", "click", p.handle, alpha)
	if list, ok := r.Details["handedBack"].([]any); !ok || len(list) != 1 {
		t.Fatalf("not told: %v", r)
	}
	var said struct{ Details Told }
	r.Into(t, &said)
	h := said.Details.HandedBack[0]
	if h.Handle != p.handle || h.Title == "" || h.Note != "mind the gap" || h.How != "note" || len(h.Diff) != 0 || h.Failed != "" || len(h.Interrupted) != 0 {
		t.Errorf("told %+v", h)
	}
	var verbs []string
	for _, r := range h.Refused {
		verbs = append(verbs, r.Verb+strings.Repeat("!", r.Times))
	}
	if want := []string{"click!!", "snapshot!", "screenshot!", "type!", "wait!", "stop!"}; !slices.Equal(verbs, want) {
		t.Errorf("refused %q, want %q", verbs, want)
	}
	told = Told{}
	after := p.Snapshot(p.handle)
	p.OK(&told, "status")
	if len(told.HandedBack) > 0 {
		t.Errorf("told twice: %+v", told)
	}
	if ref := after.Of(t, "push button", "Alpha").Ref; ref != alpha {
		t.Errorf("Alpha was %s and is %s", alpha, ref)
	}
	p.log.Mark()
	p.Act("click", p.handle, alpha)
	p.log.Wait(t, fixtures.Clicked("Alpha"), seen)
	p.Stop(p.handle)
}
