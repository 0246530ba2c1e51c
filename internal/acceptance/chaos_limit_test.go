package acceptance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vibespace/internal/need"
)

// limitFaults are those of what the kernel gives.
func limitFaults() []fault {
	return []fault{
		{
			name: "no file descriptors", made: "RLIMIT_NOFILE of the running daemon lowered to what it has open", within: 5 * time.Second, short: true,
			answer: "`start_failed`, `unreachable` or done; as before once there are descriptors", run: noDescriptors,
		},
		{
			name: "no inotify", made: "a user namespace with no inotify instances", within: 10 * time.Second,
			answer: "opens, reads and acts as before", run: noInotify,
		},
		{
			name: "no shared memory", made: "an IPC namespace with no SysV segments", within: 10 * time.Second,
			answer: "pictures come through the socket of the X server; reads and acts as before", run: noSegments,
		},
		{
			name: "clock set back a day", made: "every time in the database a day later, between two daemons", within: 5 * time.Second,
			answer: "the window is back with its lease, which can be let go and taken", run: func(h *harm) { clockJumps(h, 24*time.Hour) },
		},
		{
			name: "clock set forward a day", made: "every time in the database a day earlier, between two daemons", within: 5 * time.Second,
			answer: "the window is back with its lease, which can be let go and taken", run: func(h *harm) { clockJumps(h, -24*time.Hour) },
		},
	}
}

// limited sets the soft limit of a process's descriptors.
func (h *harm) limited(pid, most int) {
	h.t.Helper()
	if out, err := exec.Command("prlimit", "--pid", itoa(pid), fmt.Sprintf("--nofile=%d:", most)).CombinedOutput(); err != nil {
		h.t.Fatalf("prlimit: %v: %s", err, out)
	}
}

func noDescriptors(h *harm) {
	h.world()
	p := h.a.fixture("gtk3.py")
	pid := h.w.daemonPID()
	open := h.w.descriptors()
	may := []string{"done", "unreachable", "start_failed", "not_responding", "store_failed", "timeout"}
	// First none at all, then what a few verbs need and a display does not.
	h.limited(pid, open)
	h.hurt()
	h.says(h.a, may, "list")
	h.says(h.a, may, "screenshot", p.handle)
	h.limited(pid, open+6)
	h.says(h.a, may, "open", "xterm")
	h.limited(pid, 1024)
	p.works()
	h.healed()
	h.a.Open("xterm")
	h.stopAll()
	Eventually(h.t, "the daemon holds no more than before", func() bool { return h.w.descriptors() <= open })
}

// within starts the daemon in namespaces of its own, after a line of shell that
// takes something away there; false when this machine does not let us.
func (h *harm) within(spaces []string, line string) bool {
	h.t.Helper()
	h.w = NewWorld(h.t)
	args := append(spaces, "sh", "-c", line+` && exec "$0"`, h.w.program("vibespaced"))
	if out, err := exec.Command("unshare", append(spaces, "sh", "-c", line)...).CombinedOutput(); err != nil {
		h.skipped("no such namespace", fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out))))
		return false
	}
	cmd := exec.Command("unshare", args...)
	cmd.Env, cmd.Dir = h.w.env, "/"
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = cmd.Wait() }) // the world's end, which comes first, asks it to go down
	h.t.Cleanup(h.w.down)
	Eventually(h.t, "the daemon listens", func() bool {
		_, err := os.Stat(filepath.Join(h.w.Runtime, "api.sock"))
		return err == nil
	})
	h.a = h.w.Session("agent")
	return true
}

// useful goes through what a window is for.
func (h *harm) useful() {
	h.t.Helper()
	h.hurt()
	p := h.a.fixture("gtk3.py")
	p.works()
	h.says(h.a, []string{"done"}, "screenshot", p.handle)
	h.says(h.a, []string{"done"}, "key", p.handle, "a")
	h.healed()
	h.down = h.w.Record(h.t, p.window).Down()
	h.stopAll()
}

func noInotify(h *harm) {
	if h.within([]string{"-U", "-r"}, "echo 0 > /proc/sys/user/max_inotify_instances") {
		h.useful()
	}
}

func noSegments(h *harm) {
	if h.within([]string{"-i"}, "echo 0 > /proc/sys/kernel/shmmni") {
		h.useful()
	}
}

// clockJumps ends the daemon and moves every time it wrote: the wall clock of a
// machine has no namespace, and setting it would be every program's business.
func clockJumps(h *harm, by time.Duration) {
	need.Tool(h.t, "python3")
	h.world()
	p := h.a.fixture("gtk3.py")
	h.w.killDaemon()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, need.SystemPython, "testdata/clock.py", filepath.Join(h.w.State, "state.db"), fmt.Sprint(int(by.Milliseconds())))
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	} else {
		h.t.Logf("moved: %s", out)
	}
	h.hurt()
	h.says(h.a, []string{"done"}, "list")
	other := h.w.Session("other")
	h.w.Owner().OK(nil, "share", p.handle, "--with", "session:other")
	h.says(other, []string{"held"}, "attach", p.handle)
	p.works()
	h.says(h.a, []string{"done"}, "detach", p.handle)
	h.says(other, []string{"done"}, "attach", p.handle)
	h.healed()
	h.stopAll()
}
