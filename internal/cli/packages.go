package cli

import (
	"os/exec"
	"path/filepath"
)

// debian is one Debian package that windows need: how its presence is seen, a
// program on PATH or a file, and what it is for.
type debian struct {
	name    string
	program string
	files   []string // glob patterns, one of which must match
	use     string
}

// packages are the run and demo lines of packaging/packages.txt; a test
// compares the two.
var packages = []debian{
	{name: "xvfb", program: "Xvfb", use: "the X server of a display"},
	{name: "x11-xkb-utils", program: "xkbcomp", use: "the keymap of a display"},
	{name: "xkb-data", files: []string{"/usr/share/X11/xkb/rules/evdev"}, use: "the keymaps it compiles"},
	{name: "dbus-daemon", program: "dbus-daemon", use: "the session bus of a display"},
	{
		name: "at-spi2-core", files: []string{"/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"},
		use: "the accessibility bus of a display",
	},
	{name: "dconf-service", files: []string{"/usr/libexec/dconf-service", "/usr/lib/dconf/dconf-service"}, use: "the settings of GTK applications"},
	{
		name: "dconf-gsettings-backend", files: []string{"/usr/lib/*/gio/modules/libdconfsettings.so", "/usr/lib/gio/modules/libdconfsettings.so"},
		use: "the settings of GTK applications",
	},
	{name: "adwaita-icon-theme", files: []string{"/usr/share/icons/Adwaita/index.theme"}, use: "the icons of GTK applications"},
	{name: "fonts-dejavu-core", files: []string{"/usr/share/fonts/truetype/dejavu/*.ttf"}, use: "a font at all"},
	{
		name: "fonts-wqy-microhei", files: []string{"/usr/share/fonts/truetype/wqy/*", "/usr/share/fonts/opentype/noto/NotoSansCJK*"},
		use: "a font for Chinese, Japanese and Korean",
	},
	{name: "fonts-noto-color-emoji", files: []string{"/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"}, use: "a font for emoji"},
	{name: "bubblewrap", program: "bwrap", use: "vibespace run --sandbox"},
	{name: "mousepad", program: "mousepad", use: "the editor of vibespace demo"},
}

// find gives where a package's mark lies, "" when it is not there.
func (d debian) find() string {
	if d.program != "" {
		path, err := exec.LookPath(d.program)
		if err != nil {
			return ""
		}
		return path
	}
	for _, pattern := range d.files {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}
