package target

import (
	"context"
	"image"
	"io"
	"time"

	"vibespace/internal/api"
)

const (
	// viewRate is the frames a second of a viewer that names no rate, maxRate the
	// most one gets.
	viewRate, maxRate = 30, 60
	// viewBehind is how many frames a viewer may have that it did not acknowledge.
	viewBehind = 2
)

// Viewer is one reader of a window's live picture: Next gives what is new, Ack
// says that it was taken. Next is one goroutine's; Ack and Resize may come from
// another. Close ends it.
type Viewer struct {
	s     *stream
	poke  chan struct{}
	every time.Duration

	// Guarded by the stream's lock.
	pane    api.Size
	next    time.Time // when the next frame may be made
	pending region    // of its picture, not sent yet
	key     bool      // the next frame is whole
	fresh   bool      // a whole frame is to be made
	ready   bool      // a frame is there to be taken
	noted   bool      // the note is to be read
	over    bool      // nothing comes after the note
	ended   bool      // the end was told
	sent    uint32
	acked   uint32
}

// Update is what a viewer is given: a note, or a frame and its pixels.
type Update struct {
	Note   *api.WatchNote
	Frame  api.FrameHead
	Pixels []byte
}

// Watch begins to watch a window. The person's alone; no lease is asked, since
// the person may look whoever acts. It leaves no audit row: looking is what the
// desktop app does all day.
func (e *Engine) Watch(_ context.Context, c api.Caller, r api.WatchRequest) (*Viewer, error) {
	if err := ownerOnly(c, "watch"); err != nil {
		return nil, err
	}
	if r.Rate < 0 || r.Rate > maxRate {
		return nil, api.Refuse(api.BadRequest, "the rate is %d; it is 1 to %d frames a second, or absent", r.Rate, maxRate)
	}
	if err := checkPane(r.Pane); err != nil {
		return nil, err
	}
	w := e.window(r.Handle)
	if w == nil {
		return nil, forPerson(notExposed(r.Handle))
	}
	d, err := w.live()
	if err != nil {
		return nil, forPerson(err)
	}
	if r.Rate == 0 {
		r.Rate = viewRate
	}
	v := &Viewer{poke: make(chan struct{}, 1), every: time.Second / time.Duration(r.Rate), pane: r.Pane}
	e.view(w, d, v)
	return v, nil
}

// checkPane refuses a pane no screen has.
func checkPane(p api.Size) error {
	if p.W < 0 || p.H < 0 || p.W > maxSide || p.H > maxSide {
		return api.Refuse(api.BadSize, "a pane of %dx%d", p.W, p.H).WithHint("a side is 1 to %d device pixels, or 0 for the window's own", maxSide)
	}
	return nil
}

// wake lets Next look again.
func (v *Viewer) wake() {
	select {
	case v.poke <- struct{}{}:
	default:
	}
}

// behind says whether the viewer has as many frames as it may.
func (v *Viewer) behind() bool { return v.sent-v.acked >= viewBehind }

// size is that of the viewer's picture of a window: as large as fits into its
// pane, with the window's proportions, and never larger than the window.
func (v *Viewer) size(source api.Size) api.Size { return FitPane(source, v.pane) }

// FitPane gives the size of a picture of a window in a pane.
func FitPane(source, pane api.Size) api.Size {
	if source.W <= 0 || source.H <= 0 || pane.W <= 0 || pane.H <= 0 || pane.W >= source.W && pane.H >= source.H {
		return source
	}
	if source.W*pane.H > pane.W*source.H {
		return api.Size{W: pane.W, H: max(1, (source.H*pane.W+source.W/2)/source.W)}
	}
	return api.Size{W: max(1, (source.W*pane.H+source.H/2)/source.H), H: pane.H}
}

// Next waits for something new. The pixels of a frame are put where alloc says
// for that many bytes; they are the newest there are, however long ago the
// reader asked last. After the note that the window has ended it gives io.EOF.
func (v *Viewer) Next(ctx context.Context, alloc func(n int) []byte) (Update, error) {
	for {
		u, ok, err := v.take(alloc)
		if err != nil || ok {
			return u, err
		}
		select {
		case <-v.poke:
		case <-ctx.Done():
			return Update{}, ctx.Err()
		}
	}
}

func (v *Viewer) take(alloc func(n int) []byte) (Update, bool, error) {
	s := v.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.noted {
		v.noted = false
		v.ended = v.over
		note := s.note
		return Update{Note: &note}, true, nil
	}
	if v.ended {
		return Update{}, false, io.EOF
	}
	if !v.ready || v.behind() {
		return Update{}, false, nil
	}
	v.ready = false
	l := s.levels[v.size(s.source)]
	if v.fresh || l == nil {
		// The picture got another size meanwhile: a whole one follows.
		s.wake()
		return Update{}, false, nil
	}
	v.sent++
	f := api.FrameHead{
		Seq: v.sent, Source: s.source, Size: api.Size{W: l.img.Rect.Dx(), H: l.img.Rect.Dy()}, Key: v.key, Rects: v.pending.take(),
	}
	v.key = false
	pixels := alloc(f.Bytes())
	copyRects(pixels, l.img, f.Rects)
	if !v.behind() {
		s.wake()
	}
	return Update{Frame: f, Pixels: pixels}, true, nil
}

// copyRects packs rectangles of a picture after each other.
func copyRects(to []byte, img *image.RGBA, rects []image.Rectangle) {
	for _, r := range rects {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			at := img.PixOffset(r.Min.X, y)
			to = to[copy(to, img.Pix[at:at+4*r.Dx()]):]
		}
	}
}

// Ack says that a frame and all before it were taken.
func (v *Viewer) Ack(seq uint32) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if seq > v.acked && seq <= v.sent {
		v.acked = seq
		v.wake()
		v.s.wake()
	}
}

// Resize gives the viewer another pane.
func (v *Viewer) Resize(pane api.Size) error {
	if err := checkPane(pane); err != nil {
		return err
	}
	s := v.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.pane == pane {
		return nil
	}
	before := v.size(s.source)
	v.pane = pane
	if v.size(s.source) != before {
		v.fresh, v.ready, v.pending = true, false, region{}
		v.next = time.Time{}
		s.wake()
	}
	return nil
}

// Close ends the viewer; with a window's last one its capture ends, too.
func (v *Viewer) Close() { v.s.leave(v) }
