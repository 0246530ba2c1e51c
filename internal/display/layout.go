package display

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// ID names one display for as long as its directory exists. It becomes a file
// name: letters, digits, dot, dash and underscore, 64 at most.
type ID string

var validID = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)

// maxDir bounds the path of a display's directory: a unix socket's path has 107
// bytes, the longest we make below it is run/at-spi/bus_NNN, and applications
// make sockets of their own below run and tmp.
const maxDir = 84

// layout is where things of one display are.
type layout struct{ dir string }

// displaysDir holds one directory a display.
func displaysDir(runtimeDir string) string { return filepath.Join(runtimeDir, "displays") }

func (l layout) session() string    { return filepath.Join(l.dir, "session.sock") }
func (l layout) busConfig() string  { return filepath.Join(l.dir, "session.conf") }
func (l layout) services() string   { return filepath.Join(l.dir, "services") }
func (l layout) run() string        { return filepath.Join(l.dir, "run") }
func (l layout) busHome() string    { return filepath.Join(l.dir, "bushome") }
func (l layout) home() string       { return filepath.Join(l.dir, "home") }
func (l layout) tmp() string        { return filepath.Join(l.dir, "tmp") }
func (l layout) appLog() string     { return filepath.Join(l.dir, "app.log") }
func (l layout) worldLog() string   { return filepath.Join(l.dir, "display.log") }
func (l layout) recordFile() string { return filepath.Join(l.dir, "record.json") }

// makeLayout makes the directory of a new display and what its buses need in it.
func makeLayout(runtimeDir string, id ID) (layout, error) {
	if !validID.MatchString(string(id)) {
		return layout{}, fmt.Errorf("display id %q: not a plain name of 64 characters at most", id)
	}
	if !filepath.IsAbs(runtimeDir) {
		return layout{}, fmt.Errorf("runtime directory %q: not absolute", runtimeDir)
	}
	l := layout{dir: filepath.Join(displaysDir(runtimeDir), string(id))}
	if len(l.dir) > maxDir {
		return layout{}, fmt.Errorf("runtime directory %s: too long, sockets below %s would not fit in their addresses", runtimeDir, l.dir)
	}
	if err := os.MkdirAll(displaysDir(runtimeDir), 0o700); err != nil {
		return layout{}, err
	}
	if err := os.Mkdir(l.dir, 0o700); err != nil {
		return layout{}, err
	}
	for _, dir := range []string{l.services(), l.run(), l.busHome(), l.tmp()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return l, errors.Join(err, l.remove())
		}
	}
	if err := l.writeBusConfig(); err != nil {
		return l, errors.Join(err, l.remove())
	}
	return l, nil
}

// remove takes the whole directory away. Applications leave directories that
// nobody may write to (module caches, for one); those are opened up first.
func (l layout) remove() error {
	err := os.RemoveAll(l.dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(l.dir, func(path string, entry fs.DirEntry, walkErr error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		if walkErr != nil && !errors.Is(walkErr, fs.ErrPermission) {
			return fs.SkipDir
		}
		return nil
	})
	return os.RemoveAll(l.dir)
}
