package store

import (
	"context"
	"fmt"

	"vibespace/internal/api"
)

// Next counts a named counter up and gives its new value, from 1. A value is
// given once, also across restarts and when two ask at once.
func (db *DB) Next(ctx context.Context, counter string) (int64, error) {
	op := "count " + counter
	conn, ctx, err := db.writer(ctx)
	if err != nil {
		return 0, db.fault(op, err)
	}
	defer conn.Close() // gives it to the next writer
	var n int64
	err = conn.QueryRowContext(ctx, `INSERT INTO counters(name, value) VALUES(?, 1)
		ON CONFLICT(name) DO UPDATE SET value = value + 1 RETURNING value`, counter).Scan(&n)
	return n, db.fault(op, err)
}

// NextHandle gives a window handle that no window had before.
func (db *DB) NextHandle(ctx context.Context) (api.Handle, error) {
	n, err := db.Next(ctx, "window")
	if err != nil {
		return "", err
	}
	return api.Handle(fmt.Sprintf("w%d", n)), nil
}
