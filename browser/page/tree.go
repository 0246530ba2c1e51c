package page

import (
	"context"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domsnapshot"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// reading is a page as it was read: the accessibility tree of every frame
// joined with layout.
type reading struct {
	frames []*frameReading
	trips  int
	// zoom is how many of the layout's units a CSS pixel is: the page zoom of the
	// person's, of a profile's.
	zoom float64
}

// frameReading is one frame's part.
type frameReading struct {
	f     *frame
	at    where
	nodes map[string]*axNode
	root  *axNode
	shape *shape // nil where the layout could not be read
	why   string // why there are no nodes
}

// shape is what the layout says of a document's elements.
type shape struct {
	doc     *domsnapshot.DocumentSnapshot
	strings []string
	at      map[cdp.BackendNodeID]int // index of a node
	layout  []int                     // index of a node's layout, -1 for none
	click   map[int64]bool
	values  map[int64]string
	kids    [][]int
	ids     map[string]bool
	opacity []float64 // of each node with those above it
	// dx, dy take a bound of this document to the viewport.
	dx, dy float64
}

// styles are the computed styles that are read, in this order.
var styles = []string{"visibility", "opacity", "cursor"}

// asked is what is on its way for a reading.
type asked struct {
	trees   map[*frameReading]*devtools.Pending
	shapes  map[*link]*devtools.Pending
	owners  map[*frame]*devtools.Pending
	metrics *devtools.Pending
}

// read reads the page. All frames of a process and all processes are on their
// way at once.
func (p *Page) read(ctx context.Context) (*reading, error) {
	r := &reading{}
	a := &asked{trees: map[*frameReading]*devtools.Pending{}, shapes: map[*link]*devtools.Pending{}, owners: p.findOwners()}
	var err error
	if a.metrics, err = p.main.s.Begin("Page.getLayoutMetrics", nil); err != nil {
		return nil, err
	}
	for i, f := range p.framesInOrder() {
		fr := &frameReading{f: f, at: p.where(f)}
		r.frames = append(r.frames, fr)
		switch {
		case i >= maxFrames:
			fr.why = "too many frames"
		case fr.at.link == nil || fr.at.loader == "":
			fr.why = "it is still being loaded"
		default:
			if err := a.begin(fr); err != nil {
				return nil, err
			}
		}
	}
	r.trips = len(a.trees) + len(a.shapes) + len(a.owners) + 1
	return a.land(ctx, p, r)
}

// land waits for all that is on its way and puts the documents in their places.
func (a *asked) land(ctx context.Context, p *Page, r *reading) (*reading, error) {
	p.keepOwners(ctx, a.owners)
	var err error
	if r.zoom, err = p.measure(ctx, a.metrics); err != nil {
		return nil, err
	}
	if err := a.finish(ctx, r); err != nil {
		return nil, err
	}
	r.place()
	return r, nil
}

// begin asks for a frame's tree, and for its process's layout once.
func (a *asked) begin(fr *frameReading) error {
	l := fr.at.link
	c, err := l.s.Begin("Accessibility.getFullAXTree", map[string]any{"frameId": fr.f.id})
	if err != nil {
		return err
	}
	a.trees[fr] = c
	if a.shapes[l] == nil {
		a.shapes[l], err = devtools.Begin(l.s, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: styles})
	}
	return err
}

// finish waits for what was asked. A frame that cannot be read is one that
// says so; the page's own has to be.
func (a *asked) finish(ctx context.Context, r *reading) error {
	for fr, c := range a.trees {
		if err := fr.take(ctx, c); err != nil {
			if fr.at.parent == "" || ctx.Err() != nil {
				return err
			}
			fr.why = "it could not be read"
		}
	}
	for l, c := range a.shapes {
		got, err := layouts(ctx, c)
		if err != nil {
			if l.parent == nil || ctx.Err() != nil {
				return err
			}
			continue
		}
		r.join(l, got)
	}
	return nil
}

