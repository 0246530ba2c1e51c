package audit

import (
	"context"
	"sync/atomic"
)

// markKey finds the mark of a context.
type markKey struct{}

// Mark says whether a verb has its row. Whoever serves a verb makes one, whoever
// knows what the verb did writes the row; a verb that was refused before it
// reached anybody who knows gets the server's.
type Mark struct{ written atomic.Bool }

// WithMark gives a context that knows whether its verb has a row.
func WithMark(ctx context.Context) (context.Context, *Mark) {
	m := &Mark{}
	return context.WithValue(ctx, markKey{}, m), m
}

// Written says whether the verb has its row.
func (m *Mark) Written() bool { return m.written.Load() }

// mark notes that the verb of a context has its row.
func mark(ctx context.Context) {
	if m, ok := ctx.Value(markKey{}).(*Mark); ok {
		m.written.Store(true)
	}
}
