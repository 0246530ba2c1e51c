package target

import (
	"context"
	"fmt"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// checkLines bounds the lines a difference is recorded with.
const checkLines = 10

// checked is view where kept trees are doubted: whatever was answered from one is
// read again as a whole and compared. The whole read is what is answered; a
// difference is recorded. A window that changes by itself between the
// two differs as well, so a difference counts only when a second whole read is
// like the first.
func (t *turn) checked(ctx context.Context, r api.SnapshotRequest, ref func(*item) api.Ref) (api.Snapshot, error) {
	kept, err := t.view(ctx, r, ref)
	if err != nil || !t.e.cfg.CheckTrees || kept.Source != atspi.SourceResident {
		return kept, err
	}
	r.Fresh = true
	whole, err := t.view(ctx, r, ref)
	if err != nil {
		return whole, err
	}
	differs := differences(kept.Nodes, whole.Nodes)
	if len(differs) == 0 {
		return whole, nil
	}
	again, err := t.view(ctx, r, ref)
	if err != nil || len(differences(whole.Nodes, again.Nodes)) > 0 {
		return again, err
	}
	t.e.cfg.Log.Error("a kept tree differs from the whole read", "handle", t.w.handle, "lines", differs)
	return again, nil
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
