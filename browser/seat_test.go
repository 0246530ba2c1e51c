package browser

import (
	"os"
	"path/filepath"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

func TestCheckLabel(t *testing.T) {
	for label, may := range map[string]bool{
		"work": true, "team site": true, "Банк": true, "b": true, "3": true, "b-3": true,
		"": false, "  ": false, "b3": false, "w12": false, "ephemeral": false, "a/b": false, `a\b`: false, "-x": false, ".x": false, "a\nb": false,
		`a"b`: false, "a\u202eb": false, "0123456789012345678901234567890123456789012345678901234567890123456789": false,
	} {
		if err := checkLabel(label); (err == nil) != may || err != nil && api.CodeOf(err) != api.BadRequest {
			t.Errorf("%q: %v", label, err)
		}
	}
}

// TestSetOf: two sets that differ in what they hold, or in the default, are
// told apart, in whatever order they come.
func TestSetOf(t *testing.T) {
	one, two := seat{Profile: store.Profile{Handle: "b1"}}, seat{Profile: store.Profile{Handle: "b2"}}
	pinned := two
	pinned.isDefault = true
	if a, b := setOf([]seat{one, two}), setOf([]seat{two, one}); a != b {
		t.Errorf("%q and %q", a, b)
	}
	seen := map[string]bool{}
	for _, set := range [][]seat{nil, {one}, {two}, {one, two}, {pinned}, {one, pinned}} {
		if s := setOf(set); seen[s] {
			t.Errorf("%q twice", s)
		} else {
			seen[s] = true
		}
	}
}

// TestOverlap compares what paths lead to.
func TestOverlap(t *testing.T) {
	dir := t.TempDir()
	inner, link, beside := filepath.Join(dir, "a", "b"), filepath.Join(dir, "link"), filepath.Join(dir, "a b")
	for _, d := range []string{inner, beside} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(inner, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{inner, inner, true},
		{link, inner, true},
		{dir, link, true},
		{filepath.Dir(inner), link, true},
		{beside, filepath.Dir(inner), false},
		{beside, link, false},
		{filepath.Join(dir, "a", "..", "a b"), beside, true},
	} {
		if overlap(c.a, c.b) != c.want || overlap(c.b, c.a) != c.want {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.want)
		}
	}
}

// TestShots: a session's pictures are bounded, and one that another session
// has too stays.
func TestShots(t *testing.T) {
	s := shots{}
	s.add("b", shot{"shared", 1})
	if gone := s.add("a", shot{"shared", 1}); len(gone) != 0 {
		t.Errorf("gone: %q", gone)
	}
	var gone []string
	for i := range maxShots {
		gone = append(gone, s.add("a", shot{string(rune('A' + i)), 1})...)
	}
	if len(gone) != 0 || len(s.kept["a"]) != maxShots {
		t.Errorf("gone: %q, kept %d", gone, len(s.kept["a"]))
	}
	if gone := s.add("a", shot{"large", maxShotBytes}); len(gone) != maxShots || len(s.kept["a"]) != 1 {
		t.Errorf("gone %d, kept %d", len(gone), len(s.kept["a"]))
	}
}
