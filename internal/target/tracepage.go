package target

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// TracedAct is the pictures of an act that was done elsewhere, on a page: they
// are kept among those of windows, marked alike and within the same bounds.
type TracedAct struct {
	Row    int64 // of the audit
	At     time.Time
	Handle api.Handle
	Box    *api.Rect
	Before *TracedPicture // nil for none
	After  *TracedPicture
	Note   string
}

// TracedPicture is a picture and what is to be done to it: what is filled in,
// and the place that is marked.
type TracedPicture struct {
	JPEG  []byte
	Hide  []api.Rect
	Whole bool
	Mark  *api.Rect
}

// ExpectTrace says that the pictures of an act are to come.
func (e *Engine) ExpectTrace(row int64) {
	e.trace.busy()
	e.trace.mark(row)
}

// KeepTrace has the pictures of an act kept, beside whatever comes next. What
// waits is bounded: an act beyond is told with a word.
func (e *Engine) KeepTrace(a TracedAct) {
	size := int64(0)
	for _, p := range []*TracedPicture{a.Before, a.After} {
		if p != nil {
			size += int64(len(p.JPEG))
		}
	}
	if !e.trace.takes(size) {
		size, a.Before, a.After, a.Note = 0, nil, nil, "no picture: "+errBehind.Error()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		e.trace.held.Add(-size)
		e.trace.unmark(a.Row)
		return
	}
	e.trace.waiting.Add(1)
	e.work.Go(func() {
		defer e.trace.waiting.Add(-1)
		defer e.trace.unmark(a.Row)
		defer e.trace.held.Add(-size)
		ctx := context.WithoutCancel(e.life)
		e.trace.quiet(e.life)
		e.trace.pen <- struct{}{}
		defer func() { <-e.trace.pen }()
		if err := e.writeTraced(ctx, a); err != nil {
			e.cfg.Log.Warn("an act could not be traced", "handle", a.Handle, "err", err)
		}
		e.wroteTrace(ctx)
	})
}

// takes counts what is to wait, when there is room for it.
func (t *tracer) takes(size int64) bool {
	if t.waiting.Load() >= traceWaiting {
		return false
	}
	if t.held.Add(size) > traceHeld {
		t.held.Add(-size)
		return false
	}
	return true
}

// writeTraced writes the pictures of an act and its row. The holder of pen calls
// it.
func (e *Engine) writeTraced(ctx context.Context, a TracedAct) error {
	row := store.Trace{ID: a.Row, At: a.At.UTC(), Handle: a.Handle, Box: a.Box}
	var files []store.Picture
	words := []string{a.Note}
	for _, p := range []struct {
		*TracedPicture
		name *string
	}{{a.Before, &row.Before}, {a.After, &row.After}} {
		if p.TracedPicture == nil {
			continue
		}
		data, err := p.draw()
		if err != nil {
			return err
		}
		file, err := e.putTraced(data)
		if err != nil {
			return err
		}
		*p.name = file.Name
		files = append(files, file)
		switch {
		case p.Whole:
			words = append(words, noteWhole)
		case len(p.Hide) > 0:
			words = append(words, noteBoxes)
		}
	}
	row.Note = joinNotes(words)
	return e.cfg.Store.AddTrace(ctx, row, files...)
}

// draw makes a picture what is kept of it.
func (p *TracedPicture) draw() ([]byte, error) {
	got, err := jpeg.Decode(bytes.NewReader(p.JPEG))
	if err != nil {
		return nil, fmt.Errorf("read a picture of a page: %w", err)
	}
	img := image.NewRGBA(image.Rectangle{Max: got.Bounds().Size()})
	draw.Draw(img, img.Rect, got, got.Bounds().Min, draw.Src)
	return finishPicture(img, p.Whole, p.Hide, p.Mark)
}
