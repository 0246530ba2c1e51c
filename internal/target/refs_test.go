package target

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vibespace/atspi"
	"vibespace/internal/api"
)

func TestRefsAreIdentities(t *testing.T) {
	t.Parallel()
	r := newRefs()
	ok := atspi.Ref{Bus: ":1.1", Path: "/ok"}
	cancel := atspi.Ref{Bus: ":1.1", Path: "/cancel"}
	button := func(name string) fingerprint {
		return fingerprint{role: atspi.RolePushButton, name: name, trail: "frame<"}
	}
	first := r.tell(ok, button("OK"), 0, 1)
	second := r.tell(cancel, button("Cancel"), 0, 1)
	if first == second {
		t.Fatalf("two elements have one ref %s", first)
	}
	if again := r.tell(ok, button("OK"), 0, 1); again != first {
		t.Errorf("the same element got %s, then %s", first, again)
	}
	field := atspi.Ref{Bus: ":1.1", Path: "/field"}
	third := r.tell(field, fingerprint{role: atspi.RoleText, name: "Name", trail: "frame<"}, 0, 1)
	if renamed := r.tell(field, fingerprint{role: atspi.RoleText, name: "Surname", trail: "frame<"}, 0, 1); renamed != third {
		t.Errorf("a renamed field got %s, then %s", third, renamed)
	}
	if renamed := r.tell(cancel, button("Delete"), 0, 1); renamed == second {
		t.Errorf("a button that says something else is still %s", renamed)
	}
	moved := fingerprint{role: atspi.RolePushButton, name: "OK", trail: "panel<frame<"}
	if got := r.tell(ok, moved, 0, 1); got != first {
		t.Errorf("a moved element got %s, then %s", first, got)
	}
	other := r.tell(ok, fingerprint{role: atspi.RoleCheckBox, name: "Wrap", trail: "frame<"}, 0, 1)
	if other == first || other == second {
		t.Errorf("another element on a used path got the old ref %s", other)
	}
	if _, err := r.find(first, 1); err != nil {
		t.Errorf("the ref of what was there before: %v, want the element it was", err)
	}
}

func TestRefsAreRefused(t *testing.T) {
	t.Parallel()
	r := newRefs()
	ref := r.tell(atspi.Ref{Bus: ":1.1", Path: "/ok"}, fingerprint{role: atspi.RolePushButton, name: "OK"}, 0, 1)
	tests := []struct {
		ref   api.Ref
		epoch uint64
		code  api.Code
	}{
		{ref, 1, ""},
		{ref, 2, api.StaleRef},
		{"@e99", 1, api.UnknownRef},
		{"@e", 1, api.UnknownRef},
		{"e1", 1, api.UnknownRef},
		{"", 1, api.UnknownRef},
		{"@e-1", 1, api.UnknownRef},
		{"@e99999999999999999999", 1, api.UnknownRef},
		{"@e1\n", 1, api.UnknownRef},
	}
	for _, tt := range tests {
		if _, err := r.find(tt.ref, tt.epoch); api.CodeOf(err) != tt.code {
			t.Errorf("find(%q, %d): %v, want %q", tt.ref, tt.epoch, err, tt.code)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	node := func(ref api.Ref, name string, x int, states ...string) api.Node {
		return api.Node{Ref: ref, Role: "push button", Name: name, States: append(states, "enabled"), Bounds: &api.Rect{X: x, W: 1, H: 1}}
	}
	was := tellings([]api.Node{node("@e1", "A", 0), node("@e2", "B", 0), node("@e3", "C", 0)})
	got := was.diff([]api.Node{node("@e1", "A", 5), node("@e2", "B", 0, "pressed"), node("@e4", "D", 7)})
	want := []string{
		`~ push button "B" @e2 [pressed]`,
		`+ push button "D" @e4 (7,0 1x1)`,
		`- push button "C" @e3`,
	}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d: %q, want %q", i, got[i], want[i])
		}
	}
	var many []api.Node
	for i := range 200 {
		many = append(many, node(api.Ref("@e"+string(rune('a'+i%26))+string(rune('a'+i/26))), "x", 0))
	}
	if n := len(was.diff(many)); n != diffLines+1 {
		t.Errorf("a long diff has %d lines", n)
	}
}

