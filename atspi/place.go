package atspi

import "math"

// Transform maps a toolkit's coordinates of one surface (a top level, or a
// popup with a window of its own) to pixels of the X screen.
type Transform struct {
	Scale float64 // X pixels in one of the toolkit's
	X, Y  float64 // where the toolkit's (0,0) lies on the screen
	// Exact says that the surface's size and its window's agree. They do not
	// while a window is being resized: read both again then.
	Exact bool
}

// Rect maps a rectangle to screen pixels, rounded outwards; an empty one stays
// empty.
func (t Transform) Rect(r Rect) Rect {
	if r.Empty() {
		return Rect{}
	}
	x, y := t.X+float64(r.X)*t.Scale, t.Y+float64(r.Y)*t.Scale
	left, top := math.Floor(x), math.Floor(y)
	right, bottom := math.Ceil(x+float64(r.W)*t.Scale), math.Ceil(y+float64(r.H)*t.Scale)
	return Rect{X: int(left), Y: int(top), W: int(right - left), H: int(bottom - top)}
}

// Place says how the extents below a top level map to the screen, given where
// the X server has its window (root pixels, without border). top is the top
// level's node, or a GTK 4 popover's with the popover's own window. The node's
// Extents must have been read, and not long before the geometry.
//
// Comparing the two corrects every toolkit without asking which it is.
// Measured with the windows moved away from the origin, scale 1 and 2
// (GDK_SCALE, QT_SCALE_FACTOR, --force-device-scale-factor):
//
//	                  top level's extents         its X window             the rest
//	GTK 3.24          100,151 1367x741            201,302 2732x1482        in screen/scale, rounded down
//	GTK 4.8           0,0 1332x744                150,250 2684x1508        relative to the top level
//	Qt 5.15           39,44 700x500               77,88 1400x1000          in screen/scale, rounded
//	Firefox 153       50,30 864x540               100,60 1728x1080         in screen/scale
//	Chromium 156      70,3 940x580                140,6 1880x1160          in screen/scale, pages see findScales
//
// So the scale is the ratio of the sizes, and the top level's corner is its
// window's corner: dividing a window's odd position by the scale loses a
// pixel, which taking the difference gives back. GTK 4 answers the content box
// of its window, which is smaller than the window by the border it draws when
// there is no compositor (5 pixels a side, equal on all sides): there the
// centres are matched. All GTK 4 extents are content boxes: the part of a
// button inside its padding.
func (t *Tree) Place(top int, x Rect) Transform {
	n := &t.Nodes[top]
	if n.Extents == nil || n.Extents.Empty() || x.Empty() {
		return Transform{Scale: 1, X: float64(x.X), Y: float64(x.Y)}
	}
	if t.App.family() != familyGTK4 {
		return placeCorner(*n.Extents, x)
	}
	if t.popover(top) {
		return t.placePopover(top, x)
	}
	return placeCentre(*n.Extents, x)
}

// placeCorner matches the corners; the scale may be any.
func placeCorner(e, x Rect) Transform {
	scale, exact := ratio(e, x)
	return Transform{
		Scale: scale, Exact: exact,
		X: float64(x.X) - scale*float64(e.X), Y: float64(x.Y) - scale*float64(e.Y),
	}
}

// placeCentre matches the centres; the scale is a whole number.
func placeCentre(e, x Rect) Transform {
	scale := wholeScale(e, x)
	dx, dy := float64(x.W)-scale*float64(e.W), float64(x.H)-scale*float64(e.H)
	return Transform{
		Scale: scale, Exact: dx >= 0 && dy >= 0 && dx <= maxBorder*scale && dy <= maxBorder*scale,
		X: float64(x.X) + dx/2 - scale*float64(e.X), Y: float64(x.Y) + dy/2 - scale*float64(e.Y),
	}
}

// maxBorder bounds what GTK 4 may draw around a window, both sides together:
// the shadow under a compositor is the largest.
const maxBorder = 160

// placePopover maps a GTK 4 popover. Its extents are relative to the top level
// it belongs to as if it lay in the corner of the widget it hangs on, whatever
// the side it came out on: the widget's corner is the corner of the popover's
// window. (Measured: the menu of gtk4-widget-factory, extents 1498,5 241x287
// below a button at 1498,5, window 241x287 at 1551,292; the list of a combo box
// there, extents 507,238 136x138 below 507,232, window 136x144 at 659,519.)
func (t *Tree) placePopover(top int, x Rect) Transform {
	e, origin := *t.Nodes[top].Extents, *t.Nodes[top].Extents
	for p := t.Nodes[top].Parent; p >= 0; p = t.Nodes[p].Parent {
		if t.Nodes[p].Extents != nil {
			origin = *t.Nodes[p].Extents
			break
		}
	}
	whole := Rect{X: origin.X, Y: origin.Y, W: e.X - origin.X + e.W, H: e.Y - origin.Y + e.H}
	scale := wholeScale(whole, x)
	return Transform{
		Scale: scale, Exact: scale*float64(whole.W) == float64(x.W) && scale*float64(whole.H) == float64(x.H),
		X: float64(x.X) - scale*float64(origin.X), Y: float64(x.Y) - scale*float64(origin.Y),
	}
}

// wholeScale is the whole number by which e comes nearest to x without passing
// it.
func wholeScale(e, x Rect) float64 {
	if e.Empty() {
		return 1
	}
	return float64(max(1, min(x.W/e.W, x.H/e.H, maxScale)))
}

// maxScale is the largest device scale believed.
const maxScale = 8

// ratio is the scale between two sizes. A whole number is taken as soon as it
// explains both sides to the pixel that rounding costs; any other number has
// to explain both sides as well, and else the scale is 1.
func ratio(e, x Rect) (scale float64, exact bool) {
	w, h := float64(x.W)/float64(e.W), float64(x.H)/float64(e.H)
	fits := func(s float64) bool {
		off := s + 1 // one of the toolkit's pixels, and one of the screen's
		return math.Abs(s*float64(e.W)-float64(x.W)) <= off && math.Abs(s*float64(e.H)-float64(x.H)) <= off
	}
	if whole := math.Round(w); whole >= 1 && whole <= maxScale && fits(whole) {
		return whole, true
	}
	// The longer side gives the better quotient.
	s := w
	if e.H > e.W {
		s = h
	}
	s = math.Round(s*quarters) / quarters
	if s > 0.5 && s <= maxScale && fits(s) {
		return s, true
	}
	return 1, false
}

// quarters is how finely a fractional scale is read: browsers and Qt take 1.1,
// 1.25 or 1.5.
const quarters = 20
