package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/internal/store"
	"vibespace/x11"
)

// The action trace keeps a picture of the window before and after each act,
// with the place marked. An act waits for one thing alone, the copy of the
// pixels before it (about a millisecond); the rest is done beside, and left out
// with a word when it cannot keep up.

const (
	traceBytes = 200 << 20
	traceAge   = 7 * 24 * time.Hour
	// traceEvery is how many acts are traced between two prunings.
	traceEvery = 20
	// traceSettle is how long after an act that nobody observed its picture is
	// taken, unless another act comes first.
	traceSettle = 150 * time.Millisecond
	// traceTake bounds the copy before an act that nobody observes, traceLook that
	// before one that is waited for afterwards; traceRead bounds the reading after.
	traceTake = 20 * time.Millisecond
	traceLook = 500 * time.Millisecond
	traceRead = 2 * time.Second
	// traceQuiet is how long no act must have begun or ended before pictures are
	// written: that takes a core, which an agent in the middle of a burst needs
	// more. traceLate is the longest they wait for it.
	traceQuiet = 100 * time.Millisecond
	traceLate  = 5 * time.Second
	// traceHeld bounds the pixels that wait to be written: three acts on a full
	// screen.
	traceHeld = 64 << 20
	// traceWaiting bounds the acts that wait.
	traceWaiting = 200
	// traceShown is how long a picture whose path was given away counts as in
	// use.
	traceShown = 10 * time.Minute
)

// tracer is the action trace of an engine.
type tracer struct {
	on    bool
	bytes int64
	age   time.Duration

	held    atomic.Int64 // bytes of pixels that wait
	waiting atomic.Int64 // acts that wait
	last    atomic.Int64 // when an act began or ended last, in Unix nanoseconds
	// pen is held by whoever writes pictures; last drawn is what it wrote last.
	pen   chan struct{}
	drawn drawn
	// due counts acts since the last pruning; the holder of pen touches it.
	due int

	mu      sync.Mutex
	shown   map[string]time.Time // names given away, until when they count as used
	writing map[int64]bool       // acts whose pictures are still being written
}

// drawn is a picture as it was written: the second of an act is often the first
// of the next, in every pixel.
type drawn struct {
	f    *frame
	how  string
	file store.Picture
}

// busy notes that an act begins or ends.
func (t *tracer) busy() { t.last.Store(time.Now().UnixNano()) }

// quiet waits until no act has begun or ended for a while, or ctx ends.
func (t *tracer) quiet(ctx context.Context) {
	for late := time.Now().Add(traceLate); time.Now().Before(late); {
		left := traceQuiet - time.Since(time.Unix(0, t.last.Load()))
		if left <= 0 || pause(ctx, left) != nil {
			return
		}
	}
}

// tracing is one act that is traced.
type tracing struct {
	*turn
	scene scene
	acted func() bool
	// whole fills the picture after the act: where it shows is not known.
	whole  bool
	focus  []atspi.Ref // what had the focus before
	into   []atspi.Ref // what the act went into, to be filled in
	before taken
	after  taken
	note   string
	// next is closed when another act's first picture is this one's second.
	next chan struct{}
}

// taken is a picture that was taken, and what of it is filled in.
type taken struct {
	f *frame
	mask
}

// frame is pixels that two acts may share.
type frame struct {
	picture
	size int64
	uses atomic.Int32
	t    *tracer
}

// release gives the pixels back with their last use.
func (f *frame) release() {
	if f != nil && f.uses.Add(-1) == 0 {
		f.free()
		f.t.held.Add(-f.size)
	}
}

// newTracer makes the trace of an engine.
func newTracer(cfg Config) *tracer {
	t := &tracer{on: !cfg.NoTrace, bytes: cfg.TraceBytes, age: cfg.TraceAge, pen: make(chan struct{}, 1), shown: map[string]time.Time{}, writing: map[int64]bool{}}
	if t.bytes == 0 {
		t.bytes = traceBytes
	}
	if t.age == 0 {
		t.age = traceAge
	}
	return t
}

