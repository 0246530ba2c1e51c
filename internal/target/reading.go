package target

import (
	"context"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// The bounds of one reading of a window.
const (
	readNodes = 20_000
	readDepth = 128
	readBytes = 32 << 20
	readTime  = 8 * time.Second
	// readCall is how long one object may take to answer: an application that
	// needs longer does not respond.
	readCall = 1200 * time.Millisecond
)

// readBudget is what one application's tree may cost.
var readBudget = atspi.Budget{Nodes: readNodes, Depth: readDepth, Bytes: readBytes, Time: readTime, Call: readCall}

// readOpts says how much of a window is read.
type readOpts struct {
	// doubt is what the caller knows besides: an act was just done.
	doubt atspi.Doubt
	// aside reads everything anew beside what is kept, which is left as it is.
	aside bool
}

// reading is the trees of a window at one moment, joined with its X windows.
type reading struct {
	scene  scene
	kept   *atspi.Keeper
	aside  bool // kept is the reading's own
	roots  []*item
	items  []*item
	census api.Census
	cut    string
	source string
	trips  int
}

// read reads every tree of a target: all registrations on its display's bus,
// told apart by window.
func (e *Engine) read(ctx context.Context, w *window, d *display.Display, o readOpts) (*reading, error) {
	r := &reading{}
	acts := w.actsSoFar()
	s, err := w.look(ctx, d)
	if err != nil {
		return nil, err
	}
	r.scene = s
	apps, err := d.Access().Apps(ctx)
	if err != nil {
		return nil, w.fault(err)
	}
	r.trips++
	w.meet(apps)
	if o.aside {
		if r.kept, err = d.Access().Keep(ctx); err != nil {
			return nil, w.fault(err)
		}
		r.aside = true
	} else {
		kept, err := w.keep(ctx, d)
		if err != nil {
			return nil, w.fault(err)
		}
		r.kept = kept.trees
		o.doubt = max(o.doubt, w.doubt(ctx, d, kept, s))
	}
	if err := r.readApps(ctx, w, apps, o); err != nil {
		r.close()
		return nil, err
	}
	w.sighted(r, acts)
	return r, nil
}

// close ends what a reading aside kept for itself.
func (r *reading) close() {
	if r.aside {
		r.kept.Close()
	}
}

// readApps joins the trees of all registrations to the reading.
func (r *reading) readApps(ctx context.Context, w *window, apps []atspi.App, o readOpts) error {
	var silent error
	for _, app := range apps {
		if app.Silent {
			silent = atspi.ErrNoReply
		}
		if app.Children == 0 {
			continue
		}
		if err := r.readApp(ctx, app, o); err != nil {
			if ctx.Err() != nil {
				return w.fault(ctx.Err())
			}
			silent = err
		}
	}
	if len(r.roots) == 0 {
		return noTree(w, silent)
	}
	return nil
}

// readApp joins one registration's tree to the reading.
func (r *reading) readApp(ctx context.Context, app atspi.App, o readOpts) error {
	tree, err := r.kept.Read(ctx, app, readBudget, trust(app, o.doubt))
	if err == nil {
		r.add(tree)
	}
	return err
}

// meet remembers who is on the bus, so that an element can be read anew as its
// toolkit needs it.
func (w *window) meet(apps []atspi.App) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.apps
	w.apps = map[string]atspi.App{}
	for _, a := range apps {
		if before, ok := known[a.Root.Bus]; ok && a.Silent {
			a = before // it does not say what it is now; it said so before
		}
		w.apps[a.Root.Bus] = a
	}
}

// appOf is the application an element belongs to, as far as it is known.
func (w *window) appOf(ref atspi.Ref) atspi.App {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.apps[ref.Bus]
}

// noTree says why a window has no tree to read.
func noTree(w *window, silent error) error {
	if silent != nil {
		return w.fault(silent)
	}
	return api.Refuse(api.NoTree, "%s has no tree: nothing of it is on its accessibility bus", w.handle).
		WithHint("vibespace-window screenshot %s", w.handle).
		With("probe", api.Road{Why: "no registration with a window on the accessibility bus"})
}

// sources are the ways a tree is read, the cheapest first.
var sources = map[string]int{atspi.SourceResident: 1, atspi.SourceBulk: 2, atspi.SourcePipelined: 3}

// add joins one application's tree to the reading.
func (r *reading) add(t *atspi.Tree) {
	r.trips += t.RoundTrips
	// The most that was read of any tree is what the answer says.
	if sources[t.Source] > sources[r.source] {
		r.source = t.Source
	}
	if t.Cut != nil && r.cut == "" {
		r.cut = t.Cut.Why
	}
	made := make([]*item, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		made[i] = &item{
			id: n.Ref, role: n.Role, name: strings.TrimSpace(n.Name), description: n.Description, has: n.States,
			states: n.States.Names(), ifaces: n.Interfaces, unreadable: n.Unreadable, tree: t, index: i,
		}
		r.count(n)
	}
	for i := range t.Nodes {
		if p := t.Nodes[i].Parent; p >= 0 {
			made[i].parent = made[p]
		}
		for _, k := range t.Nodes[i].Children {
			made[i].kids = append(made[i].kids, made[k])
		}
	}
	l := locating{r: r, tree: t, seen: t.Visible(), surfaces: r.surfaces(t)}
	for _, root := range t.Roots {
		r.roots = append(r.roots, made[root])
		l.put(made[root], ground{}, false)
	}
}

