package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// The kinds of grantee.
const (
	KindSession = "session"
	KindGroup   = "group"
)

// Share is one grant: a handle, to a session or a group, in a mode.
type Share struct {
	Handle api.Handle
	Kind   string // KindSession, KindGroup
	Name   string
	Mode   string
	Since  time.Time
}

// PutShare writes a grant, or changes the mode of one that is there: its since
// stays. The grantee must be there: ErrAbsent when no living session or no
// group has the name.
func (db *DB) PutShare(ctx context.Context, s Share) error {
	return db.tx(ctx, fmt.Sprintf("share %s with %s %q", s.Handle, s.Kind, s.Name), func(ctx context.Context, tx *sql.Tx) error {
		if err := granteeThere(ctx, tx, s.Kind, s.Name); err != nil {
			return err
		}
		return putShare(ctx, tx, s)
	})
}

// putShare writes a grant whose grantee is there.
func putShare(ctx context.Context, tx *sql.Tx, s Share) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO shares(handle, kind, name, mode, since) VALUES(?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET mode = excluded.mode`,
		string(s.Handle), s.Kind, s.Name, s.Mode, s.Since.UnixMilli())
	return err
}

// DeleteShare takes a grant back and counts what it took: 0 or 1.
func (db *DB) DeleteShare(ctx context.Context, h api.Handle, kind, name string) (int, error) {
	return db.change(ctx, fmt.Sprintf("unshare %s", h),
		`DELETE FROM shares WHERE handle = ? AND kind = ? AND name = ?`, string(h), kind, name)
}

// DeleteShares takes every grant of a handle back and counts them.
func (db *DB) DeleteShares(ctx context.Context, h api.Handle) (int, error) {
	return db.change(ctx, fmt.Sprintf("unshare %s", h), `DELETE FROM shares WHERE handle = ?`, string(h))
}

// Shares lists the grants of a handle, the oldest first.
func (db *DB) Shares(ctx context.Context, h api.Handle) ([]Share, error) {
	return list(ctx, db, "read shares", scanShare,
		`SELECT handle, kind, name, mode, since FROM shares WHERE handle = ? ORDER BY since, kind, name`, string(h))
}

// SharesTo lists the grants of every handle to one grantee, the oldest first.
func (db *DB) SharesTo(ctx context.Context, kind, name string) ([]Share, error) {
	return list(ctx, db, "read shares", scanShare,
		`SELECT handle, kind, name, mode, since FROM shares WHERE kind = ? AND name = ? ORDER BY since, handle`, kind, name)
}

// scanShare reads one row of shares.
func scanShare(s scanner) (Share, error) {
	var v Share
	var since sql.NullInt64
	err := s.Scan(&v.Handle, &v.Kind, &v.Name, &v.Mode, &since)
	v.Since = instant(since)
	return v, err
}
