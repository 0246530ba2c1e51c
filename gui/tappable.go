package gui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// tappable makes anything a thing that is pressed: by the pointer, and by Space
// or Enter when the keyboard is on it.
type tappable struct {
	widget.BaseWidget
	inside   fyne.CanvasObject
	back     *canvas.Rectangle
	chosen   bool
	disabled bool
	plain    bool // without a surface of its own
	hovered  bool
	focused  bool
	press    func()
	menu     func(fyne.Position) // of the second button, if any
}

var (
	_ fyne.Tappable          = (*tappable)(nil)
	_ fyne.SecondaryTappable = (*tappable)(nil)
	_ fyne.Focusable         = (*tappable)(nil)
	_ desktop.Hoverable      = (*tappable)(nil)
)

func newTappable(inside fyne.CanvasObject, press func()) *tappable {
	t := &tappable{inside: inside, back: canvas.NewRectangle(color.Transparent), press: press}
	t.back.CornerRadius = radius
	t.ExtendBaseWidget(t)
	t.paint()
	return t
}

// CreateRenderer draws what is inside on its surface.
func (t *tappable) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(t.back, t.inside))
}

// paint gives the surface the colour of its state.
func (t *tappable) paint() {
	ground := tint(colorCard)
	if t.plain {
		ground = color.Transparent
	}
	line, width := tint(colorLine), float32(1)
	if t.plain {
		line = color.Transparent
	}
	switch {
	case t.focused:
		line, width = tint(theme.ColorNamePrimary), 2
	case t.chosen:
		line, width = tint(theme.ColorNamePrimary), 1.5
	}
	if t.hovered && !t.disabled {
		ground = over(ground, tint(theme.ColorNameHover))
	}
	if t.chosen {
		ground = over(ground, tint(theme.ColorNameSelection))
	}
	t.back.FillColor, t.back.StrokeColor, t.back.StrokeWidth = ground, line, width
	t.back.Refresh()
}

// over lays a translucent colour over another.
func over(ground, veil color.Color) color.Color {
	gr, gg, gb, ga := ground.RGBA()
	vr, vg, vb, va := veil.RGBA()
	mix := func(g, v uint32) uint16 { return uint16(v + g*(0xffff-va)/0xffff) }
	return color.RGBA64{R: mix(gr, vr), G: mix(gg, vg), B: mix(gb, vb), A: mix(ga, va)}
}

// Tapped presses it.
func (t *tappable) Tapped(*fyne.PointEvent) {
	if !t.disabled && t.press != nil {
		t.press()
	}
}

// TappedSecondary opens its menu.
func (t *tappable) TappedSecondary(e *fyne.PointEvent) {
	if t.menu != nil {
		t.menu(e.AbsolutePosition)
	}
}

// FocusGained and the methods below follow the keyboard and the pointer.
func (t *tappable) FocusGained() { t.focused = true; t.paint() }

// FocusLost is the keyboard going elsewhere.
func (t *tappable) FocusLost() { t.focused = false; t.paint() }

// TypedRune does nothing: it is pressed with Space, which comes as a key.
func (t *tappable) TypedRune(rune) {}

// TypedKey presses it.
func (t *tappable) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		t.Tapped(nil)
	}
}

// MouseIn is the pointer coming.
func (t *tappable) MouseIn(*desktop.MouseEvent) { t.hovered = true; t.paint() }

// MouseMoved is the pointer moving.
func (t *tappable) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is the pointer going.
func (t *tappable) MouseOut() { t.hovered = false; t.paint() }
