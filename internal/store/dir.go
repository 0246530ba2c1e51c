package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// PrivateDir makes a directory only its owner can use, with its parents, or
// makes sure of one that is there: it must be a directory of this user that
// nobody else can write to. An empty one that others could read is closed to
// them; one with things in it is left as the person set it, because everything
// put inside is closed on its own.
//
// Both the state and the runtime directory are made by it: the second lies
// under /tmp where there is no session directory, and somebody else may have
// been there first.
func PrivateDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("make directory %q: the path is not absolute", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make directory %s: %w", dir, err)
	}
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make directory %s: %w", dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at directory %s: %w", dir, err)
	}
	return checkDir(dir, info)
}

// checkDir judges a directory that was there.
func checkDir(dir string, info fs.FileInfo) error {
	if !info.IsDir() {
		return fmt.Errorf("use directory %s: %w", dir, syscall.ENOTDIR)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return fmt.Errorf("use directory %s: it belongs to user %d: %w", dir, st.Uid, fs.ErrPermission)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read directory %s: %w", dir, err)
	}
	if len(entries) == 0 && info.Mode()&fs.ModeSticky == 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("close directory %s to others: %w", dir, err)
		}
		return nil
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("use directory %s: others can write to it (chmod 700 %s): %w", dir, dir, fs.ErrPermission)
	}
	return nil
}
