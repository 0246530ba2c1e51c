package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/api"
)

// Trace is the pictures of one act. ID is its row of the audit.
type Trace struct {
	ID     int64
	At     time.Time
	Handle api.Handle
	// Box is where it was done, in window coordinates; nil when that is not
	// known.
	Box *api.Rect
	// Before and After are names of pictures, "" for none.
	Before, After string
	// Note says why one is missing or filled in.
	Note string
}

// Picture is a file of the trace.
type Picture struct {
	Name  string
	Bytes int64
}

// AddTrace writes the pictures of an act, and the files among them that are
// new.
func (db *DB) AddTrace(ctx context.Context, t Trace, files ...Picture) error {
	return db.tx(ctx, fmt.Sprintf("add a trace of %s", t.Handle), func(ctx context.Context, tx *sql.Tx) error {
		for _, f := range files {
			_, err := tx.ExecContext(ctx, `INSERT INTO pictures(name, bytes, at) VALUES(?, ?, ?) ON CONFLICT DO NOTHING`,
				f.Name, f.Bytes, t.At.UnixMilli())
			if err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO traces(id, at, handle, box, before, after, note) VALUES(?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO NOTHING`, t.ID, t.At.UnixMilli(), string(t.Handle), boxText(t.Box), t.Before, t.After, t.Note)
		return err
	})
}

// Traces lists the acts of a handle with the pictures there are, the newest
// limit of them, the oldest first. An act is a row of the audit with a road, or
// with a trace.
func (db *DB) Traces(ctx context.Context, h api.Handle, limit int) ([]api.TraceRow, error) {
	return list(ctx, db, "read the trace", scanTrace, `SELECT * FROM (
		SELECT a.id, a.at, a.session, a.handle, a.verb, a.road, a.ref, a.role, a.name, a.verdict, a.took_ms,
			coalesce(t.box, ''), coalesce(t.before, ''), coalesce(t.after, ''), coalesce(t.note, '')
		FROM audit a LEFT JOIN traces t ON t.id = a.id
		WHERE a.handle = ? AND (a.road <> '' OR t.id IS NOT NULL) ORDER BY a.id DESC LIMIT ?) ORDER BY id`, string(h), limit)
}

// DeleteTraces deletes the pictures of a handle's acts, counts the acts, and
// gives the files that no other act has.
func (db *DB) DeleteTraces(ctx context.Context, h api.Handle) (acts int, gone []Picture, err error) {
	err = db.tx(ctx, fmt.Sprintf("delete the trace of %s", h), func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM traces WHERE handle = ?`, string(h))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		acts = int(n)
		gone, err = orphans(ctx, tx, nil)
		return err
	})
	return acts, gone, err
}

// traceRows bounds the acts with a trace, with or without pictures.
const traceRows = 20_000

// pruneStep is how many of the oldest acts go at once when there are too many
// bytes.
const pruneStep = 1000

// PruneTraces deletes the pictures of acts from before a time, and of the
// oldest acts until the files have no more bytes than that; an act one of whose
// pictures is in use stays. It gives the files that no act has any more, for
// whoever can delete them.
func (db *DB) PruneTraces(ctx context.Context, before time.Time, bytes int64, used []string) (gone []Picture, err error) {
	free, args := unused(used)
	err = db.tx(ctx, "prune the trace", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM traces WHERE (at < ? OR id <= (SELECT id FROM traces ORDER BY id DESC LIMIT 1 OFFSET ?))`+free,
			append([]any{before.UnixMilli(), traceRows}, args...)...)
		if err != nil {
			return err
		}
		if gone, err = orphans(ctx, tx, used); err != nil {
			return err
		}
		for {
			var total, acts int64
			err := tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(sum(bytes), 0) FROM pictures),
				(SELECT count(*) FROM traces WHERE before <> '' OR after <> '')`).Scan(&total, &acts)
			if err != nil || total <= bytes {
				return err
			}
			// About as many as have to go, by what an act takes on average.
			step := max(1, min((total-bytes)*acts/total, pruneStep))
			res, err := tx.ExecContext(ctx, `DELETE FROM traces WHERE id IN (
				SELECT id FROM traces WHERE (before <> '' OR after <> '')`+free+` ORDER BY id LIMIT ?)`, append(args, step)...)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				return err // what is left is in use
			}
			more, err := orphans(ctx, tx, used)
			if err != nil {
				return err
			}
			gone = append(gone, more...)
		}
	})
	return gone, err
}

// unused is the condition that an act has none of some pictures.
func unused(used []string) (string, []any) {
	if len(used) == 0 {
		return "", nil
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(used)), ", ")
	var args []any
	for range 2 {
		for _, name := range used {
			args = append(args, name)
		}
	}
	return ` AND before NOT IN (` + marks + `) AND after NOT IN (` + marks + `)`, args
}

// orphans forgets the pictures that no act has, but for those in use, and gives
// them.
func orphans(ctx context.Context, tx *sql.Tx, used []string) ([]Picture, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name, bytes FROM pictures WHERE name NOT IN (
		SELECT before FROM traces UNION SELECT after FROM traces)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // read to the end below
	var gone []Picture
	for rows.Next() {
		var p Picture
		if err := rows.Scan(&p.Name, &p.Bytes); err != nil {
			return nil, err
		}
		gone = append(gone, p)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, name := range used {
		kept[name] = true
	}
	left := gone[:0]
	for _, p := range gone {
		if kept[p.Name] {
			continue
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM pictures WHERE name = ?`, p.Name); err != nil {
			return nil, err
		}
		left = append(left, p)
	}
	return left, nil
}

// HasPicture says whether a picture of that name is kept.
func (db *DB) HasPicture(ctx context.Context, name string) (bool, error) {
	_, ok, err := one(ctx, db, "look for a picture", text[string], `SELECT name FROM pictures WHERE name = ?`, name)
	return ok, err
}

// boxText writes a place, "" for none.
func boxText(b *api.Rect) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d,%d", b.X, b.Y, b.W, b.H)
}

// boxOf reads a place back.
func boxOf(s string) *api.Rect {
	f := strings.Split(s, ",")
	if len(f) != 4 {
		return nil
	}
	var n [4]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(f[i]); err != nil {
			return nil
		}
	}
	return &api.Rect{X: n[0], Y: n[1], W: n[2], H: n[3]}
}

// scanTrace reads one row of the trace.
func scanTrace(s scanner) (api.TraceRow, error) {
	var r api.TraceRow
	var at sql.NullInt64
	var box string
	err := s.Scan(&r.ID, &at, &r.Session, &r.Handle, &r.Verb, &r.By, &r.Ref, &r.Role, &r.Name, &r.Verdict, &r.TookMs,
		&box, &r.Before, &r.After, &r.Note)
	r.At, r.Box = instant(at), boxOf(box)
	return r, err
}
