package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

const (
	// viewerComes is how long a viewer may take to connect: an interpreter and a
	// toolkit start, on a machine that swaps.
	viewerComes = 60 * time.Second
	// viewerEnds is how long it may take to end by itself.
	viewerEnds = 3 * time.Second
	// lastWords bounds what is kept of a viewer's output.
	lastWords = 4 << 10
)

// attachHere shows a window on the person's own desktop. The viewer is a child of
// this program, so that it is part of the person's session and ends with it; what
// it says goes through the daemon.
func (r *run) attachHere() *cobra.Command {
	return &cobra.Command{
		Use: "attach-here <handle>", Short: "show a window on your own desktop, as one of its windows",
		Long: "attach-here moves the window's display to the rung xpra and shows its windows on the desktop that DISPLAY\n" +
			"names, each as a window of its own. Watching disturbs no agent. A key, a click or a turn of the wheel there\n" +
			"takes the window over; vibespace handback, or the desktop app, gives it back, and so does ending attach-here\n" +
			"for half a minute. A window that is pinned, or that an agent holds, keeps its size whatever is done to it\n" +
			"there. It goes on until the window has ended (exit 0) or it is interrupted (130).",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			desktop := r.Getenv("DISPLAY")
			if desktop == "" {
				return api.Refuse(api.StartFailed, "there is no desktop to show it on: DISPLAY is not set").
					WithHint("run it in a terminal of your desktop, or look at it with vibespace watch %s", args[0])
			}
			c, err := r.dial(asOwner)
			if err != nil {
				return err
			}
			q := api.AttachRequest{Common: r.common(), Handle: api.Handle(args[0]), Desktop: desktop}
			a, err := c.AttachHere(cmd.Context(), q)
			if err != nil {
				return err
			}
			defer a.Close()
			return r.show(cmd.Context(), a)
		},
	}
}

// show starts the viewer and carries what it says until one side ends.
func (r *run) show(ctx context.Context, a *client.Attaching) error {
	dir, err := os.MkdirTemp("", "vibespace-attach-")
	if err != nil {
		return api.Refuse(api.StartFailed, "there is no place for a socket: %v", err).WithHint("look at TMPDIR")
	}
	remove := sync.OnceFunc(func() { _ = os.RemoveAll(dir) })
	defer remove()
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		return api.Refuse(api.StartFailed, "the viewer's socket could not be made: %v", err).WithHint("TMPDIR may have too long a path")
	}
	defer socket.Close()
	environ := os.Environ
	if r.Environ != nil {
		environ = r.Environ
	}
	v, err := startViewer(a.Answer.Program, dir, a.Answer.Desktop, environ())
	if err != nil {
		return err
	}
	defer v.end()
	conn, err := v.comes(ctx, socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Nothing of it is needed any more, and whatever ends this program then, it
	// leaves no file.
	_ = socket.Close()
	remove()
	if err := answer(r, "attach-here", a.Answer, nil); err != nil {
		return err
	}
	err = a.Carry(ctx, conn)
	switch {
	case ctx.Err() != nil:
		return api.AsError(ctx.Err(), api.Cancelled)
	case err == nil:
		return nil
	case r.json: // the one object of a run was the answer
		fmt.Fprintf(r.Stderr, "%s: %s", r.Name, asRefusal(err).Text())
	}
	if api.CodeOf(err) != api.NotLive {
		return err
	}
	if !r.json { // it ended, and its viewer with it
		fmt.Fprintf(r.Stderr, "%s: %s\n", r.Name, asRefusal(err).Message)
	}
	return nil
}

// viewer is xpra's viewer while it runs.
type viewer struct {
	cmd  *exec.Cmd
	said *tail
	done chan struct{} // closed when it has ended
}

// startViewer starts it: windows, keys and the pointer, and nothing else of a
// session. It is in a process group of its own, so that a Ctrl-C is ours to tell.
func startViewer(program, dir, desktop string, environ []string) (*viewer, error) {
	empty := filepath.Join(dir, "c")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return nil, err
	}
	env := without(environ, func(name string) bool {
		return strings.HasPrefix(name, "VIBESPACE_") || strings.HasPrefix(name, "XPRA_") || name == "DISPLAY" || name == "GDK_BACKEND"
	})
	env = append(env, "DISPLAY="+desktop, "GDK_BACKEND=x11", "PYTHONDONTWRITEBYTECODE=1",
		"XPRA_SIGNAL_WATCHER=0", "XPRA_NO_ROOT_WARNING=1", "XPRA_NOTTY=1")
	for _, dirs := range []string{"SYSTEM", "USER", "DEFAULT"} {
		env = append(env, "XPRA_"+dirs+"_CONF_DIRS="+empty)
	}
	v := &viewer{cmd: exec.Command(program, viewerArgs(dir)...), said: &tail{}, done: make(chan struct{})}
	v.cmd.Env, v.cmd.Dir = env, "/"
	v.cmd.Stdout, v.cmd.Stderr = v.said, v.said
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	v.cmd.WaitDelay = viewerEnds
	if err := v.cmd.Start(); err != nil {
		return nil, api.Refuse(api.StartFailed, "the viewer could not be started: %v", err).WithHint("vibespace doctor")
	}
	go func() {
		defer close(v.done)
		_ = v.cmd.Wait()
	}()
	return v, nil
}

// viewerArgs are its arguments: what is off here could reach the person's session
// or change what is shown.
func viewerArgs(dir string) []string {
	args := []string{
		"attach", "socket:" + filepath.Join(dir, "s"), "--socket-dir=" + dir, "--socket-dirs=" + dir,
		"--packet-encoders=rencode", "--compressors=lz4,zlib", "--compression_level=0", "--encodings=rgb", "--title=@title@",
		"--speaker=disabled", "--microphone=disabled", "--desktop-scaling=off", "--sharing=yes", "--window-close=forward",
		// Its own keys would be taken from the application.
		"--key-shortcut=none:void", "--pings=2", "--dpi=0",
	}
	for _, off := range []string{
		"clipboard", "printing", "file-transfer", "open-files", "open-url", "notifications", "webcam", "mdns", "tray", "system-tray",
		"bell", "cursors", "mmap", "opengl", "remote-logging", "xsettings", "global-menus", "av-sync",
		"start-new-commands", "modal-windows", "bandwidth-detection",
	} {
		args = append(args, "--"+off+"=no")
	}
	return args
}

// comes waits for the viewer to connect.
func (v *viewer) comes(ctx context.Context, socket *net.UnixListener) (net.Conn, error) {
	if err := socket.SetDeadline(time.Now().Add(viewerComes)); err != nil {
		return nil, err
	}
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-v.done:
		case <-ctx.Done():
		case <-over:
			return
		}
		_ = socket.SetDeadline(time.Unix(1, 0))
	}()
	conn, err := socket.Accept()
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, api.AsError(ctx.Err(), api.Cancelled)
	}
	why := "it did not connect"
	select {
	case <-v.done:
		why = v.cmd.ProcessState.String()
	default:
	}
	return nil, api.Refuse(api.StartFailed, "xpra could not show it here: %s", why).
		WithHint("what it said is in details").With("words", v.said.lines())
}

// end ends the viewer and whatever it started.
func (v *viewer) end() {
	group := -v.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-v.done:
	case <-time.After(viewerEnds):
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-v.done
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	end []byte
}

// Write keeps the end.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	t.end = t.end[max(0, len(t.end)-lastWords):]
	return len(b), nil
}

// lines are the last of what was written.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.end)), "\n")
	return lines[max(0, len(lines)-5):]
}
