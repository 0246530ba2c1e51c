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
	b := img.Bounds()
	if b.Empty() || b.Dx() > maxPNGSide || b.Dy() > maxPNGSide {
		return errNoPixels
	}
	n := max(1, min(runtime.GOMAXPROCS(0), pngStrips, b.Dy()/pngMinStrip))
	strips := make([]*pngStrip, n)
	var all sync.WaitGroup
	for k := range strips {
		s, _ := pngMemory.Get().(*pngStrip)
		defer pngMemory.Put(s)
		strips[k] = s
		from, to := b.Min.Y+b.Dy()*k/n, b.Min.Y+b.Dy()*(k+1)/n
		all.Go(func() { s.compress(img, from, to, k == n-1) })
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
	return writePNG(w, b.Dx(), b.Dy(), data)
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
func (s *pngStrip) compress(img *image.RGBA, from, to int, last bool) {
	b := img.Bounds()
	s.out.Reset()
	s.z.Reset(&s.out)
	s.sum, s.err = checksum{a: 1}, nil
	s.row, s.diff = grown(s.row, 1+3*b.Dx()), grown(s.diff, 4*b.Dx())
	clear(s.row)
	s.row[0] = pngFilter
	blank := true // row has nothing but the filter byte
	pixels := func(y int) []byte { return img.Pix[img.PixOffset(b.Min.X, y):][:4*b.Dx()] }
	for y := from; y < to && s.err == nil; y++ {
		switch {
		case y == b.Min.Y: // nothing is above the first row
			dropAlpha(s.row[1:], pixels(y))
			blank = false
		case bytes.Equal(pixels(y), pixels(y-1)):
			if !blank {
				clear(s.row[1:])
				blank = true
			}
		default:
			subtract(s.diff, pixels(y), pixels(y-1))
			dropAlpha(s.row[1:], s.diff)
			blank = false
		}
		if blank {
			s.sum.addBlank(s.row)
		} else {
			s.sum.add(s.row)
		}
		_, s.err = s.z.Write(s.row)
	}
	if s.err == nil && last {
		s.err = s.z.Close()
	} else if s.err == nil {
		s.err = s.z.Flush() // ends at a byte, so that the next strip can follow
	}
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
// and most rows are blank.
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

// addBlank goes on with a byte of whatever value and zeros after it.
func (c *checksum) addBlank(row []byte) {
	zeros := uint32(len(row) - 1)
	a := 1 + uint32(row[0])
	c.append(checksum{a: a, b: (a + zeros%adlerBase*a) % adlerBase, n: len(row)})
}

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
