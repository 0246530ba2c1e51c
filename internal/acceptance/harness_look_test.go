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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, need.Tool(t, "python3"), "testdata/walk.py", fmt.Sprint(win.PID))
	cmd.Env = w.environ(t, win.PID)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
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
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
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

// Whole checks what holds for the default snapshot of every window: the parts
// agree with each other, bounds lie in the picture, and everything that a person
// sees is there, as often as they see it.
func (s Snapshot) Whole(t testing.TB, win Window, sees map[Control]int) {
	t.Helper()
	if s.Census.Listed != len(s.Nodes) || len(s.Nodes) == 0 || s.Cut != nil || s.Census.Unreadable != 0 {
		t.Errorf("%s: %d nodes, census %+v, cut %v", win.App, len(s.Nodes), s.Census, s.Cut)
	}
	depth := map[string]int{}
	count := map[Control]int{}
	for _, n := range s.Nodes {
		if depth[n.Ref] != 0 {
			t.Errorf("%s: %s is there twice", win.App, n.Ref)
		}
		depth[n.Ref] = n.Depth + 1
		switch up := n.Parent; {
		case up == nil && n.Depth != 0, up != nil && depth[*up] != n.Depth:
			t.Errorf("%s: %s is at %d and its parent at %d", win.App, n.Ref, n.Depth, depth[*n.Parent]-1)
		}
		switch {
		case n.Bounds == nil:
			t.Errorf("%s: %s %q %s has no bounds: %v", win.App, n.Role, n.Name, n.Ref, n.States)
		case n.Window == 0 && !n.Bounds.Within(win.Size):
			t.Errorf("%s: %s %q %s reaches out of %v: %v", win.App, n.Role, n.Name, n.Ref, win.Size, *n.Bounds)
		}
		if n.States == nil || n.Actions == nil {
			t.Errorf("%s: a list of %s is null", win.App, n.Ref)
		}
		if strings.HasPrefix(n.Name, "Gtk") {
			t.Errorf("%s: the name of %s is a class: %s", win.App, n.Ref, n.Name)
		}
		count[Control{n.Role, n.Name}]++
	}
	for c, times := range sees {
		if count[c] != times {
			t.Errorf("%s: %s %q is there %d times, not %d", win.App, c.Role, c.Name, count[c], times)
		}
	}
	if t.Failed() {
		t.Logf("%s", s)
	}
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
