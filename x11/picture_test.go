package x11

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"slices"
	"testing"
)

// noise is a picture whose every byte is random, in a larger one's memory and
// with an origin that is not 0,0.
func noise(w, h int) *image.RGBA {
	big := image.NewRGBA(image.Rect(-3, -2, w+5, h+7))
	rng := rand.New(rand.NewPCG(1, uint64(w)<<16|uint64(h)))
	for i := range big.Pix {
		big.Pix[i] = byte(rng.Uint32())
		if i%4 == 3 {
			big.Pix[i] = 0xff
		}
	}
	part, _ := big.SubImage(image.Rect(0, 0, w, h)).(*image.RGBA)
	return part
}

func flat(r image.Rectangle, c color.RGBA) *image.RGBA {
	img := image.NewRGBA(r)
	Fill(img, r, c)
	return img
}

func TestSwapPixels(t *testing.T) {
	t.Parallel()
	src := []byte{1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc, 0x80, 0, 0x7f, 0}
	want := []byte{3, 2, 1, 0xff, 0xfd, 0xfe, 0xff, 0xff, 0x7f, 0, 0x80, 0xff}
	for n := 4; n <= len(src); n += 4 {
		got := make([]byte, n)
		swapPixels(got, src[:n])
		if !bytes.Equal(got, want[:n]) {
			t.Errorf("%d bytes became % x, want % x", n, got, want[:n])
		}
	}
}

func TestFlat(t *testing.T) {
	t.Parallel()
	img := flat(image.Rect(0, 0, 40, 30), color.RGBA{1, 2, 3, 0xff})
	if !Flat(img) {
		t.Error("one colour is not flat")
	}
	img.Set(39, 29, color.RGBA{1, 2, 4, 0xff})
	if Flat(img) {
		t.Error("a last pixel of another colour is flat")
	}
	if !Flat(image.NewRGBA(image.Rectangle{})) {
		t.Error("no pixels are not flat")
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	red, green, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}
	main := Layer{ID: 1, At: Point{0, 0}, Image: flat(image.Rect(0, 0, 100, 80), red)}
	dialog := Layer{ID: 2, At: Point{50, 40}, Image: flat(image.Rect(7, 7, 27, 17), green)}
	menu := Layer{ID: 3, At: Point{90, 70}, Image: flat(image.Rect(0, 0, 40, 40), blue)}

	picture, cut := Compose(main.Bounds(), main, dialog, menu)
	if picture.Bounds() != image.Rect(0, 0, 100, 80) || !slices.Equal(cut, []WindowID{3}) {
		t.Errorf("bounds %v, cut %v", picture.Bounds(), cut)
	}
	for at, want := range map[image.Point]color.RGBA{
		{0, 0}: red, {49, 40}: red, {50, 40}: green, {69, 49}: green, {70, 50}: red, {90, 70}: blue, {99, 79}: blue,
	} {
		if got := picture.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v is %v, want %v", at, got, want)
		}
	}

	all := Union(main, dialog, menu)
	if all != image.Rect(0, 0, 130, 110) {
		t.Errorf("union %v", all)
	}
	picture, cut = Compose(all, main, dialog, menu)
	if len(cut) > 0 || picture.RGBAAt(129, 109) != blue || picture.RGBAAt(110, 10) != (color.RGBA{A: 255}) {
		t.Errorf("cut %v, corner %v, nothing %v", cut, picture.RGBAAt(129, 109), picture.RGBAAt(110, 10))
	}
	// Coordinates stay those of the window with a dialog up and left of it.
	left := Layer{ID: 4, At: Point{-30, -20}, Image: flat(image.Rect(0, 0, 40, 30), green)}
	picture, _ = Compose(Union(main, left), main, left)
	if picture.Bounds().Min != image.Pt(-30, -20) || picture.RGBAAt(9, 9) != green || picture.RGBAAt(10, 10) != red {
		t.Errorf("origin %v", picture.Bounds().Min)
	}
}

func TestCrop(t *testing.T) {
	t.Parallel()
	green, red := color.RGBA{0, 255, 0, 255}, color.RGBA{255, 0, 0, 255}
	picture := flat(image.Rect(-30, -20, 100, 80), red)
	Fill(picture, image.Rect(-30, -20, 10, 10), green)
	part := Crop(picture, image.Rect(5, 5, 2000, 12))
	if part.Bounds() != image.Rect(5, 5, 100, 12) || part.RGBAAt(9, 9) != green || part.RGBAAt(10, 10) != red {
		t.Errorf("cropped to %v", part.Bounds())
	}
	if got := Crop(picture, image.Rect(500, 500, 600, 600)); !got.Bounds().Empty() {
		t.Errorf("cropped outside to %v", got.Bounds())
	}
}

