package keeper

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"vibespace/internal/api"
	"vibespace/internal/proc"
)

// startLimit bounds the start of a browser: a cold one on a loaded machine
// takes five seconds.
const startLimit = 30 * time.Second

// readyFD is the descriptor a keeper says on that it is ready.
const readyFD = 3

// server is a keeper from inside.
type server struct {
	spec    Spec
	rec     record
	browser *proc.Process
	pipe    *pipe

	conns  sync.WaitGroup
	stop   chan struct{} // closed when somebody asked for the end
	stopMu sync.Once

	mu    sync.Mutex
	link  net.Conn // the daemon's, nil without one
	since time.Time
	ended int
	gone  chan struct{} // closed when the browser was ended and counted
}

// Serve is the keeper's own program: it reads its orders from its standard
// input, says on descriptor 3 that it is ready or why not, and returns when the
// browser has ended.
func Serve(ctx context.Context) error {
	ready := os.NewFile(readyFD, "ready")
	defer ready.Close()
	// The browser must not get it: a starter would wait for its end.
	syscall.CloseOnExec(readyFD)
	// A log that nobody reads, or a client that went, is no reason to end.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer cancel()
	var spec Spec
	data, err := io.ReadAll(io.LimitReader(os.Stdin, 64<<10))
	if err == nil {
		err = json.Unmarshal(data, &spec)
	}
	if err != nil {
		return refuse(ready, fmt.Errorf("read the keeper's orders: %w", err))
	}
	syscall.Umask(0o077)
	s := &server{spec: spec, stop: make(chan struct{}), gone: make(chan struct{})}
	listener, err := s.start(ctx)
	if err != nil {
		return refuse(ready, err)
	}
	tell(ready, answer{OK: true})
	_ = ready.Close()
	return s.run(ctx, listener)
}

// refuse tells the starter why there is no browser.
func refuse(ready *os.File, err error) error {
	tell(ready, answer{Error: api.AsError(err, api.StartFailed)})
	return err
}

// tell writes one line; a reader that is gone needs no word.
func tell(w io.Writer, a answer) {
	if line, err := json.Marshal(a); err == nil {
		_, _ = w.Write(append(line, '\n'))
	}
}

// start starts the browser and listens.
func (s *server) start(ctx context.Context) (net.Listener, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := claim(ctx, s.spec); err != nil {
		return nil, err
	}
	if err := s.launch(); err != nil {
		return nil, err
	}
	listener, err := s.ready(ctx)
	if err != nil {
		s.end()
		return nil, s.whyNot(err)
	}
	return listener, nil
}

// whyNot is the refusal for a browser that did not become ready.
func (s *server) whyNot(err error) error {
	words := strings.Join(s.browser.LastWords(), " / ")
	if strings.Contains(words, "existing browser session") {
		return api.Refuse(api.ProfileInUse, "the profile is open in another browser").WithHint("close that browser, or use another profile")
	}
	e := api.Refuse(api.StartFailed, "the browser did not start: %v", err)
	if exit, over := s.browser.Exit(); over {
		e = api.Refuse(api.StartFailed, "the browser ended at its start with %s", exit)
	}
	if words != "" {
		e = e.With("lastWords", s.browser.LastWords())
	}
	return e
}

// launch starts the browser's process with its two pipes.
func (s *server) launch() error {
	s.rec.Mark = rand.Text()
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the browser: %w", err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		ourOut.Close()
		return fmt.Errorf("start the browser: %w", err)
	}
	s.browser, err = proc.Start(proc.Spec{
		Path: s.spec.Chromium, Args: arguments(s.spec), Env: environment(s.spec, s.rec.Mark), Dir: s.spec.Profile,
		ExtraFiles: []*os.File{theirIn, theirOut}, NewSession: true,
	})
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		ourIn.Close()
		ourOut.Close()
		return api.Refuse(api.StartFailed, "%v", err)
	}
	s.pipe = newPipe(ourIn, ourOut)
	return nil
}

// ready waits for the browser's first answer, writes the record and listens.
func (s *server) ready(ctx context.Context) (net.Listener, error) {
	var version struct {
		Product string `json:"product"`
	}
	if err := s.pipe.call(ctx, "Browser.getVersion", nil, &version); err != nil {
		return nil, err
	}
	self, err := proc.IdentOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	s.rec.Status = Status{
		Keeper: self, Browser: s.browser.Ident(), Profile: s.spec.Profile, Product: version.Product,
		Major: major(version.Product), Headless: s.spec.Headless, Since: time.Now().UTC(),
	}
	data, err := json.Marshal(s.rec)
	if err != nil {
		return nil, err
	}
	if err := renameio.WriteFile(recordFile(s.spec.Dir), data, 0o600); err != nil {
		return nil, err
	}
	if err := os.Remove(socketFile(s.spec.Dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := net.Listen("unix", socketFile(s.spec.Dir))
	if err != nil {
		return nil, err
	}
	// Nobody else gets into its directory before this.
	if err := os.Chmod(socketFile(s.spec.Dir), 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// run serves until the browser has ended, somebody asks for it, or nobody
// came for long enough.
func (s *server) run(ctx context.Context, listener net.Listener) error {
	s.conns.Go(func() { s.accept(listener) })
	s.since = time.Now()
	s.wait(ctx)
	s.end()
	_ = listener.Close()
	s.mu.Lock()
	link := s.link
	s.mu.Unlock()
	if link != nil {
		_ = link.Close()
	}
	s.conns.Wait()
	return os.Remove(recordFile(s.spec.Dir))
}

// wait returns when the browser shall end, or has.
func (s *server) wait(ctx context.Context) {
	idle := s.spec.Idle
	if idle == 0 {
		idle = defaultIdle
	}
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.stop:
			return
		case <-s.browser.Done():
			return
		case <-s.pipe.done:
			return
		case <-timer.C:
			left := s.idleLeft(idle)
			if left <= 0 {
				return
			}
			timer.Reset(left)
		}
	}
}

// idleLeft is how long the keeper still waits for a daemon.
func (s *server) idleLeft(idle time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != nil {
		return idle
	}
	return idle - time.Since(s.since)
}

// end ends the browser: it is asked to close, so that its profile is written,
// then made to.
func (s *server) end() {
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
	defer cancel()
	all, _ := belonging(s.browser.Ident(), s.rec.Mark) // what cannot be read cannot be counted
	if s.rec.Browser.PID != 0 {
		grace, stop := context.WithTimeout(ctx, closeGrace)
		if s.pipe.call(grace, "Browser.close", nil, nil) == nil {
			select {
			case <-s.browser.Done():
			case <-grace.Done():
			}
		}
		stop()
	}
	s.pipe.close()
	if err := s.browser.Stop(ctx, time.Second); err != nil {
		fmt.Fprintln(os.Stderr, "keeper:", err)
	}
	if _, err := endBrowser(ctx, record{Status: Status{Browser: s.browser.Ident()}, Mark: s.rec.Mark}); err != nil {
		fmt.Fprintln(os.Stderr, "keeper:", err)
	}
	n := 0
	for _, id := range all {
		if !id.Alive() {
			n++
		}
	}
	s.mu.Lock()
	s.ended = n
	s.mu.Unlock()
	close(s.gone)
}
