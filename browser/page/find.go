package page

import (
	"context"
	"slices"
	"strings"

	"vibespace/internal/api"
)

// maxFound bounds what find hands out.
const maxFound = 200

// Find finds elements; their refs count as told.
func (p *Page) Find(ctx context.Context, r api.PageFindRequest) (*api.PageFindAnswer, error) {
	match, err := matcher(r.Name)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.Name, "/") {
		want := strings.ToLower(r.Name)
		match = func(s string) bool { return strings.Contains(strings.ToLower(s), want) }
	}
	return run(ctx, p, func(o *op) (*api.PageFindAnswer, error) {
		var census api.Census
		var at places
		root, err := steady(o.ctx, p, func() (root *item, err error) {
			root, at, census, err = p.searched(o.ctx, r)
			return root, err
		})
		if err != nil {
			return nil, err
		}
		a := &api.PageFindAnswer{PageAnswer: p.Answer(), Nodes: []api.Node{}, Census: census}
		a.Fence = fence()
		left := 0
		var walk func(it *item)
		walk = func(it *item) {
			if finds(it, r, match) {
				if len(a.Nodes) < maxFound {
					a.Nodes = append(a.Nodes, p.placed(it, at))
				} else {
					left++
				}
			}
			for _, k := range it.kids {
				walk(k)
			}
		}
		walk(root)
		a.Census.Listed = len(a.Nodes)
		if left > 0 {
			a.Cut = &api.Cut{Why: "nodes", Continue: "more match: name what is meant more closely"}
		}
		return a, nil
	})
}

// searched is what is looked through, and where a snapshot lists it: the whole
// page, or of a large one what says the name.
func (p *Page) searched(ctx context.Context, r api.PageFindRequest) (*item, places, api.Census, error) {
	large, err := p.large(ctx)
	if err != nil {
		return nil, nil, api.Census{}, err
	}
	if large {
		want := r.Name
		if strings.HasPrefix(want, "/") {
			want = ""
		}
		root, census, _, err := p.readLarge(ctx, nil, want)
		at := places{}
		if err == nil {
			at.add(root, nil, 0)
		}
		return root, at, census, err
	}
	return p.whole(ctx)
}

// whole is the whole page, and where a snapshot lists what is in it: what only
// one of all lists, where that does.
func (p *Page) whole(ctx context.Context) (*item, places, api.Census, error) {
	got, err := p.settledRead(ctx)
	if err != nil {
		return nil, nil, api.Census{}, err
	}
	listed, _, err := p.items(got, nil, false)
	if err != nil {
		return nil, nil, api.Census{}, err
	}
	root, census, err := p.items(got, nil, true)
	if err != nil {
		return nil, nil, census, err
	}
	at := places{}
	at.add(listed, nil, 0)
	at.add(root, nil, 0)
	return root, at, census, nil
}

// places are where elements stand among others.
type places map[key]place

// place is what an element is in, nil for the page itself, and how deep.
type place struct {
	in    *item
	depth int
}

// add notes where an item and those below it stand, unless that is known.
func (at places) add(it, in *item, depth int) {
	if _, known := at[it.key()]; !known {
		at[it.key()] = place{in, depth}
	}
	for _, k := range it.kids {
		at.add(k, it, depth+1)
	}
}

// placed is an item as a snapshot lists it.
func (p *Page) placed(it *item, at places) api.Node {
	is := at[it.key()]
	if is.in == nil {
		return p.node(it, nil, is.depth)
	}
	ref := p.tell(is.in)
	return p.node(it, &ref, is.depth)
}

// finds says whether an element is one that is looked for.
func finds(it *item, r api.PageFindRequest, match func(string) bool) bool {
	if r.Role != "" && !strings.EqualFold(it.role, r.Role) {
		return false
	}
	if r.Name != "" && !match(it.name) && !match(it.holder) {
		return false
	}
	want, without := strings.CutPrefix(r.State, "-")
	if want != "" && slices.Contains(append(it.states, told0(it)...), want) == without {
		return false
	}
	return r.Role != "" || r.Name != "" || r.State != ""
}

// told0 are states that are there by what is not.
func told0(it *item) []string {
	var list []string
	if !it.has("enabled") {
		list = append(list, "disabled")
	}
	if it.has("checkable") && !it.has("checked") {
		list = append(list, "unchecked")
	}
	return list
}

// maxGot bounds one element's text or source, in bytes.
const maxGot = 64 << 10

// Get reads one element anew.
func (p *Page) Get(ctx context.Context, r api.PageGetRequest) (*api.PageGetAnswer, error) {
	if !slices.Contains([]string{"", "text", "value", "attr", "html"}, r.What) {
		return nil, api.Refuse(api.BadRequest, "%q cannot be read of an element", r.What).WithHint("text, value, attr NAME or html")
	}
	if (r.What == "attr") != (r.Attr != "") {
		return nil, api.Refuse(api.BadRequest, "attr wants the name of one attribute").WithHint("vibespace-browser get %s attr NAME", r.Ref)
	}
	return run(ctx, p, func(o *op) (*api.PageGetAnswer, error) {
		defer p.main.letGo()
		t, err := p.take(o.ctx, r.Ref)
		if err != nil {
			return nil, err
		}
		node, err := t.now(o.ctx)
		if err != nil {
			return nil, err
		}
		a := &api.PageGetAnswer{PageAnswer: p.Answer(), Node: node, What: r.What}
		a.Fence = fence()
		if err := t.get(o.ctx, r, a); err != nil {
			return nil, err
		}
		if a.Got != nil && len(*a.Got) > maxGot {
			short := strings.ToValidUTF8((*a.Got)[:maxGot], "")
			a.Got, a.Cut = &short, &api.Cut{Why: "bytes", Continue: "the rest is not handed out: read a smaller element"}
		}
		return a, nil
	})
}

// get reads what is asked of an element.
func (t *aim) get(ctx context.Context, r api.PageGetRequest, a *api.PageGetAnswer) error {
	switch r.What {
	case "":
		return nil
	case "text":
		return t.ask(ctx, "text", &a.Got)
	case "value":
		if a.Hidden = t.secret; t.secret {
			return nil
		}
		return t.ask(ctx, "value", &a.Got)
	case "attr":
		if a.Hidden = t.secret && strings.EqualFold(r.Attr, "value"); a.Hidden {
			return nil
		}
		return t.ask(ctx, "attribute", &a.Got, r.Attr)
	}
	var got struct {
		HTML string `json:"html"`
	}
	err := t.ask(ctx, "html", &got, true)
	a.Got = &got.HTML
	return err
}

// now is the element as a snapshot would show it. It is read from the whole
// page: what stands where is known by nothing less.
func (t *aim) now(ctx context.Context) (api.Node, error) {
	root, at, _, err := t.p.whole(ctx)
	if err != nil {
		return api.Node{}, err
	}
	if it := find(root, t.e.key); it != nil {
		return t.p.placed(it, at), nil
	}
	n := api.Node{Ref: t.e.ref, Role: t.e.role, Name: t.e.name, States: []string{}, Actions: []string{}}
	if !t.state.Disabled {
		n.States = append(n.States, "enabled")
	}
	return n, nil
}
