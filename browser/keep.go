package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"vibespace/browser/page"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

// refsAhead is how many numbers of elements are written off in one step: a
// snapshot gives a thousand, and not each is worth a write.
const refsAhead = 2000

// row is the seat's browser as it is kept.
func (s seat) row(up bool, refs int) store.Browser {
	return store.Browser{
		Handle: s.Handle, Label: s.Label, Ephemeral: s.ephemeral, Child: s.child, Headless: s.Headless,
		Session: s.session, Up: up, Refs: refs, Created: s.Created,
	}
}

// keepUp writes that a browser runs, so that the next daemon takes it back.
func (e *Engine) keepUp(ctx context.Context, r *running) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	r.upTo = refsAhead
	return e.cfg.Store.PutBrowser(ctx, r.seat.row(true, r.upTo))
}

// keepDown writes that a browser runs no more. Of one that has a name nothing
// is kept but its profile.
func (e *Engine) keepDown(ctx context.Context, r *running) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	r.down = true
	return e.cfg.Store.StopBrowser(ctx, r.seat.Handle)
}

// tell writes whose each tab of a browser is and up to where elements have
// numbers, where that has changed. It is called before an answer tells of them,
// and fails when that would tell of a number that a later daemon gives again.
func (e *Engine) tell(ctx context.Context, r *running) error {
	r.mu.Lock()
	b, up := r.browser, r.phase == isUp
	r.mu.Unlock()
	if b == nil || !up {
		return nil
	}
	e.keepSecrets(r, b)
	return e.write(ctx, r, b.Pages, b.Refs)
}

// secretsFile names, in a browser's directory, the fields that hold a secret.
// They are of the documents that stand, and end with the browser.
const secretsFile = "secrets.json"

// keepSecrets writes the fields that were seen to hold a secret, where others
// are written: the next daemon hides them whatever the page makes of
// them.
func (e *Engine) keepSecrets(r *running, b *page.Browser) {
	r.telling.Lock()
	defer r.telling.Unlock()
	all := b.Secrets()
	if r.down || slices.Equal(all, r.hidden) {
		return
	}
	data, err := json.Marshal(all)
	if err == nil {
		err = os.MkdirAll(r.dir, 0o700)
	}
	if err == nil {
		err = store.PutFile(filepath.Join(r.dir, secretsFile), data)
	}
	if err != nil {
		e.cfg.Log.Error("which fields hold a secret could not be kept", "handle", r.seat.Handle, "err", err)
		return
	}
	r.hidden = all
}

// recallSecrets reads what keepSecrets wrote in an earlier daemon.
func (e *Engine) recallSecrets(r *running) error {
	data, err := os.ReadFile(filepath.Join(r.dir, secretsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r.secrets)
	}
	if err != nil {
		return fmt.Errorf("read which fields of %s hold a secret: %w", r.seat.Handle, err)
	}
	r.hidden = r.secrets
	return nil
}

// write is tell of the tabs and the number that it asks for in its turn.
func (e *Engine) write(ctx context.Context, r *running, pages func() []*page.Page, highest func() int) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	tabs, refs, upTo := r.untold(pages()), highest(), r.upTo
	if r.down || len(tabs) == 0 && refs <= upTo {
		return nil
	}
	if refs > upTo {
		upTo = refs + refsAhead
	}
	if err := e.cfg.Store.TellBrowser(context.WithoutCancel(ctx), r.seat.Handle, upTo, tabs); err != nil {
		e.cfg.Log.Error("whose a browser's tabs are could not be kept", "handle", r.seat.Handle, "err", err)
		if refs > r.upTo {
			return api.AsError(err, api.StoreFailed)
		}
		return nil
	}
	r.upTo = upTo
	for _, t := range tabs {
		r.told[t.Tab] = t
	}
	return nil
}

// untold lists the tabs that are not written as they are now, those that were
// closed before anything was written of them too: their names are not given
// again.
func (r *running) untold(pages []*page.Page) []store.BrowserTab {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range pages {
		r.seen[p.ID()] = p.Target()
	}
	tabs := []store.BrowserTab{}
	for id, target := range r.seen {
		session := r.owner[id]
		t := store.BrowserTab{Target: target, Tab: id, Session: session, Active: session != "" && r.active[session] == id}
		if was, ok := r.told[id]; !ok || was != t {
			tabs = append(tabs, t)
		}
	}
	return tabs
}

// remember takes what an earlier daemon told of a browser.
func (r *running) remember(row store.Browser, tabs []store.BrowserTab) {
	r.refs, r.upTo, r.known = row.Refs, row.Refs, map[string]api.TabID{}
	for _, t := range tabs {
		r.known[t.Target], r.told[t.Tab] = t.Tab, t
		if t.Session != "" {
			r.owner[t.Tab] = t.Session
		}
	}
}

// regain gives each session that has a tab its part of a browser that is
// connected again: a tab that was closed is written as it was last told, and
// says nothing any more.
func (r *running) regain() {
	pages, openers := r.browser.Pages(), map[api.TabID]api.TabID{}
	for _, p := range pages {
		openers[p.ID()] = p.Opener()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A tab that a page opened in the meantime is whose the page is.
	r.handDownLocked(openers)
	r.users = []api.SessionID{}
	for _, p := range pages {
		session := r.owner[p.ID()]
		if session == "" {
			continue
		}
		if r.told[p.ID()].Active {
			r.active[session] = p.ID()
		}
		if !slices.Contains(r.users, session) {
			r.users = append(r.users, session)
		}
	}
}
