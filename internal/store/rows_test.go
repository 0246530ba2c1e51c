package store

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"vibespace/internal/api"
)

// now is a time as the database keeps it: whole milliseconds, UTC.
var now = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestHandlesAreNeverGivenTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	seen := map[api.Handle]bool{}
	for range 3 { // three daemons, one after the other
		db, err := Open(dir)
		must(t, err)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					h, err := db.NextHandle(t.Context())
					mu.Lock()
					if err != nil || seen[h] {
						t.Errorf("handle %q again, or %v", h, err)
					}
					seen[h] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		must(t, db.Close())
	}
	if len(seen) != 480 || !seen["w1"] || !seen["w480"] {
		t.Errorf("%d handles", len(seen))
	}
}

func TestDisplays(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	d := Display{
		ID: "d1", Number: 101, Rung: "xvfb", Dir: "/run/d1", W: 3840, H: 2160, SessionBus: "unix:path=/b", AccessBus: "unix:path=/a",
		Boot: "boot", Created: now, Processes: []Process{{10, 100, "server"}, {11, 110, "session bus"}},
	}
	must(t, db.PutDisplay(ctx, d))
	d.Processes = append(d.Processes[1:], Process{12, 1 << 62, "app"})
	must(t, db.PutDisplay(ctx, d))
	must(t, db.PutDisplay(ctx, Display{ID: "d2", Created: now.Add(time.Second)}))
	got, err := db.Displays(ctx)
	must(t, err)
	want := []Display{d, {ID: "d2", Created: now.Add(time.Second), Processes: []Process{}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	must(t, db.DeleteDisplay(ctx, "d1"))
	got, err = db.Displays(ctx)
	if err != nil || len(got) != 1 || got[0].ID != "d2" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.AddSession(ctx, Session{Label: "a", TokenHash: []byte{1}, Created: now}, ""))
	w := Window{
		Handle: "w1", App: "mousepad", Title: "é 你 😀 \x00", Path: "/usr/bin/mousepad", Home: "h", Origin: "opened", Rung: "xvfb",
		Display: "d1", PID: 5, Start: 6, Opener: "a", Mode: "auto", State: "starting", Created: now,
	}
	must(t, db.AddWindow(ctx, w))
	if err := db.AddWindow(ctx, w); !errors.Is(err, ErrExists) {
		t.Errorf("added twice: %v", err)
	}
	w.Opener, w.Resolved, w.Why, w.State, w.Pin = "somebody else", "tree", "322 nodes", "ready", &api.Size{W: 1600, H: 900}
	must(t, db.UpdateWindow(ctx, w))
	w.Opener = "a"
	got, ok, err := db.Window(ctx, "w1")
	if err != nil || !ok || !reflect.DeepEqual(got, w) {
		t.Errorf("got  %+v, %v, %v\nwant %+v", got, ok, err, w)
	}
	all, err := db.Windows(ctx)
	if err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], w) {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestWindowsThatAreNotThere(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	if _, ok, err := db.Window(ctx, "w2"); ok || err != nil {
		t.Errorf("a window that is not there: %v, %v", ok, err)
	}
	if err := db.UpdateWindow(ctx, Window{Handle: "w2"}); !errors.Is(err, ErrAbsent) {
		t.Errorf("changed a window that is not there: %v", err)
	}
	if err := db.AddWindow(ctx, Window{Handle: "w3", Opener: "nobody"}); !errors.Is(err, ErrAbsent) {
		t.Errorf("opened by nobody: %v", err)
	}
	if all, err := db.Windows(ctx); err != nil || len(all) != 0 || all == nil {
		t.Errorf("%#v, %v", all, err)
	}
}

func TestOpenerHasAShareFromTheStart(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.AddSession(ctx, Session{Label: "a", Created: now}, ""))
	must(t, db.AddWindow(ctx, Window{Handle: "w1", Opener: "a", Mode: "auto", Created: now}))
	must(t, db.AddWindow(ctx, Window{Handle: "w4", Origin: "launched", Created: now}))
	shares, err := db.Shares(ctx, "w1")
	if err != nil || !slices.Equal(shares, []Share{{"w1", KindSession, "a", "auto", now}}) {
		t.Errorf("the opener's share: %+v, %v", shares, err)
	}
	if shares, err := db.Shares(ctx, "w4"); err != nil || len(shares) != 0 || shares == nil {
		t.Errorf("the person's window is shared: %#v, %v", shares, err)
	}
}