// traceBegin takes the picture before an act. nil is an act that is not traced.
func (t *turn) traceBegin(ctx context.Context, s scene, bound time.Duration, acted func() bool) *tracing {
	if !t.e.trace.on || t.c.Owner {
		return nil
	}
	t.e.trace.busy()
	tr := &tracing{turn: t, scene: s, acted: acted, next: make(chan struct{})}
	tr.focus, _ = t.w.focusNow()
	if t.e.trace.waiting.Load() >= traceWaiting {
		tr.note = "no picture: pictures were behind"
		return tr
	}
	tr.before.mask = t.w.mask()
	var err error
	if tr.before.f, err = tr.take(ctx, s, bound); err != nil {
		tr.before.none = "no picture before: " + plainly(err)
	}
	t.w.handOver(tr.before)
	return tr
}

// errBehind says that too many pictures wait.
var errBehind = errors.New("pictures were behind")

// plainly is an error in its sentence alone.
func plainly(err error) string {
	var r *api.Error
	if errors.As(err, &r) {
		return r.Message
	}
	return err.Error()
}

// take copies the pixels of a window.
func (tr *tracing) take(ctx context.Context, s scene, limit time.Duration) (*frame, error) {
	size := int64(s.main.Geometry.W) * int64(s.main.Geometry.H) * 4
	if t := tr.e.trace; t.held.Add(size) > traceHeld {
		t.held.Add(-size)
		return nil, errBehind
	}
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p, err := tr.compose(bound, s.main.Geometry, s.parts)
	if err != nil {
		tr.e.trace.held.Add(-size)
		if bound.Err() != nil {
			err = errBehind
		}
		return nil, err
	}
	f := &frame{picture: p, size: size, t: tr.e.trace}
	f.uses.Store(1)
	return f, nil
}

// handOver gives the picture before an act to the one before it whose own was
// not taken yet: what is to be seen after that one is what is to be seen now.
func (w *window) handOver(now taken) {
	w.mu.Lock()
	prev := w.traced
	w.traced = nil
	w.mu.Unlock()
	if prev == nil {
		return
	}
	if now.f != nil {
		now.f.uses.Add(1)
	}
	prev.after = now
	prev.after.boxes = slices.Clip(now.boxes)
	close(prev.next)
}

// traceEnd lets the picture after an act be taken and both be written, beside
// whatever comes next.
func (tr *tracing) traceEnd() {
	if tr == nil {
		return
	}
	tr.e.trace.busy()
	if !tr.acted() || tr.row == 0 {
		tr.before.f.release()
		return
	}
	tr.veil()
	w := tr.w
	w.mu.Lock()
	w.traced = tr
	w.mu.Unlock()
	tr.e.trace.waiting.Add(1)
	tr.e.trace.mark(tr.row)
	tr.e.mu.Lock()
	defer tr.e.mu.Unlock()
	if tr.e.closing {
		tr.e.trace.waiting.Add(-1)
		tr.e.trace.unmark(tr.row)
		tr.before.f.release()
		return
	}
	tr.e.work.Go(tr.finish)
}

// veil remembers what the act may have typed into.
func (tr *tracing) veil() {
	switch tr.verb {
	case "type", "set", "clipboard":
		tr.prints = true
	case "key":
	default:
		return
	}
	ids := tr.focus
	if e, err := tr.w.refs.find(tr.did.Ref, tr.held.Epoch); tr.did.Ref != "" && err == nil {
		ids = []atspi.Ref{e.id}
	}
	if len(ids) == 0 || tr.verb == "clipboard" {
		tr.whole = true
		ids = nil
	}
	if tr.prints && tr.verb != "clipboard" {
		tr.w.veil(ids)
	}
	tr.into = ids
}

