package client

import (
	"context"
	"io"

	"vibespace/internal/api"
)

// The verbs that are answered in lines. ctx bounds the call, however long its
// lines keep coming.

// Batch does the verbs that lines holds, a JSON object each, in order and
// without anybody acting in between; each has the answer of every verb as it
// ends. The refusal that stops it is the error.
func (c *Client) Batch(ctx context.Context, r api.BatchRequest, lines io.Reader, each func(api.BatchLine) error) error {
	return stream[api.BatchLine](ctx, c, "batch", r, lines, each)
}

// Changes follows a window: each has how it stands and then what becomes of it,
// until it has ended or the time of the request has passed.
func (c *Client) Changes(ctx context.Context, r api.ChangesRequest, each func(api.Change) error) error {
	return stream[api.Change](ctx, c, "watch", r, nil, each)
}
