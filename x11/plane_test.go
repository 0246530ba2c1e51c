package x11

import (
	"image"
	"image/color"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// TestPlane: a picture lies over its place in a window of another connection,
// where it is told to be and as large as it is, the pointer goes through it, and
// hidden or with its connection gone it leaves the window as it was.
func TestPlane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, depth := range []byte{24, 32} {
		w := r.plainWindow(Rect{X: 100, Y: 50, W: 400, H: 300}, depth, 0xff336699)
		p, err := r.dial().NewPlane(soon(t), w.id)
		if err != nil {
			t.Fatal(err)
		}
		is := func(what string, x, y int, want color.RGBA) {
			t.Helper()
			img := r.screenPart(image.Rect(100, 50, 500, 350))
			if got := img.RGBAAt(x, y); got != want {
				t.Errorf("depth %d, %s: %d,%d is %v, not %v", depth, what, x, y, got, want)
			}
		}
		ground, red, blue := color.RGBA{0x33, 0x66, 0x99, 0xff}, color.RGBA{0xff, 0, 0, 0xff}, color.RGBA{0, 0, 0xff, 0xff}
		is("before", 60, 40, ground)
		picture := func(w, h int, c color.RGBA) *image.RGBA {
			img := image.NewRGBA(image.Rect(0, 0, w, h))
			for i := range w * h {
				img.SetRGBA(i%w, i/w, c)
			}
			img.SetRGBA(w-1, h-1, blue)
			return img
		}
		show := func(x, y, w, h int) {
			t.Helper()
			if err := p.Show(soon(t), image.Pt(x, y), picture(w, h, red)); err != nil {
				t.Fatal(err)
			}
		}
		show(50, 30, 101, 77)
		is("its corner", 50, 30, red)
		is("its other corner", 150, 106, blue)
		is("beside it", 49, 30, ground)
		is("below it", 150, 107, ground)
		show(10, 20, 380, 270) // larger than its memory
		is("moved", 10, 20, red)
		is("moved, its end", 389, 289, blue)

		in := r.injector()
		if err := in.Move(soon(t), Point{200, 200}); err != nil {
			t.Fatal(err)
		}
		if ev, ok := w.events(1, true)[0].(xproto.MotionNotifyEvent); !ok || ev.EventX != 100 || ev.EventY != 150 {
			t.Errorf("depth %d: the pointer over the picture is told as %v", depth, ev)
		}
		if err := p.Show(soon(t), image.Pt(0, 0), &image.RGBA{Rect: image.Rect(0, 0, 10, 10), Stride: 64}); err == nil {
			t.Error("a picture with gaps is shown")
		}
		if err := p.Hide(soon(t)); err != nil {
			t.Fatal(err)
		}
		w.repaint()
		is("hidden", 60, 60, ground)
		show(0, 0, 20, 20)
		is("again", 5, 5, red)
		if err := p.Close(soon(t)); err != nil {
			t.Error(err)
		}
		r.until("the picture to go", func() bool {
			w.repaint()
			return r.screenPart(image.Rect(100, 50, 500, 350)).RGBAAt(5, 5) == ground
		})

		// A window that goes takes its plane with it.
		if p, err = r.dial().NewPlane(soon(t), w.id); err != nil {
			t.Fatal(err)
		}
		show(0, 0, 20, 20)
		if err := w.c.Close(); err != nil {
			t.Fatal(err)
		}
		r.until("the plane to fail", func() bool { return p.Show(soon(t), image.Pt(0, 0), picture(8, 8, red)) != nil })
		if err := p.Close(soon(t)); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.c.NewPlane(soon(t), 0xdeadbee); err == nil {
		t.Error("a window that is not there has a plane")
	}
}

// screenPart is what is on the screen.
func (r *rig) screenPart(part image.Rectangle) *image.RGBA {
	r.t.Helper()
	var reply *xproto.GetImageReply
	err := r.c.do(soon(r.t), func(x *xgb.Conn) (err error) {
		reply, err = xproto.GetImage(x, xproto.ImageFormatZPixmap, xproto.Drawable(r.c.root), int16(part.Min.X), int16(part.Min.Y),
			uint16(part.Dx()), uint16(part.Dy()), 0xffffffff).Reply()
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return fromServer(reply.Data, image.Rectangle{Max: part.Size()}, nil)
}

// repaint has a window's own ground drawn again.
func (w *witness) repaint() {
	err := w.c.do(soon(w.r.t), func(x *xgb.Conn) error {
		return xproto.ClearAreaChecked(x, false, xproto.Window(w.id), 0, 0, 0, 0).Check()
	})
	if err != nil {
		w.r.t.Fatal(err)
	}
}
