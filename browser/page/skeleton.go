package page

import (
	"context"
	"errors"
	"io"

	"vibespace/internal/api"
)

// ErrTakenOver is the cause by which a caller cuts the verb that runs: the
// person drives.
var ErrTakenOver = errors.New("the person took over")

// ContextID names a browser context: cookies, storage and tabs of their own.
// "" is the profile's.
type ContextID string

// Config says how a browser is driven. The zero value is the default of each.
type Config struct {
	// Eval allows scripts of the caller's.
	Eval bool
	// AllowSecret says whether the person allowed typing into secret fields of
	// an origin; nil is never.
	AllowSecret func(origin string) bool
	// TabOpened and TabClosed are told of every tab that comes and goes, those a
	// page opened among them. They must not block, and not call the browser.
	TabOpened, TabClosed func(*Page)
}

// Browser is one Chromium, connected. Its methods are safe for concurrent use.
type Browser struct{}

// Connect speaks to the Chromium at the other end of conn, in the DevTools
// session root (both from keeper.Link). ctx bounds the call. Tabs that are
// open already become pages.
func Connect(ctx context.Context, conn io.ReadWriteCloser, root string, cfg Config) (*Browser, error) {
	return nil, notYet("connect")
}

// Done is closed when the connection or the browser has ended.
func (b *Browser) Done() <-chan struct{} { return nil }

// Close lets the browser go without ending it, and waits for what this
// package started.
func (b *Browser) Close() error { return nil }

// NewContext makes a context that ends with the connection.
func (b *Browser) NewContext(ctx context.Context) (ContextID, error) { return "", notYet("context") }

// CloseContext ends a context and its tabs.
func (b *Browser) CloseContext(ctx context.Context, id ContextID) error { return notYet("context") }

// NewTab makes a tab. url is opened in it when it is not ""; the page is there
// also when its address could not be opened, and then comes with the refusal.
func (b *Browser) NewTab(ctx context.Context, in ContextID, url string) (*Page, *api.PageOpenAnswer, error) {
	return nil, nil, notYet("tab")
}

// Pages lists the tabs, oldest first.
func (b *Browser) Pages() []*Page { return nil }

// Page is the tab of that name; it is tab_gone when it was closed.
func (b *Browser) Page(id api.TabID) (*Page, error) { return nil, notYet("tab") }

// Page is one tab. Its methods are safe for concurrent use. Each verb answers
// browser_stopped when the browser has ended, tab_gone when the tab has,
// page_crashed when its renderer has, dialog_open while a dialog stands, busy
// when too much waits.
type Page struct{}

// ID is the tab's name.
func (p *Page) ID() api.TabID { return "" }

// Context is the context the tab lives in.
func (p *Page) Context() ContextID { return "" }

// Opener is the tab whose page opened this one, "" for none.
func (p *Page) Opener() api.TabID { return "" }

// Tab is the tab as a list shows it, from what is known: it asks nothing.
func (p *Page) Tab() api.Tab { return api.Tab{} }

// Answer is the head of an answer about the page, from what is known.
func (p *Page) Answer() api.PageAnswer { return api.PageAnswer{} }

// Show brings the tab to the front of its window.
func (p *Page) Show(ctx context.Context) error { return notYet("tab") }

// Close closes the tab, without asking its page.
func (p *Page) Close(ctx context.Context) error { return notYet("tab") }

// Open goes to a URL: http, https or about:blank, else navigation_blocked.
func (p *Page) Open(ctx context.Context, r api.PageOpenRequest) (*api.PageOpenAnswer, error) {
	return nil, notYet("open")
}

// Back goes one page back in the history; cannot_set when there is none.
func (p *Page) Back(ctx context.Context, r api.PageRequest) (*api.PageOpenAnswer, error) {
	return nil, notYet("back")
}

// Forward goes one page forward in the history.
func (p *Page) Forward(ctx context.Context, r api.PageRequest) (*api.PageOpenAnswer, error) {
	return nil, notYet("forward")
}

// Reload loads the page again.
func (p *Page) Reload(ctx context.Context, r api.PageRequest) (*api.PageOpenAnswer, error) {
	return nil, notYet("reload")
}

// Snapshot reads the page.
func (p *Page) Snapshot(ctx context.Context, r api.PageSnapshotRequest) (*api.PageSnapshot, error) {
	return nil, notYet("snapshot")
}

