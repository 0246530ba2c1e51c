package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"os"
	"path/filepath"
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
	return doing(ctx, e, c, r.Handle, "screenshot", want, func(t *turn) (api.ScreenshotAnswer, error) {
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
	img := shot.img
	if long := max(img.Rect.Dx(), img.Rect.Dy()); r.MaxSide > 0 && long > r.MaxSide {
		scale = float64(r.MaxSide) / float64(long)
		w, h := x11.FitSide(img.Rect.Dx(), img.Rect.Dy(), r.MaxSide)
		img = x11.Downscale(img, w, h, nil)
	}
	var data bytes.Buffer
	if r.Format == "jpeg" {
		err = x11.EncodeJPEG(&data, img, jpegQ)
	} else {
		err = x11.EncodePNG(&data, img)
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
		Answer: t.e.answer(t.c), Handle: t.w.handle, Path: path, W: img.Rect.Dx(), H: img.Rect.Dy(),
		Origin: shot.origin, Scale: scale, SHA256: hash, Bytes: data.Len(), Clipped: shot.clipped,
		Windows: shot.scene.list(), TookMs: int(time.Since(began).Milliseconds()),
	}, nil
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
	img     *image.RGBA
	free    func()    // gives the picture's memory back
	origin  api.Point // of the picture's corner, in window coordinates
	clipped *api.Rect
	scene   scene
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
	img, free, err := t.compose(ctx, frame, parts)
	if err != nil {
		return shot{}, err
	}
	at := s.local(frame)
	return shot{img: img, free: free, origin: api.Point{X: at.X, Y: at.Y}, clipped: asked, scene: s}, nil
}

// compose draws parts, bottom to top, into a picture of the root rectangle
// frame. A part that vanished while it was captured is left out: it is not
// there any more; the main window alone cannot be.
//
// free gives the memory back; the picture is not looked at after it.
func (t *turn) compose(ctx context.Context, frame x11.Rect, parts []part) (picture *image.RGBA, free func(), err error) {
	layers := make([]x11.Layer, 0, len(parts))
	free = func() {
		for _, l := range layers {
			t.e.frames.Put(l.Image)
		}
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	for _, p := range parts {
		if p.kind != "main" && !overlap(frame, p.Geometry) {
			continue
		}
		// A picture has millions of bytes: new ones for each cost more than
		// what is done with them.
		memory, _ := t.e.frames.Get().(*image.RGBA)
		img, _, err := t.d.X().CapturePart(ctx, p.ID, image.Rectangle{}, memory)
		switch {
		case errors.Is(err, x11.ErrNotViewable) && (p.kind == "main" || len(parts) == 1):
			return nil, free, notDrawn(t.w.handle)
		case errors.Is(err, x11.ErrNotViewable):
			continue
		case err != nil:
			return nil, free, t.w.fault(err)
		}
		layers = append(layers, x11.Layer{ID: p.ID, Image: img, At: x11.Point{X: p.Geometry.X - frame.X, Y: p.Geometry.Y - frame.Y}})
	}
	if len(layers) == 1 && layers[0].At == (x11.Point{}) && layers[0].Image.Rect.Dx() == frame.W && layers[0].Image.Rect.Dy() == frame.H {
		return layers[0].Image, free, nil
	}
	picture, _ = x11.Compose(image.Rect(0, 0, frame.W, frame.H), layers...)
	return picture, free, nil
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
