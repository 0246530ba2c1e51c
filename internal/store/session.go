package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// keptSessions bounds the ended sessions that are remembered, so that a token
// of one can still be told from a wrong one by a person reading the table.
const keptSessions = 1000

// Session is a session as it is kept: its token only as a hash.
type Session struct {
	Label api.SessionID
	// TokenHash is nil for the default session, which has no token.
	TokenHash []byte
	Created   time.Time
	// Ended is zero while it lives.
	Ended time.Time
}

// AddSession writes a new session, as a member of a group unless that is "". A
// living session of the label is ErrExists, a group that is not there
// ErrAbsent.
func (db *DB) AddSession(ctx context.Context, s Session, group string) error {
	return db.tx(ctx, fmt.Sprintf("add session %q", s.Label), func(ctx context.Context, tx *sql.Tx) error {
		var hash any
		if s.TokenHash != nil {
			hash = s.TokenHash
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions(label, token_hash, created) VALUES(?, ?, ?)`,
			string(s.Label), hash, s.Created.UnixMilli())
		if err != nil || group == "" {
			return err
		}
		return addMember(ctx, tx, group, s.Label)
	})
}

// SessionByHash finds the session of a token's hash, an ended one too.
func (db *DB) SessionByHash(ctx context.Context, hash []byte) (Session, bool, error) {
	return one(ctx, db, "read the session of a token", scanSession,
		`SELECT label, token_hash, created, ended FROM sessions WHERE token_hash = ?`, hash)
}

// Session finds the living session of a label.
func (db *DB) Session(ctx context.Context, label api.SessionID) (Session, bool, error) {
	return one(ctx, db, "read session", scanSession,
		`SELECT label, token_hash, created, ended FROM sessions WHERE label = ? AND ended IS NULL`, string(label))
}

// Sessions lists the living sessions, the oldest first.
func (db *DB) Sessions(ctx context.Context) ([]Session, error) {
	return list(ctx, db, "read sessions", scanSession,
		`SELECT label, token_hash, created, ended FROM sessions WHERE ended IS NULL ORDER BY id`)
}

// EndSession ends a living session and, in the same step, takes everything
// that hangs on its label, so that a later session of it begins with nothing:
// its shares, memberships, leases and unread notices. ErrAbsent when no such
// session lives.
func (db *DB) EndSession(ctx context.Context, label api.SessionID, at time.Time) error {
	return db.tx(ctx, fmt.Sprintf("end session %q", label), func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE sessions SET ended = ? WHERE label = ? AND ended IS NULL`,
			at.UnixMilli(), string(label))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return orAbsent(err)
		}
		for _, query := range []string{
			`DELETE FROM shares WHERE kind = 'session' AND name = ?`,
			`DELETE FROM group_members WHERE session = ?`,
			`DELETE FROM notices WHERE session = ?`,
			`UPDATE leases SET holder = '', epoch = epoch + 1 WHERE holder = ?`,
		} {
			if _, err := tx.ExecContext(ctx, query, string(label)); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE ended IS NOT NULL AND id <= (
			SELECT id FROM sessions WHERE ended IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET ?)`, keptSessions)
		return err
	})
}

// orAbsent is err, or ErrAbsent when nothing failed and nothing was changed.
func orAbsent(err error) error {
	if err != nil {
		return err
	}
	return ErrAbsent
}

// scanSession reads one row of sessions.
func scanSession(s scanner) (Session, error) {
	var v Session
	var created, ended sql.NullInt64
	err := s.Scan(&v.Label, &v.TokenHash, &created, &ended)
	v.Created, v.Ended = instant(created), instant(ended)
	return v, err
}
