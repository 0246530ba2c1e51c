package target

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vibespace/internal/api"
)

// The bounds of a listing of the trace.
const (
	traceRowsAsked = 100
	traceRowsMost  = 1000
)

// Trace lists what was done to a window, with pictures. The person's alone. A
// window that has ended has its trace as long as it is kept.
func (e *Engine) Trace(ctx context.Context, c api.Caller, r api.TraceRequest) (api.TraceAnswer, error) {
	if err := ownerOnly(c, "trace"); err != nil {
		return api.TraceAnswer{}, err
	}
	limit := r.Limit
	if limit <= 0 {
		limit = traceRowsAsked
	}
	// Asked before the rows are read: what is written meanwhile is among them.
	writing := e.trace.unwritten()
	rows, err := e.cfg.Store.Traces(ctx, r.Handle, min(limit, traceRowsMost))
	if err != nil {
		return api.TraceAnswer{}, err
	}
	if len(rows) == 0 && e.window(r.Handle) == nil { // a browser without one leaves rows of what is no act
		if known, err := e.cfg.Audit.List(ctx, api.AuditRequest{Handle: r.Handle, Limit: 1}); err != nil || len(known) == 0 {
			return api.TraceAnswer{}, cmp.Or(err, forPerson(notExposed(r.Handle)))
		}
	}
	until := time.Now().Add(traceShown)
	e.trace.mu.Lock()
	defer e.trace.mu.Unlock()
	for i := range rows {
		rows[i].Pending = writing[rows[i].ID] && rows[i].Before+rows[i].After+rows[i].Note == ""
		for _, name := range []*string{&rows[i].Before, &rows[i].After} {
			if *name != "" {
				e.trace.shown[*name] = until
				*name = e.tracePath(*name)
			}
		}
	}
	return api.TraceAnswer{OK: true, Handle: r.Handle, Rows: rows}, nil
}

// mark notes that the pictures of an act are to be written.
func (t *tracer) mark(row int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writing[row] = true
}

// unmark notes that they were.
func (t *tracer) unmark(row int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.writing, row)
}

// unwritten are the acts whose pictures are still being written.
func (t *tracer) unwritten() map[int64]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.writing)
}

// TraceDelete deletes the pictures of what was done to a window and says what it
// deleted; the rows of the audit stay. The person's alone.
func (e *Engine) TraceDelete(ctx context.Context, c api.Caller, r api.TraceRequest) (api.TraceAnswer, error) {
	if err := ownerOnly(c, "trace"); err != nil {
		return api.TraceAnswer{}, err
	}
	// What is being written now is deleted with the rest.
	select {
	case e.trace.pen <- struct{}{}:
		defer func() { <-e.trace.pen }()
	case <-ctx.Done():
		return api.TraceAnswer{}, ctx.Err()
	}
	acts, gone, err := e.cfg.Store.DeleteTraces(ctx, r.Handle)
	if err != nil {
		return api.TraceAnswer{}, err
	}
	answer := api.TraceAnswer{OK: true, Handle: r.Handle, Rows: []api.TraceRow{}, Deleted: &api.TraceDeleted{Acts: acts}}
	for _, p := range gone {
		path := e.tracePath(p.Name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return api.TraceAnswer{}, storeFault(path, err)
		}
		answer.Deleted.Files++
		answer.Deleted.Bytes += p.Bytes
	}
	return answer, nil
}

// pruneTrace deletes the oldest pictures beyond the bounds. The holder of pen
// calls it.
func (e *Engine) pruneTrace(ctx context.Context) {
	now := time.Now()
	e.trace.mu.Lock()
	used := []string{}
	for name, until := range e.trace.shown {
		if now.After(until) {
			delete(e.trace.shown, name)
			continue
		}
		used = append(used, name)
	}
	e.trace.mu.Unlock()
	gone, err := e.cfg.Store.PruneTraces(ctx, now.Add(-e.trace.age), e.trace.bytes, used)
	if err != nil {
		e.cfg.Log.Warn("the trace could not be pruned", "err", err)
	}
	for _, p := range gone {
		_ = os.Remove(e.tracePath(p.Name)) // what is left is swept at the next start
	}
}

// sweepTrace prunes the trace and removes the files that no act has: a daemon
// that was killed may have written one and not its row.
func (e *Engine) sweepTrace(ctx context.Context) {
	e.pruneTrace(ctx)
	root := filepath.Join(e.cfg.StateDir, "trace")
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is left
		}
		if info, err := entry.Info(); err == nil && filepath.Dir(path) == root && time.Since(info.ModTime()) < e.trace.age {
			return nil // a page that somebody had made
		}
		if kept, err := e.cfg.Store.HasPicture(ctx, entry.Name()); err == nil && !kept && !strings.HasPrefix(entry.Name(), ".") {
			_ = os.Remove(path)
		}
		return nil
	})
}
