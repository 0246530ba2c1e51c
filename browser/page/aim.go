package page

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// state is what our script says of an element.
type state struct {
	Gone         bool     `json:"gone"`
	Tag          string   `json:"tag"`
	Kind         string   `json:"kind"`
	Text         string   `json:"text"`
	Disabled     bool     `json:"disabled"`
	Hidden       bool     `json:"hidden"`
	Readonly     bool     `json:"readonly"`
	Textual      bool     `json:"textual"`
	Picker       bool     `json:"picker"`
	Multiple     bool     `json:"multiple"`
	Autocomplete string   `json:"autocomplete"`
	Words        []string `json:"words"`
	Dangling     bool     `json:"dangling"`
	Focused      bool     `json:"focused"`
	Checked      *bool    `json:"checked"`
	Pressed      *bool    `json:"pressed"`
	Expanded     *bool    `json:"expanded"`
	HasValue     bool     `json:"hasValue"`
	Value        string   `json:"value"`
	Length       int      `json:"length"`
	// Thin: it takes text and shows none of it.
	Thin bool `json:"thin"`
}

// aim is an element that was looked at again just now.
type aim struct {
	*node
	e      *entry
	state  state
	secret bool
}

// take looks at an element again: it must be there, and be what was told.
func (p *Page) take(ctx context.Context, ref api.Ref) (*aim, error) {
	e, err := p.look(ref)
	if err != nil {
		return nil, err
	}
	n, err := p.resolve(ctx, e.f, e.key.backend)
	if err != nil {
		return nil, e.lost(ctx, err)
	}
	// Both are on their way at once.
	say, err := n.begin("state", true)
	if err != nil {
		return nil, err
	}
	no := false
	tree, err := devtools.Begin(n.l.s, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: n.object, FetchRelatives: &no})
	if err != nil {
		return nil, err
	}
	a := &aim{node: n, e: e}
	if err := n.settle(ctx, say, "state", &a.state); err != nil {
		return nil, e.lost(ctx, err)
	}
	if a.state.Gone {
		return nil, e.stale("gone")
	}
	nodes, err := axNodes(ctx, tree)
	if err != nil {
		return nil, e.lost(ctx, err)
	}
	if err := a.same(nodes); err != nil {
		return nil, err
	}
	name := e.name
	a.secret = p.isSecret(e.key, secret(a.state.Kind, a.state.Autocomplete, a.state.Dangling, append(a.state.Words, name)...))
	return a, nil
}

// lost is the refusal of an element that cannot be found any more.
func (e *entry) lost(ctx context.Context, err error) error {
	var said *devtools.Error
	if ctx.Err() != nil || !errors.As(err, &said) {
		return err
	}
	for _, words := range []string{"does not belong to the document", "No node", "Could not find", "Node with given id", "Cannot find context", "not found", "Could not compute"} {
		if strings.Contains(said.Message, words) {
			return e.stale("gone")
		}
	}
	return err
}

// same refuses an element that has become another one since it was told.
func (a *aim) same(nodes []*axNode) error {
	var now *axNode
	for _, n := range nodes {
		if n.Backend == a.e.key.backend {
			now = n
		}
	}
	switch {
	case a.e.print == documentPrint: // whatever its title is by now
		return nil
	case a.e.made:
		if printOf("listener", a.state.Text) != a.e.print && a.e.name == "" == (a.state.Text == "") {
			return a.e.stale(describe(a.e.role, a.state.Text))
		}
	case now == nil || now.Ignored:
		return a.e.stale("hidden")
	case printOf(now.Role.text(), now.Name.text()) != a.e.print:
		return a.e.stale(describe(roleName(now.Role.text()), now.Name.text()))
	}
	return nil
}

// describe is a role and a name.
func describe(role, name string) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", role, api.Quote(name, 120)))
}

// usable refuses an element that nobody can use now.
func (a *aim) usable() error {
	switch {
	case a.state.Disabled:
		return api.Refuse(api.Disabled, "%s %s is disabled", a.e.ref, describe(a.e.role, a.e.name)).
			WithHint("something else has to be done first: vibespace-browser snapshot").With("ref", a.e.ref)
	case a.state.Hidden:
		return api.Refuse(api.WindowNotVisible, "%s %s is hidden", a.e.ref, describe(a.e.role, a.e.name)).
			WithHint("vibespace-browser snapshot").With("ref", a.e.ref)
	}
	return nil
}

