package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/api"
)

// tmpfs mounts a small disk of its own for the test. Only root may, and not in
// every container; what it proves of a full disk is proved without it too, of
// a read-only one only here and as another user.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("vibespace-test", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("no small disk to fill: mount tmpfs: %v (run as root with CAP_SYS_ADMIN)", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// fill adds windows until the store refuses, and gives how many it took and
// the refusal.
func fill(t *testing.T, db *DB) (int, error) {
	t.Helper()
	for i := range 10_000 {
		w := Window{Handle: api.Handle(fmt.Sprintf("w%d", i)), Title: strings.Repeat("t", 2000), State: "ready", Created: time.Now()}
		if err := db.AddWindow(t.Context(), w); err != nil {
			return i, err
		}
	}
	t.Fatal("the disk never filled")
	return 0, nil
}

// holds checks that exactly n windows are there and all pages are whole.
func holds(t *testing.T, db *DB, n int) {
	t.Helper()
	got, err := db.Windows(t.Context())
	if err != nil || len(got) != n {
		t.Errorf("%d windows (%v), want %d: what was answered is kept, what was refused is not there", len(got), err, n)
	}
	var whole string
	if err := db.read.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&whole); err != nil || whole != "ok" {
		t.Errorf("integrity: %q, %v", whole, err)
	}
}

func TestFullDatabase(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	if _, err := db.write.ExecContext(t.Context(), `PRAGMA max_page_count = 60`); err != nil {
		t.Fatal(err)
	}
	n, err := fill(t, db)
	refused(t, err, api.StoreFailed, "full", db.Path())
	holds(t, db, n)
	if _, err := db.write.ExecContext(t.Context(), `PRAGMA max_page_count = 1000`); err != nil {
		t.Fatal(err)
	}
	if err := db.AddWindow(t.Context(), Window{Handle: "more", State: "ready", Created: time.Now()}); err != nil {
		t.Errorf("with room again: %v", err)
	}
	holds(t, db, n+1)
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := tmpfs(t, "400k")
	db := open(t, dir)
	n, err := fill(t, db)
	refused(t, err, api.StoreFailed, "full", db.Path())
	holds(t, db, n)
	if err := db.Close(); err != nil {
		t.Logf("close on the full disk: %v", err)
	}
	// Not even a refused start may touch what is there.
	if again, err := Open(dir); err == nil {
		holds(t, again, n)
		if err := again.Close(); err != nil {
			t.Logf("close on the full disk: %v", err)
		}
	} else {
		refused(t, err, api.StoreFailed, "", db.Path())
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	holds(t, open(t, dir), n)
}

func TestOpenOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := tmpfs(t, "256k")
	ballast, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer ballast.Close() // nothing of it is needed
	for err == nil {
		_, err = ballast.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	_, err = Open(filepath.Join(dir, "state"))
	refused(t, err, api.StoreFailed, "full", filepath.Join(dir, "state"))
	if err := os.Remove(ballast.Name()); err != nil {
		t.Fatal(err)
	}
	if err := ballast.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Join(dir, "state")) // what the refused start left is no obstacle
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 { // modes do not bind root
		dir = tmpfs(t, "4m")
		rewrite(t, filepath.Join(dir, FileName), nil)
		lock(syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	} else {
		rewrite(t, filepath.Join(dir, FileName), nil)
		lock(os.Remove(filepath.Join(dir, LockName)))
		lock(os.Chmod(dir, 0o500))
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) }) // so that it can be removed
	}
	before := read(t, filepath.Join(dir, FileName))
	_, err := Open(dir)
	refused(t, err, api.StoreFailed, "read_only", filepath.Join(dir, FileName))
	_, err = Open(filepath.Join(dir, "below"))
	refused(t, err, api.StoreFailed, "read_only", filepath.Join(dir, "below", FileName))
	if !bytes.Equal(read(t, filepath.Join(dir, FileName)), before) {
		t.Error("the database was changed")
	}
}

// answered is how many acts the killed daemon answers.
const answered = 200

// answerUntilKilled is a daemon that answers acts and is killed at once,
// closing nothing. It does not return.
func answerUntilKilled(dir string) {
	db, err := Open(dir)
	for i := 0; err == nil && i < answered; i++ {
		_, err = db.AddAudit(context.Background(), api.AuditRow{At: time.Now(), Verb: "click", TookMs: i})
	}
	if err == nil {
		err = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestKilledDaemonLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedIn+"="+dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the daemon ended by %v, want a kill\n%s", err, out)
	}
	rows, err := open(t, dir).Audit(t.Context(), "", time.Time{}, 2*answered)
	if err != nil || len(rows) != answered {
		t.Errorf("%d rows (%v), want %d", len(rows), err, answered)
	}
}
