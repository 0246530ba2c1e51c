package page

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// link is one session of a page: the page's own, or that of a frame that
// lives in another process.
type link struct {
	p      *Page
	s      *devtools.Session
	parent *link // nil for the page's own
}

// link makes a session of the page known.
func (p *Page) link(session string, parent *link) *link {
	l := &link{p: p, parent: parent}
	l.s = p.b.conn.Session(session, l.event)
	return l
}

// frame is one document's place in a page. Its fields are guarded by the
// page's mu.
type frame struct {
	id     cdp.FrameID
	parent cdp.FrameID // "" for the page's own
	loader cdp.LoaderID
	url    string
	origin string // as the browser gives it: "://" or "" for an opaque one
	link   *link
	// owner is the element of the parent that shows the frame, 0 until asked.
	owner cdp.BackendNodeID

	// agent is our own script's object in the frame, of the document agentOf.
	agent   runtime.RemoteObjectID
	world   runtime.ExecutionContextID
	agentOf cdp.LoaderID
}

// frame is the frame of that name, nil for none.
func (p *Page) frame(id cdp.FrameID) *frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames[id]
}

// mainFrame is the page's own frame.
func (p *Page) mainFrame() *frame { return p.frame(cdp.FrameID(p.target)) }

// setUp makes a new tab tell what it does, and lets it run.
func (p *Page) setUp(ctx context.Context) {
	p.failed = p.main.setUp(ctx)
	close(p.ready)
	p.b.mu.Lock()
	p.b.tellLocked()
	p.b.mu.Unlock()
}

// noPrint keeps a page from opening the browser's own print dialog, which
// nothing here can answer; the console says that it tried.
const noPrint = `window.print = function print() { console.info("print() was called; nothing is printed here"); };`

// setUp switches on what a link has to tell. All of it is on its way at once;
// the target waits until the last step lets it run.
func (l *link) setUp(ctx context.Context) error {
	type m = map[string]any
	steps := []struct {
		method string
		params any
	}{
		{"Page.enable", nil},
		{"Runtime.enable", nil},
		{"DOM.enable", nil},
		{"Log.enable", nil},
		{"Network.enable", m{"maxTotalBufferSize": 1 << 20, "maxResourceBufferSize": 1 << 16}},
		{"Page.setInterceptFileChooserDialog", m{"enabled": true}},
		{"Emulation.setFocusEmulationEnabled", m{"enabled": true}},
		{"Page.addScriptToEvaluateOnNewDocument", m{"source": noPrint, "runImmediately": true}},
		{"Fetch.enable", m{"handleAuthRequests": true, "patterns": []m{{"resourceType": "Document"}}}},
		{"Target.setAutoAttach", target.SetAutoAttachParams{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: yes(), Filter: target.Filter{{Type: "iframe"}},
		}},
	}
	var sent []*devtools.Pending
	for _, s := range steps {
		params := s.params
		if params == nil {
			params = m{}
		}
		c, err := l.s.Begin(s.method, params)
		if err != nil {
			return err
		}
		sent = append(sent, c)
	}
	tree, err := l.s.Begin("Page.getFrameTree", nil)
	if err != nil {
		return err
	}
	run, err := l.s.Begin("Runtime.runIfWaitingForDebugger", nil)
	if err != nil {
		return err
	}
	var frames page.GetFrameTreeResult
	if err := tree.Wait(ctx, &frames); err != nil {
		return err
	}
	l.p.mu.Lock()
	l.plantLocked(frames.FrameTree, "")
	l.p.tellLocked()
	l.p.mu.Unlock()
	for _, c := range append(sent, run) {
		if err := c.Wait(ctx, nil); err != nil && l.parent == nil {
			return err
		}
	}
	return nil
}

// plantLocked notes a tree of frames. A frame that has moved on since by its
// events is newer than the tree.
func (l *link) plantLocked(t *page.FrameTree, parent cdp.FrameID) {
	if t == nil || t.Frame == nil {
		return
	}
	f := l.p.frames[t.Frame.ID]
	if f == nil {
		f = &frame{id: t.Frame.ID, parent: parent}
		l.p.frames[f.id] = f
	}
	if f.link != l || f.loader == "" {
		f.link = l
		f.take(t.Frame)
	}
	if l.p.early && f.id == cdp.FrameID(l.p.target) {
		l.p.strayLocked(t.Frame.LoaderID)
	}
	for _, child := range t.ChildFrames {
		l.plantLocked(child, f.id)
	}
}

// take notes the document a frame shows.
func (f *frame) take(now *cdp.Frame) {
	f.loader, f.url, f.origin = now.LoaderID, now.URL+now.URLFragment, now.SecurityOrigin
	if now.UnreachableURL != "" {
		f.url = now.UnreachableURL
	}
	if now.ParentID != "" && f.parent == "" {
		f.parent = now.ParentID
	}
}

// originLocked is the frame's origin as we compare it, "null" for an opaque
// one.
func (f *frame) shownOrigin() string {
	if f.origin == "" || f.origin == "://" || f.origin == "null" {
		return "null"
	}
	return originOf(f.origin)
}

