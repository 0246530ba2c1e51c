package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"

	"vibespace/browser/devtools"
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
	// Known are the names that tabs had in an earlier connection, by Page.Target:
	// they have them again, and no other tab gets one. Refs is the highest number
	// that an element was told with there: no element gets one up to it.
	Known map[string]api.TabID
	Refs  int
	// Secrets are the fields that an earlier connection saw to hold a secret.
	Secrets []Secret
}

// Browser is one Chromium, connected. Its methods are safe for concurrent use.
type Browser struct {
	cfg  Config
	conn *devtools.Conn
	root *devtools.Session
	gate gate

	life context.Context // ends with Close: what sets tabs up, and no call, runs in it
	end  context.CancelFunc
	wait sync.WaitGroup

	mu       sync.Mutex
	pages    []*Page // oldest first
	lastTab  int
	lastRef  int
	secrets  []Secret
	changed  chan struct{} // closed and made anew when a tab comes, goes or is ready
	contexts map[ContextID]bool
}

// Connect speaks to the Chromium at the other end of conn, in the DevTools
// session root (both from keeper.Link). ctx bounds the call. Tabs that are
// open already become pages.
func Connect(ctx context.Context, conn io.ReadWriteCloser, root string, cfg Config) (*Browser, error) {
	b := &Browser{cfg: cfg, conn: devtools.New(conn), changed: make(chan struct{}), contexts: map[ContextID]bool{}}
	b.life, b.end = context.WithCancel(context.Background())
	b.lastRef, b.secrets = cfg.Refs, slices.Clone(cfg.Secrets)
	for _, id := range cfg.Known {
		b.lastTab = max(b.lastTab, tabNumber(id))
	}
	b.gate.init()
	b.root = b.conn.Session(root, b.event)
	if err := b.greet(ctx); err != nil {
		b.Close()
		return nil, b.fault(err)
	}
	return b, nil
}

// greet makes the browser tell of its tabs and attaches to those there are.
func (b *Browser) greet(ctx context.Context) error {
	if err := b.denyDownloads(ctx, ""); err != nil {
		return err
	}
	tabs := target.Filter{{Type: "page"}}
	steps := []struct {
		method string
		params any
	}{
		{"Target.setDiscoverTargets", target.SetDiscoverTargetsParams{Discover: true, Filter: tabs}},
		{"Target.setAutoAttach", target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: yes(), Filter: tabs}},
	}
	for _, s := range steps {
		if err := b.root.Call(ctx, s.method, s.params, nil); err != nil {
			return err
		}
	}
	// The events of the tabs there are came before the answer, in no order: one
	// that was opened by another may have come before it.
	all := b.Pages()
	b.mu.Lock()
	for _, p := range all {
		if opener := pageOf(all, p.openedBy); p.opener == "" && opener != nil {
			p.opener = opener.id
		}
	}
	b.mu.Unlock()
	// One in which a dialog of before stands does not answer: the others go on.
	again, cancel := context.WithTimeout(ctx, againLimit)
	defer cancel()
	for _, p := range all {
		within := ctx
		if _, known := b.cfg.Known[p.Target()]; known {
			within = again
		}
		select {
		case <-p.ready:
		case <-within.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// againLimit is how long a connection waits for the tabs of an earlier one.
const againLimit = 1500 * time.Millisecond

// Refs is the highest number that an element was told with.
func (b *Browser) Refs() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lastRef
}

// Secrets are the fields that were seen to hold a secret, the last many of them.
func (b *Browser) Secrets() []Secret {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.secrets)
}

// denyDownloads makes a context cancel downloads and tell of them.
func (b *Browser) denyDownloads(ctx context.Context, in ContextID) error {
	params := map[string]any{"behavior": "deny", "eventsEnabled": true}
	if in != "" {
		params["browserContextId"] = string(in)
	}
	return b.root.Call(ctx, "Browser.setDownloadBehavior", params, nil)
}

// Done is closed when the connection or the browser has ended.
func (b *Browser) Done() <-chan struct{} { return b.conn.Done() }

// Close lets the browser go without ending it, and waits for what this
// package started.
func (b *Browser) Close() error {
	b.end()
	err := b.conn.Close()
	b.wait.Wait()
	return err
}

