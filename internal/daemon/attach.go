package daemon

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"vibespace/internal/api"
)

// takeTime is how long a viewer of xpra's may take to read what it is sent: one
// that is stopped is gone, and holds up nothing of the window's.
const takeTime = 20 * time.Second

// attachHere serves a viewer of xpra's that shows a window on the person's own
// desktop.
func (d *Daemon) attachHere(ctx context.Context, c api.Caller, conn *websocket.Conn) error {
	first, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	var q api.AttachRequest
	if err := hear(first, conn, &q); err != nil {
		return err
	}
	if err := q.CheckTiming(); err != nil {
		return err
	}
	bound, done := context.WithTimeout(ctx, api.Limit(q))
	defer done()
	a, err := d.engine.AttachHere(bound, c, q)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := say(ctx, conn, a.Answer); err != nil {
		return err
	}
	err = a.Serve(ctx, &carried{ctx: ctx, conn: conn}, func(why error) {
		if why != nil && !isRefusal(why) {
			_ = conn.CloseNow() // the daemon goes down
			return
		}
		// Before the reading ends: a cut read cuts the connection with it.
		if why != nil {
			_ = say(ctx, conn, api.Refusal{Error: api.AsError(why, api.Internal)})
		}
		_ = conn.Close(websocket.StatusNormalClosure, "")
	})
	if isRefusal(err) {
		d.log.Info("stream", "word", "person/attach-here", "verdict", api.CodeOf(err))
		return nil // it was told
	}
	return err
}

// carried is a conversation in the binary messages of a stream.
type carried struct {
	ctx  context.Context
	conn *websocket.Conn
	rest io.Reader // of the message that is being read
}

// Read reads on in the message, or in the next.
func (c *carried) Read(b []byte) (int, error) {
	for {
		if c.rest == nil {
			kind, r, err := c.conn.Reader(c.ctx)
			if err != nil {
				return 0, err
			}
			if kind != websocket.MessageBinary {
				return 0, badBody("it is not binary")
			}
			c.rest = r
		}
		n, err := c.rest.Read(b)
		if errors.Is(err, io.EOF) {
			c.rest, err = nil, nil
			if n == 0 {
				continue
			}
		}
		return n, err
	}
}

// Write sends one message, in a bounded time.
func (c *carried) Write(b []byte) (int, error) {
	ctx, cancel := context.WithTimeout(c.ctx, takeTime)
	defer cancel()
	if err := c.conn.Write(ctx, websocket.MessageBinary, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close ends the stream.
func (c *carried) Close() error { return c.conn.CloseNow() }
