package target

import (
	"context"
	"image"
	"time"

	"vibespace/internal/api"
	"vibespace/x11"
)

const (
	// idleWait is how long run may sleep when nothing is due: whatever is
	// painted wakes it.
	idleWait = time.Hour
	// retryWait is when a capture that failed is tried again: the window goes,
	// comes or changes at that moment, and its event is on the way.
	retryWait = 50 * time.Millisecond
	// faultWait is when it is tried again after any other fault.
	faultWait = time.Second
)

// step captures and scales for the viewers whose turn it is, and gives how long
// to sleep.
func (s *stream) step(ctx context.Context) time.Duration {
	due, wait := s.due(time.Now())
	if len(due) == 0 {
		return wait
	}
	if err := s.capture(ctx); err != nil {
		if !gone(err) {
			return faultWait
		}
		s.mu.Lock()
		s.stale = true
		s.mu.Unlock()
		return retryWait
	}
	s.hand(due)
	_, wait = s.due(time.Now())
	return wait
}

// due gives the viewers that something new is there for and that can take it,
// and how long to wait when there is none.
func (s *stream) due(now time.Time) ([]*Viewer, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []*Viewer
	wait := idleWait
	if s.canvas == nil {
		return nil, wait
	}
	for v := range s.viewers {
		switch left := v.next.Sub(now); {
		case !s.newsLocked(v) || v.behind() || v.ready:
		case left > 0:
			wait = min(wait, left)
		default:
			due = append(due, v)
		}
	}
	return due, wait
}

// newsLocked says whether there are pixels a viewer has not got.
func (s *stream) newsLocked(v *Viewer) bool {
	if v.fresh || !s.dirty.empty() || !v.pending.empty() {
		return true
	}
	l := s.levels[v.size(s.source)]
	return l != nil && !l.dirty.empty()
}

// capture brings the canvas up to date.
func (s *stream) capture(ctx context.Context) error {
	s.mu.Lock()
	rects := s.dirty.take()
	parts, main, canvas := s.scene.parts, s.scene.main, s.canvas
	s.mu.Unlock()
	if main == nil || len(rects) == 0 {
		return nil
	}
	err := s.draw(ctx, canvas, rects, parts, *main)
	s.mu.Lock()
	for _, r := range rects {
		if err != nil {
			s.dirty.add(r)
			continue
		}
		for _, l := range s.levels {
			l.dirty.add(r)
		}
	}
	s.mu.Unlock()
	for _, p := range s.painted {
		select {
		case p.taken <- struct{}{}:
		default:
		}
	}
	return err
}

// draw draws rectangles of the parts, bottom to top, into the canvas. The
// viewers read their own levels, never the canvas.
func (s *stream) draw(ctx context.Context, canvas *image.RGBA, rects []image.Rectangle, parts []part, main part) error {
	for _, r := range rects {
		for _, p := range parts {
			at := image.Pt(p.Geometry.X-main.Geometry.X, p.Geometry.Y-main.Geometry.Y)
			box := r.Intersect(image.Rect(0, 0, p.Geometry.W, p.Geometry.H).Add(at))
			if box.Empty() {
				continue
			}
			into := s.scratch
			direct := p.ID == main.ID && box == canvas.Rect
			if direct {
				into = canvas // no copy for a window that repaints all of itself
			}
			img, _, err := s.d.X().CapturePart(ctx, p.ID, box.Sub(at), into)
			switch {
			case err != nil && gone(err) && p.ID != main.ID:
				continue // it is not there any more; its event is on the way
			case err != nil:
				return err
			case img.Rect.Empty() || direct && &img.Pix[0] == &canvas.Pix[0]:
				continue
			case !direct:
				s.scratch = img
			}
			x11.Paste(canvas, img, x11.Point{X: at.X + img.Rect.Min.X, Y: at.Y + img.Rect.Min.Y})
		}
	}
	return nil
}

// hand makes the pictures of the viewers that are due, and wakes them.
func (s *stream) hand(due []*Viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.canvas == nil {
		return
	}
	now := time.Now()
	for _, v := range due {
		if s.viewers == nil || !s.watchesLocked(v) {
			continue
		}
		size := v.size(s.source)
		l := s.levelLocked(size)
		s.scaleLocked(size, l)
		if v.fresh {
			v.key, v.fresh = true, false
			v.pending = region{rects: []image.Rectangle{l.img.Rect}}
		}
		if v.pending.empty() {
			continue
		}
		v.ready = true
		if v.next = v.next.Add(v.every); v.next.Before(now) {
			v.next = now.Add(v.every) // it was idle, or cannot keep pace
		}
		v.wake()
	}
	s.dropLevelsLocked()
}

func (s *stream) watchesLocked(v *Viewer) bool {
	_, ok := s.viewers[v]
	return ok
}

// levelLocked gives the picture in a size, made anew when nobody had it.
func (s *stream) levelLocked(size api.Size) *level {
	l := s.levels[size]
	if l == nil {
		l = &level{img: image.NewRGBA(image.Rect(0, 0, size.W, size.H)), scaler: x11.NewScaler(s.source.W, s.source.H, size.W, size.H)}
		l.dirty.add(s.canvas.Rect)
		s.levels[size] = l
	}
	return l
}

// scaleLocked brings a level up to date and tells its viewers what is new.
func (s *stream) scaleLocked(size api.Size, l *level) {
	for _, r := range l.dirty.take() {
		part := l.scaler.Touched(r)
		if size == s.source {
			copyPart(l.img, s.canvas, part)
		} else {
			l.scaler.Part(l.img, s.canvas, part)
		}
		for v := range s.viewers {
			if v.size(s.source) == size {
				v.pending.add(part)
			}
		}
	}
}

// dropLevelsLocked forgets pictures in sizes that nobody wants any more.
func (s *stream) dropLevelsLocked() {
	used := map[api.Size]bool{}
	for v := range s.viewers {
		used[v.size(s.source)] = true
	}
	for size := range s.levels {
		if !used[size] {
			delete(s.levels, size)
		}
	}
}

// copyPart copies a part of a picture to the same place in another of its size.
func copyPart(dst, src *image.RGBA, part image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		from := src.PixOffset(part.Min.X, y)
		copy(dst.Pix[dst.PixOffset(part.Min.X, y):], src.Pix[from:from+4*part.Dx()])
	}
}
