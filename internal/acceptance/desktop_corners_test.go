package acceptance

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// pointed is a program whose window is clicked at through the app, and how it is
// known where a click came to it.
type pointed struct {
	window Window
	menu   bool // in a corner: a click opens it
	// size is what the program itself says its window has; nil where it says
	// nothing.
	size func() string
	// saw waits until the program itself tells of a click at a place of its own;
	// nil where it tells nobody, and the display has to.
	saw func(t *testing.T, at image.Point)
}

// clickPage has all of its window from the first click on, and tells its server
// how large it is and where it was clicked, one after the other.
const clickPage = `<!doctype html><html><head><title>corners</title></head><body style="margin:0;background:#fff"><script>
let told = Promise.resolve()
const tell = what => told = told.then(() => fetch("/?" + what, {method: "POST"}))
addEventListener("resize", () => document.fullscreenElement && tell("size " + innerWidth + "x" + innerHeight))
addEventListener("mousedown", e => document.fullscreenElement ? tell(e.clientX + "," + e.clientY) : document.documentElement.requestFullscreen())
</script></body></html>`

// clickServer serves clickPage and keeps what it tells.
type clickServer struct {
	mu   sync.Mutex
	size string
	told map[string]bool
}

func (s *clickServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		fmt.Fprint(w, clickPage)
		return
	}
	what, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if size, ok := strings.CutPrefix(what, "size "); ok {
		s.size = size
	} else {
		s.told[what] = true
	}
}

// take waits for a click at a place, and forgets it.
func (s *clickServer) take(t *testing.T, at image.Point) {
	t.Helper()
	want := point(at.X, at.Y)
	Eventually(t, "the page is clicked at "+want, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		told := s.told[want]
		delete(s.told, want)
		return told
	})
}

// filled says how large the page is, once it has all of its window.
func (s *clickServer) filled() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// open opens the page, pinned to a size, all of the window.
func (s *clickServer) open(c *Caller, t *testing.T, size image.Point) Window {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	win := c.newDesktop("corners", "--browser", "chromium", "--url", server.URL).Window
	wide, high := itoa(size.X), itoa(size.Y)
	c.OK(nil, "size", win.Handle, wide+"x"+high)
	at := image.Pt(size.X/2, size.Y/2)
	Eventually(t, "the page is all of the window", func() bool {
		switch s.filled() {
		case wide + "x" + high:
			return true
		case "":
		default: // root's browser warns, in a bar with a cross at its end
			at = image.Pt(size.X-31, 28)
		}
		c.OK(nil, "click", win.Handle, "--at", point(at.X, at.Y))
		return false
	})
	return win
}

// pointAt opens a terminal, a program of one of two toolkits, or a browser.
func pointAt(c *Caller, t *testing.T, name string, size image.Point) pointed {
	t.Helper()
	switch name {
	case "xterm":
		return pointed{window: c.Open(need.Xterm(t), "--mode", "pixels")}
	case "featherpad":
		return pointed{window: c.Open(need.Tool(t, "featherpad")), menu: true}
	case "gtk3":
		p := c.fixture("gtk3.py")
		return pointed{window: p.window, menu: true, saw: func(t *testing.T, at image.Point) {
			p.log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "press" && e.X == at.X && e.Y == at.Y }, seen)
			p.log.Mark()
		}}
	}
	page := &clickServer{told: map[string]bool{}}
	return pointed{window: page.open(c, t, size), size: page.filled, saw: page.take}
}

// xdotool runs that on the display of a window.
func (w *World) xdotool(t *testing.T, win Window) func(args ...string) string {
	t.Helper()
	display, authority := w.access(t, win)
	return func(args ...string) string {
		cmd := exec.Command(need.Tool(t, "xdotool"), args...)
		cmd.Env = append(os.Environ(), "DISPLAY="+display, "XAUTHORITY="+authority)
		out, _ := cmd.Output() // a window may be gone
		return string(out)
	}
}

// placed is where the window of a size is on its display.
func (c *clicked) placed(t *testing.T, size image.Point) image.Point {
	t.Helper()
	var at image.Point
	Eventually(t, fmt.Sprintf("a window of %v", size), func() bool {
		for _, id := range strings.Fields(c.there("search", "--onlyvisible", "--name", ".*")) {
			var x, y, wide, high, screen, xid int
			shape := strings.NewReplacer("WINDOW=", "", "X=", "", "Y=", "", "WIDTH=", "", "HEIGHT=", "", "SCREEN=", "").Replace(c.there("getwindowgeometry", "--shell", id))
			if n, _ := fmt.Sscan(shape, &xid, &x, &y, &wide, &high, &screen); n >= 5 && image.Pt(wide, high) == size {
				at = image.Pt(x, y)
				return true
			}
		}
		return false
	})
	return at
}

