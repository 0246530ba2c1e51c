package target

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// Set sets a node through its own interfaces and reads it back: a number, a
// choice, a check mark, an expansion, the focus.
func (e *Engine) Set(ctx context.Context, c api.Caller, r api.SetRequest) (api.Acted, error) {
	if err := checkSet(r); err != nil {
		return api.Acted{}, err
	}
	return acting(ctx, e, c, r.Act, "set", needRead, func(ctx context.Context, a *act) error {
		n, err := a.target(ctx, r.Ref)
		if err != nil {
			return err
		}
		if err := n.enabled(); err != nil {
			return err
		}
		a.did.By = "tree"
		switch {
		case r.Value != nil:
			return a.setValue(ctx, n, *r.Value)
		case r.Select != nil:
			return a.setChoice(ctx, n, *r.Select)
		case r.Check != nil:
			return a.setState(ctx, n, atspi.StateChecked, *r.Check, checkRoles)
		case r.Expand != nil:
			return a.setState(ctx, n, atspi.StateExpanded, *r.Expand, nil)
		}
		return a.setFocus(ctx, n)
	})
}

// checkSet refuses a set that is not one.
func checkSet(r api.SetRequest) error {
	n := 0
	for _, one := range []bool{r.Value != nil, r.Select != nil, r.Check != nil, r.Expand != nil, r.Focus} {
		if one {
			n++
		}
	}
	if n != 1 {
		return api.Refuse(api.BadRequest, "a set does one thing").
			WithHint("--value V, --select NAME, --check, --uncheck, --expand, --collapse or --focus")
	}
	return nil
}

// cannotSet refuses what a node has no interface for.
func cannotSet(n *live, what string) *api.Error {
	return api.Refuse(api.CannotSet, "%s %s", describe(n.mark), what).
		WithHint("get <handle> %s all shows what it has", n.ref).With("interfaces", n.node.Interfaces.Names())
}

// setValue gives a node a number and compares what it took.
func (a *act) setValue(ctx context.Context, n *live, text string) error {
	want, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
		return api.Refuse(api.CannotSet, "%s is no number", api.Quote(text, 60)).WithHint("set %s --value=12.5", n.ref)
	}
	if !n.node.Interfaces.Has(atspi.IfaceValue) {
		return cannotSet(n, "has no value")
	}
	access := a.d.Access()
	is, err := access.Value(ctx, n.id)
	if err != nil {
		return a.w.fault(err)
	}
	if is.Max > is.Min && (want < is.Min || want > is.Max) {
		return cannotSet(n, "takes no "+text).With("min", is.Min).With("max", is.Max).
			WithHint("between %g and %g", is.Min, is.Max)
	}
	if err := a.ready(ctx); err != nil {
		return err
	}
	if err := access.SetValue(ctx, n.id, want); err != nil {
		return a.w.fault(err)
	}
	a.verified, err = a.until(ctx, func(ctx context.Context) (bool, error) {
		v, err := access.Value(ctx, n.id)
		return err == nil && math.Abs(v.Now-want) <= 1e-6*math.Max(1, math.Abs(want)), err
	})
	return err
}

// setChoice selects the child of a name, in a list, a combo box or tabs.
func (a *act) setChoice(ctx context.Context, n *live, name string) error {
	if !n.node.Interfaces.Has(atspi.IfaceSelection) {
		return cannotSet(n, "has nothing to choose from")
	}
	read, err := a.e.read(ctx, a.w, a.d, readOpts{})
	if err != nil {
		return err
	}
	var choices []*item
	for _, it := range read.items {
		if it.id == n.id {
			choices = choicesOf(it)
		}
	}
	index := -1
	var names []string
	for i, c := range choices {
		names = append(names, c.name)
		if c.name == name {
			if index >= 0 {
				return cannotSet(n, "has several choices of that name").WithHint("choices are what it has; open it and click the one that is meant").With("choices", names)
			}
			index = i
		}
	}
	if index < 0 {
		return cannotSet(n, "has no choice "+api.Quote(name, 80)).WithHint("choices are what it has; unnamed ones are chosen by hand: click it, then one of them").With("choices", append([]string{}, names...))
	}
	if err := a.ready(ctx); err != nil {
		return err
	}
	access := a.d.Access()
	if err := access.SelectChild(ctx, n.id, index); err != nil {
		return a.w.fault(err)
	}
	a.verified, err = a.until(ctx, func(ctx context.Context) (bool, error) {
		return access.ChildSelected(ctx, n.id, index)
	})
	return err
}

