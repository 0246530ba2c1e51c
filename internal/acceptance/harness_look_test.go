package acceptance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// Walked is one node as the system's accessibility library sees it.
type Walked struct {
	Depth              int
	Role, Name, Fault  string
	States, Interfaces []string
}

// Walk reads the tree of a window's application past everything of ours.
func (w *World) Walk(t testing.TB, win Window) []Walked {
	t.Helper()
	need.Tool(t, "Atspi-2.0")
	var stderr bytes.Buffer
	walk := func() ([]byte, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // it asks thousands of times
		defer cancel()
		cmd := exec.CommandContext(ctx, need.Tool(t, "python3"), "testdata/walk.py", fmt.Sprint(win.PID))
		cmd.Env, cmd.Stderr = w.environ(t, win.PID), &stderr
		return cmd.Output()
	}
	out, err := walk()
	for tries := 1; err != nil && tries < 3; tries++ {
		// The library waits for each element that a busy program lets go meanwhile.
		t.Logf("walk the tree of %s: %v\n%s", win.App, err, stderr.String())
		out, err = walk()
	}
	if err != nil {
		t.Fatalf("walk the tree of %s: %v\n%s", win.App, err, stderr.String())
	}
	var nodes []Walked
	if err := json.Unmarshal(out, &nodes); err != nil {
		t.Fatalf("walk the tree of %s: %v\n%.200s", win.App, err, out)
	}
	return nodes
}

// environ is what a process of a display was started with.
func (w *World) environ(t testing.TB, pid int) []string {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
}

// SameCensus compares what a snapshot counted with what the system's library
// finds. Applications go on living meanwhile, so both look again for a while.
func (c *Caller) SameCensus(win Window) {
	c.t.Helper()
	var said, found Census
	for end := time.Now().Add(2 * soon); time.Now().Before(end); {
		said = c.Snapshot(win.Handle).Census
		found = counted(c.w.Walk(c.t, win))
		after := c.Snapshot(win.Handle).Census
		said.Listed, after.Listed = 0, 0
		if said == after && said == found {
			return
		}
	}
	c.t.Errorf("%s: the census says %+v and the system's library finds %+v", win.App, said, found)
}

// counted counts as a census does.
func counted(nodes []Walked) Census {
	n := Census{Nodes: len(nodes)}
	for _, node := range nodes {
		for _, iface := range node.Interfaces {
			switch iface {
			case "Component":
				n.Component++
			case "Action":
				n.Action++
			case "EditableText":
				n.EditableText++
			case "Text":
				n.Text++
			case "Value":
				n.Value++
			}
		}
		if node.Fault != "" {
			n.Unreadable++
		}
	}
	return n
}

// Control is something a person sees: a role and a name, "" for none.
type Control struct{ Role, Name string }

// Whole gives the default snapshot of a window that comes up, once all of it is
// so: the parts agree with each other, bounds lie in the picture, and everything
// that a person sees is there, as often as they see it. Applications go on making
// things after their window is ready, and drop what they made.
func (c *Caller) Whole(win Window, sees map[Control]int) Snapshot {
	c.t.Helper()
	var s Snapshot
	var faults []string
	for end := time.Now().Add(soon); ; time.Sleep(100 * time.Millisecond) {
		s = c.Snapshot(win.Handle)
		if faults = s.faults(win, sees); len(faults) == 0 {
			return s
		}
		if time.Now().After(end) {
			break
		}
	}
	c.t.Errorf("%s:\n%s\nin\n%s", win.App, strings.Join(faults, "\n"), s)
	return s
}

// faults says what of a snapshot is not whole.
func (s Snapshot) faults(win Window, sees map[Control]int) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if s.Census.Listed != len(s.Nodes) || len(s.Nodes) == 0 || s.Cut != nil || s.Census.Unreadable != 0 {
		fault("%d nodes, census %+v, cut %v", len(s.Nodes), s.Census, s.Cut)
	}
	depth := map[string]int{}
	count := map[Control]int{}
	for _, n := range s.Nodes {
		if depth[n.Ref] != 0 {
			fault("%s is there twice", n.Ref)
		}
		depth[n.Ref] = n.Depth + 1
		switch up := n.Parent; {
		case up == nil && n.Depth != 0, up != nil && depth[*up] != n.Depth:
			fault("%s is at %d, and its parent is not one above", n.Ref, n.Depth)
		}
		switch {
		case n.Bounds == nil:
			fault("%s %q %s has no bounds: %v", n.Role, n.Name, n.Ref, n.States)
		case n.Window == 0 && !n.Bounds.Within(win.Size):
			fault("%s %q %s reaches out of %v: %v", n.Role, n.Name, n.Ref, win.Size, *n.Bounds)
		}
		if n.States == nil || n.Actions == nil {
			fault("a list of %s is null", n.Ref)
		}
		if strings.HasPrefix(n.Name, "Gtk") {
			fault("the name of %s is a class: %s", n.Ref, n.Name)
		}
		count[Control{n.Role, n.Name}]++
	}
	for c, times := range sees {
		if count[c] != times {
			fault("%s %q is there %d times, not %d", c.Role, c.Name, count[c], times)
		}
	}
	return faults
}