// point is a place in the viewport of the page, and of the process that shows
// the element.
type point struct{ x, y float64 }

// place brings an element into view and finds a point of it where it gets what
// is done there, whatever lies above it.
func (a *aim) place(ctx context.Context) (point, error) {
	if err := a.ask(ctx, "reveal", nil); err != nil {
		return point{}, a.e.lost(ctx, err)
	}
	if err := a.still(ctx); err != nil {
		return point{}, err
	}
	var cover string
	for try := range 3 {
		points, off, err := a.points(ctx)
		if err != nil {
			return point{}, err
		}
		for _, at := range points {
			cover, err = a.hit(ctx, at)
			if err != nil {
				return point{}, err
			}
			if cover != "" {
				continue
			}
			outer, by, err := a.outer(ctx, point{at.x, at.y}, off)
			if err != nil {
				return point{}, err
			}
			if by == "" {
				return outer, nil
			}
			cover = by
		}
		if len(points) > 0 {
			break
		}
		if try < 2 {
			a.p.drawn(ctx) // what scrolls across processes takes a frame
		}
	}
	if a.p.where(a.f).loader != a.e.key.loader { // what went with its document has no place and is not covered
		return point{}, moved()
	}
	if cover == "" {
		return point{}, api.Refuse(api.WindowNotVisible, "%s %s takes no place on the page", a.e.ref, describe(a.e.role, a.e.name)).
			WithHint("vibespace-browser snapshot").With("ref", a.e.ref)
	}
	return point{}, api.Refuse(api.Occluded, "%s %s is covered by %s", a.e.ref, describe(a.e.role, a.e.name), api.Quote(cover, 120)).
		WithHint("close or scroll away what covers it: vibespace-browser snapshot").With("ref", a.e.ref).With("cover", cover)
}

// still waits until an element in another process has come to rest: the frames
// around it scroll after it, and the browser sends input to where they were
// drawn last.
func (a *aim) still(ctx context.Context) error {
	if a.l.parent == nil {
		return nil
	}
	var last clip
	for range 5 {
		for _, f := range []*frame{a.f, a.p.mainFrame()} {
			d, err := a.p.document(ctx, f)
			if err != nil {
				return err
			}
			if err := d.ask(ctx, "painted", nil); err != nil {
				return err
			}
		}
		v, err := a.l.parent.view(ctx)
		if err != nil {
			return err
		}
		own, err := a.l.view(ctx)
		if err != nil {
			return err
		}
		now := clip{X: v.x + own.x, Y: v.y + own.y, W: v.x, H: v.y}
		if now == last {
			return nil
		}
		last = now
	}
	return nil
}

// view is how far a process's document is scrolled, and how much of it shows.
type view struct{ x, y, w, h float64 }

// points are places of the element, the middle first, in its process's
// viewport.
func (a *aim) points(ctx context.Context) ([]point, view, error) {
	quads, err := devtools.Begin(a.l.s, dom.GetContentQuads, dom.GetContentQuadsParams{ObjectID: a.object})
	if err != nil {
		return nil, view{}, err
	}
	v, err := a.l.view(ctx)
	if err != nil {
		return nil, v, err
	}
	var got dom.GetContentQuadsResult
	if err := quads.Wait(ctx, &got); err != nil {
		var said *devtools.Error
		if ctx.Err() == nil && errors.As(err, &said) {
			return nil, v, nil // it has no box
		}
		return nil, v, err
	}
	for _, q := range got.Quads {
		if len(q) == 8 {
			if list := pointsOf(q, v); len(list) > 0 {
				return list, v, nil
			}
		}
	}
	return nil, v, nil
}

