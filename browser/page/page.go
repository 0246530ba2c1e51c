package page

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// Page is one tab. Its methods are safe for concurrent use. Each verb answers
// browser_stopped when the browser has ended, tab_gone when the tab has,
// page_crashed when its renderer has, dialog_open while a dialog stands, busy
// when too much waits.
type Page struct {
	b       *Browser
	id      api.TabID
	target  target.ID
	context ContextID
	opener  api.TabID // guarded by the browser's mu
	main    *link
	// openedBy is the target of the opener as the browser names it.
	openedBy target.ID

	ready  chan struct{} // closed when the tab is set up, or could not be
	failed error         // written before ready is closed

	refs refs // its own lock
	told told // what the reader was told; guarded by the gate
	// testRead is told that the page was read, before it is asked whether it is
	// the same still.
	testRead func()

	mu      sync.Mutex
	frames  map[cdp.FrameID]*frame
	title   string
	closed  bool
	crashed bool
	loading bool
	dialog  *dialog
	chooser *chooser
	status  map[cdp.LoaderID]int // HTTP statuses of documents, the last few
	op      *op                  // what runs
	effects []api.Effect         // seen while something watches
	watch   bool
	// requested: since something watches, the page asked for another document,
	// and its load has not begun; began: one began.
	requested, began bool
	// viewport is the size of what is on show, in CSS pixels; zero until asked.
	viewport api.Size
	// toldOrigin is the origin of the page that an answer told of last.
	toldOrigin string
	// untold: an earlier connection had the tab, and no answer of this one told
	// of its page.
	untold bool
	moved  chan struct{} // closed and made anew at every change of the above
	logs   rings
	// painting is the picture for the trace that was asked for last.
	painting *devtools.Pending
	// strayed are the documents in which what was written may show anywhere, the
	// last of them at the end.
	strayed []cdp.LoaderID
	// early: an earlier connection had the tab. What it wrote there is not known.
	early bool
}

// newPage is a tab before it is set up.
func newPage(b *Browser, id api.TabID, info *target.Info) *Page {
	in := ContextID(info.BrowserContextID)
	if !b.contexts[in] {
		in = "" // the profile's own has a name in the protocol as well
	}
	p := &Page{
		b: b, id: id, target: info.TargetID, openedBy: info.OpenerID, context: in, title: info.Title, ready: make(chan struct{}),
		frames: map[cdp.FrameID]*frame{}, status: map[cdp.LoaderID]int{}, moved: make(chan struct{}),
	}
	p.refs.init()
	main := cdp.FrameID(info.TargetID)
	p.frames[main] = &frame{id: main, url: info.URL}
	return p
}

// ID is the tab's name.
func (p *Page) ID() api.TabID { return p.id }

// Context is the context the tab lives in.
func (p *Page) Context() ContextID { return p.context }

// Target is the browser's own name of the tab.
func (p *Page) Target() string { return string(p.target) }

// Opener is the tab whose page opened this one, "" for none.
func (p *Page) Opener() api.TabID {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return p.opener
}

// Tab is the tab as a list shows it, from what is known: it asks nothing.
func (p *Page) Tab() api.Tab {
	a, opener := p.Answer(), p.Opener()
	p.mu.Lock()
	defer p.mu.Unlock()
	t := api.Tab{ID: p.id, URL: a.URL, Title: a.Title, Opener: opener, Crashed: p.crashed}
	if p.dialog != nil {
		t.Dialog = p.dialog.Kind
	}
	return t
}

// MayBeBlank says whether Blank is worth asking: it asks nothing itself, so that
// a page that hangs costs no time.
func (p *Page) MayBeBlank() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.frames[cdp.FrameID(p.target)]
	return p.lostLocked() == nil && p.dialog == nil && f != nil && (f.url == "" || f.url == ":" || f.url == "about:blank")
}

// Blank says whether nothing was ever opened in the tab, or written into it.
func (p *Page) Blank(ctx context.Context) (bool, error) {
	if err := p.setUpDone(ctx); err != nil {
		return false, err
	}
	d, err := p.document(ctx, p.mainFrame())
	if err != nil {
		return false, p.fault(ctx, err, false)
	}
	var blank bool
	err = d.ask(ctx, "blank", &blank)
	return blank, p.fault(ctx, err, false)
}

// Answer is the head of an answer about the page, from what is known.
func (p *Page) Answer() api.PageAnswer {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := api.PageAnswer{Answer: api.Answer{OK: true}, Tab: p.id, Title: p.title}
	if f := p.frames[cdp.FrameID(p.target)]; f != nil {
		a.URL = shownURL(f.url)
		p.toldOrigin, p.untold = f.shownOrigin(), false
	}
	return a
}

// Show brings the tab to the front of its window.
func (p *Page) Show(ctx context.Context) error {
	return p.b.fault(p.b.root.Call(ctx, "Target.activateTarget", map[string]any{"targetId": p.target}, nil))
}

// Close closes the tab, without asking its page.
func (p *Page) Close(ctx context.Context) error {
	if err := p.b.root.Call(ctx, "Target.closeTarget", map[string]any{"targetId": p.target}, nil); err != nil {
		p.mu.Lock()
		closed := p.closed
		p.mu.Unlock()
		if closed {
			return gone(p.id)
		}
		return p.b.fault(err)
	}
	return p.until(ctx, func() bool { return p.closed })
}

// tellLocked wakes who waits for a change of the page.
func (p *Page) tellLocked() {
	close(p.moved)
	p.moved = make(chan struct{})
}

// until waits for a condition, asked under the lock at every change.
func (p *Page) until(ctx context.Context, holds func() bool) error {
	for {
		p.mu.Lock()
		ok, moved := holds(), p.moved
		p.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-moved:
		case <-p.b.conn.Done():
			return stopped()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// saw notes something that happened, for an act that watches.
func (p *Page) saw(e api.Effect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watch {
		p.effects = append(p.effects, e)
	}
	p.tellLocked()
}

// titled notes the page's title.
func (p *Page) titled(title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.title = title
	p.tellLocked()
}

// closedNow notes that the tab is gone: what runs in it is cut.
func (p *Page) closedNow() {
	p.mu.Lock()
	p.closed, p.dialog, p.chooser = true, nil, nil
	links := map[*link]bool{p.main: true}
	for _, f := range p.frames {
		if f.link != nil {
			links[f.link] = true
		}
	}
	p.cutLocked(gone(p.id))
	p.tellLocked()
	p.mu.Unlock()
	for l := range links {
		l.s.Drop()
	}
}