// stage is what the app shows beside a picture, of its light look.
var stage = color.RGBA{R: 0xe3, G: 0xe6, B: 0xeb, A: 0xff}

// shown is where the picture of a window that is taken over is on the screen:
// what is not stage within the frame that says so.
func (s *screen) shown(full bool) image.Rectangle {
	s.t.Helper()
	img, _ := s.picture()
	bounds := img.Bounds()
	flat := image.NewRGBA(bounds) // a look at each of two million pixels is to take no time
	draw.Draw(flat, bounds, img, bounds.Min, draw.Src)
	is := func(x, y int, c color.RGBA) bool {
		p := flat.Pix[y*flat.Stride+4*x:]
		return p[0] == c.R && p[1] == c.G && p[2] == c.B
	}
	beside := func(in image.Rectangle) image.Rectangle {
		box := image.Rectangle{Min: in.Max, Max: in.Min}
		for y := in.Min.Y; y < in.Max.Y; y++ {
			for x := in.Min.X; x < in.Max.X; x++ {
				if !is(x, y, stage) {
					box.Min.X, box.Min.Y = min(box.Min.X, x), min(box.Min.Y, y)
					box.Max.X, box.Max.Y = max(box.Max.X, x+1), max(box.Max.Y, y+1)
				}
			}
		}
		if box.Min.X >= box.Max.X {
			return image.Rectangle{}
		}
		return box
	}
	if full { // there is no frame, and stage all across below the bar
		for y := range bounds.Dy() {
			across := 0
			for ; across < bounds.Dx() && is(across, y, stage); across++ {
			}
			if across == bounds.Dx() {
				return beside(image.Rect(0, y, bounds.Dx(), bounds.Dy()))
			}
		}
		return image.Rectangle{}
	}
	// The frame's sides are the only long lines of that colour.
	long := func(n, across int, at func(i, j int) bool) (first, last int) {
		first, last = -1, -1
		for i := range n {
			run := 0
			for j := range across {
				if at(i, j) {
					run++
				}
			}
			if run > 200 {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		return first, last
	}
	left, right := long(bounds.Dx(), bounds.Dy(), func(i, j int) bool { return is(i, j, inControl) })
	if left < 0 {
		return image.Rectangle{}
	}
	mid := (left + right) / 2
	top, bottom := -1, -1
	for y := range bounds.Dy() {
		if is(left, y, inControl) && (is(left+20, y, inControl) && is(mid, y, inControl) || top >= 0) {
			if top < 0 {
				top = y
			}
			bottom = y
		}
	}
	const frame = 3 // there is room above and below, and the frame's own edge is soft there
	return beside(image.Rect(left+frame, top+2*frame, right-frame+1, bottom-2*frame+1))
}

// pixel is the one of a longer line that one of a shorter stands for: the ends
// for the ends, and evenly between.
func pixel(at, shown, source int) int {
	return (2*at*(source-1) + shown - 1) / (2 * (shown - 1))
}

// TestDesktopCorners: a window pinned to a size has exactly that many pixels, in
// the window and in its picture; shown in the app on the whole screen and 1400
// and 700 pixels wide, and taken over, a click at a corner of what is shown is a
// click at that corner's pixel, and one in the middle at the middle's.
//
// DESKTOP_CORNERS=all has every program in every size, in about two minutes, and
// DESKTOP_CORNERS=one a single one.
func TestDesktopCorners(t *testing.T) {
	if os.Getenv("DESKTOP_CORNERS") == "" {
		return // where a click comes to is TestFitBetweenPixels' business
	}
	t.Parallel()
	sizes := []image.Point{{1600, 900}, {1920, 1080}}
	for _, name := range []string{"xterm", "gtk3", "featherpad", "chromium"} {
		for _, size := range sizes {
			if os.Getenv("DESKTOP_CORNERS") != "all" && (name != "gtk3" || size.X != 1600) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%dx%d", name, size.X, size.Y), func(t *testing.T) {
				t.Parallel()
				corners(t, name, size)
			})
		}
	}
}

