package atspi

import (
	"context"
	"time"
)

// Mark is a moment in a subscription's stream, before an act, from which
// [Events.Settle] counts.
type Mark uint64

// Mark returns this moment.
func (e *Events) Mark() Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Mark(e.moves)
}

// Patience says how long to wait for a window to settle.
type Patience struct {
	// First is how long the first relevant event may take to come. An
	// application that does nothing has settled then. Qt presses a button
	// 100 ms after it accepted the action.
	First time.Duration
	// Quiet is how long none may come for the window to have settled.
	Quiet time.Duration
	// Max ends the waiting whatever happens.
	Max time.Duration
}

// Settled is how the waiting ended.
type Settled struct {
	Quiet  bool // false: events still came when Max was over
	Events int  // relevant events since the mark
	Took   time.Duration
}

// Settle waits until no relevant event has come for a while, counting from a
// mark taken before the act; it takes no event from the queue. It ends with
// ctx's error, or with [ErrClosed] when the subscription or the connection
// ended.
func (e *Events) Settle(ctx context.Context, from Mark, p Patience) (Settled, error) {
	began := time.Now()
	for {
		events, last, wake := e.since(from)
		limit := began.Add(p.First)
		if events > 0 {
			limit, wake = last.Add(p.Quiet), nil
		}
		end := began.Add(p.Max)
		now := time.Now()
		s := Settled{Quiet: !now.Before(limit), Events: events, Took: now.Sub(began)}
		if s.Quiet || !now.Before(end) {
			return s, nil
		}
		if limit.After(end) {
			limit = end
		}
		if err := e.pause(ctx, limit.Sub(now), wake); err != nil {
			return s, err
		}
	}
}

// Quiet waits until no relevant event has come for d, but no longer than
// limit, counting from now; true says that it is quiet.
func (e *Events) Quiet(ctx context.Context, d, limit time.Duration) (bool, error) {
	s, err := e.Settle(ctx, e.Mark(), Patience{First: d, Quiet: d, Max: limit})
	return s.Quiet, err
}

// since counts the relevant events after a mark. With none, wake is closed at
// the first.
func (e *Events) since(from Mark) (events int, last time.Time, wake <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := e.moves - uint64(from); n > 0 {
		return int(n), e.moved, nil
	}
	if e.wake == nil {
		e.wake = make(chan struct{})
	}
	return 0, time.Time{}, e.wake
}

// pause waits for a time, a wake or an end.
func (e *Events) pause(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.done:
		return ErrClosed
	case <-e.conn.Done():
		return ErrClosed
	}
}
