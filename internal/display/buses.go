package display

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/proc"
)

// launcherPoll is how often the accessibility launcher is looked for while it
// starts, which takes it 10 to 50 ms.
const launcherPoll = 2 * time.Millisecond

// errNotInstalled says which program a display cannot do without.
func errNotInstalled(program, pkg string) error {
	return fmt.Errorf("%s (Debian package %s): %w", program, pkg, exec.ErrNotFound)
}

// startBuses starts the session bus, the accessibility bus on it and the
// registry on that, tells applications to come, and connects to both.
func (d *Display) startBuses(ctx context.Context) error {
	if err := d.phase("session bus", func() error { return d.startSession(ctx) }); err != nil {
		return fmt.Errorf("session bus: %w", err)
	}
	if err := d.phase("accessibility bus", func() error { return d.startAccess(ctx) }); err != nil {
		return fmt.Errorf("accessibility bus: %w", err)
	}
	return nil
}

// startSession starts the display's own dbus-daemon and waits until it listens.
func (d *Display) startSession(ctx context.Context) error {
	path := firstProgram("/usr/bin/dbus-daemon", "/usr/local/bin/dbus-daemon", "/bin/dbus-daemon")
	if path == "" {
		return errNotInstalled("dbus-daemon", "dbus-daemon")
	}
	ready, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	p, err := d.spawn(WhatBus, proc.Spec{
		Path: path, Args: []string{"--nofork", "--nopidfile", "--nosyslog", "--config-file=" + d.at.busConfig(), "--print-address=3"},
		Env: d.busEnv(), ExtraFiles: []*os.File{tell}, NewSession: true,
	})
	tell.Close()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if n, err := ready.Read(make([]byte, 256)); err != nil || n == 0 {
		return obituary(ctx, p, err)
	}
	d.session, err = atspi.Dial(ctx, d.at.sessionAddress())
	return err
}

// startAccess starts the launcher of the accessibility bus and waits for the
// bus and its registry.
func (d *Display) startAccess(ctx context.Context) error {
	path, err := serviceProgram(a11yService)
	if err != nil {
		return errNotInstalled("at-spi-bus-launcher", "at-spi2-core")
	}
	p, err := d.spawn(WhatLauncher, proc.Spec{
		Path: path, Args: []string{"--launch-immediately"}, NewSession: true,
		// Its settings are kept in memory: it would write its switch into those of a HOME.
		Env: d.busEnv("DBUS_SESSION_BUS_ADDRESS="+d.at.sessionAddress(), "GSETTINGS_BACKEND=memory"),
	})
	if err != nil {
		return err
	}
	err = insist(ctx, p, func() (err error) {
		d.accessAddress, err = atspi.Address(ctx, d.at.sessionAddress())
		return err
	})
	if err != nil {
		return err
	}
	d.access, err = atspi.Dial(ctx, d.accessAddress)
	if err != nil {
		return err
	}
	// Toolkits look at the flags once, when they start, so they come first.
	return together(ctx, d.startRegistry, func(ctx context.Context) error {
		return insist(ctx, p, func() error { return atspi.Enable(ctx, d.at.sessionAddress()) })
	})
}

// startRegistry has the bus start its registry, so that the first application
// does not wait for it.
func (d *Display) startRegistry(ctx context.Context) error {
	return insist(ctx, nil, func() error { return d.access.StartRegistry(ctx) })
}

// insist asks the accessibility launcher or its bus until it answers: it is not
// there yet when it was only just started, and on a machine that is busy one
// answer may take longer than a call may. A launcher that ended will not answer.
func insist(ctx context.Context, launcher *proc.Process, ask func() error) error {
	var gone <-chan struct{}
	if launcher != nil {
		gone = launcher.Done()
	}
	tick := time.NewTicker(launcherPoll)
	defer tick.Stop()
	for {
		err := ask()
		if err == nil || ctx.Err() == nil && !errors.Is(err, atspi.ErrGone) && !errors.Is(err, atspi.ErrNoReply) {
			return err
		}
		select {
		case <-gone:
			return obituary(ctx, launcher, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// spawn starts one of the display's own processes, logging to the display's log,
// and remembers it.
func (d *Display) spawn(what What, spec proc.Spec) (*proc.Process, error) {
	log, err := d.logs.append(d.at.worldLog())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	spec.Log = log
	p, err := proc.Start(spec)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.children = append(d.children, p)
	d.mu.Unlock()
	d.find.add(p.Ident(), what)
	return p, nil
}

// obituary is the error of a process that did not become ready: its own last
// words when it ended, else why the wait did.
func obituary(ctx context.Context, p *proc.Process, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-p.Done():
	case <-time.After(time.Second):
		return fmt.Errorf("not ready: %w", err)
	}
	status, _ := p.Exit()
	return fmt.Errorf("ended with %v: %s", status, strings.Join(p.LastWords(), " | "))
}

// firstProgram is the first of the paths that is a program.
func firstProgram(paths ...string) string {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
