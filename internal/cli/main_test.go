package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }

// stub is a daemon that answers every verb alike and remembers what it was
// asked.
type stub struct {
	socket string
	answer string
	status int

	mu    sync.Mutex
	asked []string // "verb body"
	heads []http.Header
}

// newStub serves on a socket of the test's own.
func newStub(t *testing.T) *stub {
	t.Helper()
	s := &stub{socket: filepath.Join(need.Dir(t), "api.sock"), answer: `{"ok":true}`, status: http.StatusOK}
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: s}
	done := make(chan struct{})
	go func() { defer close(done); server.Serve(l) }()
	t.Cleanup(func() { server.Close(); <-done })
	return s
}

// ServeHTTP remembers and answers.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimPrefix(r.URL.Path, "/v1/")+" "+string(body))
	s.heads = append(s.heads, r.Header.Clone())
	answer, status := s.answer, s.status
	s.mu.Unlock()
	w.Header().Set(api.HeaderVersion, "test")
	w.WriteHeader(status)
	io.WriteString(w, answer)
}

// last is what was asked last, "" for nothing.
func (s *stub) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		return ""
	}
	return s.asked[len(s.asked)-1]
}

// ran is what came of a command line.
type ran struct {
	exit           int
	stdout, stderr string
}

// program makes a command line against the stub.
func (s *stub) program(name, stdin string, env map[string]string, args ...string) (Program, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	vars := map[string]string{"VIBESPACE_SOCKET": s.socket, "VIBESPACE_STATE_DIR": filepath.Dir(s.socket), "VIBESPACE_NO_START": "1"}
	for k, v := range env {
		vars[k] = v
	}
	return Program{
		Name: name, Version: "test", Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Getenv: func(k string) string { return vars[k] }, Getwd: func() (string, error) { return "/cwd", nil },
	}, &out, &errs
}

// window runs vibespace-window.
func (s *stub) window(args ...string) ran {
	p, out, errs := s.program("vibespace-window", "", nil, args...)
	return ran{Window(p), out.String(), errs.String()}
}

// person runs vibespace.
func (s *stub) person(args ...string) ran {
	p, out, errs := s.program("vibespace", "", nil, args...)
	return ran{Person(p), out.String(), errs.String()}
}

// oneObject makes sure that a --json run wrote exactly one JSON object.
func oneObject(t *testing.T, line string, got ran) map[string]any {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(got.stdout))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: stdout is no JSON object: %q", line, got.stdout)
	}
	if d.More() {
		t.Fatalf("%s: more than one object on stdout: %q", line, got.stdout)
	}
	ok, isBool := v["ok"].(bool)
	if !isBool || ok != (got.exit == 0) {
		t.Fatalf("%s: ok is %v and the exit status %d: %s", line, v["ok"], got.exit, got.stdout)
	}
	return v
}
