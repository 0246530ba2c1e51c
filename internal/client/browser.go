package client

import (
	"context"

	"vibespace/internal/api"
)

// BrowserBackend gives the ladder of browser backends.
func (c *Client) BrowserBackend(ctx context.Context, r api.BackendRequest) (api.BackendAnswer, error) {
	return call[api.BackendAnswer](ctx, c, "browser/backend", r)
}

// BrowserBlocked claims that a page keeps automation out.
func (c *Client) BrowserBlocked(ctx context.Context, r api.BlockedRequest) (api.BlockedAnswer, error) {
	return call[api.BlockedAnswer](ctx, c, "browser/blocked", r)
}

// BrowserNew makes a profile, or opens a browser on the desktop-app rung.
func (c *Client) BrowserNew(ctx context.Context, r api.BrowserNewRequest) (api.BrowserNewAnswer, error) {
	return call[api.BrowserNewAnswer](ctx, c, "browser/new", r)
}
