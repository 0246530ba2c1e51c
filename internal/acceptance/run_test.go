package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vibespace/internal/need"
)

// ways are the two ways of running a command as a session.
var ways = map[string][]string{"plain": {"run", "--session", "agent", "--"}, "sandbox": {"run", "--sandbox", "--session", "agent", "--"}}

// started is a command that vibespace run runs beside the test.
type started struct {
	*exec.Cmd
	out   *bufio.Reader
	stdin io.WriteCloser
}

// start runs vibespace with words that are not --json's.
func (w *World) start(words ...string) started {
	w.t.Helper()
	cmd := exec.Command(w.program("vibespace"), words...)
	cmd.Dir, cmd.Env, cmd.Stderr = w.Work, w.env, os.Stderr
	return begin(w.t, cmd)
}

// begin starts a command with its input and output in the test's hands.
func begin(t testing.TB, cmd *exec.Cmd) started {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return started{cmd, bufio.NewReader(out), in}
}

// line reads a line of its output.
func (s started) line(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the command said %q and then nothing: %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// TestRunSignals: a signal sent to run reaches the command once, which decides
// what it does; one it dies of is told in the status.
func TestRunSignals(t *testing.T) {
	t.Parallel()
	need.Tool(t, "bwrap")
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t)
			s := w.start(append(slices.Clip(way), "sh", "-c",
				`n=0; trap 'n=$((n+1)); echo term $n' TERM; trap 'exit 3' USR1; echo ready; while :; do sleep 0.05; done`)...)
			if got := s.line(t); got != "ready" {
				t.Fatalf("it says %q", got)
			}
			for n := range 2 {
				if err := s.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if got := s.line(t); got != fmt.Sprint("term ", n+1) {
					t.Errorf("it says %q", got)
				}
			}
			if err := s.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			_ = s.Wait()
			if got := s.ProcessState.ExitCode(); got != 3 {
				t.Errorf("exit status %d", got)
			}
			s = w.start(append(slices.Clip(way), "sh", "-c", `kill -9 $$`)...)
			_ = s.Wait()
			if state := s.ProcessState; state.ExitCode() != 137 && state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Errorf("it ended by %v", state)
			}
		})
	}
}

// TestRunTokenIsNowhere: while a command runs, its token is on no command line
// of any process and in no file of the daemon's.
func TestRunTokenIsNowhere(t *testing.T) {
	t.Parallel()
	need.Tool(t, "bwrap")
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t)
			s := w.start(append(slices.Clip(way), "sh", "-c", `echo $VIBESPACE_SESSION_TOKEN; vibespace-window list >&2; read wait`)...)
			token := s.line(t)
			if len(token) < 40 {
				t.Fatalf("the token is %q", token)
			}
			lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
			if err != nil || len(lines) < 3 {
				t.Fatal(lines, err)
			}
			for _, path := range lines {
				if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(token)) {
					t.Errorf("%s holds the token: %q", path, raw)
				}
			}
			nowhere(t, w, token)
			if _, err := io.WriteString(s.stdin, "\n"); err != nil {
				t.Fatal(err)
			}
			if err := s.Wait(); err != nil {
				t.Error(err)
			}
			nowhere(t, w, token)
		})
	}
}

// prober tries what it is told to reach and says, as JSON, what it reached.
const prober = `
import json, os, socket, subprocess, sys
asked = json.loads(os.environ["ASKED"])
def reads(path):
    with open(path, "rb") as f:
        return len(f.read()) >= 0
def joins(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(3)
        s.connect(address)
        return True
ways = {
    "file": reads,
    "unix": lambda p: joins(socket.AF_UNIX, p),
    "abstract": lambda p: joins(socket.AF_UNIX, "\0" + p),
    "tcp": lambda p: joins(socket.AF_INET, ("127.0.0.1", int(p))),
}
reached = []
for name, (way, what) in asked.items():
    try:
        if ways[way](what):
            reached.append(name)
    except OSError:
        pass
out = subprocess.run(["vibespace-window", "list", "--json"], capture_output=True, text=True)
print(json.dumps({"reached": sorted(reached), "list": out.stdout, "pids": [p for p in os.listdir("/proc") if p.isdigit()]}))
`

