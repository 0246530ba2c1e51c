package store

import (
	"context"
	"database/sql"
	"time"
)

// Display is a nested display as a later daemon needs it: to prove that it is
// ours, to adopt it, or to end what is left of it.
type Display struct {
	// ID is the display's own name, the value of VIBESPACE_DISPLAY_ID in the
	// environment of everything on it.
	ID string
	// Number is the X display's, without the colon.
	Number int
	Rung   string // xvfb, xpra
	Dir    string // holds its cookie and sockets
	W, H   int    // the screen, in pixels
	// SessionBus and AccessBus are D-Bus addresses.
	SessionBus, AccessBus string
	// Boot is the kernel's boot id: start times repeat after a reboot.
	Boot      string
	Created   time.Time
	Processes []Process
}

// Process is one process of a display, known by pid and start time (field 22
// of /proc/<pid>/stat, clock ticks since boot).
type Process struct {
	PID   int
	Start uint64
	What  string // server, session bus, accessibility bus, app …
}

// PutDisplay writes a display and its processes, instead of what was known of
// it before.
func (db *DB) PutDisplay(ctx context.Context, d Display) error {
	return db.tx(ctx, "write display "+d.ID, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO displays(id, number, rung, dir, w, h, session_bus, access_bus, boot, created)
			VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT(id) DO UPDATE SET number = excluded.number, rung = excluded.rung, dir = excluded.dir,
			w = excluded.w, h = excluded.h, session_bus = excluded.session_bus, access_bus = excluded.access_bus,
			boot = excluded.boot`,
			d.ID, d.Number, d.Rung, d.Dir, d.W, d.H, d.SessionBus, d.AccessBus, d.Boot, d.Created.UnixMilli())
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM processes WHERE display = ?`, d.ID); err != nil {
			return err
		}
		for _, p := range d.Processes {
			// A start time is below 2^63 for the next billion years of uptime.
			_, err := tx.ExecContext(ctx, `INSERT INTO processes(display, pid, start, what) VALUES(?, ?, ?, ?)`,
				d.ID, p.PID, int64(p.Start), p.What)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Displays lists every display, the oldest first.
func (db *DB) Displays(ctx context.Context) ([]Display, error) {
	displays, err := list(ctx, db, "read displays", scanDisplay,
		`SELECT id, number, rung, dir, w, h, session_bus, access_bus, boot, created FROM displays ORDER BY created, id`)
	if err != nil {
		return nil, err
	}
	for i := range displays {
		displays[i].Processes, err = list(ctx, db, "read processes", scanProcess,
			`SELECT pid, start, what FROM processes WHERE display = ? ORDER BY start, pid`, displays[i].ID)
		if err != nil {
			return nil, err
		}
	}
	return displays, nil
}

// DeleteDisplay forgets a display and its processes.
func (db *DB) DeleteDisplay(ctx context.Context, id string) error {
	_, err := db.exec(ctx, "delete display "+id, `DELETE FROM displays WHERE id = ?`, id)
	return err
}

// scanDisplay reads one row of displays.
func scanDisplay(s scanner) (Display, error) {
	var d Display
	var created sql.NullInt64
	err := s.Scan(&d.ID, &d.Number, &d.Rung, &d.Dir, &d.W, &d.H, &d.SessionBus, &d.AccessBus, &d.Boot, &created)
	d.Created = instant(created)
	return d, err
}

// scanProcess reads one row of processes.
func scanProcess(s scanner) (Process, error) {
	var p Process
	var start int64
	err := s.Scan(&p.PID, &start, &p.What)
	p.Start = uint64(start)
	return p, err
}