func TestEndedWindowsArePruned(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.AddGroup(ctx, "g", now))
	for i, ended := range []*api.Ended{nil, {Why: "stopped", At: now}, {Why: "exited", Status: new(3), At: now.Add(time.Hour)}} {
		h := api.Handle(fmt.Sprintf("w%d", i))
		must(t, db.AddWindow(ctx, Window{Handle: h, State: "ended", Ended: ended, Created: now}))
		must(t, db.PutShare(ctx, Share{Handle: h, Kind: KindGroup, Name: "g", Since: now}))
		must(t, db.PutHolder(ctx, Lease{Handle: h, Since: now}, "", ""))
	}
	gone, err := db.PruneWindows(ctx, now.Add(time.Minute))
	if err != nil || !slices.Equal(gone, []api.Handle{"w1"}) {
		t.Errorf("pruned %v, %v", gone, err)
	}
	must(t, db.DeleteWindow(ctx, "w0"))
	windows, err := db.Windows(ctx)
	must(t, err)
	shares, err := db.SharesTo(ctx, KindGroup, "g")
	must(t, err)
	leases, err := db.Leases(ctx)
	must(t, err)
	if len(windows) != 1 || len(shares) != 1 || len(leases) != 1 || windows[0].Ended.Status == nil || *windows[0].Ended.Status != 3 || !windows[0].Ended.At.Equal(now.Add(time.Hour)) {
		t.Errorf("left: %+v %+v %+v", windows, shares, leases)
	}
}

// TestLabelsCanBeGivenAgain proves that a later session of a label begins with
// nothing of the earlier one's.
func TestLabelsCanBeGivenAgain(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.AddGroup(ctx, "g", now))
	must(t, db.AddSession(ctx, Session{Label: "a", TokenHash: []byte{1}, Created: now}, "g"))
	if err := db.AddSession(ctx, Session{Label: "a", TokenHash: []byte{2}, Created: now}, ""); !errors.Is(err, ErrExists) {
		t.Errorf("two living sessions of a label: %v", err)
	}
	must(t, db.AddWindow(ctx, Window{Handle: "w1", Opener: "a", Created: now}))
	must(t, db.AddWindow(ctx, Window{Handle: "w2", Created: now}))
	must(t, db.PutShare(ctx, Share{"w2", KindSession, "a", "tree", now}))
	must(t, db.PutHolder(ctx, Lease{Handle: "w1", Holder: "a", Epoch: 4, Since: now}, "a", "a sentence"))
	if mine, err := db.OpenedBy(ctx, "a"); err != nil || !slices.Equal(mine, []api.Handle{"w1"}) {
		t.Errorf("opened by a: %v, %v", mine, err)
	}

	must(t, db.EndSession(ctx, "a", now, now))
	if err := db.EndSession(ctx, "a", now, now); !errors.Is(err, ErrAbsent) {
		t.Errorf("ended twice: %v", err)
	}
	must(t, db.AddSession(ctx, Session{Label: "a", TokenHash: []byte{2}, Created: now}, ""))

	opened, err := db.Opened(ctx, "w1", "a")
	must(t, err)
	shares, err := db.SharesTo(ctx, KindSession, "a")
	must(t, err)
	groups, err := db.GroupsOf(ctx, "a")
	must(t, err)
	notices, err := db.TakeNotices(ctx, "a")
	must(t, err)
	leases, err := db.Leases(ctx)
	must(t, err)
	if opened || len(shares)+len(groups)+len(notices) != 0 || leases[0].Holder != "" || leases[0].Epoch != 5 {
		t.Errorf("the new session has %v %v %v %v %v", opened, shares, groups, notices, leases)
	}
	old, ok, err := db.SessionByHash(ctx, []byte{1})
	if err != nil || !ok || old.Ended.IsZero() {
		t.Errorf("the ended one: %+v, %v, %v", old, ok, err)
	}
}

func TestEndedSessionsAreBounded(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	_, err := db.write.ExecContext(t.Context(), `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?)
		INSERT INTO sessions(label, created, ended) SELECT 'old', 1, 2 FROM i`, keptSessions)
	must(t, err)
	for i := range 3 {
		must(t, db.AddSession(t.Context(), Session{Label: "a", TokenHash: fmt.Append(nil, i), Created: now}, ""))
		must(t, db.EndSession(t.Context(), "a", now, now))
	}
	var n int
	must(t, db.read.QueryRowContext(t.Context(), `SELECT count(*) FROM sessions`).Scan(&n))
	if n != keptSessions {
		t.Errorf("%d ended sessions are kept", n)
	}
}