// fault turns an error of the connection into a refusal.
func (b *Browser) fault(err error) error {
	var e *api.Error
	var said *devtools.Error
	switch {
	case err == nil, errors.As(err, &e):
		return err
	case errors.Is(err, devtools.ErrClosed):
		return stopped()
	case errors.As(err, &said):
		return api.Refuse(api.Internal, "the browser refused: %v", said)
	}
	return err
}

// stopped is the refusal of a browser that has ended.
func stopped() *api.Error {
	return api.Refuse(api.BrowserStopped, "the browser has stopped").WithHint("vibespace-browser open <url> starts it")
}

// NewContext makes a context that ends with the connection.
func (b *Browser) NewContext(ctx context.Context) (ContextID, error) {
	var made struct {
		ID ContextID `json:"browserContextId"`
	}
	params := map[string]any{"disposeOnDetach": true}
	if err := b.root.Call(ctx, "Target.createBrowserContext", params, &made); err != nil {
		return "", b.fault(err)
	}
	b.mu.Lock()
	b.contexts[made.ID] = true
	b.mu.Unlock()
	return made.ID, b.fault(b.denyDownloads(ctx, made.ID))
}

// CloseContext ends a context and its tabs.
func (b *Browser) CloseContext(ctx context.Context, id ContextID) error {
	return b.fault(b.root.Call(ctx, "Target.disposeBrowserContext", map[string]any{"browserContextId": string(id)}, nil))
}

// NewTab makes a tab. url is opened in it when it is not ""; the page is there
// also when its address could not be opened, and then comes with the refusal.
func (b *Browser) NewTab(ctx context.Context, in ContextID, url string) (*Page, *api.PageOpenAnswer, error) {
	params := map[string]any{"url": "about:blank"}
	if in != "" {
		params["browserContextId"] = string(in)
	}
	var made struct {
		ID target.ID `json:"targetId"`
	}
	if err := b.root.Call(ctx, "Target.createTarget", params, &made); err != nil {
		return nil, nil, b.fault(err)
	}
	p, err := b.await(ctx, made.ID)
	if err != nil {
		return nil, nil, b.fault(err)
	}
	if url == "" || url == "about:blank" {
		return p, &api.PageOpenAnswer{PageAnswer: p.Answer(), Loaded: true, Effects: []api.Effect{}}, nil
	}
	answer, err := p.Open(ctx, api.PageOpenRequest{URL: url})
	return p, answer, err
}

// await waits until the tab of a target is ready.
func (b *Browser) await(ctx context.Context, id target.ID) (*Page, error) {
	for {
		b.mu.Lock()
		at := slices.IndexFunc(b.pages, func(p *Page) bool { return p.target == id })
		changed := b.changed
		var p *Page
		if at >= 0 {
			p = b.pages[at]
		}
		b.mu.Unlock()
		if p != nil {
			select {
			case <-p.ready:
				return p, p.failed
			case <-ctx.Done():
				return nil, fmt.Errorf("make a tab: %w", context.Cause(ctx))
			}
		}
		select {
		case <-changed:
		case <-b.conn.Done():
			return nil, devtools.ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("make a tab: %w", context.Cause(ctx))
		}
	}
}

// Pages lists the tabs, oldest first.
func (b *Browser) Pages() []*Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pages)
}

// Page is the tab of that name; it is tab_gone when it was closed, and when
// there never was one.
func (b *Browser) Page(id api.TabID) (*Page, error) {
	for _, p := range b.Pages() {
		if p.id == id {
			return p, nil
		}
	}
	b.mu.Lock()
	last := b.lastTab
	b.mu.Unlock()
	for n := range last {
		if id == tabID(n+1) {
			return nil, gone(id)
		}
	}
	return nil, api.Refuse(api.TabGone, "there is no tab %s", api.Quote(string(id), 20)).WithHint("vibespace-browser tab list").With("tab", id)
}

// gone is the refusal of a tab that was closed.
func gone(id api.TabID) *api.Error {
	return api.Refuse(api.TabGone, "the tab %s was closed", id).WithHint("vibespace-browser tab list").With("tab", id)
}

// yes is true where the protocol wants a pointer.
func yes() *bool { return new(true) }
