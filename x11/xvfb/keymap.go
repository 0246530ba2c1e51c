package xvfb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// rules are the keyboard rules of our servers: the ordinary layout without the
// multimedia keys that nobody presses on a nested display. They leave 131 of
// 248 keycodes free, against 19, so that text in any script can have keys of
// its own while it is typed. They compile in less time, too. Everything they
// name but the geometry is found in the system's own directory, where the
// compiler looks next; a layout set later finds all of it there as well.
const rules = `! model = keycodes
  * = evdev+aliases(qwerty)
! model layout = symbols
  * * = pc+%l
! model = types
  * = complete
! model = compat
  * = complete
! model = geometry
  * = none
`

// geometry is a keyboard's drawing. The server insists on one and nothing here
// looks at it; the usual one takes longer to compile than the rest.
const geometry = `default xkb_geometry "none" { width = 10; height = 10; };
`

// writeKeymap writes the directory that a server is started on. Which rules a
// server reads is compiled into it: "evdev", and "base" elsewhere.
func writeKeymap(dir string) error {
	// The display's directory is the caller's to make: without it nothing here is.
	if err := os.Mkdir(keymapDir(dir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write keymap: %w", err)
	}
	files := map[string]string{"rules/evdev": rules, "rules/base": rules, "geometry/none": geometry}
	for name, text := range files {
		path := filepath.Join(keymapDir(dir), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("write keymap: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("write keymap: %w", err)
		}
	}
	return nil
}
