package gui

import (
	"context"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// newPeople is the page of agents and groups.
func newPeople(u *ui) fyne.CanvasObject {
	u.met = u.peopleText()
	add := widget.NewButtonWithIcon(u.say(state.SessionNew), theme.ContentAddIcon(), u.newSession)
	add.Importance = widget.HighImportance
	rows := []fyne.CanvasObject{
		container.NewBorder(nil, nil, nil, container.NewCenter(add), title(u.say(state.Sessions))),
		flush(quiet(u.say(state.SessionNone))),
	}
	for _, s := range u.sessions {
		rows = append(rows, u.sessionRow(s))
	}
	group := widget.NewButtonWithIcon(u.say(state.GroupNew), theme.ContentAddIcon(), u.newGroup)
	rows = append(rows, gap(1, 12),
		container.NewBorder(nil, nil, nil, container.NewCenter(group), flush(heading(u.say(state.Groups), theme.SizeNameSubHeadingText))),
		flush(quiet(u.say(state.GroupMeans))))
	for _, g := range u.groups {
		rows = append(rows, u.groupRow(g))
	}
	return page(rows...)
}

// freshen reads again who there is, while that is shown, and shows the page anew
// if it is another.
func (u *ui) freshen() {
	if u.showing != pagePeople || u.freshening {
		return
	}
	u.freshening = true
	u.async(func() {
		sessions, groups, err := u.desk.People(u.life)
		u.do(func() {
			u.freshening = false
			if err == nil { // else the daemon is away, which is said already
				u.meet(sessions, groups)
			}
		})
	})
}

// meet takes who there is as it is now.
func (u *ui) meet(sessions []api.SessionInfo, groups []api.GroupInfo) {
	u.sessions, u.groups = sessions, groups
	if u.showing != pagePeople || u.peopleText() == u.met {
		return
	}
	var at fyne.Position
	if old, ok := u.main.Objects[0].(*container.Scroll); ok {
		at = old.Offset
	}
	u.show()
	if page, ok := u.main.Objects[0].(*container.Scroll); ok {
		page.ScrollToOffset(at)
	}
}

// peopleText is what the page of agents and groups says, in short.
func (u *ui) peopleText() string {
	var b strings.Builder
	for _, s := range u.sessions {
		fmt.Fprintf(&b, "%q holds %s\n", s.Label, u.holds(s))
	}
	fmt.Fprintf(&b, "%q", u.groups)
	return b.String()
}

// holds says which windows an agent holds.
func (u *ui) holds(s api.SessionInfo) string {
	if len(s.Holds) == 0 {
		return u.say(state.HoldsNothing)
	}
	var names []string
	for _, h := range s.Holds {
		name := string(h)
		if w, ok := u.desk.Window(h); ok {
			name += " " + state.Title(w)
		}
		names = append(names, name)
	}
	return u.say(state.Holds, strings.Join(names, ", "))
}

// sessionRow is one agent.
func (u *ui) sessionRow(s api.SessionInfo) fyne.CanvasObject {
	dot := canvas.NewCircle(state.Hue(s.Label))
	end := widget.NewButton(u.say(state.SessionEnd), func() {
		means := widget.NewLabel(u.say(state.SessionEndMeans))
		means.Wrapping = fyne.TextWrapWord
		u.ask(u.say(state.SessionEndTitle, s.Label), u.say(state.SessionEnd), widget.DangerImportance, means, func() {
			u.people(func(ctx context.Context) error { return u.desk.EndSession(ctx, s.Label) })
		})
	})
	right := fyne.CanvasObject(container.NewCenter(end))
	if s.Label == api.DefaultSession {
		right = nil // it is everybody's, and cannot be ended
	}
	names := container.New(overlapped{10}, heading(string(s.Label), theme.SizeNameText), caption(u.holds(s)))
	return card(container.NewBorder(nil, nil, container.NewCenter(container.NewGridWrap(fyne.NewSize(14, 14), dot)), right, names))
}

// people does something to sessions or groups, and reads them again.
func (u *ui) people(do func(context.Context) error) {
	u.beside(func(ctx context.Context) error {
		err := do(ctx)
		u.do(func() { u.goTo(pagePeople) })
		return err
	})
}

// groupRow is one group.
func (u *ui) groupRow(g api.GroupInfo) fyne.CanvasObject {
	members := make([]string, len(g.Members))
	for i, m := range g.Members {
		members[i] = string(m)
	}
	text := strings.Join(members, ", ")
	if text == "" {
		text = u.say(state.GroupEmpty)
	}
	edit := widget.NewButton(u.say(state.Members), func() { u.editGroup(g) })
	remove := widget.NewButton(u.say(state.GroupRemove), func() {
		u.people(func(ctx context.Context) error { return u.desk.Group(ctx, "remove", g.Group, "") })
	})
	names := container.New(overlapped{10}, heading(g.Group, theme.SizeNameText), caption(text))
	return card(container.NewBorder(nil, nil, widget.NewIcon(theme.FolderIcon()), container.NewCenter(container.NewHBox(edit, remove)), names))
}

// newSession asks for a name, makes the session and shows its token, this once.
func (u *ui) newSession() {
	label := u.newField()
	u.ask(u.say(state.SessionNew), u.say(state.Create), widget.HighImportance,
		widget.NewForm(widget.NewFormItem(u.say(state.SessionLabel), label)), func() {
			name := api.SessionID(strings.TrimSpace(label.Text))
			u.people(func(ctx context.Context) error {
				a, err := u.desk.NewSession(ctx, name)
				if err == nil {
					u.do(func() { u.showToken(a) })
				}
				return err
			})
		})
	u.window.Canvas().Focus(label)
}

// showToken lets what an agent takes be copied.
func (u *ui) showToken(a api.SessionAnswer) {
	clip := func(word state.Word, text string) fyne.CanvasObject {
		var b *button
		b = u.newButton(u.say(word), func() {
			u.cfg.App.Clipboard().SetContent(text)
			b.SetText(u.say(state.Copied))
			b.SetIcon(theme.ConfirmIcon())
		})
		b.SetIcon(theme.ContentCopyIcon())
		return b
	}
	mcp, err := state.MCPText(a, u.cfg.Program)
	if err != nil {
		u.fault(err)
		return
	}
	once := widget.NewLabel(u.say(state.TokenOnce))
	once.Wrapping = fyne.TextWrapWord
	env := widget.NewLabel(strings.TrimSpace(state.EnvText(a)))
	env.TextStyle.Monospace = true
	env.Wrapping = fyne.TextWrapBreak
	d := u.inform(u.say(state.SessionCreated, a.Label), container.NewVBox(
		once, card(env), container.NewGridWithColumns(2, clip(state.CopyEnv, state.EnvText(a)), clip(state.CopyMCP, mcp))))
	d.Resize(fyne.NewSize(dialogWidth+60, d.MinSize().Height+60))
	// What is shown this once is not closed by an Enter held too long in the
	// dialog before.
	u.asks[len(u.asks)-1].yes = func() {}
}

// newGroup asks for a name and makes the group.
func (u *ui) newGroup() {
	name := u.newField()
	u.ask(u.say(state.GroupNew), u.say(state.Create), widget.HighImportance,
		widget.NewForm(widget.NewFormItem(u.say(state.SessionLabel), name)), func() {
			group := strings.TrimSpace(name.Text)
			u.people(func(ctx context.Context) error { return u.desk.Group(ctx, "new", group, "") })
		})
	u.window.Canvas().Focus(name)
}

// editGroup puts sessions in and takes them out.
func (u *ui) editGroup(g api.GroupInfo) {
	var labels, members []string
	for _, s := range u.sessions {
		labels = append(labels, string(s.Label))
	}
	for _, m := range g.Members {
		members = append(members, string(m))
	}
	if len(labels) == 0 {
		u.inform(u.say(state.GroupMembers, g.Group), widget.NewLabel(u.say(state.NoSessions)))
		return
	}
	checks, chosen := u.newChecks(labels, members)
	u.ask(u.say(state.GroupMembers, g.Group), u.say(state.Apply), widget.HighImportance, checks, func() {
		add, remove := state.Difference(members, chosen())
		u.people(func(ctx context.Context) error {
			for _, m := range add {
				if err := u.desk.Group(ctx, "add", g.Group, api.SessionID(m)); err != nil {
					return err
				}
			}
			for _, m := range remove {
				if err := u.desk.Group(ctx, "remove", g.Group, api.SessionID(m)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
