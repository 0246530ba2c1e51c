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
	// Own is true for the session of one process, which ends with it. It is
	// written and not read back: OwnSessions lists them.
	Own bool
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
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions(label, token_hash, created, own) VALUES(?, ?, ?, ?)`,
			string(s.Label), hash, s.Created.UnixMilli(), s.Own)
		if err != nil || group == "" {
			return err
		}
		return addMember(ctx, tx, group, s.Label)
	})
}

// keptTokens bounds the tokens of commands a session has: as many as run at
// once, and some that ended.
const keptTokens = 100

// AddToken writes another token of a living session; ErrAbsent when there is
// no such session. Only the last hundred are kept.
func (db *DB) AddToken(ctx context.Context, label api.SessionID, hash []byte) error {
	return db.tx(ctx, fmt.Sprintf("add a token of session %q", label), func(ctx context.Context, tx *sql.Tx) error {
		id, err := living(ctx, tx, label)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO tokens(hash, session) VALUES(?, ?)`, hash, id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM tokens WHERE session = ?1 AND id <= (
			SELECT id FROM tokens WHERE session = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`, id, keptTokens)
		return err
	})
}

// SessionByHash finds the session of a token's hash, an ended one too. Its
// TokenHash is the one that was found.
func (db *DB) SessionByHash(ctx context.Context, hash []byte) (Session, bool, error) {
	return one(ctx, db, "read the session of a token", scanSession,
		`SELECT label, token_hash, created, ended FROM sessions WHERE token_hash = ?1
		UNION ALL SELECT s.label, t.hash, s.created, s.ended FROM tokens t JOIN sessions s ON s.id = t.session WHERE t.hash = ?1
		LIMIT 1`, hash)
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
// its shares, also those an application was to get again, memberships, leases,
// tokens, questions and unread notices. The windows it opened end at due, when it has any.
// ErrAbsent when no such session lives.
func (db *DB) EndSession(ctx context.Context, label api.SessionID, at, due time.Time) error {
	return db.tx(ctx, fmt.Sprintf("end session %q", label), func(ctx context.Context, tx *sql.Tx) error {
		id, err := living(ctx, tx, label)
		if err != nil {
			return err
		}
		if id == 0 {
			return ErrAbsent
		}
		_, err = tx.ExecContext(ctx, `UPDATE sessions SET ended = ?1, due = CASE WHEN EXISTS (
			SELECT 1 FROM windows WHERE opener_id = ?3 AND ended_at IS NULL) THEN ?2 END WHERE id = ?3`,
			at.UnixMilli(), due.UnixMilli(), id)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM tokens WHERE session = ?`, id); err != nil {
			return err
		}
		for _, query := range []string{
			`DELETE FROM shares WHERE kind = 'session' AND name = ?`,
			`DELETE FROM remembered WHERE kind = 'session' AND name = ?`,
			`DELETE FROM group_members WHERE session = ?`,
			`DELETE FROM notices WHERE session = ?`,
			`DELETE FROM questions WHERE session = ?`,
			`UPDATE leases SET holder = '', epoch = epoch + 1 WHERE holder = ?`,
		} {
			if _, err := tx.ExecContext(ctx, query, string(label)); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE ended IS NOT NULL AND due IS NULL AND id <= (
			SELECT id FROM sessions WHERE ended IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET ?)`, keptSessions)
		return err
	})
}

// Pending is an ended session whose windows have not ended yet.
type Pending struct {
	// ID is the session's own: its label may be another's by now.
	ID    int64
	Label api.SessionID
	Due   time.Time
	// Waits counts the graces given since the first.
	Waits   int
	Windows []api.Handle
}

// PendingEnds lists the ended sessions with windows that are to end, the first
// due first. One whose windows have all ended is not among them.
func (db *DB) PendingEnds(ctx context.Context) ([]Pending, error) {
	all, err := list(ctx, db, "read the ends that wait", scanPending,
		`SELECT id, label, due, waits FROM sessions WHERE due IS NOT NULL ORDER BY due, id`)
	if err != nil {
		return nil, err
	}
	waiting := []Pending{}
	for _, p := range all {
		p.Windows, err = list(ctx, db, "read the windows of an ended session", text[api.Handle],
			`SELECT handle FROM windows WHERE opener_id = ? AND ended_at IS NULL ORDER BY n`, p.ID)
		if err != nil {
			return nil, err
		}
		if len(p.Windows) > 0 {
			waiting = append(waiting, p)
		}
	}
	return waiting, nil
}

// SettlePending clears the ends that wait for windows that have all ended.
func (db *DB) SettlePending(ctx context.Context) error {
	_, err := db.exec(ctx, "settle the ends that wait", `UPDATE sessions SET due = NULL WHERE due IS NOT NULL AND NOT EXISTS (
		SELECT 1 FROM windows WHERE opener_id = sessions.id AND ended_at IS NULL)`)
	return err
}

// PutPending writes when the windows of an ended session end, and how often
// that was put off; the zero time when they have ended.
func (db *DB) PutPending(ctx context.Context, id int64, due time.Time, waits int) error {
	_, err := db.exec(ctx, "write an end that waits", `UPDATE sessions SET due = ?, waits = ? WHERE id = ?`, stamp(due), waits, id)
	return err
}

// scanPending reads one row of the ends that wait, without its windows.
func scanPending(s scanner) (Pending, error) {
	var p Pending
	var due sql.NullInt64
	err := s.Scan(&p.ID, &p.Label, &due, &p.Waits)
	p.Due = instant(due)
	return p, err
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
