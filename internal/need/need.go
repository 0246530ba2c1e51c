package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool is one thing a test may need.
type tool struct {
	// pkg is the Debian package that brings it.
	pkg string
	// paths are glob patterns, one of which must exist. Empty: the name is a
	// program on PATH.
	paths []string
}

// tools is every program and file that tests ask for by name. The package of
// each row is a line of packaging/packages.txt (a test compares them).
var tools = map[string]tool{
	"Xvfb":                {pkg: "xvfb"},
	"xkbcomp":             {pkg: "x11-xkb-utils"},
	"setxkbmap":           {pkg: "x11-xkb-utils"},
	"xkb-data":            {pkg: "xkb-data", paths: []string{"/usr/share/X11/xkb/rules/evdev"}},
	"dbus-daemon":         {pkg: "dbus-daemon"},
	"at-spi-bus-launcher": {pkg: "at-spi2-core", paths: []string{"/usr/libexec/at-spi-bus-launcher"}},
	"at-spi2-registryd":   {pkg: "at-spi2-core", paths: []string{"/usr/libexec/at-spi2-registryd"}},

	"bwrap": {pkg: "bubblewrap"},

	"xpra":        {pkg: "xpra"},
	"python3-pil": {pkg: "python3-pil", paths: []string{"/usr/lib/python3/dist-packages/PIL/__init__.py"}},

	"python3-gi-cairo": {pkg: "python3-gi-cairo", paths: []string{"/usr/lib/python3/dist-packages/gi/_gi_cairo.cpython-311-x86_64-linux-gnu.so"}},

	"mousepad":            {pkg: "mousepad"},
	"featherpad":          {pkg: "featherpad"},
	"gtk3-widget-factory": {pkg: "gtk-3-examples"},
	"gtk3-demo":           {pkg: "gtk-3-examples"},
	"gtk4-widget-factory": {pkg: "gtk-4-examples"},
	"gtk4-demo":           {pkg: "gtk-4-examples"},
	"zenity":              {pkg: "zenity"},
	"xterm":               {pkg: "xterm"},
	"dillo":               {pkg: "dillo"},
	"firefox-esr":         {pkg: "firefox-esr"},
	"chromium":            {pkg: "chromium"},

	"node": {pkg: "nodejs"},

	"xdotool":  {pkg: "xdotool"},
	"import":   {pkg: "imagemagick"},
	"xprop":    {pkg: "x11-utils"},
	"xwininfo": {pkg: "x11-utils"},
	"xdpyinfo": {pkg: "x11-utils"},
	"xev":      {pkg: "x11-utils"},
	"xrandr":   {pkg: "x11-xserver-utils"},
	"xset":     {pkg: "x11-xserver-utils"},

	// The fixtures are Python programs: the system's interpreter, because a
	// private one has no bindings.
	"python3":      {pkg: "python3", paths: []string{SystemPython}},
	"python3-gi":   {pkg: "python3-gi", paths: []string{"/usr/lib/python3/dist-packages/gi/__init__.py"}},
	"python3-pyqt": {pkg: "python3-pyqt5", paths: []string{"/usr/lib/python3/dist-packages/PyQt5/QtWidgets*.so"}},
	"Gtk-3.0":      {pkg: "gir1.2-gtk-3.0", paths: []string{"/usr/lib/*/girepository-1.0/Gtk-3.0.typelib"}},
	"Gtk-4.0":      {pkg: "gir1.2-gtk-4.0", paths: []string{"/usr/lib/*/girepository-1.0/Gtk-4.0.typelib"}},
	"Atspi-2.0":    {pkg: "gir1.2-atspi-2.0", paths: []string{"/usr/lib/*/girepository-1.0/Atspi-2.0.typelib"}},

	"cjk-font":   {pkg: "fonts-wqy-microhei", paths: []string{"/usr/share/fonts/truetype/wqy/*", "/usr/share/fonts/opentype/noto/NotoSansCJK*"}},
	"emoji-font": {pkg: "fonts-noto-color-emoji", paths: []string{"/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"}},
	"git":        {pkg: "git"},

	"desktop-file-validate": {pkg: "desktop-file-utils"},
	"groff":                 {pkg: "groff-base"},
}

// SystemPython is the interpreter that sees Debian's Python packages, whatever
// python3 comes first on PATH.
const SystemPython = "/usr/bin/python3"

// Required reports whether a missing tool is a failure instead of a skip: CI
// or VIBESPACE_REQUIRE is set to something that does not say no.
func Required() bool {
	return says("CI") || says("VIBESPACE_REQUIRE")
}

// says reports whether an environment variable is set and not a plain no.
func says(name string) bool {
	switch strings.ToLower(os.Getenv(name)) {
	case "", "0", "false", "no":
		return false
	}
	return true
}

