package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"vibespace/browser/keeper"
	"vibespace/browser/remote"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

const (
	// takeBack is how long a daemon's start waits for the browsers of the one that
	// died; one that takes longer is still starting until then.
	takeBack = 2 * time.Second
	// proveBound is how long a browser may take to answer before it is ended.
	proveBound = 30 * time.Second
	// attachPause is between two attempts to connect to a keeper that is still
	// letting the earlier daemon go.
	attachPause = 10 * time.Millisecond
)

// recover takes back the browsers of a daemon that died, with whose each tab
// is, and ends those that nobody has any more.
func (e *Engine) recover(ctx context.Context) error {
	rows, err := e.cfg.Store.Browsers(ctx)
	if err != nil {
		return err
	}
	var coming sync.WaitGroup
	claimed := map[string]bool{}
	for _, row := range rows {
		s, why, err := e.seatOf(ctx, row)
		if err != nil {
			return err
		}
		if row.Ephemeral && row.Session != "" {
			e.mu.Lock()
			e.privates[row.Session] = append(e.privates[row.Session], s)
			e.mu.Unlock()
		}
		if why != "" {
			e.cfg.Log.Info("a browser of an earlier daemon is not taken back", "handle", row.Handle, "why", why)
		}
		if why != "" || !row.Up {
			continue
		}
		tabs, err := e.cfg.Store.BrowserTabs(ctx, row.Handle)
		if err != nil {
			return err
		}
		claimed[string(row.Handle)] = true
		e.mu.Lock()
		r := e.enterLocked(s)
		e.mu.Unlock()
		r.remember(row, tabs)
		coming.Go(func() { e.comeBack(r, row.Session == "") })
	}
	e.mu.Lock()
	for _, seats := range e.privates {
		slices.SortStableFunc(seats, func(a, b seat) int { return rank(a) - rank(b) })
	}
	e.mu.Unlock()
	e.endUnclaimed(ctx, claimed)
	back := make(chan struct{})
	e.work.Go(func() {
		defer close(back)
		coming.Wait()
	})
	late := time.NewTimer(takeBack)
	defer late.Stop()
	select {
	case <-back:
	case <-late.C:
		e.cfg.Log.Warn("not every browser of an earlier daemon is back yet")
	case <-ctx.Done():
	}
	return nil
}

// rank puts a session's own ephemeral browser before those of its helpers.
func rank(s seat) int {
	if s.child {
		return 1
	}
	return 0
}

// seatOf gives the seat of a browser that was kept, and why it is not to be
// taken back: nobody has it any more.
func (e *Engine) seatOf(ctx context.Context, row store.Browser) (s seat, why string, err error) {
	if row.Ephemeral {
		s = e.privateSeat(row)
		if row.Session == "" && !e.driven(row.Handle) {
			why = "its session has ended"
		}
	} else if s, why, err = e.keptSeat(ctx, row); err != nil {
		return s, "", err
	}
	if why != "" {
		err = e.cfg.Store.DeleteBrowser(ctx, row.Handle)
	}
	return s, why, err
}

// keptSeat is seatOf for a profile with a name.
func (e *Engine) keptSeat(ctx context.Context, row store.Browser) (seat, string, error) {
	all, err := e.cfg.Store.Profiles(ctx)
	if err != nil {
		return seat{}, "", err
	}
	i := slices.IndexFunc(all, func(p store.Profile) bool { return p.Handle == row.Handle })
	if i < 0 {
		return seat{}, "its profile is gone", nil
	}
	attached, err := e.cfg.Store.Attached(ctx, row.Handle)
	if err == nil && len(attached) == 0 && !e.driven(row.Handle) {
		return seat{}, "nobody is attached to it", nil
	}
	return seat{Profile: all[i], origin: originChosen, session: row.Session}, "", err
}

// endUnclaimed ends what earlier daemons left below the runtime directory and
// nobody has.
func (e *Engine) endUnclaimed(ctx context.Context, claimed map[string]bool) {
	root := filepath.Join(e.cfg.RuntimeDir, "browsers")
	dirs, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.cfg.Log.Error("the browsers of an earlier daemon could not be looked for", "err", err)
	}
	var ending sync.WaitGroup
	for _, d := range dirs {
		if claimed[d.Name()] {
			continue
		}
		ending.Go(func() { e.endLeft(ctx, filepath.Join(root, d.Name())) })
	}
	ending.Wait()
	_ = os.Remove(root) // it is made again with the next browser
}

// endLeft ends the browser of a directory.
func (e *Engine) endLeft(ctx context.Context, dir string) {
	bound, cancel := context.WithTimeout(ctx, endBound)
	defer cancel()
	// Finding a keeper that is dead ends what is left of its browser.
	k, err := keeper.Find(bound, dir)
	if err == nil {
		_, err = k.Stop(bound)
	}
	if err != nil && api.CodeOf(err) != api.BrowserStopped {
		e.cfg.Log.Warn("a browser of an earlier daemon could not be ended", "dir", dir, "err", err)
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		e.cfg.Log.Warn("what a browser left could not be removed", "dir", dir, "err", err)
	}
}

