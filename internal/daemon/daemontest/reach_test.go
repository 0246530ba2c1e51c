package daemontest

import (
	"database/sql"
	"path/filepath"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/need"
	"vibespace/internal/store"
)

// TestUnreadableGroupsKeepTheLease breaks the table of groups under a running
// daemon, as a damaged database would: a window shared with a group is refused
// by name, in the words of no window that does not exist, and its holder still
// has it when the table can be read again.
func TestUnreadableGroupsKeepTheLease(t *testing.T) {
	t.Parallel()
	need.Display(t)
	need.Xterm(t)
	d := New(t)
	ctx, owner, alice := t.Context(), d.Owner(), d.Session("alice")
	if _, err := owner.GroupNew(ctx, api.GroupRequest{Group: "team"}); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.GroupAdd(ctx, api.GroupRequest{Group: "team", Label: "alice"}); err != nil {
		t.Fatal(err)
	}
	win, err := owner.Launch(ctx, api.OpenRequest{App: "xterm", With: "group:team"})
	if err != nil {
		t.Fatal(err)
	}
	h := win.Window.Handle
	if _, err := alice.Attach(ctx, api.HandleRequest{Handle: h}); err != nil {
		t.Fatal(err)
	}
	d.Session("bob")
	if _, err := owner.Share(ctx, api.ShareRequest{Handle: h, With: "session:bob"}); err != nil {
		t.Fatal(err)
	}
	outside := openOutside(t, filepath.Join(d.Paths.State, store.FileName))
	outside("ALTER TABLE group_members RENAME TO elsewhere")
	key := func() error {
		_, err := alice.Key(ctx, api.KeyRequest{Act: api.Act{Handle: h, NoObserve: true}, Keys: []string{"Return"}})
		return err
	}
	for _, ask := range []func() error{
		key,
		func() error { _, err := alice.List(ctx, api.ListRequest{}); return err },
		func() error { _, err := alice.Screenshot(ctx, api.ScreenshotRequest{Handle: h}); return err },
		func() error { _, err := alice.Attach(ctx, api.HandleRequest{Handle: h}); return err },
	} {
		if err := ask(); api.CodeOf(err) != api.ReachUnreadable {
			t.Errorf("refused with %v", err)
		}
	}
	// Taking another share back while groups cannot be read keeps the lease too.
	if _, err := owner.Unshare(ctx, api.ShareRequest{Handle: h, With: "session:bob"}); err != nil {
		t.Error(err)
	}
	outside("ALTER TABLE elsewhere RENAME TO group_members")
	if err := key(); err != nil {
		t.Errorf("the lease was not kept: %v", err)
	}
	if _, err := owner.PersonStop(ctx, api.HandleRequest{Handle: h}); err != nil {
		t.Error(err)
	}
}

// openOutside opens the database beside the daemon, as a person with sqlite3
// would, and gives what runs a statement on it. The driver is the store's.
func openOutside(t *testing.T, path string) func(string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)") // the daemon writes as well
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}