// Find finds elements; their refs count as told.
func (p *Page) Find(ctx context.Context, r api.PageFindRequest) (*api.PageFindAnswer, error) {
	return nil, notYet("find")
}

// Get reads one element anew.
func (p *Page) Get(ctx context.Context, r api.PageGetRequest) (*api.PageGetAnswer, error) {
	return nil, notYet("get")
}

// Click clicks an element at a point where it gets the click: stale_ref,
// unknown_ref, disabled, occluded, window_not_visible by name otherwise.
func (p *Page) Click(ctx context.Context, r api.PageClickRequest) (*api.PageActed, error) {
	return nil, notYet("click")
}

// Type types text with keys; not_editable, sensitive_field.
func (p *Page) Type(ctx context.Context, r api.PageTypeRequest) (*api.PageActed, error) {
	return nil, notYet("type")
}

// Fill makes a text the whole of a field and reads it back.
func (p *Page) Fill(ctx context.Context, r api.PageFillRequest) (*api.PageActed, error) {
	return nil, notYet("fill")
}

// Select selects options of a list; cannot_set names those there are.
func (p *Page) Select(ctx context.Context, r api.PageSelectRequest) (*api.PageActed, error) {
	return nil, notYet("select")
}

// Check checks or unchecks a box, a switch or a radio button.
func (p *Page) Check(ctx context.Context, r api.PageCheckRequest) (*api.PageActed, error) {
	return nil, notYet("check")
}

// Press presses chords; bad_key.
func (p *Page) Press(ctx context.Context, r api.PagePressRequest) (*api.PageActed, error) {
	return nil, notYet("press")
}

// Hover brings the pointer over an element.
func (p *Page) Hover(ctx context.Context, r api.PageHoverRequest) (*api.PageActed, error) {
	return nil, notYet("hover")
}

// Scroll turns the wheel.
func (p *Page) Scroll(ctx context.Context, r api.PageScrollRequest) (*api.PageActed, error) {
	return nil, notYet("scroll")
}

// Upload gives files to a file field or to the chooser that is open. The paths
// are absolute and were checked by the caller.
func (p *Page) Upload(ctx context.Context, r api.UploadRequest) (*api.PageActed, error) {
	return nil, notYet("upload")
}

// Dialog looks at the dialog that is open, or answers it. It waits for no
// other verb.
func (p *Page) Dialog(ctx context.Context, r api.DialogRequest) (*api.DialogAnswer, error) {
	return nil, notYet("dialog")
}

// Wait waits for what is named; timeout when ctx ends first.
func (p *Page) Wait(ctx context.Context, r api.PageWaitRequest) (*api.PageWaitAnswer, error) {
	return nil, notYet("wait")
}

// Extract gives what the page says as markdown, text or tables.
func (p *Page) Extract(ctx context.Context, r api.ExtractRequest) (*api.ExtractAnswer, error) {
	return nil, notYet("extract")
}

// Picture is an encoded picture and the part of the page it shows.
type Picture struct {
	Data   []byte
	Format string // png, jpeg
	W, H   int
	Origin api.Point
	Scale  float64
	// Clipped is what was asked for, when less is shown.
	Clipped *api.Rect
}

// Screenshot takes a picture, 8 MiB at most; the caller keeps it and answers.
func (p *Page) Screenshot(ctx context.Context, r api.PageScreenshotRequest) (*Picture, error) {
	return nil, notYet("screenshot")
}

// Console gives what the page logged. Like Errors and Requests it waits for no
// other verb.
func (p *Page) Console(ctx context.Context, r api.PageLogRequest) (*api.LoggedAnswer, error) {
	return nil, notYet("console")
}

// Errors gives what went wrong in the page.
func (p *Page) Errors(ctx context.Context, r api.PageLogRequest) (*api.LoggedAnswer, error) {
	return nil, notYet("errors")
}

// Requests gives what the page asked the network for.
func (p *Page) Requests(ctx context.Context, r api.PageLogRequest) (*api.RequestsAnswer, error) {
	return nil, notYet("requests")
}

// Eval runs a script; method_refused unless the configuration allows it.
func (p *Page) Eval(ctx context.Context, r api.EvalRequest) (*api.EvalAnswer, error) {
	return nil, notYet("eval")
}

// notYet says that a verb is not built.
func notYet(verb string) error {
	return api.Refuse(api.NotYet, "%s on a page is described and not built yet", verb)
}
