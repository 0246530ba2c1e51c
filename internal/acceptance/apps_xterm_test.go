package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// TestXterm drives a terminal, which has no tree, by pixels and keys.
func TestXterm(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	onRungs(t, driveXterm)
}

func driveXterm(t *testing.T, w *World) {
	a := w.Default()
	before := w.Count()
	file := w.File("typed")

	win := a.Open("xterm", "--", "-e", "sh", "-c", "cat > "+file)
	if win.Mode.Resolved != "pixels" || win.Mode.Why == "" || win.Pin != nil {
		t.Errorf("mode %+v, pin %v", win.Mode, win.Pin)
	}
	for _, verb := range [][]string{{"snapshot", win.Handle}, {"find", win.Handle, "--role", "text"}, {"click", win.Handle, "@e1"}} {
		if r := a.Refused("mode_pixels", verb...); r.Hint == "" {
			t.Errorf("%q: no way out is named", verb)
		}
	}
	var probed Probed
	a.OK(&probed, "probe", win.Handle)
	if probed.Roads.Tree.OK || !probed.Roads.Inject.OK || !probed.Roads.Capture.OK {
		t.Errorf("probe: %+v", probed.Roads)
	}

	empty := a.Picture(win)
	const line = "every key: aé ü ß 你好 😀 ~`^'\"\\|<>{}[]@€"
	typed := a.Act("type", win.Handle, line, "--enter")
	if typed.Did.By != "keys" || typed.Verified != nil || typed.Observed == nil || typed.Observed.PictureChanged == nil {
		t.Errorf("type: %+v", typed)
	}
	a.Changed(win, empty)
	a.Act("key", win.Handle, "a", "shift+b", "BackSpace", "c", "Return")
	at := a.Act("click", win.Handle, "--at", fmt.Sprintf("%d,%d", win.Size.W/2, win.Size.H/2))
	if at.Did.By != "point" {
		t.Errorf("click --at: %+v", at.Did)
	}
	a.Refused("outside_window", "click", win.Handle, "--at", fmt.Sprintf("%d,%d", win.Size.W+1, 5))
	a.Refused("bad_key", "key", win.Handle, "ctrl+nokey")
	a.Act("scroll", win.Handle, "up", "--by", "2")
	a.Act("key", win.Handle, "ctrl+d")
	a.OK(nil, "wait", win.Handle, "--exit")
	if got, _ := os.ReadFile(file); string(got) != line+"\nac\n" {
		t.Errorf("the terminal got %q", got)
	}
	w.Clean(t, before)
}

// TestXtermPinned gives a terminal exactly the size that was asked for.
func TestXtermPinned(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	onRungs(t, pinXterm)
}

func pinXterm(t *testing.T, w *World) {
	a := w.Default()
	before := w.Count()
	win := a.Open("xterm", "--size", "1600x900")
	if win.Size != (Size{1600, 900}) || win.Pin == nil || *win.Pin != win.Size {
		t.Errorf("size %v, pin %v", win.Size, win.Pin)
	}
	a.Picture(win)
	p, _ := a.Screenshot(win.Handle, "--window", "0")
	if p.W != 1600 || p.H != 900 {
		t.Errorf("the picture is %dx%d", p.W, p.H)
	}
	a.Stop(win.Handle)
	w.Clean(t, before)
}

// TestSizeBeyondTheDisplay: a display does not grow. One that is opened for a
// large window has room for it, and a size that a display has no room for is
// refused with the limit; nothing is cut.
func TestSizeBeyondTheDisplay(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	large := a.Open("xterm", "--size", "4000x2200")
	if large.Size != (Size{4000, 2200}) {
		t.Errorf("opened with %v", large.Size)
	}
	usual := a.Open("xterm")
	r := a.Refused("size_out_of_bounds", "size", usual.Handle, "4000x2200")
	if most, _ := r.Details["max"].(map[string]any); most["w"] != 3840.0 || most["h"] != 2160.0 {
		t.Errorf("the limit is %v", r.Details)
	}
	var still struct{ Windows []Window }
	a.OK(&still, "list")
	for _, win := range still.Windows {
		if win.Handle == usual.Handle && (win.Size != usual.Size || win.Pin != nil) {
			t.Errorf("it was %v and is %v, pinned to %v", usual.Size, win.Size, win.Pin)
		}
	}
	a.Stop(large.Handle)
	a.Stop(usual.Handle)
	w.Clean(t, Left{})
}

// TestXtermStopped: what runs in a terminal ends with it, also what left its
// group and session.
func TestXtermStopped(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	pid := w.File("pid")
	win := a.Open("xterm", "--", "-e", "sh", "-c", "setsid sh -c 'echo $$ > "+pid+"; exec sleep 600' & wait")
	Eventually(t, "the escaped process runs", func() bool {
		raw, _ := os.ReadFile(pid)
		return strings.TrimSpace(string(raw)) != ""
	})
	a.Stop(win.Handle)
	a.OK(nil, "wait", win.Handle, "--exit")
	w.Clean(t, before)
	raw, _ := os.ReadFile(pid)
	if words, err := os.ReadFile("/proc/" + strings.TrimSpace(string(raw)) + "/cmdline"); err == nil && strings.HasPrefix(string(words), "sleep\x00600") {
		t.Errorf("process %s outlived its window: %q", raw, words) // a zombie has no words
	}
}
