package gui

import (
	"errors"
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
	"vibespace/internal/client"
)

// fakePlane keeps what the window system would show.
type fakePlane struct {
	shows, hides, closed int
	at                   image.Point
	size                 image.Point
	err                  error
}

func (f *fakePlane) Show(at image.Point, img *image.RGBA) error {
	f.shows++
	f.at, f.size = at, img.Rect.Size()
	return f.err
}
func (f *fakePlane) Hide() error  { f.hides++; return nil }
func (f *fakePlane) Close() error { f.closed++; return nil }

// TestPlaneOnlyWhenNothingIsOverIt: a picture that moves is the window system's,
// one that does not is the toolkit's, and so is one with a dialog, an agent's
// cursor or a veil over it, in another place or of another size, at once; what
// breaks is not tried again.
func TestPlaneOnlyWhenNothingIsOverIt(t *testing.T) {
	u := newTestUI(t, state.English)
	fake := &fakePlane{}
	opened := 0
	u.cfg.Plane = func(uintptr) (Plane, error) { opened++; return fake, nil }
	u.showing = ""
	u.window.Resize(fyne.NewSize(1000, 700))
	p := newPane(u, window("w1", nil))
	defer p.close()
	u.open["w1"] = p
	u.put(p.content)
	v := p.view
	v.live.Show(func(*image.RGBA) bool { t.Error("there is a picture"); return true })
	frame := func() bool { // as one comes
		v.news()
		return v.plane.shown
	}
	v.do = func(f func()) { f() }
	v.live.Take(client.Seen{Source: api.Size{W: 640, H: 480}, Picture: image.NewRGBA(image.Rect(0, 0, 640, 480))})
	for range planeFrames {
		if frame() {
			t.Fatal("a picture that has just begun to move is laid over the window")
		}
	}
	if !frame() || fake.shows != 1 || opened != 1 {
		t.Fatalf("a picture that moves is not laid over it: %+v", fake)
	}
	at, size := v.box()
	if fake.at != at || fake.size != size || size != image.Pt(640, 480) {
		t.Errorf("it is at %v, %v, not %v, %v", fake.at, fake.size, at, size)
	}
	turn := u.rest.turning
	if turn(); !v.plane.shown {
		t.Error("it is hidden with nothing over it")
	}

	over := widget.NewPopUp(widget.NewLabel("over"), u.window.Canvas())
	over.Show()
	if turn(); v.plane.shown || fake.hides != 1 {
		t.Error("it lies over a pop-up")
	}
	if frame() {
		t.Error("it comes back under a pop-up")
	}
	over.Hide()
	if !frame() {
		t.Error("it does not come back when the pop-up has gone")
	}
	v.cursor.show(true)
	if turn(); v.plane.shown || frame() {
		t.Error("it lies over an agent's cursor")
	}
	v.cursor.show(false)
	frame()
	p.veil.Show()
	if turn(); v.plane.shown {
		t.Error("it lies over what is said instead of a picture")
	}
	p.veil.Hide()
	frame()
	u.window.Resize(fyne.NewSize(700, 500))
	if turn(); v.plane.shown || frame() {
		t.Error("it is where the view was, or of another size than it is")
	}
	u.window.Resize(fyne.NewSize(1000, 700))
	if !frame() {
		t.Error("it does not come back with its size")
	}

	fake.err = errors.New("gone")
	if frame() || fake.closed != 1 {
		t.Error("what broke is gone on with")
	}
	fake.err = nil
	if frame() || opened != 1 {
		t.Error("what broke is tried again")
	}
}
