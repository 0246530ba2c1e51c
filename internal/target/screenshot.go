package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/x11"
)

// The bounds of a picture.
const (
	maxSide = 8192
	jpegQ   = 85
)

// Screenshot takes a picture of a window: the main window with its dialogs and
// popups drawn where they are, one of them whole, all of them, or one element.
func (e *Engine) Screenshot(ctx context.Context, c api.Caller, r api.ScreenshotRequest) (api.ScreenshotAnswer, error) {
	if err := checkPicture(&r); err != nil {
		return api.ScreenshotAnswer{}, err
	}
	want := needSee
	if r.Ref != "" {
		want = needRead
	}
	return doing(ctx, e, c, r.Handle, "screenshot", want, func(ctx context.Context, t *turn) (api.ScreenshotAnswer, error) {
		return t.screenshot(ctx, r)
	})
}

// checkPicture refuses a request that names no picture.
func checkPicture(r *api.ScreenshotRequest) error {
	if r.Format == "" {
		r.Format = "png"
		if ext := filepath.Ext(r.Out); ext == ".jpg" || ext == ".jpeg" {
			r.Format = "jpeg"
		}
	}
	chosen := 0
	for _, named := range []bool{r.Ref != "", r.Window != nil, r.All} {
		if named {
			chosen++
		}
	}
	switch {
	case r.Format != "png" && r.Format != "jpeg":
		return api.Refuse(api.BadRequest, "%s is no format", api.Quote(r.Format, 40)).WithHint("--format png or jpeg")
	case chosen > 1:
		return api.Refuse(api.BadRequest, "one of --ref, --window and --all at a time").WithHint("name one")
	case r.MaxSide < 0 || r.MaxSide > maxSide:
		return api.Refuse(api.BadRequest, "--max-side is between 1 and %d", maxSide).WithHint("leave it out for the picture as it is")
	case r.Out != "" && !filepath.IsAbs(r.Out):
		return api.Refuse(api.BadRequest, "--out needs an absolute path").WithHint("the command line makes it one")
	}
	return nil
}

// screenshot takes, encodes and writes the picture.
func (t *turn) screenshot(ctx context.Context, r api.ScreenshotRequest) (api.ScreenshotAnswer, error) {
	began := time.Now()
	shot, err := t.take(ctx, r)
	if err != nil {
		return api.ScreenshotAnswer{}, err
	}
	defer shot.free()
	scale := 1.0
	size := shot.size()
	var data bytes.Buffer
	if long := max(size.X, size.Y); r.MaxSide > 0 && long > r.MaxSide {
		scale = float64(r.MaxSide) / float64(long)
		size.X, size.Y = x11.FitSide(size.X, size.Y, r.MaxSide)
		err = encode(&data, x11.Downscale(shot.rgba(), size.X, size.Y, nil), r.Format)
	} else if r.Format == "png" && shot.raw != nil {
		err = shot.raw.PNG(&data)
	} else {
		err = encode(&data, shot.rgba(), r.Format)
	}
	if err != nil {
		return api.ScreenshotAnswer{}, err
	}
	// The picture is handed over only to who may still see it.
	if err := t.again(ctx); err != nil {
		return api.ScreenshotAnswer{}, err
	}
	sum := sha256.Sum256(data.Bytes())
	hash := hex.EncodeToString(sum[:])
	path, err := t.e.keep(r.Out, hash, r.Format, data.Bytes())
	if err != nil {
		return api.ScreenshotAnswer{}, err
	}
	return api.ScreenshotAnswer{
		Answer: t.e.answer(t.c), Handle: t.w.handle, Path: path, W: size.X, H: size.Y,
		Origin: shot.origin, Scale: scale, SHA256: hash, Bytes: data.Len(), Clipped: shot.clipped,
		Windows: shot.scene.list(), TookMs: int(time.Since(began).Milliseconds()),
	}, nil
}

// encode writes a picture in a format.
func encode(w io.Writer, img *image.RGBA, format string) error {
	if format == "jpeg" {
		return x11.EncodeJPEG(w, img, jpegQ)
	}
	return x11.EncodePNG(w, img)
}

// storeFault names a file that could not be written.
func storeFault(path string, err error) error {
	var why *os.PathError
	if errors.As(err, &why) {
		err = why.Err
	}
	return api.Refuse(api.StoreFailed, "%s could not be written: %v", path, err).
		WithHint("free space or permissions there; vibespace doctor names what is wrong")
}

// shot is a picture and where it lies.
type shot struct {
	picture
	origin  api.Point // of the picture's corner, in window coordinates
	clipped *api.Rect
	scene   scene
}

// picture is pixels in memory that is given back: those of a single window as
// the server wrote them, which costs least, or what was put together. Nothing
// of it is looked at after free.
type picture struct {
	raw    *x11.Raw
	img    *image.RGBA
	frames *sync.Pool // of *image.RGBA: new millions of bytes for each picture cost more than what is done with them
	owned  []*image.RGBA
}

