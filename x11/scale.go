package x11

import (
	"encoding/binary"
	"image"
	"unsafe"
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
	row           []uint64 // one row of columns, and what a span may reach past it
	even, odd     []uint64
}

// NewScaler makes a scaler from a size to one that is not larger; no side may
// be below one pixel.
func NewScaler(fromW, fromH, w, h int) *Scaler {
	return &Scaler{
		from: image.Rect(0, 0, fromW, fromH), to: image.Rect(0, 0, w, h),
		columns: spans(fromW, w), rows: spans(fromH, h),
		row: make([]uint64, fromW+short), even: make([]uint64, fromW/2), odd: make([]uint64, fromW/2),
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
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := s.rows[y]
		at := src.PixOffset(b.Min.X+left, b.Min.Y+row.first)
		s.sum(src.Pix[at:], src.Stride, right-left, row)
		at = dst.PixOffset(dst.Rect.Min.X+part.Min.X, dst.Rect.Min.Y+y)
		squeeze(dst.Pix[at:at+4*part.Dx()], s.row, columns, left)
	}
}

// Colours of a pixel are summed side by side in one word, each in a lane of 16
// bits: the weights of a span sum to 256, so a lane never overflows.
const (
	lanes = 0x00ff00ff_00ff00ff
	half  = 0x00800080_00800080 // one half, so that dividing by 256 rounds
	pixel = 0xffffffff
)

// sum makes one row of columns, n of them, of the rows of a span, the first of
// which begins at pix: two of a column's colours in the lower half of a word, two
// in the upper.
func (s *Scaler) sum(pix []byte, stride, n int, rows span) {
	if rows.few() {
		s.sumFew(pix, stride, n, rows)
	} else {
		s.sumMany(pix, stride, n, rows)
	}
	if n%2 == 1 { // the one without a neighbour
		var sum uint64
		for i, weight := range rows.weights {
			v := uint64(binary.LittleEndian.Uint32(pix[i*stride+4*n-4:]))
			sum += (v&lanes | v>>8&lanes<<32) * weight
		}
		s.row[n-1] = (sum + half) >> 8 & lanes
	}
}

// sumFew is sum of a short span, in one pass over its rows.
func (s *Scaler) sumFew(pix []byte, stride, n int, rows span) {
	w0, w1, w2 := rows.short[0], rows.short[1], rows.short[2]
	// A row that is not there counts nothing, and any other stands for it.
	end := len(rows.weights) - 1
	r0 := words(pix[:8*(n/2)])
	r1 := words(pix[min(1, end)*stride:][:8*(n/2)])[:len(r0)]
	r2 := words(pix[min(2, end)*stride:][:8*(n/2)])[:len(r0)]
	to := pairs(s.row)[:len(r0)]
	for i, v0 := range r0 {
		v1, v2 := r1[i], r2[i]
		even := (v0&lanes)*w0 + (v1&lanes)*w1 + (v2&lanes)*w2
		odd := (v0>>8&lanes)*w0 + (v1>>8&lanes)*w1 + (v2>>8&lanes)*w2
		to[i][0], to[i][1] = columnsOf(even, odd)
	}
}

// pairs shows words two by two; one at the end is left out.
func pairs(w []uint64) [][2]uint64 {
	if len(w) < 2 {
		return nil
	}
	return unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.SliceData(w))), len(w)/2)
}

// sumMany is sum of a span of any length, row by row.
func (s *Scaler) sumMany(pix []byte, stride, n int, rows span) {
	even, odd := s.even[:n/2], s.odd[:n/2]
	clear(even)
	clear(odd)
	for i, weight := range rows.weights {
		row := words(pix[i*stride:][:8*len(even)])[:len(even)]
		odd := odd[:len(even)]
		for x, v := range row {
			even[x] += (v & lanes) * weight
			odd[x] += (v >> 8 & lanes) * weight
		}
	}
	to := pairs(s.row)[:len(even)]
	for x := range to {
		to[x][0], to[x][1] = columnsOf(even[x], odd[x])
	}
}

// columnsOf makes two columns of the sums of two pixels' colours.
func columnsOf(even, odd uint64) (first, second uint64) {
	even, odd = (even+half)>>8&lanes, (odd+half)>>8&lanes
	return even&pixel | odd<<32, even>>32 | odd&^pixel
}

// squeeze makes the pixels of one row of its columns, the first of which is that
// of pixel left.
func squeeze(dst []byte, row []uint64, columns []span, left int) {
	to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)/4)[:len(columns)]
	for i := range to {
		c := &columns[i]
		sums := row[c.first-left:]
		var sum uint64
		if c.few() {
			sums = sums[:short]
			sum = sums[0]*c.short[0] + sums[1]*c.short[1] + sums[2]*c.short[2]
		} else {
			for n, weight := range c.weights {
				sum += sums[n] * weight
			}
		}
		sum = (sum + half) >> 8 & lanes
		to[i] = uint32(sum | sum>>32<<8)
	}
}

// short is how many pixels a span has at most that is taken at once.
const short = 3

// span is the pixels that become one, and how much each counts, of 256.
type span struct {
	first   int
	weights []uint64
	short   [short]uint64 // the same, of a span that is not longer
}

// few says whether short has all of the span's weights.
func (s *span) few() bool { return len(s.weights) <= short }

// spans divides n pixels among fewer. The weights of a span are the rounded
// parts of its pixels and sum to 256 exactly.
func spans(n, fewer int) []span {
	all := make([]span, fewer)
	for i := range all {
		// The span reaches from i*n/fewer to (i+1)*n/fewer: in units of 1/fewer
		// pixel, from i*n to (i+1)*n.
		from, to := i*n, (i+1)*n
		first, last := from/fewer, (to-1)/fewer
		s := span{first: first, weights: make([]uint64, 0, last-first+1)}
		given := 0
		for p := first; p <= last; p++ {
			reached := min((p+1)*fewer, to) - from
			upTo := (256*reached + n/2) / n
			s.weights = append(s.weights, uint64(upTo-given))
			given = upTo
		}
		copy(s.short[:], s.weights)
		all[i] = s
	}
	return all
}