func TestFitSide(t *testing.T) {
	t.Parallel()
	for _, tc := range [][5]int{
		{1600, 900, 0, 1600, 900},
		{1600, 900, 1600, 1600, 900},
		{1600, 900, 800, 800, 450},
		{900, 1600, 1000, 563, 1000},
		{5000, 3, 100, 100, 1},
		{1, 1, 5, 1, 1},
	} {
		if w, h := FitSide(tc[0], tc[1], tc[2]); w != tc[3] || h != tc[4] {
			t.Errorf("%dx%d in %d is %dx%d, want %dx%d", tc[0], tc[1], tc[2], w, h, tc[3], tc[4])
		}
	}
}

// mean is the box filter as it is defined, slowly and in floating point.
func mean(src *image.RGBA, w, h, x, y int) [3]float64 {
	b := src.Bounds()
	sx, sy := float64(b.Dx())/float64(w), float64(b.Dy())/float64(h)
	var sum [3]float64
	for j := int(float64(y) * sy); j < b.Dy() && float64(j) < float64(y+1)*sy; j++ {
		wy := min(float64(j+1), float64(y+1)*sy) - max(float64(j), float64(y)*sy)
		for i := int(float64(x) * sx); i < b.Dx() && float64(i) < float64(x+1)*sx; i++ {
			wx := min(float64(i+1), float64(x+1)*sx) - max(float64(i), float64(x)*sx)
			c := src.RGBAAt(b.Min.X+i, b.Min.Y+j)
			for n, v := range []byte{c.R, c.G, c.B} {
				sum[n] += wx * wy * float64(v) / (sx * sy)
			}
		}
	}
	return sum
}

func TestDownscale(t *testing.T) {
	t.Parallel()
	for _, tc := range [][4]int{
		{64, 48, 64, 48}, {64, 48, 32, 24}, {64, 48, 30, 22}, {100, 7, 33, 2}, {33, 90, 1, 1}, {300, 2, 7, 2}, {5, 5, 9, 9},
	} {
		src := noise(tc[0], tc[1])
		got := Downscale(src, tc[2], tc[3], nil)
		w, h := min(tc[2], tc[0]), min(tc[3], tc[1])
		if got.Bounds() != image.Rect(0, 0, w, h) {
			t.Errorf("%v: %v", tc, got.Bounds())
		}
		for y := range h {
			for x := range w {
				c, want := got.RGBAAt(x, y), mean(src, w, h, x, y)
				for n, v := range []byte{c.R, c.G, c.B} {
					if d := float64(v) - want[n]; d < -4 || d > 4 {
						t.Fatalf("%v at %d,%d: %v, want %v", tc, x, y, c, want)
					}
				}
				if c.A != 0xff {
					t.Fatalf("%v at %d,%d: alpha %d", tc, x, y, c.A)
				}
			}
		}
	}
	// A line of one pixel stays, and white stays white.
	src := flat(image.Rect(0, 0, 1920, 1080), color.RGBA{255, 255, 255, 255})
	Fill(src, image.Rect(0, 540, 1920, 541), color.RGBA{A: 255})
	got := Downscale(src, 900, 506, nil)
	dark := 0
	for y := range 506 {
		if c := got.RGBAAt(450, y); c.R < 255 {
			dark += 255 - int(c.R)
		}
	}
	if dark < 100 || dark > 130 { // 255 * 506 / 1080
		t.Errorf("a black line left %d of darkness", dark)
	}
	if again := Downscale(src, 450, 253, got); &again.Pix[0] != &got.Pix[0] {
		t.Error("memory that is enough was not used again")
	}
}

// striped makes every third row that of its predecessor.
func striped(img *image.RGBA) *image.RGBA {
	for y := 1; y < img.Bounds().Dy(); y++ {
		if y%3 > 0 {
			n := 4 * img.Bounds().Dx()
			copy(img.Pix[img.PixOffset(0, y):][:n], img.Pix[img.PixOffset(0, y-1):][:n])
		}
	}
	return img
}

