package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"vibespace/internal/api"
)

// How an act waits for what it began. All of it is event driven: a page that
// does nothing answers within one frame.
const (
	// echoLimit is how long the page's own answer to an input event is waited for.
	echoLimit = 3 * time.Second
	// leaveLimit is how long a navigation that has begun may take to arrive.
	leaveLimit = 5 * time.Second
	// becomeLimit is how long a navigation that was asked for may take to begin,
	// and one that ended without a document to be told as a download.
	becomeLimit = time.Second
	// lateLimit is how long late answers are waited for after a takeover.
	lateLimit = 250 * time.Millisecond
)

// beginWatch makes the page note what happens from now on.
func (p *Page) beginWatch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch, p.effects, p.requested, p.began = true, nil, false, false
}

// watched is what happened since, and the end of noting it.
func (p *Page) watched() []api.Effect {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.effects
	p.watch, p.effects = false, nil
	if seen == nil {
		seen = []api.Effect{}
	}
	for i := range seen {
		if seen[i].Kind == "navigation" && !seen[i].SameDocument && seen[i].Status == nil && i == len(seen)-1 {
			if f := p.frames[cdp.FrameID(p.target)]; f != nil {
				if n, ok := p.status[f.loader]; ok {
					seen[i].Status = &n
				}
			}
		}
	}
	return seen
}

// saw reports whether something of a kind was noted.
func (p *Page) sawLocked(kinds ...string) bool {
	for _, e := range p.effects {
		for _, k := range kinds {
			if e.Kind == k {
				return true
			}
		}
	}
	return false
}

// stands says whether the page answers nothing: a dialog is open, or it ended.
func (p *Page) stands() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standsLocked()
}

func (p *Page) standsLocked() bool { return p.dialog != nil || p.closed || p.crashed }

// settle waits until what was begun shows: a navigation arrives or becomes a
// download, a dialog opens, or one frame is drawn. saves: a link was followed
// that saves what it leads to, of which nothing is told until that begins.
// shown: the frame was drawn already. It never fails: what was done was done.
func (p *Page) settle(ctx context.Context, saves, shown bool) {
	p.mu.Lock()
	over := shown || p.standsLocked() || p.loading
	p.mu.Unlock()
	if !over {
		p.drawn(ctx)
	}
	came := func() bool { return p.standsLocked() || p.sawLocked("navigation", "download") }
	for _, step := range []struct {
		limit time.Duration
		when  func() bool
	}{
		{becomeLimit, func() bool { return p.requested && !p.loading }},
		{leaveLimit, func() bool { return p.loading }},
		// The end of a load is told before the download that it became.
		{becomeLimit, func() bool { return p.began || saves }},
	} {
		soon, cancel := context.WithTimeout(ctx, step.limit)
		_ = p.until(soon, func() bool { return came() || !step.when() })
		cancel()
	}
}

// drawn waits for the frame that shows what was done, before it is read back: a
// page that reverts what it is given does so there.
func (d *doing) drawn() {
	d.p.drawn(d.o.ctx)
	d.shown = true
}

// drawn waits for one frame of the page, or for what makes that senseless.
func (p *Page) drawn(ctx context.Context) {
	soon, cancel := context.WithTimeout(ctx, echoLimit)
	defer cancel()
	d, err := p.document(soon, p.mainFrame())
	if err != nil {
		return
	}
	c, err := d.begin("frame", true)
	if err != nil {
		return
	}
	defer c.Forget()
	for {
		p.mu.Lock()
		over := p.standsLocked() || p.loading || p.requested
		moved := p.moved
		p.mu.Unlock()
		if over {
			return
		}
		select {
		case <-c.Answered():
			var title string
			if d.settle(soon, c, "frame", &title) == nil {
				p.titled(title)
			}
			return
		case <-moved:
		case <-soon.Done():
			return
		}
	}
}
