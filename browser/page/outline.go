package page

import (
	"context"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// A page of more elements than this is not read whole: the browser alone takes
// seconds to give a tree of a hundred thousand nodes, and a reader is told a
// fraction of it. Its elements are looked for in the order of the document
// instead, as many as an answer may hold.
const (
	largePage = 15_000
	maxLarge  = 1_000
)

// outline is what our script finds of a large page.
type outline struct {
	Count int  `json:"count"` // all elements of the document
	More  int  `json:"more"`  // what would be told and is not
	Large bool `json:"large"`
	Nodes []struct {
		Text string     `json:"text"`
		Role string     `json:"role"` // "text" for a mere text, else by its tag
		Box  [4]float64 `json:"box"`
		More int        `json:"more"` // options of a list
	} `json:"nodes"`
}

// large says whether the page is one that is not read whole.
func (p *Page) large(ctx context.Context) (bool, error) {
	d, err := p.document(ctx, p.mainFrame())
	if err != nil {
		return false, err
	}
	var n int
	if err := d.ask(ctx, "count", &n); err != nil {
		return false, err
	}
	return n > largePage, nil
}

// readLarge makes items of a large page: what is in its own document from root
// on, want in its text where that is not "".
func (p *Page) readLarge(ctx context.Context, base *entry, want string) (*item, api.Census, int, error) {
	root, err := p.base(ctx, refOf(base))
	if err != nil {
		return nil, api.Census{}, 0, err
	}
	f := root.f
	var got outline
	if err := root.ask(ctx, "outline", &got, maxLarge, want); err != nil {
		return nil, api.Census{}, 0, err
	}
	backends, err := root.outlined(ctx)
	if err != nil {
		return nil, api.Census{}, 0, err
	}
	fr := &frameReading{f: f, at: p.where(f)}
	top := &item{fr: fr, at: -1, role: "document", name: p.Answer().Title, states: []string{"enabled"}, print: documentPrint}
	if len(backends) > 0 {
		top.backend = backends[0]
	}
	census := api.Census{Nodes: got.Count}
	metrics, err := p.main.s.Begin("Page.getLayoutMetrics", nil)
	if err != nil {
		return nil, census, 0, err
	}
	if _, err := p.measure(ctx, metrics); err != nil {
		return nil, census, 0, err
	}
	trees, err := root.partial(ctx, backends, &got)
	if err != nil {
		return nil, census, 0, err
	}
	for i, n := range got.Nodes {
		if i+1 >= len(backends) {
			break
		}
		it := &item{fr: fr, at: -1, backend: backends[i+1], role: n.Role, name: n.Text, states: []string{"enabled"}, rect: n.Box, more: n.More}
		it.print, it.made = printOf("listener", n.Text), true
		if tree := trees[it.backend]; tree != nil {
			p.fromTree(it, tree)
		}
		if it.role != "text" {
			it.actions = []string{"click"}
			census.Action++
		}
		top.kids = append(top.kids, it)
	}
	return top, census, got.More, nil
}

// fromTree takes an item's role, name, states and value from its node.
func (p *Page) fromTree(it *item, n *axNode) {
	it.role, it.name, it.made = roleName(n.Role.text()), n.Name.text(), false
	it.print = printOf(n.Role.text(), n.Name.text())
	it.states = nil
	it.properties(n)
	if p.isSecret(it.key(), secret("text", "", false, it.name)) {
		it.states = append(it.states, "secret")
		return
	}
	if v := n.Value.text(); v != "" {
		it.text = &v
	}
}

// refOf is an entry's ref, "" for none.
func refOf(e *entry) api.Ref {
	if e == nil {
		return ""
	}
	return e.ref
}

// outlined gives the nodes of the outline's elements, the root's first.
func (n *node) outlined(ctx context.Context) ([]cdp.BackendNodeID, error) {
	held, err := (&node{p: n.p, f: n.f, l: n.l, agent: n.agent}).hold(ctx, "outlined")
	if err != nil || held == nil {
		return nil, err
	}
	got, err := devtools.Call(ctx, n.l.s, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: held.object, OwnProperties: yes()})
	if err != nil {
		return nil, err
	}
	var sent []*devtools.Pending
	for _, d := range got.Result {
		if d.Value == nil || d.Value.ObjectID == "" || !d.Enumerable {
			continue
		}
		c, err := n.l.s.Begin("DOM.describeNode", map[string]any{"objectId": d.Value.ObjectID})
		if err != nil {
			return nil, err
		}
		sent = append(sent, c)
	}
	var list []cdp.BackendNodeID
	for _, c := range sent {
		var said struct {
			Node struct {
				Backend cdp.BackendNodeID `json:"backendNodeId"`
			} `json:"node"`
		}
		if err := c.Wait(ctx, &said); err != nil {
			return nil, err
		}
		list = append(list, said.Node.Backend)
	}
	return list, nil
}

// partial reads the nodes of an outline's controls from the accessibility
// tree, all on their way at once.
func (n *node) partial(ctx context.Context, backends []cdp.BackendNodeID, o *outline) (map[cdp.BackendNodeID]*axNode, error) {
	sent := map[cdp.BackendNodeID]*devtools.Pending{}
	no := false
	for i, node := range o.Nodes {
		if node.Role == "text" || i+1 >= len(backends) {
			continue
		}
		c, err := devtools.Begin(n.l.s, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{BackendNodeID: backends[i+1], FetchRelatives: &no})
		if err != nil {
			return nil, err
		}
		sent[backends[i+1]] = c
	}
	trees := map[cdp.BackendNodeID]*axNode{}
	for id, c := range sent {
		nodes, err := axNodes(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, t := range nodes {
			if t.Backend == id && !t.Ignored {
				trees[id] = t
			}
		}
	}
	return trees, nil
}
