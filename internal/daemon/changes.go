package daemon

import (
	"context"
	"errors"

	"vibespace/internal/api"
)

// changes tells what becomes of a window, until the caller goes, the window has
// ended or the time that was given for it has passed: that is how it ends, and
// no refusal.
func (d *Daemon) changes(ctx context.Context, c api.Caller, q api.ChangesRequest, s *stream) error {
	end := func() {}
	defer func() { end() }()
	err := d.engine.Changes(ctx, c, q, func(change api.Change) error {
		if change.Change == "now" {
			var err error
			if end, err = s.beating(); err != nil {
				return err
			}
		}
		return s.send(change)
	})
	if q.TimeoutMs > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return err
}
