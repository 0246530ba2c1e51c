package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestBudget: a page of five hundred controls and three hundred options is told
// whole within 24 KiB, and no change of it in less than a hundred bytes. What it
// took beside the browser's own reading of the same tree is logged, not judged.
func TestBudget(t *testing.T) {
	t.Parallel()
	_, b := own(t, Config{})
	p := openIn(t, b, "bench.html")
	s := p.snap()
	text := api.Text("snapshot", *s)
	if len(text) > 24<<10 || s.Cut != nil {
		t.Errorf("%d bytes, cut %+v", len(text), s.Cut)
	}
	for i := range 166 {
		for _, want := range []string{"Order %d", "Note %d", "Send %d", "Done %d"} {
			if name := fmt.Sprintf(want, i); !strings.Contains(text, `"`+name) {
				t.Fatalf("no %s in\n%.3000s", name, text)
			}
		}
	}
	if !strings.Contains(text, "+300 more") {
		t.Errorf("the list is not folded in\n%.1000s", text)
	}
	d, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{Diff: true})
	if said := api.Text("snapshot", *d); err != nil || len(said) >= 100 {
		t.Errorf("%d bytes for no change, %v: %s", len(said), err, said)
	}
	refs := map[string]api.Ref{}
	for _, n := range s.Nodes {
		refs[n.Name] = n.Ref
	}
	times := map[string][]time.Duration{}
	clock := func(name string, do func() error) {
		t.Helper()
		begun := time.Now()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		times[name] = append(times[name], time.Since(begun))
	}
	for i := range 11 {
		clock("bare", func() error { return p.main.s.Call(p.ctx, "Accessibility.getFullAXTree", nil, nil) })
		clock("snapshot", func() error { return second(p.Snapshot(p.ctx, api.PageSnapshotRequest{})) })
		clock("click", func() error {
			return second(p.Click(p.ctx, api.PageClickRequest{Ref: refs[fmt.Sprintf("Send %d", i)]}))
		})
		clock("fill", func() error {
			return second(p.Fill(p.ctx, api.PageFillRequest{Ref: refs[fmt.Sprintf("Note %d", i)], Text: "some text"}))
		})
	}
	for name, list := range times {
		slices.Sort(list)
		t.Logf("%s: median %v, from %v to %v", name, list[len(list)/2], list[0], list[len(list)-1])
	}
	t.Logf("%d bytes, %+v", len(text), s.Census)
}
