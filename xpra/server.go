package xpra

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vibespace/internal/proc"
)

// ErrMissing says that this machine has no xpra that works, and what it lacks.
var ErrMissing = errors.New("no xpra on this machine")

const (
	// probeTime bounds the look for what xpra needs: an interpreter's start.
	probeTime = 10 * time.Second
	// pollEvery is how often a starting server is tried.
	pollEvery = 20 * time.Millisecond
	// refusedLimit is how long a server may refuse us: one that starts may do so for
	// a moment, one that does it on principle never stops.
	refusedLimit = 3 * time.Second
)

// Config says how to start a server.
type Config struct {
	// Display is the X display it serves, like ":101"; CookieFile has its cookie.
	Display, CookieFile string
	// Dir is an absolute directory that only this server uses. It is made, 0700,
	// and belongs to the caller.
	Dir string
	// Env is the server's environment, without what makes it find the display.
	Env []string
	// Log takes its output.
	Log *os.File
	// Path is the program; empty means where distributions put it.
	Path string
}

// Socket is where the server of a directory listens.
func Socket(dir string) string { return filepath.Join(dir, "sock") }

// Program finds the program and looks whether what it needs is there. The error
// wraps ErrMissing and names the Debian package that helps.
func Program(ctx context.Context, path string) (string, error) {
	paths := []string{path}
	if path == "" {
		paths = []string{"/usr/bin/xpra", "/usr/local/bin/xpra"}
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		return p, needs(ctx, p, "PIL", "python3-pil")
	}
	return "", fmt.Errorf("%w (Debian package xpra)", ErrMissing)
}

// Viewer finds the program as Program does, and looks whether it can show windows
// too: its toolkit draws them with a library that its package does not name.
func Viewer(ctx context.Context, path string) (string, error) {
	p, err := Program(ctx, path)
	if err != nil {
		return "", err
	}
	return p, needs(ctx, p, "gi._gi_cairo", "python3-gi-cairo")
}

// needs asks the interpreter of the program for a library that the program cannot
// do without and that its package does not depend on.
func needs(ctx context.Context, program, library, pkg string) error {
	interpreter, args, err := shebang(program)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMissing, err)
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	const ask = "import importlib.util, sys\n" +
		"try: sys.exit(importlib.util.find_spec(sys.argv[1]) is None)\n" +
		"except ImportError: sys.exit(1)"
	status, err := proc.Run(ctx, proc.Spec{Path: interpreter, Args: append(args, "-c", ask, library)})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if status.Code != 0 {
		return fmt.Errorf("%w that works: it lacks %s (Debian package %s)", ErrMissing, library, pkg)
	}
	return nil
}

// shebang reads which interpreter a script names.
func shebang(script string) (path string, args []string, err error) {
	f, err := os.Open(script)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !strings.HasPrefix(string(line), "#!") || len(words) == 0 || !filepath.IsAbs(words[0]) {
		return "", nil, fmt.Errorf("%s is no script", script)
	}
	return words[0], words[1:], nil
}

// Start starts a server on a display that runs and connects to it. ctx bounds
// the call; the server lives on and is the caller's to end.
func Start(ctx context.Context, cfg Config, started func(*proc.Process) error) (*Client, error) {
	c, err := start(ctx, cfg, started)
	if err != nil {
		return nil, fmt.Errorf("start xpra: %w", err)
	}
	return c, nil
}

func start(ctx context.Context, cfg Config, started func(*proc.Process) error) (*Client, error) {
	program, err := Program(ctx, cfg.Path)
	if err != nil {
		return nil, err
	}
	empty := filepath.Join(cfg.Dir, "conf")
	if err := os.MkdirAll(empty, 0o700); err != nil {
		return nil, err
	}
	if err := os.Remove(Socket(cfg.Dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// It looks for the input devices of an earlier xpra otherwise.
	env := append([]string{"XAUTHORITY=" + cfg.CookieFile, "XPRA_UINPUT=0"}, cfg.Env...)
	for _, dirs := range []string{"SYSTEM", "USER", "DEFAULT"} {
		// Debian's own configuration starts a whole X session.
		env = append(env, "XPRA_"+dirs+"_CONF_DIRS="+empty)
	}
	spec := proc.Spec{Path: program, Args: arguments(cfg), Env: env, Dir: "/", NewSession: true}
	if cfg.Log != nil {
		spec.Log = cfg.Log
	}
	p, err := proc.Start(spec)
	if err != nil {
		return nil, err
	}
	if err = started(p); err == nil {
		var c *Client
		if c, err = await(ctx, p, Socket(cfg.Dir)); err == nil {
			return c, nil
		}
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return nil, errors.Join(err, p.Stop(clean, 0))
}

// await tries a starting server until it lets a client in.
func await(ctx context.Context, p *proc.Process, socket string) (*Client, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var refused time.Time
	for {
		c, err := Dial(ctx, socket)
		if err == nil {
			return c, nil
		}
		if errors.Is(err, errRefused) {
			if refused.IsZero() {
				refused = time.Now()
			}
			if time.Since(refused) >= refusedLimit {
				return nil, err
			}
		}
		select {
		case <-p.Done():
			status, _ := p.Exit()
			return nil, fmt.Errorf("it ended (%v): %s", status, strings.Join(p.LastWords(), " | "))
		case <-ctx.Done():
			return nil, fmt.Errorf("%w (%w)", context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}

// arguments are the leanest server: windows, and nothing of a session.
func arguments(cfg Config) []string {
	args := []string{
		"start", cfg.Display, "--use-display=yes", "--daemon=no", "--systemd-run=no", "--start-via-proxy=no", "--attach=no",
		"--socket-dir=" + cfg.Dir, "--socket-dirs=" + cfg.Dir, "--bind=" + Socket(cfg.Dir), "--sharing=yes", "--pings=5",
	}
	for _, off := range []string{
		"mdns", "ssh-upgrade", "rfb-upgrade", "pulseaudio", "printing", "notifications", "system-tray", "webcam", "bell",
		"dbus-control", "dbus-proxy", "file-transfer", "open-files", "open-url", "forward-xdg-open", "global-menus",
		"resize-display", "clipboard", "start-new-commands", "xsettings", "fake-xinerama", "opengl", "mmap", "cursors",
	} {
		args = append(args, "--"+off+"=no")
	}
	return append(args, "--speaker=disabled", "--microphone=disabled", "--html=off", "--dbus-launch=", "--input-method=keep",
		"--video-encoders=none", "--csc-modules=none", "--video-decoders=none")
}
