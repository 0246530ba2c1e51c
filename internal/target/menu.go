package target

import (
	"context"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// The bounds of a menu path, and of the time a menu may take to open.
const (
	menuDepth = 8
	menuBound = 2 * time.Second
)

// Menu walks a menu by the names of its entries and does the last one. Each
// entry is found below the one before it, told apart by its whole name.
func (e *Engine) Menu(ctx context.Context, c api.Caller, r api.MenuRequest) (api.Acted, error) {
	path, err := menuPath(r.Path)
	if err != nil {
		return api.Acted{}, err
	}
	return acting(ctx, e, c, r.Act, "menu", needRead, func(ctx context.Context, a *act) error {
		var root, above *item
		for i, name := range path {
			it, err := a.menuEntry(ctx, above, name)
			if err != nil {
				a.did.Partial = &api.Partial{Verbs: &i, Of: len(path)}
				return err
			}
			if err := a.chooseEntry(ctx, it, i == len(path)-1, root); err != nil {
				a.did.Partial = &api.Partial{Verbs: &i, Of: len(path)}
				return err
			}
			if above = it; root == nil {
				root = it
			}
		}
		return nil
	})
}

// menuPath splits "File>Save As".
func menuPath(path string) ([]string, error) {
	names := strings.Split(path, ">")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if names[i] == "" {
			return nil, api.Refuse(api.BadRequest, "%s is no menu path", api.Quote(path, 120)).WithHint("menu <handle> 'File>Save As'")
		}
	}
	if len(names) > menuDepth {
		return nil, api.Refuse(api.BadRequest, "a menu path has at most %d entries", menuDepth).WithHint("menu <handle> 'File>Save As'")
	}
	return names, nil
}

// entries are the roles of what a menu is made of.
var entries = map[atspi.Role]bool{
	atspi.RoleMenu: true, atspi.RoleMenuItem: true, atspi.RoleCheckMenuItem: true, atspi.RoleRadioMenuItem: true,
}

// menuEntry finds the entry of a name below another one, or in the menu bar; a
// menu that is being opened is waited for.
func (a *act) menuEntry(ctx context.Context, above *item, name string) (*item, error) {
	wait, cancel := context.WithTimeout(ctx, menuBound)
	defer cancel()
	there := []string{}
	for {
		read, err := a.e.read(wait, a.w, a.d, readOpts{})
		if err != nil && wait.Err() != nil && ctx.Err() == nil {
			return nil, noEntry(name, there) // the time for the menu ran out, not the application's
		}
		if err != nil {
			return nil, err
		}
		var found []*item
		found, there = entriesNamed(read, above, name)
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, api.Refuse(api.AmbiguousAction, "several menu entries are called %s", api.Quote(name, 80)).
				WithHint("click one by its ref")
		}
		if pause(wait, expectPoll) != nil {
			return nil, noEntry(name, there)
		}
	}
}

// noEntry refuses a name that no entry of the menu has.
func noEntry(name string, there []string) error {
	return api.Refuse(api.NoAction, "there is no menu entry %s", api.Quote(name, 80)).
		WithHint("entries are the ones that are there").With("entries", there)
}

// entriesNamed gives the entries of a name that can be seen below another, and
// the names of all that are there.
func entriesNamed(read *reading, above *item, name string) ([]*item, []string) {
	var found []*item
	there := []string{}
	for _, it := range read.items {
		if !entries[it.role] || !it.seen || !it.below(above) {
			continue
		}
		there = append(there, it.name)
		if sameEntry(it.name, name) {
			found = append(found, it)
		}
	}
	return found, there
}

// sameEntry compares names of entries: letter case, an ellipsis and a mnemonic
// mark aside.
func sameEntry(a, b string) bool { return bare(a) == bare(b) }

// bare is an entry's name without what is decoration.
func bare(name string) string {
	name = strings.NewReplacer("…", "", "...", "", "_", "", "&", "").Replace(name)
	return strings.ToLower(strings.TrimSpace(name))
}

// below says whether an entry's nearest entry above is the given one, by
// identity; with none given, whether it is in a menu bar or a menu that hangs on
// no entry.
func (it *item) below(above *item) bool {
	for up := it.parent; up != nil; up = up.parent {
		if entries[up.role] {
			return above != nil && up.id == above.id
		}
	}
	// Some toolkits show an opened menu as a window of its own.
	return above == nil || it.window != above.window
}

// chooseEntry does an entry: the last for good, the others to open them. root
// is the entry the walk began with.
func (a *act) chooseEntry(ctx context.Context, it *item, last bool, root *item) error {
	ref := a.w.refs.tell(it.id, it.fingerprint(), it.part, a.held.Epoch)
	n, err := a.target(ctx, ref)
	if err != nil {
		return err
	}
	if err := n.enabled(); err != nil {
		return err
	}
	if !last && n.node.States.Has(atspi.StateSelected) && len(it.kids) > 0 && it.kids[0].seen {
		return nil // it is open
	}
	actions, err := a.d.Access().Actions(ctx, n.id)
	if err != nil {
		return a.w.fault(err)
	}
	index, name, err := a.pick(ctx, n, actions, "")
	if err != nil {
		return err
	}
	if last && root != nil {
		if err := a.foldQt(ctx, root); err != nil {
			return err
		}
	}
	a.did.By, a.did.Action = "tree", name
	return a.doAction(ctx, n, index)
}

// foldQt closes the menu of a Qt application that the walk opened: Qt leaves it
// open, with the pointer in its grip, when an entry of it is done through the
// tree, and a person's click closes it before it does the entry. The action
// that opened it closes it again.
func (a *act) foldQt(ctx context.Context, root *item) error {
	if !strings.EqualFold(a.w.appOf(root.id).Toolkit, "Qt") {
		return nil
	}
	actions, err := a.d.Access().Actions(ctx, root.id)
	if err != nil {
		return a.w.fault(err)
	}
	for i, name := range actions {
		if strings.EqualFold(name, "ShowMenu") {
			if err := a.ready(ctx); err != nil {
				return err
			}
			return a.w.fault(a.d.Access().DoAction(ctx, root.id, i))
		}
	}
	return nil
}
