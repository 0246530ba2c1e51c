package target

import (
	"context"
	"time"
	"unicode/utf8"

	"vibespace/internal/api"
	"vibespace/x11"
)

// maxEvents bounds one input: a viewer sends what happened since it sent last.
const maxEvents = 1000

// Input passes on what the person did in the viewer that drives. It leaves no
// row, and what is pressed is written nowhere. The person's alone.
func (e *Engine) Input(ctx context.Context, c api.Caller, r api.InputRequest) (api.InputAnswer, error) {
	w, viewer, err := e.wheelOf(c, "input", r.Handle, r.Viewer)
	if err != nil {
		return api.InputAnswer{}, err
	}
	events, err := readEvents(r.Events)
	if err != nil {
		return api.InputAnswer{}, err
	}
	done, err := e.touch(ctx, w, viewer, events, len(events) > 0)
	if err != nil {
		return api.InputAnswer{}, err
	}
	return api.InputAnswer{Answer: e.answer(c), Handle: w.handle, Done: done}, nil
}

// touch does what a viewer's hand did, for as long as that viewer drives. acts
// says that the person did something, and is not only there.
func (e *Engine) touch(ctx context.Context, w *window, viewer string, events []touch, acts bool) (int, error) {
	w.sign(time.Now(), acts)
	release, err := w.wheel(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	h, err := e.hand(ctx, w, viewer)
	if err != nil {
		return 0, err
	}
	for i, ev := range events {
		if err := h.still(ctx); err != nil {
			return i, api.AsError(err, api.NotAttached).With("done", i)
		}
		if err := ev(ctx, h); err != nil {
			return i, api.AsError(w.fault(err), api.NotResponding).With("done", i)
		}
	}
	w.sign(time.Now(), acts)
	return len(events), nil
}

// hand is the person's, at work in a window.
type hand struct {
	w   *window
	d   *driving
	x   *x11.Conn
	inj *x11.Injector
	// scene is where the window is, looked at when a point is needed first.
	scene *scene
	look  func(context.Context) (scene, error)
}

// hand gives the person's hand in a window that a viewer drives.
func (e *Engine) hand(_ context.Context, w *window, viewer string) (*hand, error) {
	if err := e.drives(w, viewer); err != nil {
		return nil, err
	}
	disp, err := w.live()
	if err != nil {
		return nil, err
	}
	if err := e.injects(disp); err != nil {
		return nil, err
	}
	w.mu.Lock()
	d := w.driven
	w.mu.Unlock()
	if d == nil {
		return nil, notDriving(w.handle)
	}
	inj, _ := disp.Injector()
	return &hand{w: w, d: d, x: disp.X(), inj: inj, look: func(ctx context.Context) (scene, error) { return w.look(ctx, disp) }}, nil
}

// still refuses what comes after the window was handed back.
func (h *hand) still(ctx context.Context) error {
	if closed(h.d.over) {
		return notDriving(h.w.handle)
	}
	return ctx.Err()
}

// root gives the root pixel of a window coordinate, on the screen: a drag may
// leave the window, and a popup reaches past its edge.
func (h *hand) root(ctx context.Context, p api.Point) (x11.Point, error) {
	if h.scene == nil {
		s, err := h.look(ctx)
		if err != nil {
			return x11.Point{}, err
		}
		h.scene = &s
	}
	return h.onScreen(p, h.scene.origin()), nil
}

// in gives the root pixel of a place in an X window, on the screen.
func (h *hand) in(ctx context.Context, id x11.WindowID, p api.Point) (x11.Point, error) {
	w, err := h.x.Window(ctx, id)
	if err != nil {
		return x11.Point{}, err
	}
	return h.onScreen(p, api.Point{X: w.Geometry.X, Y: w.Geometry.Y}), nil
}

// onScreen gives the root pixel of a place beside an origin.
func (h *hand) onScreen(p, origin api.Point) x11.Point {
	wide, high := h.x.Screen()
	return x11.Point{X: min(max(p.X+origin.X, 0), wide-1), Y: min(max(p.Y+origin.Y, 0), high-1)}
}

// move brings the pointer to a point, which may be absent.
func (h *hand) move(ctx context.Context, p *api.Point) error {
	if p == nil {
		return nil
	}
	at, err := h.root(ctx, *p)
	if err != nil {
		return err
	}
	return h.inj.Move(ctx, at)
}

// touch is one thing the hand does.
type touch func(context.Context, *hand) error

// readEvents reads what the person did, all of it before any of it is done.
func readEvents(events []api.InputEvent) ([]touch, error) {
	if len(events) > maxEvents {
		return nil, api.Refuse(api.TooLarge, "%d events are more than one input takes", len(events)).WithHint("at most %d", maxEvents)
	}
	list := make([]touch, len(events))
	for i, ev := range events {
		if ev.At != nil {
			if err := checkPoint(*ev.At); err != nil {
				return nil, err
			}
		}
		var err error
		if list[i], err = readEvent(ev); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readEvent reads one.
func readEvent(ev api.InputEvent) (touch, error) {
	switch ev.Do {
	case "press", "release":
		return readKey(ev)
	case "text":
		if err := checkText(ev.Text); err != nil {
			return nil, err
		}
		return func(ctx context.Context, h *hand) error {
			_, err := h.inj.Text(ctx, ev.Text, x11.TextOpts{Guard: h.still})
			return err
		}, nil
	case "move":
		if ev.At == nil {
			return nil, api.Refuse(api.BadPoint, "a move needs a point").WithHint(`{"do":"move","at":{"x":1,"y":2}}`)
		}
		return func(ctx context.Context, h *hand) error { return h.move(ctx, ev.At) }, nil
	case "down", "up":
		return readButton(ev)
	case "scroll":
		return readScroll(ev)
	case "letgo":
		return func(ctx context.Context, h *hand) error { return h.inj.ReleaseAll(ctx) }, nil
	}
	return nil, api.Refuse(api.BadRequest, "%s is nothing a person does", api.Quote(ev.Do, 40)).
		WithHint("press, release, text, move, down, up, scroll or letgo")
}

// readKey reads a key, by symbol or by keycode.
func readKey(ev api.InputEvent) (touch, error) {
	down := ev.Do == "press"
	if ev.Code != 0 {
		if ev.Code < 8 || ev.Code > 255 || ev.Key != "" {
			return nil, api.Refuse(api.BadKey, "keycode %d is none, or a key was named besides", ev.Code).WithHint("8 to 255, or key alone")
		}
		return func(ctx context.Context, h *hand) error { return h.inj.Key(ctx, x11.Keycode(ev.Code), down) }, nil
	}
	sym, ok := x11.KeyNamed(ev.Key)
	if !ok || utf8.RuneCountInString(ev.Key) > 60 {
		return nil, api.Refuse(api.BadKey, "that is no key").WithHint("an X keysym name or a character")
	}
	return func(ctx context.Context, h *hand) error { return h.inj.Symbol(ctx, sym, down) }, nil
}

// readButton reads a button that goes down or up.
func readButton(ev api.InputEvent) (touch, error) {
	button, ok := buttons[ev.Button]
	if !ok {
		return nil, api.Refuse(api.BadRequest, "%s is no button", api.Quote(ev.Button, 40)).WithHint("left, right or middle")
	}
	return func(ctx context.Context, h *hand) error {
		if err := h.move(ctx, ev.At); err != nil {
			return err
		}
		return h.inj.Button(ctx, button, ev.Do == "down")
	}, nil
}

// readScroll reads a turn of the wheel; the keys that are held stay held, since
// a program may zoom by it.
func readScroll(ev api.InputEvent) (touch, error) {
	dir, ok := wheel[ev.Direction]
	if !ok || ev.By < 0 || ev.By > maxNotches {
		return nil, api.Refuse(api.BadRequest, "%s by %d is no scroll", api.Quote(ev.Direction, 40), ev.By).
			WithHint("up, down, left or right, by 1 to %d", maxNotches)
	}
	return func(ctx context.Context, h *hand) error {
		if err := h.move(ctx, ev.At); err != nil {
			return err
		}
		for range max(ev.By, 1) {
			if err := h.inj.Notch(ctx, dir); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
