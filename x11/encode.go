package x11

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"sync"
)

// errNoPixels says that a picture without pixels was to be encoded: neither
// format can hold one.
var errNoPixels = errors.New("the picture has no pixels")

const (
	// pngFilter is the filter of every row, Up: each byte less the one above.
	// What programs draw repeats downwards, and one fixed filter spares trying
	// all five, which is what takes the standard encoder seven times as long
	// (72 ms against 10 for 1600x900 of a GTK window; the file is 15 % larger).
	pngFilter = 2

	// pngLevel is deflate's level. 1 takes longer than 2 on such pictures.
	pngLevel = 2

	maxPNGSide = 1 << 15 // X windows are smaller
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngWork is the memory of one encoding, kept for the next: the compressor's
// tables are larger than most files.
type pngWork struct {
	out       bytes.Buffer
	z         *zlib.Writer
	row       []byte // the filter byte and a filtered row
	now, last []byte // a row and the one above, as RGB
}

var pngWorks = sync.Pool{New: func() any {
	w := &pngWork{}
	w.z, _ = zlib.NewWriterLevel(&w.out, pngLevel) // the level is valid
	return w
}}

// EncodePNG writes an opaque picture as PNG, 8 bits a colour, without alpha. It
// is made for speed on what programs draw, not for the smallest file.
func EncodePNG(w io.Writer, img *image.RGBA) error {
	b := img.Bounds()
	if b.Empty() || b.Dx() > maxPNGSide || b.Dy() > maxPNGSide {
		return errNoPixels
	}
	work, _ := pngWorks.Get().(*pngWork)
	defer pngWorks.Put(work)
	if err := work.compress(img); err != nil {
		return err
	}
	header := make([]byte, 13)
	binary.BigEndian.PutUint32(header, uint32(b.Dx()))
	binary.BigEndian.PutUint32(header[4:], uint32(b.Dy()))
	header[8], header[9] = 8, 2 // bits a colour; RGB
	if _, err := io.WriteString(w, pngSignature); err != nil {
		return err
	}
	for _, chunk := range []struct {
		name string
		data []byte
	}{{"IHDR", header}, {"IDAT", work.out.Bytes()}, {"IEND", nil}} {
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

// compress filters and deflates the rows of a picture into out.
func (p *pngWork) compress(img *image.RGBA) error {
	b := img.Bounds()
	n := 3 * b.Dx()
	p.out.Reset()
	p.z.Reset(&p.out)
	p.row, p.now, p.last = grown(p.row, n+1), grown(p.now, n), grown(p.last, n)
	clear(p.last)
	p.row[0] = pngFilter
	for y := b.Min.Y; y < b.Max.Y; y++ {
		dropAlpha(p.now, img.Pix[img.PixOffset(b.Min.X, y):][:4*b.Dx()])
		subtract(p.row[1:], p.now, p.last)
		if _, err := p.z.Write(p.row); err != nil {
			return err
		}
		p.now, p.last = p.last, p.now
	}
	return p.z.Close()
}

func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// dropAlpha makes RGB of RGBA.
func dropAlpha(rgb, rgba []byte) {
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

// EncodeJPEG writes a picture as JPEG; quality is 1 to 100.
func EncodeJPEG(w io.Writer, img *image.RGBA, quality int) error {
	if img.Bounds().Empty() {
		return errNoPixels
	}
	return jpeg.Encode(w, img, &jpeg.Options{Quality: quality})
}
