package display

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/atspi"
	"vibespace/internal/need"
	"vibespace/internal/proc"
)

func TestQtFindsTheAccessibilityBus(t *testing.T) {
	t.Parallel()
	featherpad := need.Featherpad(t)
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: featherpad})
	until(t, "featherpad registers", func() bool { return registered(t, d, app.PID()) })
	if got := d.Toolkit(app); got != Qt5 {
		t.Errorf("toolkit %q", got)
	}
}

func TestGTKFindsTheAccessibilityBus(t *testing.T) {
	t.Parallel()
	mousepad := need.Mousepad(t)
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: mousepad})
	until(t, "mousepad registers", func() bool { return registered(t, d, app.PID()) })
	if got := d.Toolkit(app); got != GTK3 {
		t.Errorf("toolkit %q", got)
	}
}

// registered reports whether a process shows a window on the accessibility bus:
// Qt connects to it also where it does not find it to register.
func registered(t testing.TB, d *Display, pid int) bool {
	apps, err := d.Access().Apps(t.Context())
	return err == nil && slices.ContainsFunc(apps, func(a atspi.App) bool { return a.PID == pid && a.Children > 0 })
}

func TestTerminalHasNoToolkit(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: xterm})
	until(t, "xterm is a client", func() bool {
		pids, err := d.X().ClientPIDs(t.Context())
		return err == nil && slices.Contains(pids, app.PID())
	})
	if got := d.Toolkit(app); got != NoToolkit {
		t.Errorf("toolkit %q", got)
	}
}

// Nothing of whoever starts us reaches a server, a bus or an application: not
// their token, not their keys, not their display.
func TestNothingOfTheStarterGetsIn(t *testing.T) {
	xterm := need.Xterm(t)
	secrets := map[string]string{
		"VIBESPACE_SESSION_TOKEN": "vst-not-for-you", "OPENAI_API_KEY": "sk-not-for-you", "ANTHROPIC_API_KEY": "ak-not-for-you",
		"DISPLAY": ":77", "WAYLAND_DISPLAY": "wayland-77", "XAUTHORITY": "/home/nobody/.Xauthority", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus",
		"SSH_AUTH_SOCK": "/nonexistent/agent", "NO_AT_BRIDGE": "1", "AT_SPI_BUS_ADDRESS": "unix:path=/nonexistent/a11y",
	}
	for key, value := range secrets {
		t.Setenv(key, value)
	}
	d := begin(t, Config{})
	app := launch(t, d, AppSpec{Path: xterm, Env: []string{"MINE=1"}})
	until(t, "xterm runs its shell", func() bool {
		below, err := proc.Descendants(app.PID())
		return err == nil && len(below) > 0
	})
	found, err := d.Processes()
	if err != nil || len(found) < 6 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, p := range found {
		env, err := proc.Environ(p.PID)
		if err != nil {
			continue // ended meanwhile
		}
		if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "VIBESPACE_DISPLAY_ID=") }) {
			t.Errorf("%s %s carries no mark", p.What, p.Name)
		}
		for key, value := range secrets {
			for _, entry := range env {
				if entry == key+"="+value || strings.Contains(entry, "not-for-you") {
					t.Errorf("%s %s has %s", p.What, p.Name, entry)
				}
			}
		}
	}
	env, err := proc.Environ(app.PID())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"MINE=1", "DISPLAY=" + d.Number(), "XAUTHORITY=" + d.CookieFile(), "LANG=C.UTF-8", "HOME=" + d.at.home()} {
		if !slices.Contains(env, want) {
			t.Errorf("the application lacks %s", want)
		}
	}
}

func TestAppOutputAndEnd(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	app := launch(t, d, shell(`echo "to stdout in $PWD"; echo "no such file: x" >&2; exit 3`))
	select {
	case <-app.Done():
	case <-time.After(patience):
		t.Fatal("still runs")
	}
	if st, ok := app.Exit(); !ok || st.Code != 3 {
		t.Errorf("ended with %v, %v", st, ok)
	}
	if got := strings.Join(app.LastWords(), "|"); got != "to stdout in "+d.at.home()+"|no such file: x" {
		t.Errorf("last words %q", got)
	}
}

// A program that floods its log keeps a short one, whose end is whole.
func TestFloodKeepsItsLastWords(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	flood := launch(t, d, shell(`i=0; while [ $i -lt 40 ]; do head -c 65536 /dev/zero | tr '\0' 'y' | fold -w 100; echo; i=$((i+1)); done; : >flooded; while [ ! -e go ]; do sleep 0.02; done; echo the end`))
	until(t, "the flood is over and the log short again", func() bool {
		_, err := os.Stat(filepath.Join(d.at.home(), "flooded"))
		info, statErr := os.Stat(flood.LogFile)
		return err == nil && statErr == nil && used(info) <= maxLog
	})
	if err := os.WriteFile(filepath.Join(d.at.home(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-flood.Done():
	case <-time.After(patience):
		t.Fatal("still floods")
	}
	if got := flood.LastWords(); len(got) == 0 || got[len(got)-1] != "the end" {
		t.Errorf("last words %q", got)
	}
	text, err := flood.Output(2000)
	if err != nil || len(text) != 2000 || !bytes.HasSuffix(text, []byte("yy\nthe end\n")) {
		t.Errorf("%d bytes of output, %v, ending %q", len(text), err, text[max(0, len(text)-20):])
	}
}

func TestLaunchOfNothing(t *testing.T) {
	t.Parallel()
	d := begin(t, Config{})
	for _, path := range []string{"/nonexistent/program", "xterm", "/etc/passwd"} {
		if app, err := d.Launch(t.Context(), AppSpec{Path: path}); err == nil || app != nil {
			t.Errorf("launched %q", path)
		}
	}
	if _, err := d.Launch(t.Context(), AppSpec{Path: "/nonexistent/program"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not say that it is not there", err)
	}
}
