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
	columns, rows := spans(b.Dx(), w), spans(b.Dy(), h)
	// Two colours of a pixel are summed in one word, each in a lane of 16 bits:
	// the weights of a span sum to 256, so a lane never overflows.
	even, odd := make([]uint32, b.Dx()), make([]uint32, b.Dx())
	for y, row := range rows {
		clear(even)
		clear(odd)
		for n, weight := range row.weights {
			at := src.PixOffset(b.Min.X, b.Min.Y+row.first+n)
			addRow(even, odd, src.Pix[at:at+4*b.Dx()], weight)
		}
		squeeze(dst.Pix[y*dst.Stride:][:4*w], even, odd, columns)
	}
	return dst
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

// squeeze makes the pixels of one row of the sums of its columns.
func squeeze(dst []byte, even, odd []uint32, columns []span) {
	for x, column := range columns {
		var e, o uint32
		for n, weight := range column.weights {
			e += ((even[column.first+n] + half) >> 8 & lanes) * weight
			o += ((odd[column.first+n] + half) >> 8 & lanes) * weight
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
