package x11

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"math/bits"
	"runtime"
	"sync"

	"github.com/klauspost/compress/flate"
)

// errNoPixels says that a picture without pixels was to be encoded: neither
// format can hold one.
var errNoPixels = errors.New("the picture has no pixels")

const (
	// pngFilter is the filter of every row, Up: each byte less the one above.
	// What programs draw repeats downwards, and one fixed filter spares trying
	// all five, which is what the standard encoder spends its time on: it takes
	// three to ten times as long for a file that is 15 % smaller.
	pngFilter = 2

	// pngLevel is deflate's level: the fastest that looks for repetitions.
	pngLevel = 1

	// A picture is compressed in strips beside each other. More than a few make
	// the file larger, as does a low one.
	pngStrips   = 4
	pngMinStrip = 64 // rows

	// pngSpan is how many bytes of a row are compared with those above at a time:
	// more find fewer repetitions, fewer cost more calls.
	pngSpan = 4 * 64

	maxPNGSide = 1 << 15 // X windows are smaller
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngStrip is a part of a picture's rows on its way, with memory that is kept
// for the next: the compressor's tables are larger than most files.
type pngStrip struct {
	out  bytes.Buffer
	z    *flate.Writer
	sum  checksum
	row  []byte // the filter byte and a filtered row
	diff []byte // a row less the one above, as RGBA
	err  error
}

var pngMemory = sync.Pool{New: func() any {
	s := &pngStrip{}
	s.z, _ = flate.NewWriter(&s.out, pngLevel) // the level is valid
	return s
}}

// EncodePNG writes an opaque picture as PNG, 8 bits a colour, without alpha. It
// is made for speed on what programs draw, not for the smallest file.
func EncodePNG(w io.Writer, img *image.RGBA) error {
	return encodePNG(w, raster{pix: img.Pix, stride: img.Stride, w: img.Rect.Dx(), h: img.Rect.Dy(), pack: dropAlpha})
}

// PNG writes the picture as EncodePNG does, without the detour of a copy in
// another order of colours.
func (r *Raw) PNG(w io.Writer) error {
	return encodePNG(w, raster{pix: r.pix, stride: 4 * r.Rect.Dx(), w: r.Rect.Dx(), h: r.Rect.Dy(), pack: dropPad})
}

// raster is pixels of four bytes in rows, whatever the order of their colours:
// pack makes RGB of them, also of their differences.
type raster struct {
	pix          []byte
	stride, w, h int
	pack         func(rgb, pixels []byte)
}

// row gives the pixels of a row.
func (r *raster) row(y int) []byte { return r.pix[y*r.stride:][:4*r.w] }

func encodePNG(w io.Writer, r raster) error {
	if r.w <= 0 || r.h <= 0 || r.w > maxPNGSide || r.h > maxPNGSide {
		return errNoPixels
	}
	n := max(1, min(runtime.GOMAXPROCS(0), pngStrips, r.h/pngMinStrip))
	strips := make([]*pngStrip, n)
	var all sync.WaitGroup
	for k := range strips {
		s, _ := pngMemory.Get().(*pngStrip)
		defer pngMemory.Put(s)
		strips[k] = s
		all.Go(func() { s.compress(&r, r.h*k/n, r.h*(k+1)/n) })
	}
	all.Wait()
	data := []byte{0x78, 0x01} // a zlib stream: deflate, fastest
	sum := checksum{a: 1}
	for _, s := range strips {
		if s.err != nil {
			return s.err
		}
		data = append(data, s.out.Bytes()...)
		sum.append(s.sum)
	}
	data = binary.BigEndian.AppendUint32(data, sum.adler32())
	return writePNG(w, r.w, r.h, data)
}

func writePNG(w io.Writer, width, height int, data []byte) error {
	header := make([]byte, 13)
	binary.BigEndian.PutUint32(header, uint32(width))
	binary.BigEndian.PutUint32(header[4:], uint32(height))
	header[8], header[9] = 8, 2 // bits a colour; RGB
	if _, err := io.WriteString(w, pngSignature); err != nil {
		return err
	}
	for _, chunk := range []struct {
		name string
		data []byte
	}{{"IHDR", header}, {"IDAT", data}, {"IEND", nil}} {
		if err := writeChunk(w, chunk.name, chunk.data); err != nil {
			return err
		}
	}
	return nil
}

func writeChunk(w io.Writer, name string, data []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	head = append(head, name...)
	sum := crc32.NewIEEE()
	_, _ = sum.Write(head[4:])
	_, _ = sum.Write(data)
	for _, part := range [][]byte{head, data, sum.Sum(nil)} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// compress filters and deflates the rows from from to before to.
func (s *pngStrip) compress(r *raster, from, to int) {
	s.out.Reset()
	s.z.Reset(&s.out)
	s.sum, s.err = checksum{a: 1}, nil
	s.row, s.diff = grown(s.row, 1+3*r.w), grown(s.diff, 4*r.w)
	s.row[0] = pngFilter
	for y := from; y < to && s.err == nil; y++ {
		s.sum.add(s.row[:1])
		if y == 0 { // nothing is above the first row
			r.pack(s.row[1:], r.row(y))
			s.sum.add(s.row[1:])
		} else {
			s.filter(r, r.row(y), r.row(y-1))
		}
		_, s.err = s.z.Write(s.row)
	}
	if s.err == nil && to == r.h {
		s.err = s.z.Close()
	} else if s.err == nil {
		s.err = s.z.Flush() // ends at a byte, so that the next strip can follow
	}
}

// filter makes a row's differences to the one above, and sums them. Most of a
// row repeats what is above it, which is seen much faster than subtracted: so it
// is done span by span.
func (s *pngStrip) filter(r *raster, row, above []byte) {
	for at, end := 0, 0; at < len(row); at = end {
		same := sameSpan(row, above, at)
		for end = min(at+pngSpan, len(row)); end < len(row) && sameSpan(row, above, end) == same; {
			end = min(end+pngSpan, len(row))
		}
		out := s.row[1+at/4*3 : 1+end/4*3]
		if same {
			clear(out)
			s.sum.zeros(len(out))
			continue
		}
		subtract(s.diff[at:end], row[at:end], above[at:end])
		r.pack(out, s.diff[at:end])
		s.sum.add(out)
	}
}

// sameSpan tells whether the span at a place is that of the row above.
func sameSpan(row, above []byte, at int) bool {
	end := min(at+pngSpan, len(row))
	return bytes.Equal(row[at:end], above[at:end])
}

func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// dropAlpha makes RGB of RGBA.
func dropAlpha(rgb, rgba []byte) {
	for len(rgba) >= 16 && len(rgb) >= 16 { // four pixels; the last word reaches over
		a, b := binary.LittleEndian.Uint64(rgba), binary.LittleEndian.Uint64(rgba[8:])
		const low, high = 0x00000000_00ffffff, 0x00ffffff_00000000
		a = a&low | a&high>>8
		b = b&low | b&high>>8
		binary.LittleEndian.PutUint64(rgb, a|b<<48)
		binary.LittleEndian.PutUint32(rgb[8:], uint32(b>>16))
		rgba, rgb = rgba[16:], rgb[12:]
	}
	for len(rgba) >= 4 && len(rgb) >= 3 {
		rgb[0], rgb[1], rgb[2] = rgba[0], rgba[1], rgba[2]
		rgba, rgb = rgba[4:], rgb[3:]
	}
}

// dropPad makes RGB of the server's BGRX.
func dropPad(rgb, bgrx []byte) {
	for len(bgrx) >= 8 && len(rgb) >= 8 { // two pixels; the last word reaches over
		v := bits.ReverseBytes64(binary.LittleEndian.Uint64(bgrx)) >> 8 // the second pixel is low
		binary.LittleEndian.PutUint64(rgb, v>>32&0xffffff|v<<24&0xffffff_000000)
		bgrx, rgb = bgrx[8:], rgb[6:]
	}
	for len(bgrx) >= 4 && len(rgb) >= 3 {
		rgb[0], rgb[1], rgb[2] = bgrx[2], bgrx[1], bgrx[0]
		bgrx, rgb = bgrx[4:], rgb[3:]
	}
}

// subtract gives a less b, byte by byte, eight at a time.
func subtract(dst, a, b []byte) {
	const high = 0x80808080_80808080
	for len(a) >= 8 && len(b) >= 8 && len(dst) >= 8 {
		x, y := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		// The high bits are kept from borrowing from the next byte.
		d := ((x | high) - (y &^ high)) ^ ((x ^ y ^ high) & high)
		binary.LittleEndian.PutUint64(dst, d)
		dst, a, b = dst[8:], a[8:], b[8:]
	}
	for n := range a {
		dst[n] = a[n] - b[n]
	}
}

// checksum is Adler-32 (RFC 1950) in its two halves, of n bytes. It starts with
// a = 1. It is not that of the standard library because strips are summed apart
// and most of what is summed is zeros.
type checksum struct {
	a, b uint32
	n    int
}

const adlerBase = 65521

// add goes on with bytes.
func (c *checksum) add(p []byte) {
	c.append(sumOf(p))
}

func sumOf(p []byte) checksum {
	v := adler32.Checksum(p)
	return checksum{a: v & 0xffff, b: v >> 16, n: len(p)}
}

// zeros goes on with n bytes of zero.
func (c *checksum) zeros(n int) { c.append(checksum{a: 1, b: uint32(n % adlerBase), n: n}) }

// append goes on with what another sum was made of.
func (c *checksum) append(next checksum) {
	n := uint64(next.n % adlerBase)
	first := uint64(c.a) + adlerBase - 1 // what the next began with, less its own 1
	c.b = uint32((uint64(c.b) + n*first + uint64(next.b)) % adlerBase)
	c.a = uint32((first + uint64(next.a)) % adlerBase)
	c.n += next.n
}

func (c *checksum) adler32() uint32 { return c.b<<16 | c.a }

// EncodeJPEG writes a picture as JPEG; quality is 1 to 100.
func EncodeJPEG(w io.Writer, img *image.RGBA, quality int) error {
	if img.Bounds().Empty() {
		return errNoPixels
	}
	return jpeg.Encode(w, img, &jpeg.Options{Quality: quality})
}
