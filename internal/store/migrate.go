package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"
)

// files holds the migrations, one file a version, applied in order of name. A
// file that has been released is never changed: the next version is the next
// file.
//
//go:embed migrations/*.sql
var files embed.FS

// migrations lists the files: the n-th brings version n-1 to version n.
var migrations = func() []string {
	names, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil || len(names) == 0 {
		panic("store: no migrations embedded")
	}
	return names
}()

// Version is the database version this build writes.
func Version() int { return len(migrations) }

// migrate brings the database from a version to this build's in one
// transaction, so that a fault on the way leaves it at the version it had. The
// last statement of it is a write also when there is nothing to bring: a
// database that cannot be written is refused now, not at the first verb.
func (db *DB) migrate(ctx context.Context, from int) error {
	op := fmt.Sprintf("bring version %d to %d", from, Version())
	if from == Version() {
		op = "open"
	}
	return db.tx(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		for n := from; n < Version(); n++ {
			if err := apply(ctx, tx, n); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO counters(name, value) VALUES('opened', ?)
			ON CONFLICT(name) DO UPDATE SET value = excluded.value`, stamp(time.Now()))
		return err
	})
}

// apply runs the migration from version n to n+1.
func apply(ctx context.Context, tx *sql.Tx, n int) error {
	body, err := files.ReadFile(migrations[n])
	if err != nil {
		return err
	}
	// Neither pragma takes a parameter; both values are our own numbers.
	marks := fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d;", n+1, fileID)
	if _, err := tx.ExecContext(ctx, string(body)+"\n"+marks); err != nil {
		return fmt.Errorf("%s: %w", migrations[n], err)
	}
	return nil
}
