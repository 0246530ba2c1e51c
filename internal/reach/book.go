package reach

import (
	"context"
	"errors"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// Config is what a book is made with; the zero value of every field means its
// default.
type Config struct {
	// RequireToken refuses callers without a token instead of letting them act
	// as the session default.
	RequireToken bool
	// Lives says whether the process of an agent, as callers describe it, is
	// still there; nil: every one is.
	Lives func(agent string) bool
	// Now is time.Now when nil.
	Now func() time.Time
}

// Book is the sessions, groups and shares of one daemon. Its methods are safe
// for concurrent use.
type Book struct {
	db           *store.DB
	requireToken bool
	now          func() time.Time
	lives        func(agent string) bool
	agents       agents

	mu sync.Mutex
	// changed is closed at the next change of anybody's reach; nil while
	// nobody asked for it.
	changed chan struct{}
}

// Open reads the book of a store and makes the session default if it is not
// there.
func Open(ctx context.Context, db *store.DB, cfg Config) (*Book, error) {
	b := &Book{db: db, requireToken: cfg.RequireToken, now: cfg.Now, lives: cfg.Lives}
	if b.lives == nil {
		b.lives = func(string) bool { return true }
	}
	if b.now == nil {
		b.now = time.Now
	}
	err := db.AddSession(ctx, store.Session{Label: api.DefaultSession, Created: b.now()}, "")
	if err != nil && !errors.Is(err, store.ErrExists) {
		return nil, err
	}
	return b, nil
}

// Changed gives a channel that is closed when anybody's reach changes next: a
// share, a group or a session. A verb that waits takes it, asks May, and waits
// for both.
func (b *Book) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}

// tell wakes who waits for a change. It passes err on, so that a change ends
// with it; what failed changed nothing.
func (b *Book) tell(err error) error {
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
	return nil
}
