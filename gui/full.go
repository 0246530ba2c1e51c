package gui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"

	"vibespace/internal/api"
)

// fill shows one window on the whole screen, with who is in control above it
// and nothing else; "" shows everything again.
func (u *ui) fill(h api.Handle) {
	if u.filled == h {
		return
	}
	for _, p := range u.open {
		p.fill(p.w.Handle == h)
	}
	u.filled = h
	visible(u.side, h == "")
	u.window.SetFullScreen(h != "")
	u.show()
}

// fillKey is F11 and Escape where no dialog and no field wants them.
func (u *ui) fillKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeyEscape:
		u.fill("")
	case e.Name != fyne.KeyF11:
	case u.filled != "":
		u.fill("")
	case u.showing == "" && len(u.panes.Shown) > 0:
		u.fill(u.panes.Shown[0])
	}
}

// fill takes away, or brings back, what is not needed to drive the window.
func (p *pane) fill(on bool) {
	for _, o := range []fyne.CanvasObject{p.head, p.foot, p.side} {
		visible(o, !on)
	}
	visible(p.leaveFull, on)
	p.filled = on // and no frame: a window as large as the screen is shown as it is
	edge := float32(frameWidth)
	if on {
		edge = 0
	}
	p.body.Layout = layout.NewCustomPaddedLayout(edge, edge, edge, edge)
	p.body.Refresh()
	p.paint()
}

// unfill gives the screen back when the window that has it is not there any
// more.
func (u *ui) unfill() {
	if _, there := u.desk.Window(u.filled); u.filled != "" && !there {
		u.fill("")
	}
}
