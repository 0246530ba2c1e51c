// Package daemontest runs a whole daemon inside a test: real store, real
// engine, real displays, on directories of the test's own, with clients that
// act as named callers. Tests alone import it.
package daemontest

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
	"vibespace/internal/daemon"
	"vibespace/internal/need"
)

// Daemon is a daemon that serves until its test ends.
type Daemon struct {
	Paths api.Paths

	t    testing.TB
	end  context.CancelFunc
	done chan struct{}
	err  error // of Run, once done is closed

	mu      sync.Mutex
	clients []*client.Client
	tokens  map[api.SessionID]string
}

// New starts a daemon. Keys and the pointer are on; change alters its
// configuration before it opens. When the test ends it goes down, and a
// display it leaves fails the test.
func New(t testing.TB, change ...func(*daemon.Config)) *Daemon {
	t.Helper()
	dir := need.Dir(t)
	return At(t, api.Paths{
		Socket: filepath.Join(dir, "run", "api.sock"), Runtime: filepath.Join(dir, "run"), State: filepath.Join(dir, "state"),
	}, change...)
}

// At is New on given directories: a second daemon on the same state, after the
// first went down, is how a restart is tested.
func At(t testing.TB, paths api.Paths, change ...func(*daemon.Config)) *Daemon {
	t.Helper()
	cfg := daemon.Config{Paths: paths, Version: "test", Inject: true, Log: slog.New(slog.NewTextHandler(logTo{t}, nil))}
	for _, f := range change {
		f(&cfg)
	}
	inner, err := daemon.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("open a daemon: %v", err)
	}
	ctx, end := context.WithCancel(context.Background())
	d := &Daemon{Paths: cfg.Paths, t: t, end: end, done: make(chan struct{}), tokens: map[api.SessionID]string{}}
	go func() {
		defer close(d.done)
		d.err = inner.Run(ctx)
	}()
	t.Cleanup(d.Down)
	return d
}

// logTo brings the daemon's log into the test's.
type logTo struct{ t testing.TB }

// Write logs one line, as long as the test runs.
func (l logTo) Write(p []byte) (int, error) {
	if l.t.Context().Err() == nil {
		l.t.Log(string(p[:len(p)-1]))
	}
	return len(p), nil
}

// Down ends the daemon and waits; the test's end calls it. It is idempotent.
func (d *Daemon) Down() {
	d.t.Helper()
	d.mu.Lock()
	for _, c := range d.clients {
		c.Close()
	}
	d.clients = nil
	d.mu.Unlock()
	d.end()
	select {
	case <-d.done:
	case <-time.After(time.Minute):
		d.t.Error("the daemon does not go down")
		return
	}
	if d.err != nil && !errors.Is(d.err, context.Canceled) {
		d.t.Errorf("the daemon ended with %v", d.err)
	}
}

// Done is closed when the daemon has gone down.
func (d *Daemon) Done() <-chan struct{} { return d.done }

// As makes a client with a configuration of the test's own: a token it chose,
// another version. Paths and NoStart are set already.
func (d *Daemon) As(change func(*client.Config)) *client.Client {
	cfg := client.Config{Paths: d.Paths, Version: "test", NoStart: true}
	change(&cfg)
	c := client.New(cfg)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clients = append(d.clients, c)
	return c
}

// Owner makes a client of the person.
func (d *Daemon) Owner() *client.Client {
	return d.As(func(c *client.Config) { c.Owner = true })
}

// Default makes a client without a token: the session default.
func (d *Daemon) Default() *client.Client {
	return d.As(func(*client.Config) {})
}

// Session makes a client of a named session, which is made when it is asked
// for first.
func (d *Daemon) Session(label api.SessionID) *client.Client {
	d.t.Helper()
	token := d.Token(label)
	return d.As(func(c *client.Config) { c.Tokens = []string{token} })
}

// Token gives the token of a named session, made when it is asked for first.
func (d *Daemon) Token(label api.SessionID) string {
	d.t.Helper()
	d.mu.Lock()
	token, ok := d.tokens[label]
	d.mu.Unlock()
	if ok {
		return token
	}
	a, err := d.Owner().SessionNew(d.t.Context(), api.SessionRequest{Label: label})
	if err != nil {
		d.t.Fatalf("make session %s: %v", label, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tokens[label] = a.Token
	return a.Token
}

// Env is what a command line needs to speak to this daemon and no other.
func (d *Daemon) Env() []string {
	return []string{
		"VIBESPACE_SOCKET=" + d.Paths.Socket, "VIBESPACE_RUNTIME_DIR=" + d.Paths.Runtime,
		"VIBESPACE_STATE_DIR=" + d.Paths.State, "VIBESPACE_NO_START=1",
	}
}
