package target

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// detailTime bounds what is read of the elements that are listed.
const detailTime = 2 * time.Second

// Snapshot gives a window's tree as a reader sees it.
func (e *Engine) Snapshot(ctx context.Context, c api.Caller, r api.SnapshotRequest) (api.Snapshot, error) {
	if err := checkSnapshot(r); err != nil {
		return api.Snapshot{}, err
	}
	return doing(ctx, e, c, r.Handle, "snapshot", needRead, func(ctx context.Context, t *turn) (api.Snapshot, error) {
		snap, err := t.snapshot(ctx, r)
		if err == nil {
			snap.Answer = e.answer(c)
		}
		return snap, err
	})
}

// checkSnapshot refuses what no snapshot can be.
func checkSnapshot(r api.SnapshotRequest) error {
	switch {
	case r.Depth < 0 || r.MaxNodes < 0:
		return api.Refuse(api.BadRequest, "--depth and --max-nodes are positive numbers").WithHint("leave them out for the default view")
	case r.Root != "":
		return checkRef(r.Root)
	}
	return nil
}

// snapshot reads the window, lays the view a reader asked for and tells its
// refs to the holder.
func (t *turn) snapshot(ctx context.Context, r api.SnapshotRequest) (api.Snapshot, error) {
	if r.Diff {
		return t.snapshotDiff(ctx, r)
	}
	snap, err := t.checked(ctx, r, t.tell)
	if err == nil && plain(r) {
		t.w.tellsAll(t.c.Session, tellings(snap.Nodes))
	}
	return snap, err
}

// plain says whether a snapshot is the default view, which diffs are made of.
func plain(r api.SnapshotRequest) bool {
	return r.Root == "" && r.Find == "" && r.Role == "" && r.Window == nil && !r.All && r.MaxNodes == 0 && r.Depth == 0
}

// snapshotDiff tells what differs from what the session was told last. Only the
// elements on its lines are told; a diff that left lines out told nothing whole.
func (t *turn) snapshotDiff(ctx context.Context, r api.SnapshotRequest) (api.Snapshot, error) {
	snap, err := t.checked(ctx, r, t.number)
	if err != nil {
		return snap, err
	}
	last := t.w.knows(t.c.Session).said
	if last == nil {
		last = tellings(nil)
	}
	var shown []api.Ref
	snap.Diff, shown = last.changes(snap.Nodes)
	t.w.refs.say(shown, t.held.Epoch)
	if plain(r) && len(snap.Diff) <= diffLines {
		// What no line names is as the session knows it.
		t.w.refs.say(refsOf(snap.Nodes), t.held.Epoch)
		t.w.tellsAll(t.c.Session, tellings(snap.Nodes))
	}
	snap.Nodes = []api.Node{}
	return snap, nil
}

// refsOf gives the refs of nodes.
func refsOf(nodes []api.Node) []api.Ref {
	refs := make([]api.Ref, len(nodes))
	for i, n := range nodes {
		refs[i] = n.Ref
	}
	return refs
}

// tell gives the ref of an element that is shown to the holder.
func (t *turn) tell(it *item) api.Ref {
	return t.w.refs.tell(it.id, it.fingerprint(), it.part, t.held.Epoch)
}

// number gives the ref of an element that is not shown.
func (t *turn) number(it *item) api.Ref {
	return t.w.refs.number(it.id, it.fingerprint(), it.part)
}

// view reads the window and lays the view of a request; ref gives its elements
// their refs.
func (t *turn) view(ctx context.Context, r api.SnapshotRequest, ref func(*item) api.Ref) (api.Snapshot, error) {
	o := readOpts{doubt: t.doubt}
	if r.Fresh {
		o.doubt = atspi.DoubtAll
	}
	return t.viewAs(ctx, r, o, ref)
}

// viewAs is view, read in a given way.
func (t *turn) viewAs(ctx context.Context, r api.SnapshotRequest, o readOpts, ref func(*item) api.Ref) (api.Snapshot, error) {
	began := time.Now()
	read, err := t.e.read(ctx, t.w, t.d, o)
	if err != nil {
		return api.Snapshot{}, err
	}
	defer read.close()
	want, err := t.wanted(read, r)
	if err != nil {
		return api.Snapshot{}, err
	}
	if want.text != "" {
		// Words are also looked for in texts, which are read only for rows.
		unfiltered := want
		unfiltered.text, unfiltered.role = "", ""
		if err := t.detail(ctx, read, lay(read.roots, unfiltered)); err != nil {
			return api.Snapshot{}, err
		}
	}
	v := lay(read.roots, want)
	if err := t.detail(ctx, read, v); err != nil {
		return api.Snapshot{}, err
	}
	// What was read decides again what is worth a line, and what fits.
	v = lay(read.roots, want)
	if err := t.again(ctx); err != nil {
		return api.Snapshot{}, err
	}
	snap := t.present(read, v, r, ref)
	snap.TookMs = int(time.Since(began).Milliseconds())
	return snap, nil
}

// wanted gives the view a request means.
func (t *turn) wanted(read *reading, r api.SnapshotRequest) (viewWant, error) {
	want := viewWant{all: r.All, depth: r.Depth, maxNodes: r.MaxNodes, text: r.Find, part: r.Window}
	if r.Role != "" {
		role, err := roleNamed(r.Role)
		if err != nil {
			return viewWant{}, err
		}
		want.role = role.String()
	}
	if r.Root != "" {
		e, err := t.w.refs.find(r.Root, t.held.Epoch)
		if err != nil {
			return viewWant{}, err
		}
		for _, it := range read.items {
			if it.id == e.id {
				want.root = it
			}
		}
		if want.root == nil {
			return viewWant{}, staleRef(e, nil)
		}
	}
	if r.Window != nil && read.scene.byN(*r.Window) == nil {
		return viewWant{}, noPart(t.w.handle, *r.Window, read.scene)
	}
	return want, nil
}

