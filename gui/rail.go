package gui

import (
	"context"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

const (
	railWidth = 276
	// thumbRate is how often a thumbnail is new: a glance, not a view.
	thumbRate = 2
)

// thumbSize is a thumbnail's room.
var thumbSize = fyne.NewSize(80, 54)

// rail is the column at the left: the way to the pages, and every window.
type rail struct {
	u       *ui
	content fyne.CanvasObject
	list    *fyne.Container
	status  *widget.RichText
	pages   map[string]*tappable
	entries map[api.Handle]*entry
	lived   map[api.Handle]bool // seen alive by this app
}

func newRail(u *ui) *rail {
	r := &rail{u: u, entries: map[api.Handle]*entry{}, pages: map[string]*tappable{}, lived: map[api.Handle]bool{}}
	if u.rail != nil {
		r.lived = u.rail.lived
	}
	item := func(page string, icon fyne.Resource, word state.Word) fyne.CanvasObject {
		name := widget.NewLabel(u.say(word))
		name.Truncation = fyne.TextTruncateEllipsis
		t := newTappable(container.NewBorder(nil, nil, container.NewHBox(gap(2, 1), widget.NewIcon(icon)), nil, name), func() { u.goTo(page) })
		t.plain = true
		t.paint()
		r.pages[page] = t
		return t
	}
	title := heading(u.say(state.AppName), theme.SizeNameSubHeadingText)
	r.list = column(8)
	r.status = quiet("")
	windows := heading(u.say(state.Windows), theme.SizeNameText)
	top := column(4,
		title, item(pageHome, theme.GridIcon(), state.Home), item(pagePeople, theme.AccountIcon(), state.Sessions),
		item(pageSettings, theme.SettingsIcon(), state.SettingsTitle), gap(1, 6), windows, r.status)
	width := canvas.NewRectangle(color.Transparent)
	width.SetMinSize(fyne.NewSize(railWidth, 1))
	pad := layout.NewCustomPaddedLayout(10, 10, 12, 10)
	r.content = container.NewStack(width, container.New(pad,
		container.NewBorder(top, nil, nil, nil, container.NewVScroll(container.New(layout.NewCustomPaddedLayout(4, 4, 0, 6), r.list)))))
	return r
}

// close ends the thumbnails.
func (r *rail) close() {
	for _, e := range r.entries {
		e.close()
	}
}

// update shows the windows as they are.
func (r *rail) update(windows []api.Window, known bool, fault error) {
	u := r.u
	_, ended, _ := u.desk.Away()
	switch {
	case ended:
		say(r.status, u.say(state.DaemonEnded))
	case fault != nil:
		say(r.status, state.FaultOf(u.settings.Lang, fault).String())
	case !known:
		say(r.status, u.say(state.Connecting))
	case len(windows) == 0:
		say(r.status, u.say(state.NoWindows)+" "+u.say(state.NoWindowsHint))
	default:
		say(r.status, "")
	}
	if r.status.Hidden != (known && len(windows) > 0) {
		if known && len(windows) > 0 {
			r.status.Hide()
		} else {
			r.status.Show()
		}
	}
	here := map[api.Handle]bool{}
	var objects []fyne.CanvasObject
	for _, w := range windows {
		here[w.Handle] = true
		if w.Ended == nil {
			r.lived[w.Handle] = true
		}
		e := r.entries[w.Handle]
		if e == nil {
			e = newEntry(u, w)
			r.entries[w.Handle] = e
		}
		e.update(w)
		objects = append(objects, e.press)
	}
	for h, e := range r.entries {
		if !here[h] {
			e.close()
			delete(r.entries, h)
		}
	}
	r.list.Objects = objects
	r.list.Refresh()
	r.mark()
}

// mark shows which page and windows are in the main part.
func (r *rail) mark() {
	for page, t := range r.pages {
		if on := r.u.showing == page; t.chosen != on {
			t.chosen = on
			t.paint()
		}
	}
	for h, e := range r.entries {
		on := r.u.open[h] != nil
		if e.press.chosen != on {
			e.press.chosen = on
			e.press.paint()
		}
	}
}

// entry is one window in the rail.
type entry struct {
	u      *ui
	w      api.Window
	press  *tappable
	stripe *canvas.Rectangle
	title  *widget.RichText
	facts  *widget.RichText
	state  *canvas.Text
	thumb  *canvas.Raster
	live   *state.Live
	end    context.CancelFunc
	// display is where the thumbnail is watched: what was stopped and started
	// again has the same handle and another display.
	display string
}

func newEntry(u *ui, w api.Window) *entry {
	e := &entry{u: u, w: w}
	e.stripe = canvas.NewRectangle(state.Hue(state.Owner(w)))
	e.stripe.SetMinSize(fyne.NewSize(5, 5))
	e.stripe.CornerRadius = 2.5
	e.title = heading(state.Title(w), theme.SizeNameText)
	e.facts = caption("")
	e.state = canvas.NewText("", color.Black)
	e.state.TextSize = theme.Size(theme.SizeNameCaptionText)
	e.state.TextStyle.Bold = true
	e.thumb = newThumb(e)
	stage := canvas.NewRectangle(tint(colorStage))
	stage.CornerRadius = 4
	stage.SetMinSize(thumbSize)
	inset := layout.NewCustomPaddedLayout(0, 0, theme.Size(theme.SizeNameInnerPadding), 0)
	rows := container.New(overlapped{8}, e.title, container.New(inset, e.state), e.facts)
	inside := container.New(layout.NewCustomPaddedLayout(7, 7, 7, 2), container.NewBorder(nil, nil,
		container.NewHBox(e.stripe, container.NewCenter(container.NewStack(stage, container.NewCenter(e.thumb)))), nil, rows))
	e.press = newTappable(inside, func() { u.look(e.w.Handle, false) })
	e.press.menu = func(at fyne.Position) {
		widget.ShowPopUpMenuAtPosition(u.windowMenu(e.w), u.window.Canvas(), at)
	}
	return e
}

// overlapped is a column whose rows come closer than their own room: rich text
// brings room of its own above and below each line.
type overlapped struct{ close float32 }

// Layout places the rows.
func (l overlapped) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	y := (size.Height - l.MinSize(objects).Height) / 2
	for _, o := range objects {
		h := o.MinSize().Height
		o.Move(fyne.NewPos(0, y))
		o.Resize(fyne.NewSize(size.Width, h))
		y += h - l.close
	}
}

