package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// TestZombiesAreReaped: a daemon that is the first process of a container
// collects what its applications leave behind. The directory for temporary files
// is the container's own, so that no X server outside meets its locks.
func TestZombiesAreReaped(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	cmd := exec.Command(need.Tool(t, "bwrap"), "--dev-bind", "/", "/", "--tmpfs", "/tmp", "--bind", os.TempDir(), os.TempDir(),
		"--unshare-pid", "--as-pid-1", "--proc", "/proc", w.program("vibespaced"))
	cmd.Env, cmd.Dir = w.env, "/"
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the world's end, which comes first, asks it to go down
	t.Cleanup(w.down)
	Eventually(t, "the daemon listens", func() bool {
		_, err := os.Stat(filepath.Join(w.Runtime, "api.sock"))
		return err == nil
	})
	a, said := w.Default(), w.File("said", "")
	win := a.Open("xterm", "--", "-e", "sh", "-c", "for i in 1 2 3 4; do (sh -c 'echo $$ >> "+said+"' &); done; exec cat")
	Eventually(t, "four orphans have lived", func() bool {
		raw, err := os.ReadFile(said)
		return err == nil && strings.Count(string(raw), "\n") == 4
	})
	daemon := w.daemonPID()
	Eventually(t, "no orphan is a zombie", func() bool { return len(zombiesOf(t, daemon)) == 0 })
	a.Stop(win.Handle)
	Eventually(t, "nothing of the display is a zombie", func() bool { return len(zombiesOf(t, daemon)) == 0 })
}

// zombiesOf lists the children of a process that ended and were not collected.
func zombiesOf(t *testing.T, parent int) (pids []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // no process, or gone
		}
		f := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		if len(f) > 1 && f[0] == "Z" && f[1] == strconv.Itoa(parent) {
			pids = append(pids, e.Name())
		}
	}
	return pids
}
