package target

import (
	"os"
	"path/filepath"
	"strings"
)

// iconSizes are the directories of an icon theme that are looked through, in
// the order a launcher with large icons likes them.
var iconSizes = []string{"64x64", "48x48", "96x96", "128x128", "256x256", "scalable", "32x32"}

// iconThemes are the themes that applications put icons of their own into, and
// the one every desktop has.
var iconThemes = []string{"hicolor", "Adwaita", "gnome"}

// iconFile finds the picture of a desktop entry's Icon: an absolute path as it
// is, a name along the data directories. "" when there is none that can be
// shown (PNG or SVG).
func iconFile(icon string, applications []string) string {
	if icon == "" || strings.ContainsRune(icon, 0) {
		return ""
	}
	if filepath.IsAbs(icon) {
		return drawable(icon)
	}
	name := filepath.Base(icon)
	for _, ext := range []string{".png", ".svg", ".xpm"} {
		name = strings.TrimSuffix(name, ext)
	}
	for _, dir := range applications {
		share := filepath.Dir(dir)
		for _, theme := range iconThemes {
			for _, size := range iconSizes {
				for _, ext := range []string{".png", ".svg"} {
					if f := drawable(filepath.Join(share, "icons", theme, size, "apps", name+ext)); f != "" {
						return f
					}
				}
			}
		}
		for _, ext := range []string{".png", ".svg"} {
			if f := drawable(filepath.Join(share, "pixmaps", name+ext)); f != "" {
				return f
			}
		}
	}
	return ""
}

// drawable gives a path if it is a picture of a kind that is drawn everywhere.
func drawable(path string) string {
	if ext := filepath.Ext(path); ext != ".png" && ext != ".svg" {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}
