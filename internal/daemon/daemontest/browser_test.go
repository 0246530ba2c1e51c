package daemontest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/daemon"
	"vibespace/internal/need"
)

// TestBrowsersAtOnce: sessions that open, read, act, detach and end at the same
// time get their own answers or refusals that say why, and leave nothing.
func TestBrowsersAtOnce(t *testing.T) {
	need.Chromium(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>%[1]s</title><h1>of %[1]s</h1><input aria-label="Name">`, r.URL.Query().Get("of"))
	}))
	defer server.Close()
	d := New(t, func(c *daemon.Config) {
		c.Keeper = []string{need.Binary(t, "vibespace/cmd/vibespaced"), "keeper"}
		c.Headless = true
	})
	may := []api.Code{"", api.BrowserStopped, api.TabGone, api.Cancelled, api.BadSession, api.NotExposed}
	var all sync.WaitGroup
	for i := range 2 {
		label := api.SessionID(fmt.Sprint("s", i))
		c := d.Session(label)
		open := api.PageOpenRequest{URL: server.URL + "/?of=" + string(label)}
		check := func(verb string, err error) {
			if !slices.Contains(may, api.CodeOf(err)) {
				t.Errorf("%s %s: %v", label, verb, err)
			}
		}
		for j := range 3 {
			all.Go(func() {
				for range 3 {
					_, err := c.BrowserOpen(t.Context(), open)
					check("open", err)
					found, err := c.BrowserFind(t.Context(), api.PageFindRequest{Role: "heading"})
					check("find", err)
					for _, n := range found.Nodes {
						if n.Name != "of "+string(label) {
							t.Errorf("%s reads %q", label, n.Name)
						}
					}
					_, err = c.BrowserTab(t.Context(), api.TabRequest{Do: "new"})
					check("tab new", err)
					_, err = c.BrowserStatus(t.Context(), api.BrowserStatusRequest{})
					check("status", err)
					if j == 0 {
						_, err = c.BrowserDetach(t.Context(), api.LeaveRequest{})
						check("detach", err)
					}
				}
			})
		}
	}
	all.Wait()
	if _, err := d.Owner().SessionEnd(t.Context(), api.SessionRequest{Label: "s0"}); err != nil {
		t.Error(err)
	}
}
