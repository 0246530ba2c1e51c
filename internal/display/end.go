package display

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vibespace/atspi"
	"vibespace/internal/proc"
	"vibespace/x11/xvfb"
)

// endLimit bounds one attempt to end a display. Only a process that the kernel
// itself holds, or a machine that hardly runs at all, takes long.
const endLimit = 30 * time.Second

// ending is one attempt to end a display.
type ending struct {
	over chan struct{}
	n    int
	err  error
}

// End ends the display: every process of it is killed until two looks find none,
// then its sockets, lock, cookie, shared memory and directory are removed. It
// returns how many processes there were. ctx bounds the wait alone: an end once
// begun is finished, because half a display is worse than none, and a call made
// meanwhile waits for the same end. Of a display that was ended nothing is left to
// do; an end that failed may be tried again.
func (d *Display) End(ctx context.Context) (ended int, err error) {
	d.mu.Lock()
	e := d.ending
	switch {
	case e == nil, closed(e.over) && e.err != nil:
		e = &ending{over: make(chan struct{})}
		d.ending = e
		go d.end(e)
	case closed(e.over):
		d.mu.Unlock()
		return 0, nil
	}
	d.mu.Unlock()
	select {
	case <-e.over:
		return e.n, e.err
	case <-ctx.Done():
		return 0, fmt.Errorf("end display %s: still at it: %w", d.id, context.Cause(ctx))
	}
}

// end makes one attempt.
func (d *Display) end(e *ending) {
	defer close(e.over)
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
	defer cancel()
	d.close()
	way := ender{find: d.find, at: d.at, since: d.started, disconnect: d.disconnect, makers: d.before}
	if d.server != nil {
		way.server = d.server.Stop
	}
	if e.n, e.err = way.end(ctx); e.err != nil {
		e.err = fmt.Errorf("end display %s: %w", d.id, e.err)
		return
	}
	d.mu.Lock()
	children := d.children
	d.mu.Unlock()
	for _, p := range children {
		select {
		case <-p.Done():
		case <-ctx.Done():
		}
	}
}

// close lets no further program in and waits for a launch that is under way.
func (d *Display) close() {
	d.gate.Lock()
	defer d.gate.Unlock()
	if !closed(d.quit) {
		close(d.quit)
	}
}

// disconnect ends everything this process has of the display.
func (d *Display) disconnect() error {
	var errs []error
	if wm := d.WM(); wm != nil {
		errs = append(errs, wm.Close())
	}
	if d.x != nil {
		errs = append(errs, d.x.Close())
	}
	for _, bus := range []*atspi.Conn{d.access, d.session} {
		if bus != nil {
			errs = append(errs, bus.Close())
		}
	}
	d.watching.Wait()
	d.moving.Lock() // a move that is under way sees the end and leaves the rest to it
	wm := d.WM()
	d.moving.Unlock()
	if wm != nil { // it may have taken another's place just now
		errs = append(errs, wm.Close())
	}
	d.logs.close()
	return errors.Join(errs...)
}

// closed reports whether a channel is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// ender ends a display, ours or one that a dead process left.
type ender struct {
	find  *finder
	at    layout
	since time.Time
	// server stops the X server and removes its files; nil when there is none.
	server func(context.Context) error
	// disconnect gives up our own connections, after the last question to server
	// and buses and before they go.
	disconnect func() error
	makers     []int // further pids whose shared memory is left over
}

// end kills the applications while the server and the buses can still tell who
// is connected to them, then the buses, then stops the server, and looks again.
func (e ender) end(ctx context.Context) (int, error) {
	e.find.count()
	e.wake()
	all := func(Process) bool { return true }
	_, err := proc.EndAll(ctx, e.find.idents(func(p Process) bool { return p.What == WhatApp }))
	// Libraries report that a connection ended by itself; that is what was wanted.
	_ = e.disconnect()
	e.find.askBy(nil)
	e.killBuses()
	if e.server != nil {
		// It goes in its own way, which removes its files.
		err = errors.Join(err, e.server(ctx))
	}
	_, restErr := proc.EndAll(ctx, e.find.idents(all))
	if err = errors.Join(err, restErr); err != nil {
		return e.find.counted(), err
	}
	return e.find.counted(), e.clear(ctx)
}

// wake lets go on what somebody stopped: a server that is stopped neither says
// who its clients are nor ends in its own way.
func (e ender) wake() {
	for _, p := range e.find.recorded() {
		if p.What != WhatApp {
			_ = proc.Signal(p.Ident, syscall.SIGCONT) // gone is fine
		}
	}
}

// killBuses kills everything but the server once; the last look finds what
// outlives that.
func (e ender) killBuses() {
	found, err := e.find.scan()
	if err != nil {
		return
	}
	for _, p := range found {
		if p.What != WhatServer {
			_ = proc.Signal(p.Ident, syscall.SIGKILL) // gone is what was wanted
		}
	}
}

// clear removes what the ended processes left outside their directory, then the
// directory, which has the record: it goes last.
func (e ender) clear(ctx context.Context) error {
	if err := e.removeLocks(ctx); err != nil {
		return err
	}
	makers := e.find.pids()
	for _, pid := range e.makers {
		makers[pid] = true
	}
	if _, err := proc.RemoveSegments(makers, e.since); err != nil {
		return err
	}
	return e.at.remove()
}

// removeLocks removes what a server left in /tmp whose start was cut before its
// number was recorded: its lock names one of the pids we know to be ours and
// gone.
func (e ender) removeLocks(ctx context.Context) error {
	locks, _ := filepath.Glob("/tmp/.X*-lock")
	known := e.find.pids()
	var errs []error
	for _, path := range locks {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		number, nameErr := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), ".X"), "-lock"))
		if err != nil || nameErr != nil || !known[pid] {
			continue
		}
		// The start time is not known any more, and none is needed: it is dead.
		errs = append(errs, xvfb.Clean(ctx, xvfb.Record{Number: number, Ident: proc.Ident{PID: pid}, Dir: e.at.dir}))
	}
	return errors.Join(errs...)
}
