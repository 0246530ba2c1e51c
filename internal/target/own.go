package target

import (
	"context"
	"sync"
	"time"

	"vibespace/internal/api"
)

// ownGrace is how long the session of a process outlives its connection: one
// that lost it, because the daemon was started anew say, is back well before.
const ownGrace = 10 * time.Second

// maxHolds is how often one session may be held at once: a process that comes
// back may be there before its old connection is seen to be gone.
const maxHolds = 4

// owners is the processes that hold a session of their own.
type owners struct {
	mu    sync.Mutex
	holds map[api.SessionID]int
}

// add counts a process that holds a session, or one less, and gives how many
// there are.
func (o *owners) add(label api.SessionID, n int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.holds == nil {
		o.holds = map[api.SessionID]int{}
	}
	o.holds[label] += n
	left := o.holds[label]
	if left == 0 {
		delete(o.holds, label)
	}
	return left
}

// Own makes a session for one process, or finds the one whose token it shows,
// and holds it until release is called. A little later it ends, unless the
// process has come back.
func (e *Engine) Own(ctx context.Context, agent string, r api.OwnRequest) (answer api.OwnAnswer, release func(), err error) {
	label, token := api.SessionID(""), r.Token
	if token != "" {
		label, err = e.cfg.Reach.OwnByToken(ctx, token)
	}
	if token == "" || api.CodeOf(err) == api.BadSession {
		label, token, err = e.cfg.Reach.Own(ctx, agent)
	}
	if err != nil {
		return api.OwnAnswer{}, nil, err
	}
	if e.owners.add(label, 1) > maxHolds {
		e.owners.add(label, -1)
		return api.OwnAnswer{}, nil, api.Refuse(api.Busy, "session %s is held %d times already", label, maxHolds).
			WithHint("use a token: vibespace session new <label>")
	}
	var once sync.Once
	release = func() {
		once.Do(func() {
			e.owners.add(label, -1)
			e.endOwn(label)
		})
	}
	return api.OwnAnswer{OK: true, Label: label, Token: token}, release, nil
}

// endOwn ends a process' session after the grace, if no process holds it then.
// A daemon that goes down leaves it to the next.
func (e *Engine) endOwn(label api.SessionID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return
	}
	e.work.Go(func() {
		if pause(e.life, ownGrace) != nil || e.owners.add(label, 0) > 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
		defer cancel()
		_, err := e.SessionEnd(ctx, api.Caller{Owner: true}, api.SessionRequest{Label: label})
		if err != nil && api.CodeOf(err) != api.BadSession { // that is one the person ended
			e.cfg.Log.Error("the session of a process that is gone did not end", "session", label, "err", err)
			return
		}
		e.cfg.Log.Info("the session of a process that is gone has ended", "session", label)
	})
}

// endOwns ends what the processes of an earlier daemon held, unless they come
// back.
func (e *Engine) endOwns(ctx context.Context) error {
	labels, err := e.cfg.Reach.OwnSessions(ctx)
	for _, label := range labels {
		e.endOwn(label)
	}
	return err
}
