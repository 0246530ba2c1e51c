package config

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }

// env makes a getenv of a few variables.
func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// configured writes a configuration file and gives the source that reads it.
func configured(t *testing.T, body string) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return Source{File: path, Getenv: env(map[string]string{"HOME": "/home/a"})}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{Getenv: env(map[string]string{"HOME": "/nowhere", "XDG_RUNTIME_DIR": "/run/user/1"})})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Paths:     api.Paths{Socket: "/run/user/1/vibespace/api.sock", Runtime: "/run/user/1/vibespace", State: "/nowhere/.local/state/vibespace"},
		Injection: true, MaxDisplays: 8, Screen: api.Size{W: 3840, H: 2160}, LeaseLapse: 15 * time.Minute, SessionGrace: time.Minute, TracePictures: true,
		LogLevel: slog.LevelInfo, AuditKeep: 100_000, AuditAge: 90 * 24 * time.Hour,
	}
	if len(c.Apps) != 0 {
		t.Errorf("apps: %v", c.Apps)
	}
	c.Apps = nil
	if !equal(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

// equal compares two configurations.
func equal(a, b Config) bool {
	apps := maps.Equal(a.Apps, b.Apps)
	a.Apps, b.Apps = nil, nil
	return apps && a.Paths == b.Paths && a.File == b.File && a.RequireToken == b.RequireToken && a.SessionGrace == b.SessionGrace && a.TracePictures == b.TracePictures && a.Injection == b.Injection &&
		a.MaxDisplays == b.MaxDisplays && a.Screen == b.Screen && a.LeaseLapse == b.LeaseLapse && a.LogLevel == b.LogLevel &&
		a.AuditKeep == b.AuditKeep && a.AuditAge == b.AuditAge
}

func TestFile(t *testing.T) {
	t.Parallel()
	src := configured(t, `
# what a person writes
runtimeDir: /run/mine
stateDir: /var/mine
sessions:
  requireToken: yes
  grace: 5s
trace.pictures: off
injection: false
Displays:
  max: 3
  screen: 1920x1080
lease.lapse: 90s
log:
    level: DEBUG
audit: {keep: 5000, age: 24h}
apps:
  Editor: /usr/bin/mousepad --disable-server
  org.gnome.Calc: gnome-calculator
  "two words": xterm
`)
	c, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Paths: api.Paths{Socket: "/run/mine/api.sock", Runtime: "/run/mine", State: "/var/mine"}, File: src.File,
		RequireToken: true, SessionGrace: 5 * time.Second, TracePictures: false, MaxDisplays: 3, Screen: api.Size{W: 1920, H: 1080}, LeaseLapse: 90 * time.Second,
		LogLevel: slog.LevelDebug, AuditKeep: 5000, AuditAge: 24 * time.Hour,
		Apps: map[string]string{
			"Editor": "/usr/bin/mousepad --disable-server", "org.gnome.Calc": "gnome-calculator", "two words": "xterm",
		},
	}
	if !equal(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

func TestLaterSourcesWin(t *testing.T) {
	t.Parallel()
	src := configured(t, "displays: {max: 2}\nlog: {level: warn}\ninjection: false\nsocket: /file/api.sock\n")
	src.Getenv = env(map[string]string{
		"HOME": "/home/a", "VIBESPACE_DISPLAYS_MAX": "3", "VIBESPACE_LOG_LEVEL": "error", "VIBESPACE_SOCKET": "/env/api.sock",
		"VIBESPACE_INJECTION": "", // set and empty says nothing
	})
	src.Flags = map[string]string{"displays.max": "4"}
	c, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	if c.MaxDisplays != 4 || c.LogLevel != slog.LevelError || c.Injection || c.Paths.Socket != "/env/api.sock" || c.Paths.Runtime != "/env" {
		t.Errorf("%+v", c)
	}
}

func TestFaultsNameThePlaceAndTheKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"unknown", "injection: true\nsesions:\n  requireToken: true\n", `:3: "sesions.requireToken" is not a setting`},
		{"unknown below", "sessions:\n  requireToken: true\n\n  # why\n  Forever: 1\n", `:5: "sessions.Forever" is not a setting`},
		{"unknown beside its namesake", "displays:\n  old:\n    max: 1\n  max: 2\n", `:3: "displays.old.max" is not a setting`},
		{"value instead of a group", "displays: 3\n", `:1: "displays" is not a setting`},
		{"number", "displays:\n  old: \n  max: many\n", `:2: "displays.old" is not a setting`},
		{"too many", "displays:\n  max: 65\n", `:2: displays.max is "65": it has to be a whole number from 1 to 64`},
		{"namesake above", "lease:\n  max:\n    lapse: 3\n  lapse: never\n", `:3: "lease.max.lapse" is not a setting`},
		{"duration without a unit", "lease:\n  lapse: 15\n", `:2: lease.lapse is "15": it has to be a duration from 1s to 24h0m0s`},
		{"size", "displays:\n  screen: 100x100\n", `:2: displays.screen is "100x100": it has to be a size`},
		{"huge size", "displays:\n  screen: 99999999x1080\n", `:2: displays.screen is`},
		{"boolean", "injection: perhaps\n", `:1: injection is "perhaps": it has to be true or false`},
		{"empty", "injection:\n", `:1: injection is "": it has to be true or false`},
		{"level", "log:\n  level: loud\n", `:2: log.level is "loud"`},
		{"list", "injection: [true]\n", `:1: injection has to be one value`},
		{"relative path", "stateDir: here\n", `:1: stateDir is "here": it has to be an absolute path`},
		{"apps", "apps: mousepad\n", `:1: apps has to map names`},
		{"apps list", "apps: [mousepad]\n", `:1: apps has to map names`},
		{"app", "apps:\n  Editor:\n", `:2: apps.Editor has to be a command line`},
		{"app of an app", "apps:\n  a:\n    b: c\n", `:2: apps.a has to be a command line`},
		{"app with a slash", "apps:\n  a/b: c\n", `:2: apps.a/b has a slash`},
		{"no YAML", "injection: true\n\tlog: 3\n", `:2: `},
		{"a key twice", "injection: true\ninjection: false\n", `:2: `},
		{"another shape", "- injection\n", `:1: `},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			src := configured(t, test.body)
			_, err := Load(src)
			if err == nil || !strings.HasPrefix(err.Error(), src.File+test.want) {
				t.Errorf("got  %v\nwant %s%s…", err, src.File, test.want)
			}
		})
	}
}

func TestFaultsOfOtherSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, test := range []struct {
		name string
		src  Source
		want string
	}{
		{"variable", Source{Getenv: env(map[string]string{"VIBESPACE_DISPLAYS_MAX": "0"})}, `VIBESPACE_DISPLAYS_MAX: displays.max is "0"`},
		{"relative variable", Source{Getenv: env(map[string]string{"VIBESPACE_STATE_DIR": "x"})}, `VIBESPACE_STATE_DIR: stateDir is "x"`},
		{"flag", Source{Flags: map[string]string{"log.level": "x"}, Getenv: env(nil)}, `flags: log.level is "x"`},
		{"unknown flag", Source{Flags: map[string]string{"loglevel": "x"}, Getenv: env(nil)}, "flags: loglevel is not a setting"},
		{"named file that is not there", Source{File: filepath.Join(dir, "none.yaml"), Getenv: env(nil)}, "read the configuration: stat " + dir},
		{"named directory", Source{File: dir, Getenv: env(nil)}, "read the configuration: " + dir},
		{"device", Source{File: "/dev/zero", Getenv: env(nil)}, "read the configuration: /dev/zero"},
	} {
		if _, err := Load(test.src); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s…", test.name, err, test.want)
		}
	}
}

func TestDefaultPlace(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, test := range []struct {
		vars map[string]string
		at   string
	}{
		{map[string]string{"HOME": home}, filepath.Join(home, ".config", "vibespace")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "x")}, filepath.Join(home, "x", "vibespace")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": "relative"}, filepath.Join(home, ".config", "vibespace")},
	} {
		if err := os.MkdirAll(test.at, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(test.at, "config.yaml")
		if err := os.WriteFile(path, []byte("displays: {max: 5}"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Source{Getenv: env(test.vars)})
		if err != nil || c.MaxDisplays != 5 || c.File != path {
			t.Errorf("%v: %d displays from %q, %v", test.vars, c.MaxDisplays, c.File, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if got := DefaultFile(env(nil)); got != "" {
		t.Errorf("without a home: %q", got)
	}
}

// FuzzFile feeds the reader what a person could have written: it must end with
// a configuration or an error, whatever that is.
func FuzzFile(f *testing.F) {
	f.Add("a: {b: [c]}\n? x\n: y")
	f.Add("apps:\n  'A': \"b\"\n  c.d: e\ndisplays.max: 3\n")
	f.Add("injection: &a true\nlog: *a\n")
	f.Fuzz(func(t *testing.T, body string) {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Source{File: path, Getenv: env(nil)})
		if err == nil && (c.MaxDisplays < 1 || c.Screen.W < 640 || c.LeaseLapse <= 0) {
			t.Errorf("an unbounded setting: %+v", c)
		}
	})
}

func TestEveryKeyIsDocumentedAndTakesItsDefault(t *testing.T) {
	t.Parallel()
	for _, k := range Keys() {
		if k.Doc == "" || !strings.HasPrefix(k.Env, "VIBESPACE_") {
			t.Errorf("%+v", k)
		}
		if k.parse == nil {
			continue
		}
		if err := k.parse(&Config{}, k.Default); err != nil {
			t.Errorf("%s: its default %q: %v", k.Name, k.Default, err)
		}
	}
}
