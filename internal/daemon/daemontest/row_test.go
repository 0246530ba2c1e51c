package daemontest

import (
	"testing"

	"vibespace/internal/api"
)

// TestEveryVerbLeavesOneRow: also one that is about no window, one that was
// refused by its arguments, and one about a window that is not there.
func TestEveryVerbLeavesOneRow(t *testing.T) {
	t.Parallel()
	d := New(t)
	c := d.Session("alice")
	_, _ = c.List(t.Context(), api.ListRequest{})
	_, _ = c.Key(t.Context(), api.KeyRequest{Act: api.Act{Handle: "w7"}, Keys: []string{"no-such-key"}})
	_, _ = c.Snapshot(t.Context(), api.SnapshotRequest{Handle: "w8"})
	a, err := d.Owner().Audit(t.Context(), api.AuditRequest{})
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		session api.SessionID
		verb    string
		handle  api.Handle
		verdict string
	}
	var got []row
	for _, r := range a.Rows {
		if r.Session == "alice" {
			got = append(got, row{r.Session, r.Verb, r.Handle, r.Verdict})
		}
	}
	want := []row{
		{"alice", "list", "", "ok"},
		{"alice", "key", "w7", string(api.BadKey)},
		{"alice", "snapshot", "w8", string(api.NotExposed)},
	}
	if len(got) != len(want) {
		t.Fatalf("rows %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}
