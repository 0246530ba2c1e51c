package reach

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/need"
	"vibespace/internal/store"
)

func TestMain(m *testing.M) { need.Main(m) }

// opened opens a book on a store of its own; both end with the test.
func opened(t *testing.T, cfg Config) (*Book, *store.DB) {
	t.Helper()
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	book, err := Open(t.Context(), db, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return book, db
}

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// session makes a session and gives its token.
func session(t *testing.T, b *Book, label api.SessionID, group string) string {
	t.Helper()
	token, err := b.New(t.Context(), label, group)
	must(t, err)
	return token
}

// refused checks the code of a refusal, and that it has a way out.
func refused(t *testing.T, err error, code api.Code) {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if e.Hint == "" {
		t.Errorf("%v has no hint", err)
	}
}

// may asks whether a session reaches a handle; "-" is no.
func may(t *testing.T, b *Book, s api.SessionID, h api.Handle) string {
	t.Helper()
	mode, ok, err := b.May(t.Context(), s, h)
	must(t, err)
	if !ok {
		if mode != "" {
			t.Errorf("a no in mode %q", mode)
		}
		return "-"
	}
	return mode
}

func TestTokens(t *testing.T) {
	t.Parallel()
	book, db := opened(t, Config{})
	ctx := t.Context()
	a, b := session(t, book, "a", ""), session(t, book, "b", "")
	if a == b || len(a) != 43 || !isToken(a) {
		t.Errorf("tokens %q and %q", a, b)
	}
	for token, want := range map[string]api.SessionID{a: "a", b: "b", "": api.DefaultSession} {
		if got, err := book.ByToken(ctx, token); err != nil || got != want {
			t.Errorf("%q is %q, %v", token, got, err)
		}
	}
	last := map[bool]string{true: "A", false: "B"}[a[42:] == "B"]
	for _, wrong := range []string{
		"x", a + "=", a[:42], a + "A", " " + a, a[1:] + a[:1], strings.Repeat("A", 43), a[:42] + last,
		strings.Repeat("é", 43), strings.Repeat("A", 1<<20), "a", "session:a", "\x00",
	} {
		_, err := book.ByToken(ctx, wrong)
		refused(t, err, api.BadSession)
	}
	must(t, book.End(ctx, "a", 0))
	_, err := book.ByToken(ctx, a)
	refused(t, err, api.BadSession)
	// Not even a new session of the label brings the old token back.
	again := session(t, book, "a", "")
	_, err = book.ByToken(ctx, a)
	refused(t, err, api.BadSession)
	if got, err := book.ByToken(ctx, again); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
	// Only hashes are in the files.
	must(t, db.Close())
	files, err := filepath.Glob(filepath.Join(filepath.Dir(db.Path()), "*"))
	must(t, err)
	for _, file := range files {
		body, err := os.ReadFile(file)
		must(t, err)
		for _, token := range []string{a, b, again} {
			if strings.Contains(string(body), token) {
				t.Errorf("%s has a token in it", file)
			}
		}
	}
}

func TestTokensCanBeRequired(t *testing.T) {
	t.Parallel()
	book, _ := opened(t, Config{RequireToken: true})
	_, err := book.ByToken(t.Context(), "")
	refused(t, err, api.NoSession)
	token := session(t, book, "a", "")
	if got, err := book.ByToken(t.Context(), token); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	book, _ := opened(t, Config{})
	ctx := t.Context()
	for _, good := range []string{"a", "A1", "claude-code.2", "x_y", strings.Repeat("l", 60), "0"} {
		session(t, book, api.SessionID(good), "")
		must(t, book.GroupNew(ctx, good))
	}
	for _, bad := range []string{"", "-a", ".a", "a b", "a:b", "a/b", "é", "a\n", "a\x00", strings.Repeat("l", 61), "@e1"} {
		_, err := book.New(ctx, api.SessionID(bad), "")
		refused(t, err, api.BadRequest)
		refused(t, book.GroupNew(ctx, bad), api.BadRequest)
	}
	for _, taken := range []string{"a", "default"} {
		_, err := book.New(ctx, api.SessionID(taken), "")
		refused(t, err, api.BadRequest)
	}
	refused(t, book.GroupNew(ctx, "a"), api.BadRequest)
	_, err := book.New(ctx, "b", "nogroup")
	refused(t, err, api.BadRequest)
	refused(t, book.End(ctx, "b", 0), api.BadSession)
	refused(t, book.End(ctx, api.DefaultSession, 0), api.BadRequest)
}

func TestSessionsAndGroups(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	book, _ := opened(t, Config{Now: func() time.Time { return now }})
	ctx := t.Context()
	must(t, book.GroupNew(ctx, "g"))
	must(t, book.GroupNew(ctx, "f"))
	session(t, book, "a", "g")
	must(t, book.GroupAdd(ctx, "f", "a"))
	must(t, book.GroupAdd(ctx, "f", "a"))
	sessions, err := book.Sessions(ctx)
	must(t, err)
	if len(sessions) != 2 || sessions[0].Label != api.DefaultSession || sessions[1].Label != "a" ||
		!sessions[1].Created.Equal(now) || !slices.Equal(sessions[1].Groups, []string{"f", "g"}) {
		t.Errorf("%+v", sessions)
	}
	refused(t, book.GroupAdd(ctx, "none", "a"), api.BadRequest)
	refused(t, book.GroupAdd(ctx, "g", "none"), api.BadSession)
	refused(t, book.GroupRemove(ctx, "none", "a"), api.BadRequest)
	refused(t, book.GroupRemove(ctx, "g", "none"), api.BadSession)
	must(t, book.GroupRemove(ctx, "f", "a"))
	refused(t, book.GroupRemove(ctx, "f", "a"), api.BadRequest)
	groups, err := book.Groups(ctx)
	must(t, err)
	if len(groups) != 2 || len(groups[0].Members) != 0 || !slices.Equal(groups[1].Members, []api.SessionID{"a"}) {
		t.Errorf("%+v", groups)
	}
}

func TestHiddenUntilShared(t *testing.T) {
	t.Parallel()
	book, db := opened(t, Config{})
	ctx := t.Context()
	session(t, book, "a", "")
	session(t, book, "b", "")
	must(t, db.AddWindow(ctx, store.Window{Handle: "w1", Created: time.Now()}))
	must(t, db.AddWindow(ctx, store.Window{Handle: "w2", Opener: "a", Mode: "tree", Created: time.Now()}))
	for _, test := range []struct {
		s    api.SessionID
		h    api.Handle
		want string
	}{
		{"a", "w1", "-"}, {"b", "w1", "-"}, {"default", "w1", "-"}, // the person's own
		{"a", "w2", "tree"}, {"b", "w2", "-"}, {"", "w2", "-"}, // the opener's alone
		{"a", "w3", "-"}, // there is none, and it reads the same
	} {
		if got := may(t, book, test.s, test.h); got != test.want {
			t.Errorf("%s on %s: %s, want %s", test.s, test.h, got, test.want)
		}
	}
	must(t, book.Share(ctx, "w1", "session:b", ""))
	if a, b := may(t, book, "a", "w1"), may(t, book, "b", "w1"); a != "-" || b != "auto" {
		t.Errorf("after the share: %s and %s", a, b)
	}
	must(t, book.Share(ctx, "w1", "session:b", "pixels"))
	if got := may(t, book, "b", "w1"); got != "pixels" {
		t.Errorf("after the change: %s", got)
	}
	shares, err := book.Shares(ctx, "w1")
	if err != nil || len(shares) != 1 || shares[0].With != "session:b" || shares[0].Mode != "pixels" {
		t.Errorf("%+v, %v", shares, err)
	}
	if n, err := book.Unshare(ctx, "w1", "session:b"); n != 1 || err != nil || may(t, book, "b", "w1") != "-" {
		t.Errorf("took %d, %v", n, err)
	}
	if n, err := book.Unshare(ctx, "w1", "session:b"); n != 0 || err != nil {
		t.Errorf("took %d again, %v", n, err)
	}
	if n, err := book.Unshare(ctx, "w2", ""); n != 1 || err != nil || may(t, book, "a", "w2") != "-" {
		t.Errorf("took %d from the opener, %v", n, err)
	}
}

func TestGroupsReach(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	book, _ := opened(t, Config{Now: func() time.Time { now = now.Add(time.Second); return now }})
	ctx := t.Context()
	must(t, book.GroupNew(ctx, "f"))
	must(t, book.GroupNew(ctx, "g"))
	session(t, book, "a", "f")
	must(t, book.Share(ctx, "w1", "group:g", "tree"))
	must(t, book.Share(ctx, "w10", "group:g", "tree"))
	must(t, book.Share(ctx, "w2", "group:f", "tree"))
	must(t, book.Share(ctx, "w2", "group:g", "pixels"))
	must(t, book.Share(ctx, "w3", "group:g", "pixels"))
	must(t, book.Share(ctx, "w3", "session:a", "tree"))
	check := func(want ...Reached) {
		t.Helper()
		got, err := book.Reaches(ctx, "a")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("reaches %v, %v; want %v", got, err, want)
		}
		for _, h := range []api.Handle{"w1", "w2", "w3", "w10", "w4"} {
			i := slices.IndexFunc(want, func(r Reached) bool { return r.Handle == h })
			mode := "-"
			if i >= 0 {
				mode = want[i].Mode
			}
			if got := may(t, book, "a", h); got != mode {
				t.Errorf("%s: %s, want %s", h, got, mode)
			}
		}
	}
	check(Reached{"w2", "tree"}, Reached{"w3", "tree"})
	must(t, book.GroupAdd(ctx, "g", "a"))
	// The newest share with a group counts, and one with the session itself more.
	check(Reached{"w1", "tree"}, Reached{"w2", "pixels"}, Reached{"w3", "tree"}, Reached{"w10", "tree"})
	must(t, book.GroupRemove(ctx, "g", "a"))
	must(t, book.GroupRemove(ctx, "f", "a"))
	check(Reached{"w3", "tree"})
	must(t, book.End(ctx, "a", 0))
	check()
	session(t, book, "a", "") // the label's next bearer
	check()
}

