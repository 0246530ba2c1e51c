package target

import "image"

// regionRects bounds the rectangles of a region: each costs a capture and a
// head of its own, and beyond a few one around them is less work.
const regionRects = 12

// region is what changed of a picture: a few rectangles that do not lie within
// each other.
type region struct{ rects []image.Rectangle }

// add puts a rectangle to the region. Rectangles that make up most of the one
// around them become it.
func (g *region) add(r image.Rectangle) {
	if r.Empty() {
		return
	}
	for i := 0; i < len(g.rects); {
		have := g.rects[i]
		around := have.Union(r)
		if area(around)*4 > (area(have)+area(r))*5 {
			i++
			continue
		}
		// What is now one may swallow others that were looked at before.
		g.rects[i] = g.rects[len(g.rects)-1]
		g.rects = g.rects[:len(g.rects)-1]
		r, i = around, 0
	}
	g.rects = append(g.rects, r)
	if len(g.rects) > regionRects {
		all := g.bounds()
		g.rects = append(g.rects[:0], all)
	}
}

// bounds is the rectangle around the region.
func (g *region) bounds() image.Rectangle {
	var all image.Rectangle
	for _, r := range g.rects {
		all = all.Union(r)
	}
	return all
}

// take gives the region and begins an empty one.
func (g *region) take() []image.Rectangle {
	rects := g.rects
	g.rects = nil
	return rects
}

// empty says whether nothing changed.
func (g *region) empty() bool { return len(g.rects) == 0 }

// area counts the pixels of a rectangle.
func area(r image.Rectangle) int { return r.Dx() * r.Dy() }
