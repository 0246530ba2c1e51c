package page

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"vibespace/internal/api"
)

// decode reads an event's payload; what cannot be read is an empty one.
func decode[T any](params []byte) T {
	var v T
	_ = jsonv2.Unmarshal(params, &v) // the browser's own JSON: a newer one may lack a field
	return v
}

// event takes what the browser says of itself. It runs on the connection's
// reader: it must not wait.
func (b *Browser) event(method string, params []byte) {
	switch method {
	case "Target.attachedToTarget":
		e := decode[target.EventAttachedToTarget](params)
		if e.TargetInfo != nil && e.TargetInfo.Type == "page" {
			b.attached(string(e.SessionID), e.TargetInfo)
		}
	case "Target.detachedFromTarget":
		e := decode[target.EventDetachedFromTarget](params)
		b.detached(string(e.SessionID))
	case "Target.targetInfoChanged":
		e := decode[target.EventTargetInfoChanged](params)
		if p := b.byTarget(e.TargetInfo.TargetID); p != nil {
			p.titled(e.TargetInfo.Title)
		}
	case "Browser.downloadWillBegin":
		e := decode[struct {
			FrameID  cdp.FrameID `json:"frameId"`
			URL      string      `json:"url"`
			Filename string      `json:"suggestedFilename"`
		}](params)
		for _, p := range b.Pages() {
			if p.frame(e.FrameID) != nil {
				p.saw(api.Effect{Kind: "download", Text: e.Filename, URL: shownURL(e.URL)})
			}
		}
	}
}

// byTarget finds the tab of a target, nil when there is none.
func (b *Browser) byTarget(id target.ID) *Page {
	return pageOf(b.Pages(), id)
}

// pageOf finds the tab of a target among some, nil when there is none.
func pageOf(pages []*Page, id target.ID) *Page {
	for _, p := range pages {
		if p.target == id {
			return p
		}
	}
	return nil
}

// attached makes a page of a new tab, and sets it up beside the reader.
func (b *Browser) attached(session string, info *target.Info) {
	opener := b.byTarget(info.OpenerID)
	b.mu.Lock()
	id, known := b.cfg.Known[string(info.TargetID)]
	if !known {
		b.lastTab++
		id = tabID(b.lastTab)
	}
	p := newPage(b, id, info)
	p.untold, p.early = known, known
	p.recall()
	if opener != nil {
		p.opener = opener.id
	}
	p.main = p.link(session, nil)
	at, _ := slices.BinarySearchFunc(b.pages, p, func(q, p *Page) int { return tabNumber(q.id) - tabNumber(p.id) })
	b.pages = slices.Insert(slices.Clone(b.pages), at, p)
	b.tellLocked()
	b.mu.Unlock()
	if b.cfg.TabOpened != nil {
		b.cfg.TabOpened(p)
	}
	if opener != nil {
		opener.saw(api.Effect{Kind: "tab", Tab: p.id, URL: shownURL(info.URL)})
	}
	b.wait.Go(func() { p.setUp(b.life) })
}

// tellLocked wakes who waits for a tab.
func (b *Browser) tellLocked() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// detached forgets the tab of a session.
func (b *Browser) detached(session string) {
	b.mu.Lock()
	var p *Page
	for i, q := range b.pages {
		if q.main.s.ID() == session {
			p = q
			b.pages = append(b.pages[:i:i], b.pages[i+1:]...)
			break
		}
	}
	b.tellLocked()
	b.mu.Unlock()
	if p == nil {
		return
	}
	p.closedNow()
	if b.cfg.TabClosed != nil {
		b.cfg.TabClosed(p)
	}
	if opener := b.openerOf(p); opener != nil {
		opener.saw(api.Effect{Kind: "closed", Tab: p.id})
	}
}

// openerOf is the tab that opened p, while it is there.
func (b *Browser) openerOf(p *Page) *Page {
	opener := p.Opener()
	for _, q := range b.Pages() {
		if q.id == opener {
			return q
		}
	}
	return nil
}
