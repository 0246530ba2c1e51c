package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// FileName is the database's name in the state directory; SQLite keeps a -wal
// and a -shm file beside it while it is open.
const FileName = "state.db"

// LockName is the file whose lock says that a daemon has the directory.
const LockName = "state.lock"

// errClosed is what a method meets after Close; database/sql exports no value
// for it, so it is known by its words.
var errClosed = errors.New("sql: database is closed")

// DB is the open database of one daemon. Its methods are safe for concurrent
// use. A context bounds the wait for other writers; a write that has begun is
// finished, within milliseconds, so that an error always means that nothing was
// written.
type DB struct {
	dir, path string
	lock      *os.File
	// write is the one connection that changes anything, so that writers queue
	// here, in order, instead of meeting SQLITE_BUSY; read is a small pool that
	// a long listing cannot block a write with.
	write, read *sql.DB

	closing  sync.Once
	closeErr error
}

// Path gives the database's file.
func (db *DB) Path() string { return db.path }

// Close writes everything back into the one file and lets the directory go.
// Calls that run are waited for. It is idempotent.
func (db *DB) Close() error {
	db.closing.Do(func() {
		err := errors.Join(db.read.Close(), db.write.Close())
		db.closeErr = db.fault("close", errors.Join(err, unlock(db.lock)))
	})
	return db.closeErr
}

// writer waits for the writing connection, as long as the context lets it. What
// is done on the connection is done with the second context, which no longer
// ends: a statement that was cut could have been committed all the same, and
// its caller would be told that nothing happened.
func (db *DB) writer(ctx context.Context) (*sql.Conn, context.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	conn, err := db.write.Conn(ctx)
	return conn, context.WithoutCancel(ctx), err
}

// exec runs one statement that changes rows.
func (db *DB) exec(ctx context.Context, op, query string, args ...any) (sql.Result, error) {
	conn, ctx, err := db.writer(ctx)
	if err != nil {
		return nil, db.fault(op, err)
	}
	defer conn.Close() // gives it to the next writer
	res, err := conn.ExecContext(ctx, query, args...)
	return res, db.fault(op, err)
}

// change is exec that counts the rows it changed.
func (db *DB) change(ctx context.Context, op, query string, args ...any) (int, error) {
	res, err := db.exec(ctx, op, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), db.fault(op, err)
}

// tx runs f in one write transaction: all of it is kept, or none. The
// statements of f take the context that f is given.
func (db *DB) tx(ctx context.Context, op string, f func(context.Context, *sql.Tx) error) error {
	conn, ctx, err := db.writer(ctx)
	if err != nil {
		return db.fault(op, err)
	}
	defer conn.Close() // gives it to the next writer
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return db.fault(op, err)
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := f(ctx, tx); err != nil {
		return db.fault(op, err)
	}
	return db.fault(op, tx.Commit())
}

// scanner is a row under the cursor: *sql.Row and *sql.Rows.
type scanner interface{ Scan(dest ...any) error }

// list reads every row of a query; none is an empty slice, never nil.
func list[T any](ctx context.Context, db *DB, op string, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, db.fault(op, err)
	}
	defer rows.Close() // read to the end below, where its errors are
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, db.fault(op, err)
		}
		out = append(out, v)
	}
	return out, db.fault(op, rows.Err())
}

// one reads the row of a query that has at most one.
func one[T any](ctx context.Context, db *DB, op string, scan func(scanner) (T, error), query string, args ...any) (T, bool, error) {
	v, err := scan(db.read.QueryRowContext(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, db.fault(op, err)
}

// text scans a row of one string.
func text[S ~string](s scanner) (S, error) {
	var v S
	err := s.Scan(&v)
	return v, err
}

// stamp is a time as the database keeps it: milliseconds, NULL for the zero
// time.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// instant reads a stamp back, in UTC.
func instant(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// pathIn gives the database's file of a state directory.
func pathIn(dir string) string { return filepath.Join(dir, FileName) }
