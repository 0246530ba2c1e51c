package need

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if os.Getenv("NEED_SCENARIO") != "" {
		MainWith(m, Config{Grace: 500 * time.Millisecond})
	}
	Main(m)
}

// fakeT records what a check does to its test.
type fakeT struct {
	testing.TB
	failed, skipped string
}

func (f *fakeT) Helper()                    {}
func (f *fakeT) Fatal(args ...any)          { f.failed = args[0].(string); panic(f) }
func (f *fakeT) Skip(args ...any)           { f.skipped = args[0].(string); panic(f) }
func (f *fakeT) Fatalf(s string, _ ...any)  { f.failed = s; panic(f) }
func catch(f *fakeT, body func(testing.TB)) { defer func() { _ = recover() }(); body(f) }

func TestToolMissing(t *testing.T) {
	tests := []struct {
		name, ci, require string
		fails             bool
	}{
		{"on a person's machine", "", "", false},
		{"CI says no", "false", "", false},
		{"CI", "true", "", true},
		{"required here", "", "1", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("CI", test.ci)
			t.Setenv("VIBESPACE_REQUIRE", test.require)
			t.Setenv("PATH", t.TempDir())
			f := &fakeT{}
			catch(f, func(tb testing.TB) { Mousepad(tb) })
			said := f.skipped
			if test.fails {
				said = f.failed
			}
			if !strings.Contains(said, "Debian package mousepad") {
				t.Errorf("a missing mousepad: failed %q, skipped %q", f.failed, f.skipped)
			}
		})
	}
}

func TestToolUnknown(t *testing.T) {
	f := &fakeT{}
	catch(f, func(tb testing.TB) { Tool(tb, "no-such-row") })
	if f.failed == "" {
		t.Error("a tool without a row did not fail the test")
	}
}

func TestEnvironmentIsTheRuns(t *testing.T) {
	for _, name := range personal {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("%s=%s reaches the tests", name, value)
		}
	}
	for _, name := range []string{"TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if !strings.HasPrefix(os.Getenv(name), theRun.dir) {
			t.Errorf("%s=%s is not the run's", name, os.Getenv(name))
		}
	}
}

// TestScenario is what the child programs of TestLeaks run: each leaves one
// kind of thing behind.
func TestScenario(t *testing.T) {
	switch os.Getenv("NEED_SCENARIO") {
	case "":
		return
	case "clean":
		Dir(t)
		Shared(t)
		t.TempDir()
	case "goroutine":
		go func() { select {} }()
	case "file":
		if err := os.WriteFile(filepath.Join(os.TempDir(), "forgotten"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	case "child":
		start(t, exec.Command("sleep", "600"))
	case "escaped":
		// Twice forked, in a session of its own: only its environment tells.
		start(t, exec.Command("setsid", "--fork", "sh", "-c", "setsid --fork sleep 600"))
		until(t, "what escaped is alone", func() bool {
			left := belonging(theRun.dir, os.Getpid())
			return len(left) == 1 && left[0].cmdline == "sleep 600" && left[0].ppid != os.Getpid()
		})
	case "segment":
		if _, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600); err != nil {
			t.Fatal(err)
		}
	case "socket":
		// An X server that was killed: a lock with its pid, a socket nobody
		// answers at.
		number := os.Getenv("NEED_NUMBER")
		lock := "/tmp/.X" + number + "-lock"
		if err := os.WriteFile(lock, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: xSockets + "/X" + number, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
	}
}

// until polls for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(45 * time.Second); !ok(); time.Sleep(look) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// start runs a program nobody waits for.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestLeaks(t *testing.T) {
	const number = "59999"
	if err := os.MkdirAll(xSockets, 0o1777); err != nil {
		t.Fatal(err)
	}
	defer os.Remove("/tmp/.X" + number + "-lock")
	defer os.Remove(xSockets + "/X" + number)
	tests := []struct{ scenario, says string }{
		{"clean", ""},
		{"goroutine", "found unexpected goroutines"},
		{"file", "/forgotten"},
		{"child", "sleep 600"},
		{"escaped", "its environment names this run): sleep 600"},
		{"segment", "shared memory segment"},
		{"socket", xSockets + "/X" + number},
	}
	for _, test := range tests {
		t.Run(test.scenario, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestScenario$", "-test.count=1")
			cmd.Env = append(os.Environ(), "NEED_SCENARIO="+test.scenario, "NEED_NUMBER="+number)
			out, err := cmd.CombinedOutput()
			if (err != nil) != (test.says != "") {
				t.Errorf("ended with %v:\n%s", err, out)
			}
			if !bytes.Contains(out, []byte(test.says)) {
				t.Errorf("does not name what was left, %q:\n%s", test.says, out)
			}
			removeSegments(t, out)
		})
	}
	if left := belonging(theRun.dir, os.Getpid()); len(left) > 0 {
		t.Errorf("leaked processes were not ended: %v", left)
	}
}

// removeSegments takes away what the segment scenario left on purpose.
func removeSegments(t *testing.T, out []byte) {
	t.Helper()
	for line := range strings.Lines(string(out)) {
		_, rest, ok := strings.Cut(line, "shared memory segment ")
		if !ok {
			continue
		}
		id, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestSweepEndsWhatATimedOutRunLeft(t *testing.T) {
	base := t.TempDir()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, runPrefix+strconv.Itoa(gone.Process.Pid)+".1")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	left := exec.Command("sleep", "600")
	left.Env = []string{"XDG_RUNTIME_DIR=" + dir + "/run"}
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	// The kernel tells that it runs before it shows its environment.
	until(t, "it is marked", func() bool { return marked(left.Process.Pid, dir) != "" })
	sweep(base)
	if err := left.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the process the run left ended with %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the run's directory is still there: %v", err)
	}
}

func TestDirIsShortAndPrivate(t *testing.T) {
	dir := Dir(t)
	if len(dir) > 60 {
		t.Errorf("%s is too long for a socket's directory", dir)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestBinaryIsBuiltOnce(t *testing.T) {
	const gofumpt = "mvdan.cc/gofumpt"
	if first, again := Binary(t, gofumpt), Binary(t, gofumpt); first != again {
		t.Errorf("two binaries: %s, %s", first, again)
	}
}

func TestEveryToolIsInstalledBySetup(t *testing.T) {
	list, err := os.ReadFile("../../packaging/packages.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{"git": true, "python3": true} // there before us, and brought by the bindings
	for line := range strings.Lines(string(list)) {
		if f := strings.Fields(line); len(f) > 0 {
			listed[f[0]] = true
		}
	}
	for name, row := range tools {
		if !listed[row.pkg] {
			t.Errorf("%s comes from %s, which packaging/packages.txt does not list", name, row.pkg)
		}
	}
}
