package target

import (
	"context"
	"errors"
	"strings"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/x11"
)

// maxClicks bounds one click: a triple click selects a line, and nothing asks
// for more than a few.
const maxClicks = 5

// Click clicks a node by its own action, the middle of a node with --point, or
// a point.
func (e *Engine) Click(ctx context.Context, c api.Caller, r api.ClickRequest) (api.Acted, error) {
	how, err := checkClick(&r)
	if err != nil {
		return api.Acted{}, err
	}
	want, parts := needRead, []func(*turn){}
	if r.At != nil {
		want = needKeys
	}
	if r.At != nil || r.Point {
		parts = append(parts, of(how.Count, points))
	}
	return acting(ctx, e, c, r.Act, "click", want, func(ctx context.Context, a *act) error {
		switch {
		case r.At != nil:
			return a.clickAt(ctx, *r.At, how)
		case r.Point:
			return a.clickNodePoint(ctx, r.Ref, how)
		default:
			return a.clickNode(ctx, r)
		}
	}, parts...)
}

// checkClick refuses what is no click and gives the button and modifiers.
func checkClick(r *api.ClickRequest) (x11.ClickOpts, error) {
	if r.Count == 0 {
		r.Count = 1
	}
	byPoint := r.At != nil || r.Point
	switch {
	case (r.At == nil) == (r.Ref == ""):
		return x11.ClickOpts{}, api.Refuse(api.BadRequest, "a click needs a ref or a point, one of them").
			WithHint("click <handle> @e7, or click <handle> --at X,Y")
	case r.Count < 1 || r.Count > maxClicks:
		return x11.ClickOpts{}, api.Refuse(api.BadRequest, "--count is between 1 and %d", maxClicks).WithHint("click again for more")
	case !byPoint && (r.Button != "" || r.Mod != "" || r.Count > 1):
		return x11.ClickOpts{}, api.Refuse(api.BadRequest, "a node's own action has no button, modifier or count").
			WithHint("add --point to click the middle of the node with the pointer")
	case byPoint && r.Action != "":
		return x11.ClickOpts{}, api.Refuse(api.BadRequest, "--action is a node's own; a point has none").WithHint("leave out --point or --at")
	}
	if r.At != nil {
		if err := checkPoint(*r.At); err != nil {
			return x11.ClickOpts{}, err
		}
	}
	button, ok := buttons[r.Button]
	if !ok {
		return x11.ClickOpts{}, api.Refuse(api.BadRequest, "%s is no button", api.Quote(r.Button, 40)).WithHint("left, right or middle")
	}
	mods, err := modifiers(r.Mod)
	return x11.ClickOpts{Button: button, Count: r.Count, Mods: mods}, err
}

// buttons names the pointer's buttons.
var buttons = map[string]x11.Button{
	"": x11.ButtonLeft, "left": x11.ButtonLeft, "middle": x11.ButtonMiddle, "right": x11.ButtonRight,
}

// modifiers reads "ctrl+shift": a chord without a key of its own.
func modifiers(words string) ([]x11.Keysym, error) {
	if words == "" {
		return nil, nil
	}
	chord, err := x11.ParseChord(words + "+a")
	if err != nil || len(chord.Mods) == 0 {
		return nil, api.Refuse(api.BadKey, "%s are no modifiers", api.Quote(words, 60)).WithHint("--mod ctrl+shift")
	}
	return chord.Mods, nil
}

// checkPoint refuses a point no window can have.
func checkPoint(p api.Point) error {
	const far = 1 << 15 // X coordinates are 16 bits
	if p.X <= -far || p.X >= far || p.Y <= -far || p.Y >= far {
		return api.Refuse(api.BadPoint, "%d,%d is no point of a window", p.X, p.Y).WithHint("window coordinates: pixels of the default picture")
	}
	return nil
}

// clickNode does the node's own action.
func (a *act) clickNode(ctx context.Context, r api.ClickRequest) error {
	n, err := a.target(ctx, r.Ref)
	if err != nil {
		return err
	}
	if err := n.enabled(); err != nil {
		return err
	}
	actions, err := a.d.Access().Actions(ctx, n.id)
	if err != nil && !errors.Is(err, atspi.ErrUnsupported) {
		return a.w.fault(err)
	}
	index, name, err := a.pick(ctx, n, actions, r.Action)
	if err != nil {
		return err
	}
	a.did.By, a.did.Action = "tree", name
	if err := a.ready(ctx); err != nil {
		return err
	}
	a.late = n.app.Toolkit == "GTK" && name == "click"
	switch err := a.d.Access().DoAction(ctx, n.id, index); {
	case errors.Is(err, atspi.ErrNoReply):
		// A handler that runs a dialog answers when the dialog closes: it may
		// well have been done, so it is not to be done again.
		a.applied = "unknown"
		return nil
	case err != nil:
		return a.w.fault(err)
	}
	return nil
}

// pick chooses the action a click means.
func (a *act) pick(ctx context.Context, n *live, actions []string, named string) (int, string, error) {
	if named != "" {
		for i, name := range actions {
			if strings.EqualFold(name, named) {
				return i, name, nil
			}
		}
		return 0, "", a.noAction(ctx, n, actions)
	}
	i, name, err := atspi.PickActionIn(n.app.Toolkit, n.role, actions)
	switch {
	case errors.Is(err, atspi.ErrAmbiguous):
		return 0, "", api.Refuse(api.AmbiguousAction, "%s has several actions and none is the click", describe(n.mark)).
			WithHint("name one: click %s %s --action NAME", a.w.handle, n.ref).With("actions", actions)
	case err != nil:
		return 0, "", a.noAction(ctx, n, actions)
	}
	return i, name, nil
}