func TestEncodePNG(t *testing.T) {
	t.Parallel()
	for _, img := range []*image.RGBA{
		noise(1, 1), noise(7, 5), noise(64, 3), noise(333, 501), striped(noise(90, 400)), flat(image.Rect(5, 5, 900, 700), color.RGBA{9, 8, 7, 255}),
	} {
		var out bytes.Buffer
		if err := EncodePNG(&out, img); err != nil {
			t.Fatal(err)
		}
		back, err := png.Decode(&out)
		if err != nil {
			t.Fatalf("%v: %v", img.Bounds(), err)
		}
		if back.Bounds().Size() != img.Bounds().Size() {
			t.Fatalf("%v came back as %v", img.Bounds(), back.Bounds())
		}
		for y := range back.Bounds().Dy() {
			for x := range back.Bounds().Dx() {
				want := img.RGBAAt(img.Bounds().Min.X+x, img.Bounds().Min.Y+y)
				if got := color.RGBAModel.Convert(back.At(x, y)); got != want {
					t.Fatalf("%v at %d,%d is %v, want %v", img.Bounds(), x, y, got, want)
				}
			}
		}
	}
	if err := EncodePNG(&bytes.Buffer{}, image.NewRGBA(image.Rectangle{})); err == nil {
		t.Error("an empty picture was encoded")
	}
	if err := EncodeJPEG(&bytes.Buffer{}, image.NewRGBA(image.Rectangle{}), 85); err == nil {
		t.Error("an empty picture was encoded")
	}
}

// A picture straight from the server's pixels is the one from the copy.
func TestRawPNG(t *testing.T) {
	t.Parallel()
	for _, img := range []*image.RGBA{noise(1, 1), noise(2, 2), noise(7, 5), noise(64, 3), noise(333, 501), striped(noise(91, 400))} {
		raw := &Raw{Rect: img.Rect, h: &handoff{}}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				c := img.RGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
				raw.pix = append(raw.pix, c.B, c.G, c.R, byte(x*y)) // the padding is whatever the program left there
			}
		}
		var want, got bytes.Buffer
		if err := errors.Join(EncodePNG(&want, img), raw.PNG(&got)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want.Bytes(), got.Bytes()) {
			t.Errorf("%v differs", img.Rect)
		}
		raw.Free()
	}
}

// TestScalerMakesPartsLikeTheWhole: a part of a picture that is scaled alone has
// the pixels it would have in the whole, or a live view gets seams.
func TestScalerMakesPartsLikeTheWhole(t *testing.T) {
	t.Parallel()
	src := image.NewRGBA(image.Rect(0, 0, 97, 61))
	for i := range src.Pix {
		src.Pix[i] = byte(i*i>>3 + i)
	}
	for _, size := range [][2]int{{97, 61}, {40, 30}, {96, 1}, {1, 60}} {
		whole := Downscale(src, size[0], size[1], nil)
		s := NewScaler(97, 61, size[0], size[1])
		for _, changed := range []image.Rectangle{image.Rect(0, 0, 97, 61), image.Rect(5, 7, 6, 8), image.Rect(50, 20, 97, 33), image.Rect(90, 60, 200, 200)} {
			part := s.Touched(changed)
			got := image.NewRGBA(whole.Rect)
			s.Part(got, src, part)
			for y := part.Min.Y; y < part.Max.Y; y++ {
				for x := part.Min.X; x < part.Max.X; x++ {
					if got.RGBAAt(x, y) != whole.RGBAAt(x, y) {
						t.Fatalf("%v of %v, to %v: pixel %d,%d is %v, not %v", changed, src.Rect, size, x, y, got.RGBAAt(x, y), whole.RGBAAt(x, y))
					}
				}
			}
			// What lies outside of the part does not depend on what changed.
			for y := changed.Min.Y; y < min(changed.Max.Y, 61); y++ {
				for x := changed.Min.X; x < min(changed.Max.X, 97); x++ {
					if to := image.Pt(x*size[0]/97, y*size[1]/61); !to.In(part) {
						t.Fatalf("pixel %d,%d goes to %v, outside of %v", x, y, to, part)
					}
				}
			}
		}
	}
	if !NewScaler(9, 9, 3, 3).Touched(image.Rect(20, 20, 30, 30)).Empty() {
		t.Error("what lies outside of the picture touches it")
	}
}
