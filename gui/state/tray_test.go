package state

import (
	"slices"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// TestTray: what lives is in the tray's menu with how it stands, and what needs
// the person is marked.
func TestTray(t *testing.T) {
	is := func(change func(*api.Window)) api.Window {
		w := api.Window{Handle: "w1", App: "xterm", Title: "Mail", State: "ready", Input: "agent"}
		if change != nil {
			change(&w)
		}
		return w
	}
	long := strings.Repeat("x", 200)
	for name, c := range map[string]struct {
		windows []api.Window
		want    []string
		needed  bool
	}{
		"nothing":  {nil, nil, false},
		"watched":  {[]api.Window{is(nil)}, []string{"Mail – Watching"}, false},
		"ended":    {[]api.Window{is(func(w *api.Window) { w.Ended = &api.Ended{Why: "it exited"}; w.Questions = 1 })}, nil, false},
		"asked":    {[]api.Window{is(nil), is(func(w *api.Window) { w.Questions = 2 })}, []string{"Mail – Watching", "● Mail – Watching"}, true},
		"paused":   {[]api.Window{is(func(w *api.Window) { w.Input, w.Driven = "user", &api.Driven{} })}, []string{"● Mail – Paused"}, true},
		"driving":  {[]api.Window{is(func(w *api.Window) { w.Input, w.Driven = "user", &api.Driven{Viewer: "me"} })}, []string{"Mail – You are in control"}, false},
		"long":     {[]api.Window{is(func(w *api.Window) { w.Title = long })}, []string{long[:trayTitle-1] + "… – Watching"}, false},
		"untitled": {[]api.Window{is(func(w *api.Window) { w.Title = "" })}, []string{"xterm – Watching"}, false},
	} {
		items, needed := Tray(English, c.windows, "me")
		var got []string
		for _, i := range items {
			got = append(got, i.Text)
		}
		if !slices.Equal(got, c.want) || needed != c.needed {
			t.Errorf("%s: %q, needed %v", name, got, needed)
		}
	}
}