// Changed waits until a window looks different from an earlier picture of it:
// toolkits paint after they have said what became of their tree.
func (c *Caller) Changed(win Window, was *image.RGBA) {
	c.t.Helper()
	Eventually(c.t, "the picture of "+win.App+" changes", func() bool { return !Same(was, c.Picture(win)) })
}

// Told checks that what came of an act is told with words that say it: by the
// act itself or, where the machine was too busy for it to come while the act
// looked, by a later snapshot.
func (c *Caller) Told(a Acted, handle, words string) {
	c.t.Helper()
	if a.Observed != nil && strings.Contains(strings.Join(a.Observed.Diff, "\n"), words) {
		return
	}
	c.t.Logf("%q is not in what was observed: %+v", words, a.Observed)
	Eventually(c.t, words+" is told", func() bool { return strings.Contains(c.anyWords("snapshot", handle, "--diff"), words) })
}

// Screenshot takes a picture, checks the answer against the file, and decodes
// it.
func (c *Caller) Screenshot(handle string, args ...string) (Picture, *image.RGBA) {
	c.t.Helper()
	var p Picture
	r := c.OK(&p, append([]string{"screenshot", handle}, args...)...)
	raw, err := os.ReadFile(p.Path)
	if err != nil {
		c.t.Fatalf("%v: %v", r, err)
	}
	sum := sha256.Sum256(raw)
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		c.t.Fatalf("%v: %v", r, err)
	}
	size := img.Bounds().Size()
	if p.SHA256 != hex.EncodeToString(sum[:]) || size != image.Pt(p.W, p.H) || p.Scale != 1 {
		c.t.Errorf("the picture of %s is %v: %v", handle, size, r)
	}
	return p, rgba(img)
}

// Picture takes the default picture of a window, which has to be the window's
// size and show something.
func (c *Caller) Picture(win Window) *image.RGBA {
	c.t.Helper()
	p, img := c.Screenshot(win.Handle)
	if p.W != win.Size.W || p.H != win.Size.H || p.Origin.X != 0 || p.Origin.Y != 0 {
		c.t.Errorf("the picture of %s is %dx%d at %v, the window %v", win.App, p.W, p.H, p.Origin, win.Size)
	}
	if blank(img) {
		c.t.Errorf("the picture of %s is blank", win.App)
	}
	return img
}

// blank says whether a picture has but one colour.
func blank(img *image.RGBA) bool {
	first := img.Pix[:4]
	for i := 4; i < len(img.Pix); i += 4 {
		if !bytes.Equal(img.Pix[i:i+4], first) {
			return false
		}
	}
	return true
}

// Same says whether two pictures are equal.
func Same(a, b *image.RGBA) bool {
	return a.Rect == b.Rect && bytes.Equal(a.Pix, b.Pix)
}

// rgba is a picture in one form, whatever its file had.
func rgba(img image.Image) *image.RGBA {
	flat := image.NewRGBA(img.Bounds())
	draw.Draw(flat, flat.Rect, img, flat.Rect.Min, draw.Src)
	return flat
}

// access is the display of a window, and the file that lets one in. A browser
// paints over what it was started with: then another process of its display is
// asked.
func (w *World) access(t testing.TB, win Window) (display, authority string) {
	t.Helper()
	pids := []int{win.PID}
	for _, p := range w.scan(false) {
		pids = append(pids, p.pid)
	}
	for _, pid := range pids {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // it may have ended
		display, authority = "", ""
		for _, v := range strings.Split(string(raw), "\x00") {
			if s, ok := strings.CutPrefix(v, "DISPLAY="); ok {
				display = s
			}
			if s, ok := strings.CutPrefix(v, "XAUTHORITY="); ok {
				authority = s
			}
		}
		if display == win.Display && authority != "" {
			return display, authority
		}
	}
	t.Fatalf("no process of %s says how to reach its display", win.Handle)
	return "", ""
}
