package display

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"vibespace/internal/proc"
	"vibespace/x11"
	"vibespace/x11/xvfb"
)

// startLimit bounds a start whose context has no end: it takes a fifth of a
// second, and many times that on a machine that swaps.
const startLimit = 20 * time.Second

// firstMonitor is what applications take for the screen before a window is
// pinned: menus, maximised windows and centred dialogs stay in it.
var firstMonitor = x11.Rect{W: 1920, H: 1080}

// Start makes a display and returns when an application can be launched on it.
// ctx bounds the call; the display lives until End. Of a start that fails
// nothing is left, and the error carries the last words of what did not start.
func Start(ctx context.Context, cfg Config, id ID) (*Display, error) {
	begin := time.Now()
	limit := startLimit
	if cfg.Rung == RungXpra {
		limit += xpraLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not ready after %v", limit))
	defer cancel()
	d, err := prepare(cfg, id)
	if err != nil {
		return nil, fmt.Errorf("start display %s: %w", id, err)
	}
	if err := d.start(ctx); err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
		defer cancel()
		_, endErr := d.End(clean)
		return nil, fmt.Errorf("start display %s: %w", id, errors.Join(err, endErr))
	}
	d.mu.Lock()
	d.phases["all"] = time.Since(begin)
	d.mu.Unlock()
	return d, nil
}

// prepare makes everything that needs no process.
func prepare(cfg Config, id ID) (*Display, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Screen == (Size{}) {
		cfg.Screen = Size{xvfb.DefaultWidth, xvfb.DefaultHeight}
	}
	at, err := makeLayout(cfg.RuntimeDir, id)
	if err != nil {
		return nil, err
	}
	d := &Display{
		id: id, at: at, mark: newMark(id), cfg: cfg, started: time.Now(), rung: RungPlain,
		phases: map[string]time.Duration{}, done: make(chan struct{}), quit: make(chan struct{}),
	}
	d.find = newFinder(d.mark, at)
	if d.logs, err = openLogs(at.appLog(), at.worldLog()); err == nil {
		err = d.record().write(at, true)
	}
	if err != nil {
		if d.logs != nil {
			d.logs.close()
		}
		return nil, errors.Join(err, at.remove())
	}
	return d, nil
}

// newMark is what the processes of a display carry: its id, and a part that makes
// it the machine's only one, because two daemons may both have a display 1.
func newMark(id ID) string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // never fails
	return string(id) + "." + hex.EncodeToString(b)
}

// start starts the server beside the buses, then joins them.
func (d *Display) start(ctx context.Context) error {
	if err := together(ctx, d.startServer, d.startBuses); err != nil {
		return err
	}
	d.find.askBy(func() []int { return clients(d.x, d.session, d.access) })
	err := d.phase("join", func() error { return together(ctx, d.announce, d.access.Register, d.writeRecord) })
	if err != nil {
		return err
	}
	d.watching.Go(d.watch)
	return nil
}

// announce puts the accessibility bus on the root window, where Qt looks for it
// (for root it looks nowhere else).
func (d *Display) announce(ctx context.Context) error {
	return d.x.SetRootProperty(ctx, "AT_SPI_BUS", d.accessAddress)
}

// startServer starts the X server and what lives on connections to it.
func (d *Display) startServer(ctx context.Context) error {
	if err := d.phase("server", func() error { return d.startXvfb(ctx) }); err != nil {
		return err
	}
	return d.phase("server setup", func() error {
		var err error
		if d.x, err = x11.Dial(ctx, d.server.Display(), d.server.Cookie()); err != nil {
			return err
		}
		// The window manager reads the monitor when it starts.
		if err = d.setMonitor(ctx); err != nil {
			return err
		}
		return together(ctx, d.x.Redirect, d.startManager, d.startInjector)
	})
}

// startXvfb starts the server; its output goes to the display's log.
func (d *Display) startXvfb(ctx context.Context) error {
	log, err := d.logs.append(d.at.worldLog())
	if err != nil {
		return err
	}
	defer log.Close()
	d.server, err = xvfb.Start(ctx, xvfb.Config{
		Dir: d.at.dir, Screen: xvfb.Size(d.cfg.Screen), Log: log,
		Env: []string{"TMPDIR=" + d.at.tmp(), "XDG_RUNTIME_DIR=" + d.at.run(), markVariable + "=" + d.mark},
	})
	if err != nil {
		return err
	}
	d.number, d.cookieFile = d.server.Display(), d.server.CookieFile()
	d.find.add(d.server.Ident(), WhatServer)
	return nil
}

func (d *Display) setMonitor(ctx context.Context) error {
	m := firstMonitor
	m.W, m.H = min(m.W, d.cfg.Screen.W), min(m.H, d.cfg.Screen.H)
	return d.x.SetMonitor(ctx, m)
}

// startWM starts our own window manager. why is the reason when it is not what was
// asked for.
func (d *Display) startWM(ctx context.Context, why string) error {
	wm, err := x11.StartWM(ctx, d.x)
	if err != nil {
		return fmt.Errorf("window manager: %w", err)
	}
	d.manage(wm, RungPlain, why)
	return nil
}

// startInjector makes the injector; a server without injection is a display
// without it, not a failure.
func (d *Display) startInjector(ctx context.Context) error {
	if !d.cfg.Inject {
		d.noInject = "injection is switched off by configuration"
		return nil
	}
	in, err := x11.NewInjector(ctx, d.x)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, x11.ErrGone):
		return err
	case err != nil:
		d.noInject = err.Error()
	default:
		d.inject = in
	}
	return nil
}

// record is what is known of the display now.
func (d *Display) record() record {
	owner, err := proc.IdentOf(os.Getpid())
	if err != nil {
		owner = proc.Ident{PID: os.Getpid()}
	}
	rung, why := d.Rung()
	r := record{
		Version: recordVersion, ID: d.id, Mark: d.mark, Rung: string(rung), RungWhy: why, Started: d.started.UTC(),
		SessionBus: d.at.sessionAddress(), AccessBus: d.accessAddress,
		For: d.cfg.For, Boot: bootID(), Owner: owner, Before: d.before, Processes: d.find.recorded(),
	}
	if d.server != nil {
		r.Number, r.CookieFile = d.server.Number(), d.cookieFile
	}
	return r
}

// writeRecord brings the record on disk up to date.
func (d *Display) writeRecord(context.Context) error {
	d.recording.Lock()
	defer d.recording.Unlock()
	if err := d.record().write(d.at, false); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// together runs parts beside each other and waits for all. The first fault
// cancels the others and is the one that is told.
func together(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	var once sync.Once
	var first error
	for _, part := range parts {
		all.Go(func() {
			if err := part(ctx); err != nil {
				once.Do(func() { first = err; cancel(err) })
			}
		})
	}
	all.Wait()
	return first
}
