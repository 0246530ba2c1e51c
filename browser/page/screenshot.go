package page

import (
	"context"
	"encoding/base64"
	"math"

	"github.com/chromedp/cdproto/runtime"

	"vibespace/internal/api"
)

// The bounds of a picture.
const (
	maxPicture = 8 << 20
	// maxSide is what the browser can paint at once; a taller page is cut.
	maxSide = 16_000
)

// Picture is an encoded picture and the part of the page it shows.
type Picture struct {
	Data   []byte
	Format string // png, jpeg
	W, H   int
	Origin api.Point
	Scale  float64
	// Clipped is what was asked for, when less is shown.
	Clipped *api.Rect
}

// remoteID is an object's name as the protocol's own type.
func remoteID(s string) runtime.RemoteObjectID { return runtime.RemoteObjectID(s) }

// clip is a part of the page, in CSS pixels of the page.
type clip struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	W     float64 `json:"width"`
	H     float64 `json:"height"`
	Scale float64 `json:"scale"`
}

// Screenshot takes a picture, 8 MiB at most; the caller keeps it and answers.
func (p *Page) Screenshot(ctx context.Context, r api.PageScreenshotRequest) (*Picture, error) {
	format := r.Format
	if format == "" {
		format = "png"
	}
	if format != "png" && format != "jpeg" {
		return nil, api.Refuse(api.BadRequest, "%q is no format of pictures", r.Format).WithHint("png or jpeg")
	}
	if r.Full && r.Ref != "" {
		return nil, api.Refuse(api.BadRequest, "a picture is of the whole page or of an element").WithHint("give --full or --ref")
	}
	return run(ctx, p, func(o *op) (*Picture, error) {
		defer p.main.letGo()
		part, whole, zoom, err := p.part(o.ctx, r)
		if err != nil {
			return nil, err
		}
		// A tab that is not on show in its window is not painted.
		if err := p.main.s.Call(o.ctx, "Page.bringToFront", nil, nil); err != nil {
			return nil, err
		}
		var got struct {
			Data string `json:"data"`
		}
		params := map[string]any{"format": format, "clip": part.zoomed(zoom), "captureBeyondViewport": r.Full || r.Ref != "", "optimizeForSpeed": true}
		if format == "jpeg" {
			params["quality"] = 85
		}
		if err := p.main.s.Call(o.ctx, "Page.captureScreenshot", params, &got); err != nil {
			return nil, err
		}
		data, err := base64.StdEncoding.DecodeString(got.Data)
		if err != nil {
			return nil, err
		}
		if len(data) > maxPicture {
			return nil, api.Refuse(api.TooLarge, "the picture has %d bytes", len(data)).WithHint("--format jpeg, or without --full")
		}
		return &Picture{
			Data: data, Format: format, W: int(math.Round(part.W)), H: int(math.Round(part.H)), Scale: 1,
			Origin: api.Point{X: int(part.X), Y: int(part.Y)}, Clipped: whole,
		}, nil
	})
}

// zoomed is a part as the browser takes it, whose units are those of a page
// that is not zoomed: the picture is one pixel a CSS pixel all the same.
func (c clip) zoomed(zoom float64) clip {
	return clip{c.X * zoom, c.Y * zoom, c.W * zoom, c.H * zoom, c.Scale / zoom}
}

// part is what a picture shows, what was asked for where that is more, and the
// page zoom.
func (p *Page) part(ctx context.Context, r api.PageScreenshotRequest) (part clip, whole *api.Rect, zoom float64, err error) {
	var m struct {
		View struct {
			X float64 `json:"pageX"`
			Y float64 `json:"pageY"`
			W float64 `json:"clientWidth"`
			H float64 `json:"clientHeight"`
		} `json:"cssLayoutViewport"`
		Content struct {
			W float64 `json:"width"`
			H float64 `json:"height"`
		} `json:"cssContentSize"`
		Visual struct {
			Zoom float64 `json:"zoom"`
		} `json:"cssVisualViewport"`
	}
	if err := p.main.s.Call(ctx, "Page.getLayoutMetrics", nil, &m); err != nil {
		return clip{}, nil, 0, err
	}
	if zoom = m.Visual.Zoom; zoom <= 0 {
		zoom = 1
	}
	want := clip{m.View.X, m.View.Y, m.View.W, m.View.H, 1}
	switch {
	case r.Full:
		want = clip{0, 0, m.Content.W, m.Content.H, 1}
	case r.Ref != "":
		a, err := p.take(ctx, r.Ref)
		if err != nil {
			return clip{}, nil, 0, err
		}
		box, err := a.box(ctx)
		if err != nil {
			return clip{}, nil, 0, err
		}
		want = box
		want.Scale = 1
	}
	got := want
	got.X, got.Y = math.Floor(max(got.X, 0)), math.Floor(max(got.Y, 0))
	got.W = math.Ceil(min(want.X+want.W, m.Content.W, got.X+maxSide) - got.X)
	got.H = math.Ceil(min(want.Y+want.H, max(m.Content.H, m.View.Y+m.View.H), got.Y+maxSide) - got.Y)
	if got.W < 1 || got.H < 1 {
		return clip{}, nil, 0, api.Refuse(api.WindowNotVisible, "there is nothing to take a picture of").WithHint("vibespace-browser snapshot")
	}
	if want.W > got.W+1 || want.H > got.H+1 {
		return got, &api.Rect{X: int(want.X), Y: int(want.Y), W: int(want.W), H: int(want.H)}, zoom, nil
	}
	return got, nil, zoom, nil
}

// box is where an element lies in the page's document, once it is in view.
func (a *aim) box(ctx context.Context) (clip, error) {
	if a.state.Hidden {
		return clip{}, a.usable()
	}
	if a.l.parent == nil && a.f.parent == "" {
		var got *clip
		if err := a.ask(ctx, "box", &got); err != nil || got == nil || got.W < 1 {
			return clip{}, api.Refuse(api.WindowNotVisible, "%s takes no place on the page", a.e.ref).WithHint("vibespace-browser snapshot")
		}
		return *got, nil
	}
	read, err := a.p.settledRead(ctx)
	if err != nil {
		return clip{}, err
	}
	for _, fr := range read.frames {
		if i, ok := -1, false; fr.f == a.f && fr.shape != nil && read.frames[0].shape != nil {
			if i, ok = fr.shape.at[a.e.key.backend]; !ok {
				continue
			}
			if x, y, w, h, ok := fr.shape.box(i); ok {
				top := read.frames[0].shape.doc
				return clip{x + top.ScrollOffsetX, y + top.ScrollOffsetY, w, h, 1}, nil
			}
		}
	}
	return clip{}, api.Refuse(api.WindowNotVisible, "%s takes no place on the page", a.e.ref).WithHint("vibespace-browser snapshot")
}
