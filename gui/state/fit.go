package state

import (
	"math"

	"vibespace/internal/api"
)

// Fit maps between a pane and the window it shows. Pane positions are in the
// toolkit's units, of which Scale device pixels make one; a window's are its own
// pixels.
type Fit struct {
	PaneW, PaneH float32
	// X and Y are where the pane is on its canvas: most often between two device
	// pixels, and then what is drawn there is moved to the nearer one.
	X, Y   float32
	Scale  float32
	Source api.Size // the window
	// Picture is the size of what the daemon sent, in device pixels; zero counts
	// as the window's own.
	Picture api.Size
}

// Pane is the room there is in device pixels: what the daemon is told.
func (f Fit) Pane() api.Size {
	return api.Size{W: int(math.Round(float64(f.PaneW * f.Scale))), H: int(math.Round(float64(f.PaneH * f.Scale)))}
}

// Shown is the rectangle of the pane that the window fills, in whole device
// pixels, in the middle: as large as fits, and never larger than the window
// itself, so that a pixel stays sharp.
func (f Fit) Shown() (x, y, w, h int) {
	pane := f.Pane()
	if f.Source.W <= 0 || f.Source.H <= 0 || pane.W <= 0 || pane.H <= 0 {
		return 0, 0, 0, 0
	}
	w, h = f.Source.W, f.Source.H
	if w > pane.W || h > pane.H {
		if w*pane.H > pane.W*h {
			w, h = pane.W, max(1, (h*pane.W+w/2)/w)
		} else {
			w, h = max(1, (w*pane.H+h/2)/h), pane.H
		}
	}
	return (pane.W - w) / 2, (pane.H - h) / 2, w, h
}

// ToWindow gives the window's pixel under a position of the pane. ok is false
// beside the picture; the pixel is then the nearest: what a drag that leaves the
// pane goes on with.
func (f Fit) ToWindow(px, py float32) (p api.Point, ok bool) {
	x, y, w, h := f.Shown()
	if w == 0 {
		return p, false
	}
	var inX, inY bool
	p.X, inX = spread(f.device(px, f.X)-x, w, f.Source.W)
	p.Y, inY = spread(f.device(py, f.Y)-y, h, f.Source.H)
	return p, inX && inY
}

// device is the device pixel of what is drawn in the pane that is under a
// position of it, where the pane begins at a place of the canvas.
func (f Fit) device(at, begin float32) int {
	// A pointer is on a whole pixel, and a little beside it once its position went
	// to units and back.
	const slack = 0.01
	return int(math.Floor(float64((at+begin)*f.Scale)+slack)) - int(math.Round(float64(begin*f.Scale)))
}

// spread gives the pixel of a longer line for one of a shorter: the first for
// the first and the last for the last, so that no corner of a window is out of
// reach, and the others evenly between.
func spread(at, shown, source int) (pixel int, ok bool) {
	ok = at >= 0 && at < shown
	at = min(max(at, 0), shown-1)
	if shown <= 1 {
		return source / 2, ok
	}
	return (2*at*(source-1) + shown - 1) / (2 * (shown - 1)), ok
}

// ToPane gives the position of a window's pixel in the pane, in the toolkit's
// units: its middle.
func (f Fit) ToPane(p api.Point) (px, py float32) {
	x, y, w, h := f.Shown()
	if w == 0 || f.Scale == 0 {
		return 0, 0
	}
	at := func(v, shown, source, offset int) float32 {
		return float32(float64(v)*float64(shown-1)/float64(max(source-1, 1))+.5+float64(offset)) / f.Scale
	}
	return at(p.X, w, f.Source.W, x), at(p.Y, h, f.Source.H, y)
}
