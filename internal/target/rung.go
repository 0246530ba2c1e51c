package target

import (
	"context"
	"errors"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
)

// drawnBound is how long a window may take to be drawn by another manager. One
// that shows nothing by itself is not waited for longer.
const drawnBound = 3 * time.Second

// settleBound is how long a window that was moved may take to be as it was before,
// whatever the caller waits.
const settleBound = 10 * time.Second

// checkRung refuses what is no rung.
func checkRung(rung string) error {
	switch display.Rung(rung) {
	case display.RungPlain, display.RungXpra:
		return nil
	}
	return api.Refuse(api.BadRequest, "%s is no rung", api.Quote(rung, 40)).WithHint("xvfb or xpra")
}

// Rung moves the display of a window to another rung while its application runs.
// Nothing of an agent acts on it meanwhile. The person's alone.
func (e *Engine) Rung(ctx context.Context, c api.Caller, r api.RungRequest) (api.OpenAnswer, error) {
	if err := ownerOnly(c, "rung"); err != nil {
		return api.OpenAnswer{}, err
	}
	if err := checkRung(r.Rung); err != nil {
		return api.OpenAnswer{}, err
	}
	return doing(ctx, e, c, r.Handle, "rung", needReach|needLive, func(ctx context.Context, t *turn) (api.OpenAnswer, error) {
		done, err := t.w.lock(ctx)
		if err != nil {
			return api.OpenAnswer{}, err
		}
		defer done()
		if err := t.again(ctx); err != nil {
			return api.OpenAnswer{}, err
		}
		if err := e.move(ctx, t, display.Rung(r.Rung)); err != nil {
			return api.OpenAnswer{}, err
		}
		return api.OpenAnswer{Answer: e.answer(c), Window: e.show(ctx, c, t.w)}, nil
	})
}

// move moves the display, holds the main window at its size again and records where
// it is. Once the display is touched all of it is done, whoever went away.
func (e *Engine) move(ctx context.Context, t *turn, to display.Rung) error {
	if now, _ := t.d.Rung(); now == to {
		return nil
	}
	t.w.mu.Lock()
	pinned, main := t.w.pin != nil, t.w.main
	t.w.mu.Unlock()
	if pinned {
		// What the application states of its sizes goes back to it, for the next
		// manager to read.
		bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleBound)
		defer cancel()
		if err := t.d.WM().Unpin(bound, main); err != nil {
			return t.w.fault(err)
		}
	}
	moved := t.d.Move(ctx, to)
	if errors.Is(moved, display.ErrDead) {
		return t.w.fault(moved)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleBound)
	defer cancel()
	// A window that is slow to be drawn was moved all the same, and shows itself.
	_ = t.w.drawn(ctx, t.d)
	err := errors.Join(e.repin(ctx, t.w, t.d), e.keepRow(ctx, t.w))
	if moved == nil {
		return err
	}
	return notMoved(t.w.handle, t.d, moved)
}

// notMoved refuses a move that failed.
func notMoved(h api.Handle, d *display.Display, why error) error {
	now, _ := d.Rung()
	hint := "what the window holds is as it was; try again"
	if errors.Is(why, display.ErrNoXpra) {
		hint = "install what is named; what the window holds is as it was"
	}
	return api.Refuse(api.StartFailed, "%s is on the rung %s: %v", h, now, why).WithHint("%s", hint)
}

// drawn waits until the main window is drawn and painted under a manager that took
// it over: it may have been hidden for that.
func (w *window) drawn(ctx context.Context, d *display.Display) error {
	ctx, cancel := context.WithTimeout(ctx, drawnBound)
	defer cancel()
	changes, err := d.X().Watch(ctx)
	if err != nil {
		return w.fault(err)
	}
	defer changes.Close()
	for {
		s, err := w.look(ctx, d)
		if err != nil {
			return err
		}
		if s.main != nil {
			_, err := d.X().Painted(ctx, s.main.ID)
			return w.fault(err)
		}
		select {
		case <-changes.C:
		case <-ctx.Done():
			return notDrawn(w.handle)
		}
	}
}
