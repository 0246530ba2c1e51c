package client

import (
	"context"

	"vibespace/internal/api"
)

// Each verb is its word, its request and its answer; what it does is in the
// engine. ctx bounds the call: its end cancels the verb in the daemon too.

// Apps lists what can be opened here.
func (c *Client) Apps(ctx context.Context, r api.AppsRequest) (api.AppsAnswer, error) {
	return call[api.AppsAnswer](ctx, c, "apps", r)
}

// Open starts an application and attaches to its window.
func (c *Client) Open(ctx context.Context, r api.OpenRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "open", r)
}

// List lists the windows the session reaches.
func (c *Client) List(ctx context.Context, r api.ListRequest) (api.ListAnswer, error) {
	return call[api.ListAnswer](ctx, c, "list", r)
}

// Attach takes the lease of a window.
func (c *Client) Attach(ctx context.Context, r api.HandleRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "attach", r)
}

// Detach drops the lease; the application keeps running.
func (c *Client) Detach(ctx context.Context, r api.HandleRequest) (api.HandleAnswer, error) {
	return call[api.HandleAnswer](ctx, c, "detach", r)
}

// Stop ends a window's application and display now.
func (c *Client) Stop(ctx context.Context, r api.HandleRequest) (api.HandleAnswer, error) {
	return call[api.HandleAnswer](ctx, c, "stop", r)
}

// CloseWindow asks a window to close.
func (c *Client) CloseWindow(ctx context.Context, r api.CloseRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "close", r)
}

// Snapshot reads a window's tree.
func (c *Client) Snapshot(ctx context.Context, r api.SnapshotRequest) (api.Snapshot, error) {
	return call[api.Snapshot](ctx, c, "snapshot", r)
}

// Find finds elements.
func (c *Client) Find(ctx context.Context, r api.FindRequest) (api.FindAnswer, error) {
	return call[api.FindAnswer](ctx, c, "find", r)
}

// Get reads one element anew.
func (c *Client) Get(ctx context.Context, r api.GetRequest) (api.GetAnswer, error) {
	return call[api.GetAnswer](ctx, c, "get", r)
}

// Screenshot takes a picture.
func (c *Client) Screenshot(ctx context.Context, r api.ScreenshotRequest) (api.ScreenshotAnswer, error) {
	return call[api.ScreenshotAnswer](ctx, c, "screenshot", r)
}

// Click clicks an element or a point.
func (c *Client) Click(ctx context.Context, r api.ClickRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "click", r)
}

// Type types text.
func (c *Client) Type(ctx context.Context, r api.TypeRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "type", r)
}

// Set sets an element by its own interface.
func (c *Client) Set(ctx context.Context, r api.SetRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "set", r)
}

// Key presses chords.
func (c *Client) Key(ctx context.Context, r api.KeyRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "key", r)
}

// Scroll turns the wheel.
func (c *Client) Scroll(ctx context.Context, r api.ScrollRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "scroll", r)
}

// Menu walks a menu by name.
func (c *Client) Menu(ctx context.Context, r api.MenuRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "menu", r)
}

// Select selects text in an element.
func (c *Client) Select(ctx context.Context, r api.SelectRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "select", r)
}

// Drag presses, moves and releases the pointer.
func (c *Client) Drag(ctx context.Context, r api.DragRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "drag", r)
}

// Hover moves the pointer.
func (c *Client) Hover(ctx context.Context, r api.HoverRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "hover", r)
}

// Clipboard reads or sets the clipboard of a window's display.
func (c *Client) Clipboard(ctx context.Context, r api.ClipboardRequest) (api.ClipboardAnswer, error) {
	return call[api.ClipboardAnswer](ctx, c, "clipboard", r)
}

// Ask puts a question to the person; the answer comes as a notice with a later
// command.
func (c *Client) Ask(ctx context.Context, r api.AskRequest) (api.AskAnswer, error) {
	return call[api.AskAnswer](ctx, c, "ask", r)
}

// Logs reads what an application wrote.
func (c *Client) Logs(ctx context.Context, r api.LogsRequest) (api.LogsAnswer, error) {
	return call[api.LogsAnswer](ctx, c, "logs", r)
}

// Wait waits for what it names.
func (c *Client) Wait(ctx context.Context, r api.WaitRequest) (api.WaitAnswer, error) {
	return call[api.WaitAnswer](ctx, c, "wait", r)
}

// Size pins a window, or lets it go.
func (c *Client) Size(ctx context.Context, r api.SizeRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "size", r)
}

// Mode changes a window's mode.
func (c *Client) Mode(ctx context.Context, r api.ModeRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "mode", r)
}

// Status says how the session stands.
func (c *Client) Status(ctx context.Context, r api.StatusRequest) (api.StatusAnswer, error) {
	return call[api.StatusAnswer](ctx, c, "status", r)
}

// Probe tries the roads.
func (c *Client) Probe(ctx context.Context, r api.ProbeRequest) (api.ProbeAnswer, error) {
	return call[api.ProbeAnswer](ctx, c, "probe", r)
}
