package acceptance

import (
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// traced is what the trace tells of a window.
type traced struct {
	Rows []struct {
		Verb, By, Ref, Role, Name, Verdict, Before, After, Note string
		Box                                                     *Rect
	}
	Deleted *struct {
		Acts, Files int
		Bytes       int64
	}
	Page string
}

// trace waits until a window's trace has so many acts, the last one's pictures
// taken or left out with a word.
func (w *World) trace(handle string, acts int) traced {
	w.t.Helper()
	var got traced
	Eventually(w.t, "the trace has every act", func() bool {
		got = traced{}
		w.Owner().OK(&got, "trace", handle)
		if len(got.Rows) < acts {
			return false
		}
		last := got.Rows[len(got.Rows)-1]
		return last.After != "" || last.Note != ""
	})
	if len(got.Rows) != acts {
		w.t.Fatalf("the trace has %d acts, want %d: %+v", len(got.Rows), acts, got.Rows)
	}
	return got
}

// left says whether pictures of an act were left out because the machine was too
// busy to take them in time, which the trace says.
func left(note string) bool {
	return strings.Contains(note, "behind") || strings.Contains(note, "could not be read")
}

// picture reads a picture of the trace.
func picture(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s is %v, %v", path, info.Mode(), err)
	}
	img, err := jpeg.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// flat says whether a part of a picture is of one colour, as near as JPEG has it.
func flat(img image.Image, r Rect) bool {
	at := func(x, y int) [3]int {
		a, b, c, _ := img.At(x, y).RGBA()
		return [3]int{int(a >> 8), int(b >> 8), int(c >> 8)}
	}
	first := at(r.X+r.W/2, r.Y+r.H/2)
	for y := r.Y + 4; y < r.Y+r.H-4; y++ {
		for x := r.X + 4; x < r.X+r.W-4; x++ {
			for i, v := range at(x, y) {
				if d := v - first[i]; d > 30 || d < -30 {
					return false
				}
			}
		}
	}
	return true
}

// magenta says whether a pixel has the colour of the mark.
func magenta(img image.Image, x, y int) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	return r>>8 > 170 && g>>8 < 110 && b>>8 > 80
}

// TestTrace: each act has a picture before and after it with its place marked;
// what was typed is filled in from then on, and while a password field has the
// focus there is none. The files are the person's alone, and go when they say so.
func TestTrace(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	p := w.Session("alice").fixture("gtk3.py")
	alpha, name, secret := p.node("Alpha"), p.node("Name"), p.node("Password")
	const typed, hidden = "Zq4typedZq4", "Zq5hiddenZq5"
	p.Act("click", p.handle, alpha.Ref)
	p.Act("click", p.handle, "--at", point(600, 500))
	p.Act("type", p.handle, name.Ref, typed)
	p.Act("click", p.handle, alpha.Ref)
	p.Act("type", p.handle, secret.Ref, hidden, "--keys")
	p.Act("key", p.handle, "End")
	p.Act("click", p.handle, alpha.Ref, "--point")
	got := w.trace(p.handle, 7)
	for i, row := range got.Rows {
		t.Logf("%d: %+v", i, row)
	}

	first := got.Rows[0]
	if first.Verb != "click" || first.By != "tree" || first.Role != "push button" || first.Name != "Alpha" || first.Box == nil || *first.Box != *alpha.Bounds {
		t.Errorf("the first act is %+v", first)
	}
	for _, path := range []string{first.Before, first.After} {
		if path == "" && left(first.Note) {
			continue
		}
		img := picture(t, path)
		if size := img.Bounds().Size(); size.X != p.window.Size.W || size.Y != p.window.Size.H {
			t.Errorf("the picture is %v, the window %+v", size, p.window.Size)
		}
		for _, at := range [][2]int{{alpha.Bounds.X - 2, alpha.Bounds.Y + 10}, {alpha.Bounds.X + 20, alpha.Bounds.Y + alpha.Bounds.H + 1}} {
			if !magenta(img, at[0], at[1]) {
				t.Errorf("%v of %s is not marked: %v", at, path, img.At(at[0], at[1]))
			}
		}
		if flat(img, *alpha.Bounds) {
			t.Error("the button's own words are not to be seen")
		}
	}
	if at := got.Rows[1]; at.Box == nil || at.Box.X != 600 || at.Box.Y != 500 || !left(at.Note) && !magenta(picture(t, at.After), 600-14, 500) {
		t.Errorf("the point is not marked: %+v", at)
	}

	// Before it was typed the field is empty and to be seen; from then on it is
	// filled in.
	if row := got.Rows[2]; !left(row.Note) && (row.Before == "" || row.After == "" || !flat(picture(t, row.After), *name.Bounds)) {
		t.Errorf("what was typed is to be seen: %+v", row)
	}
	for _, row := range got.Rows[3:] {
		for _, path := range []string{row.Before, row.After} {
			if path == "" {
				continue
			}
			if img := picture(t, path); !flat(img, *name.Bounds) || !flat(img, *secret.Bounds) {
				t.Errorf("what was typed is to be seen in %s", path)
			}
		}
	}
	for _, row := range got.Rows[4:6] {
		if row.Before != "" && row.Verb == "key" || row.After != "" || !left(row.Note) && !strings.Contains(row.Note, "password") {
			t.Errorf("a password field has the focus: %+v", row)
		}
	}
	if last := got.Rows[6]; last.Before != "" || last.After == "" && !left(last.Note) {
		t.Errorf("it had the focus before the last act, and not after it: %+v", last)
	}
	nowhere(t, w, typed, hidden)

	w.traceKept(t, p, first.After)
}

