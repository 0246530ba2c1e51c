package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// TestSet: a setting is changed where it stands, under its part, or at the end;
// what a person wrote around it stays.
func TestSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, key, value, after string }{
		"in no file": {"", "displays.max", "4", "displays.max: 4\n"},
		"in a part":  {"# mine\ndisplays:\n    max: 6   # enough\n    screen: 1920x1080\n", "displays.max", " 4 ", "# mine\ndisplays:\n    max: 4 # enough\n    screen: 1920x1080\n"},
		"under it":   {"displays:\n    screen: 1920x1080\napps:\n  a: xterm\n", "displays.max", "4", "displays:\n    max: 4\n    screen: 1920x1080\napps:\n  a: xterm\n"},
		"dotted":     {"browsers.idle: 1h\n", "browsers.idle", "90m", "browsers.idle: 90m\n"},
		"no newline": {"injection: true", "takeover.idle", "2m", "injection: true\ntakeover.idle: 2m\n"},
		"a switch":   {"injection: yes\n", "injection", "false", "injection: false\n"},
	} {
		t.Run(name, func(t *testing.T) {
			src := configured(t, c.before)
			if c.before == "" {
				src.Getenv = env(map[string]string{"HOME": filepath.Dir(src.File)})
				src.File = ""
			}
			e := editor(t, src)
			s, err := e.Set(c.key, c.value)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(e.File())
			if err != nil || string(raw) != c.after {
				t.Errorf("%v; the file is\n%s\nnot\n%s", err, raw, c.after)
			}
			if s.Value != strings.TrimSpace(c.value) || !strings.HasPrefix(s.From, e.File()+":") {
				t.Errorf("told %+v", s)
			}
			if c.before == "" && s.Running != s.Default {
				t.Errorf("the daemon runs with %s", s.Running)
			}
		})
	}
}

// TestSetRefuses: what is no setting or no value, what the environment says, and
// a file that cannot be changed without harm: a sentence, and the file as it was.
func TestSetRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, key, value, says string }{
		"no setting":  {"", "displays.most", "4", "is no setting"},
		"a path":      {"", "socket", "/tmp/x", "is no setting"},
		"no value":    {"", "displays.max", "99", "a whole number from 1 to 64"},
		"no time":     {"", "takeover.idle", "soon", "a duration from 1s to 24h"},
		"two lines":   {"", "log.level", "info\nsocket: /x", "debug, info, warn or error"},
		"environment": {"", "lease.lapse", "2m", "is set by VIBESPACE_LEASE_LAPSE"},
		"flow style":  {"displays: {max: 4}\n", "displays.max", "5", "only a person can change"},
		"broken file": {"displays: [\n", "displays.max", "5", "config.yaml:1"},
	} {
		t.Run(name, func(t *testing.T) {
			src := configured(t, "")
			src.Getenv = env(map[string]string{"HOME": "/home/a", "VIBESPACE_LEASE_LAPSE": "1m"})
			e := editor(t, src)
			if err := os.WriteFile(src.File, []byte(c.body), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := e.Set(c.key, c.value)
			if api.CodeOf(err) != api.BadRequest || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
			if raw, err := os.ReadFile(src.File); err != nil || string(raw) != c.body {
				t.Errorf("%v; the file is %q", err, raw)
			}
		})
	}
}

// TestList: each setting is told with where it stands and what the daemon runs
// with, and a person is shown no paths.
func TestList(t *testing.T) {
	t.Parallel()
	src := configured(t, "displays:\n  max: 6\n")
	src.Getenv = env(map[string]string{"HOME": "/home/a", "VIBESPACE_LEASE_LAPSE": "1m"})
	e := editor(t, src)
	if err := os.WriteFile(src.File, []byte("displays.max: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := e.List()
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]api.Setting{}
	for _, s := range list {
		told[s.Key] = s
	}
	if s := told["displays.max"]; s.Value != "3" || s.Running != "6" || s.From != src.File+":1" || s.Fixed || !s.Personal {
		t.Errorf("displays.max: %+v", s)
	}
	if s := told["lease.lapse"]; s.Value != "1m" || !s.Fixed || s.From != "VIBESPACE_LEASE_LAPSE" {
		t.Errorf("lease.lapse: %+v", s)
	}
	if s := told["injection"]; s.Value != s.Default || s.From != "default" || s.Doc == "" {
		t.Errorf("injection: %+v", s)
	}
	if _, there := told["socket"]; there || told["tree.check"].Personal || told["log.level"].Personal {
		t.Error("a path can be set, or a fault finder's key is a person's")
	}
}

// editor makes one that writes plainly.
func editor(t *testing.T, src Source) *Editor {
	t.Helper()
	e, err := Edit(src, func(path string, body []byte) error { return os.WriteFile(path, body, 0o600) })
	if err != nil {
		t.Fatal(err)
	}
	return e
}
