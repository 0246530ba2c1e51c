package store

import (
	"slices"
	"testing"
	"time"

	"vibespace/internal/api"
)

func TestAuditOrderFilterAndPrune(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	row := api.AuditRow{
		At: now, Session: "a", Handle: "w1", Verb: "click", By: "tree", Ref: "@e1", Role: "push button", Name: "OK", Verdict: "ok", TookMs: 3,
	}
	for i := range 10 {
		r := row
		r.At = now.Add(time.Duration(i) * time.Second)
		if i%2 == 1 {
			r.Handle = "w2"
		}
		id, err := db.AddAudit(ctx, r)
		if err != nil || id != int64(i+1) {
			t.Fatalf("row %d, %v", id, err)
		}
	}
	ids := func(h api.Handle, since time.Time, limit int) []int64 {
		t.Helper()
		rows, err := db.Audit(ctx, h, since, limit)
		must(t, err)
		out := []int64{}
		for _, r := range rows {
			out = append(out, r.ID)
		}
		return out
	}
	for _, test := range []struct {
		h     api.Handle
		since time.Time
		limit int
		want  []int64
	}{
		{"", time.Time{}, 3, []int64{8, 9, 10}},
		{"w2", time.Time{}, 100, []int64{2, 4, 6, 8, 10}},
		{"w2", now.Add(5 * time.Second), 100, []int64{6, 8, 10}},
		{"w3", time.Time{}, 100, []int64{}},
	} {
		if got := ids(test.h, test.since, test.limit); !slices.Equal(got, test.want) {
			t.Errorf("%+v: got %v", test, got)
		}
	}
	rows, err := db.Audit(ctx, "w1", time.Time{}, 1)
	row.ID, row.At = 9, now.Add(8*time.Second)
	if err != nil || rows[0] != row {
		t.Errorf("got %+v, %v", rows[0], err)
	}
	for _, test := range []struct {
		keep   int
		before time.Time
		limit  int
		want   []int64
	}{
		{100, time.Time{}.Add(1), 100, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{6, time.Time{}.Add(1), 2, []int64{3, 4, 5, 6, 7, 8, 9, 10}},
		{6, time.Time{}.Add(1), 100, []int64{5, 6, 7, 8, 9, 10}},
		{6, now.Add(7 * time.Second), 100, []int64{8, 9, 10}},
	} {
		_, err := db.PruneAudit(ctx, test.keep, test.before, test.limit)
		must(t, err)
		if got := ids("", time.Time{}, 100); !slices.Equal(got, test.want) {
			t.Errorf("%+v: left %v", test, got)
		}
	}
}

func BenchmarkAudit(b *testing.B) {
	db, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() // the measured part is over
	row := api.AuditRow{At: now, Session: "a", Handle: "w1", Verb: "click", By: "tree", Ref: "@e17", Role: "push button", Name: "Some button", Verdict: "ok"}
	for b.Loop() {
		if _, err := db.AddAudit(b.Context(), row); err != nil {
			b.Fatal(err)
		}
	}
}
