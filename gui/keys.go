package gui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
)

// asking is a dialog on the screen: what Enter does in it and what Escape does.
type asking struct{ yes, no func() }

// keyed shows a dialog whose Enter presses yes and whose Escape closes it; yes
// nil is a dialog that only tells something.
func (u *ui) keyed(d dialog.Dialog, yes func()) {
	a := &asking{yes: yes, no: d.Hide}
	if yes == nil {
		a.yes = d.Hide
	}
	u.asks = append(u.asks, a)
	d.SetOnClosed(func() {
		u.asks = slices.DeleteFunc(u.asks, func(one *asking) bool { return one == a })
	})
	d.Show()
}

// answer gives a key to the dialog on top; false when it is nothing to it.
func (u *ui) answer(e *fyne.KeyEvent) bool {
	if len(u.asks) == 0 {
		return false
	}
	top := u.asks[len(u.asks)-1]
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		top.yes()
	case fyne.KeyEscape:
		top.no()
	default:
		return false
	}
	return true
}

// inform shows something with a button that closes it.
func (u *ui) inform(title string, inside fyne.CanvasObject) *dialog.CustomDialog {
	d := dialog.NewCustomWithoutButtons(title, inside, u.window)
	d.SetButtons([]fyne.CanvasObject{u.newButton(u.say(state.Done), d.Hide)})
	u.keyed(d, nil)
	return d
}

// field is an entry in a dialog: its Escape is the dialog's, and so is its Enter
// where it has one line.
type field struct {
	widget.Entry
	u *ui
}

func (u *ui) newField() *field {
	f := &field{u: u}
	f.ExtendBaseWidget(f)
	return f
}

// TypedKey takes a key.
func (f *field) TypedKey(e *fyne.KeyEvent) {
	if f.MultiLine && e.Name != fyne.KeyEscape || !f.u.answer(e) {
		f.Entry.TypedKey(e)
	}
}

// button is one in a dialog: Enter presses it, as Space does.
type button struct {
	widget.Button
	u *ui
}

func (u *ui) newButton(text string, do func()) *button {
	b := &button{u: u}
	b.Text, b.OnTapped = text, do
	b.ExtendBaseWidget(b)
	return b
}

// TypedKey takes a key.
func (b *button) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		b.OnTapped()
	case fyne.KeyEscape:
		b.u.answer(e)
	default:
		b.Button.TypedKey(e)
	}
}

// choice is a list of names to choose from in a dialog.
type choice struct {
	widget.Select
	u *ui
}

func (u *ui) newChoice(names []string) *choice {
	c := &choice{u: u}
	c.Options = names
	c.ExtendBaseWidget(c)
	return c
}

// TypedKey takes a key.
func (c *choice) TypedKey(e *fyne.KeyEvent) {
	if !c.u.answer(e) {
		c.Select.TypedKey(e)
	}
}

// check is one of several things that are on or off in a dialog.
type check struct {
	widget.Check
	u *ui
}

// TypedKey takes a key.
func (c *check) TypedKey(e *fyne.KeyEvent) {
	if !c.u.answer(e) {
		c.Check.TypedKey(e)
	}
}

// newChecks makes a column of them, and what tells which are on.
func (u *ui) newChecks(names, on []string) (column fyne.CanvasObject, chosen func() []string) {
	rows := container.NewVBox()
	var all []*check
	for _, name := range names {
		c := &check{u: u}
		c.Text, c.Checked = name, slices.Contains(on, name)
		c.ExtendBaseWidget(c)
		all = append(all, c)
		rows.Add(c)
	}
	return rows, func() (list []string) {
		for _, c := range all {
			if c.Checked {
				list = append(list, c.Text)
			}
		}
		return list
	}
}
