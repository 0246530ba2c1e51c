package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"vibespace/internal/api"
)

// silence is how long a stream may say nothing at all: the daemon sends an
// empty line every 5 s, so that one that hangs is noticed.
const silence = 16 * time.Second

// errSilent says that a stream has said nothing for too long.
var errSilent = errors.New("nothing was heard")

// stream asks a verb whose answer comes in lines, and hands each to each as it
// comes, until the last. The error is a refusal, or what each answered, which
// ends the stream. lines, when it is not nil, is what follows the request, and
// is read only once the daemon has taken the request; a Read of it that is
// waiting when the stream ends is left to end by itself.
func stream[A any, Q api.Timed](ctx context.Context, c *Client, path string, q Q, lines io.Reader, each func(A) error) error {
	first, err := json.Marshal(q)
	if err != nil {
		return api.Refuse(api.BadRequest, "the request cannot be written: %v", err)
	}
	limit := q.Timing()
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limit > 0 {
		var done context.CancelFunc
		bounded, done = context.WithTimeout(bounded, limit+grace)
		defer done()
	}
	heard := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer heard.Stop()
	var refusedBy error // what each answered
	err = c.again(ctx, func() error {
		return c.follow(bounded, path, append(first, '\n'), lines, func(line []byte) error {
			heard.Reset(silence)
			if len(bytes.TrimSpace(line)) == 0 {
				return nil
			}
			if err := refused(line); err != nil {
				return err
			}
			var a A
			if err := json.Unmarshal(line, &a); err != nil {
				return c.unreachable("what answered on %s is not a daemon of this version: %v", c.cfg.Paths.Socket, err)
			}
			refusedBy = each(a)
			return refusedBy
		})
	})
	switch {
	case err == nil || refusedBy != nil:
		return refusedBy
	case ctx.Err() == nil && errors.Is(context.Cause(bounded), errSilent):
		return c.unreachable("vibespaced has said nothing for %v during %s", silence, path).WithHint("vibespace doctor")
	}
	return c.refusal(ctx, path, limit, err)
}

// follow is one request of a stream: its first line, and once the daemon has
// taken it the others, while the answer's lines go to each.
func (c *Client) follow(ctx context.Context, path string, first []byte, lines io.Reader, each func([]byte) error) error {
	taken := make(chan struct{})
	// A request of one line goes in one piece: an answer that is over at once
	// must not meet the end of the request still on its way, which is then
	// written to nobody and takes the answer with it.
	var body io.Reader = bytes.NewReader(first)
	if lines != nil {
		pipe, feed := io.Pipe()
		defer pipe.Close()
		go func() { feed.CloseWithError(supply(ctx, feed, first, lines, taken)) }()
		body = pipe
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+api.Host+"/v1/"+path, body)
	if err != nil {
		return err
	}
	if err := c.sign(req.Header); err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := c.meet(resp); err != nil {
		return err
	}
	if resp.StatusCode == http.StatusOK {
		close(taken)
	}
	return eachLine(resp.Body, each)
}

// supply writes a request's first line and, once it was taken, the others.
func supply(ctx context.Context, to io.Writer, first []byte, lines io.Reader, taken <-chan struct{}) error {
	if _, err := to.Write(first); err != nil {
		return err
	}
	select {
	case <-taken:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := io.Copy(to, lines)
	return err
}

// eachLine hands on every line of an answer.
func eachLine(answer io.Reader, each func([]byte) error) error {
	r := bufio.NewReader(answer)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > maxAnswer {
			return fmt.Errorf("a line has %d bytes", len(line))
		}
		if len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			if err := each(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
