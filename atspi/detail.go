package atspi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Want says what Detail reads.
type Want uint8

// What Detail can read.
const (
	WantActions Want = 1 << iota
	WantText
	WantValue
	WantExtents
)

// TextLimit is how many characters of a text Detail reads unless told
// otherwise.
const TextLimit = 400

// inert reports whether nodes of that role have nothing to click in GTK 4,
// which gives every widget the actions of its class and of what surrounds it:
// each label carries eight for its clipboard and its links, the window all of
// the application's. They are half of all names in a widget gallery.
func inert(role Role) bool {
	switch role {
	case RoleLabel, RolePanel, RoleFiller, RoleImage, RoleSeparator, RoleProgressBar, RoleLevelBar,
		RoleScrollPane, RolePageTabList, RoleFrame, RoleWindow, RoleScrollBar:
		return true
	}
	return false
}

// holdsText reports whether nodes of that role have a text besides their name.
// The name of the others, labels and buttons above all, is their text.
func holdsText(role Role) bool {
	switch role {
	case RoleText, RoleEntry, RolePasswordText, RoleTerminal, RoleSpinButton, RoleComboBox, RoleAutocomplete,
		RoleEditbar, RoleDateEditor, RoleParagraph, RoleDocumentText, RoleDocumentFrame, RoleDocumentWeb,
		RoleSection, RoleBlockQuote, RoleComment, RoleArticle, RoleLog, RoleStatusBar, RoleCaption:
		return true
	}
	return false
}

// actionNames is how many action names of a node are read. A GTK 4 frame has
// about twenty; a list without end is a fault of its application.
const actionNames = 64

// Detail reads more of the given nodes, all calls in the air together: action
// names by index, the beginning of the text with its whole length, the value,
// the extents. It asks a node only for what its interfaces have. The text of a
// password field, and of anything below one, is not read; its length is.
//
// A node that does not answer gets its reason in Unreadable. An error means
// that the read was cut short: [ErrNoReply], [ErrClosed] or ctx's own; what
// was read until then stays.
func (c *Conn) Detail(ctx context.Context, t *Tree, nodes []int, want Want, b Budget) error {
	b = b.orDefault(c.bound)
	ctx, cancel := context.WithTimeout(ctx, b.Time)
	defer cancel()
	d := &detailer{locator: c.newLocator(t, b), limit: cmp.Or(max(b.Text, 0), TextLimit)}
	for _, i := range nodes {
		if i < 0 || i >= len(t.Nodes) {
			continue
		}
		d.node(i, want)
	}
	err := d.flight.run(ctx)
	d.account()
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrNoReply
	}
	if err != nil {
		return fmt.Errorf("details of %s: %w", t.App.Name, err)
	}
	return nil
}

// detailer reads details.
type detailer struct {
	*locator
	limit int
}

// node asks for what is wanted of one node.
func (d *detailer) node(i int, want Want) {
	n := &d.tree.Nodes[i]
	if want&WantExtents != 0 && n.Interfaces.Has(IfaceComponent) {
		d.extents(i, 0, nil)
	}
	if want&WantActions != 0 && n.Interfaces.Has(IfaceAction) && !(d.kind == familyGTK4 && inert(n.Role)) {
		d.actions(i)
	}
	if want&WantText != 0 && n.Interfaces.Has(IfaceText) {
		d.words(i)
	}
	if want&WantValue != 0 && n.Interfaces.Has(IfaceValue) {
		d.value(i)
	}
}

// words asks a node that has any besides its name for its text, and an unnamed
// field of GTK for what it says while it is empty.
func (d *detailer) words(i int) {
	n := &d.tree.Nodes[i]
	field := holdsText(n.Role)
	if n.Name != "" && !field {
		return
	}
	d.text(i)
	if n.Name == "" && field && (d.kind == familyGTK3 || d.kind == familyGTK4) {
		d.placeholder(i)
	}
}

// ask asks node i; take gets the node and the answer.
func (d *detailer) ask(i int, m *method, args []byte, after int, take func(n *Node, a *reply) error) {
	d.flight.ask(request{ref: d.tree.Nodes[i].Ref, method: m, args: args, after: after, take: func(a reply) {
		n := &d.tree.Nodes[i]
		if err := take(n, &a); err != nil {
			d.note(n, err)
		}
	}})
}

// actions asks for the number of actions, then for each name. GetActions would
// be one call, but it answers in the user's language and older bridges abort
// on it.
func (d *detailer) actions(i int) {
	d.ask(i, getProperty, nActionsArgs, 0, func(_ *Node, a *reply) error {
		count, err := a.numberIn()
		if err != nil {
			return err
		}
		count = max(0, min(count, actionNames))
		names, left := make([]string, count), count
		if count == 0 {
			d.tree.Nodes[i].Actions = names
		}
		for k := range count {
			d.ask(i, getName, intArgs(k), a.generation, func(n *Node, a *reply) (err error) {
				names[k], err = a.text()
				if left--; left == 0 {
					n.Actions = names
				}
				return err
			})
		}
		return nil
	})
}

// text asks how long the text is and then for its beginning: Qt answers
// nothing for an end past the text's.
func (d *detailer) text(i int) {
	d.ask(i, getProperty, charCountArgs, 0, func(n *Node, a *reply) error {
		count, err := a.numberIn()
		if err != nil {
			return err
		}
		n.TextLen = max(count, 0)
		if d.tree.Password(i) {
			return nil
		}
		if n.TextLen == 0 {
			n.Text = new(string)
			return nil
		}
		end := min(n.TextLen, d.limit)
		d.ask(i, getText, intArgs(0, end), a.generation, func(n *Node, a *reply) error {
			text, err := a.text()
			if err == nil {
				text = short(text, end)
				n.Text = &text
			}
			return err
		})
		return nil
	})
}

// maxAttributes is how many attributes of a node are looked through; GTK gives
// a field two.
const maxAttributes = 32

// placeholder asks for what an empty field says. One that would not tell has
// none.
func (d *detailer) placeholder(i int) {
	d.ask(i, getAttrs, nil, 0, func(n *Node, a *reply) error {
		if said, err := a.entry("placeholder-text", maxAttributes); err == nil {
			n.Placeholder = short(said, d.limit)
		}
		return nil
	})
}

// value asks for the number and its bounds.
func (d *detailer) value(i int) {
	v := new(Value)
	left, good := 3, true
	for _, part := range []struct {
		args []byte
		into *float64
	}{{currentArgs, &v.Now}, {minimumArgs, &v.Min}, {maximumArgs, &v.Max}} {
		d.ask(i, getProperty, part.args, 0, func(n *Node, a *reply) (err error) {
			*part.into, err = a.floatIn()
			good = good && err == nil
			if left--; left == 0 && good {
				n.Value = v
			}
			return err
		})
	}
}

// Password reports whether a node is a password field or lies in one: its text
// is never read.
func (t *Tree) Password(i int) bool {
	for ; i >= 0 && i < len(t.Nodes); i = t.Nodes[i].Parent {
		if t.Nodes[i].Role == RolePasswordText {
			return true
		}
	}
	return false
}
