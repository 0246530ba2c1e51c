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

// BrowserNewChild makes a browser for a helper of the session's.
func (c *Client) BrowserNewChild(ctx context.Context, r api.ChildRequest) (api.ChildAnswer, error) {
	return call[api.ChildAnswer](ctx, c, "browser/new-child", r)
}

// BrowserProfiles lists the profiles.
func (c *Client) BrowserProfiles(ctx context.Context, r api.ProfilesRequest) (api.ProfilesAnswer, error) {
	return call[api.ProfilesAnswer](ctx, c, "browser/profiles", r)
}

// BrowserAttachments lists what the session is attached to.
func (c *Client) BrowserAttachments(ctx context.Context, r api.AttachmentsRequest) (api.AttachmentsAnswer, error) {
	return call[api.AttachmentsAnswer](ctx, c, "browser/attachments", r)
}

// BrowserUse attaches to a profile, or pins one.
func (c *Client) BrowserUse(ctx context.Context, r api.UseRequest) (api.AttachmentsAnswer, error) {
	return call[api.AttachmentsAnswer](ctx, c, "browser/use", r)
}

// BrowserDetach lets a profile go.
func (c *Client) BrowserDetach(ctx context.Context, r api.LeaveRequest) (api.LeaveAnswer, error) {
	return call[api.LeaveAnswer](ctx, c, "browser/detach", r)
}

// BrowserClose closes the session's own tabs.
func (c *Client) BrowserClose(ctx context.Context, r api.LeaveRequest) (api.LeaveAnswer, error) {
	return call[api.LeaveAnswer](ctx, c, "browser/close", r)
}

// BrowserDelete deletes a kept profile that nobody is attached to.
func (c *Client) BrowserDelete(ctx context.Context, r api.ProfileDeleteRequest) (api.ProfileDeleteAnswer, error) {
	return call[api.ProfileDeleteAnswer](ctx, c, "browser/delete", r)
}

// BrowserStatus says how the session's browser stands.
func (c *Client) BrowserStatus(ctx context.Context, r api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	return call[api.BrowserStatusAnswer](ctx, c, "browser/status", r)
}

// BrowserResume says how things stand after the person.
func (c *Client) BrowserResume(ctx context.Context, r api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	return call[api.BrowserStatusAnswer](ctx, c, "browser/resume", r)
}

// BrowserWatch names the person's command that shows the browser.
func (c *Client) BrowserWatch(ctx context.Context, r api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	return call[api.BrowserStatusAnswer](ctx, c, "browser/watch", r)
}

// BrowserCDPURL is refused: there is no CDP address.
func (c *Client) BrowserCDPURL(ctx context.Context, r api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	return call[api.BrowserStatusAnswer](ctx, c, "browser/cdp-url", r)
}

// BrowserOpen opens a page.
func (c *Client) BrowserOpen(ctx context.Context, r api.PageOpenRequest) (api.PageOpenAnswer, error) {
	return call[api.PageOpenAnswer](ctx, c, "browser/open", r)
}

// BrowserBack goes one page back.
func (c *Client) BrowserBack(ctx context.Context, r api.PageRequest) (api.PageOpenAnswer, error) {
	return call[api.PageOpenAnswer](ctx, c, "browser/back", r)
}

// BrowserForward goes one page forward.
func (c *Client) BrowserForward(ctx context.Context, r api.PageRequest) (api.PageOpenAnswer, error) {
	return call[api.PageOpenAnswer](ctx, c, "browser/forward", r)
}

// BrowserReload loads the page again.
func (c *Client) BrowserReload(ctx context.Context, r api.PageRequest) (api.PageOpenAnswer, error) {
	return call[api.PageOpenAnswer](ctx, c, "browser/reload", r)
}

// BrowserTab lists, makes, shows or closes a tab.
func (c *Client) BrowserTab(ctx context.Context, r api.TabRequest) (api.TabAnswer, error) {
	return call[api.TabAnswer](ctx, c, "browser/tab", r)
}

