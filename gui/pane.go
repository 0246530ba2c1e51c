package gui

import (
	"context"
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// frameWidth is that of the line around the picture of what the person drives.
const frameWidth = 3

// pane is one window: whose it is, who is in control, its live picture, what
// was done last.
type pane struct {
	u       *ui
	w       api.Window
	content fyne.CanvasObject

	stripe  *canvas.Rectangle
	title   *widget.RichText
	facts   *widget.RichText
	control *fyne.Container // pill
	explain *widget.RichText
	bar     *fyne.Container   // the room of explain
	ground  *canvas.Rectangle // behind the control bar
	take    *widget.Button
	give    *widget.Button
	share   *widget.Button
	pin     *widget.Button
	frame   *canvas.Rectangle // around the picture while in control
	view    *liveView
	veil    *fyne.Container // what is said instead of a picture
	said    *widget.RichText
	act     *widget.RichText
	size    *widget.RichText
	sender  *state.Sender
	badge   string
	noted   api.WatchNote
	shown   api.Size
	busy    bool
	past    *timeline
	side    *fyne.Container // where past is, once it is wanted
	// head and foot are what is above and below, leaveFull the way out of the
	// whole screen.
	head, foot fyne.CanvasObject
	leaveFull  *widget.Button
	body       *fyne.Container // the picture's room within the frame
	filled     bool
}

func newPane(u *ui, w api.Window) *pane {
	p := &pane{u: u, w: w, view: newLiveView()}
	p.stripe = canvas.NewRectangle(color.Transparent)
	p.stripe.SetMinSize(fyne.NewSize(5, 5))
	p.title, p.facts = heading("", theme.SizeNameText), caption("")
	p.explain, p.act, p.size = quiet(""), caption(""), caption("")
	p.size.Segments[0].(*widget.TextSegment).Style.Alignment = fyne.TextAlignTrailing
	p.control = container.NewHBox()
	p.ground = canvas.NewRectangle(color.Transparent)
	p.take = widget.NewButton(u.say(state.TakeOver), p.takeOver)
	p.take.Importance = widget.HighImportance
	p.give = widget.NewButton(u.say(state.HandBack), p.handBack)
	p.give.Importance = widget.HighImportance
	p.frame = canvas.NewRectangle(color.Transparent)
	p.frame.StrokeWidth = frameWidth
	p.said = widget.NewRichText(&widget.TextSegment{Style: widget.RichTextStyle{Alignment: fyne.TextAlignCenter, ColorName: colorQuiet}})
	p.said.Wrapping = fyne.TextWrapWord
	p.veil = container.NewBorder(nil, nil, nil, nil, container.New(layout.NewCustomPaddedVBoxLayout(0), layout.NewSpacer(), p.said, layout.NewSpacer()))
	p.sender = u.desk.Sender(w.Handle, func(err error) { u.do(func() { u.fault(err) }) })
	p.view.send = p.sender.Send
	p.view.changed = p.news
	p.view.typing = func(bool) { p.paint() }
	p.view.left = p.leave
	p.view.do = u.do
	p.view.other = func(e *fyne.KeyEvent) {
		if !u.answer(e) {
			u.fillKey(e)
		}
	}
	p.view.plane = newPlane(p)
	p.layout()
	p.update(w)
	p.view.start(u.desk.Live(w.Handle, api.Size{}, 0), u.cfg.stream)
	return p
}

// layout puts the parts together.
func (p *pane) layout() {
	u := p.u
	icon := func(res fyne.Resource, do func()) *widget.Button {
		b := widget.NewButtonWithIcon("", res, do)
		b.Importance = widget.LowImportance
		return b
	}
	p.share = widget.NewButtonWithIcon(u.say(state.Share), theme.AccountIcon(), func() { u.share(p.w) })
	var more *widget.Button
	p.pin = widget.NewButtonWithIcon(u.say(state.SizeTitle), theme.ViewFullScreenIcon(), func() { p.pop(p.pin, u.sizeMenu(p.w)) })
	more = icon(theme.MoreVerticalIcon(), func() { p.pop(more, u.windowMenu(p.w)) })
	history := icon(theme.HistoryIcon(), p.history)
	tools := container.NewHBox(p.share, p.pin, history, more, icon(theme.CancelIcon(), func() {
		u.panes.Close(p.w.Handle)
		u.show()
	}))
	names := container.New(overlapped{10}, p.title, p.facts)
	p.leaveFull = widget.NewButtonWithIcon(u.say(state.FullLeave), theme.ViewRestoreIcon(), func() { u.fill("") })
	p.leaveFull.Hide()
	p.head = container.NewBorder(nil, nil, p.stripe, container.NewCenter(tools), names)
	p.bar = container.New(sentence{}, p.explain)
	bar := container.NewStack(p.ground, container.New(layout.NewCustomPaddedLayout(5, 5, 10, 8),
		container.NewBorder(nil, nil, container.NewCenter(p.control), container.NewHBox(p.take, p.give, p.leaveFull), p.bar)))
	p.foot = container.New(layout.NewCustomPaddedLayout(0, 2, 2, 2), container.New(shares{0.62}, p.act, p.size))
	p.body = container.New(layout.NewCustomPaddedLayout(frameWidth, frameWidth, frameWidth, frameWidth), container.NewStack(p.view, p.veil))
	body := container.NewStack(p.frame, p.body)
	p.side = container.NewStack()
	p.content = container.NewBorder(container.NewVBox(p.head, bar), p.foot, nil, p.side, body)
}

// history shows what was done to the window beside it, or hides it.
func (p *pane) history() {
	if p.past != nil {
		p.past, p.side.Objects = nil, nil
	} else {
		p.past = newTimeline(p.u, p.w.Handle)
		p.side.Objects = []fyne.CanvasObject{p.past.content}
	}
	p.side.Refresh()
	p.content.Refresh()
}

// pop opens a menu below a button.
func (p *pane) pop(below fyne.CanvasObject, m *fyne.Menu) {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(below)
	widget.ShowPopUpMenuAtPosition(m, p.u.window.Canvas(), at.AddXY(0, below.Size().Height))
}

// close ends the live picture.
func (p *pane) close() {
	p.view.drive(false)
	p.view.stop()
}

// update takes the window as it is now.
func (p *pane) update(w api.Window) {
	p.w = w
	p.paint()
}

// paint shows who is in control, in word, colour, sentence and button.
func (p *pane) paint() {
	u, l := p.u, p.u.settings.Lang
	say(p.title, state.Title(p.w))
	say(p.facts, string(p.w.Handle)+" · "+state.Facts(l, p.w))
	p.stripe.FillColor = state.Hue(state.Owner(p.w))
	p.stripe.Refresh()
	control := state.ControlOf(p.w, u.desk.Viewer())
	driving := control == state.Driving
	p.view.drive(driving)
	ground, ink, back := tint(theme.ColorNameForeground), tint(theme.ColorNameBackground), tint(colorWatch)
	frame := color.Color(color.Transparent)
	switch control {
	case state.Driving:
		ground, ink, frame = tint(colorControl), onControl(u.settings.Look), tint(colorControl)
		back = over(tint(theme.ColorNameBackground), veiled(tint(colorControl), 0x26))
	case state.Elsewhere, state.Attached, state.Paused:
		ground, ink = tint(theme.ColorNameWarning), tint(theme.ColorNameBackground)
	case state.Gone:
		back = tint(colorStage)
	}
	if badge := control.Badge(l); badge != p.badge {
		p.badge = badge
		p.control.Objects = []fyne.CanvasObject{pill(badge, ground, ink)}
		p.control.Refresh()
	}
	p.ground.FillColor = back
	p.ground.Refresh()
	switch {
	case p.filled:
		frame = color.Transparent
	case p.view.focused && control != state.Driving:
		frame = tint(theme.ColorNamePrimary)
	}
	p.frame.StrokeColor = frame
	p.frame.Refresh()
	p.explains(control.Explain(l, p.w, driving && p.view.focused))
	visible(p.take, control.MayTake())
	visible(p.give, control.MayGive())
	visible(p.share, control != state.Gone)
	visible(p.pin, control != state.Gone)
	p.sizes()
	p.veils()
}

// explains says a sentence, in the middle of its room.
func (p *pane) explains(text string) {
	say(p.explain, text)
	p.bar.Refresh()
}

// veiled is a colour let through.
func veiled(c color.Color, a uint8) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: a}
}