func TestGroupsAndShares(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.AddGroup(ctx, "g", now))
	must(t, db.AddSession(ctx, Session{Label: "a", Created: now}, ""))
	if err := db.AddGroup(ctx, "g", now); !errors.Is(err, ErrExists) {
		t.Errorf("a group twice: %v", err)
	}
	for _, err := range []error{
		db.AddMember(ctx, "none", "a"), db.AddMember(ctx, "g", "none"), db.RemoveMember(ctx, "g", "a"),
		db.AddSession(ctx, Session{Label: "b", TokenHash: []byte{9}, Created: now}, "none"),
		db.PutShare(ctx, Share{Handle: "w1", Kind: KindSession, Name: "none"}),
		db.PutShare(ctx, Share{Handle: "w1", Kind: KindGroup, Name: "none"}),
	} {
		if !errors.Is(err, ErrAbsent) {
			t.Errorf("got %v, want ErrAbsent", err)
		}
	}
	if s, err := db.Sessions(ctx); err != nil || len(s) != 1 {
		t.Errorf("half a session was left: %+v, %v", s, err)
	}
	must(t, db.AddMember(ctx, "g", "a"))
	must(t, db.AddMember(ctx, "g", "a"))
	groups, err := db.Groups(ctx)
	if err != nil || !reflect.DeepEqual(groups, []Group{{"g", now, []api.SessionID{"a"}}}) {
		t.Errorf("groups %+v, %v", groups, err)
	}
	must(t, db.PutShare(ctx, Share{"w1", KindGroup, "g", "auto", now}))
	must(t, db.PutShare(ctx, Share{"w1", KindGroup, "g", "tree", now.Add(time.Hour)}))
	shares, err := db.Shares(ctx, "w1")
	if err != nil || !slices.Equal(shares, []Share{{"w1", KindGroup, "g", "tree", now}}) {
		t.Errorf("shares %+v, %v", shares, err)
	}
	must(t, db.PutShare(ctx, Share{"w1", KindSession, "a", "auto", now}))
	for _, want := range []int{1, 0} {
		if n, err := db.DeleteShare(ctx, "w1", KindSession, "a"); err != nil || n != want {
			t.Errorf("took %d, %v", n, err)
		}
	}
	if n, err := db.DeleteShares(ctx, "w1"); err != nil || n != 1 {
		t.Errorf("took %d, %v", n, err)
	}
	must(t, db.RemoveMember(ctx, "g", "a"))
}

func TestLeaseColumnsAreIndependent(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.PutInput(ctx, Lease{Handle: "w1", Epoch: 2, Input: "user", Paused: now, Driver: "app"}))
	must(t, db.PutHolder(ctx, Lease{Handle: "w1", Holder: "a", Epoch: 1, Since: now}, "b", "told"))
	leases, err := db.Leases(ctx)
	if err != nil || leases[0] != (Lease{"w1", "a", 1, now, "user", now, "app"}) {
		t.Errorf("%+v, %v", leases, err)
	}
	must(t, db.PutInput(ctx, Lease{Handle: "w1", Epoch: 3, Input: "agent"}))
	leases, err = db.Leases(ctx)
	if err != nil || leases[0] != (Lease{Handle: "w1", Holder: "a", Epoch: 3, Since: now, Input: "agent"}) {
		t.Errorf("%+v, %v", leases, err)
	}
	if told, err := db.Notices(ctx, "b"); err != nil || !slices.Equal(told, []string{"told"}) {
		t.Errorf("%q, %v", told, err)
	}
	must(t, db.DeleteLease(ctx, "w1"))
}

func TestDropNotices(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	for _, sentence := range []string{"w1 is back: one", "w10 is back: two", "w1 is back%", "w1 is else"} {
		must(t, db.AddNotice(ctx, "a", sentence, now))
		must(t, db.AddNotice(ctx, "b", sentence, now))
	}
	must(t, db.DropNotices(ctx, "a", "w1 is back"))
	for session, want := range map[api.SessionID]string{"a": "[w10 is back: two w1 is else]", "b": "[w1 is back: one w10 is back: two w1 is back% w1 is else]"} {
		if got, err := db.Notices(ctx, session); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s has %v, %v", session, got, err)
		}
	}
}

func TestNoticesAreSaidOnceInOrderAndBounded(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	must(t, db.AddNotice(ctx, "b", "not yours", now))
	for i := range keptNotices + 5 {
		must(t, db.AddNotice(ctx, "a", fmt.Sprint(i), now))
	}
	var mu sync.Mutex
	var said []string
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := db.TakeNotices(ctx, "a")
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			said = append(said, got...)
		})
	}
	wg.Wait()
	if len(said) != keptNotices || said[0] != "5" || said[keptNotices-1] != fmt.Sprint(keptNotices+4) {
		t.Errorf("said %d: %q", len(said), said)
	}
}
