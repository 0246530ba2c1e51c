package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/api"
)

// open opens the database of dir and closes it with the test.
func open(t *testing.T, dir string) *DB {
	t.Helper()
	db, err := Open(dir)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// refused checks a refusal: its code, its reason, that it names the path and
// says how to mend it.
func refused(t *testing.T, err error, code api.Code, reason, path string) {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if reason != "" && e.Details["reason"] != reason {
		t.Errorf("reason = %v, want %s (%v)", e.Details["reason"], reason, err)
	}
	if !strings.Contains(e.Message, path) {
		t.Errorf("message %q does not name %s", e.Message, path)
	}
	if e.Hint == "" {
		t.Errorf("%v has no hint", err)
	}
}

func TestOpenMakesEverythingPrivate(t *testing.T) {
	t.Parallel()
	// The name is legal and full of what a URI gives a meaning to.
	dir := filepath.Join(t.TempDir(), "a b?c#d%41&e", "state")
	db := open(t, dir)
	if _, err := db.Next(t.Context(), "window"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		"": fs.ModeDir | 0o700, LockName: 0o600, FileName: 0o600, FileName + "-wal": 0o600, FileName + "-shm": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%q has mode %v, want %v", name, info.Mode(), want)
		}
	}
	if db.Path() != filepath.Join(dir, FileName) {
		t.Errorf("path = %s", db.Path())
	}
}

func TestReopenKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 5 {
		db, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		n, err := db.Next(t.Context(), "window")
		if err != nil || n != int64(i+1) {
			t.Fatalf("count = %d, %v; want %d", n, err, i+1)
		}
		if err := errors.Join(db.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOneDaemonADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir)
	_, err := Open(dir)
	refused(t, err, api.StoreFailed, "in_use", dir)
	if !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("%v does not say who has it", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func TestClosedIsRefused(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := db.NextHandle(t.Context())
	refused(t, err, api.StoreFailed, "closed", db.Path())
	_, err = db.Windows(t.Context())
	refused(t, err, api.StoreFailed, "closed", db.Path())
}

// foreign makes a database of another program at a path.
func foreign(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesAndOverwritesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		make   func(t *testing.T, path string)
		code   api.Code
		reason string
	}{
		{"text", func(t *testing.T, path string) { write(t, path, []byte("dear diary\n")) }, api.StoreFailed, "damaged"},
		{"cut head", func(t *testing.T, path string) { write(t, path, []byte("SQLite form")) }, api.StoreFailed, "damaged"},
		{"head alone", func(t *testing.T, path string) { write(t, path, []byte("SQLite format 3\x00")) }, api.StoreFailed, "damaged"},
		{"cut", func(t *testing.T, path string) { rewrite(t, path, func(b []byte) []byte { return b[:len(b)/2] }) }, api.StoreFailed, "damaged"},
		{"overwritten pages", func(t *testing.T, path string) {
			rewrite(t, path, func(b []byte) []byte { copy(b[4096:], strings.Repeat("x", 20*4096)); return b })
		}, api.StoreFailed, "damaged"},
		{"another program's", func(t *testing.T, path string) { foreign(t, path, "CREATE TABLE a(b)") }, api.StoreFailed, "damaged"},
		{"another program's mark", func(t *testing.T, path string) {
			foreign(t, path, "PRAGMA application_id = 7; PRAGMA user_version = 1")
		}, api.StoreFailed, "damaged"},
		{"newer", func(t *testing.T, path string) {
			rewrite(t, path, nil)
			foreign(t, path, fmt.Sprintf("PRAGMA user_version = %d", Version()+1))
		}, api.StoreNewer, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			test.make(t, path)
			before := read(t, path)
			for range 2 { // a refusal must not make the next one pass
				_, err := Open(dir)
				refused(t, err, test.code, test.reason, path)
			}
			if string(read(t, path)) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(path string) error
	}{
		{"directory", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"link to a device", func(path string) error { return os.Symlink("/dev/null", path) }},
		{"dangling link into nowhere", func(path string) error { return os.Symlink("/proc/nowhere/x", path) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			if err := test.make(path); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir)
			refused(t, err, api.StoreFailed, "", path)
		})
	}
}

func TestOpenRefusesDirectories(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, []byte("mine"))
	loose := filepath.Join(t.TempDir(), "loose")
	write(t, filepath.Join(loose, "something"), nil)
	if err := os.Chmod(loose, 0o777); err != nil { // past the umask
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "/proc/vibespace", "relative/state", loose} {
		_, err := Open(dir)
		refused(t, err, api.StoreFailed, "", dir)
	}
}

func TestPrivateDirClosesOnlyWhatIsEmpty(t *testing.T) {
	t.Parallel()
	empty, used := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "used")
	write(t, filepath.Join(used, "something"), nil)
	for _, dir := range []string{empty, used} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := PrivateDir(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	for dir, want := range map[string]fs.FileMode{empty: 0o700, used: 0o755} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", dir, info.Mode(), err, want)
		}
	}
}

// write makes a file, with its directory.
func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// read reads a file.
func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rewrite makes a good database with rows at a path, closes it, and changes
// its bytes.
func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	db, err := Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		w := Window{Handle: api.Handle(fmt.Sprintf("w%d", i)), Title: strings.Repeat("t", 500), State: "ready", Created: time.Now()}
		if err := db.AddWindow(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		write(t, path, change(read(t, path)))
	}
}
