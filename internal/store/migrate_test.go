package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vibespace/internal/api"
)

// older makes a database as the build of a version left it: its migrations and
// the rows of testdata/rows-<n>.sql for each of them.
func older(t *testing.T, dir string, version int) {
	t.Helper()
	pool, err := sql.Open("sqlite", dsn(pathIn(dir), false))
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{dir: dir, path: pathIn(dir), write: pool}
	err = db.tx(t.Context(), "make an older version", func(ctx context.Context, tx *sql.Tx) error {
		for n := range version {
			rows, err := os.ReadFile(fmt.Sprintf("testdata/rows-%04d.sql", n+1))
			if err != nil {
				return fmt.Errorf("every migration has rows that a later one must keep: %w", err)
			}
			if err := apply(t.Context(), tx, n); err != nil {
				return err
			}
			if _, err := tx.ExecContext(t.Context(), string(rows)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
}

// schema reads the text of every table and index.
func schema(t *testing.T, db *DB) []string {
	t.Helper()
	got, err := list(t.Context(), db, "read the schema", text[string],
		`SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY type, name`)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestMigrateFromEveryOlderVersion(t *testing.T) {
	t.Parallel()
	fresh := schema(t, open(t, t.TempDir()))
	for from := 0; from <= Version(); from++ {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			older(t, dir, from)
			db := open(t, dir)
			if got := schema(t, db); !slices.Equal(got, fresh) {
				t.Errorf("the schema differs from a new one's:\n%q\n%q", got, fresh)
			}
			for n := range from {
				kept[n](t, db)
			}
		})
	}
}

// kept checks, through the methods of today, what each version's rows came to.
var kept = []func(*testing.T, *DB){
	func(t *testing.T, db *DB) {
		if h, err := db.NextHandle(t.Context()); err != nil || h != "w42" {
			t.Errorf("next handle %q, %v; want w42", h, err)
		}
		w, ok, err := db.Window(t.Context(), "w41")
		if err != nil || !ok || w.Pin == nil || *w.Pin != (api.Size{W: 1600, H: 900}) || w.Start != 800 || w.Title != "shell" {
			t.Errorf("window %+v, %v, %v", w, ok, err)
		}
		d, err := db.Displays(t.Context())
		if err != nil || len(d) != 1 || d[0].Number != 101 || !slices.Equal(d[0].Processes, []Process{{7, 700, "server"}}) {
			t.Errorf("displays %+v, %v", d, err)
		}
	},
	func(t *testing.T, db *DB) {
		s, ok, err := db.SessionByHash(t.Context(), []byte{1, 2})
		if err != nil || !ok || s.Label != "a" || !s.Ended.IsZero() {
			t.Errorf("session %+v, %v, %v", s, ok, err)
		}
		g, err := db.GroupsOf(t.Context(), "a")
		if err != nil || !slices.Equal(g, []string{"g"}) {
			t.Errorf("groups %v, %v", g, err)
		}
		l, err := db.Leases(t.Context())
		want := Lease{
			Handle: "w41", Holder: "a", Epoch: 5, Since: time.UnixMilli(1700000000005).UTC(),
			Input: "user", Paused: time.UnixMilli(1700000000006).UTC(), Driver: "app",
		}
		if err != nil || len(l) != 1 || l[0] != want {
			t.Errorf("leases %+v, %v", l, err)
		}
		n, err := db.Notices(t.Context(), "a")
		if err != nil || !slices.Equal(n, []string{"said later"}) {
			t.Errorf("notices %q, %v", n, err)
		}
	},
	func(t *testing.T, db *DB) {
		rows, err := db.Audit(t.Context(), "w41", time.Time{}, 10)
		if err != nil || len(rows) != 1 || rows[0].ID != 12 || rows[0].By != "point" || rows[0].TookMs != 6 {
			t.Errorf("audit %+v, %v", rows, err)
		}
	},
	func(t *testing.T, db *DB) {
		s, ok, err := db.SessionByHash(t.Context(), []byte{3, 4})
		if err != nil || !ok || s.Label != "a" || !slices.Equal(s.TokenHash, []byte{3, 4}) {
			t.Errorf("the session of another token %+v, %v, %v", s, ok, err)
		}
		if p, err := db.PendingEnds(t.Context()); err != nil || len(p) != 0 {
			t.Errorf("ends that wait for windows that are not there: %+v, %v", p, err)
		}
		r, err := db.RememberedShares(t.Context(), "xterm")
		if err != nil || len(r) != 1 || r[0].Name != "g" || r[0].Mode != "pixels" {
			t.Errorf("remembered %+v, %v", r, err)
		}
		rows, err := db.Traces(t.Context(), "w41", 10)
		if err != nil || len(rows) != 1 || rows[0].After != "bb.jpg" || rows[0].Box == nil || *rows[0].Box != (api.Rect{X: 1, Y: 2, W: 3, H: 4}) {
			t.Errorf("the trace %+v, %v", rows, err)
		}
	},
	func(t *testing.T, db *DB) {
		c, err := db.Claims(t.Context(), "portal.example")
		if err != nil || len(c) != 1 || c[0].Session != "a" || c[0].Tier != 3 || c[0].Why != "a puzzle" {
			t.Errorf("claims %+v, %v", c, err)
		}
		k, err := db.KeptProfiles(t.Context())
		if err != nil || len(k) != 1 || k[0].Handle != "w41" || k[0].Label != "bank" {
			t.Errorf("kept profiles %+v, %v", k, err)
		}
		w, ok, err := db.Window(t.Context(), "w41")
		if err != nil || !ok || w.Label != "bank" {
			t.Errorf("window %+v, %v, %v", w, ok, err)
		}
	},
	func(t *testing.T, db *DB) {
		want := Question{ID: 6, Session: "a", Handle: "w41", Text: "save it?", Asked: time.UnixMilli(1700000000011).UTC()}
		if q, err := db.Questions(t.Context(), "a", false); err != nil || len(q) != 1 || q[0] != want {
			t.Errorf("questions %+v, %v", q, err)
		}
	},
	func(t *testing.T, db *DB) {
		if own, err := db.OwnSessions(t.Context()); err != nil || !slices.Equal(own, []api.SessionID{"mcp-1"}) {
			t.Errorf("processes' own sessions %v, %v", own, err)
		}
	},
	func(t *testing.T, db *DB) {
		p, err := db.Profiles(t.Context())
		if err != nil || len(p) != 1 || p[0].Handle != "b3" || p[0].Owner != "a" || !p[0].Headless || p[0].LastMajor != 156 {
			t.Errorf("profiles %+v, %v", p, err)
		}
		a, told, err := db.Attachments(t.Context(), "a")
		if err != nil || len(a) != 1 || a[0].Alias != "w" || !a[0].Default || told != "b3*" {
			t.Errorf("attachments %+v told %q, %v", a, told, err)
		}
	},
	func(t *testing.T, db *DB) {
		want := Browser{Handle: "b4", Label: "ephemeral", Ephemeral: true, Headless: true, Session: "a", Up: true, Refs: 500, Created: time.UnixMilli(1700000000014).UTC()}
		if b, err := db.Browsers(t.Context()); err != nil || len(b) != 1 || b[0] != want {
			t.Errorf("browsers %+v, %v", b, err)
		}
		if tabs, err := db.BrowserTabs(t.Context(), "b4"); err != nil || !slices.Equal(tabs, []BrowserTab{{"T1", "t2", "a", true}}) {
			t.Errorf("tabs %+v, %v", tabs, err)
		}
	},
}

// TestMigrateAllOrNothing puts something in the way of the second migration.
func TestMigrateAllOrNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	older(t, dir, 1)
	inTheWay := func(statement string) {
		t.Helper()
		foreign(t, filepath.Join(dir, FileName), statement)
	}
	inTheWay("CREATE TABLE leases(a)")
	_, err := Open(dir)
	refused(t, err, api.StoreFailed, "io", dir)
	pool, err := sql.Open("sqlite", dsn(pathIn(dir), true))
	if err != nil {
		t.Fatal(err)
	}
	var version, tables int
	err = pool.QueryRowContext(context.Background(), `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema WHERE name IN ('sessions', 'groups', 'audit'))`).Scan(&version, &tables)
	if err != nil || version != 1 || tables != 0 {
		t.Errorf("version %d with %d tables of later ones (%v), want 1 and 0", version, tables, err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	inTheWay("DROP TABLE leases")
	kept[0](t, open(t, dir))
}
