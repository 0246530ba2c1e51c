package xvfb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestCookieFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "Xauthority")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	cookie, err := newCookie()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeCookie(path, 101, cookie); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	want := append([]byte("\xff\xff\x00\x00\x00\x03101\x00\x12MIT-MAGIC-COOKIE-1\x00\x10"), cookie...)
	if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
		t.Errorf("file is %q, want %q", got, want)
	}
	if got, err := readCookie(path); err != nil || !bytes.Equal(got, cookie) {
		t.Errorf("read back %x, %v", got, err)
	}
}

func FuzzReadCookie(f *testing.F) {
	f.Add(authorityEntry(101, make([]byte, cookieSize)))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "Xauthority")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if cookie, err := readCookie(path); err == nil && len(cookie) != cookieSize {
			t.Errorf("a cookie of %d bytes", len(cookie))
		}
	})
}
