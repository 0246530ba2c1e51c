package lease

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// DefaultLapse is how long a lease may be unused before it goes to the next
// that asks.
const DefaultLapse = 15 * time.Minute

// The two that can drive a handle.
const (
	InputAgent = "agent"
	InputUser  = "user"
)

// Config is what a table is made with; the zero value of every field means
// its default.
type Config struct {
	// Lapse is DefaultLapse when 0.
	Lapse time.Duration
	// Now is time.Now when nil.
	Now func() time.Time
}

// Lease is one session's hold on a handle. It names the hold, not only the
// holder: a session that lost a handle and took it again has another epoch,
// and what it began under the old one is refused.
type Lease struct {
	Handle api.Handle
	Holder api.SessionID
	// Epoch grows with every change of holder of the handle.
	Epoch uint64
	// Since is when the holder took it.
	Since time.Time
}

// State is how a handle stands.
type State struct {
	Lease // Holder is "" when nobody holds it
	// LastUsed is when the holder last used it, in this daemon's life.
	LastUsed time.Time
	// Input is InputUser while the person drives.
	Input string
	// Paused is since when the person drives, zero while they do not.
	Paused time.Time
	// Driver is the viewer the person drives from, "" for none: after a
	// restart the handle is still paused, and viewers come back watching.
	Driver string
}

// Table is the leases of one daemon. Its methods are safe for concurrent use.
type Table struct {
	db    *store.DB
	lapse time.Duration
	now   func() time.Time

	// change makes changes of holder follow one another, their write to the
	// store included. It is taken before mu, and Use never takes it.
	change sync.Mutex

	mu     sync.Mutex
	states map[api.Handle]*entry
	cut    func(api.Handle) // called at a takeover, nil for nobody
}

// entry is one handle's state and who waits for it to change.
type entry struct {
	State
	// changed is closed at the next change of holder or driver; nil while
	// nobody asked for it.
	changed chan struct{}
}

// Open reads the table of a store. A lease begins unused for no time: how long
// it had been unused when the last daemon ended is not known.
func Open(ctx context.Context, db *store.DB, cfg Config) (*Table, error) {
	t := &Table{db: db, lapse: cfg.Lapse, now: cfg.Now, states: map[api.Handle]*entry{}}
	if t.lapse == 0 {
		t.lapse = DefaultLapse
	}
	if t.now == nil {
		t.now = time.Now
	}
	rows, err := db.Leases(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		t.states[r.Handle] = &entry{State: State{
			Lease:    Lease{Handle: r.Handle, Holder: r.Holder, Epoch: r.Epoch, Since: r.Since},
			LastUsed: t.now(), Input: r.Input, Paused: r.Paused,
		}}
	}
	return t, nil
}

// State gives how a handle stands; one nobody ever took stands free.
func (t *Table) State(h api.Handle) State {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.states[h]; e != nil {
		return e.State
	}
	return State{Lease: Lease{Handle: h}, Input: InputAgent}
}

// Holder gives who holds a handle; false when nobody does.
func (t *Table) Holder(h api.Handle) (api.SessionID, bool) {
	s := t.State(h)
	return s.Holder, s.Holder != ""
}

// HeldBy lists the handles a session holds, in order of name.
func (t *Table) HeldBy(session api.SessionID) []api.Handle {
	return t.handles(func(s State) bool { return s.Holder == session && session != "" })
}

// Paused lists the handles the person drives, in order of name.
func (t *Table) Paused() []api.Handle {
	return t.handles(func(s State) bool { return s.Input == InputUser })
}

// handles lists the handles whose state is as asked.
func (t *Table) handles(as func(State) bool) []api.Handle {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []api.Handle{}
	for h, e := range t.states {
		if as(e.State) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b api.Handle) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) // w9 before w10
	})
	return out
}

// Changed gives a channel that is closed at the next change of who holds or
// drives a handle. A verb that waits takes it, asks Use, and waits for both.
func (t *Table) Changed(h api.Handle) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entryLocked(h)
	if e.changed == nil {
		e.changed = make(chan struct{})
	}
	return e.changed
}

// entryLocked gives the entry of a handle, made free if there is none.
func (t *Table) entryLocked(h api.Handle) *entry {
	e := t.states[h]
	if e == nil {
		e = &entry{State: State{Lease: Lease{Handle: h}, Input: InputAgent}}
		t.states[h] = e
	}
	return e
}

// tellLocked wakes who waits for the entry to change.
func (e *entry) tellLocked() {
	if e.changed != nil {
		close(e.changed)
		e.changed = nil
	}
}

// write makes a change of holder durable, with what the old holder is told,
// and then true. change is held.
func (t *Table) write(ctx context.Context, l Lease, told api.SessionID, notice string) error {
	err := t.db.PutHolder(ctx, store.Lease{Handle: l.Handle, Holder: l.Holder, Epoch: l.Epoch, Since: l.Since}, told, notice)
	if err != nil {
		return fmt.Errorf("change the holder of %s: %w", l.Handle, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entryLocked(l.Handle)
	e.Lease, e.LastUsed = l, t.now()
	e.tellLocked()
	return nil
}