// visible shows or hides.
func visible(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// sizes says how large the window is and how it is shown.
func (p *pane) sizes() { say(p.size, state.SizeText(p.u.settings.Lang, p.w, p.shown)) }

// news takes what the watch said.
func (p *pane) news() {
	_, picture, note, _ := p.view.live.Now()
	p.noted = note
	if p.shown != picture {
		p.shown = picture
		p.sizes()
	}
	if note.Act != nil && p.view.cursor.act != note.Act {
		p.view.cursor.tell(note.Act, p.u.settings.Lang)
		if p.past != nil {
			p.past.read(timelineRest)
		}
		p.view.Refresh()
	}
	p.age()
	p.veils()
}

// age says what was done last and how long ago.
func (p *pane) age() {
	now := time.Now()
	if p.noted.Act != nil {
		p.u.agesAt(state.AgesAt(p.noted.Act.At, now))
	}
	say(p.act, state.ActText(p.u.settings.Lang, p.noted.Act, now))
	if act := p.view.cursor.act; act != nil && time.Since(act.At) > cursorTime && p.view.cursor.ring.Visible() {
		p.view.Refresh()
	}
}

// veils says why there is no picture.
func (p *pane) veils() {
	l := p.u.settings.Lang
	text := ""
	switch {
	case p.w.Ended != nil:
		text = state.Gone.Explain(l, p.w, false)
	case p.w.State == "starting":
		text = state.Starting.Explain(l, p.w, false)
	case p.noted.State == "hidden" && !p.w.Visible:
		text = l.Say(state.NotDrawn)
	case p.shown.W == 0:
		text = l.Say(state.Connecting)
	}
	s := p.said.Segments[0].(*widget.TextSegment)
	if s.Text != text {
		s.Text = text
		p.said.Refresh()
	}
	visible(p.veil, text != "")
}

// takeOver gives the window to the person, and the keyboard to the picture.
func (p *pane) takeOver() {
	if p.busy {
		return
	}
	p.busy = true
	p.take.Disable()
	p.u.async(func() {
		ctx := context.WithoutCancel(p.u.life)
		a, err := p.u.desk.TakeOver(ctx, p.w.Handle, state.Layout(ctx))
		p.u.do(func() {
			p.busy = false
			p.take.Enable()
			if err != nil {
				p.u.fault(err)
				return
			}
			// What the list will say in a moment is true already.
			p.w.Input, p.w.Driven = "user", &a.Driven
			p.paint()
			p.u.window.Canvas().Focus(p.view)
			for _, i := range a.Interrupted {
				act := api.SeenAct{Session: i.Session, Did: i.Did, Verdict: "ok", At: i.At}
				p.u.notice(p.u.say(state.Interrupted, state.ActText(p.u.settings.Lang, &act, time.Now())), "",
					theme.InfoIcon(), tint(theme.ColorNameWarning))
			}
		})
	})
}

// paste types what is in the person's own clipboard into the window, which has
// one of its own.
func (p *pane) paste() {
	p.view.send(p.view.input.Paste(p.u.cfg.App.Clipboard().Content()))
	p.u.window.Canvas().Focus(p.view)
}

// leave gives the keyboard back to the app: the way out was pressed.
func (p *pane) leave() { p.u.window.Canvas().Focus(p.give) }

// sentence gives a wrapped text the room of two lines, in whose middle it
// stands: the bar keeps its height whatever is said.
type sentence struct{}

// Layout places it: how many lines it takes is known once it has its width.
func (sentence) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Resize(fyne.NewSize(size.Width, size.Height))
		h := o.MinSize().Height
		o.Resize(fyne.NewSize(size.Width, h))
		o.Move(fyne.NewPos(0, (size.Height-h)/2))
	}
}

// MinSize is two lines of a caption.
func (sentence) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(80, 38) }

// shares gives the first of two a part of the width, and the rest the second.
type shares struct{ first float32 }

// Layout places them.
func (l shares) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	x := size.Width * l.first
	objects[0].Resize(fyne.NewSize(x, size.Height))
	objects[1].Move(fyne.NewPos(x, 0))
	objects[1].Resize(fyne.NewSize(size.Width-x, size.Height))
}

// MinSize is theirs beside each other.
func (l shares) MinSize(objects []fyne.CanvasObject) fyne.Size {
	a, b := objects[0].MinSize(), objects[1].MinSize()
	return fyne.NewSize(a.Width+b.Width, max(a.Height, b.Height))
}
