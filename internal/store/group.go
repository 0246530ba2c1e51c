package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// Group is a named set of sessions. Members are in order of label.
type Group struct {
	Name    string
	Created time.Time
	Members []api.SessionID
}

// AddGroup writes a new, empty group; ErrExists when there is one of the name.
func (db *DB) AddGroup(ctx context.Context, name string, at time.Time) error {
	_, err := db.exec(ctx, fmt.Sprintf("add group %q", name),
		`INSERT INTO groups(name, created) VALUES(?, ?)`, name, at.UnixMilli())
	return err
}

// AddMember puts a living session into a group, also when it is in already;
// ErrAbsent when either is not there.
func (db *DB) AddMember(ctx context.Context, group string, session api.SessionID) error {
	return db.tx(ctx, fmt.Sprintf("add session %q to group %q", session, group), func(ctx context.Context, tx *sql.Tx) error {
		if _, err := living(ctx, tx, session); err != nil {
			return err
		}
		return addMember(ctx, tx, group, session)
	})
}

// addMember writes a membership in a group that must be there.
func addMember(ctx context.Context, tx *sql.Tx, group string, session api.SessionID) error {
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM groups WHERE name = ?`, group).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("group %q: %w", group, ErrAbsent)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO group_members(name, session) VALUES(?, ?) ON CONFLICT DO NOTHING`,
		group, string(session))
	return err
}

// RemoveMember takes a session out of a group; ErrAbsent when it is not in it.
func (db *DB) RemoveMember(ctx context.Context, group string, session api.SessionID) error {
	op := fmt.Sprintf("remove session %q from group %q", session, group)
	n, err := db.change(ctx, op, `DELETE FROM group_members WHERE name = ? AND session = ?`, group, string(session))
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", op, ErrAbsent)
	}
	return err
}

// DeleteGroup deletes a group with its memberships and the shares with it, also those
// an application was to get again;
// ErrAbsent when there is none.
func (db *DB) DeleteGroup(ctx context.Context, group string) error {
	return db.tx(ctx, fmt.Sprintf("delete group %q", group), func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM groups WHERE name = ?`, group) // the members go with it
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return orAbsent(err)
		}
		for _, table := range []string{"shares", "remembered"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE kind = 'group' AND name = ?`, group); err != nil {
				return err
			}
		}
		return nil
	})
}

// Groups lists the groups with their members, in order of name.
func (db *DB) Groups(ctx context.Context) ([]Group, error) {
	groups, err := list(ctx, db, "read groups", scanGroup, `SELECT name, created FROM groups ORDER BY name`)
	if err != nil {
		return nil, err
	}
	for i := range groups {
		groups[i].Members, err = list(ctx, db, "read group members", text[api.SessionID],
			`SELECT session FROM group_members WHERE name = ? ORDER BY session`, groups[i].Name)
		if err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// GroupsOf lists the groups a session is in, in order of name.
func (db *DB) GroupsOf(ctx context.Context, session api.SessionID) ([]string, error) {
	return list(ctx, db, "read the groups of a session", text[string],
		`SELECT name FROM group_members WHERE session = ? ORDER BY name`, string(session))
}

// GroupExists reports whether there is a group of a name.
func (db *DB) GroupExists(ctx context.Context, name string) (bool, error) {
	_, ok, err := one(ctx, db, "read group", text[string], `SELECT name FROM groups WHERE name = ?`, name)
	return ok, err
}

// scanGroup reads one row of groups.
func scanGroup(s scanner) (Group, error) {
	var g Group
	var created sql.NullInt64
	err := s.Scan(&g.Name, &created)
	g.Created = instant(created)
	return g, err
}