// TestRunSandbox: from inside a sandbox the person's credential, another
// display's cookie and bus, another's token, other processes, ports of this
// machine and X sockets are out of reach, each of which a plain command does
// reach; and vibespace-window works.
func TestRunSandbox(t *testing.T) {
	t.Parallel()
	need.Tool(t, "bwrap")
	need.Tool(t, "python3")
	w := NewWorld(t)
	p := w.Session("other").fixture("gtk3.py")
	asked := map[string][2]string{
		"owner":    {"file", filepath.Join(w.Runtime, "owner")},
		"database": {"file", filepath.Join(w.State, "state.db")},
		"log":      {"file", filepath.Join(w.State, "vibespaced.log")},
		"daemon":   {"file", fmt.Sprintf("/proc/%d/environ", w.daemonPID())},
		"app":      {"file", fmt.Sprintf("/proc/%d/environ", p.window.PID)},
	}
	// Another agent's token lies in a file of another place.
	elsewhere := filepath.Join(w.Home, "token")
	if err := os.WriteFile(elsewhere, []byte(w.tokens["other"]), 0o600); err != nil {
		t.Fatal(err)
	}
	asked["token"] = [2]string{"file", elsewhere}
	app, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.window.PID))
	if err != nil {
		t.Fatal(err)
	}
	for kv := range strings.SplitSeq(string(app), "\x00") {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "XAUTHORITY":
			asked["cookie"] = [2]string{"file", value}
		case "DBUS_SESSION_BUS_ADDRESS":
			path, _, _ := strings.Cut(strings.TrimPrefix(value, "unix:path="), ",")
			asked["bus"] = [2]string{"unix", path}
		case "DISPLAY":
			asked["x"] = [2]string{"unix", "/tmp/.X11-unix/X" + strings.TrimPrefix(value, ":")}
		}
	}
	// Our servers have neither port nor abstract socket; the person's own has.
	abstract := fmt.Sprintf("/tmp/.X11-unix/X%d", 90000+os.Getpid())
	asked["abstract"] = [2]string{"abstract", abstract}
	asked["tcp"] = [2]string{"tcp", strconv.Itoa(listening(t, "tcp", "127.0.0.1:0").(*net.TCPAddr).Port)}
	listening(t, "unix", "@"+abstract)
	script := w.File("probe.py", prober)
	question, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	probe := func(way []string) (found struct {
		Reached, PIDs []string
		List          string
	},
	) {
		t.Helper()
		env := append(slices.Clip(w.env), "ASKED="+string(question))
		env[0] = "PATH=" + filepath.Dir(w.program("vibespace-window")) + ":" + os.Getenv("PATH")
		r := w.run(w.program("vibespace"), env, nil, append(slices.Clip(way), need.SystemPython, script))
		if err := json.Unmarshal(r.JSON, &found); err != nil || r.Status != 0 {
			t.Fatalf("the probe: %v, %v", err, r)
		}
		var list struct {
			OK      bool
			Session string
			Windows []Window
		}
		if err := json.Unmarshal([]byte(found.List), &list); err != nil || !list.OK || list.Session != "agent" || len(list.Windows) > 0 {
			t.Errorf("vibespace-window list inside: %s", found.List)
		}
		return found
	}
	if got := probe(ways["plain"]); len(got.Reached) != len(asked) {
		t.Errorf("a plain command reaches %v of %v: the probe proves nothing", got.Reached, asked)
	}
	got := probe(ways["sandbox"])
	if len(got.Reached) > 0 {
		t.Errorf("inside, these are in reach: %v", got.Reached)
	}
	if len(got.PIDs) > 4 {
		t.Errorf("inside, these processes are seen: %v", got.PIDs)
	}
	// From a directory that holds everything of ours it is the same.
	w.Work = w.Dir
	if got := probe(ways["sandbox"]); !slices.Equal(got.Reached, []string{"token"}) {
		t.Errorf("from above, in reach: %v; the token lies in the working directory, and nothing else may be", got.Reached)
	}
	w.Work = w.Runtime
	r := w.run(w.program("vibespace"), w.env, nil, append([]string{"--json"}, append(slices.Clip(ways["sandbox"]), "true")...))
	if r.Status != 2 {
		t.Errorf("from the runtime directory: %v", r)
	}
	p.Stop(p.handle)
}

// listening accepts connections until the test ends, and gives its address.
func listening(t *testing.T, network, address string) net.Addr {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr()
}
