package target

import (
	"slices"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/api"
)

// TestHandStopsAtTheHandback: what the person did in a viewer and what the
// daemon has not done yet is dropped when the window is handed back, and a text
// stops in the middle: it would come between what the agent does.
func TestHandStopsAtTheHandback(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{NoTrace: true})
	person, w := api.Caller{Owner: true}, d.e.window(d.h)
	_, err := d.e.Set(d.bound(), d.c, api.SetRequest{Act: api.Act{Handle: d.h, NoObserve: true}, Ref: d.ref("Notes"), Focus: true})
	must(t, err)
	_, err = d.e.Takeover(d.bound(), person, api.TakeoverRequest{Handle: d.h, Viewer: "v"})
	must(t, err)
	press := []api.InputEvent{{Do: "press", Key: "q"}, {Do: "release", Key: "q"}}
	_, err = d.e.Input(d.bound(), person, api.InputRequest{Handle: d.h, Viewer: "v", Events: press})
	must(t, err)
	d.log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "key" && e.Key == "q" }, 45*time.Second)

	text, err := readEvents([]api.InputEvent{{Do: "text", Text: "zz"}})
	must(t, err)
	h, err := d.e.hand(d.bound(), w, "v")
	must(t, err)
	w.leave() // a hand-back has begun, and waits for its turn
	d.quiet()
	d.log.Mark()
	_, err = d.e.Input(d.bound(), person, api.InputRequest{Handle: d.h, Viewer: "v", Events: press})
	if api.CodeOf(err) != api.NotAttached || api.AsError(err, "").Details["done"] != 0 {
		t.Errorf("a key: %v", err)
	}
	if err := text[0](d.bound(), h); api.CodeOf(err) != api.NotAttached {
		t.Errorf("a text: %v", err)
	}
	d.quiet()
	if got := d.log.Since(); slices.ContainsFunc(got, func(e fixtures.Event) bool { return e.Kind == "key" && e.Key != mark }) {
		t.Errorf("the program saw %v", got)
	}
}