// choicesOf are what a selection chooses from: the children, or those of the
// menu or list a combo box holds.
func choicesOf(it *item) []*item {
	for it.role == atspi.RoleComboBox && len(it.kids) == 1 && len(it.kids[0].kids) > 0 {
		it = it.kids[0]
	}
	return it.kids
}

// checkRoles are the roles that have a check mark or are pressed in.
var checkRoles = map[atspi.Role]bool{
	atspi.RoleCheckBox: true, atspi.RoleRadioButton: true, atspi.RoleToggleButton: true,
	atspi.RoleCheckMenuItem: true, atspi.RoleRadioMenuItem: true,
}

// setState brings a node into a state by its own action, when it is not in it.
func (a *act) setState(ctx context.Context, n *live, state atspi.States, want bool, roles map[atspi.Role]bool) error {
	if roles != nil && !roles[n.role] && !n.node.States.Has(atspi.StateCheckable) {
		return cannotSet(n, "cannot be checked")
	}
	if roles == nil && !n.node.States.Has(atspi.StateExpandable) {
		return cannotSet(n, "cannot be expanded")
	}
	in := func(s atspi.States) bool {
		return s.Has(state) || (state == atspi.StateChecked && s.Has(atspi.StatePressed))
	}
	if in(n.node.States) != want {
		actions, err := a.d.Access().Actions(ctx, n.id)
		if err != nil {
			return a.w.fault(err)
		}
		index, name, err := a.pick(ctx, n, actions, expandAction(actions, roles == nil))
		if err != nil {
			return err
		}
		a.did.Action = name
		if err := a.doAction(ctx, n, index); err != nil {
			return err
		}
	}
	met, err := a.until(ctx, func(ctx context.Context) (bool, error) {
		o, _, err := a.d.Access().ReadNode(ctx, n.app, n.id)
		return err == nil && in(o.States) == want, err
	})
	a.verified = met
	return err
}

// expandAction is the toolkit's name for opening and closing a node, "" for the
// node's click.
func expandAction(actions []string, expand bool) string {
	if !expand {
		return ""
	}
	for _, name := range actions {
		switch name {
		case "expand or contract", "expand", "toggle", "activate":
			return name
		}
	}
	return ""
}

// setFocus gives a node the keyboard focus.
func (a *act) setFocus(ctx context.Context, n *live) error {
	if err := a.focusNode(ctx, n); err != nil {
		if api.CodeOf(err) == api.NotEditable {
			return cannotSet(n, "did not take the focus").WithHint("vibespace-window click %s %s --point", a.w.handle, n.ref)
		}
		return err
	}
	yes := true
	a.verified = &yes
	return nil
}

// until asks again until something is so, for as long as a toolkit may take to
// show what it was told. Not within that time is false, not an error.
func (a *act) until(ctx context.Context, ask func(context.Context) (bool, error)) (*bool, error) {
	wait, cancel := context.WithTimeout(ctx, readBackBound)
	defer cancel()
	no := false
	for {
		met, err := ask(wait)
		if met {
			return &met, nil
		}
		if err != nil && wait.Err() == nil && !errors.Is(err, atspi.ErrNoReply) {
			return nil, nil // it cannot be read: nothing is claimed
		}
		if pause(wait, readBackPoll) != nil {
			return &no, ctx.Err()
		}
	}
}

// readBackPoll is how often a node is read back.
const readBackPoll = 15 * time.Millisecond
