package x11

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// ErrBadPoint says that a point is not on the screen, or that the pointer could
// not be brought there because a program confines it.
var ErrBadPoint = errors.New("the pointer cannot go there")

// Button is a pointer button as X numbers them.
type Button byte

// The buttons of a mouse. The wheel is four buttons more.
const (
	ButtonLeft   Button = 1
	ButtonMiddle Button = 2
	ButtonRight  Button = 3
)

func (b Button) check() error {
	if b > lastButton {
		return fmt.Errorf("%w: no pointer button %d", ErrBadKey, b)
	}
	return nil
}

// Direction is where a wheel turns to.
type Direction string

// The directions of a wheel.
const (
	WheelUp    Direction = "up"
	WheelDown  Direction = "down"
	WheelLeft  Direction = "left"
	WheelRight Direction = "right"
)

// lastButton is the highest button a pointer surely has: the wheel's.
const lastButton Button = 7

var wheelButtons = map[Direction]Button{WheelUp: 4, WheelDown: 5, WheelLeft: 6, WheelRight: 7}

const (
	// dragStep is how far a drag moves at once, in pixels. Toolkits begin a drag
	// at a threshold and look at the motions between: one jump is not one.
	dragStep = 12
	// dragSteps bounds the motions of one leg of a drag.
	dragSteps = 60
	// dragPace is the time between two motions of a drag, about the rate of a
	// real mouse: toolkits fold the motions of one frame into one.
	dragPace = 8 * time.Millisecond
	// dragRest is how long the pointer stays before a drop, so that the target
	// can say what it takes.
	dragRest = 60 * time.Millisecond
)

// ClickOpts say how to click; the zero value is one click with the left button.
type ClickOpts struct {
	Button Button
	Count  int
	// Mods are held during the clicks.
	Mods []Keysym
	// Guard is called when the pointer is there, right before the first press:
	// it is where the caller verifies what is under the point. Its error stops
	// the click and is returned.
	Guard func(ctx context.Context) error
	// Progress is told how many clicks are done, after each.
	Progress func(clicks int)
}

// WheelOpts say how to turn the wheel.
type WheelOpts struct {
	Dir Direction
	// Notches is how many; 0 means one.
	Notches int
	Mods    []Keysym
	Guard   func(ctx context.Context) error // as for a click
	// Progress is told how many notches are done, after each.
	Progress func(notches int)
}

// DragOpts say how to drag.
type DragOpts struct {
	// Path is where the button goes down, what is passed, and where it goes up:
	// two points at least, in root pixels.
	Path   []Point
	Button Button // 0 means the left one
	Mods   []Keysym
	Guard  func(ctx context.Context) error // as for a click
	// Progress is told how many points of the path were reached, after each.
	Progress func(points int)
}

// Pointer gives where the pointer is.
func (i *Injector) Pointer(ctx context.Context) (Point, error) {
	return call(ctx, i.c, func(x *xgb.Conn) (Point, error) {
		reply, err := xproto.QueryPointer(x, i.c.root).Reply()
		if err != nil {
			return Point{}, err
		}
		return Point{int(reply.RootX), int(reply.RootY)}, nil
	})
}

// Move brings the pointer to a point of the root window and verifies that it is
// there: ErrBadPoint otherwise.
func (i *Injector) Move(ctx context.Context, p Point) error {
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return i.moveTo(ctx, p)
}

func (i *Injector) moveTo(ctx context.Context, p Point) error {
	w, h := i.c.Screen()
	if p.X < 0 || p.Y < 0 || p.X >= min(w, math.MaxInt16) || p.Y >= min(h, math.MaxInt16) {
		return fmt.Errorf("move the pointer to %d,%d: %w: the screen has %dx%d", p.X, p.Y, ErrBadPoint, w, h)
	}
	at, err := i.motion(ctx, p)
	if err == nil && at != p {
		// The monitor ends before what is to be pointed at.
		if err = i.c.Reach(ctx, p); err == nil {
			at, err = i.motion(ctx, p)
		}
	}
	if err != nil {
		return fmt.Errorf("move the pointer to %d,%d: %w", p.X, p.Y, err)
	}
	if at != p {
		return fmt.Errorf("move the pointer to %d,%d: %w: it is at %d,%d", p.X, p.Y, ErrBadPoint, at.X, at.Y)
	}
	return nil
}

// motion moves the pointer and says where it got to.
func (i *Injector) motion(ctx context.Context, p Point) (Point, error) {
	if err := i.send(ctx, motionEvent(p)); err != nil {
		return Point{}, err
	}
	return i.Pointer(ctx)
}

