package display

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"vibespace/atspi"
	"vibespace/internal/proc"
	"vibespace/x11"
	"vibespace/x11/xvfb"
)

// reachTime bounds how long the server and buses of a dead owner's display are
// tried before it is ended; they answer at once or are gone.
const reachTime = time.Second

// Orphan is a display whose daemon is gone: one to adopt or to end.
type Orphan struct {
	ID ID
	// For is what the one who started it said it is for.
	For string
	// Unproven is why its record does not tell what it is, "" when it does.
	Unproven string

	at   layout
	r    record
	torn bool // it has no record that can be read
}

// Orphans lists the displays below a runtime directory whose daemon is gone.
// Displays of a daemon that lives, this one included, are not among them. The
// caller must be the one daemon of the directory.
func Orphans(runtimeDir string) ([]Orphan, error) {
	dirs, err := os.ReadDir(displaysDir(runtimeDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for displays: %w", err)
	}
	var list []Orphan
	for _, dir := range dirs {
		if !dir.IsDir() {
			continue
		}
		o := Orphan{ID: ID(dir.Name()), at: layout{dir: filepath.Join(displaysDir(runtimeDir), dir.Name())}}
		if o.read(); !o.r.Owner.Alive() {
			list = append(list, o)
		}
	}
	return list, nil
}

// read reads the record.
func (o *Orphan) read() {
	r, err := readRecord(o.at)
	if err != nil {
		o.torn, o.Unproven = true, "its record cannot be read: "+err.Error()
		return
	}
	o.r, o.For = r, r.For
	switch {
	case r.Version > recordVersion:
		o.Unproven = fmt.Sprintf("its record is of a newer build (version %d)", r.Version)
	case r.ID != o.ID:
		o.Unproven = "its record is another display's"
	case r.Boot != "" && r.Boot != bootID():
		// Nothing of it lives, and its pids are others' by now.
		o.r.Processes, o.r.Owner = nil, proc.Ident{}
	}
}

// finder finds the processes of the display by what its record tells, or by the
// directory that they were given for their sockets.
func (o Orphan) finder() *finder {
	if o.torn {
		find := newFinder(o.at.run(), o.at)
		find.sign = "XDG_RUNTIME_DIR"
		return find
	}
	find := newFinder(o.r.Mark, o.at)
	for _, p := range o.r.Processes {
		find.add(p.Ident, p.What)
	}
	return find
}

// Processes lists what lives of it.
func (o Orphan) Processes() ([]Process, error) {
	found, err := o.finder().scan()
	if err != nil {
		return nil, fmt.Errorf("processes of display %s: %w", o.ID, err)
	}
	return found, nil
}

// server is the X server's process, zero when none was recorded.
func (o Orphan) server() proc.Ident {
	for _, p := range o.r.Processes {
		if p.What == WhatServer {
			return p.Ident
		}
	}
	return proc.Ident{}
}

// End ends what is left of the display and gives how many processes that were.
func (o Orphan) End(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	e := ender{find: o.finder(), at: o.at, since: o.r.Started, disconnect: func() error { return nil }}
	if o.torn {
		// When it began is not known, so no shared memory is proven to be of it.
		e.since = time.Now()
	} else {
		w := o.reach(ctx)
		e.find.askBy(func() []int { return clients(w.x, w.buses...) })
		e.makers = append(o.r.Before, o.r.Owner.PID)
		e.disconnect, e.server = w.close, w.stop
	}
	n, err := e.end(ctx)
	if err != nil {
		err = fmt.Errorf("end display %s: %w", o.ID, err)
	}
	return n, err
}

// reached is what still answers of a recorded display.
type reached struct {
	x     *x11.Conn
	buses []*atspi.Conn
	stop  func(context.Context) error // ends the server, nil when none was recorded
}

// reach connects to what still answers, to learn who else is connected.
func (o Orphan) reach(ctx context.Context) reached {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	var w reached
	if server := o.server(); o.r.Number > 0 && server != (proc.Ident{}) {
		old := xvfb.Record{Number: o.r.Number, Ident: server, Dir: o.at.dir}
		w.stop = func(ctx context.Context) error { return xvfb.Clean(ctx, old) }
		// Adopting proves that the record's own process listens there.
		if s, err := xvfb.Adopt(ctx, old); err == nil {
			w.stop = s.Stop
			w.x, _ = x11.Dial(ctx, s.Display(), s.Cookie())
		}
	}
	for _, address := range []string{o.r.SessionBus, o.r.AccessBus} {
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

// xName is an X display's name for clients.
func xName(number int) string { return ":" + strconv.Itoa(number) }
