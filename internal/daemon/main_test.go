package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

func TestMain(m *testing.M) {
	// lumberjack's goroutine that compresses old files has no end; the daemon
	// has one log for its life.
	need.MainWith(m, need.Config{Goroutines: []goleak.Option{goleak.IgnoreTopFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun")}})
}

// patience is how long a loaded machine may take for what comes by itself.
const patience = time.Minute

// testPaths are directories of the test's own.
func testPaths(t testing.TB) api.Paths {
	dir := need.Dir(t)
	return api.Paths{Socket: filepath.Join(dir, "run", "api.sock"), Runtime: filepath.Join(dir, "run"), State: filepath.Join(dir, "state")}
}

// serving is a daemon that runs, with the ends a test needs.
type serving struct {
	*Daemon
	cancel context.CancelFunc
	done   chan error
}

// serve opens a daemon and runs it until the test ends.
func serve(t testing.TB, change ...func(*Config)) *serving {
	t.Helper()
	cfg := Config{Paths: testPaths(t), Version: "test"}
	for _, f := range change {
		f(&cfg)
	}
	d, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{Daemon: d, done: make(chan error, 1)}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	return s.start(t, ctx)
}

// start runs a daemon whose routes the test may have changed.
func (s *serving) start(t testing.TB, ctx context.Context) *serving {
	go func() { s.done <- s.Run(ctx) }()
	t.Cleanup(func() {
		s.cancel()
		select {
		case err := <-s.done:
			if err != nil {
				t.Errorf("run: %v", err)
			}
		case <-time.After(patience):
			t.Error("the daemon does not end")
		}
	})
	return s
}

// reply is what came back from the daemon.
type reply struct {
	status int
	api.Refusal
	body []byte
}

// post sends a body on a connection of its own.
func (s *serving) post(t testing.TB, path, body string, header ...string) reply {
	t.Helper()
	c := s.connect()
	defer c.CloseIdleConnections()
	return s.postOn(t, c, path, body, header...)
}

// connect makes a client that keeps one connection.
func (s *serving) connect() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", s.cfg.Paths.Socket)
	}, MaxConnsPerHost: 1}}
}

// postOn sends a body on a client's connection. header is name, value, …
func (s *serving) postOn(t testing.TB, c *http.Client, path, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://vibespace/v1/"+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		} else {
			req.Header.Add(header[i], header[i+1])
		}
	}
	return s.do(t, c, req)
}

// do sends a request and reads the one JSON object that answers it.
func (s *serving) do(t testing.TB, c *http.Client, req *http.Request) reply {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r := reply{status: resp.StatusCode}
	if r.body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get(api.HeaderVersion) != "test" {
		t.Errorf("%s: no version header", req.URL.Path)
	}
	if err := json.Unmarshal(r.body, &r.Refusal); err != nil {
		t.Fatalf("%s: the answer is no JSON: %q", req.URL.Path, r.body)
	}
	if !r.OK && (r.Error == nil || r.Code == "" || r.Details == nil) {
		t.Fatalf("%s: neither success nor whole refusal: %s", req.URL.Path, r.body)
	}
	if !r.OK && r.status != api.FateOf(r.Code).HTTP {
		t.Errorf("%s: %s came with status %d", req.URL.Path, r.Code, r.status)
	}
	return r
}

// code is the code of a reply, "ok" for a success.
func (r reply) code() api.Code {
	if r.OK {
		return "ok"
	}
	return r.Code
}

// gone waits until a file is not there.
func gone(t testing.TB, path string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return
		}
	}
	t.Errorf("%s is still there", path)
}
