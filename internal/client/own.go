package client

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"vibespace/internal/api"
)

// own is the session that a client without a token has for itself: the daemon
// made it, and ends it a little after the connection is gone on which it was
// made.
type own struct {
	asking sync.Mutex // one asks at a time; taken before mu

	mu    sync.Mutex
	token string
	held  bool // the connection is there
}

// The bounds of coming back to a daemon that went away: it lets a session wait
// for ten seconds.
const (
	backFor   = 10 * time.Second
	backPause = 200 * time.Millisecond
)

// ownToken is the token of the client's own session, "" when it has none.
func (c *Client) ownToken() string {
	c.own.mu.Lock()
	defer c.own.mu.Unlock()
	return c.own.token
}

// mine makes sure that the client has its own session, if it is to have one.
// ctx bounds the call.
func (c *Client) mine(ctx context.Context, start bool) error {
	if !c.cfg.Own {
		return nil
	}
	c.own.asking.Lock()
	defer c.own.asking.Unlock()
	c.own.mu.Lock()
	held, token := c.own.held, c.own.token
	c.own.mu.Unlock()
	if held {
		return nil
	}
	err := c.holdOwn(ctx, token)
	if errors.Is(err, errNobody) && start && !c.cfg.NoStart {
		if err := c.start(ctx); err != nil {
			return err
		}
		err = c.holdOwn(ctx, token)
	}
	return err
}

// holdOwn asks for a session and holds its connection in the background.
func (c *Client) holdOwn(ctx context.Context, token string) error {
	first, err := json.Marshal(api.OwnRequest{Token: token})
	if err != nil {
		return err
	}
	came := make(chan error, 1)
	c.work.Go(func() {
		held := false
		err := c.follow(c.life, "own", append(first, '\n'), nil, func(line []byte) error {
			var a api.OwnAnswer
			err := refused(line)
			if err == nil {
				err = json.Unmarshal(line, &a)
			}
			if err == nil {
				held = true
				c.setOwn(a.Token)
			}
			came <- err
			return err
		})
		if !held {
			if err == nil {
				err = c.unreachable("vibespaced gave no session")
			}
			select {
			case came <- err:
			default:
			}
			return
		}
		c.lostOwn()
	})
	select {
	case err := <-came:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// setOwn keeps the session that was given.
func (c *Client) setOwn(token string) {
	c.own.mu.Lock()
	defer c.own.mu.Unlock()
	c.own.token, c.own.held = token, true
}

// lostOwn comes back to the daemon, or to the next one, for as long as the
// session is kept for that. It starts none: the next verb does.
func (c *Client) lostOwn() {
	c.own.mu.Lock()
	c.own.held = false
	c.own.mu.Unlock()
	c.work.Go(func() {
		bounded, cancel := context.WithTimeout(c.life, backFor)
		defer cancel()
		tick := time.NewTicker(backPause)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-bounded.Done():
				return
			}
			if err := c.mine(bounded, false); err == nil || api.CodeOf(err) != "" {
				return
			}
		}
	})
}
