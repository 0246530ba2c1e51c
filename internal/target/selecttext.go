package target

import (
	"context"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// Select selects a piece of a node's text, in characters, and reads back what
// is selected.
func (e *Engine) Select(ctx context.Context, c api.Caller, r api.SelectRequest) (api.Acted, error) {
	if r.From < 0 || r.To < r.From {
		return api.Acted{}, api.Refuse(api.BadRequest, "a selection goes from a character to a later one").
			WithHint("select %s %s --from 0 --to 5", r.Handle, r.Ref)
	}
	return acting(ctx, e, c, r.Act, "select", needRead, func(ctx context.Context, a *act) error {
		n, err := a.target(ctx, r.Ref)
		if err != nil {
			return err
		}
		if err := n.enabled(); err != nil {
			return err
		}
		if !n.node.Interfaces.Has(atspi.IfaceText) {
			return cannotSet(n, "has no text")
		}
		a.did.By = "tree"
		return a.selectText(ctx, n, r.From, r.To)
	})
}

// selectText selects from a character to another.
func (a *act) selectText(ctx context.Context, n *live, from, to int) error {
	access := a.d.Access()
	units, err := access.Units(ctx, n.id)
	if err != nil {
		return a.w.fault(err)
	}
	length, err := access.TextLength(ctx, n.id)
	if err != nil {
		return a.w.fault(err)
	}
	if chars := units.Char(length); to > chars {
		return cannotSet(n, "has fewer characters than that").With("length", chars)
	}
	span := atspi.Span{From: units.Offset(from), To: units.Offset(to)}
	if err := a.ready(ctx); err != nil {
		return err
	}
	if err := access.SelectText(ctx, n.id, span); err != nil {
		return a.w.fault(err)
	}
	a.verified, err = a.until(ctx, func(ctx context.Context) (bool, error) {
		spans, err := access.Spans(ctx, n.id)
		if from == to {
			return err == nil && len(spans) == 0, err
		}
		return err == nil && len(spans) == 1 && spans[0] == span, err
	})
	return err
}