// noAction refuses a node without a click of its own, with its bounds and the
// explicit way.
func (a *act) noAction(ctx context.Context, n *live, actions []string) error {
	if actions == nil {
		actions = []string{}
	}
	err := api.Refuse(api.NoAction, "%s has no click of its own", describe(n.mark)).With("actions", actions).
		WithHint("vibespace-window click %s %s --point", a.w.handle, n.ref)
	if off := a.e.injects(a.d); off != nil {
		// The explicit way is closed too: it is not to be recommended.
		err = err.WithHint("keys and the pointer are switched off here, and the element has no road of its own").
			With("probe", api.AsError(off, api.NoInjection).Details["probe"])
	}
	if box, berr := a.box(ctx, n); berr == nil {
		err = err.With("bounds", a.scene.local(box))
	}
	return err
}

// noPoint refuses --point where nothing can be pressed: by the probe, or, for
// a node that its own action would not click either, as one without any road.
func (a *act) noPoint(ctx context.Context, ref api.Ref, off error) error {
	n, err := a.target(ctx, ref)
	if err != nil {
		return err
	}
	if err := n.enabled(); err != nil {
		return err
	}
	actions, err := a.d.Access().Actions(ctx, n.id)
	if err != nil && !errors.Is(err, atspi.ErrUnsupported) {
		return a.w.fault(err)
	}
	if _, _, err := a.pick(ctx, n, actions, ""); api.CodeOf(err) == api.NoAction {
		return err
	}
	return off
}

// clickNodePoint clicks the middle of a node's visible part.
func (a *act) clickNodePoint(ctx context.Context, ref api.Ref, how x11.ClickOpts) error {
	if err := a.e.injects(a.d); err != nil {
		return a.noPoint(ctx, ref, err)
	}
	n, err := a.target(ctx, ref)
	if err != nil {
		return err
	}
	if err := n.enabled(); err != nil {
		return err
	}
	box, err := a.reveal(ctx, n)
	if err != nil {
		return err
	}
	at := x11.Point{X: box.X + box.W/2, Y: box.Y + box.H/2}
	if err := a.uncovered(ctx, at, n); err != nil {
		return err
	}
	return a.press(ctx, at, how)
}

// clickAt clicks a point of the window: whatever window of the target the
// picture shows there.
func (a *act) clickAt(ctx context.Context, p api.Point, how x11.ClickOpts) error {
	at, err := a.root(ctx, p)
	if err != nil {
		return err
	}
	return a.press(ctx, at, how)
}

// press clicks a root pixel.
func (a *act) press(ctx context.Context, at x11.Point, how x11.ClickOpts) error {
	how.Progress = a.count
	o := a.scene.origin()
	a.did.By, a.did.At = "point", &api.Point{X: at.X - o.X, Y: at.Y - o.Y}
	if err := a.ready(ctx); err != nil {
		return err
	}
	inj, _ := a.d.Injector()
	under, err := a.d.X().At(ctx, at)
	if err != nil {
		return a.w.fault(err)
	}
	// The pointer's arrival can bring something up, a tooltip for one; what is
	// pressed is what was looked at.
	how.Guard = func(ctx context.Context) error {
		if err := a.again(ctx); err != nil {
			return err
		}
		return a.still(ctx, at, under)
	}
	return a.w.fault(inj.Click(ctx, at, how))
}

// still refuses a press where another window than the one looked at lies by
// now.
func (a *act) still(ctx context.Context, at x11.Point, under x11.WindowID) error {
	now, err := a.d.X().At(ctx, at)
	if err != nil || now == under {
		return a.w.fault(err)
	}
	refusal := api.Refuse(api.Occluded, "another window came up under the pointer").
		WithHint("look again: vibespace-window screenshot %s", a.w.handle)
	if s, err := a.w.look(ctx, a.d); err == nil {
		if p := s.byID(now); p != nil {
			refusal = refusal.With("by", api.Part{N: p.n, Kind: p.kind, Title: p.Title, Bounds: s.local(p.Geometry)})
		}
	}
	return refusal
}

// root gives the root pixel of a window coordinate, when a window of the
// target is there.
func (a *act) root(ctx context.Context, p api.Point) (x11.Point, error) {
	if err := a.see(ctx); err != nil {
		return x11.Point{}, err
	}
	o := a.scene.origin()
	at := x11.Point{X: p.X + o.X, Y: p.Y + o.Y}
	id, err := a.d.X().At(ctx, at)
	if err != nil {
		return x11.Point{}, a.w.fault(err)
	}
	if a.scene.byID(id) == nil {
		return x11.Point{}, api.Refuse(api.OutsideWindow, "%d,%d is outside %s", p.X, p.Y, a.w.handle).
			WithHint("the default picture is %dx%d", a.scene.size().W, a.scene.size().H).
			With("size", a.scene.size()).With("windows", a.scene.list())
	}
	return at, nil
}

// uncovered refuses a point of a node that another window of the target lies
// over, naming it.
func (a *act) uncovered(ctx context.Context, at x11.Point, n *live) error {
	id, err := a.d.X().At(ctx, at)
	if err != nil {
		return a.w.fault(err)
	}
	if n.window == 0 || id == n.window {
		return nil
	}
	over := a.scene.byID(id)
	if over == nil {
		return api.Refuse(api.OutsideWindow, "%s lies outside its window", describe(n.mark)).
			WithHint("scroll it into view, or make the window larger: vibespace-window size %s WxH", a.w.handle)
	}
	return api.Refuse(api.Occluded, "%s lies under window %d, %s %s", describe(n.mark), over.n, over.kind, api.Quote(over.Title, 80)).
		WithHint("answer or close that window first; the node's own action needs no point").
		With("by", api.Part{N: over.n, Kind: over.kind, Title: over.Title, Bounds: a.scene.local(over.Geometry)})
}
