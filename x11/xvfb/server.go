package xvfb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/proc"
)

const (
	// firstNumber and lastNumber bound the display numbers that are tried. Low
	// numbers are left to the person's own servers, and to servers that choose
	// for themselves: those count from 0, look only at abstract sockets, and
	// would take the socket of a server that has none.
	firstNumber, lastNumber = 101, 9999

	// attempts bounds how many numbers are tried. One in about ten thousand
	// over the displays of the machine is taken, so a second is rare.
	attempts = 20

	// readyLimit bounds a start whose context has no end of its own: a server
	// takes 60 ms, and seconds on a machine that swaps.
	readyLimit = 15 * time.Second

	// pollEvery is how often a starting server is tried.
	pollEvery = 2 * time.Millisecond

	// stopGrace is how long a server may take to end by itself, which is when
	// it removes its socket and its lock.
	stopGrace = 2 * time.Second
)

// The size a display has unless it is told otherwise. A server never grows, so
// it starts as large as the largest ordinary screen.
const (
	DefaultWidth  = 3840
	DefaultHeight = 2160
)

var (
	// ErrNotInstalled says that there is no Xvfb on this machine.
	ErrNotInstalled = errors.New("no Xvfb on this machine (Debian package xvfb)")
	// ErrNotOurs says that a record does not describe a server that runs.
	ErrNotOurs = errors.New("not the server of this record")
)

// Size is the size of a screen in pixels.
type Size struct{ W, H int }

// Config says how to start a server.
type Config struct {
	// Dir is an existing directory, 0700, for the cookie and the keymap rules.
	// It belongs to the caller; Stop removes what Start put there.
	Dir string
	// Screen is the size; zero means DefaultWidth by DefaultHeight.
	Screen Size
	// Env are further KEY=value entries for the server; it gets nothing from
	// our own environment.
	Env []string
	// Log takes the server's output; nil discards it.
	Log io.Writer
	// NoGL starts the server without GLX, which makes it ready 25 ms sooner and
	// 30 MB smaller, and leaves programs that draw with OpenGL without a window.
	NoGL bool
	// Path is the server program; empty means where distributions put it.
	Path string
}

// Record is what must be kept to adopt or clean up after a server.
type Record struct {
	Number int
	Ident  proc.Ident
	Dir    string
}

// Server is one running X server.
type Server struct {
	record Record
	cookie []byte
	child  *proc.Process // nil when adopted
	done   chan struct{}
	stopIt func() // ends the watch of an adopted server
}

// Start starts a server and returns when it answers a connection made with its
// cookie. ctx bounds the call; the server lives until Stop.
//
// The number is tried, not computed: the server takes its lock atomically and
// ends at once when somebody has that number. It is not left to the server
// itself (-displayfd), because that switches its lock off and finds a free
// number by the abstract socket that our servers do not have: two of them take
// the same number and the second takes over the first one's socket.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Screen == (Size{}) {
		cfg.Screen = Size{DefaultWidth, DefaultHeight}
	}
	if cfg.Path == "" {
		cfg.Path = find("/usr/bin/Xvfb", "/usr/local/bin/Xvfb", "/usr/X11R6/bin/Xvfb")
	}
	if cfg.Path == "" {
		return nil, ErrNotInstalled
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyLimit, fmt.Errorf("not ready after %v", readyLimit))
	defer cancel()
	s, err := start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("start Xvfb: %w", err)
	}
	return s, nil
}

func start(ctx context.Context, cfg Config) (*Server, error) {
	cookie, err := newCookie()
	if err != nil {
		return nil, err
	}
	slim := !strings.ContainsAny(cfg.Dir, unquotable)
	if err := writeKeymap(cfg.Dir); err != nil {
		return nil, err
	}
	var last error
	for range attempts {
		number := firstNumber + rand.IntN(lastNumber-firstNumber+1)
		if taken(number) {
			continue
		}
		s, err := launch(ctx, cfg, number, cookie, slim)
		switch {
		case err == nil:
			return s, nil
		case errors.Is(err, errTaken):
		case slim && errors.Is(err, errKeymap):
			slim = false // an unusual xkb installation: its own keymap, fewer spare keys
		default:
			removeFiles(cfg.Dir)
			return nil, err
		}
		last = err
	}
	removeFiles(cfg.Dir)
	return nil, fmt.Errorf("no display number in %d attempts: %w", attempts, last)
}

// unquotable are the characters that the server, which hands the keymap's
// directory to a shell, does not protect.
const unquotable = "\"$`\\"

// errTaken and errKeymap are the two ends of a starting server that are worth
// another attempt.
var (
	errTaken  = errors.New("the display number is taken")
	errKeymap = errors.New("the keymap did not compile")
)

