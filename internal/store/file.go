package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNotAFile says that something else than a file lies where one was to go: a
// device, a pipe or a directory is nothing to put a file in the place of.
var ErrNotAFile = errors.New("it is not a regular file")

// errLinkLoop says that a path's links lead nowhere.
var errLinkLoop = errors.New("its links lead nowhere")

// maxLinks bounds how many links lead to the place of a file.
const maxLinks = 40

// PutFile puts a file in its place in one step, for its owner alone: where the
// links of the path lead, and never in the place of what is no file. It does not
// wait for the disk: a picture is worth less than the time that takes, and one
// lost with the power is taken again. Errors are the system's and [ErrNotAFile],
// each as a [fs.PathError].
func PutFile(path string, data []byte) error {
	at, err := placeOf(path)
	if err != nil {
		return err
	}
	return put(at, data, func(*os.File) error { return nil })
}

// PutKept is PutFile for what nobody takes again: it has the permissions of the
// file that was there, and lies on the disk when it returns.
func PutKept(path string, data []byte) error {
	at, err := placeOf(path)
	if err != nil {
		return err
	}
	err = put(at, data, func(f *os.File) error {
		info, err := os.Stat(at)
		if err == nil {
			err = f.Chmod(info.Mode().Perm())
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, f.Sync())
	})
	if err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(at))
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil // not every file system has this for directories
	}
	return errors.Join(err, dir.Close())
}

// put writes a file beside its place and renames it when it is whole and ready.
func put(at string, data []byte, ready func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(at), ".file-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = ready(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), at)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// placeOf is where a path leads: to a file, or to where there is nothing yet.
func placeOf(path string) (string, error) {
	at := path
	for range maxLinks {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return at, nil
		case err != nil:
			return "", err
		case info.Mode().IsRegular():
			return at, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return "", &fs.PathError{Op: "replace", Path: path, Err: ErrNotAFile}
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// Not joined: "link/.." is another place than the words say.
			to = filepath.Dir(at) + string(filepath.Separator) + to
		}
		at = to
	}
	return "", &fs.PathError{Op: "follow", Path: path, Err: errLinkLoop}
}
