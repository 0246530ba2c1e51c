package acceptance

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// keptRounds is how many acts each application is given between two looks.
const keptRounds = 25

// TestKeptTreesAreChecked acts on applications at random, with the daemon told
// to compare every answer from a kept tree with a whole read: it has never found
// a difference. The seed is in the log of a run that did.
func TestKeptTreesAreChecked(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, "VIBESPACE_TREE_CHECK=true")
	for name, open := range map[string]func(c *Caller) string{
		"gtk3":       func(c *Caller) string { return c.fixture("gtk3.py").handle },
		"gtk4":       func(c *Caller) string { return c.fixture("gtk4.py").handle },
		"qt5":        func(c *Caller) string { return c.fixture("qt5.py").handle },
		"mousepad":   func(c *Caller) string { return c.Open(need.Mousepad(t)).Handle },
		"featherpad": func(c *Caller) string { return c.Open(need.Featherpad(t)).Handle },
	} {
		t.Run(name, func(t *testing.T) {
			c := w.Default().In(t)
			h := open(c)
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 1))
			for range keptRounds {
				var s Snapshot
				r := c.Run("snapshot", h)
				if !r.OK {
					t.Fatalf("%v", r)
				}
				r.Into(t, &s)
				if s.Source == "resident" {
					t.Fatal("the daemon does not compare")
				}
				var able []Node
				for _, n := range s.Nodes {
					if keptControls[n.Role] && len(n.Actions) > 0 || n.Role == "text" {
						able = append(able, n)
					}
				}
				if len(able) == 0 {
					t.Fatalf("nothing can be done: %+v", s.Nodes)
				}
				n := able[rng.IntN(len(able))]
				if n.Role == "text" {
					c.Run("type", h, n.Ref, "é 你 x", "--timeout", "5s")
				} else {
					c.Run("click", h, n.Ref, "--timeout", "5s") // whatever comes of it
				}
				if rng.IntN(3) == 0 {
					time.Sleep(time.Duration(rng.IntN(120)) * time.Millisecond)
				}
			}
			c.OK(nil, "stop", h)
		})
	}
	log, err := os.ReadFile(filepath.Join(w.State, "vibespaced.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "kept tree differs") {
			t.Error(line)
		}
	}
}

// keptControls are the roles that are pressed: none that opens a dialog of its
// own loop or closes the window.
var keptControls = map[string]bool{
	"toggle button": true, "check box": true, "radio button": true, "page tab": true, "check menu item": true, "spin button": true,
}