// adopt takes a frame that lives in another process.
func (l *link) adopt(session string, info *target.Info) {
	p := l.p
	child := p.link(session, l)
	id := cdp.FrameID(info.TargetID)
	p.mu.Lock()
	f := p.frames[id]
	if f == nil {
		f = &frame{id: id, parent: info.ParentFrameID}
		p.frames[id] = f
	}
	f.link, f.loader, f.url = child, "", info.URL
	p.tellLocked()
	p.mu.Unlock()
	p.b.wait.Go(func() { _ = child.setUp(p.b.life) }) // one that is gone again tells nothing
}

// release forgets a link that was detached, and the frames that lived in it.
func (l *link) release(session string) {
	p := l.p
	p.mu.Lock()
	var lost *link
	for id, f := range p.frames {
		if f.link != nil && f.link.s.ID() == session {
			lost = f.link
			delete(p.frames, id)
		}
	}
	p.tellLocked()
	p.mu.Unlock()
	if lost != nil {
		lost.s.Drop()
	}
}

// agent makes sure of our script's object in a frame, in a world the page's
// own scripts cannot reach.
func (p *Page) agent(ctx context.Context, f *frame) (runtime.RemoteObjectID, runtime.ExecutionContextID, error) {
	p.mu.Lock()
	l, loader, have, world := f.link, f.loader, f.agent, f.world
	known := f.agentOf == loader && have != ""
	p.mu.Unlock()
	if known {
		return have, world, nil
	}
	if l == nil {
		return "", 0, moved()
	}
	made, err := devtools.Call(ctx, l.s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: f.id, WorldName: "vibespace"})
	if err != nil {
		return "", 0, err
	}
	ran, err := devtools.Call(ctx, l.s, runtime.Evaluate, runtime.EvaluateParams{Expression: agentSource, ContextID: made.ExecutionContextID})
	if err != nil {
		return "", 0, err
	}
	if ran.ExceptionDetails != nil || ran.Result == nil {
		return "", 0, fmt.Errorf("our script in the page: %s", exception(ran.ExceptionDetails))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f.agent, f.world, f.agentOf = ran.Result.ObjectID, made.ExecutionContextID, loader
	return f.agent, f.world, nil
}

// exception is what a script threw, in a line.
func exception(e *runtime.ExceptionDetails) string {
	switch {
	case e == nil:
		return "it gave nothing"
	case e.Exception != nil && e.Exception.Description != "":
		return e.Exception.Description
	}
	return e.Text
}

// framesInOrder lists the frames of the page, parents before their children.
func (p *Page) framesInOrder() []*frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	below := map[cdp.FrameID][]*frame{}
	for _, f := range p.frames {
		below[f.parent] = append(below[f.parent], f)
	}
	var list []*frame
	var walk func(f *frame)
	walk = func(f *frame) {
		list = append(list, f)
		for _, c := range below[f.id] {
			walk(c)
		}
	}
	if f := p.frames[cdp.FrameID(p.target)]; f != nil {
		walk(f)
	}
	return list
}

// where is what a frame is at one moment.
type where struct {
	loader cdp.LoaderID
	link   *link
	url    string
	origin string
	parent cdp.FrameID
}

// where reads a frame at one moment.
func (p *Page) where(f *frame) where {
	p.mu.Lock()
	defer p.mu.Unlock()
	return where{f.loader, f.link, f.url, f.shownOrigin(), f.parent}
}

// Frame lists are bounded: a page may hold any number.
const maxFrames = 64

// effectOf is a navigation as an effect.
func effectOf(url string, sameDocument bool, status *int) api.Effect {
	return api.Effect{Kind: "navigation", URL: shownURL(url), SameDocument: sameDocument, Status: status}
}

// ownerNode is the element of the parent that shows the frame, 0 while it is
// not known.
func (f *frame) ownerNode() cdp.BackendNodeID {
	if f.link == nil {
		return 0
	}
	f.link.p.mu.Lock()
	defer f.link.p.mu.Unlock()
	return f.owner
}

// findOwners asks for the elements that show frames, where that is not known.
func (p *Page) findOwners() map[*frame]*devtools.Pending {
	asked := map[*frame]*devtools.Pending{}
	for _, f := range p.framesInOrder() {
		p.mu.Lock()
		up := p.frames[f.parent]
		known := f.owner != 0 || up == nil || up.link == nil || len(asked) >= maxFrames
		p.mu.Unlock()
		if known {
			continue
		}
		if c, err := up.link.s.Begin("DOM.getFrameOwner", map[string]any{"frameId": f.id}); err == nil {
			asked[f] = c
		}
	}
	return asked
}

// keepOwners keeps what was asked. A frame that is gone again has none.
func (p *Page) keepOwners(ctx context.Context, asked map[*frame]*devtools.Pending) {
	for f, c := range asked {
		var got struct {
			Backend cdp.BackendNodeID `json:"backendNodeId"`
		}
		if c.Wait(ctx, &got) == nil {
			p.mu.Lock()
			f.owner = got.Backend
			p.mu.Unlock()
		}
	}
}
