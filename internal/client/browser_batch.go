package client

import (
	"context"
	"encoding/json"
	"time"

	"vibespace/internal/api"
)

// browserLimit bounds a line of a batch that says no timeout of its own: what
// opens a page takes longest.
const browserLimit = 30 * time.Second

// BrowserVerb does one verb of vibespace-browser by its word, with the body of
// its request as it is, and gives its answer the same way: a line of a batch.
func (c *Client) BrowserVerb(ctx context.Context, word string, body []byte) (json.RawMessage, error) {
	var q api.Common
	_ = json.Unmarshal(body, &q) // what cannot be read is the daemon's to refuse
	limit := browserLimit
	if q.TimeoutMs > 0 {
		limit = q.Timing()
	}
	bounded, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	raw, err := c.ask(bounded, "browser/"+word, body)
	if err != nil {
		return nil, c.refusal(ctx, word, limit, err)
	}
	if !json.Valid(raw) {
		return nil, c.unreachable("what answered on %s is not a daemon of this version", c.cfg.Paths.Socket)
	}
	return raw, nil
}
