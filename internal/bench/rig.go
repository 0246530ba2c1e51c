package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// rig is a daemon of its own, a client of it, and what was measured so far.
type rig struct {
	dir     string
	bin     string
	paths   api.Paths
	agent   *client.Client // the session default
	person  *client.Client
	daemon  int // pid
	rounds  int
	out     io.Writer
	words   io.Writer
	results []Result
}

// newRig starts a daemon in temporary directories.
func newRig(ctx context.Context, o options, out, words io.Writer) (*rig, error) {
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(bin, "vibespaced")
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("%w: run make build first", err)
	}
	dir, err := os.MkdirTemp("", "vb.")
	if err != nil {
		return nil, err
	}
	r := &rig{
		dir: dir, bin: bin, rounds: o.rounds, out: out, words: words,
		paths: api.Paths{
			Socket:  filepath.Join(dir, "run", "api.sock"),
			Runtime: filepath.Join(dir, "run"),
			State:   filepath.Join(dir, "state"),
		},
	}
	config := client.Config{Paths: r.paths, Daemon: program, Environ: r.environ()}
	r.agent = client.New(config)
	config.Owner = true
	r.person = client.New(config)
	hello, err := r.agent.Hello(ctx, api.HelloRequest{})
	if err != nil {
		r.end()
		return nil, fmt.Errorf("start the daemon: %w", err)
	}
	r.daemon = hello.PID
	return r, nil
}

// environ is what the daemon and the commands start with: paths of the rig,
// nothing of who runs it.
func (r *rig) environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "LANG=C.UTF-8",
		"VIBESPACE_SOCKET=" + r.paths.Socket, "VIBESPACE_RUNTIME_DIR=" + r.paths.Runtime,
		"VIBESPACE_STATE_DIR=" + r.paths.State,
	}
}

// program is the daemon's.
func (r *rig) program() string { return filepath.Join(r.bin, "vibespaced") }

// end stops the daemon and takes everything away.
func (r *rig) end() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if r.daemon != 0 {
		if _, err := r.person.Down(ctx, api.DownRequest{}); err != nil {
			fmt.Fprintln(r.words, "bench: stop the daemon:", err)
		}
	}
	r.agent.Close()
	r.person.Close()
	if err := os.RemoveAll(r.dir); err != nil {
		fmt.Fprintln(r.words, "bench:", err)
	}
}

// opened is an application on its display, and the way peers reach it.
type opened struct {
	api.Window
	peerEnv []string
}

// open opens an application as the agent.
func (r *rig) open(ctx context.Context, request api.OpenRequest) (opened, error) {
	answer, err := r.agent.Open(ctx, request)
	if err != nil {
		return opened{}, fmt.Errorf("open %s: %w", request.App, err)
	}
	return r.reach(answer)
}

// launch opens an application as the person and lets the agent attach to it:
// the road of a browser.
func (r *rig) launch(ctx context.Context, request api.OpenRequest) (opened, error) {
	request.With = "session:" + string(api.DefaultSession)
	answer, err := r.person.Launch(ctx, request)
	if err != nil {
		return opened{}, fmt.Errorf("launch %s: %w", request.App, err)
	}
	answer, err = r.agent.Attach(ctx, api.HandleRequest{Handle: answer.Window.Handle})
	if err != nil {
		return opened{}, fmt.Errorf("attach to %s: %w", request.App, err)
	}
	return r.reach(answer)
}

// peerVariables are what a peer program needs to meet the application.
var peerVariables = []string{"DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME"}

// reach learns from an environment on the application's display how a peer gets
// to it: the display's cookie and buses are nobody's business otherwise.
func (r *rig) reach(answer api.OpenAnswer) (opened, error) {
	if len(answer.NotReady) > 0 {
		return opened{}, fmt.Errorf("%s is not ready: %s", answer.Window.App, strings.Join(answer.NotReady, ", "))
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	for name, value := range onDisplay(answer.Window.PID, answer.Window.Display) {
		env = append(env, name+"="+value)
	}
	if len(env) < 2+len(peerVariables) {
		return opened{}, fmt.Errorf("environment of %s: only %q is known", answer.Window.App, env)
	}
	return opened{Window: answer.Window, peerEnv: env}, nil
}

// onDisplay gives the peer's variables from the application's environment, or
// from that of any process on its display: Chromium writes over its own.
func onDisplay(pid int, display string) map[string]string {
	places, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, place := range append([]string{fmt.Sprintf("/proc/%d/environ", pid)}, places...) {
		raw, _ := os.ReadFile(place) // a process that is gone or not ours says nothing
		found := map[string]string{}
		for _, pair := range strings.Split(string(raw), "\x00") {
			name, value, _ := strings.Cut(pair, "=")
			if slices.Contains(peerVariables, name) {
				found[name] = value
			}
		}
		if len(found) == len(peerVariables) && found["DISPLAY"] == display {
			return found
		}
	}
	return nil
}

// stop ends an application, whatever became of the measurement.
func (r *rig) stop(w opened) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err := r.agent.Stop(ctx, api.HandleRequest{Handle: w.Handle})
	if err != nil {
		_, err = r.person.PersonStop(ctx, api.HandleRequest{Handle: w.Handle})
	}
	if err != nil {
		fmt.Fprintf(r.words, "bench: stop %s: %v\n", w.App, err)
	}
}

// peer runs a peer program against an application and gives what it printed
// and how long it took.
func (w opened) peer(ctx context.Context, name string, args ...string) ([]byte, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = w.peerEnv
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	begun := time.Now()
	out, err := cmd.Output()
	took := time.Since(begun)
	if err != nil {
		return nil, took, fmt.Errorf("%s %s: %w %s", name, strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, took, nil
}

// xid finds the X window that is the application's main window by its size,
// with the root position of its top left corner: window coordinates begin
// there.
func (w opened) xid(ctx context.Context) (id string, at api.Point, err error) {
	out, _, err := w.peer(ctx, "xdotool", "search", "--onlyvisible", "--name", ".*")
	if err != nil {
		return "", api.Point{}, err
	}
	for _, id := range strings.Fields(string(out)) {
		shape, _, err := w.peer(ctx, "xdotool", "getwindowgeometry", "--shell", id)
		if err != nil {
			continue // gone since
		}
		values := map[string]int{}
		for line := range strings.Lines(string(shape)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			values[name], _ = strconv.Atoi(value)
		}
		if values["WIDTH"] == w.Size.W && values["HEIGHT"] == w.Size.H {
			return id, api.Point{X: values["X"], Y: values["Y"]}, nil
		}
	}
	return "", api.Point{}, errors.New("no X window has the size of " + w.App)
}

// ms is a duration as results give it.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// clocked runs do and gives its milliseconds.
func clocked(do func() error) (float64, error) {
	begun := time.Now()
	err := do()
	return ms(time.Since(begun)), err
}
