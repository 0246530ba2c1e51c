package page

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"vibespace/internal/api"
)

// dialog is one that stands: no script of the page runs on.
type dialog struct {
	api.Dialog
	link *link
}

// chooser is a file chooser that a page opened and nobody sees.
type chooser struct {
	link     *link
	backend  cdp.BackendNodeID
	multiple bool
}

// refusal is the answer of every other verb while a dialog stands.
func (d *dialog) refusal() *api.Error {
	return api.Refuse(api.DialogOpen, "the page's %s stands open: %s", d.Kind, api.Quote(d.Message, 200)).
		WithHint("vibespace-browser dialog accept, or dismiss").With("kind", d.Kind).With("message", d.Message)
}

// dialogOpening notes a dialog: what reads is cut, what acts is told.
func (l *link) dialogOpening(e page.EventJavascriptDialogOpening) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	kind := string(e.Type)
	p.dialog = &dialog{api.Dialog{Kind: kind, Message: cutRunes(e.Message, 2000), Default: cutRunes(e.DefaultPrompt, 2000), Since: now()}, l}
	if p.op != nil && !p.op.acting {
		p.op.cancel(p.dialog.refusal())
	}
	if p.watch {
		p.effects = append(p.effects, api.Effect{Kind: "dialog", Text: kind + ": " + cutRunes(e.Message, 500)})
	}
	p.tellLocked()
}

// dialogClosed notes that the dialog was answered, by whomever.
func (p *Page) dialogClosed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialog = nil
	p.tellLocked()
}

// chooserOpened notes a file chooser. It was not shown: the page waits for
// files, and does nothing if none come.
func (l *link) chooserOpened(e page.EventFileChooserOpened) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chooser = &chooser{l, e.BackendNodeID, e.Mode == page.FileChooserOpenedModeSelectMultiple}
	if p.watch {
		text := "one file"
		if p.chooser.multiple {
			text = "files"
		}
		p.effects = append(p.effects, api.Effect{Kind: "chooser", Text: text})
	}
	p.tellLocked()
}

// Dialog looks at the dialog that is open, or answers it. It waits for no
// other verb.
func (p *Page) Dialog(ctx context.Context, r api.DialogRequest) (*api.DialogAnswer, error) {
	if r.Do == "" {
		r.Do = "status"
	}
	p.mu.Lock()
	d, open, closed := p.dialog, p.chooser, p.closed
	p.mu.Unlock()
	if closed {
		return nil, gone(p.id)
	}
	a := &api.DialogAnswer{PageAnswer: p.Answer(), Did: r.Do, Effects: []api.Effect{}}
	a.Fence = fence()
	switch {
	case r.Do == "status":
		if d != nil {
			a.Dialog = &d.Dialog
		} else if open != nil {
			a.Dialog = &api.Dialog{Kind: "chooser", Message: "the page waits for files: vibespace-browser upload"}
		}
		return a, nil
	case r.Do != "accept" && r.Do != "dismiss":
		return nil, api.Refuse(api.BadRequest, "a dialog is not answered with %q", r.Do).WithHint("status, accept or dismiss")
	case d == nil && open != nil && r.Do == "dismiss":
		p.mu.Lock()
		p.chooser = nil
		p.mu.Unlock()
		a.Dialog = &api.Dialog{Kind: "chooser"}
		return a, nil
	case d == nil:
		return nil, api.Refuse(api.CannotSet, "no dialog is open").WithHint("vibespace-browser snapshot")
	case r.Text != "" && (d.Kind != "prompt" || r.Do == "dismiss"):
		return nil, api.Refuse(api.CannotSet, "%s takes no text", d.Kind).WithHint("vibespace-browser dialog %s", r.Do)
	}
	a.Dialog = &d.Dialog
	return a, p.answerDialog(ctx, d, r, a)
}

// answerDialog answers a dialog and tells what that began.
func (p *Page) answerDialog(ctx context.Context, d *dialog, r api.DialogRequest, a *api.DialogAnswer) error {
	p.mu.Lock()
	p.watch, p.effects = true, nil
	p.mu.Unlock()
	params := page.HandleJavaScriptDialogParams{Accept: r.Do == "accept", PromptText: r.Text}
	if d.Kind == "prompt" && r.Do == "accept" && r.Text == "" {
		params.PromptText = d.Default
	}
	if r.Text != "" {
		p.stray(p.where(p.mainFrame()).loader) // the page does with it what it likes
	}
	if err := d.link.s.Call(ctx, page.HandleJavaScriptDialog.Method, params, nil); err != nil {
		return p.fault(ctx, err, false)
	}
	if err := p.until(ctx, func() bool { return p.dialog != d }); err != nil {
		return p.fault(ctx, err, true)
	}
	p.settle(ctx, false, false)
	a.Effects = p.watched()
	a.PageAnswer = p.Answer()
	a.Fence = fence()
	return nil
}
