package audit

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// The bounds of the record: about 25 MB at most.
const (
	DefaultKeep = 100_000
	DefaultAge  = 90 * 24 * time.Hour
)

// nameRunes bounds what is kept of an element's name, wordRunes of the rest.
const (
	nameRunes = 200
	wordRunes = 80
)

// pruneEvery is how many rows are written between two shortenings, and
// pruneMost how many rows one deletes: more than were written since the last,
// so that the bound is kept, and few enough that no verb waits for it (some
// milliseconds).
const (
	pruneEvery = 200
	pruneMost  = 1000
)

// The bounds of a listing.
const (
	defaultRows = 100
	mostRows    = 5000
)

// Config is what a log is made with; the zero value of every field means its
// default.
type Config struct {
	// Keep is how many rows are kept, DefaultKeep when 0.
	Keep int
	// Age is how long a row is kept, DefaultAge when 0.
	Age time.Duration
	// Now is time.Now when nil.
	Now func() time.Time
}

// Log is the audit of one daemon. Its methods are safe for concurrent use.
type Log struct {
	db   *store.DB
	keep int
	age  time.Duration
	now  func() time.Time

	mu sync.Mutex
	// written counts rows since the last shortening.
	written int
	// broken is why the last row could not be written, nil when it was.
	broken error
}

// Open opens the audit of a store and shortens it.
func Open(ctx context.Context, db *store.DB, cfg Config) (*Log, error) {
	l := &Log{db: db, keep: cfg.Keep, age: cfg.Age, now: cfg.Now}
	if l.keep == 0 {
		l.keep = DefaultKeep
	}
	if l.age == 0 {
		l.age = DefaultAge
	}
	if l.now == nil {
		l.now = time.Now
	}
	return l, l.prune(ctx)
}

// Row writes one row and gives its number. At is now when it is zero. It is
// called before the verb is answered, whatever became of the verb, and does
// not stop for the verb's context: a cancelled act was an act.
func (l *Log) Row(ctx context.Context, r api.AuditRow) (int64, error) {
	ctx = context.WithoutCancel(ctx)
	if r.At.IsZero() {
		r.At = l.now()
	}
	r.Session, r.Handle, r.Ref = cut(r.Session, wordRunes), cut(r.Handle, wordRunes), cut(r.Ref, wordRunes)
	r.Verb, r.By, r.Role, r.Verdict = cut(r.Verb, wordRunes), cut(r.By, wordRunes), cut(r.Role, wordRunes), cut(r.Verdict, wordRunes)
	r.Name = cut(r.Name, nameRunes)
	id, err := l.db.AddAudit(ctx, r)
	mark(ctx)
	due := l.wrote(err)
	if err != nil {
		return 0, fmt.Errorf("record %s of %s: %w", r.Verb, r.Handle, err)
	}
	if due {
		_ = l.prune(ctx) // the row is there; a disk that fails says so at the next one
	}
	return id, nil
}

// wrote notes how a write went and reports whether the record is to be
// shortened.
func (l *Log) wrote(err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = err
	if err == nil {
		l.written++
	}
	if l.written < pruneEvery {
		return false
	}
	l.written = 0
	return true
}

// Ready says whether acts can be recorded: the question before an act, so that
// none is done that leaves no trace. It costs nothing while the last row was
// written; after one that was not it tries the disk again.
func (l *Log) Ready(ctx context.Context) error {
	l.mu.Lock()
	broken := l.broken
	l.mu.Unlock()
	if broken == nil {
		return nil
	}
	if _, err := l.Row(ctx, api.AuditRow{Verb: "audit", Verdict: "resumed"}); err != nil {
		return fmt.Errorf("acts cannot be recorded: %w", err)
	}
	return nil
}

// List gives rows, the oldest first: the newest Limit (100 when 0, 5000 at
// most) of those asked for.
func (l *Log) List(ctx context.Context, r api.AuditRequest) ([]api.AuditRow, error) {
	limit := r.Limit
	if limit <= 0 {
		limit = defaultRows
	}
	return l.db.Audit(ctx, r.Handle, r.Since, min(limit, mostRows))
}

// prune shortens the record by one step.
func (l *Log) prune(ctx context.Context) error {
	_, err := l.db.PruneAudit(ctx, l.keep, l.now().Add(-l.age), pruneMost)
	return err
}

// cut makes a word valid UTF-8 and no longer than limit runes.
func cut[S ~string](s S, limit int) S {
	word := strings.ToValidUTF8(string(s), "\uFFFD")
	n := 0
	for i := range word {
		if n == limit {
			return S(word[:i])
		}
		n++
	}
	return S(word)
}
