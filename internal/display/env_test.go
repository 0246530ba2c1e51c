package display

import (
	"slices"
	"strings"
	"testing"
)

// paperDisplay is a display that nothing was started for.
func paperDisplay(dir string) *Display {
	return &Display{id: "d1", at: layout{dir: dir}, mark: "d1.abc", number: ":101", cookieFile: dir + "/Xauthority"}
}

func TestEnvIsMadeFromNothing(t *testing.T) {
	t.Setenv("VIBESPACE_SESSION_TOKEN", "not for an application")
	t.Setenv("DISPLAY", ":0")
	d := paperDisplay("/r/displays/d1")
	common := []string{
		"PATH=" + defaultPath, "LANG=C.UTF-8", "TMPDIR=/r/displays/d1/tmp", "DISPLAY=:101",
		"XAUTHORITY=/r/displays/d1/Xauthority", "DBUS_SESSION_BUS_ADDRESS=unix:path=/r/displays/d1/session.sock",
		"XDG_RUNTIME_DIR=/r/displays/d1/run", "XDG_SESSION_TYPE=x11", "VIBESPACE_DISPLAY_ID=d1.abc",
		"GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "MOZ_ENABLE_WAYLAND=0", "GTK_USE_PORTAL=0", "GIO_USE_VFS=local",
		"QT_ACCESSIBILITY=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "GTK_A11Y=atspi", "GNOME_ACCESSIBILITY=1", "GSK_RENDERER=cairo",
	}
	tree := func(home string) []string {
		return []string{
			"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/.config", "XDG_DATA_HOME=" + home + "/.local/share",
			"XDG_CACHE_HOME=" + home + "/.cache", "XDG_STATE_HOME=" + home + "/.local/state",
		}
	}
	for _, c := range []struct {
		name string
		spec AppSpec
		want []string
		drop string
	}{
		{"private home", AppSpec{}, tree("/r/displays/d1/home"), ""},
		{"kept home", AppSpec{Home: "/state/homes/work"}, tree("/state/homes/work"), ""},
		{"the person's", AppSpec{Home: "/home/p", OwnHome: true}, []string{"HOME=/home/p"}, ""},
		{"additions win", AppSpec{Home: "/home/p", OwnHome: true, Env: []string{"A=b=c", "GDK_BACKEND=broadway", "=x", "junk"}}, []string{"HOME=/home/p", "A=b=c", "GDK_BACKEND=broadway"}, "GDK_BACKEND=x11"},
	} {
		want := slices.DeleteFunc(slices.Concat(common, c.want), func(e string) bool { return e == c.drop })
		got := d.Env(c.spec)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
}

func TestUsableLocale(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "C.UTF-8", "C": "C.UTF-8", "POSIX": "C.UTF-8", "de_DE": "C.UTF-8", "de_DE.ISO-8859-1": "C.UTF-8",
		"C.utf8": "C.UTF-8", "xx_XX.UTF-8": "C.UTF-8", "../../etc.UTF-8": "C.UTF-8", "a\nb.UTF-8": "C.UTF-8",
	} {
		if got := usableLocale(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for a, b := range map[string]string{"de_DE.UTF-8": "de_DE.utf8", "ca_ES.UTF-8@valencia": "ca_ES.utf8@valencia", "C": "C"} {
		if normalLocale(a) != normalLocale(b) {
			t.Errorf("%q and %q are one locale", a, b)
		}
	}
}

func TestServiceEnvTellsOnlyWhereTheFilesAre(t *testing.T) {
	t.Parallel()
	got := serviceEnv(paperDisplay("/r").Env(AppSpec{Env: []string{"API_KEY=secret"}}))
	if _, ok := got["API_KEY"]; ok || got["HOME"] != "/r/home" || got["XDG_CONFIG_HOME"] != "/r/home/.config" || got["PATH"] != "" {
		t.Errorf("%v", got)
	}
}
