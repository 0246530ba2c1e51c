package target

import (
	"context"

	"vibespace/internal/api"
)

// Batch is a window held for verbs that follow one another: nobody else
// acts on it meanwhile, and any change of who holds or drives it, also one
// that is over by the time the next verb begins, ends the batch.
type Batch struct {
	t       *turn
	changed <-chan struct{}
}

// batchKey finds the window a batch holds in the context of its verbs.
type batchKey struct{}

// inBatch says whether the verbs of a context have a window's turn already.
func inBatch(ctx context.Context, w *window) bool {
	held, _ := ctx.Value(batchKey{}).(*window)
	return held == w
}

// Batch waits for a window's turn to act and holds it while f does the verbs.
// The caller must hold the lease. The refusal that f gives is the batch's own,
// in its row too.
func (e *Engine) Batch(ctx context.Context, c api.Caller, h api.Handle, f func(context.Context, *Batch) error) error {
	_, err := doing(ctx, e, c, h, "batch", needReach|needLease, func(ctx context.Context, t *turn) (struct{}, error) {
		release, err := t.w.lock(ctx)
		if err != nil {
			return struct{}{}, err
		}
		defer release()
		// What changes from here on closes it: the decision is taken after.
		b := &Batch{t: t, changed: e.cfg.Leases.Changed(h)}
		if err := t.again(ctx); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, f(context.WithValue(ctx, batchKey{}, t.w), b)
	})
	return err
}

// Changed is closed when the window has changed its holder or its driver: Stands
// refuses from then on.
func (b *Batch) Changed() <-chan struct{} { return b.changed }

// Did keeps what the batch has done, for whoever tells of it when it was cut.
func (b *Batch) Did(did api.Did) { b.t.did = did }

// Stands says whether the next verb may begin: under the lease the batch began
// with, so that a takeover that was handed back meanwhile, and a window given
// up and taken again, end it too. What the later verbs were for may not be
// there any more.
func (b *Batch) Stands(ctx context.Context) error { return b.t.again(ctx) }