// traceKept looks at how a trace of seven acts is kept, makes a page of it and
// deletes it. after is one of its pictures.
func (w *World) traceKept(t *testing.T, p program, after string) {
	t.Helper()
	for _, dir := range []string{"trace", filepath.Join("trace", filepath.Base(filepath.Dir(after)))} {
		if info, err := os.Stat(filepath.Join(w.State, dir)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s is %v, %v", dir, info.Mode(), err)
		}
	}
	var open traced
	w.Owner().OK(&open, "trace", p.handle, "--open")
	raw, err := os.ReadFile(open.Page)
	if err != nil || !strings.Contains(string(raw), after) || !strings.Contains(string(raw), "Alpha") {
		t.Errorf("the page %s: %v", open.Page, err)
	}
	p.Stop(p.handle)

	// It outlives the window, and goes when the person says so.
	var gone traced
	w.Owner().OK(&gone, "trace", p.handle, "--delete")
	if gone.Deleted == nil || gone.Deleted.Acts != 7 || gone.Deleted.Files == 0 || gone.Deleted.Bytes == 0 {
		t.Errorf("deleted %+v", gone.Deleted)
	}
	if left := w.jpegs(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	var bare traced
	w.Owner().OK(&bare, "trace", p.handle)
	if len(bare.Rows) != 7 || bare.Rows[0].Before != "" || bare.Rows[0].Verb != "click" {
		t.Errorf("the acts themselves: %+v", bare.Rows)
	}
}

// jpegs are the pictures of the trace that lie in the state directory.
func (w *World) jpegs() []string {
	w.t.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Join(w.State, "trace"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jpg") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
	return found
}

// TestTraceWithoutTree: where nobody knows what the keys went to the whole
// picture is filled in, from then on; keys that type nothing do not.
func TestTraceWithoutTree(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Session("alice")
	win := a.Open("xterm", "--size", "800x600")
	top := Rect{X: 0, Y: 0, W: 300, H: 60}
	Eventually(t, "the shell has said something", func() bool { _, img := a.Screenshot(win.Handle); return !flat(img, top) })
	a.Act("click", win.Handle, "--at", "100,100")
	a.Act("key", win.Handle, "Left")
	a.Act("click", win.Handle, "--at", "120,100")
	a.Act("type", win.Handle, "echo Zq6termZq6")
	a.Act("click", win.Handle, "--at", "140,100")
	got := w.trace(win.Handle, 5)
	for i, want := range []struct{ before, after bool }{{false, false}, {false, true}, {false, false}, {false, true}, {true, true}} {
		row := got.Rows[i]
		if row.Before == "" || row.After == "" {
			// A machine that is too busy leaves one out, and says so.
			if !left(row.Note) {
				t.Errorf("act %d has no pictures: %+v", i, row)
			}
			continue
		}
		if before, after := flat(picture(t, row.Before), top), flat(picture(t, row.After), top); before != want.before || after != want.after {
			t.Errorf("act %d, %s: filled in %v before and %v after, want %v", i, row.Verb, before, after, want)
		}
	}
	a.Stop(win.Handle)
}

// TestTraceOff: with the pictures switched off the acts are told without.
func TestTraceOff(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t, "VIBESPACE_TRACE_PICTURES=false")
	a := w.Session("alice")
	win := a.Open("xterm")
	a.Act("click", win.Handle, "--at", "100,100")
	var got traced
	w.Owner().OK(&got, "trace", win.Handle)
	if len(got.Rows) != 1 || got.Rows[0].Verb != "click" || got.Rows[0].Before+got.Rows[0].After != "" {
		t.Errorf("%+v", got.Rows)
	}
	a.Stop(win.Handle)
	if _, err := os.Stat(filepath.Join(w.State, "trace")); err == nil {
		t.Error("there is a directory for pictures")
	}
}