func TestSharesAreRefused(t *testing.T) {
	t.Parallel()
	book, _ := opened(t, Config{})
	ctx := t.Context()
	session(t, book, "a", "")
	for _, test := range []struct {
		with, mode string
		want       api.Code
	}{
		{"session:none", "", api.BadSession},
		{"group:none", "", api.BadRequest},
		{"a", "", api.BadRequest},
		{"", "", api.BadRequest},
		{"session:", "", api.BadRequest},
		{"user:a", "", api.BadRequest},
		{"session:a", "both", api.BadMode},
		{"session:a", "Tree", api.BadMode},
	} {
		refused(t, book.Share(ctx, "w1", test.with, test.mode), test.want)
	}
	_, err := book.Unshare(ctx, "w1", "everybody")
	refused(t, err, api.BadRequest)
	if got := may(t, book, "a", "w1"); got != "-" {
		t.Errorf("a refused share gives %s", got)
	}
}

// TestUnreadableIsNeverANo breaks the tables under the book, one after the
// other.
func TestUnreadableIsNeverANo(t *testing.T) {
	t.Parallel()
	book, db := opened(t, Config{})
	ctx := t.Context()
	must(t, book.GroupNew(ctx, "g"))
	session(t, book, "a", "g")
	must(t, book.Share(ctx, "w1", "session:a", ""))
	must(t, book.Share(ctx, "w2", "group:g", ""))
	outside := openOutside(t, db.Path())
	must(t, outside("ALTER TABLE group_members RENAME TO elsewhere"))
	// What needs no group is still answered.
	if got := may(t, book, "a", "w1"); got != "auto" {
		t.Errorf("a share with the session itself: %s", got)
	}
	if got := may(t, book, "a", "w3"); got != "-" {
		t.Errorf("a handle shared with nobody: %s", got)
	}
	_, ok, err := book.May(ctx, "a", "w2")
	refused(t, err, api.ReachUnreadable)
	if ok {
		t.Error("and a yes")
	}
	_, err = book.Reaches(ctx, "a")
	refused(t, err, api.ReachUnreadable)
	must(t, outside("ALTER TABLE elsewhere RENAME TO group_members"))
	if got := may(t, book, "a", "w2"); got != "auto" {
		t.Errorf("readable again: %s", got)
	}
	must(t, db.Close())
	_, _, err = book.May(ctx, "a", "w1")
	refused(t, err, api.ReachUnreadable)
	_, err = book.ByToken(ctx, strings.Repeat("A", 43))
	refused(t, err, api.StoreFailed) // a token that cannot be looked up is not a wrong one
}

