package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
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
	f, err := os.CreateTemp(filepath.Dir(at), ".file-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
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

// PutKept is PutFile for what nobody takes again: it has the permissions of the
// file that was there, and after a loss of power is the old one or the new one,
// whole.
func PutKept(path string, data []byte) error {
	at, err := placeOf(path)
	if err != nil {
		return err
	}
	return renameio.WriteFile(at, data, 0o600, renameio.WithExistingPermissions())
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
