package state

import (
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// brief writes events as a test reads them.
func brief(events []api.InputEvent) string {
	var parts []string
	for _, e := range events {
		s := e.Do
		switch {
		case e.Code != 0:
			s += fmt.Sprint(" ", e.Code)
		case e.Text != "":
			s += " " + e.Text
		case e.Direction != "":
			s += fmt.Sprint(" ", e.Direction, " ", e.By)
		}
		if e.Button != "" {
			s += " " + e.Button
		}
		if e.At != nil {
			s += fmt.Sprintf(" %d,%d", e.At.X, e.At.Y)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

func TestInput(t *testing.T) {
	t.Parallel()
	at := api.Point{X: 5, Y: 6}
	var i Input
	for n, step := range []struct {
		do   func() []api.InputEvent
		want string
	}{
		{func() []api.InputEvent { e, _ := i.Press(38, "A"); return e }, "press 38"},
		{func() []api.InputEvent { e, _ := i.Press(38, "A"); return e }, "press 38"}, // the repeat of a held key
		{func() []api.InputEvent { return i.Release(38) }, "release 38"},
		{func() []api.InputEvent { return i.Release(38) }, ""},
		{func() []api.InputEvent { e, _ := i.Press(0, ""); return e }, ""},
		{func() []api.InputEvent { return i.Move(at) }, "move 5,6"},
		{func() []api.InputEvent { return i.Move(at) }, ""},
		{func() []api.InputEvent { return i.Down("left", at) }, "down left 5,6"},
		{func() []api.InputEvent { return i.Down("left", at) }, ""},
		{func() []api.InputEvent { return i.Up("right", at) }, ""},
		{func() []api.InputEvent { return i.Up("left", at) }, "up left 5,6"},
		{func() []api.InputEvent { return i.Scroll(-1, 2, at) }, "scroll down 2 5,6; scroll left 1 5,6"},
		{func() []api.InputEvent { return i.Paste("héllo") }, "text héllo"},
		{func() []api.InputEvent { return i.LetGo() }, ""},
		{func() []api.InputEvent { return i.Down("left", at) }, "down left 5,6"},
		{func() []api.InputEvent { e, _ := i.Press(50, "LeftShift"); return e }, "press 50"},
		{func() []api.InputEvent { return i.LetGo() }, "letgo"}, // a drag that ends elsewhere
		{func() []api.InputEvent { return i.Up("left", at) }, ""},
		{func() []api.InputEvent { return i.Release(50) }, ""},
	} {
		if got := brief(step.do()); got != step.want {
			t.Errorf("step %d is %q, not %q", n, got, step.want)
		}
	}
}

// TestWayOut: the chord leaves, whatever else is held, and only the chord.
func TestWayOut(t *testing.T) {
	t.Parallel()
	var i Input
	press := func(code int, name string) (string, bool) {
		e, out := i.Press(code, name)
		return brief(e), out
	}
	if got, out := press(43, "H"); out || got != "press 43" {
		t.Errorf("H alone: %q, %v", got, out)
	}
	i.Release(43)
	press(37, "")
	if _, out := press(43, "H"); out {
		t.Error("Ctrl+H leaves")
	}
	i.Release(43)
	press(64, "")
	if got, out := press(43, ""); !out || got != "letgo" {
		t.Errorf("the chord: %q, %v", got, out)
	}
	// A layout that has its H elsewhere.
	press(105, "")
	press(64, "")
	if _, out := press(44, "H"); !out {
		t.Error("the chord by name does not leave")
	}
}

// TestFitBetweenPixels: a pane that begins between two device pixels shows its
// picture from the nearer one on, and there a click finds it.
func TestFitBetweenPixels(t *testing.T) {
	t.Parallel()
	for _, scale := range []float32{1, 1.2, 1.5, 2} {
		for _, begin := range []float32{0, 0.2, 124.39, 285.4, 97.75} {
			f := Fit{PaneW: 500, PaneH: 400, X: begin, Y: begin, Scale: scale, Source: api.Size{W: 320, H: 240}}
			x, y, w, h := f.Shown()
			first := image.Pt(int(math.Round(float64(begin*scale)))+x, int(math.Round(float64(begin*scale)))+y)
			for _, at := range []image.Point{{}, {X: w - 1}, {Y: h - 1}, {X: w - 1, Y: h - 1}, {X: 7, Y: 11}} {
				// A pointer's place is that of its pixel, in units of the canvas.
				px, py := float32(first.X+at.X)/scale-begin, float32(first.Y+at.Y)/scale-begin
				if p, ok := f.ToWindow(px, py); !ok || p != (api.Point{X: at.X, Y: at.Y}) {
					t.Errorf("scale %v, a pane at %v: %v is %v, %v", scale, begin, at, p, ok)
				}
			}
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	move := func(x int) api.InputEvent { return api.InputEvent{Do: "move", At: &api.Point{X: x}} }
	got := Merge(nil, []api.InputEvent{move(1), move(2), {Do: "press", Code: 9}, move(3), move(4)})
	got = Merge(got, []api.InputEvent{move(5)})
	if b := brief(got); b != "move 2,0; press 9; move 5,0" {
		t.Error(b)
	}
}

// TestFit: at any scale and pane a pixel goes to its place and back, and the
// picture is never larger than the window.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, scale := range []float32{1, 1.2, 1.3, 1.5, 2} {
		for _, pane := range [][2]float32{{900, 506}, {700, 700}, {2400, 1400}, {33, 999}} {
			for _, source := range []api.Size{{W: 1920, H: 1080}, {W: 320, H: 240}, {W: 1600, H: 900}} {
				f := Fit{PaneW: pane[0], PaneH: pane[1], Scale: scale, Source: source}
				x, y, w, h := f.Shown()
				if p := f.Pane(); x < 0 || y < 0 || x+w > p.W || y+h > p.H || w > source.W || h > source.H {
					t.Fatalf("%+v is shown at %d,%d %dx%d", f, x, y, w, h)
				}
				tolerance := source.W/w + 1
				for _, p := range []api.Point{{}, {X: source.W - 1}, {Y: source.H - 1}, {X: source.W - 1, Y: source.H - 1}, {X: source.W / 2, Y: source.H / 2}} {
					back, ok := f.ToWindow(f.ToPane(p))
					if dx, dy := back.X-p.X, back.Y-p.Y; !ok || max(dx, -dx) > tolerance || max(dy, -dy) > tolerance {
						t.Errorf("%+v: %v came back as %v, %v", f, p, back, ok)
					}
				}
				if w == source.W {
					for _, p := range []api.Point{{}, {X: 17, Y: 3}, {X: source.W - 1, Y: source.H - 1}} {
						if back, ok := f.ToWindow(f.ToPane(p)); !ok || back != p {
							t.Errorf("%+v, not scaled: %v came back as %v", f, p, back)
						}
					}
				}
			}
		}
	}
	f := Fit{PaneW: 100, PaneH: 100, Scale: 1, Source: api.Size{W: 100, H: 50}}
	if p, ok := f.ToWindow(500, -3); ok || p != (api.Point{X: 99}) {
		t.Errorf("beside the picture: %v, %v", p, ok)
	}
	if _, ok := (Fit{}).ToWindow(1, 1); ok {
		t.Error("nothing has a pixel")
	}
}
