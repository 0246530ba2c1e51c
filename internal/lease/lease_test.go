package lease

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/need"
	"vibespace/internal/store"
)

func TestMain(m *testing.M) { need.Main(m) }

// opened opens a store in a directory and a table on it; both end with the
// test.
func opened(t *testing.T, dir string) (*Table, *store.DB) {
	t.Helper()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	table, err := Open(t.Context(), db, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return table, db
}

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// take takes a lease that must be given.
func take(t *testing.T, table *Table, h api.Handle, session api.SessionID) Lease {
	t.Helper()
	l, err := table.Take(t.Context(), h, session)
	must(t, err)
	return l
}

// refused checks the code of a refusal and that it names what it must.
func refused(t *testing.T, err error, code api.Code, names ...string) {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if e.Hint == "" {
		t.Errorf("%v has no hint", err)
	}
	for _, name := range names {
		if !strings.Contains(e.Message, name) {
			t.Errorf("%q does not name %s", e.Message, name)
		}
	}
}

func TestOneHolder(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	ctx := t.Context()
	refused(t, table.Use(Lease{Handle: "w1"}), api.NotAttached, "w1")
	_, err := table.Hold("w1", "a")
	refused(t, err, api.NotAttached, "w1")
	a := take(t, table, "w1", "a")
	if again := take(t, table, "w1", "a"); again != a {
		t.Errorf("taken again: %+v, want %+v", again, a)
	}
	must(t, table.Use(a))
	if l, err := table.Hold("w1", "a"); err != nil || l != a {
		t.Errorf("held: %+v, %v", l, err)
	}

	_, err = table.Take(ctx, "w1", "b")
	refused(t, err, api.Held, "w1", "session a")
	_, err = table.Hold("w1", "b")
	refused(t, err, api.Held, "session a")
	refused(t, table.Drop(ctx, "w1", "b"), api.Held, "session a")
	refused(t, table.Use(Lease{Handle: "w1", Holder: "b", Epoch: a.Epoch}), api.Held, "session a")
	take(t, table, "w2", "b") // another handle is another matter

	must(t, table.Drop(ctx, "w1", "a"))
	refused(t, table.Drop(ctx, "w1", "a"), api.NotAttached)
	refused(t, table.Use(a), api.NotAttached)
	b := take(t, table, "w1", "b")
	if b.Epoch <= a.Epoch {
		t.Errorf("epoch %d after %d", b.Epoch, a.Epoch)
	}
	refused(t, table.Use(a), api.Held, "session b")
}

func TestAnEarlierLeaseOfTheSameSessionIsNoLease(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	first := take(t, table, "w1", "a")
	must(t, table.Drop(t.Context(), "w1", "a"))
	second := take(t, table, "w1", "a")
	refused(t, table.Use(first), api.NotAttached)
	must(t, table.Use(second))
}

func TestManyRaceForOneLease(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	for round := range 20 {
		h := api.Handle(fmt.Sprintf("w%d", round))
		var mu sync.Mutex
		won := []Lease{}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				l, err := table.Take(t.Context(), h, api.SessionID(fmt.Sprintf("s%d", i)))
				if err != nil && api.CodeOf(err) != api.Held {
					t.Error(err)
				}
				if err == nil {
					mu.Lock()
					won = append(won, l)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(won) != 1 || table.State(h).Lease != won[0] {
			t.Fatalf("%s: %+v won, %+v holds", h, won, table.State(h))
		}
	}
}

func TestLapse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, db := opened(t, t.TempDir())
		ctx := t.Context()
		a := take(t, table, "w1", "a")
		time.Sleep(DefaultLapse - time.Second)
		must(t, table.Use(a)) // used: the clock begins anew
		used := time.Now()
		time.Sleep(DefaultLapse - time.Second)
		_, err := table.Take(ctx, "w1", "b")
		refused(t, err, api.Held, "session a")
		time.Sleep(time.Second)
		if who, ok := table.Holder("w1"); who != "a" || !ok {
			t.Errorf("nobody asked, and %q holds it", who)
		}
		b := take(t, table, "w1", "b")
		must(t, table.Use(b))
		refused(t, table.Use(a), api.Held, "session b")
		_, err = table.Take(ctx, "w1", "a")
		refused(t, err, api.Held, "session b")

		told, err := db.TakeNotices(ctx, "a")
		must(t, err)
		if len(told) != 1 || !strings.Contains(told[0], "w1") || !strings.Contains(told[0], "session b") ||
			!strings.Contains(told[0], moment(b.Since)) || !strings.Contains(told[0], moment(used)) {
			t.Errorf("the old holder was told %q, want who and when (%s)", told, moment(b.Since))
		}
		if told, err := db.TakeNotices(ctx, "b"); err != nil || len(told) != 0 {
			t.Errorf("the new holder was told %q, %v", told, err)
		}
	})
}

