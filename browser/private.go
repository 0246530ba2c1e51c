package browser

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"vibespace/browser/provider"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

// maxChildren is how many browsers for helpers a session may have.
const maxChildren = 8

// own gives the session's own ephemeral browser: no other session reaches it.
// It gets its handle when it is first meant.
func (e *Engine) own(ctx context.Context, c api.Caller) (seat, error) {
	e.mu.Lock()
	s, ok := e.privates[c.Session]
	e.mu.Unlock()
	if ok && len(s) > 0 && !s[0].child {
		return s[0], nil
	}
	h, err := e.cfg.Store.NextBrowser(ctx)
	if err != nil {
		return seat{}, err
	}
	made := e.privateSeat(store.Browser{Handle: h, Label: originEphemeral, Headless: e.cfg.Headless, Session: c.Session, Created: time.Now().UTC()})
	e.mu.Lock()
	if s := e.privates[c.Session]; len(s) > 0 && !s[0].child {
		e.mu.Unlock()
		return s[0], nil // another command of the session was first
	}
	e.privates[c.Session] = append([]seat{made}, e.privates[c.Session]...)
	e.mu.Unlock()
	return made, e.keepPrivate(ctx, made)
}

// keepPrivate writes an ephemeral browser that was just made. One that cannot be
// kept there is not.
func (e *Engine) keepPrivate(ctx context.Context, s seat) error {
	err := e.cfg.Store.PutBrowser(ctx, s.row(false, 0))
	if err != nil {
		e.forget(ctx, s)
	}
	return err
}

// privateSeat makes the seat of an ephemeral profile.
func (e *Engine) privateSeat(b store.Browser) seat {
	s := seat{
		Profile: store.Profile{
			Handle: b.Handle, Label: b.Label, Backend: provider.Chromium, Dir: filepath.Join(e.dirOf(b.Handle), "profile"), Headless: b.Headless,
			OwnerKind: store.KindSession, Owner: string(b.Session), Created: b.Created,
		},
		origin: originEphemeral, session: b.Session, ephemeral: true, child: b.Child,
	}
	if b.Child {
		s.origin = originChosen
	}
	return s
}

// private finds an ephemeral browser of the session's by its handle or label.
func (e *Engine) private(c api.Caller, name string) (seat, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.privates[c.Session] {
		if string(s.Handle) == name || s.child && s.Label == name {
			return s, true
		}
	}
	return seat{}, false
}

// NewChild makes a browser for a helper of the session's: it is named by its
// handle alone, so that the session's bare commands mean what they meant. It
// ends with the session.
func (e *Engine) NewChild(ctx context.Context, c api.Caller, r api.ChildRequest) (api.ChildAnswer, error) {
	if r.Label != "" {
		if err := checkLabel(r.Label); err != nil {
			return api.ChildAnswer{}, err
		}
	}
	h, err := e.cfg.Store.NextBrowser(ctx)
	if err != nil {
		return api.ChildAnswer{}, err
	}
	e.mu.Lock()
	children := 0
	for _, s := range e.privates[c.Session] {
		if s.child {
			children++
		}
	}
	if children >= maxChildren {
		e.mu.Unlock()
		return api.ChildAnswer{}, api.Refuse(api.BrowserCap, "this session has %d browsers for helpers already", children).
			WithHint("vibespace-browser attachments lists them; detach --profile <handle> ends one")
	}
	label := r.Label
	if label == "" {
		label = fmt.Sprintf("child %d", children+1)
	}
	made := e.privateSeat(store.Browser{Handle: h, Label: label, Child: true, Headless: e.cfg.Headless, Session: c.Session, Created: time.Now().UTC()})
	e.privates[c.Session] = append(e.privates[c.Session], made)
	e.mu.Unlock()
	if err := e.keepPrivate(ctx, made); err != nil {
		return api.ChildAnswer{}, err
	}
	return api.ChildAnswer{Answer: e.answer(ctx, c), Profile: made.shown(), Env: "VIBESPACE_BROWSER=" + string(h)}, nil
}

// forget drops an ephemeral browser, which was stopped.
func (e *Engine) forget(ctx context.Context, s seat) {
	if err := e.cfg.Store.DeleteBrowser(context.WithoutCancel(ctx), s.Handle); err != nil {
		e.cfg.Log.Warn("a browser that was let go is still written", "handle", s.Handle, "err", err)
	}
	e.drop(s)
}

// drop is forget of one that runs on, for the person: what is written of it goes
// when it ends.
func (e *Engine) drop(s seat) {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := slices.DeleteFunc(e.privates[s.session], func(o seat) bool { return o.Handle == s.Handle })
	if len(left) == 0 {
		delete(e.privates, s.session)
		return
	}
	e.privates[s.session] = left
}

// privatesOf lists the ephemeral browsers of a session.
func (e *Engine) privatesOf(session api.SessionID) []seat {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.privates[session])
}
