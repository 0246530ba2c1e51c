package display

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/need"
)

func TestLayoutIsPrivateAndGoesWhole(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	at, err := makeLayout(dir, "d1")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{displaysDir(dir), at.dir, at.run(), at.tmp(), at.busHome(), at.services()} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if _, err := makeLayout(dir, "d1"); err == nil {
		t.Error("two displays of one name")
	}
	locked := filepath.Join(at.dir, "home", "cache", "module")
	if err := os.MkdirAll(locked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(locked, "f"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	for path := locked; path != at.dir; path = filepath.Dir(path) {
		if err := os.Chmod(path, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	if err := at.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(at.dir); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}

func TestLayoutRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	for _, c := range []struct{ runtime, id string }{
		{dir, ""},
		{dir, "../up"},
		{dir, "a/b"},
		{dir, ".hidden"},
		{dir, strings.Repeat("a", 65)},
		{dir, "a b"},
		{"relative", "d1"},
		{"/tmp/" + strings.Repeat("long/", 20), "d1"},
	} {
		if _, err := makeLayout(c.runtime, ID(c.id)); err == nil {
			t.Errorf("made a display %q in %q", c.id, c.runtime)
		}
	}
}

func TestBusConfigStartsTwoServicesAndNoMore(t *testing.T) {
	t.Parallel()
	need.AtSpi(t)
	at, err := makeLayout(need.Dir(t), "d1")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(at.services())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != "org.a11y.Bus.service" && f.Name() != "ca.desrt.dconf.service" {
			t.Errorf("the bus can start %s", f.Name())
		}
		text, err := os.ReadFile(filepath.Join(at.services(), f.Name()))
		if err != nil || strings.Contains(string(text), "Systemd") || !strings.Contains(string(text), "Exec=/") {
			t.Errorf("%s: %q, %v", f.Name(), text, err)
		}
	}
	if err := at.remove(); err != nil {
		t.Error(err)
	}
}

func TestBusAddressesAreEscaped(t *testing.T) {
	t.Parallel()
	if got, want := escapeAddress("/run/a b;c,d=é&_-.x"), "/run/a%20b%3bc%2cd%3d%c3%a9%26_-.x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := xmlText("a<&b"), "a&lt;&amp;b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
