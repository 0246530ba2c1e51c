package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Remembered is a share that an application's windows are to get again.
type Remembered struct {
	App   string
	Kind  string // KindSession, KindGroup
	Name  string
	Mode  string
	Since time.Time
}

// PutRemembered writes a share to be remembered, or changes the mode of one.
// The grantee must be there: ErrAbsent otherwise.
func (db *DB) PutRemembered(ctx context.Context, r Remembered) error {
	return db.tx(ctx, fmt.Sprintf("remember a share of %q with %s %q", r.App, r.Kind, r.Name), func(ctx context.Context, tx *sql.Tx) error {
		if err := granteeThere(ctx, tx, r.Kind, r.Name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO remembered(app, kind, name, mode, since) VALUES(?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET mode = excluded.mode`, r.App, r.Kind, r.Name, r.Mode, r.Since.UnixMilli())
		return err
	})
}

// RememberedShares lists what is remembered for an application, or for all with
// "", in order of application and time.
func (db *DB) RememberedShares(ctx context.Context, app string) ([]Remembered, error) {
	return list(ctx, db, "read remembered shares", scanRemembered, `SELECT app, kind, name, mode, since FROM remembered
		WHERE ?1 = '' OR app = ?1 ORDER BY app, since, kind, name`, app)
}

// DeleteRemembered forgets what is remembered for an application with one
// grantee, or with all when kind is "", and counts it.
func (db *DB) DeleteRemembered(ctx context.Context, app, kind, name string) (int, error) {
	return db.change(ctx, fmt.Sprintf("forget shares of %q", app),
		`DELETE FROM remembered WHERE app = ?1 AND (?2 = '' OR (kind = ?2 AND name = ?3))`, app, kind, name)
}

// granteeThere is ErrAbsent when no living session or no group has a name.
func granteeThere(ctx context.Context, tx *sql.Tx, kind, name string) error {
	query := `SELECT count(*) FROM groups WHERE name = ?`
	if kind == KindSession {
		query = `SELECT count(*) FROM sessions WHERE label = ? AND ended IS NULL`
	}
	var n int
	if err := tx.QueryRowContext(ctx, query, name).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s %q: %w", kind, name, ErrAbsent)
	}
	return nil
}

// scanRemembered reads one row of remembered.
func scanRemembered(s scanner) (Remembered, error) {
	var r Remembered
	var since sql.NullInt64
	err := s.Scan(&r.App, &r.Kind, &r.Name, &r.Mode, &since)
	r.Since = instant(since)
	return r, err
}
