package acceptance

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"vibespace/internal/need"
)

// TestNothingOfTheStarterReachesAnything: the daemon is started by an agent
// whose environment holds its own and another's token, a provider's key and a
// display; no process of the world holds any of them afterwards.
func TestNothingOfTheStarterReachesAnything(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	token := w.Session("starter").env[0]
	w.Owner().OK(nil, "down")
	secrets := []string{"sk-neverseen0123", "another-token-0123", ":7701", "unix:path=/never/seen/bus", "/never/seen/authority"}
	starter := w.Session("starter").With(
		"OPENAI_API_KEY="+secrets[0], "ANTHROPIC_API_KEY="+secrets[0], "OTHER_SESSION_TOKEN="+secrets[1], "DISPLAY="+secrets[2],
		"DBUS_SESSION_BUS_ADDRESS="+secrets[3], "XAUTHORITY="+secrets[4])
	win := starter.Open("xterm")
	secrets = append(secrets, token[len("VIBESPACE_SESSION_TOKEN="):])

	list := w.look()
	if len(list) < 4 {
		t.Errorf("only %v is there", list)
	}
	for _, p := range list {
		for _, file := range []string{"environ", "cmdline"} {
			raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.pid, file))
			if err != nil {
				continue // it has ended
			}
			for _, secret := range secrets {
				if bytes.Contains(raw, []byte(secret)) {
					t.Errorf("the %s of %s holds %q", file, p, secret)
				}
			}
		}
		if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.pid)); p.daemon(w) && (err != nil || cwd != "/") {
			t.Errorf("the daemon lies in %s: %v", cwd, err)
		}
	}
	nowhere(t, w, secrets...)
	starter.Stop(win.Handle)
}

// TestPrivatePlaces: nobody else of the machine can look at what is the
// person's, and a display asks for its cookie.
func TestPrivatePlaces(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	win := a.Open("xterm")
	for _, dir := range []string{w.Runtime, w.State} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
	for _, file := range []string{"/api.sock", "/owner"} {
		if info, err := os.Stat(w.Runtime + file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	a.Stop(win.Handle)
}
