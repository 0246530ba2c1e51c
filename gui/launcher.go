package gui

import (
	"context"
	"image/color"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// tileSize is an application's in the launcher.
var tileSize = fyne.NewSize(150, 112)

const iconSide = 48

// launcher is the page of applications.
type launcher struct {
	u       *ui
	content fyne.CanvasObject
	search  *widget.Entry
	who     *widget.Select
	means   *widget.RichText
	rows    *fyne.Container
	granted []state.Grantee
	found   []api.AppInfo
	icons   map[string]fyne.Resource // by file, once looked at; nil for none that shows
}

func newLauncher(u *ui) *launcher {
	l := &launcher{u: u, rows: container.NewVBox(), icons: map[string]fyne.Resource{}}
	l.search = widget.NewEntry()
	l.search.SetPlaceHolder(u.say(state.SearchApps))
	l.search.OnChanged = func(string) { l.tiles() }
	l.search.OnSubmitted = func(string) {
		if len(l.found) > 0 {
			l.launch(l.found[0])
		}
	}
	l.search.ActionItem = widget.NewIcon(theme.SearchIcon())
	l.who = widget.NewSelect(nil, func(string) { l.chosen() })
	l.means = quiet("")
	with := widget.NewLabel(u.say(state.OpenFor))
	options := container.NewBorder(nil, nil, with, nil, container.NewBorder(nil, nil, container.NewGridWrap(fyne.NewSize(220, l.who.MinSize().Height), l.who), nil, l.means))
	l.content = page(title(u.say(state.NewWindow)), l.search, options, gap(1, 6), l.rows)
	l.update()
	return l
}

// update takes the applications and who there is.
func (l *launcher) update() {
	l.granted = state.Grantees(l.u.settings.Lang, l.u.sessions, l.u.groups)
	names, at := []string{}, 0
	for i, g := range l.granted {
		names = append(names, g.Name)
		if g.With == l.u.with {
			at = i
		}
	}
	l.who.SetOptions(names)
	l.who.SetSelectedIndex(at)
	l.tiles()
}

// chosen says what the choice of who means.
func (l *launcher) chosen() {
	i := l.who.SelectedIndex()
	if i < 0 || i >= len(l.granted) {
		return
	}
	l.u.with = l.granted[i].With
	if l.u.with == "" {
		say(l.means, l.u.say(state.HiddenHint))
	} else {
		say(l.means, l.u.say(state.SharedHint, l.granted[i].Name))
	}
}

// tiles lists what a search finds.
func (l *launcher) tiles() {
	u := l.u
	l.found = state.Search(u.apps, l.search.Text)
	l.rows.Objects = nil
	group := func(word state.Word, apps []api.AppInfo) {
		grid := container.NewGridWrap(tileSize)
		for _, a := range apps {
			grid.Add(l.tile(a))
		}
		l.rows.Add(flush(heading(u.say(word), theme.SizeNameSubHeadingText)))
		l.rows.Add(grid)
	}
	if recent := state.RecentApps(u.apps, u.settings.Recent); len(recent) > 0 && strings.TrimSpace(l.search.Text) == "" {
		group(state.Recent, recent)
	}
	switch {
	case len(l.found) > 0:
		group(state.AllApps, l.found)
	case len(u.apps) > 0:
		l.rows.Add(quiet(u.say(state.NoApps)))
	default:
		l.rows.Add(quiet(u.say(state.Connecting)))
	}
	l.rows.Refresh()
}

// tile is one application.
func (l *launcher) tile(a api.AppInfo) fyne.CanvasObject {
	name := widget.NewLabel(state.Line(a.Name, 60))
	name.Alignment = fyne.TextAlignCenter
	name.Truncation = fyne.TextTruncateEllipsis
	rows := column(0, gap(1, 14), container.NewCenter(l.icon(a)), name)
	t := newTappable(rows, func() { l.launch(a) })
	if len(a.Needs) > 0 {
		t.disabled = true
		missing := caption(l.u.say(state.Missing, strings.Join(a.Needs, " ")))
		missing.Segments[0].(*widget.TextSegment).Style.Alignment = fyne.TextAlignCenter
		rows.Objects[2] = missing
	}
	return t
}

// icon is an application's picture, or its first letter on a colour.
func (l *launcher) icon(a api.AppInfo) fyne.CanvasObject {
	size := fyne.NewSize(iconSide, iconSide)
	res, known := l.icons[a.Icon]
	if !known && a.Icon != "" {
		res = readIcon(a.Icon)
		l.icons[a.Icon] = res
	}
	if res != nil {
		img := canvas.NewImageFromResource(res)
		img.FillMode = canvas.ImageFillContain
		img.SetMinSize(size)
		return img
	}
	back := canvas.NewRectangle(state.Hue(api.SessionID("app " + a.App)))
	back.CornerRadius = 12
	back.SetMinSize(size)
	letter := canvas.NewText(state.Initial(a), color.White)
	letter.TextSize, letter.TextStyle.Bold, letter.Alignment = 22, true, fyne.TextAlignCenter
	return container.NewStack(back, container.NewCenter(letter))
}

// readIcon reads a picture, nil when it does not show.
func readIcon(path string) fyne.Resource {
	res, err := fyne.LoadResourceFromPath(path)
	if err != nil || filepath.Ext(path) == ".svg" && !draws(canvas.NewImageFromResource(res)) {
		return nil
	}
	return res
}

// draws says whether a picture shows anything: some drawings use more of SVG
// than the toolkit knows, and come out empty.
func draws(img *canvas.Image) bool {
	img.FillMode = canvas.ImageFillContain
	img.SetMinSize(fyne.NewSize(iconSide, iconSide))
	drawn := software.Render(img, fyne.CurrentApp().Settings().Theme())
	b := drawn.Bounds()
	first := drawn.At(b.Min.X, b.Min.Y)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if drawn.At(x, y) != first {
				return true
			}
		}
	}
	return false
}

// launch opens an application, for whoever is chosen.
func (l *launcher) launch(a api.AppInfo) {
	u := l.u
	with := u.with
	u.settings.Recent = state.Used(u.settings.Recent, a.App)
	u.save()
	busy := widget.NewProgressBarInfinite()
	strip := container.NewPadded(container.NewBorder(nil, nil, widget.NewLabel(u.say(state.Opening, state.Line(a.Name, 60))), nil, busy))
	u.notices.Add(strip)
	u.async(func() {
		w, err := u.desk.Launch(context.WithoutCancel(u.life), a.App, with)
		u.do(func() {
			busy.Stop()
			u.notices.Remove(strip)
			if err != nil {
				u.fault(err)
				return
			}
			l.tiles()
			u.opened(w.Handle)
		})
	})
}

// opened shows a window that was launched here, as soon as it is in the list.
func (u *ui) opened(h api.Handle) {
	if _, ok := u.desk.Window(h); ok {
		u.look(h, false)
		return
	}
	u.panes.Show(h)
	u.showing = ""
}
