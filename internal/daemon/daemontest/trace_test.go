package daemontest

import (
	"os"
	"slices"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/api"
)

// TestTraceOfABurst: acts that follow each other at once are each told, with a
// picture or with a word why there is none, also when the window ends under
// them; what is after one is what is before the next.
func TestTraceOfABurst(t *testing.T) {
	t.Parallel()
	d := New(t)
	ctx, c, owner := t.Context(), d.Session("alice"), d.Owner()
	win, err := c.Open(ctx, api.OpenRequest{Common: api.Common{TimeoutMs: 60000}, App: fixtures.Path(t, "gtk3.py")})
	if err != nil {
		t.Fatal(err)
	}
	h := win.Window.Handle
	found, err := c.Find(ctx, api.FindRequest{Handle: h, Name: "Alpha"})
	if err != nil || len(found.Nodes) == 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	var trace api.TraceAnswer
	rows := func() []api.TraceRow {
		t.Helper()
		if trace, err = owner.Trace(ctx, api.TraceRequest{Handle: h}); err != nil {
			t.Fatal(err)
		}
		return trace.Rows
	}
	// A burst on a busy machine may have no picture at all, an act that is waited
	// for has one at last.
	told := func() int {
		n := 0
		for _, r := range rows() {
			if r.Note != "" || r.Before != "" && r.After != "" {
				n++
			}
		}
		return n
	}
	alone := 0
	pictured := func() bool {
		return slices.ContainsFunc(rows(), func(r api.TraceRow) bool { return r.Before != "" || r.After != "" })
	}
	for end := time.Now().Add(patience); !pictured(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not one picture: %+v", trace.Rows)
		}
		if told() < alone {
			continue
		}
		if _, err := c.Click(ctx, api.ClickRequest{Act: api.Act{Handle: h}, Ref: found.Nodes[0].Ref}); err != nil {
			t.Fatal(err)
		}
		alone++
	}
	const burst = 12
	acts := alone + burst
	for i := range burst {
		q := api.ClickRequest{Act: api.Act{Handle: h, NoObserve: true}, Ref: found.Nodes[0].Ref}
		if i == burst/2 {
			q.Ref, q.At = "", &api.Point{X: 600, Y: 500}
		}
		if _, err := c.Click(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Stop(ctx, api.HandleRequest{Handle: h}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); told() < acts; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("of %d acts these are told: %+v", acts, trace.Rows)
		}
	}
	if len(trace.Rows) != acts {
		t.Errorf("%d rows", len(trace.Rows))
	}
	for _, r := range trace.Rows {
		for _, path := range []string{r.Before, r.After} {
			if path == "" {
				continue
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
	}
	gone, err := owner.TraceDelete(ctx, api.TraceRequest{Handle: h})
	if err != nil || gone.Deleted == nil || gone.Deleted.Acts == 0 || gone.Deleted.Files == 0 {
		t.Errorf("%+v, %v", gone, err)
	}
}
