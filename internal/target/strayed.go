package target

import (
	"context"
	"unicode/utf8"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// focusWatch notices when a field loses the focus to another one of the same X
// window, which X does not see. It follows events, and asks the field itself
// before it says so: toolkits announce more than happens.
type focusWatch struct {
	a      *act
	n      *live
	events *atspi.Events
}

// watchFocus watches a field that says that it has the focus. Others, and those
// of an application without events, are watched by X alone.
func (a *act) watchFocus(ctx context.Context, n *live) *focusWatch {
	w := &focusWatch{a: a, n: n}
	if n == nil {
		return w
	}
	events, err := a.d.Access().Subscribe(ctx, atspi.Filter{Bus: n.id.Bus, Kinds: []atspi.Kind{atspi.KindState, atspi.KindFocus}})
	if err != nil {
		return w
	}
	if !w.has(ctx) {
		_ = events.Close()
		return w
	}
	w.events = events
	return w
}

// close ends the watch.
func (w *focusWatch) close() {
	if w.events != nil {
		_ = w.events.Close() // nobody is told anything by it any more
	}
}

// has says whether the field has the focus, as far as it says.
func (w *focusWatch) has(ctx context.Context) bool {
	now, _, err := w.a.d.Access().ReadNode(ctx, w.n.app, w.n.id)
	return err == nil && now.States.Has(atspi.StateFocused)
}

// strayed refuses to go on when the field has lost the focus.
func (w *focusWatch) strayed(ctx context.Context) error {
	if w.events == nil {
		return nil
	}
	batch := w.events.Take()
	moved := batch.Overflow
	for _, e := range batch.Events {
		moved = moved || e.Kind == atspi.KindFocus || e.Detail == "focused"
	}
	if !moved || w.has(ctx) || ctx.Err() != nil {
		return nil
	}
	return api.Refuse(api.Occluded, "the focus left %s while typing", describe(w.n.mark)).
		WithHint("look at what has it now: vibespace-window snapshot %s", w.a.w.handle)
}

// arrived adds to the refusal of a text that was cut how much of it the field
// has, where that can be read: keys on their way when the focus went have
// reached something else.
func (a *act) arrived(ctx context.Context, n *live, before *string, err error) error {
	refusal := api.AsError(err, api.Internal)
	if before == nil || refusal.Code != api.Occluded {
		return err
	}
	after := a.textOf(ctx, n)
	if after == nil {
		return err
	}
	return refusal.With("arrived", max(0, utf8.RuneCountInString(*after)-utf8.RuneCountInString(*before)))
}
