package target

import (
	"context"
	"fmt"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// checkLines bounds the lines a difference is recorded with.
const checkLines = 10

// checkTries and checkPause are how often and how far apart a kept tree is
// compared again that was found to differ: by longer than an application takes
// to paint, and to tell, what it has just changed.
const (
	checkTries = 4
	checkPause = 100 * time.Millisecond
)

// checked is view where kept trees are doubted: whatever was answered from one is
// read again as a whole, aside of what is kept, and compared. The whole read is
// what is answered. A window that changes by itself between the two differs as
// well, and is right a moment later: a difference is recorded when what is kept
// goes on being answered, and goes on being wrong.
func (t *turn) checked(ctx context.Context, r api.SnapshotRequest, ref func(*item) api.Ref) (api.Snapshot, error) {
	for try := 1; ; try++ {
		kept, err := t.view(ctx, r, ref)
		if err != nil || !t.e.cfg.CheckTrees || kept.Source != atspi.SourceResident {
			return kept, err
		}
		whole, err := t.viewAs(ctx, r, readOpts{doubt: atspi.DoubtAll, aside: true}, ref)
		if err != nil {
			return whole, err
		}
		differs := differences(kept.Nodes, whole.Nodes)
		if len(differs) == 0 {
			return whole, nil
		}
		if try == checkTries {
			t.e.cfg.Log.Error("a kept tree differs from the whole read", "handle", t.w.handle, "lines", differs)
			return whole, nil
		}
		select {
		case <-time.After(checkPause):
		case <-ctx.Done():
			return whole, t.w.fault(ctx.Err())
		}
	}
}

// differences lists what two snapshots say differently, a line each.
func differences(a, b []api.Node) []string {
	var lines []string
	for n := range max(len(a), len(b)) {
		var was, is string
		if n < len(a) {
			was = a[n].Line()
		}
		if n < len(b) {
			is = b[n].Line()
		}
		if was != is {
			lines = append(lines, fmt.Sprintf("kept %s, is %s", was, is))
		}
		if len(lines) == checkLines {
			break
		}
	}
	return lines
}
