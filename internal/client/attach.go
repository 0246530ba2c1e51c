package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/coder/websocket"

	"vibespace/internal/api"
)

// said is how much of what a viewer says goes into one message: a quarter of what
// the daemon takes.
const said = 4 << 10

// Attaching is a window that is offered on the person's own desktop: Carry
// carries what its viewer and the daemon say to each other. Close ends it.
type Attaching struct {
	Answer api.AttachAnswer

	c       *Client
	conn    *websocket.Conn
	closing sync.Once
}

// AttachHere offers a window on the person's own desktop; the person's alone. ctx
// bounds the beginning; it lasts until Close. It starts no daemon: without one
// there is no window.
func (c *Client) AttachHere(ctx context.Context, r api.AttachRequest) (*Attaching, error) {
	bound, cancel := context.WithTimeout(ctx, api.Limit(r)+grace)
	defer cancel()
	conn, _, err := c.stream(bound, "person/attach-here")
	if err != nil {
		return nil, err
	}
	a := &Attaching{c: c, conn: conn}
	if err := a.begin(bound, r); err != nil {
		a.Close()
		return nil, c.refusal(ctx, "person/attach-here", api.Limit(r), err)
	}
	return a, nil
}

// begin says which window, and hears that a viewer may come.
func (a *Attaching) begin(ctx context.Context, r api.AttachRequest) error {
	first, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := a.conn.Write(ctx, websocket.MessageText, first); err != nil {
		return err
	}
	_, raw, err := a.conn.Read(ctx)
	if err != nil {
		return err
	}
	if err := refused(raw); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &a.Answer); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// Carry carries the conversation until one side ends it: the error is the
// daemon's refusal, or nil when the viewer ended it. It closes both.
func (a *Attaching) Carry(ctx context.Context, viewer io.ReadWriteCloser) error {
	defer a.Close()
	defer viewer.Close()
	left := make(chan struct{})
	go func() {
		defer close(left)
		buf := make([]byte, said)
		for {
			n, err := viewer.Read(buf)
			if n > 0 && a.conn.Write(ctx, websocket.MessageBinary, buf[:n]) != nil {
				return
			}
			if err != nil {
				_ = a.conn.Close(websocket.StatusNormalClosure, "")
				return
			}
		}
	}()
	err := a.hear(ctx, viewer)
	_ = viewer.Close()
	<-left
	return err
}

// hear hands on what the daemon says.
func (a *Attaching) hear(ctx context.Context, viewer io.Writer) error {
	for {
		kind, r, err := a.conn.Reader(ctx)
		switch {
		case err != nil && websocket.CloseStatus(err) == websocket.StatusNormalClosure:
			return nil
		case err != nil:
			return a.c.refusal(ctx, "person/attach-here", 0, err)
		}
		if kind != websocket.MessageBinary {
			raw, err := io.ReadAll(io.LimitReader(r, 1<<16))
			if err != nil {
				return a.c.refusal(ctx, "person/attach-here", 0, err)
			}
			return refused(raw)
		}
		to := &taken{to: viewer}
		_, err = io.Copy(to, r)
		switch {
		case to.err != nil:
			return nil // the viewer has left
		case err != nil:
			return a.c.refusal(ctx, "person/attach-here", 0, err)
		}
	}
}

// taken is a writer that remembers that it was one that failed.
type taken struct {
	to  io.Writer
	err error
}

// Write writes on.
func (t *taken) Write(b []byte) (int, error) {
	n, err := t.to.Write(b)
	t.err = err
	return n, err
}

// Close ends it. It may be called more than once.
func (a *Attaching) Close() {
	a.closing.Do(func() { _ = a.conn.CloseNow() })
}
