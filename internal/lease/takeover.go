package lease

import (
	"context"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// Takeover gives a handle to the person, who drives it from a viewer: from the
// moment it is called every Use is refused with window_paused. Another viewer
// that drives it already is takeover_held; the same one, or the first to come
// after a restart, drives on since the first.
//
// The person always wins: it waits for no write, and a store that fails does
// not undo it. The error then says that a restart would forget it, and the
// state is the new one all the same.
func (t *Table) Takeover(ctx context.Context, h api.Handle, viewer string) (State, error) {
	t.mu.Lock()
	e := t.entryLocked(h)
	if e.Input == InputUser && e.Driver != "" && e.Driver != viewer {
		s := e.State
		t.mu.Unlock()
		return s, takeoverHeld(s)
	}
	if e.Input != InputUser {
		e.Input, e.Paused = InputUser, t.now()
		e.tellLocked()
	}
	e.Driver = viewer
	t.mu.Unlock()
	return t.keepInput(ctx, h)
}

// Handback gives a handle back to its agent, whose lease begins unused for no
// time. Only the viewer that drives may, or any when none does (after a
// restart); another is takeover_held. What nobody had taken over is handed
// back already. As with Takeover, a fault of the store comes with the new
// state.
func (t *Table) Handback(ctx context.Context, h api.Handle, viewer string) (State, error) {
	t.mu.Lock()
	e := t.entryLocked(h)
	if e.Input == InputUser && e.Driver != "" && e.Driver != viewer {
		s := e.State
		t.mu.Unlock()
		return s, takeoverHeld(s)
	}
	if e.Input != InputUser {
		s := e.State
		t.mu.Unlock()
		return s, nil
	}
	e.Input, e.Paused, e.Driver = InputAgent, time.Time{}, ""
	e.LastUsed = t.now()
	e.tellLocked()
	t.mu.Unlock()
	return t.keepInput(ctx, h)
}

// keepInput writes who drives a handle, as it is when the write's turn has
// come: of two changes that follow each other at once the last one is kept.
func (t *Table) keepInput(ctx context.Context, h api.Handle) (State, error) {
	t.change.Lock()
	defer t.change.Unlock()
	s := t.State(h)
	if err := t.db.PutInput(ctx, h, s.Input, s.Paused, s.Driver); err != nil {
		return s, fmt.Errorf("keep who drives %s: %w", h, err)
	}
	return s, nil
}

// takeoverHeld refuses a second viewer.
func takeoverHeld(s State) error {
	return api.Refuse(api.TakeoverHeld, "%s is driven from another viewer since %s", s.Handle, moment(s.Paused)).
		WithHint("hand it back there first").
		With("handle", s.Handle).With("since", moment(s.Paused)).With("viewer", s.Driver)
}
