package gui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// dialogWidth is the width of a dialog with sentences in it.
const dialogWidth = 520

// ask shows something with a Cancel and one more button, which does what it
// says. Enter presses that one, and Escape is Cancel.
func (u *ui) ask(title, do string, importance widget.Importance, inside fyne.CanvasObject, then func()) dialog.Dialog {
	d := dialog.NewCustomWithoutButtons(title, inside, u.window)
	yes := u.newButton(do, func() {
		d.Hide()
		then()
	})
	yes.Importance = importance
	d.SetButtons([]fyne.CanvasObject{u.newButton(u.say(state.Cancel), d.Hide), yes})
	d.Resize(fyne.NewSize(dialogWidth, d.MinSize().Height))
	u.keyed(d, yes.OnTapped)
	return d
}

// handBack asks for the note and hands the window back.
func (p *pane) handBack() {
	u := p.u
	note := u.newField()
	note.MultiLine = true
	note.SetPlaceHolder(u.say(state.NotePlaceholder))
	note.SetMinRowsVisible(3)
	note.Wrapping = fyne.TextWrapWord
	p.view.drive(false) // what is pressed in the dialog is not the window's
	d := u.ask(u.say(state.HandBackTitle, state.Short(p.w)), u.say(state.HandBack), widget.HighImportance,
		container.NewVBox(widget.NewLabel(u.say(state.NoteLabel)), note), func() {
			text := strings.TrimSpace(note.Text)
			u.beside(func(ctx context.Context) error {
				a, err := u.desk.HandBack(ctx, p.w.Handle, text)
				if err == nil {
					u.do(func() { p.handedBack(a) })
				}
				return err
			})
		})
	d.SetOnClosed(p.paint)
	u.window.Canvas().Focus(note)
}

// handedBack says who will be told.
func (p *pane) handedBack(a api.HandbackAnswer) {
	p.w.Input, p.w.Driven = "agent", nil
	p.paint()
	text := p.u.say(state.HandedNobody)
	if a.Told != nil {
		text = p.u.say(state.HandedTold, *a.Told)
	}
	p.explains(text)
}

// share shows who reaches a window, and gives it to more.
func (u *ui) share(w api.Window) {
	u.async(func() {
		sessions, groups, err := u.desk.People(u.life)
		u.do(func() {
			if err != nil {
				u.fault(err)
				return
			}
			u.sessions, u.groups = sessions, groups
			if now, ok := u.desk.Window(w.Handle); ok {
				w = now
			}
			u.showShare(w)
		})
	})
}

// showShare is the dialog: who, in which mode, and what that means.
func (u *ui) showShare(w api.Window) {
	l := u.settings.Lang
	granted := state.Grantees(l, u.sessions, u.groups)[1:]
	var d *dialog.CustomDialog
	again := func(do func(context.Context) error) {
		d.Hide()
		u.beside(do)
	}
	rows := container.NewVBox(u.sharedWith(w, again), widget.NewSeparator())
	if len(granted) == 0 {
		rows.Add(quiet(l.Say(state.NoSessions)))
		d = u.inform(l.Say(state.ShareTitle, state.Short(w)), rows)
		d.Resize(fyne.NewSize(dialogWidth, d.MinSize().Height))
		return
	}
	names := []string{}
	for _, g := range granted {
		names = append(names, g.Name)
	}
	var modes []string
	for _, m := range state.Modes {
		modes = append(modes, state.ModeName(l, m))
	}
	means := widget.NewLabel("")
	means.Wrapping = fyne.TextWrapWord
	who, mode := u.newChoice(names), widget.NewRadioGroup(modes, nil)
	mode.Horizontal, mode.Required = true, true
	at := func() int {
		for i, m := range modes {
			if m == mode.Selected {
				return i
			}
		}
		return 0
	}
	explain := func(string) { means.SetText(state.ModeMeans(l, state.Modes[at()], who.Selected)) }
	who.OnChanged, mode.OnChanged = explain, func(name string) {
		explain(name)
		u.window.Canvas().Unfocus() // a radio button keeps Enter and Escape to itself
	}
	who.SetSelectedIndex(0)
	mode.SetSelected(modes[0])
	rows.Add(widget.NewForm(widget.NewFormItem(l.Say(state.ShareWho), who), widget.NewFormItem(l.Say(state.ShareMode), mode)))
	rows.Add(means)
	d = dialog.NewCustomWithoutButtons(l.Say(state.ShareTitle, state.Short(w)), rows, u.window)
	give := u.newButton(l.Say(state.Share), func() {
		with, m := granted[who.SelectedIndex()].With, state.Modes[at()]
		again(func(ctx context.Context) error { return u.desk.Share(ctx, w.Handle, with, m) })
	})
	give.Importance = widget.HighImportance
	d.SetButtons([]fyne.CanvasObject{u.newButton(l.Say(state.Done), d.Hide), give})
	d.Resize(fyne.NewSize(dialogWidth, max(340, d.MinSize().Height+60)))
	u.keyed(d, give.OnTapped)
}

// sharedWith lists who reaches a window, each with a way to take it back.
func (u *ui) sharedWith(w api.Window, again func(func(context.Context) error)) fyne.CanvasObject {
	l := u.settings.Lang
	if len(w.Shares) == 0 {
		return widget.NewLabel(l.Say(state.SharedNobody))
	}
	rows := container.NewVBox(heading(l.Say(state.SharedWith), theme.SizeNameText))
	for _, s := range w.Shares {
		take := u.newButton(l.Say(state.Revoke), func() {
			again(func(ctx context.Context) error { return u.desk.Unshare(ctx, w.Handle, s.With) })
		})
		name := widget.NewLabel(state.GranteeName(l, s.With) + " · " + state.ModeName(l, s.Mode))
		name.Truncation = fyne.TextTruncateEllipsis
		rows.Add(container.NewBorder(nil, nil, nil, take, name))
	}
	return rows
}

