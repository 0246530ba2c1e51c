package browser

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// Delete deletes a kept profile of the caller's that nobody is attached to and
// that does not run, its directory with it. A directory that was adopted, and
// what a browser of somebody else's keeps, stays.
func (e *Engine) Delete(ctx context.Context, c api.Caller, r api.ProfileDeleteRequest) (api.ProfileDeleteAnswer, error) {
	p, err := e.deletable(ctx, c, string(r.Profile))
	if err != nil {
		return api.ProfileDeleteAnswer{}, err
	}
	answer := api.ProfileDeleteAnswer{
		Profile: seat{Profile: p, origin: originChosen}.shown(), Dir: p.Dir, Stays: p.Dir != "" && p.Dir != filepath.Join(e.cfg.StateDir, "browsers", string(p.Handle)),
	}
	if p.Dir != "" {
		answer.Bytes = sizeOf(p.Dir)
	}
	if err := e.unlist(ctx, p); err != nil {
		return api.ProfileDeleteAnswer{}, err
	}
	if p.Dir != "" && !answer.Stays {
		err = os.RemoveAll(p.Dir)
	}
	row := api.AuditRow{At: time.Now().UTC(), Session: c.Session, Handle: p.Handle, Verb: "delete", Name: p.Label, Verdict: "ok"}
	if err != nil {
		row.Verdict = string(api.StoreFailed)
	}
	if _, err := e.cfg.Audit.Row(ctx, row); err != nil {
		e.cfg.Log.Error("an audit row could not be written", "verb", row.Verb, "err", err)
	}
	if err != nil {
		return api.ProfileDeleteAnswer{}, api.Refuse(api.StoreFailed, "%s is no profile any more, and its directory %s could not be removed whole: %v",
			p.Handle, api.Quote(p.Dir, 200), cause(err)).WithHint("vibespace doctor")
	}
	answer.Answer = e.answer(ctx, c)
	return answer, nil
}

// deletable finds the profile that is to be deleted, and refuses one that is in
// use with the way to let it go.
func (e *Engine) deletable(ctx context.Context, c api.Caller, name string) (store.Profile, error) {
	if s, ok := e.private(c, name); ok || name == originEphemeral {
		return store.Profile{}, api.Refuse(api.CannotSet, "an ephemeral profile keeps nothing: it ends when it is let go").
			WithHint("vibespace-browser detach %s", cmp.Or(string(s.Handle), name))
	}
	p, err := e.find(ctx, c, name)
	if err != nil {
		return p, err
	}
	attached, err := e.cfg.Store.Attached(ctx, p.Handle)
	if err != nil {
		return p, err
	}
	others := len(attached)
	for _, s := range attached {
		if s == c.Session {
			return p, api.Refuse(api.ProfileInUse, "this session is attached to %s (%s)", p.Handle, p.Label).
				WithHint("vibespace-browser detach %s, then delete it", p.Handle).With("handle", p.Handle).With("others", others-1)
		}
	}
	if others > 0 {
		return p, api.Refuse(api.ProfileInUse, "other sessions are attached to %s (%s): %d", p.Handle, p.Label, others).
			WithHint("wait until they have detached: vibespace-browser profiles counts them").With("handle", p.Handle).With("others", others)
	}
	return p, nil
}

// unlist takes a profile out of the store, unless it runs or somebody has
// attached to it. No command that began before starts its browser again.
func (e *Engine) unlist(ctx context.Context, p store.Profile) error {
	e.mu.Lock()
	if e.runs[p.Handle] != nil {
		e.mu.Unlock()
		return api.Refuse(api.ProfileInUse, "the browser of %s (%s) runs", p.Handle, p.Label).
			WithHint("wait until it has ended, or ask the person: vibespace stop %s", p.Handle).With("handle", p.Handle)
	}
	e.deleted[p.Handle] = true
	e.mu.Unlock()
	n, err := e.cfg.Store.DeleteProfile(ctx, p.Handle)
	if err == nil && n > 0 {
		return nil
	}
	e.mu.Lock()
	delete(e.deleted, p.Handle)
	e.mu.Unlock()
	if err != nil {
		return err
	}
	return api.Refuse(api.ProfileInUse, "somebody has attached to %s (%s) just now, or deleted it", p.Handle, p.Label).WithHint("vibespace-browser profiles")
}

// sizeOf sums the sizes of the files in a directory, in bytes; what cannot be
// read counts for nothing.
func sizeOf(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it counts for nothing
		}
		if info, err := d.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
