package lease

import (
	"context"
	"fmt"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/store"
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
		return s, TakeoverHeld(s)
	}
	first := e.Input != InputUser
	if first {
		e.Input, e.Paused = InputUser, t.now()
		e.tellLocked()
	}
	e.Driver = viewer
	cut := t.cut
	t.mu.Unlock()
	if first && cut != nil {
		cut(h)
	}
	return t.keepInput(ctx, h)
}

// OnTakeover says what is called when the person takes a handle over: before
// the write, and with every Use refused already. It must not wait.
func (t *Table) OnTakeover(cut func(api.Handle)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cut = cut
}

// Handback gives a handle back to its agent, whose lease begins unused for no
// time and is another one: what was begun or told before the takeover is not
// gone on with after it. Only the viewer that drives may, or any when none does (after a
// restart); another is takeover_held. What nobody had taken over is handed
// back already. As with Takeover, a fault of the store comes with the new
// state.
func (t *Table) Handback(ctx context.Context, h api.Handle, viewer string) (State, error) {
	t.mu.Lock()
	e := t.entryLocked(h)
	if e.Input == InputUser && e.Driver != "" && e.Driver != viewer {
		s := e.State
		t.mu.Unlock()
		return s, TakeoverHeld(s)
	}
	if e.Input != InputUser {
		s := e.State
		t.mu.Unlock()
		return s, nil
	}
	e.Input, e.Paused, e.Driver = InputAgent, time.Time{}, ""
	e.LastUsed = t.now()
	e.Epoch++
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
	if err := t.db.PutInput(ctx, store.Lease{Handle: h, Epoch: s.Epoch, Input: s.Input, Paused: s.Paused, Driver: s.Driver}); err != nil {
		return s, fmt.Errorf("keep who drives %s: %w", h, err)
	}
	return s, nil
}

// TakeoverHeld refuses a second viewer.
func TakeoverHeld(s State) error {
	hint := "hand it back in the viewer that drives it"
	if s.Driver == api.ViewerCLI || api.IsAttached(s.Driver) {
		hint = fmt.Sprintf("vibespace handback %s", s.Handle)
	}
	return api.Refuse(api.TakeoverHeld, "%s is driven from another viewer since %s", s.Handle, moment(s.Paused)).
		WithHint("%s", hint).
		With("handle", s.Handle).With("since", moment(s.Paused)).With("viewer", s.Driver)
}