// BrowserSnapshot reads the page.
func (c *Client) BrowserSnapshot(ctx context.Context, r api.PageSnapshotRequest) (api.PageSnapshot, error) {
	return call[api.PageSnapshot](ctx, c, "browser/snapshot", r)
}

// BrowserFind finds elements of the page.
func (c *Client) BrowserFind(ctx context.Context, r api.PageFindRequest) (api.PageFindAnswer, error) {
	return call[api.PageFindAnswer](ctx, c, "browser/find", r)
}

// BrowserGet reads one element of the page anew.
func (c *Client) BrowserGet(ctx context.Context, r api.PageGetRequest) (api.PageGetAnswer, error) {
	return call[api.PageGetAnswer](ctx, c, "browser/get", r)
}

// BrowserClick clicks an element of the page.
func (c *Client) BrowserClick(ctx context.Context, r api.PageClickRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/click", r)
}

// BrowserType types text.
func (c *Client) BrowserType(ctx context.Context, r api.PageTypeRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/type", r)
}

// BrowserFill makes a text the whole of a field.
func (c *Client) BrowserFill(ctx context.Context, r api.PageFillRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/fill", r)
}

// BrowserSelect selects options of a list.
func (c *Client) BrowserSelect(ctx context.Context, r api.PageSelectRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/select", r)
}

// BrowserCheck checks or unchecks a box.
func (c *Client) BrowserCheck(ctx context.Context, r api.PageCheckRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/check", r)
}

// BrowserPress presses chords.
func (c *Client) BrowserPress(ctx context.Context, r api.PagePressRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/press", r)
}

// BrowserHover brings the pointer over an element.
func (c *Client) BrowserHover(ctx context.Context, r api.PageHoverRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/hover", r)
}

// BrowserScroll turns the wheel.
func (c *Client) BrowserScroll(ctx context.Context, r api.PageScrollRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/scroll", r)
}

// BrowserUpload gives files to a field or a chooser.
func (c *Client) BrowserUpload(ctx context.Context, r api.UploadRequest) (api.PageActed, error) {
	return call[api.PageActed](ctx, c, "browser/upload", r)
}

// BrowserDialog looks at the page's dialog, or answers it.
func (c *Client) BrowserDialog(ctx context.Context, r api.DialogRequest) (api.DialogAnswer, error) {
	return call[api.DialogAnswer](ctx, c, "browser/dialog", r)
}

// BrowserWait waits for what it names.
func (c *Client) BrowserWait(ctx context.Context, r api.PageWaitRequest) (api.PageWaitAnswer, error) {
	return call[api.PageWaitAnswer](ctx, c, "browser/wait", r)
}

// BrowserExtract gives what the page says.
func (c *Client) BrowserExtract(ctx context.Context, r api.ExtractRequest) (api.ExtractAnswer, error) {
	return call[api.ExtractAnswer](ctx, c, "browser/extract", r)
}

// BrowserScreenshot takes a picture of the page.
func (c *Client) BrowserScreenshot(ctx context.Context, r api.PageScreenshotRequest) (api.PageScreenshotAnswer, error) {
	return call[api.PageScreenshotAnswer](ctx, c, "browser/screenshot", r)
}

// BrowserConsole gives what the page logged.
func (c *Client) BrowserConsole(ctx context.Context, r api.PageLogRequest) (api.LoggedAnswer, error) {
	return call[api.LoggedAnswer](ctx, c, "browser/console", r)
}

// BrowserErrors gives what went wrong in the page.
func (c *Client) BrowserErrors(ctx context.Context, r api.PageLogRequest) (api.LoggedAnswer, error) {
	return call[api.LoggedAnswer](ctx, c, "browser/errors", r)
}

// BrowserRequests gives what the page asked the network for.
func (c *Client) BrowserRequests(ctx context.Context, r api.PageLogRequest) (api.RequestsAnswer, error) {
	return call[api.RequestsAnswer](ctx, c, "browser/requests", r)
}

// BrowserEval runs a script in the page.
func (c *Client) BrowserEval(ctx context.Context, r api.EvalRequest) (api.EvalAnswer, error) {
	return call[api.EvalAnswer](ctx, c, "browser/eval", r)
}
