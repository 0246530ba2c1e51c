package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// Window is a window target as it is kept.
type Window struct {
	Handle api.Handle
	App    string // what it was opened by
	// Label is what an agent calls the browser it opened, "" for other windows.
	Label  string
	Title  string
	Path   string // the program
	Home   string // the kept home's name, "" for none
	Origin string
	Rung   string
	// Display is the ID of its display.
	Display string
	// PID and Start name the app's first process, 0 while there is none.
	PID   int
	Start uint64
	// Opener is the session that opened it, "" for the person. It is set once:
	// UpdateWindow leaves it, and a later session of the same label is not it.
	Opener api.SessionID
	// Mode is the mode asked for; Resolved and Why what auto came to.
	Mode, Resolved, Why string
	Pin                 *api.Size
	State               string // starting, ready, ended
	// Ended is nil while it lives.
	Ended   *api.Ended
	Created time.Time
}

// windowColumns lists the columns that scanWindow reads and windowValues
// writes, without the opener.
const windowColumns = `handle, app, label, title, path, home, origin, rung, display, pid, start,
	mode, resolved, why, pin_w, pin_h, state, ended_why, ended_status, ended_at, created`

// AddWindow writes a new window and, when a session opened it, that session's
// own share of it, in one step: a window whose opener cannot reach it never
// exists. The opener must be living.
func (db *DB) AddWindow(ctx context.Context, w Window) error {
	op := fmt.Sprintf("add window %s", w.Handle)
	return db.tx(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		openerID, err := living(ctx, tx, w.Opener)
		if err != nil {
			return err
		}
		args := append(windowValues(w), string(w.Opener), openerID)
		_, err = tx.ExecContext(ctx, `INSERT INTO windows(`+windowColumns+`, opener, opener_id)
			VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, args...)
		if err != nil || w.Opener == "" {
			return err
		}
		return putShare(ctx, tx, Share{
			Handle: w.Handle, Kind: KindSession, Name: string(w.Opener), Mode: w.Mode, Since: w.Created,
		})
	})
}

// living gives the row of a living session, 0 for no session at all.
func living(ctx context.Context, tx *sql.Tx, label api.SessionID) (int64, error) {
	if label == "" {
		return 0, nil
	}
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM sessions WHERE label = ? AND ended IS NULL`, string(label)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("session %q: %w", label, ErrAbsent)
	}
	return id, err
}

// UpdateWindow writes everything of a window but its opener and its creation;
// ErrAbsent when there is no such window.
func (db *DB) UpdateWindow(ctx context.Context, w Window) error {
	op := fmt.Sprintf("write window %s", w.Handle)
	n, err := db.change(ctx, op, `UPDATE windows SET (`+windowColumns+`) =
		(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, created) WHERE handle = ?`,
		append(windowValues(w)[:20], string(w.Handle))...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", op, ErrAbsent)
	}
	return err
}

// Window reads one window; false when there is none.
func (db *DB) Window(ctx context.Context, h api.Handle) (Window, bool, error) {
	return one(ctx, db, "read window", scanWindow,
		`SELECT `+windowColumns+`, opener FROM windows WHERE handle = ?`, string(h))
}

// Windows lists every window, the oldest first, those that ended too.
func (db *DB) Windows(ctx context.Context) ([]Window, error) {
	return list(ctx, db, "read windows", scanWindow, `SELECT `+windowColumns+`, opener FROM windows ORDER BY n`)
}

// Opened reports whether a living session opened a window: the session itself,
// not an earlier one of its label.
func (db *DB) Opened(ctx context.Context, h api.Handle, session api.SessionID) (bool, error) {
	_, ok, err := one(ctx, db, "read the opener of a window", text[string],
		`SELECT w.handle FROM windows w JOIN sessions s ON s.id = w.opener_id
		WHERE w.handle = ? AND s.label = ? AND s.ended IS NULL`, string(h), string(session))
	return ok, err
}

// OpenedBy lists the windows a living session opened that have not ended.
func (db *DB) OpenedBy(ctx context.Context, session api.SessionID) ([]api.Handle, error) {
	return list(ctx, db, "read the windows of a session", text[api.Handle],
		`SELECT w.handle FROM windows w JOIN sessions s ON s.id = w.opener_id
		WHERE s.label = ? AND s.ended IS NULL AND w.ended_at IS NULL ORDER BY w.n`, string(session))
}

// DeleteWindow forgets a window with its shares and its lease. Its handle is
// not given again.
func (db *DB) DeleteWindow(ctx context.Context, h api.Handle) error {
	return db.tx(ctx, fmt.Sprintf("delete window %s", h), func(ctx context.Context, tx *sql.Tx) error {
		return deleteWindow(ctx, tx, h)
	})
}

// PruneWindows forgets the windows that ended before a time and gives their
// handles.
func (db *DB) PruneWindows(ctx context.Context, before time.Time) ([]api.Handle, error) {
	gone, err := list(ctx, db, "read ended windows", text[api.Handle],
		`SELECT handle FROM windows WHERE ended_at < ? ORDER BY n`, before.UnixMilli())
	if err != nil || len(gone) == 0 {
		return gone, err
	}
	err = db.tx(ctx, "delete ended windows", func(ctx context.Context, tx *sql.Tx) error {
		for _, h := range gone {
			if err := deleteWindow(ctx, tx, h); err != nil {
				return err
			}
		}
		return nil
	})
	return gone, err
}

// deleteWindow deletes what hangs on a handle.
func deleteWindow(ctx context.Context, tx *sql.Tx, h api.Handle) error {
	for _, table := range []string{"windows", "shares", "leases"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE handle = ?`, string(h)); err != nil {
			return err
		}
	}
	return nil
}

// unknownStatus stands for a status nobody was told.
const unknownStatus = -1

// windowValues gives the values of windowColumns.
func windowValues(w Window) []any {
	var pinW, pinH any
	if w.Pin != nil {
		pinW, pinH = w.Pin.W, w.Pin.H
	}
	var ended api.Ended
	status := unknownStatus
	if w.Ended != nil {
		ended = *w.Ended
		if ended.Status != nil {
			status = *ended.Status
		}
	}
	return []any{
		string(w.Handle), w.App, w.Label, w.Title, w.Path, w.Home, w.Origin, w.Rung, w.Display, w.PID, int64(w.Start),
		w.Mode, w.Resolved, w.Why, pinW, pinH, w.State, ended.Why, status, stamp(ended.At), w.Created.UnixMilli(),
	}
}

// scanWindow reads windowColumns and the opener.
func scanWindow(s scanner) (Window, error) {
	var w Window
	var start int64
	var pinW, pinH, endedAt, created sql.NullInt64
	var ended api.Ended
	var status int
	err := s.Scan(&w.Handle, &w.App, &w.Label, &w.Title, &w.Path, &w.Home, &w.Origin, &w.Rung, &w.Display, &w.PID, &start,
		&w.Mode, &w.Resolved, &w.Why, &pinW, &pinH, &w.State, &ended.Why, &status, &endedAt, &created, &w.Opener)
	w.Start, w.Created = uint64(start), instant(created)
	if pinW.Valid && pinH.Valid {
		w.Pin = &api.Size{W: int(pinW.Int64), H: int(pinH.Int64)}
	}
	if endedAt.Valid {
		ended.At = instant(endedAt)
		if status != unknownStatus {
			ended.Status = &status
		}
		w.Ended = &ended
	}
	return w, err
}
