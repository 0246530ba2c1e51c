package target

import (
	"context"
	"fmt"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/lease"
	"vibespace/internal/store"
)

// awaitEndings waits, for each ended session whose windows have not ended, for
// their time to come; one that is waited for already is left to that. What is
// waited for is in the store, so that a later daemon waits on.
func (e *Engine) awaitEndings(ctx context.Context) error {
	pending, err := e.cfg.Store.PendingEnds(ctx)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range pending {
		if e.closing || e.ending[p.ID] {
			continue
		}
		e.ending[p.ID] = true
		e.work.Go(func() { e.endLater(p) })
	}
	return nil
}

// endLater ends the windows of an ended session when their time has come. When
// the person drives or watches one of them then, it waits one more grace, once,
// and says so.
func (e *Engine) endLater(p store.Pending) {
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.ending, p.ID)
	}()
	for {
		if pause(e.life, time.Until(p.Due)) != nil {
			return // a later daemon ends them
		}
		used := e.usedByPerson(p.Windows)
		if used == "" || p.Waits > 0 {
			break
		}
		p.Due, p.Waits = time.Now().Add(e.cfg.EndGrace), p.Waits+1
		e.cfg.Log.Info("the end of a session's windows waits", "session", p.Label, "used", used)
		e.endRow(p, used, "waits")
		if err := e.cfg.Store.PutPending(e.life, p.ID, p.Due, p.Waits); err != nil {
			e.cfg.Log.Error("an end that waits could not be kept", "session", p.Label, "err", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	for _, h := range p.Windows {
		w := e.window(h)
		if w == nil || !w.alive() {
			continue
		}
		e.closeKept(ctx, w)
		if _, err := e.bury(ctx, w, api.Ended{Why: fmt.Sprintf("its session %s ended", p.Label)}); err != nil {
			e.cfg.Log.Error("a window of an ended session did not end", "handle", h, "err", err)
		}
		e.endRow(p, h, "ok")
	}
	if err := e.cfg.Store.PutPending(ctx, p.ID, time.Time{}, p.Waits); err != nil {
		e.cfg.Log.Error("the end of a session could not be kept", "session", p.Label, "err", err)
	}
}

// endRow writes what becomes of a window by its session's end: nobody asks for
// it at that moment, and the person reads it in the audit.
func (e *Engine) endRow(p store.Pending, h api.Handle, verdict string) {
	ctx := context.WithoutCancel(e.life)
	if _, err := e.cfg.Audit.Row(ctx, api.AuditRow{Session: p.Label, Handle: h, Verb: "session end", Verdict: verdict}); err != nil {
		e.cfg.Log.Error("an audit row could not be written", "verb", "session end", "err", err)
	}
}

// usedByPerson gives the first of some windows that the person drives or
// watches, "" for none.
func (e *Engine) usedByPerson(list []api.Handle) api.Handle {
	for _, h := range list {
		w := e.window(h)
		if w == nil || !w.alive() {
			continue
		}
		if e.cfg.Leases.State(h).Input == lease.InputUser || w.watched() {
			return h
		}
	}
	return ""
}

// watched says whether somebody looks at the window's live picture.
func (w *window) watched() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stream != nil
}
