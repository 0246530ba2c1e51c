package gui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// cursorTime is how long an agent's cursor stays after its act.
const cursorTime = 8 * time.Second

// cursor is where an agent acted last: a ring around the point, a frame around
// the element, and who did what beside it.
type cursor struct {
	act   *api.SeenAct
	ring  *canvas.Circle
	dot   *canvas.Circle
	box   *canvas.Rectangle
	back  *canvas.Rectangle
	label *canvas.Text
}

func newCursor() *cursor {
	c := &cursor{
		ring: canvas.NewCircle(nil), dot: canvas.NewCircle(nil), box: canvas.NewRectangle(nil),
		back: canvas.NewRectangle(nil), label: canvas.NewText("", onControl("")),
	}
	c.back.CornerRadius, c.box.CornerRadius = 5, 4
	c.ring.StrokeWidth, c.box.StrokeWidth = 3, 2
	c.label.TextSize = theme.DefaultTheme().Size(theme.SizeNameCaptionText) + 1
	c.show(false)
	return c
}

func (c *cursor) objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{c.box, c.ring, c.dot, c.back, c.label}
}

// tell shows an act, until its time is over.
func (c *cursor) tell(act *api.SeenAct, l state.Lang) {
	c.act = act
	if act == nil {
		return
	}
	hue := state.Hue(act.Session)
	c.ring.StrokeColor, c.dot.FillColor, c.box.StrokeColor, c.back.FillColor = hue, hue, hue, hue
	c.label.Text = state.ActLabel(l, *act)
}

// place puts it where its act was, its label inside of the view.
func (c *cursor) place(f state.Fit, size fyne.Size) {
	at, known := state.Place(c.act)
	_, _, w, _ := f.Shown()
	if !known || w == 0 || time.Since(c.act.At) > cursorTime {
		c.show(false)
		return
	}
	c.show(true)
	x, y := f.ToPane(at)
	const outer, inner = 11, 3
	c.ring.Resize(fyne.NewSize(2*outer, 2*outer))
	c.ring.Move(fyne.NewPos(x-outer, y-outer))
	c.dot.Resize(fyne.NewSize(2*inner, 2*inner))
	c.dot.Move(fyne.NewPos(x-inner, y-inner))
	if b := c.act.Box; b != nil {
		left, top := f.ToPane(api.Point{X: b.X, Y: b.Y})
		right, bottom := f.ToPane(api.Point{X: b.X + b.W, Y: b.Y + b.H})
		c.box.Move(fyne.NewPos(left-2, top-2))
		c.box.Resize(fyne.NewSize(right-left+4, bottom-top+4))
	} else {
		c.box.Hide()
	}
	text := c.label.MinSize()
	lx, ly := x+outer+4, y+outer+2
	lx = max(4, min(lx, size.Width-text.Width-16))
	if ly+text.Height+8 > size.Height {
		ly = y - outer - text.Height - 8
	}
	c.back.Move(fyne.NewPos(lx, ly))
	c.back.Resize(fyne.NewSize(text.Width+12, text.Height+6))
	c.label.Move(fyne.NewPos(lx+6, ly+3))
	c.label.Resize(text)
}

// shows says whether it is on the picture.
func (c *cursor) shows() bool { return c.ring.Visible() || c.label.Visible() }

func (c *cursor) show(on bool) {
	for _, o := range c.objects() {
		if on {
			o.Show()
		} else {
			o.Hide()
		}
	}
}
