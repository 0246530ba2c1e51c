package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/need"
)

// The colours the app's buttons and tiles are found by, of its light look.
var (
	tile      = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	primary   = color.RGBA{R: 0x24, G: 0x57, B: 0xd6, A: 0xff}
	inControl = color.RGBA{R: 0xc2, G: 0x41, B: 0x0c, A: 0xff}
)

// screen is the person's own desktop: an X server with nothing on it.
type screen struct {
	t       testing.TB
	display string
	dir     string
	env     []string // of what runs on it
}

// newScreen starts one of a size like 1280x800.
func newScreen(t testing.TB, size string) *screen {
	t.Helper()
	need.Tool(t, "xdotool")
	need.Tool(t, "import")
	server := need.Xvfb(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(server, "-displayfd", "3", "-nolisten", "tcp", "-noreset", "-screen", "0", size+"x24")
	cmd.ExtraFiles = []*os.File{w}
	start(t, cmd)
	w.Close()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("the screen says no number: %v", err)
	}
	return &screen{t: t, display: ":" + strings.TrimSpace(number), dir: os.Getenv("VIBESPACE_KEEP_PICTURES")}
}

// start starts a program that ends with the test.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// do runs xdotool on the screen.
func (s *screen) do(args ...string) {
	s.t.Helper()
	cmd := exec.Command("xdotool", args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("xdotool %q: %v\n%s", args, err, out)
	}
}

// click presses at a place.
func (s *screen) click(at image.Point) {
	s.t.Helper()
	s.do("mousemove", itoa(at.X), itoa(at.Y), "click", "1")
}

// picture takes what is on the screen.
func (s *screen) picture() (image.Image, []byte) {
	s.t.Helper()
	cmd := exec.Command("import", "-silent", "-window", "root", "png:-")
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display)
	raw, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("import: %v", err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		s.t.Fatal(err)
	}
	return img, raw
}

