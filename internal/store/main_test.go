package store

import (
	"os"
	"testing"

	"vibespace/internal/need"
)

// killedIn makes this program a daemon that is to be killed, in the state
// directory the variable names, instead of the tests.
const killedIn = "KILLED_DAEMON_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedIn); dir != "" {
		answerUntilKilled(dir)
	}
	need.Main(m)
}
