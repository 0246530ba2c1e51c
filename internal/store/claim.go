package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// keptClaims bounds what sessions say of sites: a page can make an agent name
// hosts without end.
const keptClaims = 500

// Claim is what a session said of a site.
type Claim struct {
	Host    string
	Session api.SessionID
	// Tier is 0 where a backend is named.
	Tier    int
	Backend string
	Why     string
	At      time.Time
}

// PutClaim writes a claim in place of what the session said of the host
// before, and drops the oldest beyond the bound.
func (db *DB) PutClaim(ctx context.Context, c Claim) error {
	return db.tx(ctx, fmt.Sprintf("keep a claim on %s", c.Host), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO site_claims(host, session, tier, backend, why, at) VALUES(?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET tier = excluded.tier, backend = excluded.backend, why = excluded.why, at = excluded.at`,
			c.Host, string(c.Session), c.Tier, c.Backend, c.Why, c.At.UnixMilli())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM site_claims WHERE at < (
			SELECT at FROM site_claims ORDER BY at DESC LIMIT 1 OFFSET ?)`, keptClaims-1)
		return err
	})
}

// Claims lists the claims, the latest first; those on one host, or all for "".
func (db *DB) Claims(ctx context.Context, host string) ([]Claim, error) {
	return list(ctx, db, "read claims", scanClaim, `SELECT host, session, tier, backend, why, at FROM site_claims
		WHERE ?1 = '' OR host = ?1 ORDER BY at DESC, host, session`, host)
}

// scanClaim reads one row of site_claims.
func scanClaim(s scanner) (Claim, error) {
	var c Claim
	var at sql.NullInt64
	err := s.Scan(&c.Host, &c.Session, &c.Tier, &c.Backend, &c.Why, &at)
	c.At = instant(at)
	return c, err
}

// KeptProfile is a directory that a browser's profile was left in.
type KeptProfile struct {
	Dir     string
	Label   string
	Owner   api.SessionID
	Handle  api.Handle
	Created time.Time
}

// AddKeptProfile writes that a directory belongs to a living session.
func (db *DB) AddKeptProfile(ctx context.Context, k KeptProfile) error {
	return db.tx(ctx, "keep a profile", func(ctx context.Context, tx *sql.Tx) error {
		id, err := living(ctx, tx, k.Owner)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO kept_profiles(dir, label, owner, owner_id, handle, created) VALUES(?, ?, ?, ?, ?, ?)`,
			k.Dir, k.Label, string(k.Owner), id, string(k.Handle), k.Created.UnixMilli())
		return err
	})
}

// KeptProfiles lists every directory that was kept, the oldest first, with its
// owner while that session lives and "" for one whose owner is gone.
func (db *DB) KeptProfiles(ctx context.Context) ([]KeptProfile, error) {
	return list(ctx, db, "read kept profiles", scanKept, `SELECT k.dir, k.label, coalesce(s.label, ''), k.handle, k.created
		FROM kept_profiles k LEFT JOIN sessions s ON s.id = k.owner_id AND s.ended IS NULL ORDER BY k.created, k.dir`)
}

// scanKept reads one row of kept_profiles.
func scanKept(s scanner) (KeptProfile, error) {
	var k KeptProfile
	var created sql.NullInt64
	err := s.Scan(&k.Dir, &k.Label, &k.Owner, &k.Handle, &created)
	k.Created = instant(created)
	return k, err
}