// count adds one node to the census.
func (r *reading) count(n *atspi.Node) {
	r.census.Nodes++
	for _, c := range []struct {
		iface atspi.Iface
		n     *int
	}{
		{atspi.IfaceComponent, &r.census.Component},
		{atspi.IfaceAction, &r.census.Action},
		{atspi.IfaceEditableText, &r.census.EditableText},
		{atspi.IfaceText, &r.census.Text},
		{atspi.IfaceValue, &r.census.Value},
	} {
		if n.Interfaces.Has(c.iface) {
			*c.n++
		}
	}
	if n.Unreadable != "" {
		r.census.Unreadable++
	}
}

// surfaces gives the windows that nodes of a tree show, by node.
func (r *reading) surfaces(t *atspi.Tree) map[int]*part {
	list := make([]atspi.Surface, len(r.scene.parts))
	for i, p := range r.scene.parts {
		list[i] = atspi.Surface{Geometry: rectOf(p.Geometry), Title: p.Title, Popup: p.OverrideRedirect}
	}
	found := map[int]*part{}
	taken := map[int]bool{}
	for i, node := range t.Match(list) {
		if node >= 0 {
			found[node] = &r.scene.parts[i]
			taken[i] = true
		}
	}
	// A window that is being resized agrees with nothing; when one window and
	// one top level are left they are each other's.
	var roots, parts []int
	for _, root := range t.Roots {
		if found[root] == nil && t.Nodes[root].States.Has(atspi.StateShowing) {
			roots = append(roots, root)
		}
	}
	for i, p := range r.scene.parts {
		if !taken[i] && !p.OverrideRedirect {
			parts = append(parts, i)
		}
	}
	if len(roots) == 1 && len(parts) == 1 {
		found[roots[0]] = &r.scene.parts[parts[0]]
	}
	return found
}

// ground is the window that nodes are drawn in, and how their toolkit's
// coordinates map to its pixels.
type ground struct {
	part *part
	at   atspi.Transform
}

// locating gives the items of one tree their windows and bounds.
type locating struct {
	r        *reading
	tree     *atspi.Tree
	seen     []atspi.Rect
	surfaces map[int]*part
}

// put places an item and what is below it, in reading order. popping is true
// below a menu or a combo box: what is there may be drawn in a popup that has
// no node of its own.
func (l *locating) put(it *item, g ground, popping bool) {
	l.r.items = append(l.r.items, it)
	if p := l.surfaces[it.index]; p != nil {
		g = ground{part: p, at: l.tree.Place(it.index, rectOf(p.Geometry))}
	}
	if g.part != nil {
		l.place(it, g, popping)
	}
	if poppers[it.role] {
		popping = true
	}
	for _, kid := range it.kids {
		l.put(kid, g, popping)
	}
}

// poppers are the roles below which a node may lie in a popup.
var poppers = map[atspi.Role]bool{
	atspi.RoleMenu: true, atspi.RolePopupMenu: true, atspi.RoleComboBox: true, atspi.RoleToolTip: true,
}

// place gives an item the visible part of it, and the window that part is in.
func (l *locating) place(it *item, g ground, popping bool) {
	it.part = g.part.n
	clip := l.seen[it.index]
	if clip.Empty() {
		return
	}
	box := g.at.Rect(clip)
	own := g.part
	if popping {
		if popup := l.r.scene.popupUnder(box); popup != nil {
			own = popup
			it.part = own.n
		}
	}
	it.window = own.ID
	whole := box
	if e := l.tree.Nodes[it.index].Extents; e != nil {
		whole = g.at.Rect(*e)
	}
	cut := box.Intersect(rectOf(own.Geometry))
	if cut.Empty() {
		return
	}
	local := l.r.scene.local(x11.Rect(cut))
	it.bounds, it.seen, it.clipped = &local, true, cut != whole
}

// popupUnder is the topmost popup that holds the middle of a rectangle.
func (s scene) popupUnder(box atspi.Rect) *part {
	x, y := box.X+box.W/2, box.Y+box.H/2
	var top *part
	for i := range s.parts {
		p := &s.parts[i]
		g := p.Geometry
		if p.OverrideRedirect && x >= g.X && x < g.X+g.W && y >= g.Y && y < g.Y+g.H {
			top = p
		}
	}
	return top
}

// rectOf is an X rectangle in the accessibility package's terms.
func rectOf(r x11.Rect) atspi.Rect { return atspi.Rect{X: r.X, Y: r.Y, W: r.W, H: r.H} }
