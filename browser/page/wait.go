package page

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"vibespace/internal/api"
)

// pollEvery is how often a page is asked for what gives no event. A question
// takes under a millisecond.
const pollEvery = 50 * time.Millisecond

// Wait waits for what is named; timeout when ctx ends first. It asks the page
// in turn with other verbs: between its looks they run.
func (p *Page) Wait(ctx context.Context, r api.PageWaitRequest) (*api.PageWaitAnswer, error) {
	begun := time.Now()
	conditions, err := p.conditions(r)
	if err != nil {
		return nil, err
	}
	for {
		met, err := run(ctx, p, func(o *op) (bool, error) { return all(o.ctx, conditions) })
		switch {
		case met:
			a := &api.PageWaitAnswer{PageAnswer: p.Answer(), TookMs: int(time.Since(begun).Milliseconds())}
			a.Fence = fence()
			words := make([]string, len(conditions))
			for i, c := range conditions {
				words[i] = c.words
			}
			a.Met = strings.Join(words, ", ")
			return a, nil
		case err != nil && !passing(err):
			return nil, p.late(ctx, err)
		}
		if err := p.soon(ctx); err != nil {
			return nil, p.late(ctx, err)
		}
	}
}

// passing is a refusal that another look may not meet: the page is between two
// documents.
func passing(err error) bool {
	code := api.CodeOf(err)
	return code == api.StaleRef || code == api.Busy
}

// late is a wait's end: its time, or what made it senseless.
func (p *Page) late(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return api.Refuse(api.Timeout, "what was waited for did not come").WithHint("give it longer with --timeout, or look: vibespace-browser snapshot")
	}
	return p.fault(ctx, err, false)
}

// soon waits for the next change, or the next look.
func (p *Page) soon(ctx context.Context) error {
	t := time.NewTimer(pollEvery)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-p.b.conn.Done():
		return stopped()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// condition is one thing waited for.
type condition struct {
	words string
	holds func(ctx context.Context) (bool, error)
}

// all asks the conditions in order.
func all(ctx context.Context, list []condition) (bool, error) {
	for _, c := range list {
		if ok, err := c.holds(ctx); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// conditions reads what is waited for.
func (p *Page) conditions(r api.PageWaitRequest) ([]condition, error) {
	var list []condition
	add := func(words string, holds func(ctx context.Context) (bool, error)) {
		list = append(list, condition{words, holds})
	}
	if r.URL != "" {
		match, err := matcher(r.URL)
		if err != nil {
			return nil, err
		}
		add("url "+r.URL, func(context.Context) (bool, error) { return match(p.address()), nil })
	}
	if r.Load {
		add("loaded", func(context.Context) (bool, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return !p.loading, nil
		})
	}
	if r.Text != "" {
		add("text "+api.Quote(r.Text, 60), func(ctx context.Context) (bool, error) { return p.says(ctx, r.Text) })
	}
	if r.Ref != "" {
		if err := p.everTold(r.Ref); err != nil {
			return nil, err
		}
		add(string(r.Ref), func(ctx context.Context) (bool, error) { return p.shows(ctx, r.Ref) })
	}
	if r.Gone != "" {
		if err := p.everTold(r.Gone); err != nil {
			return nil, err
		}
		add(string(r.Gone)+" gone", func(ctx context.Context) (bool, error) {
			shows, err := p.shows(ctx, r.Gone)
			return !shows, err
		})
	}
	if r.IdleMs > 0 {
		add("idle", func(ctx context.Context) (bool, error) { return p.still(ctx, r.IdleMs) })
	}
	if len(list) == 0 {
		return nil, api.Refuse(api.BadRequest, "nothing to wait for").WithHint("--text, --url, --ref, --gone, --load or --idle MS")
	}
	return list, nil
}

// matcher is a substring, or a /re/.
func matcher(want string) (func(string) bool, error) {
	if len(want) > 2 && want[0] == '/' && strings.HasSuffix(want, "/") {
		re, err := regexp.Compile(want[1 : len(want)-1])
		if err != nil {
			return nil, api.Refuse(api.BadRequest, "%q is no pattern: %v", want, err).WithHint("give a part of it as it is")
		}
		return re.MatchString, nil
	}
	return func(s string) bool { return strings.Contains(s, want) }, nil
}

// address is the whole of the page's address: it is compared and not shown.
func (p *Page) address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames[cdp.FrameID(p.target)].url
}

// everTold refuses a ref that means nothing here.
func (p *Page) everTold(ref api.Ref) error {
	_, err := p.look(ref)
	if api.CodeOf(err) == api.UnknownRef {
		return err
	}
	return p.b.ofBefore(ref)
}

// says tells whether a text is to be seen, in any frame.
func (p *Page) says(ctx context.Context, text string) (bool, error) {
	for i, f := range p.framesInOrder() {
		if i >= maxFrames {
			break
		}
		d, err := p.document(ctx, f)
		var said bool
		if err == nil {
			err = (&node{p: p, f: f, l: d.l, agent: d.agent}).ask(ctx, "says", &said, text)
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if err == nil && said {
			return true, nil
		}
	}
	return false, nil
}

// shows tells whether an element is there and to be seen, as it was told.
func (p *Page) shows(ctx context.Context, ref api.Ref) (bool, error) {
	a, err := p.take(ctx, ref)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case api.CodeOf(p.fault(ctx, err, false)) == api.StaleRef:
		return false, nil
	case err != nil:
		return false, err
	}
	return !a.state.Hidden, nil
}

// still tells whether the page neither loads nor changes for a while.
func (p *Page) still(ctx context.Context, ms int) (bool, error) {
	p.mu.Lock()
	busy := p.loading || len(p.logs.flying) > 0
	p.mu.Unlock()
	if busy {
		return false, nil
	}
	d, err := p.document(ctx, p.mainFrame())
	if err != nil {
		return false, err
	}
	var quiet bool
	if err := d.ask(ctx, "quiet", &quiet, ms, ms+200); err != nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return quiet && !p.loading && len(p.logs.flying) == 0, nil
}
