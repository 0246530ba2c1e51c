package x11

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
)

// Plane is a picture laid over a part of a window of this process, which the
// server draws from shared memory: what moves in it costs its program no
// drawing. The pointer goes through it to the window. Its methods wait for the
// server, and are for one goroutine at a time.
type Plane struct {
	c     *Conn
	win   xproto.Window
	gc    xproto.Gcontext
	depth byte
	seg   *segment
	at    image.Rectangle // in the window's pixels
	shown bool
}

// planeName is the plane's name among the windows of the display.
const planeName = "vibespace picture"

// NewPlane makes a plane of a window, hidden. The error is a display without
// shared memory or shapes, or with pixels other than BGRX.
func (c *Conn) NewPlane(ctx context.Context, parent WindowID) (*Plane, error) {
	if !c.have[extShm] || !c.have[extShape] {
		return nil, errors.New("make a plane: the display has no shared memory or no shapes")
	}
	p, err := call(ctx, c, func(x *xgb.Conn) (*Plane, error) { return c.newPlane(x, xproto.Window(parent)) })
	if err != nil {
		return nil, fmt.Errorf("make a plane: %w", err)
	}
	return p, nil
}

func (c *Conn) newPlane(x *xgb.Conn, parent xproto.Window) (*Plane, error) {
	attributes := xproto.GetWindowAttributes(x, parent)
	box, err := xproto.GetGeometry(x, xproto.Drawable(parent)).Reply()
	if err != nil {
		return nil, err
	}
	of, err := attributes.Reply()
	if err != nil {
		return nil, err
	}
	if c.setup.ImageByteOrder != xproto.ImageOrderLSBFirst || !isBGRX(c.setup, of.Visual) {
		return nil, errors.New("the window's pixels are not BGRX")
	}
	win, err := c.ids.take(x)
	if err != nil {
		return nil, err
	}
	gc, err := c.ids.take(x)
	if err != nil {
		return nil, err
	}
	p := &Plane{c: c, win: xproto.Window(win), gc: xproto.Gcontext(gc), depth: box.Depth}
	// Without a background nothing is seen of it before its first picture.
	made := xproto.CreateWindowChecked(x, p.depth, p.win, parent, 0, 0, 1, 1, 0, xproto.WindowClassInputOutput,
		of.Visual, xproto.CwBackPixmap, []uint32{xproto.BackPixmapNone})
	named := xproto.ChangePropertyChecked(x, xproto.PropModeReplace, p.win, xproto.AtomWmName, xproto.AtomString, 8,
		uint32(len(planeName)), []byte(planeName))
	shaped := shape.RectanglesChecked(x, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, p.win, 0, 0, nil)
	drawn := xproto.CreateGCChecked(x, p.gc, xproto.Drawable(p.win), 0, nil)
	return p, errors.Join(made.Check(), named.Check(), shaped.Check(), drawn.Check())
}

// isBGRX says whether a visual's pixels are blue, green, red and one more byte.
func isBGRX(setup *xproto.SetupInfo, id xproto.Visualid) bool {
	for _, screen := range setup.Roots {
		for _, depth := range screen.AllowedDepths {
			for _, v := range depth.Visuals {
				if v.VisualId == id {
					return (depth.Depth == 24 || depth.Depth == 32) && v.RedMask == 0xff0000 && v.GreenMask == 0xff00 && v.BlueMask == 0xff
				}
			}
		}
	}
	return false
}

// Show lays a picture over the window, its corner at a place in the window's
// pixels, and waits until the server has it. The picture's rows must follow each
// other without gaps. An error leaves the plane as good as gone: Close it.
func (p *Plane) Show(ctx context.Context, at image.Point, img *image.RGBA) error {
	size := img.Rect.Size()
	if size.X <= 0 || size.Y <= 0 || size.X > 1<<15-1 || size.Y > 1<<15-1 || img.Stride != 4*size.X {
		return fmt.Errorf("show a picture of %v: bad size", size)
	}
	bytes := 4 * size.X * size.Y
	if p.seg == nil || len(p.seg.buf) < bytes {
		if err := p.enlarge(ctx, bytes); err != nil {
			return fmt.Errorf("show a picture: %w", err)
		}
	}
	swapPixels(p.seg.buf[:bytes], img.Pix[:bytes])
	win, gc, depth, seg := p.win, p.gc, p.depth, p.seg.id
	box := image.Rectangle{Min: at, Max: at.Add(size)}
	moved, hidden := box != p.at, !p.shown
	p.at, p.shown = box, true
	err := p.c.do(ctx, func(x *xgb.Conn) error {
		if moved {
			xproto.ConfigureWindow(x, win, xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight,
				[]uint32{uint32(int32(at.X)), uint32(int32(at.Y)), uint32(size.X), uint32(size.Y)})
		}
		if hidden {
			xproto.MapWindow(x, win)
		}
		w, h := uint16(size.X), uint16(size.Y)
		return shm.PutImageChecked(x, xproto.Drawable(win), gc, w, h, 0, 0, w, h, 0, 0, depth, xproto.ImageFormatZPixmap, 0, seg, 0).Check()
	})
	if err != nil {
		return fmt.Errorf("show a picture: %w", err)
	}
	return nil
}

// enlarge gets memory for a picture.
func (p *Plane) enlarge(ctx context.Context, bytes int) error {
	seg, err := call(ctx, p.c, func(x *xgb.Conn) (*segment, error) { return p.c.segments.take(x, &p.c.ids, bytes) })
	if err != nil {
		return err
	}
	p.release()
	p.seg = seg
	return nil
}

// release gives its memory back.
func (p *Plane) release() {
	if p.seg != nil {
		p.c.segments.put(p.seg)
		p.seg = nil
	}
}

// Hide takes the picture away: the window is seen again, after what it draws.
func (p *Plane) Hide(ctx context.Context) error {
	if !p.shown {
		return nil
	}
	p.shown = false
	win := p.win
	err := p.c.do(ctx, func(x *xgb.Conn) error { return xproto.UnmapWindowChecked(x, win).Check() })
	if err != nil {
		return fmt.Errorf("hide a picture: %w", err)
	}
	return nil
}

// Close ends it; that its window has gone before is fine.
func (p *Plane) Close(ctx context.Context) error {
	win, gc := p.win, p.gc
	err := p.c.do(ctx, func(x *xgb.Conn) error {
		xproto.FreeGC(x, gc)
		xproto.DestroyWindow(x, win)
		_, err := xproto.GetInputFocus(x).Reply() // what the server says to these two is nothing to us
		return err
	})
	p.release()
	if err != nil {
		return fmt.Errorf("end a plane: %w", err)
	}
	return nil
}