// detail reads the actions, texts and values of the rows that are shown.
func (t *turn) detail(ctx context.Context, read *reading, v view) error {
	byTree := map[*atspi.Tree][]int{}
	for _, r := range v.rows {
		if r.tree != nil {
			byTree[r.tree] = append(byTree[r.tree], r.index)
		}
	}
	budget := atspi.Budget{Time: detailTime, Call: readCall}
	for tree, rows := range byTree {
		if err := read.kept.Detail(ctx, tree, rows, atspi.WantActions|atspi.WantText|atspi.WantValue, budget); err != nil {
			return t.w.fault(err)
		}
		read.trips++
	}
	for _, r := range v.rows {
		r.take(&r.tree.Nodes[r.index])
	}
	return nil
}

// take keeps what was read of an element that is shown.
func (it *item) take(n *atspi.Node) {
	it.actions = named(n.Actions)
	it.detailed = true
	it.text, it.hint = said(n.Text), n.Placeholder
	if it.text == nil && it.role == atspi.RoleComboBox {
		// GTK 3 names a combo box by what it shows, others by its label.
		if shown := it.chosen(); shown != nil && *shown != it.name {
			it.text = shown
		}
	}
	if n.Value != nil {
		it.value = &api.Value{Now: n.Value.Now, Min: n.Value.Min, Max: n.Value.Max}
	}
	it.unreadable = n.Unreadable
}

// said is a text without the marks that stand for the elements in it; nil when
// nothing else is there, which a page made of elements is.
func said(text *string) *string {
	if text == nil || !strings.ContainsRune(*text, objectMark) {
		return text
	}
	words := strings.TrimSpace(strings.ReplaceAll(*text, string(objectMark), " "))
	if words == "" {
		return nil
	}
	return &words
}

// objectMark stands in a text for an element that lies in it.
const objectMark = '\uFFFC'

// chosen is what a closed combo box shows: the name of its selected entry.
func (it *item) chosen() *string {
	for _, kid := range it.kids {
		if kid.has.Has(atspi.StateSelected) && kid.name != "" {
			return &kid.name
		}
		if name := kid.chosen(); name != nil {
			return name
		}
	}
	return nil
}

// named leaves out the actions that have no name: nobody could ask for them.
func named(actions []string) []string {
	list := make([]string, 0, len(actions))
	for _, a := range actions {
		if a != "" {
			list = append(list, a)
		}
	}
	return list
}

// present gives the view as an answer.
func (t *turn) present(read *reading, v view, r api.SnapshotRequest, ref func(*item) api.Ref) api.Snapshot {
	nodes := v.nodes(ref)
	snap := api.Snapshot{
		// What is said once is said by the verb's own answer.
		Answer: api.Answer{OK: true, Session: t.c.Session}, Handle: t.w.handle, Generation: t.w.nextGeneration(), Size: read.scene.size(),
		Nodes: nodes, Census: read.census, Windows: read.scene.list(), Source: read.source, RoundTrips: read.trips,
	}
	snap.Census.Listed = len(nodes)
	snap.Title = t.w.titleOf(read.scene)
	for i, row := range v.rows {
		if row.unreadable != "" {
			snap.Unreadable = append(snap.Unreadable, api.Unreadable{Ref: nodes[i].Ref, Role: nodes[i].Role, Name: nodes[i].Name, Why: row.unreadable})
		}
	}
	snap.Cut = t.cutOf(read, v, nodes, r)
	return snap
}

// cutOf says what was cut and the command that continues.
func (t *turn) cutOf(read *reading, v view, nodes []api.Node, r api.SnapshotRequest) *api.Cut {
	why := v.cut
	if read.cut != "" {
		why = read.cut
	}
	if why == "" {
		return nil
	}
	command := fmt.Sprintf("vibespace-window snapshot %s", t.w.handle)
	root := ""
	for i, row := range v.rows {
		if row == v.from {
			root = " --root " + string(nodes[i].Ref)
		}
	}
	switch {
	case why == "nodes" && read.cut == "":
		// What follows the cut may lie anywhere after it: more of the same view
		// has it, and what is below one element would not.
		limit := r.MaxNodes
		if limit <= 0 {
			limit = viewNodes
		}
		if r.Root != "" {
			command += " --root " + string(r.Root)
		}
		command += fmt.Sprintf(" --max-nodes %d", 2*limit)
	case read.cut == atspi.CutNodes && root == "":
		command = t.further(read)
	case why == "bytes" && root == "":
		command += " --depth 3"
	default:
		command += root
	}
	return &api.Cut{Why: why, Continue: command}
}

// further is the command after which a tree that was not read whole has other
// nodes: the list that is longer than what is read of it, scrolled.
func (t *turn) further(read *reading) string {
	long := read.long()
	if long == nil {
		return fmt.Sprintf("vibespace-window snapshot %s", t.w.handle)
	}
	return fmt.Sprintf("vibespace-window scroll %s down %s", t.w.handle, t.tell(long))
}

// long is the element that has the most children that were not read, nil when
// all were.
func (r *reading) long() *item {
	var long *item
	most := 0
	for _, it := range r.items {
		n := &it.tree.Nodes[it.index]
		if missing := n.ChildCount - len(n.Children); missing > most {
			long, most = it, missing
		}
	}
	return long
}

// nextGeneration counts the readings of a window that were told.
func (w *window) nextGeneration() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gen++
	return w.gen
}

// titleOf is the window's title as answers show it.
func (w *window) titleOf(s scene) string {
	if s.main != nil && s.main.Title != "" {
		return s.main.Title
	}
	return w.title
}