// size is the picture's width and height.
func (p *picture) size() image.Point {
	if p.img != nil {
		return p.img.Rect.Size()
	}
	return p.raw.Rect.Size()
}

// rgba gives the picture in the order of colours most code wants.
func (p *picture) rgba() *image.RGBA {
	if p.img == nil {
		p.img = p.copied(p.raw)
	}
	return p.img
}

// copied copies the server's pixels into memory that is kept.
func (p *picture) copied(raw *x11.Raw) *image.RGBA {
	memory, _ := p.frames.Get().(*image.RGBA)
	img := raw.RGBA(memory)
	p.owned = append(p.owned, img)
	return img
}

// free gives the memory back.
func (p *picture) free() {
	if p.raw != nil {
		p.raw.Free()
	}
	for _, img := range p.owned {
		p.frames.Put(img)
	}
	p.owned = nil
}

// take captures the parts of a target and puts them together as asked.
func (t *turn) take(ctx context.Context, r api.ScreenshotRequest) (shot, error) {
	s, err := t.w.look(ctx, t.d)
	if err != nil {
		return shot{}, err
	}
	if s.main == nil {
		return shot{}, notDrawn(t.w.handle)
	}
	frame := s.main.Geometry
	parts := s.parts
	asked := (*api.Rect)(nil)
	switch {
	case r.Window != nil:
		p := s.byN(*r.Window)
		if p == nil {
			return shot{}, noPart(t.w.handle, *r.Window, s)
		}
		frame, parts = p.Geometry, []part{*p}
	case r.All:
		for _, p := range s.parts {
			frame = union(frame, p.Geometry)
		}
	case r.Ref != "":
		box, err := t.boxOf(ctx, r.Ref)
		if err != nil {
			return shot{}, err
		}
		frame = box
	}
	if r.Window == nil && !r.All && r.Ref == "" {
		asked = overhang(s)
	}
	p, err := t.compose(ctx, frame, parts)
	if err != nil {
		return shot{}, err
	}
	at := s.local(frame)
	return shot{picture: p, origin: api.Point{X: at.X, Y: at.Y}, clipped: asked, scene: s}, nil
}

// compose draws parts, bottom to top, into a picture of the root rectangle
// frame. A part that vanished while it was captured is left out: it is not
// there any more; the main window alone cannot be.
func (t *turn) compose(ctx context.Context, frame x11.Rect, parts []part) (p picture, err error) {
	p.frames = &t.e.frames
	defer func() {
		if err != nil {
			p.free()
		}
	}()
	drawn := slices.DeleteFunc(slices.Clone(parts), func(o part) bool { return o.kind != "main" && !overlap(frame, o.Geometry) })
	layers := make([]x11.Layer, 0, len(drawn))
	for _, o := range drawn {
		raw, _, err := t.d.X().CaptureRaw(ctx, o.ID, image.Rectangle{})
		switch {
		case errors.Is(err, x11.ErrNotViewable) && (o.kind == "main" || len(parts) == 1):
			return p, notDrawn(t.w.handle)
		case errors.Is(err, x11.ErrNotViewable):
			continue
		case err != nil:
			return p, t.w.fault(err)
		}
		if len(drawn) == 1 && (x11.Rect{X: o.Geometry.X, Y: o.Geometry.Y, W: raw.Rect.Dx(), H: raw.Rect.Dy()}) == frame {
			p.raw = raw
			return p, nil
		}
		layers = append(layers, x11.Layer{ID: o.ID, Image: p.copied(raw), At: x11.Point{X: o.Geometry.X - frame.X, Y: o.Geometry.Y - frame.Y}})
		raw.Free()
	}
	p.img, _ = x11.Compose(image.Rect(0, 0, frame.W, frame.H), layers...)
	return p, nil
}

// notDrawn refuses a picture of, or a point in, a window that is not mapped:
// it is never a black picture.
func notDrawn(h api.Handle) *api.Error {
	return api.Refuse(api.WindowNotVisible, "%s is not drawn: it is unmapped or minimised", h).
		WithHint("vibespace-window list says whether it is visible")
}

// noPart refuses a --window that is not there and lists those that are.
func noPart(h api.Handle, n int, s scene) error {
	return api.Refuse(api.WindowNotVisible, "%s has no window %d now", h, n).
		WithHint("its windows are listed in every snapshot and picture").With("windows", s.list())
}

// union is the smallest rectangle around both.
func union(a, b x11.Rect) x11.Rect {
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return x11.Rect{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

// overlap says whether two rectangles share a pixel.
func overlap(a, b x11.Rect) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

// overhang is the whole of what the default picture cuts: the union of the
// parts, when one reaches past the main window's edge.
func overhang(s scene) *api.Rect {
	whole := s.main.Geometry
	for _, p := range s.parts {
		if overlap(p.Geometry, s.main.Geometry) {
			whole = union(whole, p.Geometry)
		}
	}
	if whole == s.main.Geometry {
		return nil
	}
	r := s.local(whole)
	return &r
}
