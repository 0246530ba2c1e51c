package gui

import (
	"image"
	"math"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver"
)

// Plane is a picture that the window system lays over a part of the window, at
// a place in device pixels. The pointer goes through it.
type Plane interface {
	Show(at image.Point, img *image.RGBA) error
	Hide() error
	Close() error
}

// The toolkit draws all of the window anew for each picture of a live view. One
// that moves all the time is given to the window system instead, as long as
// nothing is to be drawn over it. These many pictures within that time move.
const (
	planeFrames = 12
	planeTime   = time.Second
)

// plane shows the pictures of a live view that moves. Its methods are for the
// goroutine that draws.
type plane struct {
	open   func() (Plane, error)
	under  func() bool // whether something is to be drawn over the picture
	p      Plane
	failed bool // there is none, or it broke
	shown  bool
	at     image.Point
	size   image.Point
	times  [planeFrames]time.Time // of the last pictures, in turn
	next   int
}

// newPlane makes that of a pane, nil where the window system has none.
func newPlane(p *pane) *plane {
	u := p.u
	if u.cfg.Plane == nil {
		return nil
	}
	return &plane{
		open: func() (Plane, error) {
			var window uintptr
			if w, ok := u.window.(driver.NativeWindow); ok {
				w.RunNative(func(of any) {
					if x, ok := of.(driver.X11WindowContext); ok {
						window = x.WindowHandle
					}
				})
			}
			return u.cfg.Plane(window)
		},
		under: func() bool {
			return u.window.Canvas().Overlays().Top() != nil || p.veil.Visible() || p.view.cursor.shows()
		},
	}
}

// moves notes a picture, and says whether there were many of late.
func (f *plane) moves(now time.Time) bool {
	first := f.times[f.next]
	f.times[f.next], f.next = now, (f.next+1)%planeFrames
	return now.Sub(first) < planeTime
}

// show shows the view's newest picture if it is one for the plane.
func (f *plane) show(v *liveView) bool {
	if f == nil || f.failed {
		return false
	}
	if moving := f.moves(time.Now()); !moving && !f.shown || f.under() {
		f.hide(v)
		return false
	}
	if f.p == nil {
		made, err := f.open()
		if err != nil {
			f.failed = true
			return false
		}
		f.p = made
	}
	at, size := v.box()
	shown := v.live.Show(func(img *image.RGBA) bool {
		if img.Rect.Size() != size {
			return false
		}
		f.failed = f.p.Show(at, img) != nil
		return !f.failed
	})
	if f.failed {
		f.close()
		v.raster.Refresh()
		return false
	}
	if !shown {
		f.hide(v)
		return false
	}
	f.shown, f.at, f.size = true, at, size
	return true
}

// look hides the picture when something is to be drawn over it by now, or it is
// not where the view is any more.
func (f *plane) look(v *liveView) {
	if f == nil || !f.shown {
		return
	}
	if at, size := v.box(); f.under() || at != f.at || size != f.size {
		f.hide(v)
	}
}

// hide has the toolkit draw the picture again, and then takes it away.
func (f *plane) hide(v *liveView) {
	if !f.shown {
		return
	}
	f.shown = false
	v.raster.Refresh()
	if f.p.Hide() != nil {
		f.failed = true
		f.close()
	}
}

// close ends it for good.
func (f *plane) close() {
	if f != nil && f.p != nil {
		_ = f.p.Close()
		f.p, f.shown, f.failed = nil, false, true
	}
}

// box is where the picture is in the window, in device pixels.
func (v *liveView) box() (at, size image.Point) {
	f := v.fit()
	x, y, w, h := f.Shown()
	from := fyne.CurrentApp().Driver().AbsolutePositionForObject(v)
	round := func(a float32) int { return int(math.Round(float64(a * f.Scale))) }
	return image.Pt(round(from.X)+x, round(from.Y)+y), image.Pt(w, h)
}
