package target

import (
	"testing"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// TestEndedWindowsHoldNothing: an ended window once kept its display's
// connections and its trees as long as the daemon ran, while its row must go on
// naming the display.
func TestEndedWindowsHoldNothing(t *testing.T) {
	t.Parallel()
	w := newWindow("w1", program{}, api.OpenRequest{}, "alice", "opened")
	w.display, w.shown = &display.Display{}, "w1-abcd"
	w.board, w.kept = &x11.Clipboard{}, &keeping{}
	w.apps = map[string]atspi.App{":1.1": {}}
	w.tellsAll("alice", tellings(nil))
	w.letGo()
	if w.display != nil || w.board != nil || w.kept != nil || w.apps != nil || len(w.known) > 0 {
		t.Errorf("an ended window still holds something: %+v", w)
	}
	if row := w.row(); row.Display != "w1-abcd" {
		t.Errorf("its row names the display %q", row.Display)
	}
}
