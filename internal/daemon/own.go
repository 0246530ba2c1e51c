package daemon

import (
	"context"

	"vibespace/internal/api"
)

// own gives the process that asks a session of its own, and holds it for as
// long as the process holds the connection.
func (d *Daemon) own(ctx context.Context, _ api.Caller, q api.OwnRequest, s *stream) error {
	answer, release, err := d.engine.Own(ctx, actorOf(ctx).describe(), q)
	if err != nil {
		return err
	}
	defer release()
	if err := s.send(answer); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
