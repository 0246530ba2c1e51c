package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

	"vibespace/internal/api"
)

// The bounds of what a page says.
const (
	ringSize  = 256
	mostGiven = 100
	mostSaid  = 64 << 10
	maxLine   = 2000
)

// ring keeps the last entries of a kind.
type ring[T any] struct {
	kept    []T
	dropped int
}

// add keeps an entry and drops the oldest of too many.
func (r *ring[T]) add(v T) {
	if len(r.kept) == ringSize {
		copy(r.kept, r.kept[1:])
		r.kept = r.kept[:ringSize-1]
		r.dropped++
	}
	r.kept = append(r.kept, v)
}

// rings is all a page says. They are guarded by the page's mu.
type rings struct {
	console, faults ring[api.Logged]
	requests        ring[*api.Requested]
	flying          map[network.RequestID]*api.Requested
	begun           map[network.RequestID]time.Time
}

// logged notes what a link says of console, faults and network.
func (l *link) logged(method string, params []byte) {
	p := l.p
	switch method {
	case "Runtime.consoleAPICalled":
		p.consoleLine(decode[runtime.EventConsoleAPICalled](params))
	case "Log.entryAdded":
		if e := decode[log.EventEntryAdded](params).Entry; e != nil {
			p.note(e.Level == "error", api.Logged{At: now(), Level: string(e.Level), Text: e.Text, URL: shownURL(e.URL), Line: int(e.LineNumber)})
		}
	case "Runtime.exceptionThrown":
		if d := decode[runtime.EventExceptionThrown](params).ExceptionDetails; d != nil {
			p.note(true, api.Logged{At: now(), Level: "error", Text: exception(d), URL: shownURL(d.URL), Line: int(d.LineNumber) + 1})
		}
	case "Network.requestWillBeSent":
		p.requestSent(decode[network.EventRequestWillBeSent](params))
	case "Network.responseReceived":
		p.responded(decode[network.EventResponseReceived](params))
	case "Network.loadingFailed":
		e := decode[network.EventLoadingFailed](params)
		p.landed(e.RequestID, e.ErrorText)
	case "Network.loadingFinished":
		p.landed(decode[network.EventLoadingFinished](params).RequestID, "")
	}
}

// note keeps a line; faults are kept among the errors as well.
func (p *Page) note(fault bool, line api.Logged) {
	line.Text = cutRunes(strings.ToValidUTF8(line.Text, "\uFFFD"), maxLine)
	p.mu.Lock()
	defer p.mu.Unlock()
	if fault {
		p.logs.faults.add(line)
		return
	}
	p.logs.console.add(line)
}

// consoleLine notes a line of the console.
func (p *Page) consoleLine(e runtime.EventConsoleAPICalled) {
	words := make([]string, 0, len(e.Args))
	for _, a := range e.Args {
		switch {
		case a == nil:
		case len(a.Value) > 0:
			words = append(words, plain(a.Value))
		case a.Description != "":
			words = append(words, a.Description)
		default:
			words = append(words, string(a.Type))
		}
	}
	line := api.Logged{At: now(), Level: string(e.Type), Text: strings.Join(words, " ")}
	if e.StackTrace != nil && len(e.StackTrace.CallFrames) > 0 {
		top := e.StackTrace.CallFrames[0]
		line.URL, line.Line = shownURL(top.URL), int(top.LineNumber)+1
	}
	p.note(false, line)
	if line.Level == "error" || line.Level == "assert" {
		p.note(true, line)
	}
}

// requestSent notes a request; a redirect ends the one before it.
func (p *Page) requestSent(e network.EventRequestWillBeSent) {
	if e.Request == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.logs.flying == nil {
		p.logs.flying, p.logs.begun = map[network.RequestID]*api.Requested{}, map[network.RequestID]time.Time{}
	}
	if old := p.logs.flying[e.RequestID]; old != nil && e.RedirectResponse != nil {
		n := int(e.RedirectResponse.Status)
		old.Status = &n
	}
	if len(p.logs.flying) > 4*ringSize { // requests that never end: their answers are not waited for
		clear(p.logs.flying)
		clear(p.logs.begun)
	}
	q := &api.Requested{At: now(), Method: e.Request.Method, URL: shownURL(e.Request.URL), Type: strings.ToLower(string(e.Type))}
	p.logs.flying[e.RequestID], p.logs.begun[e.RequestID] = q, time.Now()
	p.logs.requests.add(q)
}

// responded notes the status of an answer.
func (p *Page) responded(e network.EventResponseReceived) {
	if e.Response == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := int(e.Response.Status)
	if q := p.logs.flying[e.RequestID]; q != nil {
		q.Status = &n
	}
	if e.Type == network.ResourceTypeDocument && e.FrameID == cdp.FrameID(p.target) {
		if len(p.status) > 8 {
			clear(p.status)
		}
		p.status[e.LoaderID] = n
		p.tellLocked()
	}
}

// landed notes the end of a request.
func (p *Page) landed(id network.RequestID, failed string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.logs.flying[id]; q != nil {
		took := int(time.Since(p.logs.begun[id]).Milliseconds())
		q.TookMs, q.Failed = &took, failed
	}
	delete(p.logs.flying, id)
	delete(p.logs.begun, id)
}

// Console gives what the page logged. Like Errors and Requests it waits for no
// other verb.
func (p *Page) Console(_ context.Context, r api.PageLogRequest) (*api.LoggedAnswer, error) {
	return p.given(r, func() *ring[api.Logged] { return &p.logs.console })
}

// Errors gives what went wrong in the page.
func (p *Page) Errors(_ context.Context, r api.PageLogRequest) (*api.LoggedAnswer, error) {
	return p.given(r, func() *ring[api.Logged] { return &p.logs.faults })
}

// given hands out a ring's last lines.
func (p *Page) given(r api.PageLogRequest, which func() *ring[api.Logged]) (*api.LoggedAnswer, error) {
	a := &api.LoggedAnswer{PageAnswer: p.Answer()}
	a.Fence = fence()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, gone(p.id)
	}
	a.Entries, a.Cut = tail(which().kept, r.Tail, func(l api.Logged) int { return len(l.Text) + len(l.URL) + 40 })
	a.Dropped = which().dropped
	return a, nil
}

// Requests gives what the page asked the network for.
func (p *Page) Requests(_ context.Context, r api.PageLogRequest) (*api.RequestsAnswer, error) {
	a := &api.RequestsAnswer{PageAnswer: p.Answer()}
	a.Fence = fence()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, gone(p.id)
	}
	last, cut := tail(p.logs.requests.kept, r.Tail, func(q *api.Requested) int { return len(q.URL) + len(q.Failed) + 60 })
	a.Cut, a.Dropped, a.Entries = cut, p.logs.requests.dropped, make([]api.Requested, len(last))
	for i, q := range last {
		a.Entries[i] = *q
	}
	return a, nil
}

// tail is the last entries, as many as are wanted, allowed and fit.
func tail[T any](kept []T, want int, size func(T) int) ([]T, *api.Cut) {
	if want <= 0 || want > mostGiven {
		want = mostGiven
	}
	from, bytes := len(kept), 0
	why := "nodes"
	for from > 0 && len(kept)-from < want {
		if bytes += size(kept[from-1]); bytes > mostSaid {
			why = "bytes"
			break
		}
		from--
	}
	list := append([]T{}, kept[from:]...)
	if from == 0 || (why == "nodes" && want < mostGiven) {
		return list, nil
	}
	return list, &api.Cut{Why: why, Continue: fmt.Sprintf("%d older ones are kept and not handed out", from)}
}
