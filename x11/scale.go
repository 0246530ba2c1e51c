package x11

import (
	"encoding/binary"
	"image"
)

// FitSide gives the size a picture has when its longer side is at most side,
// with its proportions kept and no side below one pixel. A side of 0, or one
// that is long enough, leaves the size as it is.
func FitSide(w, h, side int) (int, int) {
	longer := max(w, h)
	if side <= 0 || longer <= side {
		return w, h
	}
	fit := func(v int) int { return max(1, (v*side+longer/2)/longer) }
	return fit(w), fit(h)
}

// Downscale makes a picture smaller: each new pixel is the mean of the area it
// stands for, so that a line of one pixel is fainter and never gone. The result
// uses the memory of into when that is not nil and large enough, and its origin
// is 0,0. A size that is larger than the picture's is cut to it.
func Downscale(src *image.RGBA, w, h int, into *image.RGBA) *image.RGBA {
	b := src.Bounds()
	w, h = min(w, b.Dx()), min(h, b.Dy())
	dst := reuse(into, image.Rect(0, 0, max(w, 0), max(h, 0)))
	if dst.Rect.Empty() {
		return dst
	}
	NewScaler(b.Dx(), b.Dy(), w, h).Part(dst, src, dst.Rect)
	return dst
}

// Scaler makes pictures of one size smaller, to another size, as Downscale
// does; also parts of them, which come out as they would in the whole. It keeps
// what does not depend on the picture. It is one goroutine's.
type Scaler struct {
	from, to      image.Rectangle
	columns, rows []span
	even, odd     []uint32
}

// NewScaler makes a scaler from a size to one that is not larger; no side may
// be below one pixel.
func NewScaler(fromW, fromH, w, h int) *Scaler {
	return &Scaler{
		from: image.Rect(0, 0, fromW, fromH), to: image.Rect(0, 0, w, h),
		columns: spans(fromW, w), rows: spans(fromH, h),
		even: make([]uint32, fromW), odd: make([]uint32, fromW),
	}
}

// Touched gives the part of the small picture that depends on a part of the
// large one.
func (s *Scaler) Touched(part image.Rectangle) image.Rectangle {
	part = part.Intersect(s.from)
	if part.Empty() {
		return image.Rectangle{}
	}
	down := func(v, small, large int) int { return v * small / large }
	up := func(v, small, large int) int { return (v*small + large - 1) / large }
	return image.Rect(
		down(part.Min.X, s.to.Dx(), s.from.Dx()), down(part.Min.Y, s.to.Dy(), s.from.Dy()),
		up(part.Max.X, s.to.Dx(), s.from.Dx()), up(part.Max.Y, s.to.Dy(), s.from.Dy()),
	)
}

// Part makes a part of the small picture dst, in its own pixels, of the large
// one. Both have the sizes the scaler was made for.
func (s *Scaler) Part(dst, src *image.RGBA, part image.Rectangle) {
	part = part.Intersect(s.to)
	if part.Empty() {
		return
	}
	b := src.Bounds()
	columns := s.columns[part.Min.X:part.Max.X]
	// Only the columns that count are summed.
	last := columns[len(columns)-1]
	left, right := columns[0].first, last.first+len(last.weights)
	even, odd := s.even[:right-left], s.odd[:right-left]
	// Two colours of a pixel are summed in one word, each in a lane of 16 bits:
	// the weights of a span sum to 256, so a lane never overflows.
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := s.rows[y]
		clear(even)
		clear(odd)
		for n, weight := range row.weights {
			at := src.PixOffset(b.Min.X+left, b.Min.Y+row.first+n)
			addRow(even, odd, src.Pix[at:at+4*len(even)], weight)
		}
		at := dst.PixOffset(dst.Rect.Min.X+part.Min.X, dst.Rect.Min.Y+y)
		squeeze(dst.Pix[at:at+4*part.Dx()], even, odd, columns, left)
	}
}

const (
	lanes = 0x00ff00ff
	half  = 0x00800080 // one half, so that dividing by 256 rounds
)

// addRow adds one row of pixels, weighed, to the sums of each column.
func addRow(even, odd []uint32, row []byte, weight uint32) {
	odd = odd[:len(even)]
	row = row[:4*len(even)]
	for x := range even {
		v := binary.LittleEndian.Uint32(row[4*x:])
		even[x] += (v & lanes) * weight
		odd[x] += (v >> 8 & lanes) * weight
	}
}

// squeeze makes the pixels of one row of the sums of its columns, the first of
// which is that of pixel left.
func squeeze(dst []byte, even, odd []uint32, columns []span, left int) {
	for x, column := range columns {
		var e, o uint32
		for n, weight := range column.weights {
			e += ((even[column.first-left+n] + half) >> 8 & lanes) * weight
			o += ((odd[column.first-left+n] + half) >> 8 & lanes) * weight
		}
		e, o = (e+half)>>8&lanes, (o+half)>>8&lanes
		binary.LittleEndian.PutUint32(dst[4*x:], e|o<<8)
	}
}

// span is the pixels that become one, and how much each counts, of 256.
type span struct {
	first   int
	weights []uint32
}

// spans divides n pixels among fewer. The weights of a span are the rounded
// parts of its pixels and sum to 256 exactly.
func spans(n, fewer int) []span {
	all := make([]span, fewer)
	for i := range all {
		// The span reaches from i*n/fewer to (i+1)*n/fewer: in units of 1/fewer
		// pixel, from i*n to (i+1)*n.
		from, to := i*n, (i+1)*n
		first, last := from/fewer, (to-1)/fewer
		s := span{first: first, weights: make([]uint32, 0, last-first+1)}
		given := 0
		for p := first; p <= last; p++ {
			reached := min((p+1)*fewer, to) - from
			upTo := (256*reached + n/2) / n
			s.weights = append(s.weights, uint32(upTo-given))
			given = upTo
		}
		all[i] = s
	}
	return all
}
