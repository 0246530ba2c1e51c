package target

import (
	"context"
	"errors"
	"image"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// stream is the live picture of one window: captured once for all its viewers,
// as far as it was painted, and only while one of them can take a frame. It
// runs from its first viewer to its last.
type stream struct {
	e *Engine
	w *window
	d *display.Display

	poke chan struct{} // wakes run: something was painted, or a viewer is ready
	end  context.CancelFunc
	done chan struct{} // closed when run has returned

	// canvas is the window's picture; run's alone, under mu only when it is
	// replaced or scaled.
	canvas  *image.RGBA
	scratch *image.RGBA
	painted map[x11.WindowID]*painting

	mu      sync.Mutex
	viewers map[*Viewer]struct{}
	levels  map[api.Size]*level
	scene   scene
	dirty   region // of the window, not captured yet
	stale   bool   // the windows of the target are to be looked at again
	note    api.WatchNote
	source  api.Size
	over    bool // nothing more comes: the window has ended or run has
}

// level is the picture in one size, for all viewers that want it.
type level struct {
	scaler *x11.Scaler
	img    *image.RGBA
	dirty  region // of the window, captured and not scaled yet
}

// painting follows what one X window of the target paints.
type painting struct {
	at    x11.Rect
	taken chan struct{} // cap 1: what it told was captured
	end   context.CancelFunc
	done  chan struct{}
}

// view joins a viewer to the window's stream, starting it for the first.
func (e *Engine) view(w *window, d *display.Display, v *Viewer) {
	for {
		w.mu.Lock()
		s := w.stream
		if s == nil {
			s = newStream(e, w, d)
			w.stream = s
		}
		w.mu.Unlock()
		if s.join(v) {
			return
		}
		// It is ending with its last viewer: the next one begins after it.
		<-s.done
	}
}

func newStream(e *Engine, w *window, d *display.Display) *stream {
	ctx, end := context.WithCancel(e.life)
	s := &stream{
		e: e, w: w, d: d, poke: make(chan struct{}, 1), end: end, done: make(chan struct{}),
		painted: map[x11.WindowID]*painting{}, viewers: map[*Viewer]struct{}{}, levels: map[api.Size]*level{},
		stale: true, note: api.WatchNote{OK: true, State: "hidden"},
	}
	e.work.Go(func() {
		defer close(s.done)
		s.run(ctx)
	})
	return s
}

// join adds a viewer unless the stream is over.
func (s *stream) join(v *Viewer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.viewers[v] = struct{}{}
	v.s, v.noted, v.fresh = s, true, true
	s.wake()
	return true
}

// leave takes a viewer away; with the last one everything ends.
func (s *stream) leave(v *Viewer) {
	s.mu.Lock()
	delete(s.viewers, v)
	last := len(s.viewers) == 0
	if last {
		s.overLocked()
	}
	s.mu.Unlock()
	if last {
		s.end()
		<-s.done
	}
}

// overLocked lets the window begin another stream.
func (s *stream) overLocked() {
	if s.over {
		return
	}
	s.over = true
	s.w.mu.Lock()
	if s.w.stream == s {
		s.w.stream = nil
	}
	s.w.mu.Unlock()
}

// wake lets run look again.
func (s *stream) wake() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// run captures until the last viewer is gone or the window has ended.
func (s *stream) run(ctx context.Context) {
	defer s.close()
	watch, err := s.d.X().Watch(ctx)
	if err != nil {
		s.e.cfg.Log.Warn("a window cannot be watched", "handle", s.w.handle, "err", err)
		return
	}
	defer watch.Close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		if s.takeStale() {
			s.look(ctx)
		}
		wait := s.step(ctx)
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-s.w.down:
			return
		case <-s.d.Done():
			// Its end is told once it is buried, with the reason.
			select {
			case <-s.w.down:
			case <-ctx.Done():
			}
			return
		case <-s.poke:
		case <-timer.C:
		case ev, ok := <-watch.C:
			if !ok {
				return
			}
			s.changed(ev)
		}
	}
}

// changed marks what an event of the display makes doubtful.
func (s *stream) changed(ev x11.Event) {
	if ev.Change == x11.Retitled {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
}

func (s *stream) takeStale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stale := s.stale
	s.stale = false
	return stale
}

