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

// logLine is line i of a flood, 80 bytes.
func logLine(i int) string { return fmt.Sprintf("line %06d %s\n", i, strings.Repeat("x", 67)) }

// A log is cut while it is written to, on a file system that can shorten a file
// at its beginning and on one that cannot: its end is whole either way.
func TestLogIsKeptShortAndLosesNothingOfItsEnd(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/dev/shm"} {
		t.Run("in "+base, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp(base, "display-log")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			path := filepath.Join(dir, "log")
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
				if _, err := f.WriteString(logLine(i)); err != nil {
					t.Fatal(err)
				}
			}
			until(t, "the log is short", func() bool {
				info, err := os.Stat(path)
				return err == nil && used(info) <= maxLog
			})
			app := &App{LogFile: path}
			text, err := app.Output(maxLog)
			if err != nil || len(text) < keepLog {
				t.Fatalf("%d bytes are left, %v", len(text), err)
			}
			for i := range keepLog / 80 {
				line := logLine(last - i)
				if !bytes.HasSuffix(text, []byte(line)) {
					t.Fatalf("line %d from the end is %q", i, text[len(text)-80:])
				}
				text = text[:len(text)-len(line)]
			}
		})
	}
}

func TestLogIsCopiedWhereItCannotBeCut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := 0
	for i := 0; size < 2*maxLog; i++ {
		n, err := f.WriteString(logLine(i))
		if err != nil {
			t.Fatal(err)
		}
		size += n
	}
	copyDown(f, int64(size))
	text, err := os.ReadFile(path)
	if err != nil || len(text) > keepLog || len(text) < keepLog-80 || !bytes.HasPrefix(text, []byte("line ")) ||
		!bytes.HasSuffix(text, []byte(logLine(size/80-1))) {
		t.Errorf("%d bytes, %v: %.20q … %q", len(text), err, text, text[max(0, len(text)-80):])
	}
}

func TestLogOfNothing(t *testing.T) {
	t.Parallel()
	if l, err := openLogs(filepath.Join(t.TempDir(), "missing", "log")); err == nil {
		l.close()
		t.Error("a log in no directory")
	}
}

// A log that nobody writes to costs nothing, and its watch ends at once.
func TestLogWatchEnds(t *testing.T) {
	t.Parallel()
	l, err := openLogs(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { l.close(); l.close(); close(over) }()
	select {
	case <-over:
	case <-time.After(patience):
		t.Fatal("the watch does not end")
	}
}

// TestLogStaysShortWithoutInotify: where the kernel has no inotify instance to
// give, logs are looked at now and then.
func TestLogStaysShortWithoutInotify(t *testing.T) {
	t.Parallel()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	l := &logs{files: map[string]*os.File{f.Name(): f}, closed: make(chan struct{})}
	l.work.Go(l.look)
	defer l.close()
	for i := range 20_000 {
		if _, err := f.WriteString(logLine(i)); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the log is short", func() bool {
		info, err := f.Stat()
		return err == nil && used(info) <= maxLog
	})
}
