package client

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }

// patience is how long a loaded machine may take for what comes by itself.
const patience = time.Minute

// place is directories for one daemon, and the daemon's program.
func place(t *testing.T) (api.Paths, string) {
	t.Helper()
	dir := need.Dir(t)
	return api.Paths{
		Socket: filepath.Join(dir, "run", "api.sock"), Runtime: filepath.Join(dir, "run"), State: filepath.Join(dir, "state"),
	}, need.Binary(t, "vibespace/cmd/vibespaced")
}

// owner makes a client of the person that may start the daemon, and takes the
// daemon down when the test ends.
func owner(t *testing.T, change ...func(*Config)) *Client {
	t.Helper()
	paths, program := place(t)
	cfg := Config{Paths: paths, Daemon: program, Owner: true, Version: "dev", Environ: environ()}
	for _, f := range change {
		f(&cfg)
	}
	c := New(cfg)
	t.Cleanup(func() {
		if c.Listens(context.Background()) {
			if _, err := c.Down(context.Background(), api.DownRequest{}); err != nil {
				t.Errorf("down: %v", err)
			}
		}
		c.Close()
	})
	return c
}

// environ is what a starter has, with what must not reach the daemon.
func environ() []string {
	return append(os.Environ(), "VIBESPACE_SESSION_TOKEN=tok-secret", "SOME_API_KEY=key-secret", "DISPLAY=:77", "PASSWORD=pw-secret")
}

// processEnv is the environment a process started with.
func processEnv(t *testing.T, pid string) string {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(raw), "\x00", "\n")
}
