package audit

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"vibespace/internal/api"
	"vibespace/internal/need"
	"vibespace/internal/store"
)

func TestMain(m *testing.M) { need.Main(m) }

// opened opens a log on a store of its own; both end with the test.
func opened(t testing.TB, cfg Config) (*Log, *store.DB) {
	t.Helper()
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	log, err := Open(t.Context(), db, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return log, db
}

// rows lists every row there is.
func rows(t *testing.T, l *Log) []api.AuditRow {
	t.Helper()
	got, err := l.List(t.Context(), api.AuditRequest{Limit: mostRows})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRowsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	log, _ := opened(t, Config{Now: func() time.Time { return now }})
	row := api.AuditRow{
		Session: "a", Handle: "w1", Verb: "click", By: "tree", Ref: "@e17", Role: "push button", Name: "é 你 😀", Verdict: "ok", TookMs: 12,
	}
	id, err := log.Row(t.Context(), row)
	if err != nil || id != 1 {
		t.Fatalf("row %d, %v", id, err)
	}
	row.ID, row.At = 1, now
	if got := rows(t, log); !reflect.DeepEqual(got, []api.AuditRow{row}) {
		t.Errorf("got  %+v\nwant %+v", got, row)
	}
	earlier := now.Add(-time.Hour)
	if _, err := log.Row(t.Context(), api.AuditRow{At: earlier, Handle: "w2", Verdict: string(api.Held)}); err != nil {
		t.Fatal(err)
	}
	got, err := log.List(t.Context(), api.AuditRequest{Handle: "w2"})
	if err != nil || len(got) != 1 || !got[0].At.Equal(earlier) {
		t.Errorf("of w2: %+v, %v", got, err)
	}
	got, err = log.List(t.Context(), api.AuditRequest{Since: now})
	if err != nil || len(got) != 1 || got[0].Handle != "w1" {
		t.Errorf("since now: %+v, %v", got, err)
	}
}

// TestNoFieldTakesATypedText holds the law at the type: a row has these fields
// and no other, and none is for content.
func TestNoFieldTakesATypedText(t *testing.T) {
	t.Parallel()
	want := "ID At Session Handle Verb By Ref Role Name Verdict TookMs"
	var got []string
	for f := range reflect.TypeFor[api.AuditRow]().Fields() {
		got = append(got, f.Name)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("a row has %v, want %s", got, want)
	}
}

func TestWordsAreCutAndValid(t *testing.T) {
	t.Parallel()
	log, _ := opened(t, Config{})
	long := strings.Repeat("你", 100_000)
	_, err := log.Row(t.Context(), api.AuditRow{
		Session: api.SessionID(long), Handle: api.Handle(long), Verb: long, By: long, Ref: api.Ref(long), Role: long, Name: long, Verdict: long,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Row(t.Context(), api.AuditRow{Name: "a\xff\x00b"}); err != nil {
		t.Fatal(err)
	}
	got := rows(t, log)
	r := got[0]
	if n := utf8.RuneCountInString(r.Name); n != nameRunes {
		t.Errorf("a name of %d runes", n)
	}
	for _, word := range []string{string(r.Session), string(r.Handle), r.Verb, r.By, string(r.Ref), r.Role, r.Verdict} {
		if n := utf8.RuneCountInString(word); n != wordRunes {
			t.Errorf("a word of %d runes", n)
		}
	}
	if got[1].Name != "a\uFFFD\x00b" {
		t.Errorf("name %q", got[1].Name)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	later := func(d time.Duration) { mu.Lock(); now = now.Add(d); mu.Unlock() }
	log, db := opened(t, Config{Keep: 300, Age: time.Hour, Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now }})
	add := func(n int) {
		t.Helper()
		for range n {
			if _, err := log.Row(t.Context(), api.AuditRow{Verb: "click"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(1100)
	if n := len(rows(t, log)); n < 300 || n >= 300+pruneEvery {
		t.Errorf("%d rows are kept", n)
	}
	later(2 * time.Hour)
	add(pruneEvery)
	if n := len(rows(t, log)); n >= 2*pruneEvery {
		t.Errorf("%d rows are kept, most of them too old", n)
	}
	later(2 * time.Hour)
	if _, err := Open(t.Context(), db, Config{Age: time.Hour, Now: log.now}); err != nil {
		t.Fatal(err)
	}
	if n := len(rows(t, log)); n != 0 {
		t.Errorf("%d rows are kept after opening, all of them too old", n)
	}
}

func TestListIsBounded(t *testing.T) {
	t.Parallel()
	log, _ := opened(t, Config{})
	for range defaultRows + 5 {
		if _, err := log.Row(t.Context(), api.AuditRow{}); err != nil {
			t.Fatal(err)
		}
	}
	for limit, want := range map[int]int{0: defaultRows, -1: defaultRows, 3: 3, 1 << 30: defaultRows + 5} {
		got, err := log.List(t.Context(), api.AuditRequest{Limit: limit})
		if err != nil || len(got) != want || got[len(got)-1].ID != defaultRows+5 {
			t.Errorf("limit %d: %d rows, %v", limit, len(got), err)
		}
	}
}

func TestACancelledActIsRecorded(t *testing.T) {
	t.Parallel()
	log, _ := opened(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := log.Row(ctx, api.AuditRow{Verb: "type", Verdict: string(api.Cancelled)}); err != nil {
		t.Fatal(err)
	}
	if n := len(rows(t, log)); n != 1 {
		t.Errorf("%d rows", n)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	log, db := opened(t, Config{})
	ctx := t.Context()
	if err := log.Ready(ctx); err != nil || len(rows(t, log)) != 0 {
		t.Fatalf("ready from the start, without a row: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Row(ctx, api.AuditRow{}); api.CodeOf(err) != api.StoreFailed {
		t.Errorf("a row that cannot be written: %v", err)
	}
	if err := log.Ready(ctx); api.CodeOf(err) != api.StoreFailed {
		t.Errorf("the next act: %v", err)
	}
	again, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close() // read below
	log.db = again      // the disk is back
	if err := log.Ready(ctx); err != nil {
		t.Errorf("when the disk is back: %v", err)
	}
	if got := rows(t, log); len(got) != 1 || got[0].Verdict != "resumed" {
		t.Errorf("%+v", got)
	}
	if err := log.Ready(ctx); err != nil || len(rows(t, log)) != 1 {
		t.Errorf("ready costs a row: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	log, _ := opened(t, Config{Keep: 100})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 60 {
				if _, err := log.Row(t.Context(), api.AuditRow{Verb: "click"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := rows(t, log)
	if got[len(got)-1].ID != 480 || len(got) >= 100+pruneEvery {
		t.Errorf("%d rows, the last is %d", len(got), got[len(got)-1].ID)
	}
}

// BenchmarkRow is what a verb pays for its row, in a record at its bound.
func BenchmarkRow(b *testing.B) {
	log, _ := opened(b, Config{Keep: 20_000})
	row := api.AuditRow{Session: "a", Handle: "w1", Verb: "click", By: "tree", Ref: "@e17", Role: "push button", Name: "Some button", Verdict: "ok"}
	for range 20_000 {
		if _, err := log.Row(b.Context(), row); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := log.Row(b.Context(), row); err != nil {
			b.Fatal(err)
		}
	}
}
