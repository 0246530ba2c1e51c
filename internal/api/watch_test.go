package api

import (
	"image"
	"reflect"
	"testing"
)

func TestFramesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]FrameHead{
		"key": {Seq: 1, Key: true, Source: Size{1920, 1080}, Size: Size{9, 5}, Rects: []image.Rectangle{image.Rect(0, 0, 9, 5)}},
		"parts": {
			Seq: 70000, Source: Size{40, 30}, Size: Size{40, 30},
			Rects: []image.Rectangle{image.Rect(1, 2, 3, 4), image.Rect(39, 29, 40, 30)},
		},
		"memory": {Seq: 3, Memory: true, Offset: 1 << 22, Source: Size{4, 4}, Size: Size{4, 4}, Rects: []image.Rectangle{image.Rect(0, 0, 4, 4)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := f.AppendTo(nil)
			if !f.Memory {
				b = append(b, make([]byte, f.Bytes())...)
			}
			back, pixels, err := ParseFrame(b)
			if err != nil || !reflect.DeepEqual(f, back) {
				t.Fatalf("%+v came back as %+v, %v", f, back, err)
			}
			if !f.Memory && len(pixels) != f.Bytes() {
				t.Errorf("%d bytes of pixels", len(pixels))
			}
			for n := range b {
				if f.Memory && n >= len(b)-len(pixels) {
					break
				}
				if _, _, err := ParseFrame(b[:n]); err == nil {
					t.Fatalf("%d of %d bytes were taken for a frame", n, len(b))
				}
			}
		})
	}
}

func FuzzParseFrame(f *testing.F) {
	f.Add(FrameHead{Seq: 1, Key: true, Size: Size{2, 2}, Rects: []image.Rectangle{image.Rect(0, 0, 1, 1)}}.AppendTo(nil))
	f.Add([]byte{1, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		head, pixels, err := ParseFrame(b)
		if err != nil {
			return
		}
		whole := image.Rect(0, 0, head.Size.W, head.Size.H)
		for _, r := range head.Rects {
			if !r.In(whole) {
				t.Errorf("%v is outside of %v", r, whole)
			}
		}
		if !head.Memory && len(pixels) != head.Bytes() {
			t.Errorf("%d bytes for %d", len(pixels), head.Bytes())
		}
	})
}
