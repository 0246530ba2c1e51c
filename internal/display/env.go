package display

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibespace/internal/proc"
)

// defaultPath is where a display's programs look for others. The person's own
// PATH is theirs to pass on.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/games:/usr/games"

// fallbackLocale is the one UTF-8 locale that needs nothing installed.
const fallbackLocale = "C.UTF-8"

// markVariable carries the display's mark in every process of it.
const markVariable = "VIBESPACE_DISPLAY_ID"

// AppSpec says what to launch on a display and as what. Path alone is required.
type AppSpec struct {
	// Path is the program, absolute.
	Path string
	// Args follow the program's name.
	Args []string
	// Env is added last, as "KEY=value", and wins; "KEY=" makes it empty.
	Env []string
	// Home is the HOME; empty is a private one in the display's directory, ended
	// with the display. It is made when it does not exist.
	Home string
	// OwnHome says that Home is the person's own: its XDG directories are where the
	// person has them. Any other HOME has a tree of its own.
	OwnHome bool
	// Dir is the working directory; empty is the HOME.
	Dir string
	// Locale is the person's, like de_DE.UTF-8; used when it is a UTF-8 one that is
	// installed, else C.UTF-8 is.
	Locale string
}

// home is the HOME of an application.
func (d *Display) home(spec AppSpec) string {
	if spec.Home != "" {
		return spec.Home
	}
	return d.at.home()
}

// Env is the whole environment an application gets: made from nothing, what the
// toolkits need to be on this display and readable, and what the spec adds.
func (d *Display) Env(spec AppSpec) []string {
	home := d.home(spec)
	env := []string{
		"PATH=" + defaultPath,
		"HOME=" + home,
		"LANG=" + usableLocale(spec.Locale),
		"TMPDIR=" + d.at.tmp(),
		"DISPLAY=" + d.Number(),
		"XAUTHORITY=" + d.cookieFile,
		"DBUS_SESSION_BUS_ADDRESS=" + d.at.sessionAddress(),
		"XDG_RUNTIME_DIR=" + d.at.run(),
		"XDG_SESSION_TYPE=x11",
		markVariable + "=" + d.mark,
	}
	env = append(env, toolkitEnv...)
	if !spec.OwnHome || spec.Home == "" {
		for _, x := range xdgTree {
			env = append(env, x.name+"="+filepath.Join(home, x.below))
		}
	}
	return override(env, spec.Env)
}

// toolkitEnv makes every toolkit choose X11, stay away from the person's
// desktop services, and build its accessible tree.
var toolkitEnv = []string{
	"GDK_BACKEND=x11",
	"QT_QPA_PLATFORM=xcb",
	"MOZ_ENABLE_WAYLAND=0",
	"GTK_USE_PORTAL=0",
	"GIO_USE_VFS=local",
	"QT_ACCESSIBILITY=1",
	"QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
	"GTK_A11Y=atspi",
	"GNOME_ACCESSIBILITY=1", // Firefox
	// GTK 4 over a software GL needs many seconds to reach the bus.
	"GSK_RENDERER=cairo",
}

// xdgTree is where the XDG directories of a HOME of our making are.
var xdgTree = []struct{ name, below string }{
	{"XDG_CONFIG_HOME", ".config"},
	{"XDG_DATA_HOME", ".local/share"},
	{"XDG_CACHE_HOME", ".cache"},
	{"XDG_STATE_HOME", ".local/state"},
}

// busEnv is what the buses and what they start get. Their HOME is the
// display's own: the accessibility launcher writes its switch into the settings
// of the HOME it has, which must never be the person's.
func (d *Display) busEnv(more ...string) []string {
	return append([]string{
		"PATH=" + defaultPath,
		"HOME=" + d.at.busHome(),
		"LANG=" + fallbackLocale,
		"TMPDIR=" + d.at.tmp(),
		"XDG_RUNTIME_DIR=" + d.at.run(),
		markVariable + "=" + d.mark,
	}, more...)
}

// override adds entries to an environment; a later value of a key replaces the
// earlier one.
func override(env, more []string) []string {
	for _, entry := range more {
		key, _, ok := strings.Cut(entry, "=")
		if !ok || key == "" {
			continue
		}
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, key+"=") })
		env = append(env, entry)
	}
	return env
}

// usableLocale is the locale asked for when it is a UTF-8 one that this machine
// has. A name that is not installed silently becomes the C locale in a program,
// and a terminal in the C locale takes text apart byte by byte.
func usableLocale(name string) string {
	if name == "" || strings.ContainsAny(name, "/ \n") || !isUTF8(name) {
		return fallbackLocale
	}
	if normalLocale(name) == normalLocale(fallbackLocale) {
		return fallbackLocale
	}
	var listed strings.Builder
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := proc.Run(ctx, proc.Spec{Path: "/usr/bin/locale", Args: []string{"-a"}, Log: &listed})
	if err != nil {
		return fallbackLocale
	}
	for line := range strings.Lines(listed.String()) {
		if normalLocale(strings.TrimSpace(line)) == normalLocale(name) {
			return name
		}
	}
	return fallbackLocale
}

// isUTF8 reads the codeset of a locale's name.
func isUTF8(name string) bool {
	_, codeset, ok := strings.Cut(normalLocale(name), ".")
	codeset, _, _ = strings.Cut(codeset, "@")
	return ok && codeset == "utf8"
}

// normalLocale spells a locale the one way: the codeset in small letters and
// digits, as the system lists it.
func normalLocale(name string) string {
	lang, codeset, ok := strings.Cut(name, ".")
	if !ok {
		return name
	}
	codeset, modifier, _ := strings.Cut(codeset, "@")
	codeset = strings.ReplaceAll(strings.ToLower(codeset), "-", "")
	if modifier != "" {
		codeset += "@" + modifier
	}
	return lang + "." + codeset
}
