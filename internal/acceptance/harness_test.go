package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vibespace/internal/need"
)

const (
	// runLimit bounds one command of a test; every verb has a bound of its own,
	// well below.
	runLimit = 90 * time.Second
	// soon bounds what comes by itself after the command that caused it: a
	// machine on which other tests run gives a program nothing for seconds.
	soon = time.Minute
)

// World is one person's machine in miniature: a runtime and a state directory,
// a home, and the daemon that the first command starts there. When the test
// ends the daemon goes down, and what it leaves fails the test.
type World struct {
	t testing.TB
	// Dir holds everything of this world; Runtime, State, Home and Work (files
	// that a test's applications read and write) lie in it.
	Dir, Runtime, State, Home, Work string
	env                             []string
	rung                            string // of what is opened, "" for the daemon's own choice

	mu     sync.Mutex
	tokens map[string]string
	// servers are the displays seen, by X server: its pid outlives its files.
	servers map[string]int
	// ours are the processes ever seen to be this world's, by pid, with when they
	// began: their pids are given again to others.
	ours map[int]string
	// since is when the world began: a lock or a segment that is older is not
	// its, whatever pid it names.
	since time.Time
}

// NewWorld makes a world. Variables, as K=V, reach every command and through
// it the daemon: VIBESPACE_INJECTION=false is a world without keys.
func NewWorld(t testing.TB, variables ...string) *World {
	t.Helper()
	need.Display(t)
	dir := need.Dir(t)
	w := &World{
		t: t, Dir: dir, Runtime: filepath.Join(dir, "run"), State: filepath.Join(dir, "state"),
		Home: filepath.Join(dir, "home"), Work: filepath.Join(dir, "work"),
		rung: need.Rung, tokens: map[string]string{}, servers: map[string]int{}, ours: map[int]string{},
	}
	made, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.since = made.ModTime()
	for _, made := range []string{w.Home, w.Work} {
		if err := os.Mkdir(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.Home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8",
		"VIBESPACE_SOCKET=" + filepath.Join(w.Runtime, "api.sock"), "VIBESPACE_STATE_DIR=" + w.State,
	}, variables...)
	for _, program := range []string{"vibespace", "vibespace-window", "vibespace-browser", "vibespaced"} {
		need.Binary(t, "vibespace/cmd/"+program)
	}
	t.Cleanup(w.down)
	return w
}

// rungs are those that what windows do is tested over.
var rungs = []string{"xvfb", "xpra"}

// onRungs runs a test of windows in a world a rung, with the same expectations.
func onRungs(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	for _, rung := range rungs {
		t.Run(rung, func(t *testing.T) {
			t.Parallel()
			if rung == "xpra" {
				need.Xpra(t)
			}
			w := NewWorld(t)
			w.rung = rung
			test(t, w)
		})
	}
}

// down ends the daemon and looks at what is left.
func (w *World) down() {
	w.t.Helper()
	w.look()
	r := w.run(w.program("vibespace"), append(w.env, "VIBESPACE_NO_START=1"), nil, []string{"down", "--json"})
	if r.Status != 0 {
		w.t.Errorf("down: exit %d: %s%s", r.Status, r.JSON, r.Stderr)
	}
	if left := w.settled(Left{}); !left.Empty() {
		w.t.Errorf("left after down: %s", left)
	}
}

// program is the path of one of our programs.
func (w *World) program(name string) string { return need.Binary(w.t, "vibespace/cmd/"+name) }

