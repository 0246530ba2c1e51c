package target

import (
	"context"

	"vibespace/internal/api"
	"vibespace/x11"
)

// Drag drags from one point of a window to another.
func (e *Engine) Drag(ctx context.Context, c api.Caller, r api.DragRequest) (api.Acted, error) {
	if r.From == nil || r.To == nil {
		return api.Acted{}, api.Refuse(api.BadRequest, "a drag needs two points").WithHint("drag %s --from X,Y --to X,Y", r.Handle)
	}
	for _, p := range []api.Point{*r.From, *r.To} {
		if err := checkPoint(p); err != nil {
			return api.Acted{}, err
		}
	}
	return acting(ctx, e, c, r.Act, "drag", needKeys, func(ctx context.Context, a *act) error {
		from, err := a.root(ctx, *r.From)
		if err != nil {
			return err
		}
		to, err := a.root(ctx, *r.To)
		if err != nil {
			return err
		}
		a.did.By, a.did.At = "point", r.From
		if err := a.ready(ctx); err != nil {
			return err
		}
		inj, _ := a.d.Injector()
		return a.w.fault(inj.Drag(ctx, x11.DragOpts{Path: []x11.Point{from, to}, Guard: a.again, Progress: a.count}))
	}, of(2, points))
}

// Hover brings the pointer to a point and leaves it there.
func (e *Engine) Hover(ctx context.Context, c api.Caller, r api.HoverRequest) (api.Acted, error) {
	if r.At == nil {
		return api.Acted{}, api.Refuse(api.BadRequest, "a hover needs a point").WithHint("hover %s --at X,Y", r.Handle)
	}
	if err := checkPoint(*r.At); err != nil {
		return api.Acted{}, err
	}
	return acting(ctx, e, c, r.Act, "hover", needKeys, func(ctx context.Context, a *act) error {
		at, err := a.root(ctx, *r.At)
		if err != nil {
			return err
		}
		a.did.By, a.did.At = "point", r.At
		if err := a.ready(ctx); err != nil {
			return err
		}
		inj, _ := a.d.Injector()
		if err := inj.Move(ctx, at); err != nil {
			return a.w.fault(err)
		}
		a.count(1)
		return nil
	}, of(1, points))
}
