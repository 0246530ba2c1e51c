package x11

import (
	"image"
	"image/color"
)

// Layer is one window's picture and where it lies in what is composed.
type Layer struct {
	ID WindowID
	// At is where the picture's upper left corner goes.
	At Point
	// Image is the picture, opaque.
	Image *image.RGBA
}

// Bounds gives the rectangle that a layer covers.
func (l Layer) Bounds() image.Rectangle {
	return image.Rectangle{Max: l.Image.Bounds().Size()}.Add(image.Pt(l.At.X, l.At.Y))
}

// Union gives the smallest rectangle around all layers.
func Union(layers ...Layer) image.Rectangle {
	var all image.Rectangle
	for _, l := range layers {
		all = all.Union(l.Bounds())
	}
	return all
}

// Compose draws layers over each other, the first at the bottom, into a picture
// of the given bounds: its origin is where bounds begins, what lies outside is
// cut, and what no layer covers is black. cut names the layers that were cut,
// wholly or in part. A single layer that is all of it is given as it is, not
// copied.
func Compose(bounds image.Rectangle, layers ...Layer) (picture *image.RGBA, cut []WindowID) {
	if len(layers) == 1 && layers[0].Bounds() == bounds && layers[0].Image.Bounds() == bounds {
		return layers[0].Image, nil
	}
	picture = image.NewRGBA(bounds)
	if !covered(bounds, layers) {
		Fill(picture, bounds, color.RGBA{A: 0xff})
	}
	for _, l := range layers {
		if !l.Bounds().In(bounds) {
			cut = append(cut, l.ID)
		}
		paste(picture, l.Image, image.Pt(l.At.X, l.At.Y))
	}
	return picture, cut
}

// covered tells whether a single layer covers everything.
func covered(bounds image.Rectangle, layers []Layer) bool {
	for _, l := range layers {
		if bounds.In(l.Bounds()) {
			return true
		}
	}
	return false
}

// Paste copies the picture src to a place in dst, as far as it lies in it: its
// upper left corner goes to at.
func Paste(dst, src *image.RGBA, at Point) { paste(dst, src, image.Pt(at.X, at.Y)) }

func paste(dst, src *image.RGBA, at image.Point) {
	offset := at.Sub(src.Bounds().Min)
	r := src.Bounds().Add(offset).Intersect(dst.Bounds())
	n := 4 * r.Dx()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		to, from := dst.PixOffset(r.Min.X, y), src.PixOffset(r.Min.X-offset.X, y-offset.Y)
		copy(dst.Pix[to:to+n], src.Pix[from:from+n])
	}
}

// Crop gives a part of a picture as a picture of its own, in the same
// coordinates. What lies outside is cut; the result may be empty.
func Crop(img *image.RGBA, part image.Rectangle) *image.RGBA {
	out := image.NewRGBA(part.Intersect(img.Bounds()))
	paste(out, img, img.Bounds().Min)
	return out
}

// Fill paints a part of a picture in one colour: what must not be seen in a
// picture that is kept.
func Fill(img *image.RGBA, part image.Rectangle, c color.RGBA) {
	r := part.Intersect(img.Bounds())
	if r.Empty() {
		return
	}
	first := img.Pix[img.PixOffset(r.Min.X, r.Min.Y):][:4*r.Dx()]
	for p := first; len(p) >= 4; p = p[4:] {
		p[0], p[1], p[2], p[3] = c.R, c.G, c.B, c.A
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		copy(img.Pix[img.PixOffset(r.Min.X, y):], first)
	}
}