// comeBack takes a browser back, or ends it. One that is nobody's any more is
// the person's, who drives it, until they hand it back.
func (e *Engine) comeBack(r *running, orphan bool) {
	ctx, cancel := context.WithTimeout(e.life, proveBound)
	defer cancel()
	r.mu.Lock()
	r.giveUp = cancel
	r.mu.Unlock()
	if err := e.start(ctx, r, e.rejoin); err != nil {
		e.cfg.Log.Warn("a browser of an earlier daemon could not be taken back", "handle", r.seat.Handle, "err", err)
		return
	}
	e.cfg.Log.Info("took back a browser", "handle", r.seat.Handle, "tabs", len(r.browser.Pages()))
	if orphan && r.seat.ephemeral {
		if !e.endLater(r) {
			e.stop(ctx, r)
		}
	}
}

// EndedMeanwhile ends what hangs on sessions that ended before anybody told the
// engine of the ends of sessions.
func (e *Engine) EndedMeanwhile(ctx context.Context) error {
	meant := map[api.SessionID]bool{}
	e.mu.Lock()
	for session := range e.privates {
		meant[session] = true
	}
	runs := maps.Clone(e.runs)
	e.mu.Unlock()
	for _, r := range runs {
		r.mu.Lock()
		for _, session := range r.users {
			meant[session] = true
		}
		for _, session := range r.owner {
			meant[session] = true
		}
		r.mu.Unlock()
	}
	delete(meant, "")
	for session := range meant {
		_, lives, err := e.cfg.Store.Session(ctx, session)
		if err != nil {
			return err
		}
		if !lives {
			e.SessionEnded(ctx, session)
		}
	}
	return nil
}

// tellBack leaves a notice to every session that has the browser, for its first
// answer.
func (e *Engine) tellBack(ctx context.Context, r *running) {
	r.mu.Lock()
	users := slices.Clone(r.users)
	r.mu.Unlock()
	for _, session := range users {
		if err := e.cfg.Store.AddNotice(ctx, session, cameBack(r.seat), time.Now().UTC()); err != nil {
			e.cfg.Log.Warn("a notice could not be left", "session", session, "err", err)
		}
	}
}

// cameBack tells a session what a restart of the daemon took from it.
func cameBack(s seat) string {
	return fmt.Sprintf("the daemon was started anew and took the browser of %s (%s) back with its tabs; its refs are stale until the next snapshot, "+
		"and what the console, errors and requests had kept is lost", s.Handle, s.Label)
}

// rejoin connects to a browser that an earlier daemon left running.
func (e *Engine) rejoin(ctx context.Context, r *running) error {
	link, session, err := e.linkAgain(ctx, r)
	if err != nil {
		return err
	}
	if err := e.recallSecrets(r); err != nil {
		_ = link.Close()
		return err
	}
	if err := e.connect(ctx, r, link, session); err != nil {
		return err
	}
	r.regain()
	e.tellBack(ctx, r)
	return nil
}

// linkAgain finds the display and the keeper that were left, and connects to
// the browser's DevTools.
func (e *Engine) linkAgain(ctx context.Context, r *running) (io.ReadWriteCloser, string, error) {
	if r.seat.Address != "" {
		link, err := remote.Dial(ctx, r.seat.Address)
		if err != nil {
			return nil, "", err
		}
		return link, link.Session, nil
	}
	if _, err := e.environ(ctx, r, true); err != nil {
		return nil, "", errors.Join(err, e.endKeeper(ctx, r.dir))
	}
	k, status, err := keeper.Claim(ctx, r.dir)
	if err != nil {
		return nil, "", errors.Join(err, e.endKeeper(ctx, r.dir))
	}
	r.mu.Lock()
	r.keeper = k
	r.mu.Unlock()
	if status.Profile != r.seat.Dir {
		return nil, "", api.Refuse(api.StartFailed, "the browser that was left has another profile open: %s", status.Profile)
	}
	for {
		link, err := k.Attach(ctx)
		if err == nil {
			return link, link.Session, nil
		}
		if api.CodeOf(err) != api.Held {
			return nil, "", err
		}
		// The keeper is told of a daemon's end by the kernel, and lets it go then.
		select {
		case <-time.After(attachPause):
		case <-ctx.Done():
			return nil, "", err
		}
	}
}

// endKeeper ends what lives in a directory and is not to be taken back.
func (e *Engine) endKeeper(ctx context.Context, dir string) error {
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), endBound)
	defer cancel()
	_, err := keeper.At(dir).Stop(bound)
	return err
}
