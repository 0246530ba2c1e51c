package target

import (
	"testing"

	"vibespace/internal/api"
)

// TestMemory: what an act looked at and did not tell is no part of what a
// session was told, so that a diff never leaves it out.
func TestMemory(t *testing.T) {
	t.Parallel()
	w := newWindow("w1", program{}, api.OpenRequest{}, "alice", "opened")
	view := func() *told { return tellings(nil) }
	first, second, third, fourth := view(), view(), view(), view()
	w.looks("alice", first, true)
	if m := w.knows("alice"); m.said != nil || m.seen != first {
		t.Fatal("what nobody was told counts as told")
	}
	w.tellsAll("alice", second)
	w.looks("alice", third, true)
	if m := w.knows("alice"); m.said != third || m.seen != third {
		t.Fatal("a diff that told everything does not count")
	}
	w.looks("alice", fourth, false)
	w.looks("alice", first, true)
	if m := w.knows("alice"); m.said != third || m.seen != first {
		t.Fatal("a diff that left something out, or one after it, counts as told")
	}
	if m := w.knows("bob"); m.said != nil || m.seen != nil {
		t.Fatal("one session knows what another was told")
	}
}
