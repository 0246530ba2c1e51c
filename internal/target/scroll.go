package target

import (
	"context"

	"vibespace/internal/api"
	"vibespace/x11"
)

// maxNotches bounds one scroll.
const maxNotches = 200

// wheel names the pointer's wheel buttons.
var wheel = map[string]x11.Direction{
	"up": x11.WheelUp, "down": x11.WheelDown, "left": x11.WheelLeft, "right": x11.WheelRight,
}

// Scroll turns the wheel over a point, over a node, or over the middle of the
// window.
func (e *Engine) Scroll(ctx context.Context, c api.Caller, r api.ScrollRequest) (api.Acted, error) {
	dir, ok := wheel[r.Direction]
	if !ok {
		return api.Acted{}, api.Refuse(api.BadRequest, "%s is no direction", api.Quote(r.Direction, 40)).WithHint("up, down, left or right")
	}
	if r.By == 0 {
		r.By = 3
	}
	if r.By < 1 || r.By > maxNotches {
		return api.Acted{}, api.Refuse(api.BadRequest, "--by is between 1 and %d notches", maxNotches).WithHint("scroll again for more")
	}
	if r.At != nil && r.Ref != "" {
		return api.Acted{}, api.Refuse(api.BadRequest, "one of --at and a ref").WithHint("name one")
	}
	if r.At != nil {
		if err := checkPoint(*r.At); err != nil {
			return api.Acted{}, err
		}
	}
	want := needKeys
	if r.Ref != "" {
		want |= needTree
	}
	return acting(ctx, e, c, r.Act, "scroll", want, func(ctx context.Context, a *act) error {
		at, err := a.scrollPoint(ctx, r)
		if err != nil {
			return err
		}
		o := a.scene.origin()
		a.did.By, a.did.At = "point", &api.Point{X: at.X - o.X, Y: at.Y - o.Y}
		if err := a.ready(ctx); err != nil {
			return err
		}
		inj, _ := a.d.Injector()
		return a.w.fault(inj.Wheel(ctx, at, x11.WheelOpts{Dir: dir, Notches: r.By, Guard: a.again, Progress: a.count}))
	}, of(r.By, notches))
}

// scrollPoint is the root pixel the wheel turns over.
func (a *act) scrollPoint(ctx context.Context, r api.ScrollRequest) (x11.Point, error) {
	switch {
	case r.At != nil:
		return a.root(ctx, *r.At)
	case r.Ref != "":
		n, err := a.target(ctx, r.Ref)
		if err != nil {
			return x11.Point{}, err
		}
		box, err := a.box(ctx, n)
		if err != nil {
			return x11.Point{}, err
		}
		at := x11.Point{X: box.X + box.W/2, Y: box.Y + box.H/2}
		return at, a.uncovered(ctx, at, n)
	}
	size := a.scene.size()
	return a.root(ctx, api.Point{X: size.W / 2, Y: size.H / 2})
}
