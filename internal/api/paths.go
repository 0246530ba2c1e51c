package api

import (
	"fmt"
	"path/filepath"
)

// Paths says where a daemon and its clients meet.
type Paths struct {
	Socket  string // the daemon's unix socket
	Runtime string // sockets, cookies, displays: gone with the machine
	State   string // database, logs, pictures: kept
}

// PathsFrom finds them the way every program of ours does: by the VIBESPACE_…
// variables, then by the XDG ones, then by the defaults. getenv is os.Getenv
// outside tests. An error names a variable that is not an absolute path.
func PathsFrom(getenv func(string) string, uid int) (Paths, error) {
	p := Paths{Socket: getenv("VIBESPACE_SOCKET"), Runtime: getenv("VIBESPACE_RUNTIME_DIR"), State: getenv("VIBESPACE_STATE_DIR")}
	for _, v := range []struct{ name, path string }{
		{"VIBESPACE_SOCKET", p.Socket}, {"VIBESPACE_RUNTIME_DIR", p.Runtime}, {"VIBESPACE_STATE_DIR", p.State},
	} {
		if v.path != "" && !filepath.IsAbs(v.path) {
			return Paths{}, fmt.Errorf("%s is %s: it has to be an absolute path", v.name, Quote(v.path, labelRunes))
		}
	}
	if p.Socket == "" && p.Runtime != "" {
		p.Socket = filepath.Join(p.Runtime, "api.sock")
	}
	if p.Socket == "" {
		p.Socket = filepath.Join(runtimeHome(getenv, uid), "api.sock")
	}
	if p.Runtime == "" {
		p.Runtime = filepath.Dir(p.Socket)
	}
	if p.State == "" {
		p.State = stateHome(getenv, p.Runtime)
	}
	return Paths{Socket: filepath.Clean(p.Socket), Runtime: filepath.Clean(p.Runtime), State: filepath.Clean(p.State)}, nil
}

// runtimeHome is the runtime directory when nothing names one.
func runtimeHome(getenv func(string) string, uid int) string {
	if x := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(x) {
		return filepath.Join(x, "vibespace")
	}
	return fmt.Sprintf("/tmp/vibespace-%d", uid)
}

// stateHome is the state directory when nothing names one. Someone without a
// home keeps it beside the socket.
func stateHome(getenv func(string) string, runtime string) string {
	if x := getenv("XDG_STATE_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "vibespace")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local/state/vibespace")
	}
	return filepath.Join(runtime, "state")
}

// OwnerFile holds the credential of the person's commands; the daemon writes
// it anew at each start, 0600.
func (p Paths) OwnerFile() string { return filepath.Join(p.Runtime, "owner") }

// LogFile is the daemon's log, one JSON object a line.
func (p Paths) LogFile() string { return filepath.Join(p.State, "vibespaced.log") }

// CrashFile receives what the Go runtime says when the daemon dies.
func (p Paths) CrashFile() string { return filepath.Join(p.State, "vibespaced.crash") }
