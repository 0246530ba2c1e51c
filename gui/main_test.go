package gui

import (
	"os"
	"testing"
	"time"
)

// TestMain gives the tests a configuration of their own: Fyne reads the
// person's.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vg.")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CONFIG_HOME", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func now() time.Time { return time.Now() }
