package xvfb

import (
	"context"
	"fmt"

	"vibespace/internal/proc"
)

// Adopt takes over a server that an earlier process started. It proves that the
// record's process runs, that it is the one that listens on the display's
// socket, and that it accepts the recorded cookie; otherwise the error wraps
// ErrNotOurs and nothing was touched.
func Adopt(ctx context.Context, r Record) (*Server, error) {
	cookie, err := readCookie(cookiePath(r.Dir))
	if err != nil {
		return nil, fmt.Errorf("adopt display :%d: %w: %w", r.Number, ErrNotOurs, err)
	}
	s := &Server{record: r, cookie: cookie, done: make(chan struct{})}
	if s.stopIt, err = proc.Watch(r.Ident, s.done); err != nil {
		return nil, fmt.Errorf("adopt display :%d: %w: %w", r.Number, ErrNotOurs, err)
	}
	if err := handshake(ctx, r, cookie); err != nil {
		s.stopIt()
		return nil, fmt.Errorf("adopt display :%d: %w: %w", r.Number, ErrNotOurs, err)
	}
	return s, nil
}

// Release lets go of an adopted server, which runs on.
func (s *Server) Release() { s.stopIt() }
