package target

import (
	"context"
	"errors"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/x11"
)

// live is an element read anew, just before it is acted on.
type live struct {
	element
	role atspi.Role
	node atspi.Node
	app  atspi.App
	// window is the X window the element is drawn in, once its box was asked
	// for; 0 when it is not known.
	window x11.WindowID
}

// target reads the element of a ref again: gone, or another one by now, is
// stale_ref and nothing is touched.
func (a *act) target(ctx context.Context, ref api.Ref) (*live, error) {
	n, err := a.fresh(ctx, ref)
	if err != nil {
		return nil, err
	}
	a.did.Ref, a.did.Role, a.did.Name = n.ref, n.role.String(), n.mark.name
	return n, nil
}

// fresh reads the element of a ref again.
func (t *turn) fresh(ctx context.Context, ref api.Ref) (*live, error) {
	e, err := t.w.refs.find(ref, t.held.Epoch)
	if err != nil {
		return nil, err
	}
	app := t.w.appOf(e.id)
	node, parent, err := t.d.Access().ReadNode(ctx, app, e.id)
	switch {
	case errors.Is(err, atspi.ErrGone):
		if _, dead := t.w.live(); dead != nil {
			return nil, dead
		}
		return nil, staleRef(e, nil)
	case err != nil:
		return nil, t.w.fault(err)
	}
	if err := t.same(ctx, e, node, parent, app); err != nil {
		return nil, err
	}
	if !e.mark.under.Null() {
		over, _, err := t.d.Access().ReadNode(ctx, app, e.mark.under)
		if err == nil && !over.States.Has(atspi.StateSensitive) {
			node.States &^= atspi.StateSensitive | atspi.StateEnabled
		}
	}
	return &live{element: e, role: node.Role, node: node, app: app}, nil
}

// same refuses an element that is another one than the ref was told for.
func (t *turn) same(ctx context.Context, e element, node atspi.Node, parent atspi.Ref, app atspi.App) error {
	is := fingerprint{role: node.Role, name: strings.TrimSpace(node.Name), trail: e.mark.trail, parent: e.mark.parent, under: e.mark.under}
	if titled[node.Role] {
		is.name = e.mark.name
	}
	if parent != e.mark.parent && parent != app.Root {
		// It hangs elsewhere now: is what is above it still of the same kind?
		up, err := t.d.Access().Ancestry(ctx, app, e.id)
		if err != nil {
			return t.w.fault(err)
		}
		is.trail = ""
		for _, a := range up {
			is.trail += a.Role.String() + "<"
		}
	}
	if is == e.mark {
		return nil
	}
	is.name = strings.TrimSpace(node.Name)
	return staleRef(e, &is)
}

// titled are the roles that are named by a title, which an application changes
// while the window or the document stays itself.
var titled = map[atspi.Role]bool{
	atspi.RoleFrame: true, atspi.RoleWindow: true, atspi.RoleDialog: true,
	atspi.RoleDocumentWeb: true, atspi.RoleDocumentFrame: true,
}

// enabled refuses a node that a person could not use either.
func (n *live) enabled() error {
	if n.node.States.Has(atspi.StateEnabled) || n.node.States.Has(atspi.StateSensitive) {
		return nil
	}
	return api.Refuse(api.Disabled, "%s is disabled", describe(n.mark)).
		WithHint("something else has to be done first, or a moment passes: get <handle> %s states says when it is enabled", n.ref).
		With("states", n.node.States.Names())
}

// box gives the visible part of a node in root pixels, as a snapshot taken now
// would: where it is depends on everything above it.
func (t *turn) box(ctx context.Context, n *live) (x11.Rect, error) {
	r, err := t.e.read(ctx, t.w, t.d, readOpts{doubt: t.doubt})
	if err != nil {
		return x11.Rect{}, err
	}
	for _, it := range r.items {
		if it.id != n.id || !it.seen || it.bounds == nil {
			continue
		}
		o := r.scene.origin()
		n.window = it.window
		return x11.Rect{X: it.bounds.X + o.X, Y: it.bounds.Y + o.Y, W: it.bounds.W, H: it.bounds.H}, nil
	}
	return x11.Rect{}, api.Refuse(api.WindowNotVisible, "%s is not drawn now", describe(n.mark)).
		WithHint("scroll it into view, or open what holds it")
}

