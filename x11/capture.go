package x11

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
)

var (
	// ErrNotViewable says that a window is not drawn: it is unmapped, one of its
	// ancestors is, or it only takes input. It has no picture.
	ErrNotViewable = errors.New("the window is not viewable")
	// ErrNotRedirected says that the display's windows are not redirected, so
	// that a covered window has no pixels of its own: see Redirect.
	ErrNotRedirected = errors.New("the window is not redirected")
	// ErrPixelFormat says that a window's pixels are not 8 bits a colour in 32.
	ErrPixelFormat = errors.New("unsupported pixel format")
)

// How tells by which road a picture came.
type How string

// The roads of a picture.
const (
	HowShm      How = "shm"      // through shared memory: about a millisecond
	HowGetImage How = "getimage" // through the socket: about ten
)

// captureTries bounds starting over for a window that changes its size while it
// is captured. The last picture is taken as it is.
const captureTries = 4

// Redirect gives every top-level window of the display, present and future, a
// picture of its own that others do not cover. It is done once a display and
// lasts as long as this connection.
func (c *Conn) Redirect(ctx context.Context) error {
	if err := c.needs(extComposite); err != nil {
		return fmt.Errorf("redirect windows: %w", err)
	}
	err := c.do(ctx, func(x *xgb.Conn) error {
		return composite.RedirectSubwindowsChecked(x, c.root, composite.RedirectAutomatic).Check()
	})
	if err != nil {
		return fmt.Errorf("redirect windows: %w", err)
	}
	return nil
}

// Capture gives the picture of a top-level window: all of it, without its
// border, also where other windows or the edge of the screen cover it. The
// picture is opaque and its origin is 0,0. It is the window's at one moment;
// one that changes its size meanwhile is captured anew.
//
// Errors: ErrNoWindow, ErrNotViewable, ErrNotRedirected, ErrPixelFormat, ErrGone.
func (c *Conn) Capture(ctx context.Context, id WindowID) (*image.RGBA, How, error) {
	return c.CapturePart(ctx, id, image.Rectangle{}, nil)
}

// CapturePart is Capture of a part of the window, in its own pixels; an empty
// part means the whole, and what reaches past the window is cut. The picture
// has the part's place as its origin. It uses the memory of into when that is
// not nil and large enough.
func (c *Conn) CapturePart(
	ctx context.Context, id WindowID, part image.Rectangle, into *image.RGBA,
) (*image.RGBA, How, error) {
	raw, how, err := c.CaptureRaw(ctx, id, part)
	if err != nil {
		return nil, "", err
	}
	defer raw.Free()
	return raw.RGBA(into), how, nil
}

// Raw is a picture as the server wrote it: BGRX, in memory that is shared with
// it. It spares whoever only passes over the pixels once a copy of them all.
// Free gives the memory back; nothing is read after it.
type Raw struct {
	Rect image.Rectangle
	pix  []byte // rows without gaps
	h    *handoff
}

// CaptureRaw is CapturePart without the copy. The picture must be freed.
func (c *Conn) CaptureRaw(ctx context.Context, id WindowID, part image.Rectangle) (*Raw, How, error) {
	if err := c.needs(extComposite); err != nil {
		return nil, "", fmt.Errorf("capture window %#x: %w", id, err)
	}
	h := &handoff{pool: &c.segments}
	s, err := call(ctx, c, func(x *xgb.Conn) (shot, error) {
		g := grab{c: c, x: x, window: xproto.Window(id), part: part}
		defer func() { h.give(g.seg) }()
		return g.take()
	})
	if err != nil {
		h.end()
		return nil, "", fmt.Errorf("capture window %#x: %w", id, err)
	}
	return &Raw{Rect: s.bounds, pix: s.pixels, h: h}, s.how, nil
}

// RGBA makes an opaque picture of it, with memory of its own: that of into when
// it is not nil and large enough.
func (r *Raw) RGBA(into *image.RGBA) *image.RGBA { return fromServer(r.pix, r.Rect, into) }

// Free gives the memory back. It may be called more than once.
func (r *Raw) Free() {
	r.pix = nil
	r.h.end()
}

// shot is the server's pixels of a part of a window.
type shot struct {
	pixels []byte // BGRX, rows without gaps
	bounds image.Rectangle
	how    How
}

// grab is one capture on its way, inside a call.
type grab struct {
	c      *Conn
	x      *xgb.Conn
	window xproto.Window
	part   image.Rectangle
	seg    *segment // that of the last try
}

// take names the window's pixmap and reads it. The pixmap is the window's
// storage at that moment: it keeps its size and content when the window gets
// another, so what is read is whole; it is stale if the window's size is
// another afterwards.
func (g *grab) take() (shot, error) {
	for try := 1; ; try++ {
		s, stale, err := g.once()
		if errors.Is(err, errMoved) && try < captureTries {
			continue
		}
		if err != nil || !stale || try == captureTries {
			return s, err
		}
	}
}