// look reads the windows of the target anew and follows the painting of each.
func (s *stream) look(ctx context.Context) {
	found, err := s.w.look(ctx, s.d)
	if err != nil {
		return // the display ends: run is told
	}
	s.mu.Lock()
	old := s.scene
	s.scene = found
	s.mu.Unlock()
	here := map[x11.WindowID]bool{}
	for _, p := range found.parts {
		here[p.ID] = true
		was := s.painted[p.ID]
		if was == nil {
			was = s.follow(ctx, p.ID)
		} else if was.at != p.Geometry && found.main != nil && p.ID != found.main.ID {
			s.touch(found.local(was.at))
			s.touch(found.local(p.Geometry))
		}
		was.at = p.Geometry
	}
	for id, p := range s.painted {
		if !here[id] {
			p.end()
			<-p.done
			delete(s.painted, id)
			s.touch(old.local(p.at))
		}
	}
	if !sameOrder(old, found) {
		s.touchAll()
	}
	s.resize(found)
}

// sameOrder says whether the windows of two scenes lie over each other alike.
func sameOrder(a, b scene) bool {
	if len(a.parts) != len(b.parts) || (a.main == nil) != (b.main == nil) {
		return false
	}
	for i := range a.parts {
		if a.parts[i].ID != b.parts[i].ID {
			return false
		}
	}
	return true
}

// resize begins a new picture when the main window has another size, appeared
// or went.
func (s *stream) resize(found scene) {
	size := found.size()
	s.mu.Lock()
	defer s.mu.Unlock()
	state := "live"
	if found.main == nil || size.W <= 0 || size.H <= 0 {
		state, size = "hidden", api.Size{}
	}
	if s.note.State != state {
		s.note.State = state
		s.tellLocked()
	}
	if size == s.source {
		return
	}
	s.source = size
	clear(s.levels)
	s.dirty = region{}
	s.canvas = nil
	if size.W > 0 {
		s.canvas = image.NewRGBA(image.Rect(0, 0, size.W, size.H))
		s.dirty.add(s.canvas.Rect)
	}
	for v := range s.viewers {
		v.fresh, v.ready, v.pending = true, false, region{}
	}
}

// tellLocked makes every viewer read the note again.
func (s *stream) tellLocked() {
	for v := range s.viewers {
		v.noted = true
		v.wake()
	}
}

// touch marks a rectangle, in window coordinates, as painted.
func (s *stream) touch(r api.Rect) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirty.add(image.Rect(r.X, r.Y, r.X+r.W, r.Y+r.H).Intersect(image.Rect(0, 0, s.source.W, s.source.H)))
}

// touchAll marks everything as painted.
func (s *stream) touchAll() { s.touch(api.Rect{W: s.source.W, H: s.source.H}) }

// follow begins to follow what a window paints. It tells, and waits until that
// was captured before it asks again: the server collects meanwhile, so that a
// window that paints without pause costs one question a frame.
func (s *stream) follow(ctx context.Context, id x11.WindowID) *painting {
	ctx, end := context.WithCancel(ctx)
	p := &painting{taken: make(chan struct{}, 1), end: end, done: make(chan struct{})}
	s.painted[id] = p
	go func() {
		defer close(p.done)
		d, err := s.d.X().Damage(ctx, id)
		if err != nil {
			return // it is gone already, or the display is
		}
		defer d.Close(ctx)
		for {
			rects, err := d.Next(ctx)
			if err != nil {
				return
			}
			if !s.damaged(id, rects) {
				continue // nothing that will be captured
			}
			select {
			case <-p.taken:
			case <-ctx.Done():
				return
			}
		}
	}()
	return p
}

// damaged marks what a window painted, given in its own pixels, and tells
// whether any of it shows.
func (s *stream) damaged(id x11.WindowID, rects []image.Rectangle) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := image.Point{}
	if s.scene.main != nil {
		if p := s.scene.byID(id); p != nil {
			at = image.Pt(p.Geometry.X-s.scene.main.Geometry.X, p.Geometry.Y-s.scene.main.Geometry.Y)
		}
	}
	whole := image.Rect(0, 0, s.source.W, s.source.H)
	shows := false
	for _, r := range rects {
		r = r.Add(at).Intersect(whole)
		shows = shows || !r.Empty()
		s.dirty.add(r)
	}
	s.wake()
	return shows
}

// told says something to every viewer: what an agent did.
func (s *stream) told(act api.SeenAct) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note.Act = &act
	s.tellLocked()
}

// close ends what run began, and says the end to whoever still watches.
func (s *stream) close() {
	for _, p := range s.painted {
		p.end()
	}
	for _, p := range s.painted {
		<-p.done
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.overLocked()
	s.note.State = "ended"
	s.w.mu.Lock()
	s.note.Ended = s.w.ended
	s.w.mu.Unlock()
	s.tellLocked()
	for v := range s.viewers {
		v.over = true
	}
	s.canvas, s.scratch, s.levels = nil, nil, nil
}

// gone says whether a fault of a capture is the window's going.
func gone(err error) bool {
	return errors.Is(err, x11.ErrNotViewable) || errors.Is(err, x11.ErrNoWindow) || errors.Is(err, x11.ErrNotRedirected)
}