// measure keeps the size of what is on show, and gives the page zoom.
func (p *Page) measure(ctx context.Context, c *devtools.Pending) (zoom float64, err error) {
	var got struct {
		View struct {
			W int `json:"clientWidth"`
			H int `json:"clientHeight"`
		} `json:"cssLayoutViewport"`
		Visual struct {
			Zoom float64 `json:"zoom"`
		} `json:"cssVisualViewport"`
	}
	if err := c.Wait(ctx, &got); err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.viewport = api.Size{W: got.View.W, H: got.View.H}
	if got.Visual.Zoom > 0 {
		return got.Visual.Zoom, nil
	}
	return 1, nil
}

// take reads the accessibility tree of a frame.
func (fr *frameReading) take(ctx context.Context, c *devtools.Pending) error {
	nodes, err := axNodes(ctx, c)
	if err != nil {
		return err
	}
	fr.nodes = make(map[string]*axNode, len(nodes))
	for _, n := range nodes {
		fr.nodes[n.ID] = n
		if n.Parent == "" && fr.root == nil {
			fr.root = n
		}
	}
	return nil
}

// join gives each frame of a link its document's layout.
func (r *reading) join(l *link, got *domsnapshot.CaptureSnapshotResult) {
	for _, doc := range got.Documents {
		id := cdp.FrameID(at(got.Strings, doc.FrameID))
		for _, fr := range r.frames {
			if fr.f.id == id && fr.at.link == l {
				unzoom(doc, r.zoom)
				fr.shape = newShape(doc, got.Strings)
			}
		}
	}
}

// at is a string of a table, "" for an index of none.
func at(strings []string, i domsnapshot.StringIndex) string {
	if i < 0 || int(i) >= len(strings) {
		return ""
	}
	return strings[i]
}

// unzoom takes a document's layout to CSS pixels, which everything else is in.
func unzoom(doc *domsnapshot.DocumentSnapshot, zoom float64) {
	if zoom == 1 {
		return
	}
	doc.ScrollOffsetX, doc.ScrollOffsetY = doc.ScrollOffsetX/zoom, doc.ScrollOffsetY/zoom
	for _, b := range doc.Layout.Bounds {
		for i := range b {
			b[i] /= zoom
		}
	}
}

// newShape indexes a document's layout.
func newShape(doc *domsnapshot.DocumentSnapshot, strings []string) *shape {
	n := len(doc.Nodes.BackendNodeID)
	s := &shape{
		doc: doc, strings: strings, at: make(map[cdp.BackendNodeID]int, n), layout: make([]int, n),
		click: map[int64]bool{}, values: map[int64]string{}, kids: make([][]int, n),
	}
	for i, id := range doc.Nodes.BackendNodeID {
		s.at[id] = i
		s.layout[i] = -1
		if up := doc.Nodes.ParentIndex[i]; up >= 0 {
			s.kids[up] = append(s.kids[up], i)
		}
	}
	for i, node := range doc.Layout.NodeIndex {
		if node >= 0 && int(node) < n && s.layout[node] < 0 {
			s.layout[node] = i
		}
	}
	if c := doc.Nodes.IsClickable; c != nil {
		for _, i := range c.Index {
			s.click[i] = true
		}
	}
	s.seeThrough()
	s.fill()
	return s
}

// seeThrough finds out how opaque each element is with all above it.
func (s *shape) seeThrough() {
	s.opacity = make([]float64, len(s.layout))
	for i := range s.opacity { // parents come first
		s.opacity[i] = 1
		if up := s.doc.Nodes.ParentIndex[i]; up >= 0 && int(up) < i {
			s.opacity[i] = s.opacity[up]
		}
		if own := s.style(i, 1); own != "" && own != "1" {
			f, _ := strconv.ParseFloat(own, 64)
			s.opacity[i] *= f
		}
	}
}

// fill takes the values of fields.
func (s *shape) fill() {
	for _, rare := range []*domsnapshot.RareStringData{s.doc.Nodes.InputValue, s.doc.Nodes.TextValue} {
		if rare == nil {
			continue
		}
		for k, i := range rare.Index {
			s.values[i] = at(s.strings, rare.Value[k])
		}
	}
}