// pointsOf are the middle of what shows of a quad, and the middles of its
// quarters.
func pointsOf(q []float64, v view) []point {
	left, right := min(q[0], q[2], q[4], q[6]), max(q[0], q[2], q[4], q[6])
	top, bottom := min(q[1], q[3], q[5], q[7]), max(q[1], q[3], q[5], q[7])
	left, top, right, bottom = max(left, 0), max(top, 0), min(right, v.w), min(bottom, v.h)
	w, h := right-left, bottom-top
	if w < 0.5 || h < 0.5 {
		return nil
	}
	list := []point{{left + w/2, top + h/2}}
	for _, f := range [][2]float64{{.25, .25}, {.75, .25}, {.25, .75}, {.75, .75}} {
		list = append(list, point{left + w*f[0], top + h*f[1]})
	}
	return list
}

// view asks a process how its document is scrolled.
func (l *link) view(ctx context.Context) (view, error) {
	var got struct {
		View struct {
			X float64 `json:"pageX"`
			Y float64 `json:"pageY"`
			W float64 `json:"clientWidth"`
			H float64 `json:"clientHeight"`
		} `json:"cssLayoutViewport"`
	}
	err := l.s.Call(ctx, "Page.getLayoutMetrics", nil, &got)
	return view{got.View.X, got.View.Y, got.View.W, got.View.H}, err
}

// hit says what would get a click at a point of the element's process: "" for
// the element itself.
func (a *aim) hit(ctx context.Context, at point) (cover string, err error) {
	v, err := a.l.view(ctx)
	if err != nil {
		return "", err
	}
	got, err := a.l.under(ctx, at, v)
	var said *devtools.Error
	if errors.As(err, &said) && ctx.Err() == nil {
		return "nothing that can be clicked", nil
	}
	if err != nil {
		return "", err
	}
	if got.BackendNodeID == a.e.key.backend {
		return "", nil
	}
	f := a.p.frame(got.FrameID)
	if f != a.f {
		// Another document lies there: a frame over it, or the frame's own below.
		return a.p.name(ctx, got), nil
	}
	other, err := a.p.resolve(ctx, f, got.BackendNodeID)
	if err != nil {
		return "", err
	}
	err = a.ask(ctx, "reaches", &cover, other)
	return cover, err
}

// under is the node at a point of a process's viewport.
func (l *link) under(ctx context.Context, at point, v view) (dom.GetNodeForLocationResult, error) {
	return devtools.Call(ctx, l.s, dom.GetNodeForLocation, dom.GetNodeForLocationParams{X: int64(at.x + v.x), Y: int64(at.y + v.y)})
}

// outer takes a point of a process's viewport to the page's, and looks at each
// frame on the way whether something covers it there.
func (a *aim) outer(ctx context.Context, at point, _ view) (point, string, error) {
	l := a.l
	for l.parent != nil {
		f, up := a.p.rootOf(l), l.parent
		if f == nil {
			return at, "", moved()
		}
		owner := f.ownerNode()
		box, err := devtools.Call(ctx, up.s, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: owner})
		if err != nil {
			return at, "", err
		}
		if box.Model == nil || len(box.Model.Content) < 2 {
			return at, "", moved()
		}
		at = point{at.x + box.Model.Content[0], at.y + box.Model.Content[1]}
		v, err := up.view(ctx)
		if err != nil {
			return at, "", err
		}
		if at.x < 0 || at.y < 0 || at.x >= v.w || at.y >= v.h {
			return at, "the edge of its frame", nil
		}
		got, err := up.under(ctx, at, v)
		if err != nil {
			return at, "", err
		}
		if got.BackendNodeID != owner {
			return at, a.p.name(ctx, got), nil
		}
		l = up
	}
	return at, "", nil
}

// name describes a node that was hit.
func (p *Page) name(ctx context.Context, got dom.GetNodeForLocationResult) string {
	f := p.frame(got.FrameID)
	if f == nil {
		return "another document"
	}
	n, err := p.resolve(ctx, f, got.BackendNodeID)
	if err != nil {
		return "another element"
	}
	var said string
	if n.ask(ctx, "describe", &said) != nil {
		return "another element"
	}
	return said
}

// rootOf is the frame a process was attached for.
func (p *Page) rootOf(l *link) *frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.frames {
		if f.link != l {
			continue
		}
		if up := p.frames[f.parent]; up == nil || up.link != l {
			return f
		}
	}
	return nil
}
