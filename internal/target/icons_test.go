package target

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIconFile(t *testing.T) {
	t.Parallel()
	share := t.TempDir()
	dirs := []string{filepath.Join(share, "applications")}
	for _, f := range []string{"icons/hicolor/48x48/apps/a.png", "icons/hicolor/64x64/apps/a.png", "icons/hicolor/scalable/apps/b.svg", "pixmaps/c.png", "pixmaps/d.xpm"} {
		path := filepath.Join(share, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(rest string) string {
		if rest == "" {
			return ""
		}
		return filepath.Join(share, rest)
	}
	for icon, want := range map[string]string{
		"a": "icons/hicolor/64x64/apps/a.png", "b": "icons/hicolor/scalable/apps/b.svg", "c.png": "pixmaps/c.png",
		"d": "", "": "", "../../etc/passwd": "", in("pixmaps/c.png"): "pixmaps/c.png", in("pixmaps/d.xpm"): "", "/no/such.png": "",
	} {
		if got := iconFile(icon, dirs); got != in(want) {
			t.Errorf("%q is %q, not %q", icon, got, want)
		}
	}
}
