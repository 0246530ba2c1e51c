package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestCancelledCallsLeaveNothing ends the context of calls before and in the
// middle of them.
func TestCancelledCallsLeaveNothing(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{
		db.AddGroup(ended, "g", now), db.AddWindow(ended, Window{Handle: "w1"}), db.AddNotice(ended, "a", "b", now),
	} {
		if !errors.Is(err, context.Canceled) || api.CodeOf(err) != "" {
			t.Errorf("got %v, want the context's end", err)
		}
	}
	answered := 0
	for i := range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Microsecond)
		switch err := db.AddGroup(ctx, fmt.Sprint(i), now); {
		case err == nil:
			answered++
		case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
			t.Errorf("got %v, want the context's end", err)
		}
		cancel()
	}
	groups, err := db.Groups(t.Context())
	if err != nil || len(groups) != answered {
		t.Errorf("%d groups (%v), %d were answered", len(groups), err, answered)
	}
}

// TestManyAtOnce is for the race detector, and proves that no call meets a
// locked database.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 30 {
				h := api.Handle(fmt.Sprintf("w%d-%d", i, j))
				_, listed := db.Windows(ctx)
				_, audited := db.AddAudit(ctx, api.AuditRow{At: now})
				err := errors.Join(db.AddWindow(ctx, Window{Handle: h, Created: now}), listed, audited,
					db.PutHolder(ctx, Lease{Handle: h, Since: now}, "a", "b"), db.DeleteWindow(ctx, h))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		db, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