// MinSize is that of all rows.
func (l overlapped) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		m := o.MinSize()
		size.Width = max(size.Width, m.Width)
		size.Height += m.Height - l.close
	}
	size.Height += l.close
	return size
}

// update shows a window as it is now.
func (e *entry) update(w api.Window) {
	e.w = w
	l := e.u.settings.Lang
	say(e.title, state.Title(w))
	say(e.facts, state.Brief(l, w))
	control := state.ControlOf(w, e.u.desk.Viewer())
	word, hue := control.Badge(l), controlHue(control)
	if e.state.Text != word || e.state.Color != hue {
		e.state.Text, e.state.Color = word, hue
		e.state.Refresh()
	}
	if owner := state.Hue(state.Owner(w)); e.stripe.FillColor != owner {
		e.stripe.FillColor = owner
		e.stripe.Refresh()
	}
	if w.Ended != nil || e.display != w.Display {
		e.close()
	}
	if w.State == "ready" && w.Ended == nil && e.live == nil {
		e.watch()
	}
}

// watch begins the thumbnail.
func (e *entry) watch() {
	scale := e.u.window.Canvas().Scale()
	e.live = e.u.desk.Live(e.w.Handle, api.Size{W: int(thumbSize.Width * scale), H: int(thumbSize.Height * scale)}, thumbRate)
	ctx, end := context.WithCancel(e.u.life)
	e.end = end
	live := e.live
	e.display = e.w.Display
	news := func() {
		_, picture, _, _ := live.Now()
		if picture.W > 0 {
			size := fyne.NewSize(float32(picture.W)/scale, float32(picture.H)/scale)
			if e.thumb.MinSize() != size {
				e.thumb.SetMinSize(size)
				e.press.Refresh()
			}
		}
		e.thumb.Refresh()
	}
	e.u.cfg.stream(func() {
		live.Run(ctx, func() { e.u.do(news) })
		e.u.do(func() {
			if e.live == live {
				e.close() // whatever is heard of the window next begins another
			}
		})
	})
}

// close ends the thumbnail; its last picture stays.
func (e *entry) close() {
	if e.end != nil {
		e.end()
		e.end, e.live = nil, nil
	}
}

// controlHue is the colour of a way a window stands.
func controlHue(c state.Control) color.Color {
	switch c {
	case state.Driving:
		return tint(colorControl)
	case state.Elsewhere, state.Attached, state.Paused:
		return tint(theme.ColorNameWarning)
	case state.Gone:
		return tint(colorQuiet)
	}
	return tint(theme.ColorNameForeground)
}