// Tool returns the absolute path of a program or file of the table, and skips
// the test, or fails it where everything is [Required], when it is missing.
func Tool(t testing.TB, name string) string {
	t.Helper()
	row, known := tools[name]
	if !known {
		t.Fatalf("need: %q is not in the table of tools: add it with its Debian package", name)
	}
	path, err := row.find(name)
	if err == nil {
		return path
	}
	missing := fmt.Sprintf("%s is missing (%v): install the Debian package %s, or run make setup", name, err, row.pkg)
	if Required() {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// find looks for one tool.
func (row tool) find(name string) (string, error) {
	if len(row.paths) == 0 {
		return exec.LookPath(name)
	}
	for _, pattern := range row.paths {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("no file %s", strings.Join(row.paths, " or "))
}

// all asks for several tools at once.
func all(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		Tool(t, name)
	}
}

// Xpra asks for what the xpra rung of a display needs.
func Xpra(t testing.TB) {
	t.Helper()
	if Rung != "xpra" {
		t.Skip("the xpra rung is tested by make rung-test")
	}
	all(t, "xpra", "python3-pil")
}

// XpraViewer asks for what xpra's viewer needs besides.
func XpraViewer(t testing.TB) {
	t.Helper()
	Xpra(t)
	all(t, "python3-gi-cairo")
}

// Rung has a whole run open its windows on one rung; "" for none in particular. It is
// read before [Main] takes our variables away.
var Rung = os.Getenv("VIBESPACE_TEST_RUNG")

// Xvfb asks for what a nested display's X server needs and returns the path of
// the server.
func Xvfb(t testing.TB) string {
	t.Helper()
	all(t, "xkbcomp", "xkb-data")
	return Tool(t, "Xvfb")
}

// DBus asks for the message bus and returns the path of dbus-daemon.
func DBus(t testing.TB) string {
	t.Helper()
	return Tool(t, "dbus-daemon")
}

// AtSpi asks for the accessibility bus, its registry and the message bus they
// live on, and returns the path of at-spi-bus-launcher.
func AtSpi(t testing.TB) string {
	t.Helper()
	all(t, "dbus-daemon", "at-spi2-registryd")
	return Tool(t, "at-spi-bus-launcher")
}

// Display asks for all a nested display needs: X server, buses, accessibility.
func Display(t testing.TB) {
	t.Helper()
	Xvfb(t)
	AtSpi(t)
}

// GTK3 asks for what runs a Python GTK 3 fixture and returns the interpreter.
func GTK3(t testing.TB) string {
	t.Helper()
	all(t, "python3-gi", "Gtk-3.0")
	return Tool(t, "python3")
}

// GTK4 asks for what runs a Python GTK 4 fixture and returns the interpreter.
func GTK4(t testing.TB) string {
	t.Helper()
	all(t, "python3-gi", "Gtk-4.0")
	return Tool(t, "python3")
}

// Qt asks for what runs a Python Qt 5 fixture and returns the interpreter.
func Qt(t testing.TB) string {
	t.Helper()
	all(t, "python3-pyqt")
	return Tool(t, "python3")
}

// Firefox asks for Firefox ESR and returns its path.
func Firefox(t testing.TB) string { t.Helper(); return Tool(t, "firefox-esr") }

// Chromium asks for Chromium and returns its path.
func Chromium(t testing.TB) string { t.Helper(); return Tool(t, "chromium") }

// Mousepad asks for the GTK 3 editor and returns its path.
func Mousepad(t testing.TB) string { t.Helper(); return Tool(t, "mousepad") }

// Featherpad asks for the Qt editor and returns its path.
func Featherpad(t testing.TB) string { t.Helper(); return Tool(t, "featherpad") }

// Zenity asks for the dialog program and returns its path.
func Zenity(t testing.TB) string { t.Helper(); return Tool(t, "zenity") }

// Xterm asks for the terminal, the application without a tree, and returns its
// path.
func Xterm(t testing.TB) string { t.Helper(); return Tool(t, "xterm") }

// Dillo asks for the browser without a tree and returns its path.
func Dillo(t testing.TB) string { t.Helper(); return Tool(t, "dillo") }

// WidgetFactory3 asks for the GTK 3 widget gallery and returns its path.
func WidgetFactory3(t testing.TB) string { t.Helper(); return Tool(t, "gtk3-widget-factory") }

// WidgetFactory4 asks for the GTK 4 widget gallery and returns its path. Under
// software GL it wants GSK_RENDERER=cairo in its environment.
func WidgetFactory4(t testing.TB) string { t.Helper(); return Tool(t, "gtk4-widget-factory") }

// Fonts asks for the fonts that show text outside Latin: one CJK, one emoji.
func Fonts(t testing.TB) { t.Helper(); all(t, "cjk-font", "emoji-font") }
