package target

import (
	"image"
	"image/color"

	"vibespace/internal/api"
	"vibespace/x11"
)

// How a picture of the trace looks.
const (
	traceSide = 1920 // the longer side at most
	traceQ    = 75
	// markWide is how thick the mark of a place is, ring how far it lies from a
	// point.
	markWide = 3
	ring     = 12
)

var (
	// filled covers what is not kept.
	filled = color.RGBA{R: 0x50, G: 0x50, B: 0x58, A: 0xff}
	// marked shows the place, in a colour that hardly any application has, with
	// an edge that shows it on that too.
	marked = color.RGBA{R: 0xff, G: 0x00, B: 0x90, A: 0xff}
	edged  = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// fill covers a part of a picture.
func fill(img *image.RGBA, part image.Rectangle) {
	if part = part.Intersect(img.Rect); !part.Empty() {
		x11.Fill(img, part, filled)
	}
}

// markPlace draws a frame around an element, or around a point with the point
// in it left as it is.
func markPlace(img *image.RGBA, box api.Rect) {
	r := image.Rect(box.X, box.Y, box.X+box.W, box.Y+box.H)
	if box.W == 0 && box.H == 0 {
		r = image.Rect(box.X-ring, box.Y-ring, box.X+ring+1, box.Y+ring+1)
	}
	border(img, r.Inset(-markWide-1), markWide+2, edged)
	border(img, r.Inset(-markWide), markWide, marked)
}

// border draws the border of a rectangle, inwards.
func border(img *image.RGBA, r image.Rectangle, wide int, c color.RGBA) {
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+wide)},
		{image.Pt(r.Min.X, r.Max.Y-wide), r.Max},
		{r.Min, image.Pt(r.Min.X+wide, r.Max.Y)},
		{image.Pt(r.Max.X-wide, r.Min.Y), r.Max},
	} {
		if side = side.Intersect(img.Rect); !side.Empty() {
			x11.Fill(img, side, c)
		}
	}
}
