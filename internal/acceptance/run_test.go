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

// TestRunTokenIsNowhere: while a command runs that has a window, its token, the
// person's credential and the window's cookie are on no command line of any
// process and in no log of the daemon's, and the token is in no file at all.
func TestRunTokenIsNowhere(t *testing.T) {
	t.Parallel()
	need.Tool(t, "bwrap")
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t)
			s := w.start(append(slices.Clip(way), "sh", "-ec", `echo $VIBESPACE_SESSION_TOKEN
"$0" open xterm --timeout 60s >&2; echo; read wait; "$0" stop w1 --timeout 60s >&2`, w.program("vibespace-window"))...)
			token := s.line(t)
			if len(token) < 40 {
				t.Fatalf("the token is %q", token)
			}
			s.line(t) // the window is there
			secrets := append(w.secrets(), []byte(token))
			lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
			if err != nil || len(lines) < 3 {
				t.Fatal(lines, err)
			}
			for _, path := range lines {
				raw, err := os.ReadFile(path)
				for _, secret := range secrets {
					if err == nil && bytes.Contains(raw, secret) {
						t.Errorf("%s holds the secret %x: %q", path, secret, raw)
					}
				}
			}
			w.unlogged(secrets)
			nowhere(t, w, token)
			if _, err := io.WriteString(s.stdin, "\n"); err != nil {
				t.Fatal(err)
			}
			if err := s.Wait(); err != nil {
				t.Error(err)
			}
			w.unlogged(secrets)
			nowhere(t, w, token)
		})
	}
}

// secrets are the person's credential and the cookies of the displays there
// are, as they are and as they are written in words.
func (w *World) secrets() [][]byte {
	w.t.Helper()
	owner, err := os.ReadFile(filepath.Join(w.Runtime, "owner"))
	if owner = bytes.TrimSpace(owner); err != nil || len(owner) < 20 {
		w.t.Fatalf("the credential is %d bytes: %v", len(owner), err)
	}
	list := [][]byte{owner}
	err = filepath.WalkDir(w.Runtime, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.Contains(strings.ToLower(d.Name()), "auth") || !d.Type().IsRegular() {
			return nil // what vanishes meanwhile is no display's any more
		}
		// The file ends with the cookie: 16 bytes of MIT-MAGIC-COOKIE-1.
		if raw, err := os.ReadFile(path); err == nil && len(raw) > 16 {
			cookie := raw[len(raw)-16:]
			list = append(list, cookie, fmt.Appendf(nil, "%x", cookie))
		}
		return nil
	})
	if err != nil || len(list) < 3 {
		w.t.Fatalf("%d secrets: no cookie was found: %v", len(list), err)
	}
	return list
}

// unlogged: none of some secrets is in what the daemon or an application
// wrote.
func (w *World) unlogged(secrets [][]byte) {
	w.t.Helper()
	logs := 0
	for _, dir := range []string{w.State, w.Runtime} {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(d.Name(), ".log") {
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			logs++
			for _, secret := range secrets {
				if bytes.Contains(raw, secret) {
					w.t.Errorf("%s holds the secret %x", path, secret)
				}
			}
			return nil
		})
	}
	if logs == 0 {
		w.t.Error("there is no log to look at")
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
def window(*words):
    out = subprocess.run(["vibespace-window", *words, "--json", "--timeout", "60s"], capture_output=True, text=True)
    return json.loads(out.stdout)
listed = window("list")
opened = window("open", "xterm")
handle = opened.get("window", {}).get("handle", "none")
worked = [opened, window("key", handle, "Return"), window("screenshot", handle, "--out", "seen.png"), window("stop", handle)]
print(json.dumps({
    "reached": sorted(reached), "list": listed, "refused": [a for a in worked if not a["ok"]],
    "picture": os.path.exists("seen.png") and os.path.getsize("seen.png"), "noStart": os.environ.get("VIBESPACE_NO_START", ""),
    "pids": [p for p in os.listdir("/proc") if p.isdigit()],
}))
`

// forbidden is what a sandbox must not reach while another session's program
// runs, each with the way to it.
func (p program) forbidden() map[string][2]string {
	p.t.Helper()
	asked := map[string][2]string{
		"owner":    {"file", filepath.Join(p.w.Runtime, "owner")},
		"database": {"file", filepath.Join(p.w.State, "state.db")},
		"log":      {"file", filepath.Join(p.w.State, "vibespaced.log")},
		"daemon":   {"file", fmt.Sprintf("/proc/%d/environ", p.w.daemonPID())},
		"app":      {"file", fmt.Sprintf("/proc/%d/environ", p.window.PID)},
	}
	// Another agent's token lies in a file of another place.
	elsewhere := filepath.Join(p.w.Home, "token")
	if err := os.WriteFile(elsewhere, []byte(p.w.tokens["other"]), 0o600); err != nil {
		p.t.Fatal(err)
	}
	asked["token"] = [2]string{"file", elsewhere}
	app, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.window.PID))
	if err != nil {
		p.t.Fatal(err)
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
	asked["tcp"] = [2]string{"tcp", strconv.Itoa(listening(p.t, "tcp", "127.0.0.1:0").(*net.TCPAddr).Port)}
	listening(p.t, "unix", "@"+abstract)
	return asked
}

// TestRunSandbox: from inside a sandbox the person's credential, another
// display's cookie and bus, another's token, other processes, ports of this
// machine and X sockets are out of reach, each of which a plain command does
// reach; and vibespace-window opens, drives and shows a window there.
func TestRunSandbox(t *testing.T) {
	t.Parallel()
	need.Tool(t, "bwrap")
	need.Tool(t, "python3")
	need.Xterm(t)
	w := NewWorld(t)
	p := w.Session("other").fixture("gtk3.py")
	asked := p.forbidden()
	script := w.File("probe.py", prober)
	question, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		Reached, PIDs []string
		List          struct {
			OK      bool
			Session string
			Windows []Window
		}
		Refused []json.RawMessage
		Picture any
		NoStart string
	}
	probe := func(way []string) (got found) {
		t.Helper()
		env := append(slices.Clip(w.env), "ASKED="+string(question))
		env[0] = "PATH=" + filepath.Dir(w.program("vibespace-window")) + ":" + os.Getenv("PATH")
		r := w.run(w.program("vibespace"), env, nil, append(slices.Clip(way), need.SystemPython, script))
		if err := json.Unmarshal(r.JSON, &got); err != nil || r.Status != 0 {
			t.Fatalf("the probe: %v, %v", err, r)
		}
		alive := slices.ContainsFunc(got.List.Windows, func(win Window) bool { return win.State != "ended" })
		if !got.List.OK || got.List.Session != "agent" || alive {
			t.Errorf("vibespace-window list inside: %+v", got.List)
		}
		if size, ok := got.Picture.(float64); len(got.Refused) > 0 || !ok || size == 0 {
			t.Errorf("a window inside: refused %s, a picture of %v bytes", got.Refused, got.Picture)
		}
		return got
	}
	if got := probe(ways["plain"]); len(got.Reached) != len(asked) {
		t.Errorf("a plain command reaches %v of %v: the probe proves nothing", got.Reached, asked)
	}
	got := probe(ways["sandbox"])
	if len(got.Reached) > 0 {
		t.Errorf("inside, these are in reach: %v", got.Reached)
	}
	if got.NoStart != "1" {
		t.Errorf("inside, VIBESPACE_NO_START is %q: a command there would start a daemon of its own", got.NoStart)
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
func listening(t testing.TB, network, address string) net.Addr {
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
