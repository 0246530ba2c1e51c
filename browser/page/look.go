package page

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/jpeg"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domsnapshot"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// Look is what was to be seen of a page at one moment, as the trace keeps it.
// Places are in pixels of the picture.
type Look struct {
	At   time.Time
	JPEG []byte
	W, H int
	// Hide are the fields that hold something: what is typed, and what is a secret,
	// is in no picture.
	Hide []api.Rect
	// Whole hides all of it: keys went into what is no field, and what they wrote
	// may show anywhere.
	Whole bool
	// Places are the elements that answers told of, where they are on show.
	Places map[api.Ref]api.Rect
	// of is the page's document that was looked at.
	of cdp.LoaderID
}

// Shows says whether a look is of the document that the page shows still.
func (p *Page) Shows(l *Look) bool { return p.where(p.mainFrame()).loader == l.of }

// lookStyles are the computed styles that tell what can be written into.
var lookStyles = []string{"visibility", "opacity", "-webkit-user-modify"}

// lookLimit bounds a look: a tab that is not on show in its window is not
// painted, and its picture never comes.
const lookLimit = 2 * time.Second

// lookTries is how often a page is looked at that moves under the look.
const lookTries = 3

// Look takes a picture of what is on show, and finds out what of it must not be
// kept. It waits for no turn: whoever looks sees to it that nothing is done
// meanwhile, and drops what was taken when something was.
func (p *Page) Look(ctx context.Context) (*Look, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	if err := p.setUpDone(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	lost, stands := p.lostLocked(), p.dialog != nil
	p.mu.Unlock()
	switch {
	case lost != nil:
		return nil, lost
	case stands:
		return nil, api.Refuse(api.DialogOpen, "a dialog stands")
	}
	got, err := p.lookOnce(ctx)
	return got, p.fault(ctx, err, false)
}

// lookOnce is Look of a page that can be asked.
func (p *Page) lookOnce(ctx context.Context) (*Look, error) {
	if !p.paints() {
		return nil, notPainted()
	}
	if large, err := p.large(ctx); err != nil || large {
		if large {
			err = api.Refuse(api.TooLarge, "the page is too large")
		}
		return nil, err
	}
	was, err := p.hidden(ctx)
	if err != nil {
		return nil, err
	}
	for range lookTries {
		taken, err := p.onShow(ctx)
		if err != nil {
			return nil, err
		}
		now, err := p.hidden(ctx)
		if err != nil {
			return nil, err
		}
		// What moved while the picture was taken is nobody knows where in it.
		if was.same(now) {
			l, err := taken.with(now)
			if l != nil {
				l.Whole = now.whole || p.wroteAstray(now.of)
			}
			return l, err
		}
		was = now
	}
	return nil, api.Refuse(api.Busy, "the page moved while it was taken")
}

// veil is what must not be seen of a page, in CSS pixels of the viewport.
type veil struct {
	of     cdp.LoaderID // the page's document
	w, h   float64
	hide   []clip
	places map[api.Ref]clip
	whole  bool // what is written shows elsewhere than in its field
}

// same says whether two looks found the same document with the same fields at
// the same places.
func (v *veil) same(o *veil) bool {
	return v.of == o.of && v.w == o.w && v.h == o.h && slices.Equal(v.hide, o.hide)
}

// hidden finds out what must not be seen, in all the page's documents: those of
// other processes, and what lies behind closed roots. While a field that holds a
// secret has the focus there is no picture.
func (p *Page) hidden(ctx context.Context) (*veil, error) {
	d, err := p.document(ctx, p.mainFrame())
	if err != nil {
		return nil, err
	}
	size, err := d.begin("position", true)
	if err != nil {
		return nil, err
	}
	r, err := p.readShapes(ctx)
	if err != nil {
		return nil, err
	}
	var view [4]float64
	if err := d.settle(ctx, size, "position", &view); err != nil {
		return nil, err
	}
	v := &veil{w: view[2], h: view[3], places: map[api.Ref]clip{}}
	for _, fr := range r.frames {
		if err := v.take(p, r, fr); err != nil {
			return nil, err
		}
	}
	_, focus, err := p.focused(ctx)
	if err != nil {
		return nil, err
	}
	if focus != nil && secret(focus.Kind, focus.Autocomplete, focus.Dangling, focus.Words...) {
		return nil, api.Refuse(api.SensitiveField, "a field that holds a secret has the focus")
	}
	if p.where(p.mainFrame()).loader != v.of {
		return nil, moved()
	}
	return v, nil
}

// readShapes reads the layout of every frame, and no tree.
func (p *Page) readShapes(ctx context.Context) (*reading, error) {
	r := &reading{}
	a := &asked{shapes: map[*link]*devtools.Pending{}, owners: p.findOwners()}
	var err error
	if a.metrics, err = p.main.s.Begin("Page.getLayoutMetrics", nil); err != nil {
		return nil, err
	}
	for _, f := range p.framesInOrder() {
		fr := &frameReading{f: f, at: p.where(f)}
		r.frames = append(r.frames, fr)
		l := fr.at.link
		if l == nil || a.shapes[l] != nil {
			continue
		}
		a.shapes[l], err = devtools.Begin(l.s, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: lookStyles})
		if err != nil {
			return nil, err
		}
	}
	return a.land(ctx, p, r)
}

