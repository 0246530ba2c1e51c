package page

import (
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"vibespace/internal/api"
)

// event takes what a link says. It runs on the connection's reader: it must
// not wait.
func (l *link) event(method string, params []byte) {
	switch method {
	case "Page.frameAttached":
		l.frameAttached(decode[page.EventFrameAttached](params))
	case "Page.frameNavigated":
		l.frameNavigated(decode[page.EventFrameNavigated](params))
	case "Page.navigatedWithinDocument":
		l.navigatedWithin(decode[page.EventNavigatedWithinDocument](params))
	case "Page.frameDetached":
		l.frameDetached(decode[page.EventFrameDetached](params))
	case "Page.frameRequestedNavigation", "Page.frameStartedLoading", "Page.frameStoppedLoading":
		l.leaving(method, params)
	case "Page.javascriptDialogOpening":
		l.dialogOpening(decode[page.EventJavascriptDialogOpening](params))
	case "Page.javascriptDialogClosed":
		l.p.dialogClosed()
	case "Page.fileChooserOpened":
		l.chooserOpened(decode[page.EventFileChooserOpened](params))
	case "Inspector.targetCrashed":
		l.crash()
	case "Target.attachedToTarget":
		e := decode[target.EventAttachedToTarget](params)
		if e.TargetInfo != nil {
			l.adopt(string(e.SessionID), e.TargetInfo)
		}
	case "Target.detachedFromTarget":
		l.release(string(decode[target.EventDetachedFromTarget](params).SessionID))
	case "Fetch.requestPaused":
		e := decode[fetch.EventRequestPaused](params)
		l.s.Post("Fetch.continueRequest", fetch.ContinueRequestParams{RequestID: e.RequestID})
	case "Fetch.authRequired":
		l.noAuth(decode[fetch.EventAuthRequired](params))
	default:
		l.logged(method, params)
	}
}

// frameAttached notes a new frame.
func (l *link) frameAttached(e page.EventFrameAttached) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.frames[e.FrameID]; f != nil {
		if f.link == nil || f.link == l {
			f.link = l
		}
		return
	}
	p.frames[e.FrameID] = &frame{id: e.FrameID, parent: e.ParentFrameID, link: l}
	p.tellLocked()
}

// frameNavigated notes a new document. The main one's is what an act did.
func (l *link) frameNavigated(e page.EventFrameNavigated) {
	if e.Frame == nil {
		return
	}
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.frames[e.Frame.ID]
	if f == nil {
		f = &frame{id: e.Frame.ID, parent: e.Frame.ParentID}
		p.frames[f.id] = f
	}
	f.link = l
	f.take(e.Frame)
	if f.id == cdp.FrameID(p.target) {
		if p.early && e.Type == page.NavigationTypeBackForwardCacheRestore {
			p.strayLocked(f.loader) // it may be of before this connection
		}
		p.chooser = nil
		if p.watch {
			var status *int
			if n, ok := p.status[f.loader]; ok {
				status = &n
			}
			p.effects = append(p.effects, effectOf(f.url, false, status))
		}
	}
	p.tellLocked()
}

// navigatedWithin notes a new address of the same document.
func (l *link) navigatedWithin(e page.EventNavigatedWithinDocument) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.frames[e.FrameID]
	if f == nil {
		return
	}
	f.url = e.URL
	if f.id == cdp.FrameID(p.target) && p.watch {
		p.requested = false
		p.effects = append(p.effects, effectOf(e.URL, true, nil))
	}
	p.tellLocked()
}

// frameDetached forgets a frame, unless it goes on in another process.
func (l *link) frameDetached(e page.EventFrameDetached) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.frames[e.FrameID]
	if f == nil || f.link != l || e.Reason == page.FrameDetachedReasonSwap {
		return
	}
	delete(p.frames, e.FrameID)
	for id, c := range p.frames {
		if c.parent == e.FrameID {
			delete(p.frames, id)
		}
	}
	p.tellLocked()
}

// leaving takes what a link says of the ways to another document.
func (l *link) leaving(method string, params []byte) {
	if method == "Page.frameRequestedNavigation" {
		l.requested(decode[page.EventFrameRequestedNavigation](params))
		return
	}
	l.loading(decode[page.EventFrameStartedLoading](params).FrameID, method == "Page.frameStartedLoading")
}

// requested notes that the page asks for another document in its main frame.
func (l *link) requested(e page.EventFrameRequestedNavigation) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.FrameID == cdp.FrameID(p.target) && e.Disposition == page.ClientNavigationDispositionCurrentTab && p.watch {
		p.requested = true
		p.tellLocked()
	}
}

// loading notes that the main frame begins or ends to load.
func (l *link) loading(id cdp.FrameID, begins bool) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if id == cdp.FrameID(p.target) {
		p.loading, p.requested, p.began = begins, false, p.began || begins && p.watch
		p.tellLocked()
	}
}

// crash notes that the renderer of the page has ended; that of a frame in
// another process takes only its frame.
func (l *link) crash() {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.parent != nil {
		for id, f := range p.frames {
			if f.link == l {
				delete(p.frames, id)
			}
		}
		p.tellLocked()
		return
	}
	p.crashed, p.dialog, p.chooser, p.loading = true, nil, nil, false
	p.cutLocked(crashed(p.id))
	p.tellLocked()
}

// noAuth turns a request for credentials down: the page shows what the server
// says to that, and no dialog of the browser's stands.
func (l *link) noAuth(e fetch.EventAuthRequired) {
	l.s.Post("Fetch.continueWithAuth", map[string]any{
		"requestId": e.RequestID, "authChallengeResponse": map[string]any{"response": "CancelAuth"},
	})
	l.p.saw(api.Effect{Kind: "auth", Text: "the server asked for a user and a password"})
}

// now is the time of an entry.
func now() time.Time { return time.Now().UTC() }
