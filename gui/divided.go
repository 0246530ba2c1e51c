package gui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
)

// barWidth is the divider's, and step how far an arrow key moves it.
const (
	barWidth = 7
	step     = 0.03
)

// divided is two panes side by side with a divider between that keeps within
// its bounds, whatever drags it.
type divided struct {
	widget.BaseWidget
	left, right fyne.CanvasObject
	bar         *bar
	at          float64
	moved       func(float64)
}

func newDivided(left, right fyne.CanvasObject, at float64, moved func(float64)) *divided {
	d := &divided{left: left, right: right, at: at, moved: moved}
	d.bar = newBar(d)
	d.ExtendBaseWidget(d)
	return d
}

// move puts the divider to a part of the width.
func (d *divided) move(at float64) {
	d.at = min(max(at, state.DividerLeast), state.DividerMost)
	d.Refresh()
}

// CreateRenderer lays them out.
func (d *divided) CreateRenderer() fyne.WidgetRenderer { return &dividedRenderer{d} }

type dividedRenderer struct{ d *divided }

// Layout gives each its part.
func (r *dividedRenderer) Layout(size fyne.Size) {
	d := r.d
	x := float32(d.at) * (size.Width - barWidth)
	d.left.Move(fyne.NewPos(0, 0))
	d.left.Resize(fyne.NewSize(x, size.Height))
	d.bar.Move(fyne.NewPos(x, 0))
	d.bar.Resize(fyne.NewSize(barWidth, size.Height))
	d.right.Move(fyne.NewPos(x+barWidth, 0))
	d.right.Resize(fyne.NewSize(size.Width-x-barWidth, size.Height))
}

// MinSize is little, so that a small window is no reason to cut the rail.
func (r *dividedRenderer) MinSize() fyne.Size { return fyne.NewSize(320, 240) }

// Refresh lays out anew.
func (r *dividedRenderer) Refresh() { r.Layout(r.d.Size()); r.d.bar.Refresh() }

// Objects lists them.
func (r *dividedRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.d.left, r.d.right, r.d.bar}
}

// Destroy has nothing to free.
func (r *dividedRenderer) Destroy() {}

// bar is the divider: dragged, or moved with the arrow keys.
type bar struct {
	widget.BaseWidget
	d    *divided
	line *canvas.Rectangle
}

var (
	_ fyne.Draggable     = (*bar)(nil)
	_ fyne.Focusable     = (*bar)(nil)
	_ desktop.Cursorable = (*bar)(nil)
)

func newBar(d *divided) *bar {
	b := &bar{d: d, line: canvas.NewRectangle(tint(colorLine))}
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer draws it.
func (b *bar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.line) }

// Dragged moves it with the pointer.
func (b *bar) Dragged(e *fyne.DragEvent) {
	if w := b.d.Size().Width - barWidth; w > 0 {
		b.d.move(b.d.at + float64(e.Dragged.DX/w))
	}
}

// DragEnd remembers where it is.
func (b *bar) DragEnd() { b.d.moved(b.d.at) }

// Cursor says that it can be dragged.
func (b *bar) Cursor() desktop.Cursor { return desktop.HResizeCursor }

// FocusGained shows that the arrow keys move it.
func (b *bar) FocusGained() { b.colour(theme.ColorNamePrimary) }

// FocusLost shows that they do not.
func (b *bar) FocusLost() { b.colour(colorLine) }

func (b *bar) colour(name fyne.ThemeColorName) {
	b.line.FillColor = tint(name)
	b.line.Refresh()
}

// TypedRune does nothing.
func (b *bar) TypedRune(rune) {}

// TypedKey moves it.
func (b *bar) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyLeft:
		b.d.move(b.d.at - step)
	case fyne.KeyRight:
		b.d.move(b.d.at + step)
	default:
		return
	}
	b.d.moved(b.d.at)
}
