package target

import (
	"fmt"
	"testing"
	"time"

	"vibespace/internal/api"
)

// endedWindow is a window that ended a while after a moment.
func endedWindow(h api.Handle, at time.Time) *window {
	w := newWindow(h, program{}, api.OpenRequest{}, "alice", "opened")
	w.ended = &api.Ended{Why: "it was stopped", At: at}
	close(w.down)
	return w
}

// TestListIsBounded: of the windows that ended a list tells the newest, in their
// place, and the engine remembers a bounded number.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	t0 := time.Now()
	e := &Engine{windows: map[api.Handle]*window{}}
	const n = keepEnded + 20
	for i := range n {
		w := endedWindow(api.Handle(fmt.Sprintf("w%d", i+1)), t0.Add(time.Duration(-i)*time.Second)) // the first ended last
		if i == 50 {
			w = newWindow(w.handle, program{}, api.OpenRequest{}, "alice", "opened")
		}
		e.windows[w.handle] = w
		e.order = append(e.order, w.handle)
	}
	got, more := newestEnded(e.all(), 3)
	handles := ""
	for _, w := range got {
		handles += string(w.handle) + " "
	}
	if handles != "w1 w2 w3 w51 " || more != n-1-3 {
		t.Errorf("listed %s and %d more", handles, more)
	}
	if got, more := newestEnded(e.all(), n); len(got) != n || more != 0 {
		t.Errorf("%d listed and %d more, within the bound", len(got), more)
	}
	e.forgetOld()
	if len(e.windows) != keepEnded+1 || len(e.order) != keepEnded+1 || e.windows["w51"] == nil || e.windows["w1"] == nil || e.windows["w120"] != nil {
		t.Errorf("%d windows are remembered, %d in order", len(e.windows), len(e.order))
	}
}
