package page

import (
	"context"
	"errors"
	"strings"
	"time"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// op is the one operation that runs in a tab. Its context ends with the
// caller's, and with whatever makes going on senseless: the tab closed, its
// renderer crashed; for a reading one also a dialog, which lets nothing answer.
type op struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	acting bool // guarded by the page's mu
	sent   bool // something left for the page
}

// run lets one operation at a time at the browser, and gives it a context.
func run[T any](ctx context.Context, p *Page, do func(o *op) (T, error)) (T, error) {
	var zero T
	if err := p.setUpDone(ctx); err != nil {
		return zero, err
	}
	if err := p.b.gate.enter(ctx); err != nil {
		return zero, p.fault(ctx, err, false)
	}
	defer p.b.gate.leave()
	o := &op{}
	o.ctx, o.cancel = context.WithCancelCause(ctx)
	defer o.cancel(nil)
	if err := p.begin(o); err != nil {
		return zero, err
	}
	defer p.finish()
	v, err := do(o)
	if err != nil {
		return zero, p.fault(o.ctx, err, o.sent)
	}
	return v, nil
}

// readyLimit is how long a verb waits for a tab to be set up, at most.
const readyLimit = 15 * time.Second

// setUpDone waits until the tab is set up. One that an earlier connection left
// with a dialog is not, until that is closed, and nobody here can.
func (p *Page) setUpDone(ctx context.Context) error {
	soon, cancel := nearly(ctx)
	defer cancel()
	soon, stop := context.WithTimeout(soon, readyLimit)
	defer stop()
	select {
	case <-p.ready:
		return p.b.fault(p.failed)
	case <-p.b.conn.Done():
		return stopped()
	case <-soon.Done():
	}
	if err := ctx.Err(); err != nil {
		return p.fault(ctx, context.Cause(ctx), false)
	}
	return api.Refuse(api.NotResponding, "the page of tab %s does not answer: a dialog that was open when the daemon ended may stand in its way", p.id).
		WithHint("vibespace-browser tab close %s, or ask the person to answer it in the window", p.id).With("tab", p.id)
}

// begin makes o what runs, unless the page can run nothing.
func (p *Page) begin(o *op) error {
	select {
	case <-p.b.conn.Done():
		return stopped()
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if lost := p.lostLocked(); lost != nil {
		return lost
	}
	if p.dialog != nil {
		return p.dialog.refusal()
	}
	p.op = o
	return nil
}

// lostLocked refuses a page that is not there any more.
func (p *Page) lostLocked() error {
	switch {
	case p.closed:
		return gone(p.id)
	case p.crashed:
		return crashed(p.id)
	}
	return nil
}

// finish ends what runs.
func (p *Page) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.op, p.watch, p.effects = nil, false, nil
}

// act marks the operation as one whose own doing may open dialogs and leave
// pages.
func (o *op) act(p *Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.acting = true
}

// cutLocked ends what runs, whatever it is.
func (p *Page) cutLocked(why error) {
	if p.op != nil {
		p.op.cancel(why)
	}
}

// crashed is the refusal of a page whose renderer has ended.
func crashed(id api.TabID) *api.Error {
	return api.Refuse(api.PageCrashed, "the page of tab %s crashed", id).
		WithHint("vibespace-browser open <url> loads a page anew, tab new opens another").With("tab", id)
}

// fault turns what went wrong into a refusal. sent says whether something had
// left for the page.
func (p *Page) fault(ctx context.Context, err error, sent bool) error {
	var e *api.Error
	cause := context.Cause(ctx)
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(cause, ErrTakenOver):
		return interrupted(sent)
	case errors.As(cause, &e):
		return e
	case errors.Is(err, devtools.ErrClosed):
		return stopped()
	case errors.Is(err, devtools.ErrDetached):
		return p.left()
	case errors.Is(err, devtools.ErrTooLarge):
		return api.Refuse(api.TooLarge, "the page is too large to be read at once").WithHint("read a part of it: vibespace-browser snapshot --root @e…")
	}
	var said *devtools.Error
	if errors.As(err, &said) {
		return p.saidNo(said)
	}
	return err
}

// left says which end a session met that is gone.
func (p *Page) left() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if lost := p.lostLocked(); lost != nil {
		return lost
	}
	return moved()
}

// moved is the refusal of a page that went on while it was read.
func moved() *api.Error {
	return api.Refuse(api.StaleRef, "the page went on to another document meanwhile").WithHint("vibespace-browser snapshot")
}

// saidNo translates the browser's own refusals.
func (p *Page) saidNo(said *devtools.Error) error {
	for _, words := range []string{"Cannot find context", "Execution context was destroyed", "Frame with the given id", "No frame for given id", "Inspected target navigated", "Not attached to an active page"} {
		if strings.Contains(said.Message, words) {
			return moved()
		}
	}
	if strings.Contains(said.Message, "crashed") {
		return crashed(p.id)
	}
	return api.Refuse(api.Internal, "the browser refused: %v", said)
}

// interrupted is the answer of a verb that the person's takeover cut.
func interrupted(sent bool) *api.Error {
	effect := "cut"
	if sent {
		effect = "unknown"
	}
	return api.Refuse(api.BrowserInterrupted, "the person took over the browser while this ran").
		WithHint("wait for control to come back, then take a snapshot before you go on").With("effect", effect)
}