// take notes the fields of a document that hold something, or a secret, and
// where the elements are that answers told of. Of a frame that has such a field,
// or cannot be read, all is hidden: how the page sets and scales it is not told.
func (v *veil) take(p *Page, r *reading, fr *frameReading) error {
	s := fr.shape
	hide := []int{}
	if s != nil {
		hide = v.fields(p, fr)
	}
	switch {
	case fr.at.parent == "" && s == nil:
		return moved()
	case fr.at.parent == "":
		v.of = fr.at.loader
		for _, i := range hide {
			v.add(s, i)
		}
	case s == nil || len(hide) > 0:
		for up := fr; up.at.parent != ""; {
			above, owner := r.owner(up)
			if above == nil {
				return moved()
			}
			if above.at.parent == "" {
				v.add(above.shape, owner)
			}
			up = above
		}
	}
	return nil
}

// fields are the elements of a document that must not be seen.
func (v *veil) fields(p *Page, fr *frameReading) (hide []int) {
	s := fr.shape
	p.refs.mu.Lock()
	defer p.refs.mu.Unlock()
	for k, e := range p.refs.byKey {
		if i, ok := s.at[k.backend]; ok && k.frame == fr.f.id && k.loader == fr.at.loader {
			if box, ok := s.clip(i); ok {
				v.places[e.ref] = box
			}
		}
	}
	for i := range s.layout {
		if s.layout[i] >= 0 && (p.refs.secrets[key{fr.f.id, fr.at.loader, s.doc.Nodes.BackendNodeID[i]}] || s.holds(i)) {
			hide = append(hide, i)
			v.whole = v.whole || s.field(i) && s.thin(i)
		}
	}
	return hide
}

// field says whether an element is a field itself, and no part of one.
func (s *shape) field(i int) bool {
	if tag := s.tag(i); tag == "input" || tag == "textarea" {
		return true
	}
	up := int(s.doc.Nodes.ParentIndex[i])
	return s.writable(i) && (up < 0 || s.layout[up] < 0 || !s.writable(up))
}

// writable says whether what is laid out may be written in, as a field that is
// made of elements.
func (s *shape) writable(i int) bool {
	modify := s.style(i, 2)
	return modify != "" && modify != "read-only"
}

// thin says whether an element that is to be seen shows nothing of what is
// written into it: it takes hardly any place, lies off the document, or is not
// painted. The page draws elsewhere what comes in there.
func (s *shape) thin(i int) bool {
	b := s.doc.Layout.Bounds[s.layout[i]]
	if s.style(i, 0) != "visible" || len(b) < 4 {
		return false
	}
	return b[2] < 6 || b[3] < 6 || b[0]+b[2] <= 0 || b[1]+b[3] <= 0 || s.opacity[i] < 0.05
}

// add hides an element.
func (v *veil) add(s *shape, i int) {
	if box, ok := s.clip(i); ok {
		v.hide = append(v.hide, box)
	}
}