// sizes are the pixel sizes the menu offers.
var sizes = []api.Size{{W: 1280, H: 720}, {W: 1280, H: 800}, {W: 1600, H: 900}, {W: 1920, H: 1080}, {W: 2560, H: 1440}}

// sizeMenu pins a window, or lets it go.
func (u *ui) sizeMenu(w api.Window) *fyne.Menu {
	set := func(s *api.Size) func() {
		return func() {
			u.beside(func(ctx context.Context) error { return u.desk.Resize(ctx, w.Handle, s) })
		}
	}
	auto := fyne.NewMenuItem(u.say(state.SizeAuto), set(nil))
	auto.Checked = w.Pin == nil
	items := []*fyne.MenuItem{auto, fyne.NewMenuItemSeparator()}
	for _, s := range sizes {
		item := fyne.NewMenuItem(fmt.Sprintf("%d × %d", s.W, s.H), set(&s))
		item.Checked = w.Pin != nil && *w.Pin == s
		items = append(items, item)
	}
	items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(u.say(state.SizeOther), func() { u.askSize(w) }))
	return fyne.NewMenu("", items...)
}

// askSize pins a window to any size.
func (u *ui) askSize(w api.Window) {
	width, height := u.newField(), u.newField()
	width.SetText(strconv.Itoa(w.Size.W))
	height.SetText(strconv.Itoa(w.Size.H))
	u.ask(u.say(state.SizeTitle), u.say(state.Apply), widget.HighImportance,
		container.NewVBox(widget.NewLabel(u.say(state.SizeAsk)), container.NewGridWithColumns(2, width, height)), func() {
			wide, werr := strconv.Atoi(strings.TrimSpace(width.Text))
			high, herr := strconv.Atoi(strings.TrimSpace(height.Text))
			if werr != nil || herr != nil {
				u.fault(api.Refuse(api.BadSize, "%s × %s is no size", api.Quote(width.Text, 20), api.Quote(height.Text, 20)))
				return
			}
			u.beside(func(ctx context.Context) error {
				return u.desk.Resize(ctx, w.Handle, &api.Size{W: wide, H: high})
			})
		})
}

// windowMenu is everything else that can be done to a window.
func (u *ui) windowMenu(w api.Window) *fyne.Menu {
	verb := func(do func(context.Context, api.Handle) error) func() {
		return func() { u.beside(func(ctx context.Context) error { return do(ctx, w.Handle) }) }
	}
	items := []*fyne.MenuItem{
		fyne.NewMenuItem(u.say(state.BesideOpen), func() { u.look(w.Handle, true) }),
	}
	if w.Ended == nil {
		items = append(items, fyne.NewMenuItem(u.say(state.Share)+"…", func() { u.share(w) }))
	}
	if len(u.panes.Shown) == 2 && u.showing == "" {
		items = append(items, fyne.NewMenuItem(u.say(state.SwapPanes), func() {
			u.panes.Swap()
			u.show()
		}))
	}
	if u.filled == "" && u.showing == "" && slices.Contains(u.panes.Shown, w.Handle) {
		items = append(items, fyne.NewMenuItem(u.say(state.Full)+"  F11", func() { u.fill(w.Handle) }))
	}
	if p := u.open[w.Handle]; p != nil && p.view.driving {
		items = append(items, fyne.NewMenuItem(u.say(state.PasteMine), p.paste))
	}
	if w.Ended == nil {
		if w.Holder != nil {
			items = append(items, fyne.NewMenuItem(u.say(state.EndHold), verb(u.desk.EndHold)))
		}
		items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(u.say(state.CloseWindow), verb(u.desk.CloseWindow)),
			fyne.NewMenuItem(u.say(state.StopWindow), func() { u.askStop(w) }))
	} else {
		items = append(items, fyne.NewMenuItem(u.say(state.LastWords), func() { u.lastWords(w) }),
			fyne.NewMenuItem(u.say(state.Forget), func() {
				u.forgotten[w.Handle] = true
				u.panes.Close(w.Handle)
				u.changed()
				u.show()
			}))
	}
	return fyne.NewMenu("", items...)
}

// askStop ends a window once it was said what that means.
func (u *ui) askStop(w api.Window) {
	means := widget.NewLabel(u.say(state.StopMeans))
	means.Wrapping = fyne.TextWrapWord
	u.ask(u.say(state.StopTitle, state.Short(w)), u.say(state.StopWindow), widget.DangerImportance, means, func() {
		u.beside(func(ctx context.Context) error { return u.desk.Stop(ctx, w.Handle) })
	})
}

// lastWords shows what an application wrote last.
func (u *ui) lastWords(w api.Window) {
	u.async(func() {
		lines, err := u.desk.LastWords(u.life, w.Handle, 40)
		u.do(func() {
			if err != nil {
				u.fault(err)
				return
			}
			for i := range lines {
				lines[i] = state.Line(lines[i], 400)
			}
			text := widget.NewLabel(strings.Join(lines, "\n"))
			text.TextStyle.Monospace = true
			text.Wrapping = fyne.TextWrapBreak
			scroll := container.NewVScroll(text)
			scroll.SetMinSize(fyne.NewSize(dialogWidth+120, 300))
			u.inform(u.say(state.LastWords)+" · "+state.Short(w), scroll)
		})
	})
}
