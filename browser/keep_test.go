package browser

import (
	"log/slog"
	"path/filepath"
	"testing"

	"vibespace/browser/page"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

// TestNumbersThatCouldNotBeKept: a number that could not be written is not
// believed written, and no answer tells of it.
func TestNumbersThatCouldNotBeKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "s")
	must(t, store.PrivateDir(dir))
	db, err := store.Open(dir)
	must(t, err)
	must(t, db.Close()) // nothing can be written
	e := &Engine{cfg: Config{Store: db, Log: slog.New(slog.DiscardHandler)}}
	r := &running{upTo: 10, told: map[api.TabID]store.BrowserTab{}}
	none := func() []*page.Page { return nil }
	for range 2 { // it is tried again
		if err := e.write(t.Context(), r, none, func() int { return 11 }); api.CodeOf(err) != api.StoreFailed || r.upTo != 10 {
			t.Errorf("%v; numbers up to %d are believed written", err, r.upTo)
		}
	}
	must(t, e.write(t.Context(), r, none, func() int { return 10 }))
}
