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
}

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
				l.Whole = p.wroteAstray()
			}
			return l, err
		}
		was = now
	}
	return nil, api.Refuse(api.Busy, "the page moved while it was taken")
}

// astray notes that keys that write go into what is no field: a canvas that is
// an editor, or a page that hears them itself. A space is how a control is used,
// and a letter chooses in a list.
func (p *Page) astray(into *state, s stroke) {
	if into != nil && (into.Textual || into.Tag == "select" || s.text == " ") {
		return
	}
	loader := p.where(p.mainFrame()).loader
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strayed = loader
}

// wroteAstray says whether they did in the document that stands.
func (p *Page) wroteAstray() bool {
	loader := p.where(p.mainFrame()).loader
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.strayed != "" && p.strayed == loader
}

// veil is what must not be seen of a page, in CSS pixels of the viewport.
type veil struct {
	w, h   float64
	hide   []clip
	places map[api.Ref]clip
}

// same says whether two looks found the same documents with the same fields at
// the same places.
func (v *veil) same(o *veil) bool {
	return v.w == o.w && v.h == o.h && slices.Equal(v.hide, o.hide)
}

// hidden finds out what must not be seen, in all the page's documents: those of
// other processes, and what lies behind closed roots.
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
	p.keepOwners(ctx, a.owners)
	if r.zoom, err = p.measure(ctx, a.metrics); err != nil {
		return nil, err
	}
	if err := a.finish(ctx, r); err != nil {
		return nil, err
	}
	r.place()
	return r, nil
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
		}
	}
	return hide
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
		if kind = strings.ToLower(kind); kind == "password" {
			return true
		}
		return !plainKinds[kind] && s.values[int64(i)] != ""
	case "textarea":
		return s.values[int64(i)] != ""
	}
	modify := s.style(i, 2)
	return modify != "" && modify != "read-only" && s.textOf(i, 1) != ""
}

// plainKinds are the inputs that show nothing that was typed.
var plainKinds = map[string]bool{"checkbox": true, "radio": true, "button": true, "submit": true, "reset": true, "image": true, "range": true, "hidden": true}

// shot is a picture as it came.
type shot struct {
	at   time.Time
	data []byte
}

// onShow takes the picture of what is on show. One that was asked for and never
// came is of a tab that is not painted: it is waited for before another is asked.
func (p *Page) onShow(ctx context.Context) (*shot, error) {
	p.mu.Lock()
	before := p.painting
	p.mu.Unlock()
	if before != nil {
		select {
		case <-before.Answered():
		default:
			return nil, notPainted()
		}
	}
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
	l := &Look{At: s.at, JPEG: s.data, W: c.Width, H: c.Height, Places: map[api.Ref]api.Rect{}}
	fx, fy := float64(c.Width)/v.w, float64(c.Height)/v.h
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