// scrollBound is how long an application may take to scroll.
const scrollBound = time.Second

// reveal gives the visible part of a node, asking the application to scroll it
// into view when there is none.
func (a *act) reveal(ctx context.Context, n *live) (x11.Rect, error) {
	box, err := a.box(ctx, n)
	if err == nil || api.CodeOf(err) != api.WindowNotVisible {
		return box, err
	}
	if serr := a.d.Access().ScrollTo(ctx, n.id, atspi.EdgeAnywhere); serr != nil {
		return x11.Rect{}, err
	}
	wait, cancel := context.WithTimeout(ctx, scrollBound)
	defer cancel()
	for {
		if box, berr := a.box(wait, n); berr == nil {
			return box, nil
		}
		if pause(wait, readBackPoll) != nil {
			return x11.Rect{}, err
		}
	}
}

// boxOf gives the visible part of a ref's element in root pixels.
func (t *turn) boxOf(ctx context.Context, ref api.Ref) (x11.Rect, error) {
	n, err := t.fresh(ctx, ref)
	if err != nil {
		return x11.Rect{}, err
	}
	return t.box(ctx, n)
}

// focused gives the element that has the keyboard focus, nil when the tree
// names none.
func (a *act) focused(ctx context.Context) (*live, error) {
	r, err := a.e.read(ctx, a.w, a.d, readOpts{doubt: a.doubt})
	if err != nil {
		return nil, err
	}
	var found *item
	for _, it := range r.items {
		if it.has.Has(atspi.StateFocused) && (found == nil || it.has.Has(atspi.StateEditable)) && it.parent != nil {
			found = it
		}
	}
	if found == nil {
		return nil, nil
	}
	ref := a.w.refs.tell(found.id, found.fingerprint(), found.part, a.held.Epoch)
	return a.target(ctx, ref)
}

// focusTries is how often a node is given the focus: what is not done loading
// may give it on once more, as a page does that was just opened.
const focusTries = 2

// focusNode gives a node the keyboard focus and waits until it has it.
func (a *act) focusNode(ctx context.Context, n *live) error {
	var said error
	for range focusTries {
		took, heard, err := a.offerFocus(ctx, n)
		if err != nil || took {
			return err
		}
		said = heard
	}
	refusal := api.Refuse(api.NotEditable, "%s did not take the focus", describe(n.mark)).
		WithHint("click it first: vibespace-window click %s %s --point", a.w.handle, n.ref)
	if said != nil {
		refusal.With("why", said.Error())
	}
	return refusal
}

// offerFocus gives a node the focus once, and tells whether it took it and what
// it said when it was asked to.
func (a *act) offerFocus(ctx context.Context, n *live) (took bool, said, err error) {
	if err := a.ready(ctx); err != nil {
		return false, nil, err
	}
	if _, err := a.holdFocus(ctx); err != nil {
		return false, nil, err
	}
	said = a.d.Access().GrabFocus(ctx, n.id)
	if errors.Is(said, atspi.ErrGone) || errors.Is(said, atspi.ErrClosed) || errors.Is(said, atspi.ErrNoReply) {
		return false, nil, a.w.fault(said)
	}
	// Whether it took the focus is what counts, whatever it said.
	has, err := a.until(ctx, func(ctx context.Context) (bool, error) {
		o, _, err := a.d.Access().ReadNode(ctx, n.app, n.id)
		return err == nil && o.States.Has(atspi.StateFocused), err
	})
	return has != nil && *has, said, err
}
