package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"vibespace/internal/api"
)

// grace is what an answer may take beyond the verb's own limit. The daemon
// gives up a stuck verb within 600 ms; a client that waited a second longer
// than its timeout would break the contract.
const grace = 900 * time.Millisecond

// greetings is how often a greeting is said again.
const greetings = 3

// maxAnswer bounds an answer: far above any the daemon makes.
const maxAnswer = 64 << 20

// call asks one verb and decodes its answer. The error is always a refusal.
func call[A any, Q api.Timed](ctx context.Context, c *Client, path string, q Q) (A, error) {
	var answer A
	body, err := json.Marshal(q)
	if err != nil {
		return answer, api.Refuse(api.BadRequest, "the request cannot be written: %v", err)
	}
	if len(body) > api.MaxBody {
		return answer, api.Refuse(api.TooLarge, "the request has %d bytes, and the daemon takes %d", len(body), api.MaxBody).
			WithHint("split it")
	}
	limit := api.Limit(q)
	bounded, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	raw, err := c.ask(bounded, path, body)
	if err != nil {
		return answer, c.refusal(ctx, path, limit, err)
	}
	if err := jsonv2.Unmarshal(raw, &answer); err != nil { // half the time of the standard library's
		return answer, c.unreachable("what answered on %s is not a daemon of this version: %v", c.cfg.Paths.Socket, err)
	}
	return answer, nil
}

// ask sends a body and gives the success' body, or the refusal as an error. It
// starts a daemon when none listens, and asks again as the caller's next own
// session when the one meant is another.
func (c *Client) ask(ctx context.Context, path string, body []byte) ([]byte, error) {
	var raw []byte
	once := func() (err error) {
		raw, err = c.post(ctx, path, body)
		return err
	}
	err := c.again(ctx, once)
	// A greeting does nothing, and so may be said again to the next daemon when
	// the one that took the connection was on its way out. What goes away each
	// time is no daemon.
	for range greetings {
		if path != "hello" || !wentAway(err) || !pause(ctx) {
			break
		}
		err = c.again(ctx, once)
	}
	return raw, err
}

// wentAway says that a daemon took a request and ended before it answered.
func wentAway(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err)
}

// again does what asks the daemon, and does it anew where that makes sense:
// what was refused, or reached nobody, was not done.
func (c *Client) again(ctx context.Context, once func() error) error {
	if err := c.mine(ctx, true); err != nil {
		return err
	}
	err := once()
	if errors.Is(err, errNobody) && !c.cfg.NoStart {
		if err := c.start(ctx); err != nil {
			return err
		}
		c.forgetOwner()
		err = once()
	}
	if api.CodeOf(err) == api.OwnerOnly && c.forgetOwner() {
		err = once()
	}
	for api.CodeOf(err) == api.BadSession && c.nextToken() {
		err = once()
	}
	return err
}

// forgetOwner drops a credential that was read before, so that it is read
// again: a daemon that started anew made a new one. It says whether there was
// one to drop, that is, whether asking again makes sense; what was refused was
// not done.
func (c *Client) forgetOwner() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owner == "" {
		return false
	}
	old := c.owner
	c.owner = ""
	fresh, err := c.credential()
	return err == nil && fresh != old
}

// nextToken turns to the caller's next own session, if one is named and left.
func (c *Client) nextToken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cfg.Session == "" || c.token+1 >= len(c.cfg.Tokens) {
		return false
	}
	c.token++
	return true
}

// post is one request and its answer.
func (c *Client) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+api.Host+"/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if err := c.sign(req.Header); err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if err := c.meet(resp); err != nil {
		return nil, err
	}
	var said bytes.Buffer
	said.Grow(int(min(max(resp.ContentLength, 0), 1<<20)) + bytes.MinRead)
	if _, err := said.ReadFrom(io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return nil, err
	}
	raw := said.Bytes()
	if bytes.HasPrefix(raw, []byte(success)) {
		return raw, nil
	}
	return raw, refused(raw)
}

// success is how a success begins. It is read once, by whoever asked: a large
// one takes milliseconds.
const success = `{"ok":true,`

// meet makes sure that a daemon of ours answered, and of which build.
func (c *Client) meet(resp *http.Response) error {
	version := resp.Header.Get(api.HeaderVersion)
	if version == "" {
		return c.unreachable("what answered on %s is not a daemon of ours", c.cfg.Paths.Socket)
	}
	if version != c.cfg.Version && c.cfg.OnOtherVersion != nil {
		c.told.Do(func() { c.cfg.OnOtherVersion(version) })
	}
	return nil
}

// inHeader says whether a word can stand in a header.
func inHeader(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r < 0x20 || r == 0x7f }) < 0
}

// sign says who asks.
func (c *Client) sign(h http.Header) error {
	for _, word := range slices.Concat(c.cfg.Tokens, []string{string(c.cfg.Session)}) {
		if !inHeader(word) {
			return api.Refuse(api.BadSession, "a session's token or label holds a control character").
				WithHint("look at VIBESPACE_SESSION_TOKEN and --session")
		}
	}
	h.Set("Content-Type", "application/json")
	h.Set(api.HeaderVersion, c.cfg.Version)
	if c.cfg.Session != "" {
		h.Set(api.HeaderSession, string(c.cfg.Session))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if token := c.ownToken(); token != "" {
		h.Set("Authorization", "Bearer "+token)
	} else if len(c.cfg.Tokens) > 0 {
		h.Set("Authorization", "Bearer "+c.cfg.Tokens[c.token])
	}
	if !c.cfg.Owner {
		return nil
	}
	if c.owner == "" {
		owner, err := c.credential()
		if err != nil {
			return err
		}
		c.owner = owner
	}
	if c.owner != "" {
		h.Set(api.HeaderOwner, c.owner)
	}
	return nil
}

// refused gives the refusal in an answer, or nil for a success.
func refused(raw []byte) error {
	var r api.Refusal
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	if r.OK {
		return nil
	}
	if r.Error == nil || r.Code == "" {
		return errors.New("the answer is neither a success nor a refusal")
	}
	return r.Error
}

// refusal turns a fault of the road into a refusal. ctx is the caller's own,
// so that its end is told from ours.
func (c *Client) refusal(ctx context.Context, path string, limit time.Duration, err error) error {
	verb := strings.TrimPrefix(path, "person/")
	var r *api.Error
	switch {
	case errors.As(err, &r):
		return r
	case ctx.Err() != nil:
		return api.AsError(ctx.Err(), api.Cancelled)
	case errors.Is(err, errNobody):
		return c.unreachable("no daemon listens on %s", c.cfg.Paths.Socket).WithHint("vibespace up")
	case errors.Is(err, context.DeadlineExceeded):
		return c.unreachable("vibespaced has not answered %s in %v", verb, (limit + grace).Round(time.Millisecond)).
			WithHint("vibespace doctor")
	case wentAway(err):
		return c.unreachable("vibespaced went away during %s: it may or may not have been done", verb).
			WithHint("look before you repeat it; vibespace doctor says what is wrong")
	}
	return c.unreachable("vibespaced cannot be reached on %s: %v", c.cfg.Paths.Socket, root(err)).WithHint("vibespace doctor")
}

// unreachable builds the refusal that only a client gives.
func (c *Client) unreachable(format string, args ...any) *api.Error {
	return api.Refuse(api.Unreachable, format, args...).With("socket", c.cfg.Paths.Socket)
}
