package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

// patience is how long a loaded machine may take for what comes by itself.
const patience = time.Minute

// TestScripts runs the real programs, the daemon they start among them, on
// directories of each script's own.
func TestScripts(t *testing.T) {
	bin := ""
	for _, name := range []string{"vibespaced", "vibespace", "vibespace-window", "vibespace-browser"} {
		bin = filepath.Dir(need.Binary(t, "vibespace/cmd/"+name))
	}
	testscript.Run(t, testscript.Params{
		Dir:             "testdata/script",
		WorkdirRoot:     need.Dir(t),
		ContinueOnError: false,
		Setup:           func(env *testscript.Env) error { return setupScript(env, bin) },
		Condition:       condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"field": field, "exits": exits, "setfield": setField, "secret": secret, "waitgone": waitGone, "waitstopped": waitStopped, "setpid": setPID,
			"interrupted": interrupted, "cancelled": cancelled, "empty": empty, "eventually": eventually,
		},
	})
}

// condition is [app:NAME]: a program is there. What it needs is asked by the
// tests of package need; a script whose program is missing says so.
func condition(cond string) (bool, error) {
	name, ok := strings.CutPrefix(cond, "app:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	_, err := exec.LookPath(name)
	if err != nil && need.Required() {
		return false, fmt.Errorf("%s is missing: run make setup", name)
	}
	return err == nil, nil
}

// setupScript gives a script its own daemon's directories, and takes the
// daemon down after it.
func setupScript(env *testscript.Env, bin string) error {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	env.Vars = append(env.Vars,
		"PATH="+bin+":"+os.Getenv("PATH"), "HOME="+filepath.Join(dir, "home"),
		"VIBESPACE_SOCKET="+filepath.Join(dir, "run", "api.sock"), "VIBESPACE_STATE_DIR="+filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "LANG=C.UTF-8", "RUN="+filepath.Join(dir, "run"), "STATE="+filepath.Join(dir, "state"))
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o700); err != nil {
		return err
	}
	env.Defer(func() {
		// A script that failed may have left its daemon stopped.
		if raw, err := os.ReadFile(filepath.Join(dir, "run", "runtime.lock")); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && isOurs(pid, bin) {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
		cmd := exec.Command(filepath.Join(bin, "vibespace"), "down")
		cmd.Env = env.Vars
		if out, err := cmd.CombinedOutput(); err != nil {
			env.T().Log("vibespace down:", err, string(out))
		}
		if err := os.RemoveAll(dir); err != nil {
			env.T().Log(err)
		}
	})
	return nil
}

// lookUp finds a path like window.mode.share in the JSON object on stdout.
func lookUp(ts *testscript.TestScript, path string) (any, bool) {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil {
		ts.Fatalf("stdout is no JSON object: %v", err)
	}
	for _, key := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = at[key]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(key)
			if key == "len" {
				v = float64(len(at))
				continue
			}
			if err != nil || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// field compares a field of the JSON on stdout: field path [JSON or text].
// Without a value it has to be there.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: field path [value]")
	}
	got, there := lookUp(ts, args[0])
	same := there
	if len(args) == 2 && there {
		var want any
		if json.Unmarshal([]byte(args[1]), &want) != nil {
			want = args[1]
		}
		same = reflect.DeepEqual(got, want)
	}
	if same == neg {
		ts.Fatalf("%s is %v (there: %v) in %s", args[0], got, there, ts.ReadFile("stdout"))
	}
}

// setField keeps a field of the JSON on stdout in a variable: setfield VAR path.
func setField(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: setfield VAR path")
	}
	v, ok := lookUp(ts, args[1])
	if !ok {
		ts.Fatalf("no %s in %s", args[1], ts.ReadFile("stdout"))
	}
	text, isText := v.(string)
	if !isText {
		raw, err := json.Marshal(v)
		ts.Check(err)
		text = string(raw)
	}
	ts.Setenv(args[0], text)
}

// exits runs a program and compares its exit status: exits 2 vibespace-window …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits status program args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s exits %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// waitGone waits until a process has ended: waitgone PID.
func waitGone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitgone pid")
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		raw, err := os.ReadFile("/proc/" + args[0] + "/stat")
		threads, _ := os.ReadDir("/proc/" + args[0] + "/task")
		// A leader that is a zombie may have threads that still hold the socket.
		if err != nil || (strings.Contains(string(raw), ") Z ") && len(threads) <= 1) {
			return
		}
	}
	ts.Fatalf("process %s is still there", args[0])
}

