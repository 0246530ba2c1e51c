package lease

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vibespace/internal/api"
)

func TestTakeoverPausesAtOnce(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	ctx := t.Context()
	a := take(t, table, "w1", "a")
	changed := table.Changed("w1")
	s, err := table.Takeover(ctx, "w1", "app")
	if err != nil || s.Input != InputUser || s.Driver != "app" || s.Paused.IsZero() || s.Holder != "a" {
		t.Fatalf("%+v, %v", s, err)
	}
	<-changed
	refused(t, table.Use(a), api.WindowPaused, "the person", moment(s.Paused))
	_, err = table.Hold("w1", "a")
	refused(t, err, api.WindowPaused)
	if again, err := table.Takeover(ctx, "w1", "app"); err != nil || again != s {
		t.Errorf("taken over twice: %+v, %v", again, err)
	}
	if s, err = table.Handback(ctx, "w1", "app"); err != nil || s.Input != InputAgent || s.Driver != "" || !s.Paused.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	renewed(t, table, a) // the lease was only paused
	if again, err := table.Handback(ctx, "w1", "app"); err != nil || again.Input != InputAgent {
		t.Errorf("handed back twice: %+v, %v", again, err)
	}
}

func TestOneViewerDrives(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	ctx := t.Context()
	_, err := table.Takeover(ctx, "w1", "app")
	must(t, err)
	_, err = table.Takeover(ctx, "w1", "other")
	refused(t, err, api.TakeoverHeld, "w1")
	_, err = table.Handback(ctx, "w1", "other")
	refused(t, err, api.TakeoverHeld, "w1")
	must(t, func() error { _, err := table.Handback(ctx, "w1", "app"); return err }())
	if s, err := table.Takeover(ctx, "w1", "other"); err != nil || s.Driver != "other" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAttachingMeanwhileIsPausedFromTheStart(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	ctx := t.Context()
	_, err := table.Takeover(ctx, "w1", "app")
	must(t, err)
	a := take(t, table, "w1", "a")
	refused(t, table.Use(a), api.WindowPaused)
	_, err = table.Handback(ctx, "w1", "app")
	must(t, err)
	renewed(t, table, a)
}

// renewed checks that a holder has its handle again, by another lease than
// before: what it began under the old one is not gone on with.
func renewed(t *testing.T, table *Table, old Lease) {
	t.Helper()
	refused(t, table.Use(old), api.NotAttached)
	now, err := table.Hold(old.Handle, old.Holder)
	if err != nil || now.Epoch <= old.Epoch {
		t.Fatalf("%+v after %+v, %v", now, old, err)
	}
	must(t, table.Use(now))
}

func TestNoLeaseLapsesWhileThePersonDrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, _ := opened(t, t.TempDir())
		ctx := t.Context()
		a := take(t, table, "w1", "a")
		time.Sleep(DefaultLapse - time.Minute)
		_, err := table.Takeover(ctx, "w1", "app")
		must(t, err)
		time.Sleep(24 * time.Hour)
		_, err = table.Take(ctx, "w1", "b")
		refused(t, err, api.Held, "session a")
		_, err = table.Handback(ctx, "w1", "app")
		must(t, err)
		time.Sleep(DefaultLapse - time.Minute)
		_, err = table.Take(ctx, "w1", "b")
		refused(t, err, api.Held, "session a")
		renewed(t, table, a)
	})
}

func TestRestartLeavesItPausedWithNobodyDriving(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var since time.Time
	t.Run("before", func(t *testing.T) {
		table, _ := opened(t, dir)
		take(t, table, "w1", "a")
		s, err := table.Takeover(t.Context(), "w1", "app")
		must(t, err)
		since = s.Paused
	})
	table, _ := opened(t, dir)
	s := table.State("w1")
	if s.Input != InputUser || s.Driver != "" || s.Paused.UnixMilli() != since.UnixMilli() || s.Holder != "a" {
		t.Errorf("%+v", s)
	}
	s, err := table.Takeover(t.Context(), "w1", "other") // pressed again, anywhere
	if err != nil || s.Driver != "other" || s.Paused.UnixMilli() != since.UnixMilli() {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = table.Handback(t.Context(), "w1", "other")
	must(t, err)
}

// TestAFailingStoreDoesNotStopThePerson closes the store under the table.
func TestAFailingStoreDoesNotStopThePerson(t *testing.T) {
	t.Parallel()
	table, db := opened(t, t.TempDir())
	a := take(t, table, "w1", "a")
	must(t, db.Close())
	s, err := table.Takeover(t.Context(), "w1", "app")
	refused(t, err, api.StoreFailed)
	if s.Input != InputUser {
		t.Errorf("%+v", s)
	}
	refused(t, table.Use(a), api.WindowPaused)
	s, err = table.Handback(t.Context(), "w1", "app")
	refused(t, err, api.StoreFailed)
	if s.Input != InputAgent {
		t.Errorf("%+v", s)
	}
	renewed(t, table, a)
}

// TestTakeoverWaitsForNoWrite holds the lock that writes take: the pause must
// be there before the write's turn comes.
func TestTakeoverWaitsForNoWrite(t *testing.T) {
	t.Parallel()
	table, _ := opened(t, t.TempDir())
	a := take(t, table, "w1", "a")
	changed := table.Changed("w1")
	cut := make(chan api.Handle, 1)
	table.OnTakeover(func(h api.Handle) { cut <- h })
	table.change.Lock()
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := table.Takeover(context.WithoutCancel(t.Context()), "w1", "app"); err != nil {
			t.Error(err)
		}
	})
	<-changed
	refused(t, table.Use(a), api.WindowPaused)
	if h := <-cut; h != "w1" {
		t.Errorf("told of %s", h)
	}
	table.change.Unlock()
	wg.Wait()
}

// TestTheLastInputIsKept toggles from many sides at once: what the store says
// in the end must be what the table says.
func TestTheLastInputIsKept(t *testing.T) {
	t.Parallel()
	table, db := opened(t, t.TempDir())
	ctx := t.Context()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 10 {
				if _, err := table.Takeover(ctx, "w1", "app"); err != nil {
					t.Error(err)
				}
				if _, err := table.Handback(ctx, "w1", "app"); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 10 {
				if _, err := table.Take(ctx, "w1", "a"); err != nil {
					t.Error(err)
				}
				if err := table.Drop(ctx, "w1", "a"); err != nil && api.CodeOf(err) != api.NotAttached {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := table.State("w1")
	rows, err := db.Leases(ctx)
	must(t, err)
	if r := rows[0]; r.Holder != s.Holder || r.Epoch != s.Epoch || r.Input != s.Input || r.Driver != s.Driver {
		t.Errorf("the store has %+v, the table %+v", r, s)
	}
}
