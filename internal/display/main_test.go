package display

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"vibespace/internal/need"
)

// daemonVariable makes this test program a daemon that has displays below the
// directory named and is killed: what is left of it is the test.
const (
	daemonVariable = "DISPLAY_TEST_DAEMON"
	rungVariable   = "DISPLAY_TEST_RUNG"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(daemonVariable); dir != "" {
		beDaemon(dir)
	}
	need.Main(m)
}

// beDaemon starts two displays with an application each, says so, and waits to
// be killed.
func beDaemon(dir string) {
	for _, id := range []ID{"one", "two"} {
		cfg := Config{RuntimeDir: dir, Log: slog.Default(), Rung: Rung(os.Getenv(rungVariable))}
		d, err := Start(context.Background(), cfg, id)
		if err == nil {
			_, err = d.Launch(context.Background(), shell(`(setsid env -i /bin/sleep 1000 &); i=0; while :; do echo "tick $i"; i=$((i+1)); sleep 0.05; done`))
		}
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	fmt.Println("ready")
	select {}
}