// errMoved says that the window was viewable and its pixmap could not be named.
var errMoved = fmt.Errorf("%w, or it changed meanwhile", ErrNotRedirected)

func (g *grab) once() (s shot, stale bool, err error) {
	id, err := g.c.ids.take(g.x)
	if err != nil {
		return shot{}, false, err
	}
	pixmap := xproto.Pixmap(id)
	attrs, geometry := xproto.GetWindowAttributes(g.x, g.window), xproto.GetGeometry(g.x, xproto.Drawable(g.window))
	name := composite.NameWindowPixmapChecked(g.x, g.window, pixmap)
	sized := xproto.GetGeometry(g.x, xproto.Drawable(pixmap))

	look, err := attrs.Reply()
	frame, frameErr := geometry.Reply()
	size, sizeErr := sized.Reply()
	if nameErr := name.Check(); nameErr != nil {
		g.c.ids.give(id)
		return shot{}, false, g.unnamed(look, errors.Join(err, frameErr), nameErr)
	}
	defer func() {
		xproto.FreePixmap(g.x, pixmap)
		g.c.ids.give(id)
	}()
	if err := errors.Join(err, frameErr, sizeErr); err != nil {
		return shot{}, false, err
	}
	if err := g.c.readable(look.Visual, size.Depth); err != nil {
		return shot{}, false, err
	}
	border := int(frame.BorderWidth)
	whole := image.Rect(0, 0, int(size.Width)-2*border, int(size.Height)-2*border)
	part := whole
	if !g.part.Empty() {
		part = whole.Intersect(g.part)
	}
	if part.Empty() {
		return shot{bounds: image.Rectangle{}, how: HowShm}, false, nil
	}
	again := xproto.GetGeometry(g.x, xproto.Drawable(g.window))
	s, err = g.read(xproto.Drawable(pixmap), part, border)
	if now, nowErr := again.Reply(); nowErr == nil {
		stale = now.Width != frame.Width || now.Height != frame.Height ||
			int(now.Width) != whole.Dx() || int(now.Height) != whole.Dy()
	}
	return s, stale, err
}

// unnamed says why a window's pixmap has no name.
func (g *grab) unnamed(look *xproto.GetWindowAttributesReply, lookErr, nameErr error) error {
	switch {
	case lookErr != nil:
		return lookErr
	case look.MapState != xproto.MapStateViewable || look.Class == xproto.WindowClassInputOnly:
		return ErrNotViewable
	}
	if mismatch := (xproto.MatchError{}); errors.As(nameErr, &mismatch) {
		return errMoved
	}
	return nameErr
}

// read gets the pixels of a part of a pixmap, by shared memory if that goes.
func (g *grab) read(from xproto.Drawable, part image.Rectangle, border int) (shot, error) {
	const planes = 0xffffffff
	x, y := int16(part.Min.X+border), int16(part.Min.Y+border)
	w, h := uint16(part.Dx()), uint16(part.Dy())
	n := 4 * part.Dx() * part.Dy()
	if g.c.needs(extShm) == nil {
		if seg, err := g.segment(n); err == nil {
			_, err := shm.GetImage(g.x, from, x, y, w, h, planes, xproto.ImageFormatZPixmap, seg.id, 0).Reply()
			if err == nil {
				return shot{seg.buf[:n], part, HowShm}, nil
			}
		}
	}
	reply, err := xproto.GetImage(g.x, xproto.ImageFormatZPixmap, from, x, y, w, h, planes).Reply()
	if err != nil {
		return shot{}, err
	}
	if len(reply.Data) < n {
		return shot{}, fmt.Errorf("%w: %d bytes for %dx%d pixels", ErrPixelFormat, len(reply.Data), w, h)
	}
	return shot{reply.Data[:n], part, HowGetImage}, nil
}

// segment gives shared memory for a picture: that of the last try if it is
// enough.
func (g *grab) segment(n int) (*segment, error) {
	if g.seg != nil && len(g.seg.buf) >= n {
		return g.seg, nil
	}
	if g.seg != nil {
		g.c.segments.put(g.seg)
		g.seg = nil
	}
	s, err := g.c.segments.take(g.x, &g.c.ids, n)
	if err == nil {
		g.seg = s
	}
	return s, err
}

// readable tells whether the pixels of a visual are what swapPixels reads.
func (c *Conn) readable(visual xproto.Visualid, depth byte) error {
	ok := c.setup.ImageByteOrder == xproto.ImageOrderLSBFirst
	for _, f := range c.setup.PixmapFormats {
		if f.Depth == depth {
			ok = ok && f.BitsPerPixel == 32
		}
	}
	for _, d := range c.screen.AllowedDepths {
		for _, v := range d.Visuals {
			if v.VisualId == visual {
				ok = ok && v.RedMask == 0xff0000 && v.GreenMask == 0xff00 && v.BlueMask == 0xff
			}
		}
	}
	if !ok {
		return fmt.Errorf("%w: depth %d, visual %#x", ErrPixelFormat, depth, visual)
	}
	return nil
}