func TestRacingForALapsedLease(t *testing.T) {
	t.Parallel()
	table, db := opened(t, t.TempDir())
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	table.now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	old := take(t, table, "w1", "old")
	mu.Lock()
	now = now.Add(DefaultLapse)
	mu.Unlock()
	winners := 0
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := table.Take(t.Context(), "w1", api.SessionID(fmt.Sprintf("s%d", i))); err == nil {
				mu.Lock()
				winners++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	told, err := db.Notices(t.Context(), "old")
	if winners != 1 || err != nil || len(told) != 1 {
		t.Errorf("%d won, the old holder was told %q, %v", winners, told, err)
	}
	refused(t, table.Use(old), api.Held)
}

func TestEndHold(t *testing.T) {
	t.Parallel()
	table, db := opened(t, t.TempDir())
	ctx := t.Context()
	if who, err := table.EndHold(ctx, "w1"); who != "" || err != nil {
		t.Errorf("nobody's hold ended: %q, %v", who, err)
	}
	a := take(t, table, "w1", "a")
	changed := table.Changed("w1")
	if who, err := table.EndHold(ctx, "w1"); who != "a" || err != nil {
		t.Errorf("ended the hold of %q, %v", who, err)
	}
	<-changed
	refused(t, table.Use(a), api.NotAttached)
	told, err := db.TakeNotices(ctx, "a")
	if err != nil || len(told) != 1 || !strings.Contains(told[0], "the person ended your lease of w1") {
		t.Errorf("told %q, %v", told, err)
	}
}

func TestEndOfASession(t *testing.T) {
	t.Parallel()
	table, db := opened(t, t.TempDir())
	ctx := t.Context()
	for _, h := range []api.Handle{"w2", "w10", "w1"} {
		take(t, table, h, "a")
	}
	take(t, table, "w3", "b")
	if got := table.HeldBy("a"); !slices.Equal(got, []api.Handle{"w1", "w2", "w10"}) {
		t.Errorf("a holds %v", got)
	}
	dropped, err := table.DropAll(ctx, "a")
	if err != nil || !slices.Equal(dropped, []api.Handle{"w1", "w2", "w10"}) || len(table.HeldBy("a")) != 0 {
		t.Errorf("dropped %v, %v", dropped, err)
	}
	if got := table.HeldBy("b"); !slices.Equal(got, []api.Handle{"w3"}) {
		t.Errorf("b holds %v", got)
	}
	must(t, table.Forget(ctx, "w3"))
	rows, err := db.Leases(ctx)
	if err != nil || len(rows) != 3 || len(table.HeldBy("b")) != 0 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestLeasesSurviveTheDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var a Lease
	t.Run("before", func(t *testing.T) {
		table, _ := opened(t, dir)
		take(t, table, "w1", "b")
		must(t, table.Drop(t.Context(), "w1", "b"))
		a = take(t, table, "w1", "a")
		take(t, table, "w2", "a")
		_, err := table.Takeover(t.Context(), "w2", "app")
		must(t, err)
	})
	table, _ := opened(t, dir)
	must(t, table.Use(Lease{Handle: "w1", Holder: "a", Epoch: a.Epoch}))
	_, err := table.Take(t.Context(), "w1", "b")
	refused(t, err, api.Held, "session a")
	_, err = table.Hold("w2", "a")
	refused(t, err, api.WindowPaused, "w2")
	if got := table.Paused(); !slices.Equal(got, []api.Handle{"w2"}) {
		t.Errorf("paused: %v", got)
	}
}

// TestAFailingStoreChangesNoHolder closes the store under the table.
func TestAFailingStoreChangesNoHolder(t *testing.T) {
	t.Parallel()
	table, db := opened(t, t.TempDir())
	ctx := t.Context()
	a := take(t, table, "w1", "a")
	must(t, db.Close())
	_, err := table.Take(ctx, "w2", "a")
	refused(t, err, api.StoreFailed)
	refused(t, table.Drop(ctx, "w1", "a"), api.StoreFailed)
	_, err = table.EndHold(ctx, "w1")
	refused(t, err, api.StoreFailed)
	_, err = table.DropAll(ctx, "a")
	refused(t, err, api.StoreFailed)
	refused(t, table.Forget(ctx, "w1"), api.StoreFailed)
	must(t, table.Use(a)) // what was answered still holds
	if who, ok := table.Holder("w2"); ok {
		t.Errorf("%q holds w2, and no row says so", who)
	}
}

// TestUseWaitsForNobody proves that the question before each act does not wait
// for a change that is being written.
func TestUseWaitsForNobody(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	a := take(t, table, "w1", "a")
	table.change.Lock()
	must(t, table.Use(a))
	table.change.Unlock()
}

func TestCancelledTake(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := table.Take(ctx, "w1", "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if who, ok := table.Holder("w1"); ok {
		t.Errorf("%q holds it", who)
	}
}

func BenchmarkUse(b *testing.B) {
	db, err := store.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() // the measured part is over
	table, err := Open(b.Context(), db, Config{})
	if err != nil {
		b.Fatal(err)
	}
	l, err := table.Take(b.Context(), "w1", "a")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := table.Use(l); err != nil {
			b.Fatal(err)
		}
	}
}
