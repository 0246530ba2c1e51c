package target

import (
	"context"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/display"
)

// TestClaimWaitsForTheDisplay: the display of a browser that an earlier daemon
// left is waited for from before anything is asked of it, and one that could not
// be taken back holds nobody up.
func TestClaimWaitsForTheDisplay(t *testing.T) {
	t.Parallel()
	e := &Engine{unclaimed: map[api.Handle]*unclaimed{}}
	o := &display.Orphan{ID: "d1", For: "b1"}
	for _, back := range []*display.Display{{}, nil} {
		h := e.expectHost(o)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if e.claim(over, "b1") != nil || e.unclaimed["b1"] != h {
			t.Error("it was claimed before it was known")
		}
		got := make(chan *display.Display, 1)
		go func() { got <- e.claim(t.Context(), "b1") }()
		h.display = back
		e.hostKnown(o, h)
		if d := <-got; d != back {
			t.Errorf("claimed %p, want %p", d, back)
		}
		if e.claim(t.Context(), "b1") != nil || len(e.unclaimed) != 0 {
			t.Errorf("it can be claimed twice: %v", e.unclaimed)
		}
	}
	if e.expectHost(&display.Orphan{ID: "d2"}) != nil || len(e.unclaimed) != 0 {
		t.Error("a display that is no browser's is waited for")
	}
}
