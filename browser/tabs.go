package browser

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vibespace/browser/page"
	"vibespace/internal/api"
)

// tabOpened notes a tab, and gives one that a page opened to the session whose
// page that was.
func (r *running) tabOpened(p *page.Page) {
	opener := p.Opener()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[p.ID()] = p.Target()
	r.handDownLocked(map[api.TabID]api.TabID{p.ID(): opener})
}

// handDownLocked gives tabs, by their openers, to the sessions whose pages
// opened them; a tab may come before the one that opened it.
func (r *running) handDownLocked(openers map[api.TabID]api.TabID) {
	for again := true; again; {
		again = false
		for tab, opener := range openers {
			if session := r.owner[opener]; session != "" && r.owner[tab] == "" {
				r.owner[tab], again = session, true
			}
		}
	}
}

// tabClosed forgets no owner: a closed tab's name is never given again, and
// whoever had it is told that it has gone.
func (r *running) tabClosed(p *page.Page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for session, active := range r.active {
		if active == p.ID() {
			delete(r.active, session)
		}
	}
}

// pages lists the tabs of a session, the oldest first, and counts those of
// others.
func (r *running) pages(session api.SessionID) (mine []*page.Page, others int) {
	all := r.browser.Pages()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range all {
		switch r.owner[p.ID()] {
		case session:
			mine = append(mine, p)
		case "":
			if r.seat.Address != "" {
				others++
			}
		default:
			others++
		}
	}
	return mine, others
}

// tab gives the tab of a session that is meant: the one named, the one on
// show, or a new one where the verb makes one.
func (r *running) tab(ctx context.Context, session api.SessionID, named api.TabID, may bool) (*page.Page, error) {
	if named != "" {
		r.mu.Lock()
		owner := r.owner[named]
		r.mu.Unlock()
		p, err := r.browser.Page(named)
		switch {
		case owner != "" && owner != session:
			return nil, api.Refuse(api.NotYourTab, "%s is another session's tab", named).WithHint("vibespace-browser tab lists yours")
		case err != nil:
			return nil, err
		case owner == "":
			return nil, api.Refuse(api.TabGone, "there is no tab %s of this session", api.Quote(string(named), 20)).WithHint("vibespace-browser tab lists yours")
		}
		return p, nil
	}
	mine, _ := r.pages(session)
	r.mu.Lock()
	active := r.active[session]
	r.mu.Unlock()
	if i := slices.IndexFunc(mine, func(p *page.Page) bool { return p.ID() == active }); i >= 0 {
		return mine[i], nil
	}
	if len(mine) > 0 {
		last := mine[len(mine)-1]
		r.show(session, last.ID())
		return last, nil
	}
	if !may {
		return nil, api.Refuse(api.TabGone, "this session has no tab here").WithHint("vibespace-browser open <url>, or tab new")
	}
	return r.newTab(ctx, session)
}

// show makes a tab the one that a session's bare commands mean.
func (r *running) show(session api.SessionID, id api.TabID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active[session] = id
}

// blankLimit bounds the look at the tabs that are nobody's.
const blankLimit = 10 * time.Second

// newTab gives a session an empty tab: one that is nobody's and was never used,
// as the browser's first is, or a new one. In somebody else's browser what is
// nobody's is theirs.
func (r *running) newTab(ctx context.Context, session api.SessionID) (*page.Page, error) {
	select {
	case r.making <- struct{}{}:
		defer func() { <-r.making }()
	case <-ctx.Done():
		return nil, fmt.Errorf("make a tab: %w", context.Cause(ctx))
	}
	soon, cancel := context.WithTimeout(ctx, blankWithin(ctx))
	defer cancel()
	for _, p := range r.browser.Pages() {
		if r.free(p) && blank(soon, p) && r.claim(p, session) {
			return p, nil
		}
	}
	p, _, err := r.browser.NewTab(ctx, "", "")
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owner[p.ID()], r.active[session] = session, p.ID()
	return p, nil
}

// free says whether a tab is nobody's.
func (r *running) free(p *page.Page) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owner[p.ID()] == "" && p.Opener() == "" && r.seat.Address == ""
}

