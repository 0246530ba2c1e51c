package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// Profile is a browser profile as it is kept. It holds no key and no cookie:
// those are in its directory.
type Profile struct {
	Handle  api.Handle
	Label   string
	Backend string
	// Dir is the profile's directory, absolute; "" where the backend has none.
	Dir string
	// Adopted says that Dir was there before the profile was.
	Adopted  bool
	Headless bool
	// Address is where a browser that is somebody else's answers.
	Address string
	// OwnerKind is KindSession or KindGroup; Owner is "" once the session that
	// owned it has ended.
	OwnerKind string
	Owner     string
	// LastMajor and LastBackend say what wrote Dir last.
	LastMajor     int
	LastBackend   string
	Created, Used time.Time
}

// NextBrowser gives a profile handle that no profile had before.
func (db *DB) NextBrowser(ctx context.Context) (api.Handle, error) {
	n, err := db.Next(ctx, "browser")
	if err != nil {
		return "", err
	}
	return api.Handle(fmt.Sprintf("b%d", n)), nil
}

// AddProfile writes a new profile. An owner that is a session must be living.
func (db *DB) AddProfile(ctx context.Context, p Profile) error {
	return db.tx(ctx, fmt.Sprintf("add profile %s", p.Handle), func(ctx context.Context, tx *sql.Tx) error {
		var id int64
		var err error
		if p.OwnerKind == KindSession {
			if id, err = living(ctx, tx, api.SessionID(p.Owner)); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO profiles(handle, label, backend, dir, adopted, headless, address, owner_kind, owner, owner_id,
			last_major, last_backend, created, used) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			string(p.Handle), p.Label, p.Backend, p.Dir, p.Adopted, p.Headless, p.Address, p.OwnerKind, p.Owner, id,
			p.LastMajor, p.LastBackend, p.Created.UnixMilli(), p.Created.UnixMilli())
		return err
	})
}

// DeleteProfile deletes a profile that no living session is attached to, and
// counts what it deleted: none for one that is in use, or is not there.
func (db *DB) DeleteProfile(ctx context.Context, h api.Handle) (int, error) {
	return db.change(ctx, fmt.Sprintf("delete profile %s", h), `DELETE FROM profiles WHERE handle = ?1 AND NOT EXISTS
		(SELECT 1 FROM attachments a JOIN sessions s ON s.id = a.session_id WHERE a.profile = ?1 AND s.ended IS NULL)`, string(h))
}

// profileQuery reads profiles with their owner, "" for a session that ended.
const profileQuery = `SELECT p.handle, p.label, p.backend, p.dir, p.adopted, p.headless, p.address, p.owner_kind,
	CASE p.owner_kind WHEN 'session' THEN coalesce(s.label, '') ELSE p.owner END, p.last_major, p.last_backend, p.created, p.used
	FROM profiles p LEFT JOIN sessions s ON s.id = p.owner_id AND s.ended IS NULL`

// Profiles lists every profile, the oldest first.
func (db *DB) Profiles(ctx context.Context) ([]Profile, error) {
	return list(ctx, db, "read profiles", scanProfile, profileQuery+` ORDER BY p.created, p.handle`)
}

// Wrote keeps which browser wrote a profile's directory last, and when.
func (db *DB) Wrote(ctx context.Context, h api.Handle, major int, backend string, at time.Time) error {
	_, err := db.exec(ctx, fmt.Sprintf("write profile %s", h),
		`UPDATE profiles SET last_major = ?, last_backend = ?, used = ? WHERE handle = ?`, major, backend, at.UnixMilli(), string(h))
	return err
}

// scanProfile reads one row of profileQuery.
func scanProfile(s scanner) (Profile, error) {
	var p Profile
	var created, used sql.NullInt64
	err := s.Scan(&p.Handle, &p.Label, &p.Backend, &p.Dir, &p.Adopted, &p.Headless, &p.Address, &p.OwnerKind, &p.Owner,
		&p.LastMajor, &p.LastBackend, &created, &used)
	p.Created, p.Used = instant(created), instant(used)
	return p, err
}

// Attachment is a session's hold on a profile: it may have a tab there.
type Attachment struct {
	Profile api.Handle
	Alias   string
	Origin  string
	Default bool
	Since   time.Time
}

// Attachments lists what a living session is attached to, the oldest first,
// and the set it was last told of.
func (db *DB) Attachments(ctx context.Context, session api.SessionID) ([]Attachment, string, error) {
	set, err := list(ctx, db, "read attachments", scanAttachment, `SELECT a.profile, a.alias, a.origin, a.is_default, a.since
		FROM attachments a JOIN sessions s ON s.id = a.session_id WHERE s.label = ? AND s.ended IS NULL ORDER BY a.since, a.profile`, string(session))
	if err != nil {
		return nil, "", err
	}
	told, _, err := one(ctx, db, "read attachments", text[string], `SELECT t.set_of FROM attachments_told t
		JOIN sessions s ON s.id = t.session_id WHERE s.label = ? AND s.ended IS NULL`, string(session))
	return set, told, err
}

// Attached lists the living sessions that are attached to a profile.
func (db *DB) Attached(ctx context.Context, h api.Handle) ([]api.SessionID, error) {
	return list(ctx, db, "read attachments", text[api.SessionID], `SELECT s.label FROM attachments a
		JOIN sessions s ON s.id = a.session_id WHERE a.profile = ? AND s.ended IS NULL ORDER BY a.since`, string(h))
}

// PutAttachment attaches a living session, or changes its attachment. One that
// is the default takes that from the others.
func (db *DB) PutAttachment(ctx context.Context, session api.SessionID, a Attachment) error {
	return db.tx(ctx, fmt.Sprintf("attach to %s", a.Profile), func(ctx context.Context, tx *sql.Tx) error {
		id, err := living(ctx, tx, session)
		if err != nil {
			return err
		}
		if a.Default {
			if _, err := tx.ExecContext(ctx, `UPDATE attachments SET is_default = 0 WHERE session_id = ?`, id); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO attachments(session_id, profile, alias, origin, is_default, since) VALUES(?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET alias = excluded.alias, origin = excluded.origin, is_default = excluded.is_default`,
			id, string(a.Profile), a.Alias, a.Origin, a.Default, a.Since.UnixMilli())
		return err
	})
}

// DeleteAttachment ends a session's attachment and counts what it ended.
func (db *DB) DeleteAttachment(ctx context.Context, session api.SessionID, h api.Handle) (int, error) {
	return db.change(ctx, fmt.Sprintf("detach from %s", h), `DELETE FROM attachments WHERE profile = ? AND session_id =
		(SELECT id FROM sessions WHERE label = ? AND ended IS NULL)`, string(h), string(session))
}

// TellAttachments keeps the set of attachments a session was told of.
func (db *DB) TellAttachments(ctx context.Context, session api.SessionID, set string) error {
	return db.tx(ctx, "tell attachments", func(ctx context.Context, tx *sql.Tx) error {
		id, err := living(ctx, tx, session)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO attachments_told(session_id, set_of) VALUES(?, ?)
			ON CONFLICT DO UPDATE SET set_of = excluded.set_of`, id, set)
		return err
	})
}

// scanAttachment reads one attachment.
func scanAttachment(s scanner) (Attachment, error) {
	var a Attachment
	var since sql.NullInt64
	err := s.Scan(&a.Profile, &a.Alias, &a.Origin, &a.Default, &since)
	a.Since = instant(since)
	return a, err
}