// clip is where an element lies in the viewport; false for one that takes no
// place.
func (s *shape) clip(i int) (clip, bool) {
	x, y, w, h, ok := s.box(i)
	return clip{X: x, Y: y, W: w, H: h}, ok && w > 0 && h > 0
}

// holds says whether an element is a field with something in it, or a part of
// what is written.
func (s *shape) holds(i int) bool {
	switch s.tag(i) {
	case "input":
		kind, _ := s.attribute(i, "type")
		if kind = strings.ToLower(kind); partKinds[kind] {
			return true
		}
		return !plainKinds[kind] && s.values[int64(i)] != ""
	case "textarea":
		return s.values[int64(i)] != ""
	}
	return s.writable(i) && s.textOf(i, 1) != ""
}

// partKinds are the inputs that are hidden whatever is in them: a secret, and
// those that show what is typed while it is no value yet.
var partKinds = map[string]bool{
	"password": true, "number": true, "date": true, "time": true, "month": true, "week": true, "datetime-local": true,
}

// plainKinds are the inputs that show nothing that was typed.
var plainKinds = map[string]bool{"checkbox": true, "radio": true, "button": true, "submit": true, "reset": true, "image": true, "range": true, "hidden": true}

// shot is a picture as it came.
type shot struct {
	at   time.Time
	data []byte
}

// paints says whether the picture that was asked for last has come: of a tab that
// is not painted it never does, and no other is asked before.
func (p *Page) paints() bool {
	p.mu.Lock()
	before := p.painting
	p.mu.Unlock()
	if before == nil {
		return true
	}
	select {
	case <-before.Answered():
		return true
	default:
		return false
	}
}

// onShow takes the picture of what is on show.
func (p *Page) onShow(ctx context.Context) (*shot, error) {
	c, err := p.main.s.Begin("Page.captureScreenshot", map[string]any{"format": "jpeg", "quality": 85})
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.painting = c
	p.mu.Unlock()
	var got struct {
		Data string `json:"data"`
	}
	at := time.Now()
	if err := c.Wait(ctx, &got); err != nil {
		if ctx.Err() != nil {
			err = notPainted()
		}
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(got.Data)
	if err == nil && len(data) > maxPicture {
		err = api.Refuse(api.TooLarge, "the picture has %d bytes", len(data))
	}
	return &shot{at: at, data: data}, err
}

// notPainted is why there is no picture of a tab behind another one.
func notPainted() error { return api.Refuse(api.WindowNotVisible, "the tab is not painted") }

// with joins a picture and what must not be seen of it.
func (s *shot) with(v *veil) (*Look, error) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(s.data))
	if err != nil {
		return nil, fmt.Errorf("read a picture of the page: %w", err)
	}
	if v.w < 1 || v.h < 1 {
		return nil, api.Refuse(api.WindowNotVisible, "the page has no size")
	}
	l := &Look{At: s.at, JPEG: s.data, W: c.Width, H: c.Height, Places: map[api.Ref]api.Rect{}, of: v.of}
	fx, fy := float64(c.Width)/v.w, float64(c.Height)/v.h
	// Either side is rounded, in the page and in the picture.
	if math.Abs(fx-fy) > (1+fx)/v.w+(1+fy)/v.h {
		return nil, api.Refuse(api.Busy, "the picture shows another part of the page than is on show")
	}
	for _, box := range v.hide {
		if r, ok := box.pixels(fx, fy, c.Width, c.Height); ok {
			l.Hide = append(l.Hide, r)
		}
	}
	for ref, box := range v.places {
		if r, ok := box.pixels(fx, fy, c.Width, c.Height); ok {
			l.Places[ref] = r
		}
	}
	return l, nil
}

// pixels is a part of the viewport in pixels of a picture of it, rounded
// outwards; false when none of it is in there.
func (c clip) pixels(fx, fy float64, w, h int) (api.Rect, bool) {
	x0, y0 := int(math.Floor(c.X*fx)), int(math.Floor(c.Y*fy))
	x1, y1 := int(math.Ceil((c.X+c.W)*fx)), int(math.Ceil((c.Y+c.H)*fy))
	return api.Rect{X: x0, Y: y0, W: x1 - x0, H: y1 - y0}, x1 > 0 && y1 > 0 && x0 < w && y0 < h
}
