package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"vibespace/internal/api"
)

const (
	// appScreen is the person's screen, appTime how long the app is looked at
	// and appSettle how long it has before, to come to rest where it can.
	appScreen = "1920x1080"
	appTime   = 10 * time.Second
	appStill  = 20 * time.Second
	appSettle = 6 * time.Second
	// appWindow is the app's window in which a window of 1920x1080 is shown
	// 900x506.
	appWindow = "1187 800"
	// endLimit is how long a program may take to end.
	endLimit = 20 * time.Second
	// lookEvery is how often the screen is looked at for another frame.
	lookEvery = 4 * time.Millisecond
)

// app measures the desktop app under software GL: the frames of a window that
// repaints without pause that come to the screen, in a pane and on the whole
// screen, and what app and daemon take for it; and what a still one takes.
func app(ctx context.Context, r *rig) error {
	for _, s := range []struct {
		bench string
		args  []string
		full  bool
		watch time.Duration
	}{
		{"app", []string{"--fps", painterRate}, false, appTime},
		{"app.full", []string{"--fps", painterRate}, true, appTime},
		{"app.still", nil, false, appStill},
	} {
		if err := appOf(ctx, r, s.bench, s.args, s.full, s.watch); err != nil {
			return fmt.Errorf("%s: %w", s.bench, err)
		}
	}
	return nil
}

// appOf shows one window in the app for a while.
func appOf(ctx context.Context, r *rig, bench string, args []string, full bool, during time.Duration) error {
	w, err := r.painter(ctx, args)
	if err != nil {
		return err
	}
	defer r.stop(w)
	s, err := newScreen(ctx)
	if err != nil {
		return err
	}
	defer s.end()
	desktop, err := r.desktop(ctx, s, w.Handle, full)
	if err != nil {
		return err
	}
	defer finish(desktop)
	daemon, err := cpuTicks(r.daemon)
	if err != nil {
		return err
	}
	shown, err := cpuTicks(desktop.Process.Pid)
	if err != nil {
		return err
	}
	frames, err := s.frames(ctx, during, len(args) > 0)
	if err != nil {
		return err
	}
	daemonAfter, err := cpuTicks(r.daemon)
	if err != nil {
		return err
	}
	shownAfter, err := cpuTicks(desktop.Process.Pid)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%dx%d in %dx%d", streamSize.W, streamSize.H, streamPane.W, streamPane.H)
	if full {
		name = fmt.Sprintf("%dx%d full screen", streamSize.W, streamSize.H)
	}
	if len(args) > 0 {
		if err := r.tell(alone(bench, name, "frames/s", series{float64(frames) / during.Seconds()})); err != nil {
			return err
		}
	}
	percent := func(before, after int64) series {
		return series{float64(after-before) / ticksASecond / during.Seconds() * 100}
	}
	if err := r.tell(alone(bench+".cpu", "vibespace-desktop", "% CPU", percent(shown, shownAfter))); err != nil {
		return err
	}
	return r.tell(alone(bench+".cpu", "vibespaced", "% CPU", percent(daemon, daemonAfter)))
}

// desktop starts the app with a window shown, and lets it come to rest.
func (r *rig) desktop(ctx context.Context, s *screen, h api.Handle, full bool) (*exec.Cmd, error) {
	cmd := exec.Command(filepath.Join(r.bin, "vibespace-desktop"), "--window", string(h))
	cmd.Env = append(r.environ(), "DISPLAY="+s.display, "LIBGL_ALWAYS_SOFTWARE=1")
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: run make build first", err)
	}
	steps := []string{"search --sync --onlyvisible --name ^VibeSpace$ windowsize " + appWindow, "mousemove 700 400"}
	if full {
		steps = append(steps, "key F11")
	}
	for _, step := range steps {
		if err := rest(ctx, appSettle); err != nil {
			return nil, errors.Join(err, finish(cmd))
		}
		do := exec.CommandContext(ctx, "xdotool", strings.Fields(step)...)
		do.Env = append(os.Environ(), "DISPLAY="+s.display)
		if out, err := do.CombinedOutput(); err != nil {
			return nil, errors.Join(fmt.Errorf("xdotool %s: %w %s", step, err, out), finish(cmd))
		}
	}
	return cmd, rest(ctx, appSettle)
}

// rest waits.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// finish ends a program and waits for it.
func finish(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	var late atomic.Bool
	kill := time.AfterFunc(endLimit, func() {
		late.Store(true)
		_ = cmd.Process.Kill()
	})
	defer kill.Stop()
	_ = cmd.Wait() // how it ended is what was asked of it
	if late.Load() {
		return fmt.Errorf("%s goes on %v after it was told to end", cmd.Path, endLimit)
	}
	return nil
}

// screen is an X server of the person's, and a connection that looks at it.
type screen struct {
	display string
	server  *exec.Cmd
	x       *recorder
	root    uint32
}

// newScreen starts one with nothing on it.
func newScreen(ctx context.Context) (*screen, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s := &screen{server: exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-nolisten", "tcp", "-noreset", "-screen", "0", appScreen+"x24")}
	s.server.ExtraFiles = []*os.File{out}
	if err := errors.Join(s.server.Start(), out.Close()); err != nil {
		return nil, err
	}
	number, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the screen says no number: %w", err), finish(s.server))
	}
	s.display = ":" + strings.TrimSpace(number)
	conn, err := net.Dial("unix", "/tmp/.X11-unix/X"+s.display[1:])
	if err != nil {
		return nil, errors.Join(err, finish(s.server))
	}
	s.x = &recorder{conn: conn, in: bufio.NewReader(conn)}
	if s.root, err = s.x.rootWindow(); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// end ends it.
func (s *screen) end() {
	_ = s.x.conn.Close()
	_ = finish(s.server)
}

// rootWindow says hello without a cookie, which a server without any takes, and
// gives the root window.
func (r *recorder) rootWindow() (uint32, error) {
	setup, err := r.hello([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	if err != nil {
		return 0, err
	}
	le := binary.LittleEndian
	vendor, formats := int(le.Uint16(setup[16:])), int(setup[21])
	return le.Uint32(setup[32+(vendor+3)/4*4+8*formats:]), nil
}

// frames counts the changes of one pixel of the picture, each of whose frames
// has another grey: what came to the screen, whoever says it was drawn. A still
// picture is not looked at.
func (s *screen) frames(ctx context.Context, during time.Duration, moves bool) (int64, error) {
	if !moves {
		return 0, rest(ctx, during)
	}
	n := int64(0)
	until := time.Now().Add(during)
	last := uint32(0)
	for time.Now().Before(until) {
		le := binary.LittleEndian
		ask := le.AppendUint32([]byte{73, 2, 0, 0}, s.root) // GetImage of one pixel, as it is
		ask = append(ask, 0x20, 3, 0x90, 1, 1, 0, 1, 0)     // at 800,400
		if err := s.x.send(le.AppendUint32(ask, ^uint32(0))); err != nil {
			return 0, err
		}
		reply, err := s.x.reply()
		if err != nil {
			return 0, fmt.Errorf("look at the screen: %w", err)
		}
		if now := le.Uint32(reply[32:]) & 0xffffff; now != last {
			n++
			last = now
		}
		if err := rest(ctx, lookEvery); err != nil {
			return 0, err
		}
	}
	return n, nil
}
