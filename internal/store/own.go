package store

import (
	"context"

	"vibespace/internal/api"
)

// OwnSessions lists the living sessions that are each one process' own, the
// oldest first.
func (db *DB) OwnSessions(ctx context.Context) ([]api.SessionID, error) {
	return list(ctx, db, "read the processes' own sessions", text[api.SessionID],
		`SELECT label FROM sessions WHERE own = 1 AND ended IS NULL ORDER BY id`)
}
