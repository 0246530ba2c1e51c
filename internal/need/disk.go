package need

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// diskBytes is the size of the file systems of Disk: room for a few files and
// for no database.
const diskBytes = "size=16k"

// Disk mounts a small file system of its own on dir, which is made, and fills
// it or makes it read-only. It is unmounted when the test ends. A machine that
// does not let us mount has no such disk, and nothing to install would give it
// one: the test is skipped there, also where a missing program would fail it.
func Disk(t testing.TB, dir string, full bool) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,"+diskBytes); err != nil {
		t.Skip("a file system cannot be mounted here: " + err.Error())
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	if full {
		// It is written until the disk says no.
		_ = os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 1<<20), 0o600)
		return
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatalf("make %s read-only: %v", dir, err)
	}
}
