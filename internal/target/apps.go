package target

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"vibespace/internal/api"
)

// program is what an application's name was resolved to.
type program struct {
	name    string // what the window is called by: the command's base name
	path    string // absolute
	args    []string
	browser bool
}

// browsers are the executables that show the web to a person. An agent has its
// own door to one, so that what it opens is never a browser by accident.
var browsers = map[string]bool{
	"firefox": true, "firefox-esr": true, "firefox-bin": true, "librewolf": true, "waterfox": true,
	"chromium": true, "chromium-browser": true, "chrome": true, "google-chrome": true,
	"google-chrome-stable": true, "google-chrome-beta": true, "brave": true, "brave-browser": true,
	"microsoft-edge": true, "microsoft-edge-stable": true, "msedge": true, "opera": true,
	"vivaldi": true, "vivaldi-stable": true, "vivaldi-bin": true, "epiphany": true,
	"epiphany-browser": true, "falkon": true, "konqueror": true, "midori": true, "qutebrowser": true,
	"surf": true, "dillo": true, "netsurf": true, "netsurf-gtk": true, "netsurf-gtk3": true, "torbrowser-launcher": true,
	"x-www-browser": true, "gnome-www-browser": true, "sensible-browser": true, "www-browser": true,
	"thorium-browser": true, "ungoogled-chromium": true, "seamonkey": true, "palemoon": true, "basilisk": true,
}

// isBrowser says whether an executable is one, by its own name or by that of
// what it links to.
func isBrowser(path string) bool {
	if browsers[filepath.Base(path)] {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && browsers[filepath.Base(real)]
}

// Apps lists what can be opened here: the desktop entries and the configured
// applications.
func (e *Engine) Apps(_ context.Context, c api.Caller, _ api.AppsRequest) (api.AppsAnswer, error) {
	answer := api.AppsAnswer{Answer: e.answer(c), Apps: []api.AppInfo{}}
	for name, exec := range e.cfg.Apps {
		answer.Apps = append(answer.Apps, api.AppInfo{App: name, Name: name, Kind: "configured", Exec: exec, Needs: missing(exec)})
	}
	sort.Slice(answer.Apps, func(i, j int) bool { return answer.Apps[i].App < answer.Apps[j].App })
	for _, d := range e.catalog.visible() {
		kind := "desktop"
		if d.browser || isBrowser(d.exec[0]) {
			kind = "browser"
		}
		answer.Apps = append(answer.Apps, api.AppInfo{
			App: d.id, Name: d.name, Kind: kind, Exec: strings.Join(d.exec, " "), Needs: missing(d.exec[0]),
			Icon: iconFile(d.icon, e.catalog.dirs),
		})
	}
	return answer, nil
}

// missing lists what an application needs and this machine lacks.
func missing(exec string) []string {
	args := splitExec(exec)
	if len(args) == 0 {
		return []string{"a command"}
	}
	if _, err := lookPath(args[0]); err != nil {
		return []string{args[0]}
	}
	return []string{}
}

// searchPath is where programs are looked for. It is the one the applications
// get as PATH, so that what is found is what would be found by them.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/games:/usr/games"

// resolve finds the program an open names: a path, a configured application, a
// command, or a desktop entry, in this order.
func (e *Engine) resolve(r api.OpenRequest) (program, error) {
	if r.App == "" || strings.ContainsRune(r.App, 0) {
		return program{}, api.Refuse(api.AppNotFound, "no application was named").WithHint("vibespace-window apps")
	}
	p := program{name: filepath.Base(r.App)}
	switch exec, configured := e.cfg.Apps[r.App]; {
	case strings.ContainsRune(r.App, '/'):
		path := r.App
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Dir, path)
		}
		if !filepath.IsAbs(path) {
			return program{}, notFound(r.App, errors.New("a relative path needs the caller's directory"))
		}
		p.path = filepath.Clean(path)
	case configured:
		args := splitExec(exec)
		if len(args) == 0 {
			return program{}, notFound(r.App, errors.New("its configured command is empty"))
		}
		p.name, p.path, p.args = r.App, args[0], args[1:]
	default:
		p.path = r.App
	}
	path, err := lookPath(p.path)
	if err != nil {
		d, ok := e.catalog.find(r.App)
		if !ok {
			return program{}, notFound(r.App, err)
		}
		if path, err = lookPath(d.exec[0]); err != nil {
			return program{}, notFound(r.App, err)
		}
		p.name, p.args, p.browser = filepath.Base(d.exec[0]), d.exec[1:], d.browser
	}
	p.path = path
	p.browser = p.browser || isBrowser(path)
	p.args = append(append([]string(nil), p.args...), r.Args...)
	return p, nil
}

// notFound refuses an application that cannot be started from here.
func notFound(app string, why error) error {
	return api.Refuse(api.AppNotFound, "%s cannot be opened here: %v", api.Quote(app, 200), why).
		WithHint("vibespace-window apps lists what can be opened; a path works too")
}

// lookPath finds an executable file: an absolute path as it is, a bare name
// along searchPath.
func lookPath(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, executable(name)
	}
	if strings.ContainsRune(name, '/') {
		return "", errors.New("a relative path cannot be looked up")
	}
	for _, dir := range filepath.SplitList(searchPath) {
		full := filepath.Join(dir, name)
		if executable(full) == nil {
			return full, nil
		}
	}
	return "", errors.New("no such program")
}

// LookPath finds a program by its name where an application's own would be
// found.
func LookPath(name string) (string, error) { return lookPath(name) }

// executable says why a file cannot be started, or nil.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("no such file")
	case err != nil:
		return errors.New("the file cannot be looked at")
	case info.IsDir():
		return errors.New("it is a directory")
	case info.Mode()&0o111 == 0:
		return errors.New("the file is not executable")
	}
	return nil
}
