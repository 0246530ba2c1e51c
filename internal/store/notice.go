package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"vibespace/internal/api"
)

// keptNotices bounds what waits for one session: an agent that does not come
// back must not grow the database.
const keptNotices = 50

// AddNotice keeps a sentence for a session's next answer. Only the last fifty
// wait.
func (db *DB) AddNotice(ctx context.Context, session api.SessionID, sentence string, at time.Time) error {
	return db.tx(ctx, fmt.Sprintf("add a notice for session %q", session), func(ctx context.Context, tx *sql.Tx) error {
		return addNotice(ctx, tx, session, sentence, at)
	})
}

// addNotice writes a notice and drops the oldest beyond the bound.
func addNotice(ctx context.Context, tx *sql.Tx, session api.SessionID, sentence string, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO notices(session, text, created) VALUES(?, ?, ?)`,
		string(session), sentence, at.UnixMilli())
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM notices WHERE session = ?1 AND id <= (
		SELECT id FROM notices WHERE session = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`, string(session), keptNotices)
	return err
}

// Notices lists what waits for a session, the oldest first.
func (db *DB) Notices(ctx context.Context, session api.SessionID) ([]string, error) {
	return list(ctx, db, "read notices", text[string],
		`SELECT text FROM notices WHERE session = ? ORDER BY id`, string(session))
}

// TakeNotices gives what waits for a session and forgets it: each sentence is
// said once, to one of two that ask at the same time.
func (db *DB) TakeNotices(ctx context.Context, session api.SessionID) ([]string, error) {
	waiting, err := db.Notices(ctx, session)
	if err != nil || len(waiting) == 0 {
		return waiting, err // nothing waits, nearly always: no write
	}
	said := []string{}
	err = db.tx(ctx, "take notices", func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `DELETE FROM notices WHERE session = ? RETURNING id, text`, string(session))
		if err != nil {
			return err
		}
		defer rows.Close() // read to the end below
		said, err = inOrder(rows)
		return err
	})
	return said, err
}

// DropNotices forgets the sentences of a session that begin so: what was said
// otherwise, or is not to be said any more.
func (db *DB) DropNotices(ctx context.Context, session api.SessionID, begin string) error {
	return db.tx(ctx, "drop notices", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM notices WHERE session = ?1 AND substr(text, 1, length(?2)) = ?2`, string(session), begin)
		return err
	})
}

// inOrder reads (id, text) rows in order of id: RETURNING promises none.
func inOrder(rows *sql.Rows) ([]string, error) {
	type notice struct {
		id   int64
		text string
	}
	var all []notice
	for rows.Next() {
		var n notice
		if err := rows.Scan(&n.id, &n.text); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b notice) int { return cmp.Compare(a.id, b.id) })
	said := make([]string, len(all))
	for i, n := range all {
		said[i] = n.text
	}
	return said, rows.Err()
}