func TestAnEndedContextIsNotUnreadable(t *testing.T) {
	t.Parallel()
	book, _ := opened(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := book.May(ctx, "a", "w1")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEveryChangeOfReachIsTold(t *testing.T) {
	t.Parallel()
	book, _ := opened(t, Config{})
	ctx := t.Context()
	for i, change := range []func() error{
		func() error { return book.GroupNew(ctx, "g") },
		func() error { _, err := book.New(ctx, "a", ""); return err },
		func() error { return book.GroupAdd(ctx, "g", "a") },
		func() error { return book.Share(ctx, "w1", "session:a", "") },
		func() error { return book.Share(ctx, "w1", "group:g", "") },
		func() error { _, err := book.Unshare(ctx, "w1", "session:a"); return err },
		func() error { _, err := book.Unshare(ctx, "w1", ""); return err },
		func() error { return book.GroupRemove(ctx, "g", "a") },
		func() error { return book.End(ctx, "a", 0) },
	} {
		changed := book.Changed()
		must(t, change())
		select {
		case <-changed:
		default:
			t.Errorf("change %d was not told", i)
		}
	}
	changed := book.Changed()
	refused(t, book.Share(ctx, "w1", "session:none", ""), api.BadSession)
	select {
	case <-changed:
		t.Error("a refused change was told")
	default:
	}
}

func TestAgentsOnDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		book := &Book{now: time.Now}
		if said := book.Default("one[1]") + book.Default("one[1]"); said != "" {
			t.Errorf("alone, and told %q", said)
		}
		time.Sleep(agentsWindow - time.Second)
		if said := book.Default("two[2]"); !strings.Contains(said, "one[1]") || strings.Contains(said, "two[2]") {
			t.Errorf("the second is told %q", said)
		}
		if said := book.Default("one[1]"); !strings.Contains(said, "two[2]") {
			t.Errorf("the first is told %q", said)
		}
		time.Sleep(agentsWindow)
		if said := book.Default("one[1]"); said != "" {
			t.Errorf("alone again, and told %q", said)
		}
		for i := range 10 * maxAgents {
			book.Default(strings.Repeat("x", i+1))
		}
		if n := len(book.agents.seen); n > maxAgents {
			t.Errorf("%d agents are remembered", n)
		}
	})
}

