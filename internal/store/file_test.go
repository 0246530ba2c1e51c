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

// TestPutKept: a file of the person's that was written anew was for its owner
// alone, whoever else could read it before.
func TestPutKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0, 0o644, 0o640, 0o400} {
		want := mode
		if mode == 0 {
			want = 0o600 // there is none yet
		} else if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := PutKept(link, []byte(mode.String())); err != nil {
			t.Fatalf("%v: %v", mode, err)
		}
		info, err := os.Lstat(file)
		got, rerr := os.ReadFile(file)
		if err != nil || rerr != nil || info.Mode() != want || string(got) != mode.String() {
			t.Errorf("%v became %v with %q, %v, %v", mode, info.Mode(), got, err, rerr)
		}
	}
	if err := PutKept(dir, nil); !errors.Is(err, ErrNotAFile) {
		t.Errorf("a directory: %v", err)
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) != 2 {
		t.Errorf("%v are there, %v", there, err)
	}
}
