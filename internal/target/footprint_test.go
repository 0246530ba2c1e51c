package target

import (
	"testing"
	"time"
)

// TestFootprintCrossings: a report for each time it grows past the line from
// below nine tenths of it, and one an hour at most.
func TestFootprintCrossings(t *testing.T) {
	t.Parallel()
	const line = 1000
	var f footprint
	start := time.Now()
	for i, step := range []struct {
		after time.Duration
		bytes int64
		want  bool
	}{
		{0, 999, false},
		{time.Minute, 1000, true},
		{2 * time.Minute, 5000, false},             // it is known
		{3 * time.Hour, 5000, false},               // for as long as it stays
		{3*time.Hour + time.Minute, 950, false},    // not far enough below
		{3*time.Hour + 2*time.Minute, 1001, false}, // so this is no new crossing
		{3*time.Hour + 3*time.Minute, 899, false},
		{3*time.Hour + 4*time.Minute, 1001, true},
		{3*time.Hour + 5*time.Minute, 100, false},
		{3*time.Hour + 6*time.Minute, 2000, false}, // within the hour
		{4*time.Hour + 3*time.Minute, 2000, false},
		{4*time.Hour + 4*time.Minute, 2000, true}, // still there when it is over
	} {
		if got := f.crosses(step.bytes, line, start.Add(step.after)); got != step.want {
			t.Errorf("step %d: %d after %v: %v", i, step.bytes, step.after, got)
		}
	}
}
