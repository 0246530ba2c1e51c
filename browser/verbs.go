package browser

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"vibespace/browser/page"
	"vibespace/internal/api"
)

// Each verb is its word, its request and its answer; what it does is the
// page's. ctx bounds the call.

// Open opens a page; it starts a browser that is stopped.
func (e *Engine) Open(ctx context.Context, c api.Caller, r api.PageOpenRequest) (api.PageOpenAnswer, error) {
	return onPage(ctx, e, c, r, "open", starts|acts, (*page.Page).Open)
}

// Back goes one page back.
func (e *Engine) Back(ctx context.Context, c api.Caller, r api.PageRequest) (api.PageOpenAnswer, error) {
	return onPage(ctx, e, c, r, "back", acts, (*page.Page).Back)
}

// Forward goes one page forward.
func (e *Engine) Forward(ctx context.Context, c api.Caller, r api.PageRequest) (api.PageOpenAnswer, error) {
	return onPage(ctx, e, c, r, "forward", acts, (*page.Page).Forward)
}

// Reload loads the page again.
func (e *Engine) Reload(ctx context.Context, c api.Caller, r api.PageRequest) (api.PageOpenAnswer, error) {
	return onPage(ctx, e, c, r, "reload", acts, (*page.Page).Reload)
}

// Snapshot reads the page; it starts a browser that is stopped.
func (e *Engine) Snapshot(ctx context.Context, c api.Caller, r api.PageSnapshotRequest) (api.PageSnapshot, error) {
	return onPage(ctx, e, c, r, "snapshot", starts, (*page.Page).Snapshot)
}

// Find finds elements.
func (e *Engine) Find(ctx context.Context, c api.Caller, r api.PageFindRequest) (api.PageFindAnswer, error) {
	return onPage(ctx, e, c, r, "find", reads, (*page.Page).Find)
}

// Get reads one element anew.
func (e *Engine) Get(ctx context.Context, c api.Caller, r api.PageGetRequest) (api.PageGetAnswer, error) {
	return onPage(ctx, e, c, r, "get", reads, (*page.Page).Get)
}

// Click clicks an element.
func (e *Engine) Click(ctx context.Context, c api.Caller, r api.PageClickRequest) (api.PageActed, error) {
	return onPage(ctx, e, c, r, "click", acts, (*page.Page).Click)
}

// Type types text.
func (e *Engine) Type(ctx context.Context, c api.Caller, r api.PageTypeRequest) (api.PageActed, error) {
	return onPage(ctx, e, c, r, "type", acts, (*page.Page).Type)
}

// Fill makes a text the whole of a field.
func (e *Engine) Fill(ctx context.Context, c api.Caller, r api.PageFillRequest) (api.PageActed, error) {
	return onPage(ctx, e, c, r, "fill", acts, (*page.Page).Fill)
}

// Select selects options of a list.
func (e *Engine) Select(ctx context.Context, c api.Caller, r api.PageSelectRequest) (api.PageActed, error) {
	return onPage(ctx, e, c, r, "select", acts, (*page.Page).Select)
}

// Check checks or unchecks a box.
func (e *Engine) Check(ctx context.Context, c api.Caller, r api.PageCheckRequest) (api.PageActed, error) {
	verb := "check"
	if !r.Checked {
		verb = "uncheck"
	}
	return onPage(ctx, e, c, r, verb, acts, (*page.Page).Check)
}

// Press presses chords.
func (e *Engine) Press(ctx context.Context, c api.Caller, r api.PagePressRequest) (api.PageActed, error) {
	return onPage(ctx, e, c, r, "press", acts, (*page.Page).Press)
}

// Hover brings the pointer over an element.
func (e *Engine) Hover(ctx context.Context, c api.Caller, r api.PageHoverRequest) (api.PageActed, error) {
	return onPage(ctx, e, c, r, "hover", acts, (*page.Page).Hover)
}

// Scroll turns the wheel.
func (e *Engine) Scroll(ctx context.Context, c api.Caller, r api.PageScrollRequest) (api.PageActed, error) {
	return onPage(ctx, e, c, r, "scroll", acts, (*page.Page).Scroll)
}

// Upload gives files to a field, or to the chooser that is open.
func (e *Engine) Upload(ctx context.Context, c api.Caller, r api.UploadRequest) (api.PageActed, error) {
	for _, path := range r.Files {
		if err := givable(path); err != nil {
			return api.PageActed{}, err
		}
	}
	return onPage(ctx, e, c, r, "upload", acts, (*page.Page).Upload)
}

// givable refuses what is no file that can be read.
func givable(path string) error {
	no := func(why string) error {
		return api.Refuse(api.BadRequest, "%s cannot be uploaded: %s", api.Quote(path, 200), why).WithHint("name a file by its whole path")
	}
	if !filepath.IsAbs(path) {
		return no("the path is not whole")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return no("there is no such file")
	case err != nil:
		return no(cause(err).Error())
	case !info.Mode().IsRegular():
		return no("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return no(cause(err).Error())
	}
	return f.Close()
}

// Dialog looks at the page's dialog, or answers it.
func (e *Engine) Dialog(ctx context.Context, c api.Caller, r api.DialogRequest) (api.DialogAnswer, error) {
	return onPage(ctx, e, c, r, "dialog", reads, (*page.Page).Dialog)
}

// Wait waits for what is named.
func (e *Engine) Wait(ctx context.Context, c api.Caller, r api.PageWaitRequest) (api.PageWaitAnswer, error) {
	return onPage(ctx, e, c, r, "wait", acts, (*page.Page).Wait)
}

// Extract gives what the page says.
func (e *Engine) Extract(ctx context.Context, c api.Caller, r api.ExtractRequest) (api.ExtractAnswer, error) {
	return onPage(ctx, e, c, r, "extract", reads, (*page.Page).Extract)
}

// Console gives what the page logged.
func (e *Engine) Console(ctx context.Context, c api.Caller, r api.PageLogRequest) (api.LoggedAnswer, error) {
	return onPage(ctx, e, c, r, "console", reads, (*page.Page).Console)
}

// Errors gives what went wrong in the page.
func (e *Engine) Errors(ctx context.Context, c api.Caller, r api.PageLogRequest) (api.LoggedAnswer, error) {
	return onPage(ctx, e, c, r, "errors", reads, (*page.Page).Errors)
}

// Requests gives what the page asked the network for.
func (e *Engine) Requests(ctx context.Context, c api.Caller, r api.PageLogRequest) (api.RequestsAnswer, error) {
	return onPage(ctx, e, c, r, "requests", reads, (*page.Page).Requests)
}

// Eval runs a script in the page, where the configuration allows it.
func (e *Engine) Eval(ctx context.Context, c api.Caller, r api.EvalRequest) (api.EvalAnswer, error) {
	return onPage(ctx, e, c, r, "eval", acts, (*page.Page).Eval)
}
