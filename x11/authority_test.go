package x11

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// TestCookie: the cookie of the display on this host is found among others, and
// a file that is cut gives what came before.
func TestCookie(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	entry := func(family uint16, fields ...string) string {
		b := binary.BigEndian.AppendUint16(nil, family)
		for _, f := range fields {
			b = binary.BigEndian.AppendUint16(b, uint16(len(f)))
			b = append(b, f...)
		}
		return string(b)
	}
	other := entry(familyLocal, "elsewhere", "7", cookieName, "elsewhere's") + entry(familyLocal, host, "8", cookieName, "of 8") +
		entry(familyLocal, host, "7", "XDM-AUTHORIZATION-1", "another kind")
	for name, c := range map[string]struct {
		file, want string
		fails      bool
	}{
		"its own":        {other + entry(familyWild, "", "7", cookieName, "any's") + entry(familyLocal, host, "7", cookieName, "own"), "own", false},
		"any host's":     {other + entry(familyWild, "", "7", cookieName, "any's"), "any's", false},
		"any display's":  {other + entry(familyLocal, host, "", cookieName, "all"), "all", false},
		"none":           {other, "", false},
		"nothing":        {"", "", false},
		"cut":            {entry(familyWild, "", "7", cookieName, "any's") + other[:9], "any's", true},
		"a wrong length": {"\x01\x00\xff\xff", "", true},
	} {
		path := filepath.Join(t.TempDir(), "authority")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Cookie(path, ":7")
		if string(got) != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Cookie(filepath.Join(t.TempDir(), "none"), ":7"); err == nil {
		t.Error("a file that is not there has a cookie")
	}
	if _, err := Cookie("/dev/null", "there:7"); err == nil {
		t.Error("a display of another machine has one here")
	}
}
