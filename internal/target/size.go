package target

import (
	"context"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// Size pins a window to exactly that many pixels, or lets it go. An agent pins
// its own windows, the person any.
func (e *Engine) Size(ctx context.Context, c api.Caller, r api.SizeRequest) (api.OpenAnswer, error) {
	if r.Size != nil {
		if err := checkSize(*r.Size); err != nil {
			return api.OpenAnswer{}, err
		}
	}
	want := needSee
	if c.Owner {
		want = needReach | needLive
	}
	return doing(ctx, e, c, r.Handle, "size", want, func(ctx context.Context, t *turn) (api.OpenAnswer, error) {
		if !c.Owner && !t.own() {
			return api.OpenAnswer{}, notYours(t.w.handle, "pins its size")
		}
		done, err := t.w.lock(ctx)
		if err != nil {
			return api.OpenAnswer{}, err
		}
		defer done()
		if err := t.again(ctx); err != nil {
			return api.OpenAnswer{}, err
		}
		if err := t.resize(ctx, r.Size); err != nil {
			return api.OpenAnswer{}, err
		}
		if err := e.keepRow(ctx, t.w); err != nil {
			return api.OpenAnswer{}, err
		}
		return api.OpenAnswer{Answer: e.answer(c), Window: e.show(ctx, c, t.w)}, nil
	})
}

// resize pins the main window, or unpins it.
func (t *turn) resize(ctx context.Context, size *api.Size) error {
	s, err := t.w.look(ctx, t.d)
	if err != nil {
		return err
	}
	if s.main == nil {
		return notDrawn(t.w.handle)
	}
	if size == nil {
		t.w.setPin(nil)
		if err := t.d.WM().Unpin(ctx, s.main.ID); err != nil {
			return t.w.fault(err)
		}
		return t.w.fault(t.d.X().SetMonitor(ctx, x11.DefaultMonitor()))
	}
	return pin(ctx, t.w, t.d, s.main, *size)
}

// pinBound is how long an application may take to take its size.
const pinBound = 3 * time.Second

// pin gives the main window exactly that size and holds it there. One that
// will not take it is left as it was.
func pin(ctx context.Context, w *window, d *display.Display, main *part, size api.Size) error {
	wide, high := d.X().Screen()
	if size.W > wide || size.H > high {
		return api.Refuse(api.SizeOutOfBounds, "%dx%d is larger than the display, %dx%d", size.W, size.H, wide, high).
			WithHint("open it with --size %dx%d: its display is then made to fit", size.W, size.H).
			With("max", api.Size{W: wide, H: high})
	}
	wait, cancel := context.WithTimeout(ctx, pinBound)
	defer cancel()
	if err := d.X().SetMonitor(wait, x11.Rect{W: size.W, H: size.H}); err != nil {
		return w.fault(err)
	}
	got, err := d.WM().Pin(wait, main.ID, size.W, size.H)
	if err != nil {
		return w.fault(err)
	}
	if got.Exact() {
		w.setPin(&size)
		return nil
	}
	bound, stop := context.WithTimeout(context.WithoutCancel(ctx), pinBound)
	defer stop()
	_ = d.WM().Unpin(bound, main.ID)
	_ = d.X().SetMonitor(bound, x11.DefaultMonitor())
	h := got.Hints
	return api.Refuse(api.SizeNotHonoured, "%s will not be %dx%d: it is %dx%d", w.app, size.W, size.H, got.GotW, got.GotH).
		WithHint("min and max are its own limits, 0 is none").
		With("is", api.Size{W: got.GotW, H: got.GotH}).With("min", api.Size{W: h.MinW, H: h.MinH}).With("max", api.Size{W: h.MaxW, H: h.MaxH})
}

// pinAtOpen pins a window that is being opened.
func (e *Engine) pinAtOpen(ctx context.Context, w *window, d *display.Display, size api.Size) error {
	s, err := w.look(ctx, d)
	if err != nil {
		return err
	}
	if s.main == nil {
		return notDrawn(w.handle)
	}
	return pin(ctx, w, d, s.main, size)
}

// setPin keeps the pin.
func (w *window) setPin(size *api.Size) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pin = size
}
