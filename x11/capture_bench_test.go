package x11

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"testing"
	"time"

	"vibespace/internal/need"
)

// median reports the median of the times of the loop, in milliseconds.
type median []time.Duration

func (m *median) time(f func()) {
	begin := time.Now()
	f()
	*m = append(*m, time.Since(begin))
}

func (m median) report(b *testing.B) {
	slices.Sort(m)
	b.ReportMetric(float64(m[len(m)/2].Microseconds())/1000, "median-ms")
}

// gallery is a window full of widgets, of a given size.
func gallery(b *testing.B, w, h int) (*rig, WindowID) {
	b.Helper()
	r := newRig(b).redirected()
	r.run(nil, need.WidgetFactory3(b))
	id := r.top("widget")
	until(b, "the size", func() bool {
		if err := r.c.Resize(soon(b), id, w, h); err != nil {
			b.Fatal(err)
		}
		img, _, err := r.c.Capture(soon(b), id)
		return err == nil && img.Bounds() == image.Rect(0, 0, w, h)
	})
	if _, err := r.c.Painted(soon(b), id); err != nil {
		b.Fatal(err)
	}
	return r, id
}

// BenchmarkCapture takes pictures of a real window, converted to RGBA.
func BenchmarkCapture(b *testing.B) {
	for _, size := range [][2]int{{1600, 900}, {1920, 1080}} {
		for _, how := range []How{HowShm, HowGetImage} {
			b.Run(fmt.Sprintf("%s/%dx%d", how, size[0], size[1]), func(b *testing.B) {
				r, id := gallery(b, size[0], size[1])
				if how == HowGetImage {
					r.c.segments.refused = errRefused
				}
				var m median
				for b.Loop() {
					m.time(func() {
						if _, got, err := r.c.Capture(soon(b), id); err != nil || got != how {
							b.Fatal(got, err)
						}
					})
				}
				m.report(b)
			})
		}
	}
}

// BenchmarkEncode encodes the picture of a real window.
func BenchmarkEncode(b *testing.B) {
	r, id := gallery(b, 1600, 900)
	img, _, err := r.c.Capture(soon(b), id)
	if err != nil {
		b.Fatal(err)
	}
	raw, _, err := r.c.CaptureRaw(soon(b), id, image.Rectangle{})
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Free()
	var out bytes.Buffer
	for name, encode := range map[string]func() error{
		"png":        func() error { return EncodePNG(&out, img) },
		"png-raw":    func() error { return raw.PNG(&out) },
		"jpeg":       func() error { return EncodeJPEG(&out, img, 85) },
		"image-png":  func() error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img) },
		"downscaled": func() error { return EncodePNG(&out, Downscale(img, 900, 506, nil)) },
	} {
		b.Run(name, func(b *testing.B) {
			var m median
			for b.Loop() {
				m.time(func() {
					out.Reset()
					if err := encode(); err != nil {
						b.Fatal(err)
					}
				})
			}
			m.report(b)
			b.ReportMetric(float64(out.Len()), "bytes")
		})
	}
}

func BenchmarkDownscale(b *testing.B) {
	src := noise(1920, 1080)
	var dst *image.RGBA
	var m median
	for b.Loop() {
		m.time(func() { dst = Downscale(src, 900, 506, dst) })
	}
	m.report(b)
}

func BenchmarkSwapPixels(b *testing.B) {
	src, dst := make([]byte, 4*1600*900), make([]byte, 4*1600*900)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		swapPixels(dst, src)
	}
}
