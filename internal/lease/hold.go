package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vibespace/internal/api"
)

// Take gives a session the lease of a handle: one that is free, that it holds
// already (the same lease again, used), or that its holder has not used for the
// lapse; that holder is told who took it and when. Otherwise it is held, and
// the refusal names the holder.
//
// While the person drives, a lease can be taken and is paused from the start,
// and none lapses.
func (t *Table) Take(ctx context.Context, h api.Handle, session api.SessionID) (Lease, error) {
	t.change.Lock()
	defer t.change.Unlock()
	now := t.now()
	s := t.State(h)
	notice := ""
	switch {
	case s.Holder == session:
		t.touch(h, now)
		return s.Lease, nil
	case s.Holder == "":
	case s.Input == InputUser || now.Sub(s.LastUsed) < t.lapse:
		return Lease{}, t.held(s)
	default:
		notice = fmt.Sprintf("your lease of %s passed to session %s at %s: it had not been used since %s",
			h, session, moment(now), moment(s.LastUsed))
	}
	l := Lease{Handle: h, Holder: session, Epoch: s.Epoch + 1, Since: now}
	if err := t.write(ctx, l, s.Holder, notice); err != nil {
		return Lease{}, err
	}
	return l, nil
}

// touch marks a handle used.
func (t *Table) touch(h api.Handle, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.states[h]; e != nil {
		e.LastUsed = now
	}
}

// Hold gives the lease a session has of a handle and marks it used: the
// question at the beginning of a verb. The refusals are those of Use.
func (t *Table) Hold(h api.Handle, session api.SessionID) (Lease, error) {
	return t.use(Lease{Handle: h, Holder: session})
}

// Use says whether a lease still stands and marks it used: the question after
// every wait inside a verb and immediately before every act and every
// hand-over of a tree or a picture. It refuses with not_attached when nobody
// holds the handle or the session took it anew, held when somebody else does,
// and window_paused while the person drives.
func (t *Table) Use(l Lease) error {
	_, err := t.use(l)
	return err
}

// use is Use; a lease without an epoch (they begin at 1) is whichever the
// holder has now.
func (t *Table) use(l Lease) (Lease, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.states[l.Handle]
	switch {
	case e == nil || e.Holder == "":
		return Lease{}, notAttached(l.Handle)
	case e.Holder != l.Holder:
		return Lease{}, t.held(e.State)
	case l.Epoch != 0 && e.Epoch != l.Epoch:
		return Lease{}, notAttached(l.Handle)
	case e.Input == InputUser:
		return Lease{}, Paused(e.State)
	}
	e.LastUsed = t.now()
	return e.Lease, nil
}

// Drop gives a lease back. A session that does not hold the handle is refused
// with not_attached or held.
func (t *Table) Drop(ctx context.Context, h api.Handle, session api.SessionID) error {
	t.change.Lock()
	defer t.change.Unlock()
	s := t.State(h)
	switch {
	case s.Holder == "":
		return notAttached(h)
	case s.Holder != session:
		return t.held(s)
	}
	return t.free(ctx, s, "", "")
}

// DropAll gives back every lease of a session, which has ended, and lists the
// handles. A fault on the way leaves the rest held and is returned with those
// that are free.
func (t *Table) DropAll(ctx context.Context, session api.SessionID) ([]api.Handle, error) {
	t.change.Lock()
	defer t.change.Unlock()
	dropped := []api.Handle{}
	var faults []error
	for _, h := range t.HeldBy(session) {
		if err := t.free(ctx, t.State(h), "", ""); err != nil {
			faults = append(faults, err)
			continue
		}
		dropped = append(dropped, h)
	}
	return dropped, errors.Join(faults...)
}

// EndHold is the person taking a lease from whoever has it; the holder is told.
// It gives who held it, "" for nobody.
func (t *Table) EndHold(ctx context.Context, h api.Handle) (api.SessionID, error) {
	t.change.Lock()
	defer t.change.Unlock()
	s := t.State(h)
	if s.Holder == "" {
		return "", nil
	}
	notice := fmt.Sprintf("the person ended your lease of %s at %s", h, moment(t.now()))
	return s.Holder, t.free(ctx, s, s.Holder, notice)
}

// free writes that nobody holds a handle any more. change is held.
func (t *Table) free(ctx context.Context, s State, told api.SessionID, notice string) error {
	return t.write(ctx, Lease{Handle: s.Handle, Epoch: s.Epoch + 1, Since: t.now()}, told, notice)
}

// Forget drops everything known of a handle that is gone for good.
func (t *Table) Forget(ctx context.Context, h api.Handle) error {
	t.change.Lock()
	defer t.change.Unlock()
	if err := t.db.DeleteLease(ctx, h); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.states[h]; e != nil {
		e.tellLocked()
		delete(t.states, h)
	}
	return nil
}

// moment is a time as sentences give it.
func moment(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// plain is a duration as sentences give it: "15m", not "15m0s".
func plain(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}

// notAttached refuses a session that has no lease of a handle nobody holds.
func notAttached(h api.Handle) error {
	return api.Refuse(api.NotAttached, "this session does not hold %s", h).
		WithHint("vibespace-window attach %s", h).With("handle", h)
}

// held refuses a handle that somebody else holds.
func (t *Table) held(s State) error {
	return api.Refuse(api.Held, "session %s holds %s since %s", s.Holder, s.Handle, moment(s.Since)).
		WithHint("work in a window of your own, or try again later: a lease unused for %s goes to the next that asks", plain(t.lapse)).
		With("handle", s.Handle).With("holder", s.Holder).With("since", moment(s.Since)).With("lastUsed", moment(s.LastUsed))
}

// Paused refuses a handle that the person drives.
func Paused(s State) error {
	return api.Refuse(api.WindowPaused, "the person drives %s since %s", s.Handle, moment(s.Paused)).
		WithHint("wait until it is handed back: vibespace-window status says so").
		With("handle", s.Handle).With("by", InputUser).With("since", moment(s.Paused))
}
