package target

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vibespace/internal/store"
)

// The bounds of the pictures that are kept under the state directory for
// whoever named no file: the older go first.
const (
	picturesBytes = 200 << 20
	picturesAge   = 7 * 24 * time.Hour
	// picturesEvery is how many pictures are kept between two clearings.
	picturesEvery = 50
)

// keep writes a picture whole or not at all: where the caller said, or under
// the state directory by its content.
func (e *Engine) keep(out, hash, format string, data []byte) (string, error) {
	path := out
	if path == "" {
		ext := ".png"
		if format == "jpeg" {
			ext = ".jpg"
		}
		dir := filepath.Join(e.pictureDir(), hash[:2])
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", storeFault(dir, err)
		}
		path = filepath.Join(dir, hash+ext)
	}
	if err := store.PutFile(path, data); err != nil {
		return "", storeFault(path, err)
	}
	if out == "" && e.kept.Add(1)%picturesEvery == 1 {
		clearPictures(e.pictureDir(), time.Now().Add(-picturesAge), picturesBytes)
	}
	return path, nil
}

// pictureDir is where pictures without a name are kept.
func (e *Engine) pictureDir() string { return filepath.Join(e.cfg.StateDir, "pictures") }

// clearPictures removes the pictures that are older than a time, and the oldest
// of the rest until they have no more bytes than that.
func clearPictures(dir string, before time.Time, bytes int64) {
	type picture struct {
		path string
		info fs.FileInfo
	}
	var all []picture
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				all = append(all, picture{path, info})
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b picture) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	for _, p := range all {
		bytes -= p.info.Size()
		if bytes < 0 || p.info.ModTime().Before(before) {
			_ = os.Remove(p.path)
		}
	}
}