// waitStopped waits until every thread of a process has stopped, which a
// signal takes its time for: waitstopped PID.
func waitStopped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitstopped pid")
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stats, _ := filepath.Glob("/proc/" + args[0] + "/task/*/stat")
		running := len(stats) == 0
		for _, stat := range stats {
			raw, _ := os.ReadFile(stat)
			running = running || !strings.Contains(string(raw), ") T ")
		}
		if !running {
			return
		}
	}
	ts.Fatalf("process %s does not stop", args[0])
}

// isOurs says whether a process runs a program of the tests' own.
func isOurs(pid int, bin string) bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && filepath.Dir(exe) == bin
}

// setPID keeps the daemon's pid in a variable: setpid VAR.
func setPID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: setpid VAR")
	}
	ts.Check(ts.Exec("vibespace", "up", "--json"))
	v, ok := lookUp(ts, "pid")
	if !ok {
		ts.Fatalf("no pid")
	}
	ts.Setenv(args[0], fmt.Sprintf("%.0f", v))
}

// interrupted starts a program, interrupts it once it speaks to the daemon,
// and wants exit status 130: interrupted program args…
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: interrupted program args…")
	}
	var out, errs bytes.Buffer
	path, err := exec.LookPath(filepath.Join(strings.Split(ts.Getenv("PATH"), ":")[0], args[0]))
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &errs, ts.Getenv("WORK")
	for _, name := range []string{"PATH", "HOME", "VIBESPACE_SOCKET", "VIBESPACE_STATE_DIR", "VIBESPACE_SESSION_TOKEN"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(cmd.Start())
	for end := time.Now().Add(patience); !speaks(cmd.Process.Pid) && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	err = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		ts.Fatalf("%v: exit %d, want 130 (%v)\n%s%s", args, got, err, out.String(), errs.String())
	}
	ts.Check(os.WriteFile(ts.MkAbs("said"), out.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("complained"), errs.Bytes(), 0o600))
	ts.Check(ts.Exec("sh", "-c", "cat said; cat complained >&2"))
}

// speaks says whether a process has a socket open.
func speaks(pid int) bool {
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:") {
			return true
		}
	}
	return false
}

// cancelled interrupts a verb until it was cancelled in the daemon: an interrupt
// may come before the daemon has heard of the verb. cancelled verb program args…
func cancelled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: cancelled verb program args…")
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		interrupted(ts, false, args[1:])
		ts.Check(ts.Exec("vibespace", "audit", "--json"))
		var a api.AuditAnswer
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &a))
		for _, row := range a.Rows {
			if row.Verb == args[0] && row.Verdict == string(api.Cancelled) {
				return
			}
		}
	}
	ts.Fatalf("no row of %s that was cancelled in %s", args[0], ts.ReadFile("stdout"))
}

// eventually runs a program until its standard output is as an expression has it:
// an application does what it was told in its own time. eventually expression
// program args…
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: eventually expression program args…")
	}
	is, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ts.Exec(args[1], args[2:]...) == nil && is.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("never %s: %s", args[0], ts.ReadFile("stdout"))
}

// empty waits until no process of any display runs.
func empty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: empty")
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		ts.Check(ts.Exec("vibespace", "ps", "--json"))
		if n, ok := lookUp(ts, "processes.len"); ok && n == 0.0 {
			return
		}
	}
	ts.Fatalf("still there: %s", ts.ReadFile("stdout"))
}

// secret looks for a text in the environment and the command line of the
// daemon and every process it knows, and in its log: secret TEXT.
func secret(ts *testscript.TestScript, neg bool, args []string) {
	if !neg || len(args) != 1 {
		ts.Fatalf("usage: ! secret text")
	}
	ts.Check(ts.Exec("vibespace", "ps", "--json"))
	var ps struct {
		Daemon    int `json:"daemon"`
		Processes []struct {
			PID int `json:"pid"`
		} `json:"processes"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &ps))
	pids := []int{ps.Daemon}
	for _, p := range ps.Processes {
		pids = append(pids, p.PID)
	}
	files := []string{filepath.Join(ts.Getenv("STATE"), "vibespaced.log"), filepath.Join(ts.Getenv("STATE"), "state.db"), filepath.Join(ts.Getenv("STATE"), "state.db-wal")}
	for _, pid := range pids {
		files = append(files, fmt.Sprintf("/proc/%d/environ", pid), fmt.Sprintf("/proc/%d/cmdline", pid))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(raw), args[0]) {
			ts.Fatalf("%s holds %q", file, args[0])
		}
	}
}