func launch(ctx context.Context, cfg Config, number int, cookie []byte, slim bool) (*Server, error) {
	if err := writeCookie(cookiePath(cfg.Dir), number, cookie); err != nil {
		return nil, err
	}
	child, err := proc.Start(proc.Spec{
		Path: cfg.Path, Args: arguments(cfg, number, slim), Env: environment(cfg.Env), Dir: "/", Log: cfg.Log,
	})
	if err != nil {
		return nil, err
	}
	s := &Server{
		record: Record{Number: number, Ident: child.Ident(), Dir: cfg.Dir}, cookie: cookie,
		child: child, done: make(chan struct{}), stopIt: func() {},
	}
	go func() { <-child.Done(); close(s.done) }()
	if err := s.ready(ctx); err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*stopGrace)
		defer cancel()
		return nil, errors.Join(err, child.Stop(clean, stopGrace), removeSockets(s.record))
	}
	return s, nil
}

func arguments(cfg Config, number int, slim bool) []string {
	args := []string{
		":" + strconv.Itoa(number),
		"-auth", cookiePath(cfg.Dir),
		"-nolisten", "tcp",
		// "local" is the abstract socket: it ignores file permissions and is
		// reachable from a sandbox that shares the network.
		"-nolisten", "local",
		"-screen", "0", fmt.Sprintf("%dx%dx24", cfg.Screen.W, cfg.Screen.H),
		"-noreset", // its last client leaving must not wipe it
		"-s", "0",  // no screen saver
		"-dpi", "96",
		"+extension", "Composite", "+extension", "RANDR",
	}
	if slim {
		args = append(args, "-xkbdir", keymapDir(cfg.Dir))
	}
	if cfg.NoGL {
		args = append(args, "-extension", "GLX")
	}
	return args
}

// environment is the server's: software GL otherwise keeps a cache of shaders
// in the home directory of whoever runs it.
func environment(extra []string) []string {
	env := []string{"PATH=/usr/bin:/bin", "MESA_SHADER_CACHE_DISABLE=true", "MESA_GLSL_CACHE_DISABLE=true"}
	return append(env, extra...)
}

// ready waits until the server, and nobody else, answers on its socket.
func (s *Server) ready(ctx context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := handshake(ctx, s.record, s.cookie)
		if err == nil {
			return nil
		}
		if errors.Is(err, errRefused) {
			return err
		}
		select {
		case <-s.done:
			return s.obituary()
		case <-ctx.Done():
			return fmt.Errorf("display :%d: %w (%v)", s.record.Number, context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}

// obituary says why a server ended while it started.
func (s *Server) obituary() error {
	words := strings.Join(s.child.LastWords(), "\n")
	status, _ := s.child.Exit()
	err := fmt.Errorf("the server ended (%v): %s", status, words)
	switch {
	case strings.Contains(words, "already active"), strings.Contains(words, "Cannot establish any listening sockets"):
		return fmt.Errorf("%w: %w", errTaken, err)
	case strings.Contains(words, "keymap"):
		return fmt.Errorf("%w: %w", errKeymap, err)
	}
	return err
}

// Display gives the server's name for clients, like ":101".
func (s *Server) Display() string { return ":" + strconv.Itoa(s.record.Number) }

// Number gives the display number.
func (s *Server) Number() int { return s.record.Number }

// Cookie gives the secret that connections need.
func (s *Server) Cookie() []byte { return append([]byte(nil), s.cookie...) }

// CookieFile gives the path of the cookie for clients' XAUTHORITY; 0600.
func (s *Server) CookieFile() string { return cookiePath(s.record.Dir) }

// Process gives the child, or nil for an adopted server.
func (s *Server) Process() *proc.Process { return s.child }

// Ident gives the server's process.
func (s *Server) Ident() proc.Ident { return s.record.Ident }

// Record gives what Adopt and Clean need.
func (s *Server) Record() Record { return s.record }

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

func find(paths ...string) string {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode()&0o111 != 0 {
			return p
		}
	}
	return ""
}

// taken spares a start whose number is visibly in use. Only the server's own
// lock decides.
func taken(number int) bool {
	for _, p := range []string{lockPath(number), socketPath(number)} {
		if _, err := os.Lstat(p); err == nil {
			return true
		}
	}
	return false
}

func lockPath(number int) string { return fmt.Sprintf("/tmp/.X%d-lock", number) }

func socketPath(number int) string { return fmt.Sprintf("/tmp/.X11-unix/X%d", number) }

func cookiePath(dir string) string { return filepath.Join(dir, "Xauthority") }

func keymapDir(dir string) string { return filepath.Join(dir, "xkb") }
