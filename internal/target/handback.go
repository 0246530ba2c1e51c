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

// maxGists bounds the hand-backs of a session that are known not to be told again:
// as many as sentences wait in the store.
const maxGists = 50

// maxOwed bounds what waits for a session that does not come back.
const maxOwed = 8

// owed is what a session is to be told of a window that was handed back to it.
type owed struct {
	w    *window
	told *api.SessionID // nil for nobody
	said api.HandedBack
}

// owe keeps what a session is to be told with its next command. The gist of it is
// kept in the store as well, before the person is told that it will be: a daemon
// that dies must not take the person's words with it.
func (e *Engine) owe(o *owed) {
	if o.told == nil {
		return
	}
	ctx, cancel := context.WithTimeout(e.life, standBound)
	defer cancel()
	gist := o.gist()
	if err := e.cfg.Store.AddNotice(ctx, *o.told, gist, o.said.At); err != nil {
		e.cfg.Log.Warn("a hand-back would be forgotten by a restart", "handle", o.w.handle, "err", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	list := append(e.owed[*o.told], o)
	e.owed[*o.told] = list[max(0, len(list)-maxOwed):]
	gists := append(e.gists[*o.told], gist)
	e.gists[*o.told] = gists[max(0, len(gists)-maxGists):]
}

// gist is a hand-back in a sentence, for a session that a later daemon tells.
func (o *owed) gist() string {
	words := fmt.Sprintf("%s was handed back to you at %s", o.w.handle, o.said.At.Format(time.RFC3339Nano))
	if o.said.Note != "" {
		words += fmt.Sprintf(" with the note %q", o.said.Note)
	}
	return fmt.Sprintf("%s; %d of your verbs were interrupted and %d refused meanwhile", words, len(o.said.Interrupted), len(o.said.Refused)+o.said.RefusedMore)
}

// unsaid leaves out of a session's notices what it is told as a hand-back.
func (e *Engine) unsaid(s api.SessionID, notices []string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	gists := e.gists[s]
	return slices.DeleteFunc(notices, func(sentence string) bool { return slices.Contains(gists, sentence) })
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
	return e.mayHear(c)
}

// mayHear is takeTold of the windows the session may still see: one that was
// taken away meanwhile is like one that was never there.
func (e *Engine) mayHear(c api.Caller) []api.HandedBack {
	ctx, cancel := context.WithTimeout(e.life, standBound)
	defer cancel()
	return slices.DeleteFunc(e.takeTold(c.Session), func(h api.HandedBack) bool {
		w := e.window(h.Handle)
		if w == nil {
			return true
		}
		_, err := e.mayReach(ctx, c, w)
		code := api.CodeOf(err)
		return code == api.NotExposed || code == api.BadSession
	})
}

// takeTold gives what is ready to be told to a session, once.
func (e *Engine) takeTold(s api.SessionID) []api.HandedBack {
	e.mu.Lock()
	defer e.mu.Unlock()
	told := e.told[s]
	delete(e.told, s)
	return told
}
