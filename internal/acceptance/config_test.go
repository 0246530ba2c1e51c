package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfig: the person sees every setting and where it stands, changes one in
// the file they wrote, is told what is no value, and the next daemon runs with
// it.
func TestConfig(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	me := w.Owner()
	file := filepath.Join(w.Home, ".config", "vibespace", "config.yaml")
	type setting struct {
		Key, Value, Running, From string
		Personal, Fixed           bool
	}
	of := func(key string) (found setting) {
		t.Helper()
		var told struct {
			File     string
			Settings []setting
		}
		me.OK(&told, "config")
		if told.File != file {
			t.Errorf("the file is %s, not %s", told.File, file)
		}
		for _, s := range told.Settings {
			if s.Key == key {
				found = s
			}
		}
		return found
	}
	if s := of("audit.keep"); s != (setting{"audit.keep", "100000", "100000", "default", true, false}) {
		t.Errorf("at first it is %+v", s)
	}
	r := me.Refused("bad_request", "config", "set", "audit.keep", "12")
	if !strings.Contains(r.Message, "a whole number from 1000 to") {
		t.Errorf("refused with %q", r.Message)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("what was refused left a file")
	}
	me.Refused("bad_request", "config", "set", "audit.kept", "2000")
	me.OK(nil, "config", "set", "audit.keep", "2000")
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "audit.keep: 2000\n" {
		t.Errorf("the file is %q, %v", raw, err)
	}
	if s := of("audit.keep"); s.Value != "2000" || s.Running != "100000" || s.From != file+":1" {
		t.Errorf("changed, it is %+v", s)
	}
	if said := me.Words("config"); !strings.Contains(said, "audit.keep 2000, from "+file+":1 (default 100000); the daemon runs with 100000 until") {
		t.Errorf("in words:\n%s", said)
	}
	me.OK(nil, "down")
	if s := of("audit.keep"); s.Running != "2000" {
		t.Errorf("the next daemon runs with %+v", s)
	}
}
