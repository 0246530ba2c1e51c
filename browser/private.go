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
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.privates[c.Session]; len(s) > 0 && !s[0].child {
		return s[0], nil // another command of the session was first
	}
	made := e.privateSeat(c, h, originEphemeral)
	made.origin = originEphemeral
	e.privates[c.Session] = append([]seat{made}, e.privates[c.Session]...)
	return made, nil
}

// privateSeat makes the seat of an ephemeral profile.
func (e *Engine) privateSeat(c api.Caller, h api.Handle, label string) seat {
	return seat{
		Profile: store.Profile{
			Handle: h, Label: label, Backend: provider.Chromium, Dir: filepath.Join(e.dirOf(h), "profile"), Headless: e.cfg.Headless,
			OwnerKind: store.KindSession, Owner: string(c.Session), Created: time.Now().UTC(),
		},
		origin: originChosen, session: c.Session, ephemeral: true,
	}
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
	made := e.privateSeat(c, h, label)
	made.child = true
	e.privates[c.Session] = append(e.privates[c.Session], made)
	e.mu.Unlock()
	return api.ChildAnswer{Answer: e.answer(ctx, c), Profile: made.shown(), Env: "VIBESPACE_BROWSER=" + string(h)}, nil
}

// forget drops an ephemeral browser, which was stopped.
func (e *Engine) forget(s seat) {
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
