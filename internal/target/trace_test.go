package target

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/x11"
)

// ground is what the pictures of these tests show.
var groundColour = color.RGBA{R: 0x20, G: 0xa0, B: 0x30, A: 0xff}

// rendered draws a picture of 200x100 as the trace keeps it.
func rendered(t *testing.T, m mask, box *api.Rect) image.Image {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 200, 100))
	x11.Fill(img, img.Rect, groundColour)
	data, err := render(taken{f: &frame{picture: picture{img: img}}, mask: m}, box)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if img.RGBAAt(100, 50) != groundColour {
		t.Error("what was taken was drawn into: another act may share it")
	}
	return got
}

// like says whether a pixel has a colour, as near as JPEG has it.
func like(img image.Image, x, y int, c color.RGBA) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	near := func(a uint32, b uint8) bool { d := int(a>>8) - int(b); return d > -40 && d < 40 }
	return near(r, c.R) && near(g, c.G) && near(b, c.B)
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		mask   mask
		box    *api.Rect
		pixels map[image.Point]color.RGBA
	}{
		{"plain", mask{}, nil, map[image.Point]color.RGBA{{5, 5}: groundColour, {100, 50}: groundColour}},
		{"a point", mask{}, &api.Rect{X: 100, Y: 50}, map[image.Point]color.RGBA{
			{100, 50}: groundColour, {100 - ring - 2, 50}: marked, {100, 50 + ring + 2}: marked, {5, 5}: groundColour,
		}},
		{"an element", mask{}, &api.Rect{X: 40, Y: 20, W: 60, H: 40}, map[image.Point]color.RGBA{
			{70, 40}: groundColour, {38, 40}: marked, {101, 40}: marked, {70, 18}: marked, {70, 61}: marked,
		}},
		{"filled", mask{boxes: []api.Rect{{X: 40, Y: 20, W: 60, H: 40}, {X: 190, Y: 90, W: 500, H: 500}}}, nil, map[image.Point]color.RGBA{
			{41, 21}: filled, {98, 58}: filled, {195, 95}: filled, {120, 40}: groundColour, {5, 5}: groundColour,
		}},
		{"whole", mask{whole: true}, &api.Rect{X: 100, Y: 50}, map[image.Point]color.RGBA{
			{2, 2}: filled, {197, 97}: filled, {100, 50}: filled, {100, 50 + ring + 2}: marked,
		}},
		{"outside", mask{}, &api.Rect{X: 5000, Y: -50, W: 10, H: 10}, map[image.Point]color.RGBA{{5, 5}: groundColour}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := rendered(t, c.mask, c.box)
			for at, want := range c.pixels {
				if !like(got, at.X, at.Y, want) {
					t.Errorf("%v is %v, want %v", at, got.At(at.X, at.Y), want)
				}
			}
		})
	}
}

// TestMask: what of a picture is kept follows from what was read last and from
// what was done since.
func TestMask(t *testing.T) {
	t.Parallel()
	name, secret, button := atspi.Ref{Bus: ":1.1", Path: "/name"}, atspi.Ref{Bus: ":1.1", Path: "/secret"}, atspi.Ref{Bus: ":1.1", Path: "/button"}
	reading := func(focus atspi.Ref) *reading {
		root := &item{role: atspi.RoleFrame}
		r := &reading{items: []*item{root}}
		for _, it := range []*item{
			{id: name, role: atspi.RoleText, bounds: &api.Rect{X: 1, Y: 1, W: 10, H: 10}},
			{id: secret, role: atspi.RolePasswordText, bounds: &api.Rect{X: 20, Y: 1, W: 10, H: 10}},
			{id: button, role: atspi.RolePushButton, bounds: &api.Rect{X: 40, Y: 1, W: 10, H: 10}},
		} {
			it.parent, it.seen = root, true
			if it.id == focus {
				it.has = atspi.StateFocused
			}
			r.items = append(r.items, it)
		}
		return r
	}
	w := newWindow("w1", program{}, api.OpenRequest{}, "alice", "opened")
	says := func(when string, whole bool, none string, boxes int) {
		t.Helper()
		if m := w.mask(); m.whole != whole || m.none != none || len(m.boxes) != boxes {
			t.Errorf("%s: %+v, want whole %v, %d boxes, %q", when, m, whole, boxes, none)
		}
	}
	says("nothing was read", false, "", 0)
	if !w.mask().unsure {
		t.Error("and it is sure of it")
	}
	w.sighted(reading(button), w.actsSoFar())
	says("a password field is filled, whatever has the focus", false, "", 1)
	w.touched("tree")
	says("an element's own action moves no focus", false, "", 1)
	w.touched("point")
	says("a click may", false, noteUnknown, 1)
	w.sighted(reading(secret), w.actsSoFar())
	says("it did", false, noteSecret, 1)
	old := w.actsSoFar()
	w.touched("point")
	w.sighted(reading(button), old)
	says("what was read before an act is old", false, noteUnknown, 1)
	w.sighted(reading(button), w.actsSoFar())
	w.veil([]atspi.Ref{name})
	says("what was typed into is filled", false, "", 2)
	w.touched("tree")
	says("and all of it while nobody knows where it is", true, "", 1)
	w.sighted(reading(button), w.actsSoFar())
	w.veil(nil)
	says("what was typed somewhere is everywhere", true, "", 1)
}

func TestPrinting(t *testing.T) {
	t.Parallel()
	for chord, want := range map[string]bool{
		"a": true, "shift+a": true, "1": true, "space": true, "ctrl+v": true, "shift+Insert": true, "ctrl+z": true, "eacute": true,
		"Tab": false, "shift+Tab": false, "ctrl+s": false, "alt+F4": false, "Return": false, "Escape": false, "ctrl+shift+t": false,
		"Left": false, "BackSpace": false, "F5": false,
	} {
		if printing(chord) != want {
			t.Errorf("%s: %v", chord, !want)
		}
	}
}

// TestTakesWhatThereIsRoomFor: what is not taken is not counted, whichever bound
// refuses it.
func TestTakesWhatThereIsRoomFor(t *testing.T) {
	t.Parallel()
	var pen tracer
	if !pen.takes(traceHeld-1) || pen.takes(2) || pen.held.Load() != traceHeld-1 {
		t.Errorf("%d bytes wait", pen.held.Load())
	}
	pen.waiting.Store(traceWaiting)
	if pen.takes(1) || pen.held.Load() != traceHeld-1 {
		t.Errorf("%d bytes wait", pen.held.Load())
	}
}
