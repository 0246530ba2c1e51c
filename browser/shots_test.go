package browser

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"vibespace/browser/page"
	"vibespace/internal/api"
)

// TestPlaceOfPicture: a picture goes where links lead, and replaces no device,
// pipe or directory.
func TestPlaceOfPicture(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("old"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(in("sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{
		"link": "old", "twice": in("link"), "sub/up": "../later", "device": "/dev/null", "piped": "pipe", "round": "around", "around": "round",
	}
	for name, to := range links {
		if err := os.Symlink(to, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	var e Engine
	for name, at := range map[string]string{
		"new": "new", "old": "old", "link": "old", "twice": "old", "sub/up": "later", "device": "", "pipe": "", "piped": "", "sub": "", "round": "",
	} {
		path, err := e.keepShot("", in(name), &page.Picture{Data: []byte(name)}, "")
		if at == "" {
			if api.CodeOf(err) != api.StoreFailed {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || path != in(name) {
			t.Errorf("%s: %q, %v", name, path, err)
		}
		if got, err := os.ReadFile(in(at)); err != nil || string(got) != name {
			t.Errorf("%s: %s has %q, %v", name, at, got, err)
		}
	}
	for name, to := range links {
		if is, err := os.Readlink(in(name)); err != nil || is != to {
			t.Errorf("%s leads to %q, %v", name, is, err)
		}
	}
	if info, err := os.Lstat(in("pipe")); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v", err)
	}
}