// TestDiffCountsWhatWentAlong: a dialog that closed is one line, whatever was
// in it.
func TestDiffCountsWhatWentAlong(t *testing.T) {
	t.Parallel()
	node := func(ref, up api.Ref) api.Node {
		n := api.Node{Ref: ref, Role: "panel", States: []string{"enabled"}}
		if up != "" {
			n.Parent = &up
		}
		return n
	}
	main, stays := node("@e1", ""), node("@e2", "@e1")
	was := tellings([]api.Node{main, stays, node("@e3", "@e1"), node("@e4", ""), node("@e5", "@e4"), node("@e6", "@e5")})
	want := []string{"- panel @e3", "- panel @e4 and 2 in it"}
	if got := was.diff([]api.Node{main, stays}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGrown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		before, after, text string
		replaced, want      bool
	}{
		{"", "abc", "abc", false, true},
		{"xy", "xaby", "ab", false, true},
		{"aa", "aaaa", "aa", false, true},
		{"xy", "xyab", "ab", false, true},
		{"xy", "abxy", "ab", false, true},
		{"xy", "abyx", "ab", false, false},
		{"xy", "xay", "ab", false, false},
		{"old", "new", "new", true, true},
		{"你", "你好", "好", false, true},
		{"a", "a", "", false, true},
	}
	for _, tt := range tests {
		if got := grown(tt.before, tt.after, tt.text, tt.replaced); got != tt.want {
			t.Errorf("grown(%q, %q, %q) = %v", tt.before, tt.after, tt.text, got)
		}
	}
}

// TestRefsNobodyWasShown: what an act looked at for itself is no ref for
// anybody, and makes none good again that was told to another holder.
func TestRefsNobodyWasShown(t *testing.T) {
	t.Parallel()
	r := newRefs()
	ok := atspi.Ref{Bus: ":1.1", Path: "/ok"}
	mark := fingerprint{role: atspi.RolePushButton, name: "OK"}
	ref := r.number(ok, mark, 0)
	if _, err := r.find(ref, 1); api.CodeOf(err) != api.UnknownRef {
		t.Errorf("a ref that was never shown: %v, want %s", err, api.UnknownRef)
	}
	if told := r.tell(ok, mark, 0, 1); told != ref {
		t.Errorf("the element was %s and is told as %s", ref, told)
	}
	r.number(ok, mark, 0)
	if _, err := r.find(ref, 2); api.CodeOf(err) != api.StaleRef {
		t.Errorf("a ref another holder was told: %v, want %s", err, api.StaleRef)
	}
	r.say([]api.Ref{ref}, 2)
	if _, err := r.find(ref, 2); err != nil {
		t.Errorf("a ref that a line of a diff showed: %v", err)
	}
}

// A daemon that takes a window back goes on after the numbers that the one
// before it gave, and says of those that they are stale.
func TestRefsGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), refsFile)
	if err := newRefs().resume(file); err != nil {
		t.Errorf("none were given: %v", err)
	}
	before := newRefs()
	before.keepIn(file)
	mark := fingerprint{role: atspi.RolePushButton, name: "a"}
	var last api.Ref
	for n := range refsAhead + 5 {
		last = before.tell(atspi.Ref{Bus: ":1." + strconv.Itoa(n), Path: "/a"}, mark, 0, 1)
	}
	after := newRefs()
	if err := after.resume(file); err != nil {
		t.Fatal(err)
	}
	after.keepIn(file)
	if _, err := after.find(last, 1); api.CodeOf(err) != api.StaleRef {
		t.Errorf("%s is %v", last, err)
	}
	next := after.tell(atspi.Ref{Bus: ":1.1", Path: "/a"}, mark, 0, 1)
	if number(t, next) <= number(t, last) {
		t.Errorf("%s follows %s", next, last)
	}
	if _, err := after.find(next, 1); err != nil {
		t.Error(err)
	}
	if _, err := after.find(next+"9", 1); api.CodeOf(err) != api.UnknownRef {
		t.Errorf("a number that was never given: %v", err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newRefs().resume(file); err == nil {
		t.Error("junk is a number")
	}
}

// number is a ref's.
func number(t *testing.T, ref api.Ref) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(string(ref), "@e"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
