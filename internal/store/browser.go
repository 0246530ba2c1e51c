package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// Browser is a browser that outlives its daemon, as it is kept.
type Browser struct {
	Handle api.Handle
	// Label, Ephemeral, Child and Headless say which ephemeral profile it is; one
	// with a name is a Profile as well.
	Label                      string
	Ephemeral, Child, Headless bool
	// Session has it, or had it started; "" once that has ended.
	Session api.SessionID
	// Up is false for an ephemeral one that does not run.
	Up bool
	// Refs is at least the highest number an element was told with.
	Refs    int
	Created time.Time
}

// BrowserTab is a tab of a browser.
type BrowserTab struct {
	// Target is the browser's own name of it, Tab ours.
	Target string
	Tab    api.TabID
	// Session is whose it is, "" for nobody's and for that of one that ended.
	Session api.SessionID
	// Active says that its session's bare commands mean it.
	Active bool
}

// PutBrowser writes a browser without its tabs: what an earlier run of it told of
// them is forgotten. The session must be living.
func (db *DB) PutBrowser(ctx context.Context, b Browser) error {
	return db.tx(ctx, fmt.Sprintf("write browser %s", b.Handle), func(ctx context.Context, tx *sql.Tx) error {
		id, err := living(ctx, tx, b.Session)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO browsers(handle, label, ephemeral, child, headless, session_id, up, refs, created)
			VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET session_id = excluded.session_id, up = excluded.up, refs = excluded.refs`,
			string(b.Handle), b.Label, b.Ephemeral, b.Child, b.Headless, id, b.Up, b.Refs, b.Created.UnixMilli())
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM browser_tabs WHERE browser = ?`, string(b.Handle))
		}
		return err
	})
}

// StopBrowser writes that a browser runs no more: its tabs are forgotten, and
// all of one that is not ephemeral or whose session has ended.
func (db *DB) StopBrowser(ctx context.Context, h api.Handle) error {
	return db.tx(ctx, fmt.Sprintf("stop browser %s", h), func(ctx context.Context, tx *sql.Tx) error {
		for _, query := range []string{
			`DELETE FROM browser_tabs WHERE browser = ?`,
			`DELETE FROM browsers WHERE handle = ? AND (NOT ephemeral OR session_id NOT IN (SELECT id FROM sessions WHERE ended IS NULL))`,
			`UPDATE browsers SET up = 0 WHERE handle = ?`,
		} {
			if _, err := tx.ExecContext(ctx, query, string(h)); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteBrowser forgets a browser and its tabs.
func (db *DB) DeleteBrowser(ctx context.Context, h api.Handle) error {
	_, err := db.exec(ctx, fmt.Sprintf("delete browser %s", h), `DELETE FROM browsers WHERE handle = ?`, string(h))
	return err
}

// Browsers lists every browser that is kept, the oldest first.
func (db *DB) Browsers(ctx context.Context) ([]Browser, error) {
	return list(ctx, db, "read browsers", scanBrowser, `SELECT b.handle, b.label, b.ephemeral, b.child, b.headless, coalesce(s.label, ''),
		b.up, b.refs, b.created FROM browsers b LEFT JOIN sessions s ON s.id = b.session_id AND s.ended IS NULL ORDER BY b.created, b.handle`)
}

// TellBrowser keeps tabs of a browser as they are now, and the highest number
// an element of it may have been told with. A tab of a session that has ended
// is nobody's.
func (db *DB) TellBrowser(ctx context.Context, h api.Handle, refs int, tabs []BrowserTab) error {
	return db.tx(ctx, fmt.Sprintf("write what browser %s told", h), func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE browsers SET refs = ? WHERE handle = ?`, refs, string(h)); err != nil {
			return err
		}
		for _, t := range tabs {
			_, err := tx.ExecContext(ctx, `INSERT INTO browser_tabs(browser, target, tab, session_id, active)
				SELECT ?1, ?2, ?3, coalesce((SELECT id FROM sessions WHERE label = ?4 AND ended IS NULL), 0), ?5
				WHERE EXISTS (SELECT 1 FROM browsers WHERE handle = ?1)
				ON CONFLICT DO UPDATE SET session_id = excluded.session_id, active = excluded.active`,
				string(h), t.Target, string(t.Tab), string(t.Session), t.Active)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// BrowserTabs lists the tabs that were told of a browser, those that were
// closed too.
func (db *DB) BrowserTabs(ctx context.Context, h api.Handle) ([]BrowserTab, error) {
	return list(ctx, db, "read the tabs of a browser", scanBrowserTab, `SELECT t.target, t.tab, coalesce(s.label, ''), t.active
		FROM browser_tabs t LEFT JOIN sessions s ON s.id = t.session_id AND s.ended IS NULL WHERE t.browser = ? ORDER BY t.target`, string(h))
}

// scanBrowser reads one row of Browsers.
func scanBrowser(s scanner) (Browser, error) {
	var b Browser
	var created sql.NullInt64
	err := s.Scan(&b.Handle, &b.Label, &b.Ephemeral, &b.Child, &b.Headless, &b.Session, &b.Up, &b.Refs, &created)
	b.Created = instant(created)
	return b, err
}

// scanBrowserTab reads one row of BrowserTabs.
func scanBrowserTab(s scanner) (BrowserTab, error) {
	var t BrowserTab
	err := s.Scan(&t.Target, &t.Tab, &t.Session, &t.Active)
	return t, err
}