func BenchmarkMay(b *testing.B) {
	db, err := store.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() // the measured part is over
	book, err := Open(b.Context(), db, Config{})
	if err == nil {
		err = errors.Join(book.GroupNew(b.Context(), "g"), book.GroupAdd(b.Context(), "g", "default"),
			book.Share(b.Context(), "w1", "session:default", ""), book.Share(b.Context(), "w2", "group:g", ""))
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range []api.Handle{"w1", "w2"} {
		b.Run(string(h), func(b *testing.B) {
			for b.Loop() {
				if _, ok, err := book.May(b.Context(), "default", h); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// TestDefaultRunAgain: a program that is run ten times in a row is one user; two
// processes of it at once are two, and so are two programs, also when one of them
// has ended.
func TestDefaultRunAgain(t *testing.T) {
	t.Parallel()
	living := map[string]bool{}
	book, _ := opened(t, Config{Lives: func(agent string) bool { return living[agent] }})
	for i := range 10 {
		if said := book.Default(fmt.Sprintf("python[%d]", i+1)); said != "" {
			t.Errorf("run %d is told %q", i+1, said)
		}
	}
	living["python[3]"] = true
	if said := book.Default("python[11]"); !strings.Contains(said, "python[3]") || strings.Contains(said, "python[4]") {
		t.Errorf("beside one that lives: %q", said)
	}
	if said := book.Default("claude[20]"); !strings.Contains(said, "python[4]") {
		t.Errorf("after another program: %q", said)
	}
}