// place finds out where each document lies in the viewport: its frame's
// element, less what it is scrolled.
func (r *reading) place() {
	for _, fr := range r.frames { // parents come first
		if fr.shape == nil {
			continue
		}
		fr.shape.dx, fr.shape.dy = -fr.shape.doc.ScrollOffsetX, -fr.shape.doc.ScrollOffsetY
		if fr.at.parent == "" {
			continue
		}
		if up, owner := r.owner(fr); up != nil {
			x, y, _, _, ok := up.shape.box(owner)
			if ok {
				fr.shape.dx, fr.shape.dy = fr.shape.dx+x, fr.shape.dy+y
			}
		}
	}
}

// owner finds the element of the parent that shows a frame.
func (r *reading) owner(fr *frameReading) (*frameReading, int) {
	for _, up := range r.frames {
		if up.f.id != fr.at.parent || up.shape == nil {
			continue
		}
		if i, ok := up.ownerOf(fr); ok {
			return up, i
		}
	}
	return nil, -1
}

// ownerOf finds the element that shows a frame among this document's.
func (fr *frameReading) ownerOf(child *frameReading) (int, bool) {
	id := child.f.ownerNode()
	i, ok := fr.shape.at[id]
	return i, ok && id != 0
}

// box is where an element lies in the viewport; false for one that is not
// laid out.
func (s *shape) box(i int) (x, y, w, h float64, ok bool) {
	l := s.layout[i]
	if l < 0 || len(s.doc.Layout.Bounds[l]) < 4 {
		return 0, 0, 0, 0, false
	}
	b := s.doc.Layout.Bounds[l]
	return b[0] + s.dx, b[1] + s.dy, b[2], b[3], true
}

// style is a computed style of an element, by its place in styles.
func (s *shape) style(i, which int) string {
	l := s.layout[i]
	if l < 0 || l >= len(s.doc.Layout.Styles) || which >= len(s.doc.Layout.Styles[l]) {
		return ""
	}
	return at(s.strings, domsnapshot.StringIndex(s.doc.Layout.Styles[l][which]))
}

// tag is an element's name in lower case, "#text" for a text.
func (s *shape) tag(i int) string { return strings.ToLower(at(s.strings, s.doc.Nodes.NodeName[i])) }

// attribute is an attribute of an element.
func (s *shape) attribute(i int, name string) (string, bool) {
	list := s.doc.Nodes.Attributes[i]
	for k := 0; k+1 < len(list); k += 2 {
		if at(s.strings, domsnapshot.StringIndex(list[k])) == name {
			return at(s.strings, domsnapshot.StringIndex(list[k+1])), true
		}
	}
	return "", false
}

// resolves says whether every id of a list is an element's. The ids are looked
// up at the first question: few pages ask.
func (s *shape) resolves(list string) bool {
	wanted := strings.Fields(list)
	if len(wanted) == 0 {
		return true
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
		for i := range s.doc.Nodes.Attributes {
			if id, ok := s.attribute(i, "id"); ok {
				s.ids[id] = true
			}
		}
	}
	for _, id := range wanted {
		if !s.ids[id] {
			return false
		}
	}
	return true
}

// textOf is the text below an element, its white space squeezed, limit runes
// at most. It is what our script calls the element's text.
func (s *shape) textOf(i, limit int) string {
	var b strings.Builder
	s.gather(i, limit*4, &b)
	return cutRunes(strings.Join(strings.Fields(b.String()), " "), limit)
}

// gather writes the texts below an element.
func (s *shape) gather(i, limit int, b *strings.Builder) {
	if b.Len() > limit {
		return
	}
	if s.doc.Nodes.NodeType[i] == 3 {
		b.WriteString(at(s.strings, s.doc.Nodes.NodeValue[i]))
		return
	}
	for _, k := range s.kids[i] {
		s.gather(k, limit, b)
	}
}

// cutRunes is the first n runes of s.
func cutRunes(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i]
		}
		count++
	}
	return s
}