// finish takes the second picture, unless the next act's first is it, and
// writes both.
func (tr *tracing) finish() {
	defer tr.e.trace.waiting.Add(-1)
	defer tr.e.trace.unmark(tr.row)
	ctx := context.WithoutCancel(tr.e.life)
	if tr.mine() {
		tr.takeAfter(ctx)
	}
	tr.e.trace.quiet(tr.e.life)
	tr.e.trace.pen <- struct{}{}
	defer func() { <-tr.e.trace.pen }()
	if err := tr.write(ctx); err != nil {
		tr.e.cfg.Log.Warn("an act could not be traced", "handle", tr.w.handle, "err", err)
	}
	tr.before.f.release()
	tr.after.f.release()
	tr.e.wroteTrace(ctx)
}

// wroteTrace counts an act that was written, and prunes the trace now and then.
// The holder of pen calls it.
func (e *Engine) wroteTrace(ctx context.Context) {
	if e.trace.due++; e.trace.due >= traceEvery {
		e.trace.due = 0
		e.pruneTrace(ctx)
	}
}

// mine waits until the picture after the act is to be taken and says whether it
// is this act's to take: another one's is it when that comes first.
func (tr *tracing) mine() bool {
	wait := traceSettle
	if tr.seen {
		wait = 0
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-tr.next:
	case <-tr.e.life.Done():
	case <-tr.w.down:
	}
	tr.w.mu.Lock()
	mine := tr.w.traced == tr
	if mine {
		tr.w.traced = nil
	}
	tr.w.mu.Unlock()
	if !mine {
		<-tr.next
	}
	return mine
}

// takeAfter reads the window, when nothing did since the act, and takes its
// picture.
func (tr *tracing) takeAfter(ctx context.Context) {
	d, err := tr.w.live()
	if err != nil {
		tr.after.none = "no picture after: the window has ended"
		return
	}
	if tr.e.driven(tr.w) {
		tr.after.none = noteDriven
		return
	}
	if _, fresh := tr.w.focusNow(); !fresh {
		bound, cancel := context.WithTimeout(ctx, traceRead)
		// What cannot be read has told nothing; the mask knows what that means.
		_, err := tr.e.read(bound, tr.w, d, readOpts{doubt: atspi.DoubtPlaces})
		cancel()
		if err != nil && api.CodeOf(err) != api.NoTree {
			tr.after.none = "no picture after: the window could not be read"
			return
		}
		if err != nil {
			tr.w.unreadable()
		}
	}
	s, err := tr.w.look(ctx, d)
	if err != nil || s.main == nil {
		tr.after.none = "no picture after: the window is not drawn"
		return
	}
	tr.after.mask = tr.w.mask()
	if tr.after.f, err = tr.take(ctx, s, traceRead); err != nil {
		tr.after.none = "no picture after: " + plainly(err)
	}
	if tr.e.testPictured != nil {
		tr.e.testPictured()
	}
	if tr.e.driven(tr.w) {
		// What the person does is no agent's act, and is not kept.
		tr.after.f.release()
		tr.after.f, tr.after.none = nil, noteDriven
	}
}

// unreadable keeps that there was nothing to read: no element is known, and no
// password field.
func (w *window) unreadable() { w.sighted(&reading{}, w.actsSoFar()) }

// write writes the pictures of an act and its row.
func (tr *tracing) write(ctx context.Context) error {
	row := store.Trace{ID: tr.row, At: tr.since.UTC(), Handle: tr.w.handle, Box: tr.box()}
	if tr.w.secretNow() {
		for _, p := range []*taken{&tr.before, &tr.after} {
			if p.unsure && p.none == "" {
				p.none = noteSecret
			}
		}
	}
	if tr.did.Role == atspi.RolePasswordText.String() && (tr.verb == "type" || tr.verb == "key") {
		tr.before.none, tr.after.none = noteSecret, noteSecret
	}
	if tr.whole {
		tr.after.whole, tr.after.note = true, noteWhole
	}
	for _, id := range tr.into { // of a key that types nothing, too
		if box, ok := tr.w.placeOf(id); ok {
			tr.after.boxes = append(tr.after.boxes, box)
		}
	}
	var files []store.Picture
	for _, p := range []struct {
		taken
		name *string
	}{{tr.before, &row.Before}, {tr.after, &row.After}} {
		file, err := tr.e.keepTraced(p.taken, row.Box)
		if err != nil {
			return err
		}
		if *p.name = file.Name; file.Name != "" {
			files = append(files, file)
		}
	}
	row.Note = notes(tr.note, tr.before, tr.after)
	return tr.e.cfg.Store.AddTrace(ctx, row, files...)
}