// blankWithin leaves half of a caller's time for making a tab.
func blankWithin(ctx context.Context) time.Duration {
	if until, ok := ctx.Deadline(); ok {
		return min(blankLimit, time.Until(until)/2)
	}
	return blankLimit
}

// blank says whether a tab shows nothing; one that does not say so may show
// anything. One that is known to show something is not asked: it may hang.
func blank(ctx context.Context, p *page.Page) bool {
	if !p.MayBeBlank() {
		return false
	}
	is, err := p.Blank(ctx)
	return err == nil && is
}

// claim makes a tab a session's, unless it has become another's.
func (r *running) claim(p *page.Page, session api.SessionID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owner[p.ID()] != "" {
		return false
	}
	r.owner[p.ID()], r.active[session] = session, p.ID()
	return true
}

// closeTabs closes every tab of a session and counts them.
func (r *running) closeTabs(ctx context.Context, session api.SessionID) (int, error) {
	r.mu.Lock()
	up := r.phase == isUp
	r.mu.Unlock()
	if !up {
		return 0, nil
	}
	mine, _ := r.pages(session)
	closed := 0
	for _, p := range mine {
		if err := p.Close(ctx); err != nil && api.CodeOf(err) != api.TabGone {
			return closed, err
		}
		closed++
	}
	return closed, nil
}

// Tab lists, makes, shows or closes a tab of the caller's.
func (e *Engine) Tab(ctx context.Context, c api.Caller, r api.TabRequest) (api.TabAnswer, error) {
	k := reads
	switch r.Do {
	case "", "list":
	case "new":
		k = starts | acts
	case "show", "close":
		k = acts
	default:
		return api.TabAnswer{}, api.Refuse(api.BadRequest, "tab does not %s", api.Quote(r.Do, 40)).WithHint("list, new, show or close")
	}
	return onBrowser(ctx, e, c, r, "tab", k, func(ctx context.Context, v *visit) (*api.TabAnswer, error) {
		if k&acts != 0 && r.InBatch && v.run.othersThan(v.seat.session) {
			return nil, api.Refuse(api.TabInBatch, "a batch holds its tab in %s, which other sessions use as well: no tab is made, shown or closed in it", v.seat.Handle).
				WithHint("end the batch before the tab line; a line of it may name another tab of yours: \"tab\":\"t2\"")
		}
		if err := v.doTab(ctx, r); err != nil {
			return nil, err
		}
		return v.tabs(), nil
	})
}

// doTab does what is asked of a tab.
func (v *visit) doTab(ctx context.Context, r api.TabRequest) error {
	switch r.Do {
	case "new":
		p, err := v.run.newTab(ctx, v.seat.session)
		if err != nil {
			return err
		}
		if err := v.e.tell(ctx, v.run); err != nil { // it is the session's before anything is in it
			return err
		}
		if r.URL != "" {
			if _, err := p.Open(ctx, api.PageOpenRequest{PageRequest: r.PageRequest, URL: r.URL}); err != nil {
				return err
			}
		}
		return p.Show(ctx)
	case "show", "close":
		p, err := v.run.tab(ctx, v.seat.session, r.Tab, false)
		if err != nil {
			return err
		}
		if r.Do == "close" {
			return p.Close(ctx)
		}
		v.run.show(v.seat.session, p.ID())
		return p.Show(ctx)
	}
	return nil
}

// tabs lists the caller's tabs. The head of the answer is the one on show.
func (v *visit) tabs() *api.TabAnswer {
	mine, others := v.run.pages(v.seat.session)
	answer := &api.TabAnswer{Tabs: []api.Tab{}, Others: others}
	v.run.mu.Lock()
	active := v.run.active[v.seat.session]
	v.run.mu.Unlock()
	if active == "" && len(mine) > 0 {
		active = mine[len(mine)-1].ID()
		v.run.show(v.seat.session, active)
	}
	for _, p := range mine {
		t := p.Tab()
		t.Active = t.ID == active
		if t.Active {
			answer.PageAnswer = p.Answer()
		}
		answer.Tabs = append(answer.Tabs, t)
	}
	return answer
}