// keep writes a picture where VIBESPACE_KEEP_PICTURES says: a person looks at
// them, no test can say whether they are good.
func (s *screen) keep(name string) {
	s.t.Helper()
	if s.dir == "" {
		return
	}
	time.Sleep(700 * time.Millisecond) // what still moves is at rest; no test waits for it
	_, raw := s.picture()
	if err := os.WriteFile(filepath.Join(s.dir, name+".png"), raw, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// find waits for an area of a colour within a part of the screen, and gives its
// middle.
func (s *screen) find(what string, c color.RGBA, within image.Rectangle) image.Point {
	s.t.Helper()
	var at image.Point
	Eventually(s.t, what, func() bool {
		img, _ := s.picture()
		box, n := image.Rectangle{}, 0
		in := within.Intersect(img.Bounds())
		for y := in.Min.Y; y < in.Max.Y; y++ {
			for x := in.Min.X; x < in.Max.X; x++ {
				if color.RGBAModel.Convert(img.At(x, y)) == c {
					box = box.Union(image.Rect(x, y, x+1, y+1))
					n++
				}
			}
		}
		at = box.Min.Add(box.Max).Div(2)
		return n > 400 && 2*n > box.Dx()*box.Dy() // a surface, no frame
	})
	return at
}

// app is the desktop app on a screen.
type app struct {
	*screen
	w   *World
	cmd *exec.Cmd
	log bytes.Buffer
}

// desktop starts the app with settings of its own.
func (w *World) desktop(s *screen, look, lang string, args ...string) *app {
	w.t.Helper()
	inner, _ := json.Marshal(map[string]any{"look": look, "lang": lang, "follow": true, "divider": 0.5})
	outer, _ := json.Marshal(map[string]string{"settings": string(inner)})
	dir := filepath.Join(w.Home, ".config", "fyne", "vibespace.desktop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "preferences.json"), outer, 0o600); err != nil {
		w.t.Fatal(err)
	}
	a := &app{screen: s, w: w, cmd: exec.Command(w.program("vibespace-desktop"), args...)}
	a.cmd.Env = append([]string{"DISPLAY=" + s.display, "LIBGL_ALWAYS_SOFTWARE=1"}, append(s.env, w.env...)...)
	a.cmd.Stderr = &a.log
	if err := a.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	s.t.Cleanup(a.close)
	return a
}

// close ends the app as closing its window does, and looks at what it had to
// say: what touches a widget from another goroutine says so.
func (a *app) close() {
	if a.cmd.ProcessState == nil {
		_ = a.cmd.Process.Signal(syscall.SIGTERM)
		_ = a.cmd.Wait()
	}
	for _, bad := range []string{"call thread", "panic", "DATA RACE"} {
		if strings.Contains(a.log.String(), bad) {
			a.t.Errorf("the app said:\n%s", a.log.String())
		}
	}
}

// listed is the person's list.
func (w *World) listed() []struct {
	Handle, State, Input, Title string
} {
	w.t.Helper()
	var list struct {
		Windows []struct{ Handle, State, Input, Title string }
	}
	w.Owner().OK(&list, "list")
	var out []struct{ Handle, State, Input, Title string }
	out = append(out, list.Windows...)
	return out
}

// TestDesktopApp: through the built app, on a screen of its own and with real
// keys: an application is searched and opened, watched, taken over, typed into,
// handed back with the way out and a note, and stays when the app is closed.
func TestDesktopApp(t *testing.T) {
	t.Parallel()
	need.Tool(t, "xterm")
	w := NewWorld(t)
	out := w.File("typed")
	taker := w.File("take.sh", "#!/bin/sh\nexec cat >"+out+"\n")
	config := filepath.Join(w.Home, ".config", "vibespace", "config.yaml")
	if err := errors.Join(os.Chmod(taker, 0o700), os.MkdirAll(filepath.Dir(config), 0o700),
		os.WriteFile(config, []byte("apps:\n  notepad: xterm -e "+taker+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	alice := w.Session("alice")
	s := newScreen(t, "1280x800")
	a := w.desktop(s, "light", "en")
	right := image.Rect(1000, 0, 1280, 240)

	// The keyboard is in the search from the start.
	s.find("the first of the applications", tile, image.Rect(316, 220, 460, 325))
	a.keep("launcher")
	s.do("type", "--delay", "40", "notepad")
	s.do("key", "Return")
	Eventually(t, "the window", func() bool { l := w.listed(); return len(l) == 1 && l[0].State == "ready" })
	take := s.find("Take over", primary, right)
	a.keep("watching")
	handle := w.listed()[0].Handle
	w.Owner().OK(nil, "share", handle, "--with", "session:alice")
	alice.OK(nil, "attach", handle)
	s.click(take)
	Eventually(t, "the takeover", func() bool { return w.listed()[0].Input == "user" })
	s.find("that the person is in control", inControl, image.Rect(286, 60, 700, 114))
	a.keep("taken-over")
	alice.Refused("window_paused", "key", handle, "Return")

	// What is pressed goes to the window, exactly.
	s.do("type", "--delay", "30", "Hello, {person}: 100%")
	s.do("key", "Return")
	Eventually(t, "what was typed", func() bool {
		raw, err := os.ReadFile(out)
		return err == nil && string(raw) == "Hello, {person}: 100%\n"
	})

	// The way out leads to Hand back, and from there to the note.
	s.do("key", "ctrl+alt+h")
	s.do("key", "space")
	asked := image.Rect(380, 455, 900, 620)
	s.find("the dialog", primary, asked)
	s.do("type", "--delay", "30", "signed in")
	a.keep("hand-back")
	s.click(s.find("Hand back", primary, asked))
	Eventually(t, "the hand-back", func() bool { return w.listed()[0].Input == "agent" })
	if said := alice.OK(nil, "status").JSON; !strings.Contains(string(said), "signed in") {
		t.Errorf("alice is told %s", said)
	}
	a.close()
	if l := w.listed(); len(l) != 1 || l[0].State != "ready" {
		t.Errorf("closing the app left %+v", l)
	}
}

// TestDesktopPictures takes the pages of the app in its looks, languages and
// sizes, for a person to look at: VIBESPACE_KEEP_PICTURES names where to.
func TestDesktopPictures(t *testing.T) {
	if os.Getenv("VIBESPACE_KEEP_PICTURES") == "" {
		return // nobody wants to look
	}
	type shape struct{ size, look, lang string }
	shapes := []shape{{"1280x800", "contrast", "ja"}}
	for _, size := range []string{"1280x800", "1920x1080"} {
		for _, look := range []string{"light", "dark"} {
			shapes = append(shapes, shape{size, look, "en"}, shape{size, look, "zh"})
		}
	}
	for _, c := range shapes {
		t.Run(c.size+"-"+c.look+"-"+c.lang, func(t *testing.T) {
			w := NewWorld(t)
			alice := w.Session("alice")
			w.Session("bob")
			w.Owner().OK(nil, "group", "new", "research")
			w.Owner().OK(nil, "group", "add", "research", "alice")
			alice.OK(nil, "open", need.Tool(t, "gtk3-widget-factory"))
			alice.OK(nil, "open", need.Tool(t, "mousepad"))
			s := newScreen(t, c.size)
			a := w.desktop(s, c.look, c.lang)
			defer a.close()
			name := strings.Join([]string{c.size, c.look, c.lang}, "-") + "-"
			time.Sleep(4 * time.Second)
			wide, high, _ := strings.Cut(c.size, "x")
			s.do("search", "--onlyvisible", "--name", "VibeSpace", "windowmove", "0", "0", "windowsize", wide, high)
			time.Sleep(2 * time.Second)
			a.keep(name + "launcher")
			for i, page := range []string{"agents", "settings"} {
				s.click(image.Pt(140, 110+39*i))
				a.keep(name + page)
			}
			s.click(image.Pt(140, 265))
			time.Sleep(time.Second)
			alice.OK(nil, "click", "w1", "--at", "500,300")
			a.keep(name + "watching")
			s.do("mousemove", itoa(s.width()-160), "37", "click", "1")
			time.Sleep(time.Second)
			a.keep(name + "size")
			s.do("key", "Escape")
			tool := func(x, y int) {
				s.click(image.Pt(s.width()-x, y))
				time.Sleep(time.Second)
			}
			tool(228, 40)
			a.keep(name + "share")
			s.do("key", "Escape")
			tool(99, 40)
			a.keep(name + "trace")
			tool(99, 40)
			tool(50, 98)
			a.keep(name + "taken-over")
			tool(50, 98) // Hand back
			a.keep(name + "hand-back")
		})
	}
}

// width is the screen's.
func (s *screen) width() int {
	img, _ := s.picture()
	return img.Bounds().Dx()
}
