package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// Open goes to a URL: http, https or about:blank, else navigation_blocked.
func (p *Page) Open(ctx context.Context, r api.PageOpenRequest) (*api.PageOpenAnswer, error) {
	if err := mayOpen(r.URL); err != nil {
		return nil, err
	}
	url := strings.TrimSpace(r.URL)
	return p.navigate(ctx, func(ctx context.Context) (cdp.LoaderID, error) {
		var got page.NavigateResult
		c, err := p.main.s.Begin(page.Navigate.Method, page.NavigateParams{URL: url})
		if err != nil {
			return "", err
		}
		if err := p.orDialog(ctx, c, &got); err != nil {
			return "", err
		}
		switch {
		case got.IsDownload, got.ErrorText == "net::ERR_ABORTED" && p.sawOne("download"):
			return "", downloadBlocked(shownURL(url))
		case got.ErrorText == "net::ERR_ABORTED":
			return "", api.Refuse(api.NavigationBlocked, "%s gave no page", shownURL(url)).WithHint("the server has nothing to show there, or the page went elsewhere: vibespace-browser snapshot")
		case got.ErrorText != "":
			return "", api.Refuse(api.NavigationBlocked, "%s cannot be reached: %s", shownURL(url), got.ErrorText).
				WithHint("look at the address").With("error", got.ErrorText)
		}
		return got.LoaderID, nil
	})
}

// sawOne says whether something of a kind was noted.
func (p *Page) sawOne(kind string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sawLocked(kind)
}

// downloadBlocked is the refusal of what began a download.
func downloadBlocked(what string) *api.Error {
	return api.Refuse(api.DownloadBlocked, "it is a download, which was cancelled").
		WithHint("ask the person for the file").With("url", what)
}

// orDialog waits for an answer, or for a dialog that keeps it away.
func (p *Page) orDialog(ctx context.Context, c *devtools.Pending, result any) error {
	for {
		p.mu.Lock()
		d, moved := p.dialog, p.moved
		p.mu.Unlock()
		select {
		case <-c.Answered():
			return c.Wait(ctx, result)
		default:
		}
		if d != nil {
			return d.refusal()
		}
		select {
		case <-c.Answered():
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// navigate runs what leaves the page and waits until the next is loaded, or
// the time is nearly over. A loader of "" is the same document.
func (p *Page) navigate(ctx context.Context, leave func(ctx context.Context) (cdp.LoaderID, error)) (*api.PageOpenAnswer, error) {
	begun := time.Now()
	p.mu.Lock()
	if p.crashed {
		p.crashed = false // a navigation is the way out of a crash
	}
	p.mu.Unlock()
	return run(ctx, p, func(o *op) (*api.PageOpenAnswer, error) {
		o.act(p)
		p.beginWatch()
		o.sent = true
		loader, err := leave(o.ctx)
		if err != nil {
			return nil, err
		}
		a := &api.PageOpenAnswer{Loaded: true}
		if loader != "" {
			a.Loaded, err = p.arrive(o.ctx, loader)
			if err != nil {
				return nil, err
			}
			p.mu.Lock()
			if n, ok := p.status[p.frames[cdp.FrameID(p.target)].loader]; ok {
				a.Status = &n
			}
			p.mu.Unlock()
		}
		p.drawn(o.ctx)
		a.Effects = p.watched()
		a.PageAnswer = p.Answer()
		a.Fence = fence()
		if a.Status != nil && (*a.Status == 403 || *a.Status == 429) {
			a.Notices = append(a.Notices, fmt.Sprintf("the server answered %d: if you think that it keeps automation out, say so with vibespace-browser blocked --url", *a.Status))
		}
		a.TookMs = int(time.Since(begun).Milliseconds())
		return a, nil
	})
}

// arrive waits for a document and its loading. It is reached and not loaded
// when the time is nearly over; an error when it was not even reached.
func (p *Page) arrive(ctx context.Context, loader cdp.LoaderID) (loaded bool, err error) {
	main := cdp.FrameID(p.target)
	reached := func() bool { return p.frames[main] != nil && p.frames[main].loader == loader }
	soon, cancel := nearly(ctx)
	defer cancel()
	first := p.frame(main).loader
	if err := p.until(soon, func() bool { return reached() || p.dialog != nil || p.crashed || p.frames[main].loader != first }); err != nil {
		return false, err
	}
	err = p.until(soon, func() bool { return !p.loading || p.dialog != nil || p.crashed })
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.crashed:
		return false, crashed(p.id)
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return false, nil
	case err != nil:
		return false, err
	}
	return !p.loading, nil
}

// nearly ends a little before ctx does, so that what is known can be said.
func nearly(ctx context.Context) (context.Context, context.CancelFunc) {
	until, ok := ctx.Deadline()
	if !ok {
		return context.WithTimeout(ctx, 30*time.Second)
	}
	left := time.Until(until)
	return context.WithDeadline(ctx, until.Add(-min(left/10, 500*time.Millisecond)))
}

// Back goes one page back in the history; cannot_set when there is none.
func (p *Page) Back(ctx context.Context, _ api.PageRequest) (*api.PageOpenAnswer, error) {
	return p.history(ctx, -1, "back")
}

// Forward goes one page forward in the history.
func (p *Page) Forward(ctx context.Context, _ api.PageRequest) (*api.PageOpenAnswer, error) {
	return p.history(ctx, 1, "forward")
}

// history goes through the history.
func (p *Page) history(ctx context.Context, by int, word string) (*api.PageOpenAnswer, error) {
	return p.navigate(ctx, func(ctx context.Context) (cdp.LoaderID, error) {
		var h page.GetNavigationHistoryResult
		if err := p.main.s.Call(ctx, page.GetNavigationHistory.Method, nil, &h); err != nil {
			return "", err
		}
		to := int(h.CurrentIndex) + by
		if to < 0 || to >= len(h.Entries) {
			return "", api.Refuse(api.CannotSet, "there is no page to go %s to", word).WithHint("vibespace-browser open <url>")
		}
		if err := mayOpen(h.Entries[to].URL); err != nil {
			return "", err
		}
		return p.leaveBy(ctx, page.NavigateToHistoryEntry.Method, page.NavigateToHistoryEntryParams{EntryID: h.Entries[to].ID})
	})
}

// Reload loads the page again.
func (p *Page) Reload(ctx context.Context, _ api.PageRequest) (*api.PageOpenAnswer, error) {
	return p.navigate(ctx, func(ctx context.Context) (cdp.LoaderID, error) {
		return p.leaveBy(ctx, page.Reload.Method, page.ReloadParams{})
	})
}

// leaveBy runs a command whose answer does not name the next document: it is
// the one that the main frame comes to.
func (p *Page) leaveBy(ctx context.Context, method string, params any) (cdp.LoaderID, error) {
	main := cdp.FrameID(p.target)
	was := p.frame(main)
	p.mu.Lock()
	loader := was.loader
	p.mu.Unlock()
	c, err := p.main.s.Begin(method, params)
	if err != nil {
		return "", err
	}
	if err := p.orDialog(ctx, c, nil); err != nil {
		return "", err
	}
	soon, cancel := nearly(ctx)
	defer cancel()
	err = p.until(soon, func() bool {
		return p.frames[main].loader != loader || p.dialog != nil || p.crashed || p.sawLocked("navigation", "download")
	})
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.dialog != nil:
		return "", p.dialog.refusal()
	case p.sawLocked("download"):
		return "", downloadBlocked("")
	case p.frames[main].loader == loader:
		return "", nil // the same document
	}
	return p.frames[main].loader, nil
}
