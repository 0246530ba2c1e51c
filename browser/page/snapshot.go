package page

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"vibespace/internal/api"
)

// The bounds of a snapshot's text.
const (
	defaultBytes = 24 << 10
	mostBytes    = 256 << 10
	// headBytes is left for the head and the fence.
	headBytes = 1 << 10
	maxDepth  = 64
)

// told is what the reader of a tab was told last: the base of a diff.
type told struct {
	loader     cdp.LoaderID
	generation int
	lines      map[api.Ref]string
}

// Snapshot reads the page.
func (p *Page) Snapshot(ctx context.Context, r api.PageSnapshotRequest) (*api.PageSnapshot, error) {
	return run(ctx, p, func(o *op) (*api.PageSnapshot, error) {
		return steady(o.ctx, p, func() (*api.PageSnapshot, error) { return p.snapshot(o.ctx, r) })
	})
}

// snapshot reads the page for who is in already.
func (p *Page) snapshot(ctx context.Context, r api.PageSnapshotRequest) (*api.PageSnapshot, error) {
	begun := time.Now()
	var base *entry
	if r.Root != "" {
		e, err := p.look(r.Root)
		if err != nil {
			return nil, err
		}
		base = e
	}
	s := &api.PageSnapshot{Nodes: []api.Node{}, Frames: []api.Frame{}, Source: "accessibility"}
	l := &lister{p: p, s: s, depth: r.Depth, left: budget(r), refs: map[*frameReading]*api.Ref{}}
	if l.depth <= 0 {
		l.depth = maxDepth
	}
	got, root, err := p.lookAt(ctx, r, base, l)
	if err != nil {
		return nil, err
	}
	s.RoundTrips = got.trips
	if base == nil && root.name != "" {
		p.titled(root.name) // the browser tells of a new one later
	}
	s.PageAnswer = p.Answer()
	s.Fence = fence()
	l.list(root, nil, 0)
	l.close()
	p.frameList(s, got, l)
	p.view(s, got)
	p.compare(s, r, got)
	s.TookMs = int(time.Since(begun).Milliseconds())
	return s, nil
}

