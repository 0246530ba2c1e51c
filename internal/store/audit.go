package store

import (
	"context"
	"database/sql"
	"time"

	"vibespace/internal/api"
)

// AddAudit writes one row and gives its number; numbers only grow and are
// never given twice. The row's own ID is not looked at.
func (db *DB) AddAudit(ctx context.Context, r api.AuditRow) (int64, error) {
	const op = "write an audit row"
	res, err := db.exec(ctx, op, `INSERT INTO audit(at, session, handle, verb, road, ref, role, name, verdict, took_ms)
		VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.At.UnixMilli(), string(r.Session), string(r.Handle), r.Verb, r.By, string(r.Ref), r.Role, r.Name, r.Verdict, r.TookMs)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	return id, db.fault(op, err)
}

// Audit lists the newest limit rows, the oldest of them first: of one handle,
// or of all with "", not before since.
func (db *DB) Audit(ctx context.Context, h api.Handle, since time.Time, limit int) ([]api.AuditRow, error) {
	const columns = `id, at, session, handle, verb, road, ref, role, name, verdict, took_ms`
	from := int64(0)
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	where, args := `at >= ?`, []any{from}
	if h != "" {
		where, args = `handle = ? AND at >= ?`, []any{string(h), from}
	}
	return list(ctx, db, "read the audit", scanAudit,
		`SELECT * FROM (SELECT `+columns+` FROM audit WHERE `+where+` ORDER BY id DESC LIMIT ?) ORDER BY id`,
		append(args, limit)...)
}

// PruneAudit looks at the oldest rows, limit of them at most, deletes those
// that are not among the newest keep or are from before a time, and counts
// them. It looks no further, so that it costs the same however long the record
// is.
func (db *DB) PruneAudit(ctx context.Context, keep int, before time.Time, limit int) (int, error) {
	return db.change(ctx, "prune the audit", `DELETE FROM audit
		WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND (id <= (SELECT max(id) FROM audit) - ? OR at < ?)`,
		limit, keep, before.UnixMilli())
}

// scanAudit reads one row of audit.
func scanAudit(s scanner) (api.AuditRow, error) {
	var r api.AuditRow
	var at sql.NullInt64
	err := s.Scan(&r.ID, &at, &r.Session, &r.Handle, &r.Verb, &r.By, &r.Ref, &r.Role, &r.Name, &r.Verdict, &r.TookMs)
	r.At = instant(at)
	return r, err
}
