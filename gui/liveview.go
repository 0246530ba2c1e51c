package gui

import (
	"context"
	"image"
	"image/color"
	"math"
	"sync/atomic"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// wheelNotch is how far Fyne says one notch of a wheel goes.
const wheelNotch = 25

// liveView shows a window's own pixels, and while the person is in control
// brings keys and pointer to it.
type liveView struct {
	widget.BaseWidget
	live    *state.Live
	end     context.CancelFunc
	input   state.Input
	send    func([]api.InputEvent)
	left    func()               // the way out was pressed
	other   func(*fyne.KeyEvent) // a key while the person looks on
	changed func()               // a note came, or the picture's size is another
	typing  func(bool)
	plane   *plane       // shows it while it moves; may be nil
	do      func(func()) // runs something on the goroutine that draws

	driving bool
	focused bool
	source  api.Size
	wheel   [2]float32 // what is left of notches that were not whole

	raster *canvas.Raster
	// stage is what is beside the picture: above, below, left and right of it,
	// and not behind it, where each pixel would be drawn twice.
	stage  [4]*canvas.Rectangle
	drawn  *image.RGBA
	cursor *cursor
	due    atomic.Bool // a redraw is on its way to Fyne's goroutine
}

var (
	_ desktop.Mouseable  = (*liveView)(nil)
	_ desktop.Hoverable  = (*liveView)(nil)
	_ desktop.Keyable    = (*liveView)(nil)
	_ desktop.Cursorable = (*liveView)(nil)
	_ fyne.Focusable     = (*liveView)(nil)
	_ fyne.Scrollable    = (*liveView)(nil)
	_ fyne.Tabbable      = (*liveView)(nil)
	_ fyne.Draggable     = (*liveView)(nil)
	_ fyne.Shortcutable  = (*liveView)(nil)
)

// newLiveView makes a view; start begins it.
func newLiveView() *liveView {
	v := &liveView{
		cursor: newCursor(), send: func([]api.InputEvent) {},
		left: func() {}, changed: func() {}, typing: func(bool) {}, do: fyne.Do, other: func(*fyne.KeyEvent) {},
	}
	v.raster = canvas.NewRaster(v.paint)
	// A pixel of the picture is one of the screen: nothing is to be smoothed.
	v.raster.ScaleMode = canvas.ImageScalePixels
	for i := range v.stage {
		v.stage[i] = canvas.NewRectangle(color.Transparent)
	}
	v.ExtendBaseWidget(v)
	return v
}

// start shows a window's live picture, which stream brings.
func (v *liveView) start(live *state.Live, stream func(func())) {
	ctx, end := context.WithCancel(context.Background())
	v.live, v.end = live, end
	stream(func() { live.Run(ctx, v.news) })
}

// stop ends it.
func (v *liveView) stop() {
	if v.end != nil {
		v.end()
	}
	v.plane.close()
}

// news comes from the watch: however much comes, one redraw is on its way.
func (v *liveView) news() {
	if !v.due.CompareAndSwap(false, true) {
		return
	}
	v.do(func() {
		v.due.Store(false)
		source, _, _, _ := v.live.Now()
		if source != v.source {
			v.source = source
			v.Refresh()
		}
		v.changed()
		if !v.plane.show(v) {
			v.raster.Refresh()
		}
	})
}

// paint gives the newest picture to draw.
func (v *liveView) paint(int, int) image.Image {
	if v.live != nil {
		if img := v.live.Draw(v.drawn); img != nil {
			v.drawn = img
			return img
		}
	}
	return image.NewUniform(color.Transparent)
}

// fit maps between the view and the window.
func (v *liveView) fit() state.Fit {
	size := v.Size()
	return state.Fit{PaneW: size.Width, PaneH: size.Height, Scale: v.scale(), Source: v.source}
}

func (v *liveView) scale() float32 {
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		return c.Scale()
	}
	return 1
}

// drive says whether the person is in control here.
func (v *liveView) drive(on bool) {
	if v.driving == on {
		return
	}
	if !on {
		v.send(v.input.LetGo())
	}
	v.driving = on
}

// CreateRenderer draws stage, picture and cursor over each other.
func (v *liveView) CreateRenderer() fyne.WidgetRenderer { return &liveRenderer{v} }

type liveRenderer struct{ v *liveView }

// Layout puts the picture in the middle, on whole device pixels.
func (r *liveRenderer) Layout(size fyne.Size) {
	v := r.v
	f := v.fit()
	if v.live != nil {
		v.live.Resize(f.Pane())
	}
	x, y, w, h := f.Shown()
	at, shown := fyne.NewPos(float32(x)/f.Scale, float32(y)/f.Scale), fyne.NewSize(float32(w)/f.Scale, float32(h)/f.Scale)
	v.raster.Move(at)
	v.raster.Resize(shown)
	for i, box := range [4][4]float32{
		{0, 0, size.Width, at.Y},
		{0, at.Y + shown.Height, size.Width, size.Height - at.Y - shown.Height},
		{0, at.Y, at.X, shown.Height},
		{at.X + shown.Width, at.Y, size.Width - at.X - shown.Width, shown.Height},
	} {
		v.stage[i].Move(fyne.NewPos(box[0], box[1]))
		v.stage[i].Resize(fyne.NewSize(max(box[2], 0), max(box[3], 0)))
	}
	v.cursor.place(f, size)
}

