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

// endLimit bounds an end whatever the caller's context says: half an end leaves
// a worse display than none. Only a process the kernel itself holds takes long.
const endLimit = 8 * time.Second

// End ends the display: every process of it is killed until two looks find none,
// then its sockets, lock, cookie, shared memory and directory are removed. It
// returns how many processes it ended. Once begun it is finished whether ctx ends
// or not, in 8 seconds at most; a second call finds nothing to do.
func (d *Display) End(ctx context.Context) (ended int, err error) {
	d.ending.Lock()
	defer d.ending.Unlock()
	if d.ended {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	d.close()
	e := ender{find: d.find, at: d.at, since: d.started, disconnect: d.disconnect}
	if d.server != nil {
		e.server = d.server.Stop
	}
	ended, err = e.end(ctx)
	if err != nil {
		return ended, fmt.Errorf("end display %s: %w", d.id, err)
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
	d.ended = true
	return ended, nil
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
	if d.wm != nil {
		errs = append(errs, d.wm.Close())
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
	_, busErr := proc.EndAll(ctx, e.find.idents(func(p Process) bool { return p.What != WhatServer }))
	err = errors.Join(err, busErr)
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
