package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// Lease is who may act on a handle, as it is kept.
type Lease struct {
	Handle api.Handle
	// Holder is "" when nobody holds it.
	Holder api.SessionID
	// Epoch grows with every change of holder and every hand-back.
	Epoch uint64
	Since time.Time
	Input string // agent, user
	// Paused is since when the person drives, zero while they do not; Driver
	// is the viewer they drive from.
	Paused time.Time
	Driver string
}

// Leases lists every lease row, those nobody holds too.
func (db *DB) Leases(ctx context.Context) ([]Lease, error) {
	return list(ctx, db, "read leases", scanLease,
		`SELECT handle, holder, epoch, since, input, paused, driver FROM leases ORDER BY handle`)
}

// PutHolder writes who holds a handle and since when, together with what its
// old holder is told ("" is nothing). Who drives it is left as it is.
func (db *DB) PutHolder(ctx context.Context, l Lease, told api.SessionID, notice string) error {
	return db.tx(ctx, fmt.Sprintf("write the lease of %s", l.Handle), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO leases(handle, holder, epoch, since, input, driver) VALUES(?, ?, ?, ?, 'agent', '')
			ON CONFLICT DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, since = excluded.since`,
			string(l.Handle), string(l.Holder), int64(l.Epoch), l.Since.UnixMilli())
		if err != nil || notice == "" {
			return err
		}
		return addNotice(ctx, tx, told, notice, l.Since)
	})
}

// PutInput writes who drives a handle, "user" since a time from a viewer or
// "agent", and the epoch of its lease. Who holds it is left as it is.
func (db *DB) PutInput(ctx context.Context, l Lease) error {
	_, err := db.exec(ctx, fmt.Sprintf("write who drives %s", l.Handle),
		`INSERT INTO leases(handle, holder, epoch, since, input, paused, driver) VALUES(?, '', ?, 0, ?, ?, ?)
		ON CONFLICT DO UPDATE SET epoch = excluded.epoch, input = excluded.input, paused = excluded.paused, driver = excluded.driver`,
		string(l.Handle), int64(l.Epoch), l.Input, stamp(l.Paused), l.Driver)
	return err
}

// DeleteLease forgets a handle's lease.
func (db *DB) DeleteLease(ctx context.Context, h api.Handle) error {
	_, err := db.exec(ctx, fmt.Sprintf("delete the lease of %s", h), `DELETE FROM leases WHERE handle = ?`, string(h))
	return err
}

// scanLease reads one row of leases.
func scanLease(s scanner) (Lease, error) {
	var l Lease
	var epoch int64
	var since, paused sql.NullInt64
	err := s.Scan(&l.Handle, &l.Holder, &epoch, &since, &l.Input, &paused, &l.Driver)
	l.Epoch, l.Since, l.Paused = uint64(epoch), instant(since), instant(paused)
	return l, err
}
