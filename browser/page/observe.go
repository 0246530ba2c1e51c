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
	// lateLimit is how long late answers are waited for after a takeover.
	lateLimit = 250 * time.Millisecond
)

// beginWatch makes the page note what happens from now on.
func (p *Page) beginWatch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch, p.effects = true, nil
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

// settle waits until what was begun shows: a navigation arrives, a dialog
// opens, or one frame is drawn. It never fails: what was done was done.
func (p *Page) settle(ctx context.Context) {
	p.mu.Lock()
	stands, leaving := p.dialog != nil || p.closed || p.crashed, p.loading
	p.mu.Unlock()
	if stands {
		return
	}
	if !leaving {
		p.drawn(ctx)
	}
	p.mu.Lock()
	leaving = p.loading
	p.mu.Unlock()
	if !leaving {
		return
	}
	soon, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	_ = p.until(soon, func() bool {
		return !p.loading || p.dialog != nil || p.closed || p.crashed || p.sawLocked("navigation", "download")
	})
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
		over := p.dialog != nil || p.closed || p.crashed || p.loading
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
