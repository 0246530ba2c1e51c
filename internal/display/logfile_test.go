package display

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLogIsKeptShort(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	l, err := openLogs(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	f, err := l.append(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const last = 60_000
	for i := range last + 1 {
		fmt.Fprintf(f, "line %06d %s\n", i, strings.Repeat("x", 60))
	}
	var data []byte
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if data, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if len(data) <= maxLog && bytes.Contains(data, []byte("dropped")) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the log has %d bytes", len(data))
		}
	}
	if !bytes.Contains(data, []byte("[earlier output was dropped]\nline ")) || !bytes.Contains(data, fmt.Appendf(nil, "line %06d", last)) {
		t.Errorf("it begins %.60q and ends %q", data, data[max(0, len(data)-80):])
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	l.close()
}

func TestLogOfNothing(t *testing.T) {
	t.Parallel()
	if l, err := openLogs(filepath.Join(t.TempDir(), "missing", "log")); err == nil {
		l.close()
		t.Error("a log in no directory")
	}
}
