package daemontest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

// TestStreamsThatEndAtOnce: an answer in lines that is over before the request
// has been sent to its end arrives whole, and so does the refusal of a batch
// whose lines are still coming.
func TestStreamsThatEndAtOnce(t *testing.T) {
	t.Parallel()
	need.Display(t)
	need.Xterm(t)
	d := New(t)
	ctx, a := t.Context(), d.Session("a")
	win, err := a.Open(ctx, api.OpenRequest{App: "xterm"})
	if err != nil {
		t.Fatal(err)
	}
	h := win.Window.Handle
	lines := strings.Repeat(`{"verb":"status"}`+"\n", 200)
	for n := range 100 {
		err := a.Batch(ctx, api.BatchRequest{Handle: h}, io.MultiReader(strings.NewReader(`{"verb":"key","keys":["no+such"]}`+"\n"), strings.NewReader(lines)),
			func(api.BatchLine) error { return nil })
		if api.CodeOf(err) != api.BadKey {
			t.Fatalf("batch %d: %v", n, err)
		}
	}
	if _, err := a.Stop(ctx, api.HandleRequest{Handle: h}); err != nil {
		t.Fatal(err)
	}
	for n := range 300 {
		var said []string
		err := a.Changes(ctx, api.ChangesRequest{Handle: h}, func(c api.Change) error {
			said = append(said, c.Change)
			return nil
		})
		if got := strings.Join(said, " "); err != nil || got != "now ended" {
			t.Fatalf("watch %d: %q, %v", n, got, err)
		}
	}
	for n := range 300 {
		if err := a.Changes(ctx, api.ChangesRequest{Handle: "w99"}, func(api.Change) error { return errors.New("told of nothing") }); api.CodeOf(err) != api.NotExposed {
			t.Fatalf("refused watch %d: %v", n, err)
		}
	}
}
