package target

import (
	"context"

	"vibespace/internal/api"
)

// Batch is a window held for verbs that follow one another: from Batch to End
// nobody else acts on it, and any change of who holds or drives it, also one
// that is over by the time the next verb begins, ends the batch.
type Batch struct {
	t       *turn
	release func()
	changed <-chan struct{}
}

// batchKey finds the window a batch holds in the context of its verbs.
type batchKey struct{}

// inBatch says whether the verbs of a context have a window's turn already.
func inBatch(ctx context.Context, w *window) bool {
	held, _ := ctx.Value(batchKey{}).(*window)
	return held == w
}

// Batch waits for a window's turn to act and holds it. The caller must hold the
// lease. End ends it; ctx bounds the call.
func (e *Engine) Batch(ctx context.Context, c api.Caller, h api.Handle) (*Batch, error) {
	t, err := e.enter(ctx, c, h, "batch", needReach|needLease)
	if err != nil {
		return nil, err
	}
	release, err := t.w.lock(ctx)
	if err != nil {
		return nil, t.leave(ctx, h, err)
	}
	// What changes from here on closes it: the decision is taken after.
	b := &Batch{t: t, release: release, changed: e.cfg.Leases.Changed(h)}
	if err := t.again(ctx); err != nil {
		return nil, b.End(ctx, err)
	}
	return b, nil
}

// In is the context of the batch's verbs: they act in its turn.
func (b *Batch) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, batchKey{}, b.t.w)
}

// Changed is closed when the window has changed its holder or its driver.
func (b *Batch) Changed() <-chan struct{} { return b.changed }

// Stands says whether the next verb may begin: nobody took the window, or its
// controls, since the batch began. A takeover that was handed back meanwhile
// ends it too: what the later verbs were for may not be there any more.
func (b *Batch) Stands(ctx context.Context) error {
	if err := b.t.again(ctx); err != nil {
		return err
	}
	if closed(b.changed) {
		return api.Refuse(api.WindowPaused, "the person drove %s meanwhile", b.t.w.handle).
			WithHint("look before you go on: vibespace-window snapshot %s", b.t.w.handle).With("by", "user")
	}
	return nil
}

// End gives the turn back and writes the batch's own row, with the refusal that
// stopped it, which it gives back.
func (b *Batch) End(ctx context.Context, err error) error {
	b.release()
	return b.t.leave(context.WithoutCancel(ctx), b.t.w.handle, err)
}
