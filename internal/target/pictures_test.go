package target

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"vibespace/internal/api"
)

func TestPicturesAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"aa/new": 0, "aa/middle": time.Hour, "bb/old": 2 * time.Hour, "cc/ancient": 100 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	clearPictures(dir, now.Add(-50*time.Hour), 250)
	for name, stays := range map[string]bool{"aa/new": true, "aa/middle": true, "bb/old": false, "cc/ancient": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v, want it to stay: %v", name, err, stays)
		}
	}
}

func TestPicturesAreWholeOrNot(t *testing.T) {
	t.Parallel()
	e := &Engine{cfg: Config{StateDir: t.TempDir()}}
	path, err := e.keep("", "abcdef", "png", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", path, info, err)
	}
	if _, err := e.keep(filepath.Join(t.TempDir(), "no", "such", "x.png"), "abcdef", "png", nil); api.CodeOf(err) != api.StoreFailed {
		t.Errorf("a place that is not there: %v, want %s", err, api.StoreFailed)
	}
}