// lookAt reads the page whole, or of a large one what an answer may hold.
func (p *Page) lookAt(ctx context.Context, r api.PageSnapshotRequest, base *entry, l *lister) (*reading, *item, error) {
	large, err := p.large(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !large {
		got, err := p.settledRead(ctx)
		if err != nil {
			return nil, nil, err
		}
		root, census, err := p.items(got, base, r.All)
		l.s.Census = census
		return got, root, err
	}
	root, census, more, err := p.readLarge(ctx, base, "")
	if err != nil {
		return nil, nil, err
	}
	l.s.Census, l.s.Source, l.lost = census, "script", more
	if more > 0 {
		l.cut("nodes", nil)
	}
	return &reading{frames: []*frameReading{root.fr}, trips: 4}, root, nil
}

// budget is how many bytes of lines a snapshot may have.
func budget(r api.PageSnapshotRequest) int {
	n := r.MaxBytes
	if n <= 0 {
		n = defaultBytes
		if r.All {
			n = mostBytes
		}
	}
	return max(min(n, mostBytes)-headBytes, 1<<10)
}

// fence is a word no page can know.
func fence() string { return strings.ToLower(rand.Text()[:8]) }

// joinLimit is how long a frame that has just moved to another process may
// take to tell of itself.
const joinLimit = time.Second

// joined waits a while for frames that are being attached.
func (p *Page) joined(ctx context.Context) {
	soon, cancel := context.WithTimeout(ctx, joinLimit)
	defer cancel()
	_ = p.until(soon, func() bool {
		for _, f := range p.frames {
			if f.loader == "" {
				return false
			}
		}
		return true
	})
}

// settledRead reads the page, all of it of one document.
func (p *Page) settledRead(ctx context.Context) (*reading, error) {
	p.joined(ctx)
	got, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	if p.testRead != nil {
		p.testRead()
	}
	if p.where(got.frames[0].f).loader != got.frames[0].at.loader {
		return nil, moved()
	}
	return got, nil
}

// steady reads, and once more when the page went on to another document
// meanwhile.
func steady[T any](ctx context.Context, p *Page, read func() (T, error)) (T, error) {
	for try := 0; ; try++ {
		v, err := read()
		if err == nil || ctx.Err() != nil || !p.wentOn(ctx, err) {
			return v, err
		}
		if try > 0 {
			return v, api.Refuse(api.Busy, "the page went on to another document twice while it was read").
				WithHint("vibespace-browser wait --load")
		}
		// The next document is on its way: its own loading is the best sign.
		soon, cancel := context.WithTimeout(ctx, time.Second)
		_ = p.until(soon, func() bool { return !p.loading })
		cancel()
	}
}

// wentOn says whether an error is that of a page that left its document, and
// not of an element that was named.
func (p *Page) wentOn(ctx context.Context, err error) bool {
	var e *api.Error
	return errors.As(p.fault(ctx, err, false), &e) && e.Code == api.StaleRef && e.Details["ref"] == nil
}

// items makes what is listed of a reading, from base down.
func (p *Page) items(got *reading, base *entry, all bool) (*item, api.Census, error) {
	var open key
	if base != nil {
		open = base.key
	}
	b := &builder{p: p, r: got, labels: map[key]bool{}, seen: map[key]*item{}, open: open}
	for _, fr := range got.frames {
		b.findLabels(fr)
	}
	root := b.frame(got.frames[0])
	if root == nil {
		return nil, b.count, api.Refuse(api.Busy, "the page has no tree yet").WithHint("vibespace-browser wait --load")
	}
	if base != nil {
		below := find(root, base.key)
		if below == nil {
			return nil, b.count, base.stale("not to be seen any more")
		}
		b.fold(below, all)
		return below, b.count, nil
	}
	b.fold(root, all)
	return root, b.count, nil
}

// find looks for an element among items.
func find(it *item, k key) *item {
	if it.key() == k {
		return it
	}
	for _, c := range it.kids {
		if found := find(c, k); found != nil {
			return found
		}
	}
	return nil
}

// lister writes items as nodes, until the bytes run out.
type lister struct {
	p     *Page
	s     *api.PageSnapshot
	depth int
	left  int
	why   string
	lost  int      // items left out
	last  *api.Ref // the node below which something was left out first
	refs  map[*frameReading]*api.Ref
}

// list adds an item and those below it.
func (l *lister) list(it *item, parent *api.Ref, depth int) {
	if l.left <= 0 {
		l.lost += size(it)
		return
	}
	n := l.p.node(it, parent, depth)
	cost := len(n.PageLine()) + 2*depth + 1
	if l.left -= cost; l.left < 0 {
		l.cut("bytes", parent)
		l.left = 0
		l.lost += size(it)
		return
	}
	l.s.Nodes = append(l.s.Nodes, n)
	ref := n.Ref
	if it.role == "iframe" || parent == nil {
		for _, k := range it.kids {
			if l.refs[k.fr] == nil && k.fr != it.fr {
				l.refs[k.fr] = &ref
			}
		}
	}
	if depth+1 >= l.depth && len(it.kids) > 0 {
		for _, k := range it.kids {
			l.lost += size(k)
		}
		l.cut("depth", &ref)
		return
	}
	for _, k := range it.kids {
		l.list(k, &ref, depth+1)
	}
}

// size counts an item and those below it.
func size(it *item) int {
	n := 1
	for _, k := range it.kids {
		n += size(k)
	}
	return n
}

// cut notes why and where something was left out first.
func (l *lister) cut(why string, below *api.Ref) {
	if l.why == "" {
		l.why, l.last = why, below
	}
}

// close says what was left out.
func (l *lister) close() {
	l.s.Census.Listed = len(l.s.Nodes)
	l.s.Census.Component = len(l.s.Nodes)
	if l.why == "" {
		return
	}
	how := "vibespace-browser snapshot --all"
	if l.last != nil && *l.last != l.s.Nodes[0].Ref {
		how = fmt.Sprintf("vibespace-browser snapshot --root %s", *l.last)
	} else if l.s.Source == "script" {
		how = "the page is too large to be read whole: find --name TEXT finds what was left out"
	} else if l.why == "bytes" {
		how += ", or find --name TEXT"
	}
	l.s.Cut = &api.Cut{Why: l.why, Continue: fmt.Sprintf("%d more left out: %s", l.lost, how)}
}

// node is an item as a reader sees it, with its number.
func (p *Page) node(it *item, parent *api.Ref, depth int) api.Node {
	n := api.Node{
		Ref: p.tell(it), Parent: parent, Depth: depth, Role: it.role, Name: it.name, States: it.states, Actions: it.actions,
		Text: it.text, Value: it.value, Description: it.desc, More: it.more,
	}
	if it.name == "" || it.holder != it.name {
		n.Placeholder = it.holder
	}
	if n.Actions == nil {
		n.Actions = []string{}
	}
	if n.States == nil {
		n.States = []string{}
	}
	n.States = slices.Clone(n.States)
	p.bound(&n, it)
	return n
}

// bound says where an item is.
func (p *Page) bound(n *api.Node, it *item) {
	x, y, w, h := it.rect[0], it.rect[1], it.rect[2], it.rect[3]
	if s := it.fr.shape; s != nil && it.at >= 0 {
		x, y, w, h, _ = s.box(it.at)
	}
	if w <= 0 || h <= 0 {
		return
	}
	r := api.Rect{X: int(math.Round(x)), Y: int(math.Round(y)), W: int(math.Round(w)), H: int(math.Round(h))}
	n.Bounds = &r
	n.States = append(n.States, "showing")
}

// frameList says which documents the page has.
func (p *Page) frameList(s *api.PageSnapshot, got *reading, l *lister) {
	top := got.frames[0].at.origin
	for _, fr := range got.frames {
		f := api.Frame{URL: shownURL(fr.at.url), Origin: fr.at.origin, Unreadable: fr.why, Ref: l.refs[fr]}
		f.CrossOrigin = f.Origin != top || f.Origin == "null" && fr != got.frames[0]
		s.Frames = append(s.Frames, f)
	}
}

// view says which part of the page is on show, and what of the nodes is
// outside of it.
func (p *Page) view(s *api.PageSnapshot, got *reading) {
	sh := got.frames[0].shape
	if sh == nil {
		return
	}
	s.Scrolled = api.Point{X: int(sh.doc.ScrollOffsetX), Y: int(sh.doc.ScrollOffsetY)}
	// The document's own layout box is the viewport at least.
	p.mu.Lock()
	s.Viewport = p.viewport
	p.mu.Unlock()
	if s.Viewport == (api.Size{}) {
		return
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if b := n.Bounds; b != nil && (b.X+b.W <= 0 || b.Y+b.H <= 0 || b.X >= s.Viewport.W || b.Y >= s.Viewport.H) {
			n.States = append(n.States, "offscreen")
		}
	}
}

// compare makes a snapshot the base of the next diff, and a diff of it when
// that was asked for and the document is the same.
func (p *Page) compare(s *api.PageSnapshot, r api.PageSnapshotRequest, got *reading) {
	loader := got.frames[0].at.loader
	lines := make(map[api.Ref]string, len(s.Nodes))
	for _, n := range s.Nodes {
		lines[n.Ref] = n.PageLine()
	}
	was := p.told
	s.Generation = was.generation + 1
	p.told.generation++
	if r.Root != "" {
		return // a part is no base for the whole
	}
	p.told = told{loader, s.Generation, lines}
	if !r.Diff {
		return
	}
	if was.lines == nil || was.loader != loader {
		s.Notices = append(s.Notices, "nothing to compare with: this is the whole page")
		return
	}
	s.Diffed, s.Diff = true, diff(was.lines, s.Nodes, lines)
	s.Nodes = []api.Node{}
}

// diff tells what changed between two tellings.
func diff(was map[api.Ref]string, nodes []api.Node, now map[api.Ref]string) []string {
	list := []string{}
	for _, n := range nodes {
		switch old, had := was[n.Ref]; {
		case !had:
			list = append(list, "+ "+now[n.Ref])
		case old != now[n.Ref]:
			list = append(list, "~ "+now[n.Ref])
		}
	}
	var lost []string
	for ref, line := range was {
		if _, still := now[ref]; !still {
			lost = append(lost, "- "+line)
		}
	}
	slices.Sort(lost)
	return append(list, lost...)
}
