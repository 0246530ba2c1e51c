package devtools

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
)

// Session is one target attached over a connection.
type Session struct {
	conn   *Conn
	id     string
	handle Handler
}

// ID is the session's name in the protocol.
func (s *Session) ID() string { return s.id }

// Conn is the connection the session lives on.
func (s *Session) Conn() *Conn { return s.conn }

// Call runs a command and waits for its answer. When ctx ends first its answer
// is dropped.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	p, err := s.Begin(method, params)
	if err != nil {
		return err
	}
	err = p.Wait(ctx, result)
	if ctx.Err() != nil {
		p.Forget()
	}
	return err
}

// Begin sends a command; the answer is waited for with Wait. Commands of a
// session run in the order they were begun.
func (s *Session) Begin(method string, params any) (*Pending, error) {
	w := &call{session: s.id, method: method, done: make(chan struct{})}
	id, err := s.conn.send(s.id, method, params, w)
	if err != nil {
		return nil, err
	}
	return &Pending{conn: s.conn, id: id, w: w}, nil
}

// Post sends a command whose answer nobody wants. A handler may.
func (s *Session) Post(method string, params any) {
	_, _ = s.conn.send(s.id, method, params, nil) // an ended connection says so to who waits
}

// Drop forgets the session after its target went: calls that wait on it fail
// with ErrDetached.
func (s *Session) Drop() { s.conn.drop(s.id) }

// Call runs a generated command on a session.
func Call[P, R any](ctx context.Context, s *Session, c cdp.Command[P, R], params P) (R, error) {
	var result R
	err := s.Call(ctx, c.Method, params, &result)
	return result, err
}

// Begin sends a generated command.
func Begin[P, R any](s *Session, c cdp.Command[P, R], params P) (*Pending, error) {
	return s.Begin(c.Method, params)
}