// notes joins what there is to say of an act's pictures, each once.
func notes(first string, pictures ...taken) string {
	return joinNotes([]string{first, pictures[0].none, pictures[1].none, pictures[0].mask.note, pictures[1].mask.note})
}

// joinNotes joins words, each once.
func joinNotes(words []string) string {
	var said []string
	for _, n := range words {
		if n != "" && !strings.Contains(strings.Join(said, "; "), n) {
			said = append(said, n)
		}
	}
	return strings.Join(said, "; ")
}

// box is where the act was done: its point, or its element.
func (tr *tracing) box() *api.Rect {
	if at := tr.did.At; at != nil {
		return &api.Rect{X: at.X, Y: at.Y}
	}
	if tr.did.Ref != "" {
		if e, err := tr.w.refs.find(tr.did.Ref, tr.held.Epoch); err == nil {
			if box, ok := tr.w.placeOf(e.id); ok {
				return &box
			}
		}
	}
	return nil
}

// keepTraced fills in, marks, encodes and writes one picture; nothing when it
// is not to be kept. The holder of pen calls it.
func (e *Engine) keepTraced(p taken, box *api.Rect) (store.Picture, error) {
	if p.f == nil || p.none != "" {
		return store.Picture{}, nil
	}
	how := fmt.Sprint(p.whole, p.boxes, box)
	if last := e.trace.drawn; last.f == p.f && last.how == how {
		return last.file, nil
	}
	data, err := render(p, box)
	if err != nil {
		return store.Picture{}, err
	}
	file, err := e.putTraced(data)
	if err == nil {
		e.trace.drawn = drawn{p.f, how, file}
	}
	return file, err
}

// putTraced writes a picture by its content.
func (e *Engine) putTraced(data []byte) (store.Picture, error) {
	sum := sha256.Sum256(data)
	file := store.Picture{Name: hex.EncodeToString(sum[:]) + ".jpg", Bytes: int64(len(data))}
	path := e.tracePath(file.Name)
	if _, err := os.Stat(path); err == nil {
		return file, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return store.Picture{}, fmt.Errorf("keep a picture: %w", err)
	}
	if err := store.PutFile(path, data); err != nil {
		return store.Picture{}, fmt.Errorf("keep a picture: %w", err)
	}
	return file, nil
}

// render draws a picture as it is kept.
func render(p taken, box *api.Rect) ([]byte, error) {
	src := p.f.rgba()
	img := image.NewRGBA(image.Rectangle{Max: src.Rect.Size()}) // another act may have other marks
	copy(img.Pix, src.Pix)
	return finishPicture(img, p.whole, p.boxes, box)
}

// finishPicture fills in and marks a picture, and encodes it as it is kept.
func finishPicture(img *image.RGBA, whole bool, boxes []api.Rect, box *api.Rect) ([]byte, error) {
	if whole {
		fill(img, img.Rect)
	}
	for _, b := range boxes {
		fill(img, image.Rect(b.X-2, b.Y-2, b.X+b.W+2, b.Y+b.H+2))
	}
	if box != nil {
		markPlace(img, *box)
	}
	if long := max(img.Rect.Dx(), img.Rect.Dy()); long > traceSide {
		w, h := x11.FitSide(img.Rect.Dx(), img.Rect.Dy(), traceSide)
		img = x11.Downscale(img, w, h, nil)
	}
	var data bytes.Buffer
	err := x11.EncodeJPEG(&data, img, traceQ)
	return data.Bytes(), err
}

// tracePath is where a picture of the trace lies.
func (e *Engine) tracePath(name string) string {
	return filepath.Join(e.cfg.StateDir, "trace", name[:2], name)
}
