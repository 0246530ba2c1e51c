package page

import (
	"context"

	"vibespace/internal/api"
)

// focused is what has the focus, wherever it is: nil for nothing that takes
// keys.
func (p *Page) focused(ctx context.Context) (*frame, *state, error) {
	for i, f := range p.framesInOrder() {
		if i >= maxFrames {
			break
		}
		d, err := p.document(ctx, f)
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil, err
			}
			continue
		}
		var s *state
		if err := d.ask(ctx, "activeState", &s); err != nil && ctx.Err() != nil {
			return nil, nil, err
		}
		if s != nil && !s.Gone {
			return f, s, nil
		}
	}
	return nil, nil, nil
}

// notSecret refuses to type into a secret that has the focus, and gives what
// has it.
func (d *doing) notSecret() (*state, error) {
	f, s, err := d.p.focused(d.o.ctx)
	if err != nil || s == nil {
		return nil, err
	}
	if secret(s.Kind, s.Autocomplete, s.Dangling, s.Words...) {
		err = d.p.maySecret(f, "the field that has the focus")
	}
	return s, err
}

// maySecret refuses a secret field, unless the person allowed them for the
// origin of its own document: a frame has no part in what its page may.
func (p *Page) maySecret(f *frame, what string) error {
	origin := p.where(f).origin
	if origin != "null" && p.b.cfg.AllowSecret != nil && p.b.cfg.AllowSecret(origin) {
		return nil
	}
	return api.Refuse(api.SensitiveField, "%s holds a secret (a password, a code, a card, a key), or cannot be told not to", what).
		WithHint("ask the person to fill it in: they can take over, or allow it for %s", origin).With("origin", origin)
}

// look begins to watch the page's own document, for acts without an element.
func (d *doing) look() error {
	doc, err := d.p.document(d.o.ctx, d.p.mainFrame())
	if err != nil {
		return err
	}
	d.doc = doc
	return doc.ask(d.o.ctx, "watch", nil)
}
