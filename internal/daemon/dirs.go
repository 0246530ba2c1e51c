package daemon

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// runtimeLock is held for the daemon's life; the store holds one like it in
// the state directory. The kernel drops both with the process, however it ends.
const runtimeLock = "runtime.lock"

// maxSocketPath is what the kernel takes for a unix socket's path.
const maxSocketPath = 107

// runtimeDir makes the runtime directory ours alone and takes its lock.
func runtimeDir(dir string) (*os.File, error) {
	if err := store.PrivateDir(dir); err != nil {
		return nil, dirFault(dir, err)
	}
	return lockDir(dir, runtimeLock)
}

// lockDir takes the lock of a directory, or says whose it is.
func lockDir(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, dirFault(dir, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		raw, _ := os.ReadFile(path)
		f.Close()
		e := api.Refuse(api.Busy, "another vibespaced already serves %s", dir).
			WithHint("vibespace down ends it; another pair of VIBESPACE_RUNTIME_DIR and VIBESPACE_STATE_DIR makes a second one")
		if pid := strings.TrimSpace(string(raw)); pid != "" {
			e = e.With("pid", pid)
		}
		return nil, e.With("dir", dir)
	}
	if err != nil {
		f.Close()
		return nil, dirFault(dir, err)
	}
	if err = f.Truncate(0); err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, dirFault(dir, err)
	}
	return f, nil
}

// dirFault refuses a directory that cannot be used.
func dirFault(dir string, err error) error {
	return api.Refuse(api.StoreFailed, "%s cannot be used: %v", dir, err).WithHint("vibespace doctor")
}

// writeCredential makes the owner credential of this daemon's life and leaves
// it for the person's commands.
func writeCredential(path string) (string, error) {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	credential := hex.EncodeToString(raw)
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", dirFault(filepath.Dir(path), err)
	}
	f, err := os.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", dirFault(filepath.Dir(path), err)
	}
	_, err = f.WriteString(credential + "\n")
	if err = errors.Join(err, f.Chmod(0o600), f.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
		return "", dirFault(filepath.Dir(path), err)
	}
	return credential, nil
}
