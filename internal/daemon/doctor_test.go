package daemon

import (
	"os"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// TestLookWindow: an end nobody asked for and a process that died are named
// with the command that mends them; what is well is said to be.
func TestLookWindow(t *testing.T) {
	t.Parallel()
	me := os.Getpid()
	row := func(name string) api.PsRow { return api.PsRow{Handle: "w1", PID: me, Name: name, What: "x"} }
	whole := []api.PsRow{row("Xvfb"), row("dbus-daemon"), row("at-spi-bus-laun"), row("at-spi2-registr"), {Handle: "w2", PID: 1 << 30, Name: "Xvfb"}}
	live := api.Window{Handle: "w1", App: "xterm", State: "ready", Display: ":1"}
	ended := func(why string, status int) api.Window {
		return api.Window{Handle: "w1", App: "xterm", State: "ended", Ended: &api.Ended{Why: why, Status: &status}}
	}
	for _, c := range []struct {
		name string
		w    api.Window
		rows []api.PsRow
		ok   bool
		says string // "" for no finding
		mend string
	}{
		{"well", live, whole, true, "ready on :1, 4 processes", ""},
		{"stopped", ended("it was stopped", 0), nil, true, "", ""},
		{"closed", ended("the application ended (status 0)", 0), nil, true, "", ""},
		{"killed", ended("the application ended (signal killed)", -1), nil, false, "signal killed", "vibespace-window open xterm"},
		{"display died", ended("its display ended: its X server ended", 0), nil, false, "X server", "vibespace-window open xterm"},
		{"no registry", live, whole[:3], false, "accessibility registry", "vibespace stop w1"},
		{"nothing", live, nil, false, "X server", "vibespace stop w1"},
		{"a dead one", live, append([]api.PsRow{{Handle: "w1", PID: 1 << 30, Name: "app", What: "app"}}, whole...), false, "pid 1073741824", "vibespace stop w1"},
		{"starting", api.Window{Handle: "w1", State: "starting"}, nil, true, "starting", ""},
	} {
		got := lookWindow(c.w, c.rows)
		if (len(got) == 0) != (c.says == "") {
			t.Errorf("%s: %+v", c.name, got)
			continue
		}
		if len(got) > 0 && (got[0].OK != c.ok || !strings.Contains(got[0].Why, c.says) || got[0].Mend != c.mend) {
			t.Errorf("%s: %+v", c.name, got[0])
		}
	}
}
