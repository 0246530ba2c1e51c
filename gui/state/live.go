package state

import (
	"context"
	"errors"
	"image"
	"io"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

const (
	// drawTime is how long a picture may wait to be drawn before the next is
	// asked for all the same: a view that is hidden draws nothing.
	drawTime = time.Second
	// watchAgain is how long after a watch broke it is begun anew.
	watchAgain = time.Second
)

// Live is a window's live picture as the app draws it. Run brings it; the
// goroutine that draws takes it with Draw, which also asks for the next.
type Live struct {
	desk   *Desk
	handle api.Handle
	rate   int

	drawn chan struct{} // cap 1: the newest picture was drawn
	paned chan struct{} // cap 1: pane is another

	mu     sync.Mutex
	front  *image.RGBA
	source api.Size
	pane   api.Size
	note   api.WatchNote
	fault  error
}

// Live makes the live picture of a window for a pane of device pixels, at so
// many frames a second at the most (0 is 30).
func (d *Desk) Live(h api.Handle, pane api.Size, rate int) *Live {
	return &Live{desk: d, handle: h, rate: rate, pane: pane, drawn: make(chan struct{}, 1), paned: make(chan struct{}, 1)}
}

// Run watches until ctx ends or the window has. news is called when there is a
// picture to draw or a note to read, from Run's goroutines.
func (v *Live) Run(ctx context.Context, news func()) {
	for ctx.Err() == nil {
		err := v.watch(ctx, news)
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			return
		}
		v.mu.Lock()
		v.fault = err
		v.mu.Unlock()
		news()
		if code := api.CodeOf(err); code == api.NotExposed {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchAgain):
		}
	}
}

// watch is one watch's worth of Run.
func (v *Live) watch(ctx context.Context, news func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v.mu.Lock()
	pane := v.pane
	v.mu.Unlock()
	if pane.W <= 0 || pane.H <= 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.paned:
			return errors.New("the pane has a size only now")
		}
	}
	w, err := v.desk.c.Watch(ctx, api.WatchRequest{Handle: v.handle, Pane: pane, Rate: v.rate, Memory: v.rate == 0})
	if err != nil {
		return err
	}
	defer w.Close()
	var resizing sync.WaitGroup
	defer resizing.Wait()
	defer cancel()
	resizing.Go(func() { v.resize(ctx, w) })
	for {
		s, err := w.Next(ctx)
		if err != nil {
			return err
		}
		v.Take(s)
		if s.Picture == nil {
			news()
			continue
		}
		select { // an earlier picture's, which this one replaced
		case <-v.drawn:
		default:
		}
		news()
		select {
		case <-v.drawn:
		case <-time.After(drawTime):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := w.Took(ctx, s); err != nil {
			return err
		}
	}
}

// resize tells the daemon of another pane.
func (v *Live) resize(ctx context.Context, w *client.Watching) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.paned:
		}
		v.mu.Lock()
		pane := v.pane
		v.mu.Unlock()
		if w.Resize(ctx, pane) != nil {
			return // the watch is broken, and begun anew
		}
	}
}

// Take keeps what came.
func (v *Live) Take(s client.Seen) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fault = nil
	if s.Note != nil {
		v.note = *s.Note
		return
	}
	v.source = s.Source
	changed := s.Changed
	if v.front == nil || v.front.Rect != s.Picture.Rect {
		v.front = image.NewRGBA(s.Picture.Rect)
		changed = []image.Rectangle{s.Picture.Rect}
	}
	for _, r := range changed {
		copyRect(v.front, s.Picture, r)
	}
}

// copyRect copies a rectangle to the same place in a picture of the same size.
func copyRect(dst, src *image.RGBA, r image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := src.PixOffset(r.Min.X, y)
		copy(dst.Pix[dst.PixOffset(r.Min.X, y):], src.Pix[from:from+4*r.Dx()])
	}
}

// Resize says that the pane has another size, in device pixels.
func (v *Live) Resize(pane api.Size) {
	v.mu.Lock()
	same := v.pane == pane
	v.pane = pane
	v.mu.Unlock()
	if same {
		return
	}
	select {
	case v.paned <- struct{}{}:
	default:
	}
}

// Draw gives the newest picture, in the memory of into when that has its size;
// nil when there is none. The next one comes after it.
func (v *Live) Draw(into *image.RGBA) *image.RGBA {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.front == nil {
		return nil
	}
	if into == nil || into.Rect != v.front.Rect {
		into = image.NewRGBA(v.front.Rect)
	}
	copy(into.Pix, v.front.Pix)
	select {
	case v.drawn <- struct{}{}:
	default:
	}
	return into
}

// Show lends the newest picture to f, which says whether it drew it: the next one
// comes then. It says the same, false when there is none.
func (v *Live) Show(f func(*image.RGBA) bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.front == nil || !f(v.front) {
		return false
	}
	select {
	case v.drawn <- struct{}{}:
	default:
	}
	return true
}

// Now says how the window stands: its size, whether it is drawn, what an agent
// did last, and why nothing comes, if so.
func (v *Live) Now() (source api.Size, picture api.Size, note api.WatchNote, fault error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.front != nil {
		picture = api.Size{W: v.front.Rect.Dx(), H: v.front.Rect.Dy()}
	}
	return v.source, picture, v.note, v.fault
}

// Sender brings what the person does to a window this viewer drives: in order,
// one request at a time, moves that are late left out.
type Sender struct {
	desk   *Desk
	handle api.Handle
	failed func(error)

	mu      sync.Mutex
	waiting []api.InputEvent
	busy    bool
}

// Sender makes one. failed is told what the daemon refused, from a goroutine of
// its own.
func (d *Desk) Sender(h api.Handle, failed func(error)) *Sender {
	return &Sender{desk: d, handle: h, failed: failed}
}

// Send puts events after those that wait. It does not block.
func (s *Sender) Send(events []api.InputEvent) {
	if len(events) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = Merge(s.waiting, events)
	if s.busy {
		return
	}
	s.busy = true
	go s.run()
}

func (s *Sender) run() {
	for {
		s.mu.Lock()
		events := s.waiting
		s.waiting = nil
		if len(events) == 0 {
			s.busy = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		ctx, cancel := within(context.Background())
		_, err := s.desk.c.Input(ctx, api.InputRequest{Handle: s.handle, Viewer: s.desk.viewer, Events: events})
		cancel()
		if err != nil {
			s.mu.Lock()
			s.waiting = nil // what follows a lost press would be half of something
			s.mu.Unlock()
			s.failed(err)
		}
	}
}
