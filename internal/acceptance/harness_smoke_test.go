package acceptance

import (
	"testing"

	"vibespace/internal/need"
)

// TestWorldCountsWhatThereIs: the count sees a display while it is there, so
// that an empty one says something.
func TestWorldCountsWhatThereIs(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	if !before.Empty() {
		t.Fatalf("a new world has %s", before)
	}
	win := a.Open("xterm")
	a.OK(nil, "screenshot", win.Handle)
	there := w.Count()
	if len(there.Processes) < 4 || len(there.Displays) != 2 || len(there.Files) < 5 {
		t.Errorf("with a window there is %s", there)
	}
	a.Stop(win.Handle)
	w.Clean(t, before)
}
