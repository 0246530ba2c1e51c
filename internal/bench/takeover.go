package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vibespace/internal/api"
)

// takeoverRest is how long nothing must come after a takeover to be over.
const takeoverRest = 200 * time.Millisecond

// takeover measures how late the last event is injected after the person asked
// for a window in which an agent types, and how long the takeover takes.
func takeover(ctx context.Context, r *rig) error {
	const app = "xterm"
	w, err := r.open(ctx, api.OpenRequest{App: app})
	if err != nil {
		return err
	}
	defer r.stop(w)
	rec, err := recordOf(w)
	if err != nil {
		return err
	}
	defer rec.close()
	var late, took series
	for range r.rounds {
		l, t, err := r.takenOver(ctx, w, rec)
		if err != nil {
			return err
		}
		late, took = append(late, l), append(took, t)
	}
	if err := r.tell(alone("takeover", app, "ms", late)); err != nil {
		return err
	}
	return r.tell(alone("takeover.answer", app, "ms", took))
}

// takenOver takes a window over while an agent types, and gives it back.
func (r *rig) takenOver(ctx context.Context, w opened, rec *recorder) (late, took float64, err error) {
	before := rec.events.Load()
	typed := make(chan error, 1)
	go func() {
		_, err := r.agent.Type(ctx, api.TypeRequest{
			Act: api.Act{Common: api.Common{TimeoutMs: 60_000}, Handle: w.Handle, NoObserve: true}, Text: strings.Repeat("take over ", 2000), Keys: true,
		})
		typed <- err
	}()
	for rec.events.Load() < before+400 {
		select {
		case err := <-typed:
			return 0, 0, fmt.Errorf("type: %w", err)
		case <-time.After(time.Millisecond):
		}
	}
	asked := time.Now()
	if _, err := r.person.Takeover(ctx, api.TakeoverRequest{Handle: w.Handle}); err != nil {
		return 0, 0, err
	}
	took = ms(time.Since(asked))
	if err := <-typed; api.CodeOf(err) != api.WindowPaused {
		return 0, 0, fmt.Errorf("type was not cut: %w", err)
	}
	time.Sleep(takeoverRest)
	late = max(0, ms(time.Unix(0, rec.last.Load()).Sub(asked)))
	_, err = r.person.Handback(ctx, api.HandbackRequest{Handle: w.Handle})
	return late, took, err
}
