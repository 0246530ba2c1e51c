package acceptance

import (
	"image"
	"image/color"
	"os"
	"os/exec"
	"testing"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// moving is whether a picture of its own lies over the app's window.
func (s *screen) moving() bool {
	cmd := exec.Command("xdotool", "search", "--onlyvisible", "--name", "^vibespace picture$")
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display)
	return cmd.Run() == nil
}

// TestDesktopMoving: a window that repaints without pause is shown by a picture
// of its own over the app's window, in the place and to the pixel that the app
// gives it: a click through it arrives there. What the app shows above it is
// above it, and seen whole.
func TestDesktopMoving(t *testing.T) {
	t.Parallel()
	need.Tool(t, "xdotool")
	w := NewWorld(t)
	log := w.File("log")
	var win Opened
	w.Owner().OK(&win, "launch", fixtures.Path(t, "painter.py"), "--mode", "pixels", "--size", "640x480",
		"--env", fixtures.LogVariable+"="+log, "--", "--title", "Canvas", "--fps", "40")
	h := win.Window.Handle
	journal := fixtures.Log(t, log)
	s := newScreen(t, "1280x800")
	a := w.desktop(s, "light", "en", "--window", h)
	take := s.find("Take over", primary, image.Rect(1000, 0, 1280, 240))
	Eventually(t, "a picture of its own", s.moving)

	// The picture is grey and a white bar, and changes.
	grey := func(img image.Image, at image.Point) bool {
		c, _ := color.RGBAModel.Convert(img.At(at.X, at.Y)).(color.RGBA)
		return c.R == c.G && c.G == c.B && (c.R >= 0x20 && c.R < 0xa0 || c.R == 0xff)
	}
	var box image.Rectangle
	img, _ := s.picture()
	for y := 115; y < 760; y++ {
		for x := 290; x < 1280; x++ {
			if grey(img, image.Pt(x, y)) && grey(img, image.Pt(x+1, y+1)) {
				box = box.Union(image.Rect(x, y, x+2, y+2))
			}
		}
	}
	if box.Size() != image.Pt(640, 480) {
		t.Fatalf("the picture seems to be at %v", box)
	}

	// A menu is above it, and stays.
	s.do("mousemove", itoa(s.width()-160), "37", "click", "1")
	Eventually(t, "the app to draw the picture itself", func() bool { return !s.moving() })
	a.keep("moving-menu")
	s.do("key", "Escape")
	Eventually(t, "a picture of its own again", s.moving)

	// A click through it is told to the window where it was.
	s.click(take)
	Eventually(t, "the takeover", func() bool { return w.listed()[0].Input == "user" })
	Eventually(t, "a picture of its own still", s.moving)
	for _, at := range []image.Point{{}, {X: 320, Y: 240}, {X: 639, Y: 479}} {
		journal.Mark()
		s.click(box.Min.Add(at))
		if e := journal.Wait(t, fixtures.Is("press"), seen); e.X != at.X || e.Y != at.Y {
			t.Errorf("a click at %v came to %d,%d", at, e.X, e.Y)
		}
	}
	if !s.moving() {
		t.Error("clicks take the picture away")
	}

	// It ends with the window.
	w.Owner().OK(nil, "stop", h)
	Eventually(t, "its end", func() bool { return !s.moving() })
}
