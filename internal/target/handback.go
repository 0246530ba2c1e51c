package target

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/lease"
)

// standBound is how long the first command after a hand-back may wait to be told
// how its window stands.
const standBound = 2 * time.Second

// maxOwed bounds what waits for a session that does not come back.
const maxOwed = 8

// owed is what a session is to be told of a window that was handed back to it.
type owed struct {
	w    *window
	told *api.SessionID // nil for nobody
	said api.HandedBack
}

// owe keeps what a session is to be told with its next command. The gist of it is
// kept in the store as well, before the person is told that it will be, and dropped
// when it is told: a daemon that dies must not take the person's words with it.
func (e *Engine) owe(o *owed) {
	if o.told == nil {
		return
	}
	ctx, cancel := context.WithTimeout(e.life, standBound)
	defer cancel()
	if err := e.cfg.Store.AddNotice(ctx, *o.told, recap(o.said), o.said.At); err != nil {
		e.cfg.Log.Warn("a hand-back would be forgotten by a restart", "handle", o.w.handle, "err", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	list := append(e.owed[*o.told], o)
	e.owed[*o.told] = list[max(0, len(list)-maxOwed):]
}

// recapOf begins every recap of a window's hand-backs.
func recapOf(h api.Handle) string { return fmt.Sprintf("%s was handed back to you at ", h) }

// recap is a hand-back in a sentence, for a session that a later daemon tells.
func recap(h api.HandedBack) string {
	words := recapOf(h.Handle) + h.At.Format(time.RFC3339Nano)
	if h.Note != "" {
		words += fmt.Sprintf(" with the note %q", h.Note)
	}
	return fmt.Sprintf("%s; %d of your verbs were interrupted and %d refused meanwhile", words, len(h.Interrupted), len(h.Refused)+h.RefusedMore)
}

// withoutRecaps leaves out of a session's notices what it is told as a hand-back later:
// that of a window which is taken over again.
func (e *Engine) withoutRecaps(s api.SessionID, notices []string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(notices, func(sentence string) bool {
		return slices.ContainsFunc(e.owed[s], func(o *owed) bool { return recap(o.said) == sentence })
	})
}

// takeOwed gives what a session is to be told and forgets it: of two commands
// at the same time one is told. What is paused again waits.
func (e *Engine) takeOwed(s api.SessionID) []*owed {
	e.mu.Lock()
	defer e.mu.Unlock()
	var now, later []*owed
	for _, o := range e.owed[s] {
		if e.cfg.Leases.State(o.w.handle).Input == lease.InputUser {
			later = append(later, o)
		} else {
			now = append(now, o)
		}
	}
	if len(later) == 0 {
		delete(e.owed, s)
	} else {
		e.owed[s] = later
	}
	return now
}

// standings looks how the windows stand that were handed back to a session, and
// makes it ready to be told. It comes before a verb, so that what is told is
// what the person left and not what the verb did.
func (e *Engine) standings(ctx context.Context, c api.Caller) {
	if c.Owner || c.Session == "" {
		return
	}
	list := e.takeOwed(c.Session)
	if len(list) == 0 {
		return
	}
	told := make([]api.HandedBack, 0, len(list))
	for i, o := range list {
		last := true // only the last of a window says how it stands
		for _, after := range list[i+1:] {
			last = last && after.w != o.w
		}
		if last {
			e.stand(ctx, c, o)
		}
		told = append(told, o.said)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told[c.Session] = append(e.told[c.Session], told...)
}

// stand says how a window stands: its title, and what differs from what the
// session was told of it last.
func (e *Engine) stand(ctx context.Context, c api.Caller, o *owed) {
	bound, cancel := context.WithTimeout(ctx, standBound)
	defer cancel()
	t := &turn{e: e, w: o.w, c: c, verb: "handback", need: needSee, since: time.Now()}
	if err := t.again(bound); err != nil {
		o.said.Failed = api.AsError(err, api.NotResponding).Error()
		return
	}
	if s, err := o.w.look(bound, t.d); err == nil {
		o.said.Title = o.w.titleOf(s)
	}
	if t.carriesTree(t.share(bound)) != nil {
		o.said.Failed = "it is driven by pixels: a screenshot shows it"
		return
	}
	before := o.w.knows(c.Session).said
	if before == nil {
		o.said.Failed = "no snapshot was taken before: there is nothing to compare with"
		return
	}
	snap, err := t.view(bound, api.SnapshotRequest{Handle: o.w.handle}, t.number)
	if err != nil {
		o.said.Failed = api.AsError(err, api.NotResponding).Error()
		return
	}
	o.said.Diff, _ = before.changes(snap.Nodes)
	if len(o.said.Diff) <= diffLines {
		o.w.tellsAll(c.Session, tellings(snap.Nodes))
	}
}

// handedBack gives what a session is told with this answer.
func (e *Engine) handedBack(c api.Caller) []api.HandedBack {
	if c.Owner || c.Session == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(e.life, standBound)
	defer cancel()
	e.standings(ctx, c)
	return e.tell(ctx, c)
}

// tell gives what is ready to be told to a session, once, of the windows it may
// still see: one that was taken away meanwhile is like one that was never there.
// What cannot be decided waits.
func (e *Engine) tell(ctx context.Context, c api.Caller) []api.HandedBack {
	e.mu.Lock()
	ready := e.told[c.Session]
	delete(e.told, c.Session)
	e.mu.Unlock()
	var told, later []api.HandedBack
	for _, h := range ready {
		code := api.NotExposed
		if w := e.window(h.Handle); w != nil {
			_, err := e.mayReach(ctx, c, w)
			code = api.CodeOf(err)
		}
		switch code {
		case "":
			told = append(told, h)
		case api.NotExposed, api.BadSession:
		default:
			later = append(later, h)
			continue
		}
		e.forgetRecaps(ctx, c.Session, recap(h))
	}
	if len(later) > 0 {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.told[c.Session] = append(later, e.told[c.Session]...)
	}
	return told
}

// forgetRecaps drops a session's sentences that begin so from the store.
func (e *Engine) forgetRecaps(ctx context.Context, s api.SessionID, begin string) {
	if err := e.cfg.Store.DropNotices(ctx, s, begin); err != nil {
		e.cfg.Log.Warn("a hand-back may be told twice", "session", s, "err", err)
	}
}
