package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPutFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("old"), []byte("before"), 0o600), os.Mkdir(at("dir"), 0o700), syscall.Mkfifo(at("pipe"), 0o600),
		os.Symlink(at("old"), at("link")), os.Symlink("link", at("relative")), os.Symlink(at("later"), at("dangling")),
		os.Symlink("loop", at("loop")), os.Symlink(at("pipe"), at("to pipe")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, lands string // where the data is afterwards, "" for a refusal
		want        error
	}{
		{"new", "new", nil},
		{"old", "old", nil},
		{"link", "old", nil},
		{"relative", "old", nil},
		{"dangling", "later", nil},
		{"dir", "", ErrNotAFile},
		{"pipe", "", ErrNotAFile},
		{"to pipe", "", ErrNotAFile},
		{"loop", "", errLinkLoop},
		{"none/file", "", os.ErrNotExist},
	} {
		before, _ := os.Lstat(at(tc.name))
		err := PutFile(at(tc.name), []byte(tc.name))
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
		after, _ := os.Lstat(at(tc.name))
		if before != nil && before.Mode() != after.Mode() {
			t.Errorf("%s was %v and is %v", tc.name, before.Mode(), after.Mode())
		}
		if tc.lands == "" {
			continue
		}
		got, err := os.ReadFile(at(tc.lands))
		if info, serr := os.Stat(at(tc.lands)); err != nil || serr != nil || string(got) != tc.name || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %q lands in %s, %v, %v", tc.name, got, tc.lands, info, err)
		}
	}
	if left, _ := filepath.Glob(at(".file-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
