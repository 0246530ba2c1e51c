package display

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"vibespace/atspi"
	"vibespace/internal/proc"
	"vibespace/x11"
	"vibespace/x11/xvfb"
)

// ErrDead says that a display cannot be used any more: its server is gone, or it
// was never whole. What is left of it can only be ended.
var ErrDead = errors.New("the display is dead")

// errNoBus is a display that cannot be taken back whole because a bus of it
// ended. Its application may hold what nobody saved: it is not one to end.
var errNoBus = errors.New("the display has no tree")

// managedPoll is how often the window manager's place is asked for: the server
// may not have seen yet that the dead daemon's connection ended.
const managedPoll = 5 * time.Millisecond

// Adopt takes an orphan back: it proves that its server and buses are those of
// its record, connects to them, makes again what lived in the dead daemon, and
// lets go of every key and button that is down. monitor is the size of what its
// main window is pinned to, zero for one that is not.
//
// ctx bounds the call. ErrDead is a display to end; any other error leaves it
// untouched, and says what could not be proven.
func (o Orphan) Adopt(ctx context.Context, cfg Config, monitor Size) (*Display, error) {
	d, err := o.adopt(ctx, cfg, monitor)
	if err != nil {
		return nil, fmt.Errorf("adopt display %s: %w", o.ID, err)
	}
	return d, nil
}

func (o Orphan) adopt(ctx context.Context, cfg Config, monitor Size) (*Display, error) {
	if o.Unproven != "" {
		return nil, errors.New(o.Unproven)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.For = o.r.For
	begin := time.Now()
	d := &Display{
		id: o.ID, at: o.at, mark: o.r.Mark, cfg: cfg, started: o.r.Started, find: o.finder(),
		before: append(o.r.Before, o.r.Owner.PID),
		phases: map[string]time.Duration{}, done: make(chan struct{}), quit: make(chan struct{}), rung: RungPlain,
	}
	var err error
	if d.logs, err = openLogs(o.at.appLog(), o.at.worldLog()); err != nil {
		return nil, err
	}
	err = together(ctx,
		func(ctx context.Context) error { return d.adoptServer(ctx, o, monitor) },
		func(ctx context.Context) error { return d.adoptBuses(ctx, o) })
	if errors.Is(err, errNoBus) && !o.server().Alive() {
		err = fmt.Errorf("%w: its X server ended", ErrDead) // and its buses with it
	}
	if err == nil {
		d.find.askBy(func() []int { return clients(d.x, d.session, d.access) })
		err = together(ctx, d.announce, d.access.Register, d.releaseStuck, d.writeRecord)
	}
	if err != nil {
		_ = d.disconnect()
		if d.server != nil {
			d.server.Release()
		}
		return nil, err
	}
	// What the dead daemon did not come to mark for removal is nobody's now.
	if _, err := proc.RemoveSegments(map[int]bool{o.r.Owner.PID: true}, o.r.Started); err != nil {
		cfg.Log.Warn("shared memory of a dead daemon is left", "display", d.id, "err", err)
	}
	d.watching.Go(d.watch)
	d.phases["all"] = time.Since(begin)
	return d, nil
}

// adoptServer proves the X server and joins it.
func (d *Display) adoptServer(ctx context.Context, o Orphan, monitor Size) error {
	id := o.server()
	if o.r.Number == 0 || !id.Alive() {
		return fmt.Errorf("%w: its X server ended", ErrDead)
	}
	server, err := xvfb.Adopt(ctx, xvfb.Record{Number: o.r.Number, Ident: id, Dir: o.at.dir})
	if err != nil {
		return err
	}
	d.server, d.number, d.cookieFile = server, server.Display(), server.CookieFile()
	if d.x, err = x11.Dial(ctx, server.Display(), server.Cookie()); err != nil {
		return err
	}
	d.cfg.Screen.W, d.cfg.Screen.H = d.x.Screen()
	if monitor == (Size{}) {
		err = d.setMonitor(ctx)
	} else {
		err = d.x.SetMonitor(ctx, x11.Rect{W: monitor.W, H: monitor.H})
	}
	if err != nil {
		return err
	}
	manage := func(ctx context.Context) error { return d.adoptManager(ctx, o) }
	return together(ctx, d.x.Redirect, manage, d.startInjector)
}

// takeOverWM starts the window manager once the one before it has gone. why is as
// for startWM.
func (d *Display) takeOverWM(ctx context.Context, why string) error {
	tick := time.NewTicker(managedPoll)
	defer tick.Stop()
	for {
		err := d.startWM(ctx, why)
		if !errors.Is(err, x11.ErrManaged) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// releaseStuck lets go of what the dead daemon held down.
func (d *Display) releaseStuck(ctx context.Context) error {
	if d.inject == nil {
		return nil
	}
	n, err := d.inject.ReleaseStuck(ctx)
	if n > 0 {
		d.cfg.Log.Info("let go of keys and buttons that were down", "display", d.id, "count", n)
	}
	return err
}

// adoptBuses proves both buses and joins them.
func (d *Display) adoptBuses(ctx context.Context, o Orphan) error {
	for _, p := range o.r.Processes {
		if (p.What == WhatBus || p.What == WhatLauncher) && !p.Alive() {
			return fmt.Errorf("%w: its %s ended", errNoBus, p.What)
		}
	}
	if o.r.AccessBus == "" {
		return fmt.Errorf("%w: it was never whole", ErrDead)
	}
	ours, err := d.find.scan()
	if err != nil {
		return err
	}
	known := map[int]bool{}
	for _, p := range ours {
		known[p.PID] = true
	}
	if d.session, err = joinBus(ctx, d.at.sessionAddress(), "session bus", known); err != nil {
		return err
	}
	d.accessAddress = o.r.AccessBus
	d.access, err = joinBus(ctx, o.r.AccessBus, "accessibility bus", known)
	return err
}

// joinBus connects to a bus when a process of the display is what listens there.
func joinBus(ctx context.Context, address, what string, known map[int]bool) (*atspi.Conn, error) {
	pid, err := listener(ctx, address)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: its %s ended", errNoBus, what)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	case !known[pid]:
		return nil, fmt.Errorf("%s: process %d listens there, which is not of the display", what, pid)
	}
	bus, err := atspi.Dial(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return bus, nil
}

// listener gives the pid of the process that made a bus's socket listen.
func listener(ctx context.Context, address string) (int, error) {
	path, _, _ := strings.Cut(strings.TrimPrefix(address, "unix:path="), ",")
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *syscall.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(err, credErr); err != nil {
		return 0, err
	}
	return int(cred.Pid), nil
}

// App gives the application that an earlier daemon launched on an adopted
// display; nil when there was none. One that has ended is given as ended.
func (o Orphan) App() (*App, error) {
	for _, p := range o.r.Processes {
		if p.What != WhatApp {
			continue
		}
		child, err := proc.Adopt(p.Ident, "the application of "+string(o.ID), o.at.appLog())
		if err != nil {
			return nil, err
		}
		return &App{Process: child, LogFile: o.at.appLog()}, nil
	}
	return nil, nil
}

// bootID names the time since the machine booted: start times repeat after a
// reboot. It is "" where the kernel does not say.
func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}