// Button presses or releases one button where the pointer is, as it is: nothing
// is put aside, and what is pressed stays down until it is released or until
// ReleaseAll. It passes on what a person's own pointer does.
func (i *Injector) Button(ctx context.Context, button Button, down bool) error {
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := button.check(); err != nil || button == 0 {
		return fmt.Errorf("%w: no pointer button %d", ErrBadKey, button)
	}
	if err := i.send(ctx, buttonEvent(byte(button), down)); err != nil {
		return fmt.Errorf("button %d: %w", button, err)
	}
	return nil
}

// Click moves the pointer to a point and clicks there. Held modifiers and locks
// are put aside meanwhile: a click is what is asked and no more.
func (i *Injector) Click(ctx context.Context, at Point, o ClickOpts) error {
	button, count := byte(max(o.Button, ButtonLeft)), max(o.Count, 1)
	if err := o.Button.check(); err != nil {
		return err
	}
	err := i.pointing(ctx, at, o.Mods, o.Guard, func(ctx context.Context) error {
		for n := range count {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := i.press(ctx, button); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(n + 1)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("click at %d,%d: %w", at.X, at.Y, err)
	}
	return nil
}

// Wheel moves the pointer to a point and turns the wheel there, one notch after
// the other.
func (i *Injector) Wheel(ctx context.Context, at Point, o WheelOpts) error {
	button, ok := wheelButtons[o.Dir]
	if !ok {
		return fmt.Errorf("wheel at %d,%d: no direction %q", at.X, at.Y, o.Dir)
	}
	err := i.pointing(ctx, at, o.Mods, o.Guard, func(ctx context.Context) error {
		for n := range max(o.Notches, 1) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := i.press(ctx, byte(button)); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(n + 1)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("wheel at %d,%d: %w", at.X, at.Y, err)
	}
	return nil
}

// press clicks once. The pair is not cut by the end of ctx.
func (i *Injector) press(ctx context.Context, button byte) error {
	return i.send(ctx, buttonEvent(button, true), buttonEvent(button, false))
}

// Drag presses a button at the first point of a path, moves along it at the
// rate of a hand, and releases the button at the last point. When it is cut,
// the button goes up where the pointer is.
func (i *Injector) Drag(ctx context.Context, o DragOpts) error {
	if len(o.Path) < 2 {
		return fmt.Errorf("drag: %w: a path has two points at least", ErrBadPoint)
	}
	button := byte(max(o.Button, ButtonLeft))
	if err := o.Button.check(); err != nil {
		return err
	}
	err := i.pointing(ctx, o.Path[0], o.Mods, o.Guard, func(ctx context.Context) error {
		if err := i.send(ctx, buttonEvent(button, true)); err != nil {
			return err
		}
		for n, to := range o.Path[1:] {
			if n == 0 && o.Progress != nil {
				o.Progress(1)
			}
			if err := i.glide(ctx, o.Path[n], to); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(n + 2)
			}
		}
		if err := pause(ctx, dragRest); err != nil {
			return err
		}
		return i.send(ctx, buttonEvent(button, false))
	})
	if err != nil {
		return fmt.Errorf("drag from %d,%d: %w", o.Path[0].X, o.Path[0].Y, err)
	}
	return nil
}

// glide moves the pointer in a straight line, in steps.
func (i *Injector) glide(ctx context.Context, from, to Point) error {
	dx, dy := to.X-from.X, to.Y-from.Y
	far := max(dx, -dx, dy, -dy)
	steps := max(1, min(far/dragStep, dragSteps))
	for n := 1; n <= steps; n++ {
		if err := pause(ctx, dragPace); err != nil {
			return err
		}
		if err := i.moveTo(ctx, Point{from.X + dx*n/steps, from.Y + dy*n/steps}); err != nil {
			return err
		}
	}
	return nil
}

// pointing is what all pointer acts have in common: the turn, the keyboard put
// aside, the pointer at the place, modifiers down, the guard, the act, and
// everything up again.
func (i *Injector) pointing(
	ctx context.Context, at Point, mods []Keysym, guard, act func(context.Context) error,
) (err error) {
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := i.refresh(ctx); err != nil {
		return err
	}
	codes, _, err := i.modifierKeys(mods)
	if err != nil {
		return err
	}
	q := i.aside(i.board.group())
	defer func() { err = errors.Join(err, i.letGo(ctx), q.restore(ctx)) }()
	if err := q.quiet(ctx); err != nil {
		return err
	}
	if err := i.moveTo(ctx, at); err != nil {
		return err
	}
	if guard != nil {
		if err := guard(ctx); err != nil {
			return err
		}
	}
	if err := i.send(ctx, pressEach(codes)...); err != nil {
		return err
	}
	return act(ctx)
}

func pressEach(codes []Keycode) []event {
	events := make([]event, len(codes))
	for n, code := range codes {
		events[n] = keyEvent(code, true)
	}
	return events
}
