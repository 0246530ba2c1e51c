package x11

import (
	"encoding/binary"
	"image"
	"unsafe"
)

// opaque is the alpha of two pixels.
const opaque = 0xff000000_ff000000

// swapPixels makes opaque RGBA of the server's BGRX, two pixels at a time. The
// fourth byte of a 24-bit window is padding, that of a 32-bit one is an alpha
// that nothing blends: what is seen on the screen is the colour.
func swapPixels(dst, src []byte) {
	const (
		redBlue = 0x000000ff_000000ff
		green   = 0x0000ff00_0000ff00
	)
	from := words(src)
	to := words(dst)
	from = from[:min(len(from), len(to))]
	to = to[:len(from)]
	for i, v := range from {
		to[i] = v>>16&redBlue | v&green | (v&redBlue)<<16 | opaque
	}
	src, dst = src[8*len(from):], dst[8*len(from):]
	if len(src) >= 4 && len(dst) >= 4 {
		dst[0], dst[1], dst[2], dst[3] = src[2], src[1], src[0], 0xff
	}
}

// words shows bytes as words of the machine, which is a little-endian one; less
// than a word at the end is left out. A loop over them is three times as quick
// as one that asks for each whether it is there.
func words(b []byte) []uint64 {
	if len(b) < 8 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// fromServer makes a picture of the server's pixels, in into if that is given
// and large enough.
func fromServer(src []byte, bounds image.Rectangle, into *image.RGBA) *image.RGBA {
	img := reuse(into, bounds)
	swapPixels(img.Pix, src)
	return img
}

// reuse gives a picture of the given bounds whose rows follow each other
// without gaps, in the memory of old when that is enough. Its content is
// whatever was there.
func reuse(old *image.RGBA, bounds image.Rectangle) *image.RGBA {
	n := 4 * bounds.Dx() * bounds.Dy()
	if old == nil || cap(old.Pix) < n {
		return image.NewRGBA(bounds)
	}
	return &image.RGBA{Pix: old.Pix[:n], Stride: 4 * bounds.Dx(), Rect: bounds}
}

// Flat tells whether a picture is of a single colour.
func Flat(img *image.RGBA) bool { return foreground(img, 0) == 0 }

// foreground counts the pixels that have not the colour of the first; it stops
// once there are more than enough.
func foreground(img *image.RGBA, enough int) int {
	b := img.Bounds()
	if b.Empty() {
		return 0
	}
	n := 0
	first := binary.LittleEndian.Uint32(img.Pix[img.PixOffset(b.Min.X, b.Min.Y):])
	for y := b.Min.Y; y < b.Max.Y && n <= enough; y++ {
		row := img.Pix[img.PixOffset(b.Min.X, y):][:4*b.Dx()]
		for ; len(row) >= 4; row = row[4:] {
			if binary.LittleEndian.Uint32(row) != first {
				n++
			}
		}
	}
	return n
}