// corners clicks at those of one program in one size.
func corners(t *testing.T, name string, size image.Point) {
	w := NewWorld(t)
	alice := w.Session("alice").In(t)
	p := pointAt(alice, t, name, size)
	win := p.window
	w.Owner().In(t).OK(nil, "size", win.Handle, fmt.Sprintf("%dx%d", size.X, size.Y))
	if pic, _ := alice.Screenshot(win.Handle); pic.W != size.X || pic.H != size.Y {
		t.Errorf("the picture of a window of %v has %dx%d", size, pic.W, pic.H)
	}
	c := &clicked{screen: newScreen(t, fmt.Sprintf("%dx%d", size.X+120, size.Y+120)), p: p, win: win, there: w.xdotool(t, win)}
	w.desktop(c.screen, "light", "en", "--window", win.Handle)
	c.find("Take over", primary, image.Rect(1000, 0, 1280, 240))
	c.do("mousemove", "700", "400", "key", "F11")
	c.click(c.find("Take over, on the whole screen", primary, image.Rect(1300, 0, size.X+120, 90)))
	c.clicks(t, size, size.X)
	c.click(image.Pt(size.X+50, 24)) // leave the full screen
	for _, wide := range []int{1400, 700} {
		c.clicks(t, size, wide)
	}
}

// clicked is one window in the app on a screen.
type clicked struct {
	*screen
	p   pointed
	win Window
	// there runs xdotool on the window's own display.
	there func(args ...string) string
}

// pointer is where that is on the window's display.
func (c *clicked) pointer() (at image.Point) {
	for line := range strings.Lines(c.there("getmouselocation", "--shell")) {
		_, _ = fmt.Sscanf(line, "X=%d", &at.X)
		_, _ = fmt.Sscanf(line, "Y=%d", &at.Y)
	}
	return at
}

// appWidth is how wide the app's own window is.
func (c *clicked) appWidth() (wide int) {
	c.t.Helper()
	cmd := exec.Command("xdotool", "search", "--onlyvisible", "--name", "^VibeSpace$", "getwindowgeometry", "--shell")
	cmd.Env = append(os.Environ(), "DISPLAY="+c.display)
	out, err := cmd.Output()
	for line := range strings.Lines(string(out)) {
		_, _ = fmt.Sscanf(line, "WIDTH=%d", &wide)
	}
	if err != nil || wide == 0 {
		c.t.Fatalf("the app's window: %v %s", err, out)
	}
	return wide
}

// clicks shows a window that is pinned to a size so many pixels wide, and clicks
// at its corners and its middle.
func (c *clicked) clicks(t *testing.T, size image.Point, wide int) {
	t.Helper()
	origin := c.placed(t, size)
	high := (2*size.Y*wide + size.X) / (2 * size.X)
	if c.p.size != nil {
		want := fmt.Sprintf("%dx%d", size.X, size.Y)
		Eventually(t, "the program has "+want, func() bool { return c.p.size() == want })
	}
	var box, asked image.Rectangle
	defer func() {
		if t.Failed() {
			c.keep(fmt.Sprintf("failed-corners-%s-%d-%d", c.win.App, size.X, wide))
			t.Logf("the picture is at %v", box)
		}
	}()
	shows := func() bool {
		was := box
		box = c.shown(wide == size.X)
		switch {
		case box != was: // what is still being drawn says nothing
		case box.Dx() == wide && box.Dy() == high:
			return true
		case wide == size.X, box == asked, box.Empty():
			// The app is not there yet.
		case 2*size.Y*box.Dx() > 2*size.X*box.Dy()+3*size.X, 2*size.Y*box.Dx() < 2*size.X*box.Dy()-3*size.X:
			// That is no picture of this window.
		default:
			asked = box
			app := c.appWidth() + wide - box.Dx()
			c.do("search", "--onlyvisible", "--name", "^VibeSpace$", "windowsize", itoa(app), itoa(size.Y+110))
		}
		return false
	}
	// An app that draws without a graphics card has a long way from size to size
	// on a busy machine.
	for end := time.Now().Add(4 * soon); !shows(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %v shown %d wide", size, wide)
		}
	}
	for _, at := range []image.Point{
		{box.Dx() / 2, box.Dy() / 2},
		{box.Dx() - 1, 0},
		{0, box.Dy() - 1},
		{box.Dx() - 1, box.Dy() - 1},
		{0, 0},
	} {
		want := image.Pt(pixel(at.X, box.Dx(), size.X), pixel(at.Y, box.Dy(), size.Y))
		c.click(box.Min.Add(at))
		var got image.Point
		for end := time.Now().Add(soon); got != want && time.Now().Before(end); {
			got = c.pointer().Sub(origin)
		}
		if got != want {
			t.Errorf("%v shown %dx%d: a click at %v is one at %v, not %v", size, box.Dx(), box.Dy(), at, got, want)
		} else if c.p.saw != nil {
			c.p.saw(t, want)
		}
		if c.p.menu {
			c.do("key", "Escape") // that a corner opened
		}
	}
}