// MinSize is small: the pane decides.
func (r *liveRenderer) MinSize() fyne.Size { return fyne.NewSize(160, 90) }

// Refresh draws again.
func (r *liveRenderer) Refresh() {
	for _, s := range r.v.stage {
		s.FillColor = tint(colorStage)
	}
	r.Layout(r.v.Size())
	r.v.raster.Refresh()
}

// Objects lists what is drawn, bottom to top.
func (r *liveRenderer) Objects() []fyne.CanvasObject {
	s := r.v.stage
	return append([]fyne.CanvasObject{s[0], s[1], s[2], s[3], r.v.raster}, r.v.cursor.objects()...)
}

// Destroy has nothing to free.
func (r *liveRenderer) Destroy() {}

// Cursor is a cross while the pointer is the window's.
func (v *liveView) Cursor() desktop.Cursor {
	if v.driving {
		return desktop.CrosshairCursor
	}
	return desktop.DefaultCursor
}

// at is the window's pixel under a place.
func (v *liveView) at(e fyne.PointEvent) (api.Point, bool) {
	f := v.fit()
	f.X, f.Y = e.AbsolutePosition.X-e.Position.X, e.AbsolutePosition.Y-e.Position.Y
	return f.ToWindow(e.Position.X, e.Position.Y)
}

// buttons names Fyne's buttons as the daemon does.
var buttons = map[desktop.MouseButton]string{
	desktop.MouseButtonPrimary: "left", desktop.MouseButtonSecondary: "right", desktop.MouseButtonTertiary: "middle",
}

// MouseDown takes the keyboard and presses.
func (v *liveView) MouseDown(e *desktop.MouseEvent) {
	if !v.driving {
		return
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		c.Focus(v)
	}
	if at, ok := v.at(e.PointEvent); ok && buttons[e.Button] != "" {
		v.send(v.input.Down(buttons[e.Button], at))
	}
}

// MouseUp releases, also beside the picture.
func (v *liveView) MouseUp(e *desktop.MouseEvent) {
	if v.driving {
		at, _ := v.at(e.PointEvent)
		v.send(v.input.Up(buttons[e.Button], at))
	}
}

// MouseIn is the pointer coming.
func (v *liveView) MouseIn(e *desktop.MouseEvent) { v.MouseMoved(e) }

// MouseMoved moves the window's pointer.
func (v *liveView) MouseMoved(e *desktop.MouseEvent) { v.move(e.PointEvent) }

// MouseOut is the pointer going: nothing to tell.
func (v *liveView) MouseOut() {}

// Dragged moves with a button down: Fyne tells it instead of MouseMoved.
func (v *liveView) Dragged(e *fyne.DragEvent) { v.move(e.PointEvent) }

// DragEnd releases what a lost release would leave down.
func (v *liveView) DragEnd() {
	if v.driving && v.input.Dragging() {
		v.send(v.input.LetGo())
	}
}

func (v *liveView) move(e fyne.PointEvent) {
	if !v.driving {
		return
	}
	if at, ok := v.at(e); ok || v.input.Dragging() {
		v.send(v.input.Move(at))
	}
}

// Scrolled turns the window's wheel, in whole notches.
func (v *liveView) Scrolled(e *fyne.ScrollEvent) {
	at, ok := v.at(e.PointEvent)
	if !v.driving || !ok {
		return
	}
	v.wheel[0] += e.Scrolled.DX / wheelNotch
	v.wheel[1] += e.Scrolled.DY / wheelNotch
	right, down := math.Trunc(float64(v.wheel[0])), math.Trunc(float64(v.wheel[1]))
	v.wheel[0] -= float32(right)
	v.wheel[1] -= float32(down)
	v.send(v.input.Scroll(int(-right), int(-down), at))
}

// FocusGained is the keyboard coming: from now on every key is the window's.
func (v *liveView) FocusGained() { v.focus(true) }

// FocusLost is the keyboard going: nothing stays down.
func (v *liveView) FocusLost() {
	if v.driving {
		v.send(v.input.LetGo())
	}
	v.focus(false)
}

func (v *liveView) focus(on bool) {
	v.focused = on
	v.typing(on)
}

// AcceptsTab is true while every key is the window's.
func (v *liveView) AcceptsTab() bool { return v.driving }

// KeyDown presses the window's key, or leaves it.
func (v *liveView) KeyDown(e *fyne.KeyEvent) {
	if !v.driving {
		return
	}
	events, out := v.input.Press(e.Physical.ScanCode, string(e.Name))
	v.send(events)
	if out {
		v.left()
	}
}

// KeyUp releases it.
func (v *liveView) KeyUp(e *fyne.KeyEvent) {
	if v.driving {
		v.send(v.input.Release(e.Physical.ScanCode))
	}
}

// TypedRune, TypedKey and TypedShortcut are said beside KeyDown, which has told
// all of them already; a shortcut that is not swallowed here would be the app's.
func (v *liveView) TypedRune(rune) {}

// TypedKey is the app's while the person looks on; else see TypedRune.
func (v *liveView) TypedKey(e *fyne.KeyEvent) {
	if !v.driving {
		v.other(e)
	}
}

// TypedShortcut: see TypedRune.
func (v *liveView) TypedShortcut(fyne.Shortcut) {}
