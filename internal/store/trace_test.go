package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vibespace/internal/api"
)

// traceRow writes an act with its pictures, each of so many bytes.
func traceRow(t *testing.T, db *DB, at time.Time, h api.Handle, before, after string, bytes int64) int64 {
	t.Helper()
	id, err := db.AddAudit(t.Context(), api.AuditRow{At: at, Session: "a", Handle: h, Verb: "click", By: "tree", Verdict: "ok"})
	if err != nil {
		t.Fatal(err)
	}
	must(t, db.AddTrace(t.Context(), Trace{ID: id, At: at, Handle: h, Box: &api.Rect{X: 1, Y: 2, W: 3, H: 4}, Before: before, After: after},
		Picture{before, bytes}, Picture{after, bytes}))
	return id
}

// names of pictures, in order.
func names(pictures []Picture) []string {
	list := []string{}
	for _, p := range pictures {
		list = append(list, p.Name)
	}
	slices.Sort(list)
	return list
}

func TestTracePrune(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	for i := range 4 { // b is the second picture of one act and the first of the next
		traceRow(t, db, now.Add(time.Duration(i)*time.Hour), "w1", string(rune('a'+i)), string(rune('b'+i)), 100)
	}
	gone, err := db.PruneTraces(ctx, now.Add(30*time.Minute), 1000, nil)
	if err != nil || !slices.Equal(names(gone), []string{"a"}) {
		t.Errorf("older than half an hour: %v, %v; a alone has no act left", gone, err)
	}
	rows, err := db.Traces(ctx, "w1", 10)
	if err != nil || len(rows) != 4 || rows[0].Before != "" || rows[1].Before != "b" || *rows[1].Box != (api.Rect{X: 1, Y: 2, W: 3, H: 4}) {
		t.Errorf("%+v, %v", rows, err)
	}
	if gone, err = db.PruneTraces(ctx, now, 400, nil); err != nil || len(gone) != 0 {
		t.Errorf("within the bounds: %v, %v", gone, err)
	}
	// What is in use stays, and with it what lies before it no longer.
	gone, err = db.PruneTraces(ctx, now, 250, []string{"c"})
	if err != nil || slices.Contains(names(gone), "c") || len(gone) == 0 {
		t.Errorf("beyond the bytes: %v, %v", gone, err)
	}
	for _, p := range gone {
		if has, err := db.HasPicture(ctx, p.Name); has || err != nil {
			t.Errorf("%s is kept: %v", p.Name, err)
		}
	}
	if has, err := db.HasPicture(ctx, "c"); !has || err != nil {
		t.Errorf("what is in use went: %v", err)
	}
	if gone, err = db.PruneTraces(ctx, now.Add(time.Hour*24*365), 0, nil); err != nil || !slices.Contains(names(gone), "c") {
		t.Errorf("in the end %v, %v", gone, err)
	}
}

// TestTracePruneOldestFirst: many acts, and the newest are what is left.
func TestTracePruneOldestFirst(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	for i := range 300 {
		traceRow(t, db, now, "w1", fmt.Sprintf("b%d", i), fmt.Sprintf("a%d", i), 10)
	}
	gone, err := db.PruneTraces(t.Context(), now, 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	left, oldest := 0, -1
	for i := range 300 {
		if has, err := db.HasPicture(t.Context(), fmt.Sprintf("a%d", i)); err != nil {
			t.Fatal(err)
		} else if has {
			left++
			if oldest < 0 {
				oldest = i
			}
		}
	}
	if left > 50 || left < 40 || oldest != 300-left || len(gone) != 600-2*left {
		t.Errorf("%d acts are left from the %d. on, %d files went", left, oldest, len(gone))
	}
}

func TestTraceDelete(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	traceRow(t, db, now, "w1", "a", "shared", 100)
	traceRow(t, db, now, "w1", "shared", "b", 100)
	traceRow(t, db, now, "w2", "shared", "c", 100)
	acts, gone, err := db.DeleteTraces(ctx, "w1")
	if err != nil || acts != 2 || !slices.Equal(names(gone), []string{"a", "b"}) {
		t.Errorf("%d, %v, %v", acts, gone, err)
	}
	rows, err := db.Traces(ctx, "w1", 10)
	if err != nil || len(rows) != 2 || rows[0].After != "" || rows[0].Verb != "click" {
		t.Errorf("the acts are told without pictures: %+v, %v", rows, err)
	}
	if rows, err = db.Traces(ctx, "w2", 1); err != nil || len(rows) != 1 || rows[0].Before != "shared" {
		t.Errorf("another window's: %+v, %v", rows, err)
	}
}