// File is the path of a file in the world's work directory, written when text
// is given.
func (w *World) File(name string, text ...string) string {
	w.t.Helper()
	path := filepath.Join(w.Work, name)
	if len(text) > 0 {
		if err := os.WriteFile(path, []byte(strings.Join(text, "")), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	return path
}

// Caller is somebody who runs one of the command lines: an agent's session, or
// the person.
type Caller struct {
	w       *World
	t       testing.TB
	name    string
	program string
	env     []string
}

// Default is an agent without a token.
func (w *World) Default() *Caller {
	return &Caller{w: w, t: w.t, name: "default", program: "vibespace-window"}
}

// Owner is the person, who runs vibespace.
func (w *World) Owner() *Caller { return &Caller{w: w, t: w.t, name: "owner", program: "vibespace"} }

// Session is an agent with a token of its own. The session is made when it is
// asked for first.
func (w *World) Session(label string) *Caller {
	w.t.Helper()
	w.mu.Lock()
	token, ok := w.tokens[label]
	w.mu.Unlock()
	if !ok {
		var made struct{ Label, Token string }
		w.Owner().OK(&made, "session", "new", label)
		if made.Token == "" || made.Label != label {
			w.t.Fatalf("session new %s: %+v", label, made)
		}
		token = made.Token
		w.mu.Lock()
		w.tokens[label] = token
		w.mu.Unlock()
	}
	return &Caller{
		w: w, t: w.t, name: label, program: "vibespace-window", env: []string{"VIBESPACE_SESSION_TOKEN=" + token},
	}
}

// Browsers is the same caller at vibespace-browser.
func (c *Caller) Browsers() *Caller {
	browsers := *c
	browsers.program = "vibespace-browser"
	return &browsers
}

// In is the same caller whose failures fail t, a subtest.
func (c *Caller) In(t testing.TB) *Caller {
	in := *c
	in.t = t
	return &in
}

// With is the same caller with more variables, as K=V.
func (c *Caller) With(variables ...string) *Caller {
	with := *c
	with.env = append(slices.Clip(with.env), variables...)
	return &with
}

// Reply is what one command answered.
type Reply struct {
	Args   []string
	Status int    `json:"-"`
	JSON   []byte `json:"-"` // stdout, one object
	Stderr string
	Took   time.Duration
	// OK, Code, Message, Hint and Details are what every answer may carry.
	OK      bool           `json:"ok"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint"`
	Details map[string]any `json:"details"`
}

// String tells a reply to whoever reads a failure.
func (r Reply) String() string {
	text := string(r.JSON)
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	return fmt.Sprintf("%q: exit %d in %v: %s%s", r.Args, r.Status, r.Took.Round(time.Millisecond), text, r.Stderr)
}

// Into reads the answer.
func (r Reply) Into(t testing.TB, answer any) {
	t.Helper()
	if err := json.Unmarshal(r.JSON, answer); err != nil {
		t.Fatalf("%v: %v", r, err)
	}
}

// Run runs one verb with --json, and checks what holds for every answer: one
// JSON object and nothing else on stdout, an exit status that agrees with it, a
// refusal that is whole.
func (c *Caller) Run(args ...string) Reply {
	c.t.Helper()
	return c.Feed(nil, args...)
}

// Feed is Run with something on stdin.
func (c *Caller) Feed(stdin io.Reader, args ...string) Reply {
	c.t.Helper()
	r := c.w.run(c.w.program(c.program), append(slices.Clip(c.w.env), c.env...), stdin, append([]string{"--json"}, args...))
	r.Args = args
	c.t.Logf("%s: %.300s: %v", c.name, fmt.Sprintf("%.100q", args), r.Took.Round(time.Millisecond))
	dec := json.NewDecoder(bytes.NewReader(r.JSON))
	if err := dec.Decode(&r); err != nil {
		c.t.Fatalf("%s: stdout is no JSON object: %v\n%v", c.name, err, r)
	}
	if rest, _ := io.ReadAll(io.MultiReader(dec.Buffered(), bytes.NewReader(r.JSON[dec.InputOffset():]))); len(bytes.TrimSpace(rest)) > 0 {
		c.t.Errorf("%s: stdout holds more than one object: %v", c.name, r)
	}
	switch {
	case r.OK != (r.Status == 0):
		c.t.Errorf("%s: ok and the exit status disagree: %v", c.name, r)
	case !r.OK && (r.Code == "" || r.Message == "" || r.Details == nil):
		c.t.Errorf("%s: the refusal is not whole: %v", c.name, r)
	}
	c.w.scan(false)
	return r
}

// run runs a program in an environment made from nothing.
func (w *World) run(path string, env []string, stdin io.Reader, args []string) Reply {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.Work, env, stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	r := Reply{Args: args, JSON: stdout.Bytes(), Stderr: stderr.String(), Took: time.Since(began), Status: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		w.t.Fatalf("%s %q: %v, %v\n%s", filepath.Base(path), args, err, ctx.Err(), stderr.String())
	}
	return r
}

// OK runs a verb that has to succeed, and reads its answer into answer unless
// that is nil.
func (c *Caller) OK(answer any, args ...string) Reply {
	c.t.Helper()
	r := c.Run(args...)
	if !r.OK {
		c.t.Fatalf("%s: %v", c.name, r)
	}
	if answer != nil {
		r.Into(c.t, answer)
	}
	return r
}

// Refused runs a verb that has to be refused with a code.
func (c *Caller) Refused(code string, args ...string) Reply {
	c.t.Helper()
	r := c.Run(args...)
	if r.OK || r.Code != code {
		c.t.Errorf("%s: want %s: %v", c.name, code, r)
	}
	return r
}

// Words runs a verb without --json and gives what it says on stdout.
func (c *Caller) Words(args ...string) string {
	c.t.Helper()
	env := append(slices.Clip(c.w.env), c.env...)
	r := c.w.run(c.w.program(c.program), env, nil, args)
	// As reads has it.
	for end := time.Now().Add(soon); strings.Contains(r.Stderr, ": not_responding: ") && time.Now().Before(end); {
		r = c.w.run(c.w.program(c.program), env, nil, args)
	}
	if r.Status != 0 {
		c.t.Errorf("%s: %v", c.name, r)
	}
	return string(r.JSON)
}

// Eventually asks until it is so, or fails the test with what is missing.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}
