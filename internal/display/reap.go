package display

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"vibespace/atspi"
	"vibespace/internal/proc"
	"vibespace/x11"
	"vibespace/x11/xvfb"
)

const (
	// youngest is how long a directory without a record is left alone: its display
	// may be about to write one.
	youngest = 5 * time.Second
	// reachTime bounds how long the server and buses of a dead owner's display are
	// tried; they answer at once or are gone.
	reachTime = time.Second
)

// Reap ends the displays below a runtime directory whose daemon is gone and
// returns how many processes that were. Displays of a daemon that lives, this one
// included, are left alone, and so are records of a newer build. Displays that
// could not be ended are in the error; the others are ended all the same.
func Reap(ctx context.Context, runtimeDir string) (ended int, err error) {
	dirs, err := os.ReadDir(displaysDir(runtimeDir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reap displays: %w", err)
	}
	var all sync.WaitGroup
	counts, faults := make([]int, len(dirs)), make([]error, len(dirs))
	for i, dir := range dirs {
		at := layout{dir: filepath.Join(displaysDir(runtimeDir), dir.Name())}
		all.Go(func() {
			counts[i], faults[i] = reap(ctx, at)
			if faults[i] != nil {
				faults[i] = fmt.Errorf("reap display %s: %w", dir.Name(), faults[i])
			}
		})
	}
	all.Wait()
	for _, n := range counts {
		ended += n
	}
	return ended, errors.Join(faults...)
}

// reap ends one display if nobody holds it.
func reap(ctx context.Context, at layout) (int, error) {
	r, err := readRecord(at)
	if err != nil {
		return reapUnrecorded(ctx, at, err)
	}
	if r.Version > recordVersion {
		return 0, fmt.Errorf("its record is of a newer build (version %d)", r.Version)
	}
	if r.Owner.Alive() {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	find := newFinder(r.Mark, at)
	var server proc.Ident
	for _, p := range r.Processes {
		find.add(p.Ident, p.What)
		if p.What == WhatServer {
			server = p.Ident
		}
	}
	e := ender{find: find, at: at, since: r.Started, makers: []int{r.Owner.PID}}
	w := reach(ctx, r, server, at)
	find.askBy(func() []int { return clients(w.x, w.buses...) })
	e.disconnect, e.server = w.close, w.stop
	return e.end(ctx)
}

// reached is what still answers of a recorded display.
type reached struct {
	x     *x11.Conn
	buses []*atspi.Conn
	stop  func(context.Context) error // ends the server, nil when none was recorded
}

// reach connects to what still answers, to learn who else is connected.
func reach(ctx context.Context, r record, server proc.Ident, at layout) reached {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	var w reached
	if r.Number > 0 && server != (proc.Ident{}) {
		old := xvfb.Record{Number: r.Number, Ident: server, Dir: at.dir}
		w.stop = func(ctx context.Context) error { return xvfb.Clean(ctx, old) }
		// Adopting proves that the record's own process listens there.
		if s, err := xvfb.Adopt(ctx, old); err == nil {
			w.stop = s.Stop
			w.x, _ = x11.Dial(ctx, s.Display(), s.Cookie())
		}
	}
	for _, address := range []string{r.SessionBus, r.AccessBus} {
		if address == "" {
			continue
		}
		if bus, err := atspi.Dial(ctx, address); err == nil {
			w.buses = append(w.buses, bus)
		}
	}
	return w
}

// close gives the connections up.
func (w reached) close() error {
	if w.x != nil {
		_ = w.x.Close()
	}
	for _, bus := range w.buses {
		_ = bus.Close()
	}
	return nil
}

// reapUnrecorded ends what a daemon left that died before its record was whole.
// Its processes are told by the directory they were given for their sockets.
func reapUnrecorded(ctx context.Context, at layout, why error) (int, error) {
	info, err := os.Lstat(at.dir)
	if err != nil || !info.IsDir() {
		return 0, nil
	}
	if time.Since(info.ModTime()) < youngest {
		return 0, fmt.Errorf("left alone, it is being made: %w", why)
	}
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	find := newFinder(at.run(), at)
	find.sign = "XDG_RUNTIME_DIR"
	// When it began is not known, so no shared memory is proven to be of it.
	e := ender{find: find, at: at, since: time.Now(), disconnect: func() error { return nil }}
	return e.end(ctx)
}

// xName is an X display's name for clients.
func xName(number int) string { return ":" + strconv.Itoa(number) }
