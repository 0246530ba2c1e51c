package target

import (
	"image"
	"testing"

	"pgregory.net/rapid"
)

// TestRegionsCoverWhatWasAdded: whatever is merged, no pixel that changed is
// lost, and the number stays bounded.
func TestRegionsCoverWhatWasAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var g region
		var added []image.Rectangle
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			side := rapid.IntRange(0, 200)
			r := image.Rect(side.Draw(t, "x0"), side.Draw(t, "y0"), side.Draw(t, "x1"), side.Draw(t, "y1"))
			g.add(r)
			if !r.Empty() {
				added = append(added, r)
			}
		}
		if len(g.rects) > regionRects {
			t.Fatalf("%d rectangles", len(g.rects))
		}
		for _, r := range added {
			found := false
			for _, have := range g.rects {
				found = found || r.In(have)
			}
			if !found {
				t.Fatalf("%v is in none of %v", r, g.rects)
			}
		}
	})
}
