package api

import "strings"

// ReadyFD is the variable that names the descriptor on which a starting daemon
// says, in one line, that it listens or why it does not.
const ReadyFD = "VIBESPACE_READY_FD"

// passed are the variables of a starter that reach the daemon. DISPLAY, tokens,
// keys and agents' own variables are not among them.
var passed = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "LANG": true, "LANGUAGE": true, "TZ": true, "TMPDIR": true,
	"XDG_RUNTIME_DIR": true, "XDG_STATE_HOME": true, "XDG_CONFIG_HOME": true, "XDG_CONFIG_DIRS": true,
	"XDG_DATA_HOME": true, "XDG_DATA_DIRS": true, "XDG_CACHE_HOME": true,
	"VIBESPACE_SOCKET": true, "VIBESPACE_RUNTIME_DIR": true, "VIBESPACE_STATE_DIR": true, "VIBESPACE_CONFIG": true,
	ReadyFD: true,
	// The settings of package config; a test of the daemon's program compares.
	"VIBESPACE_SESSIONS_REQUIRE_TOKEN": true, "VIBESPACE_INJECTION": true, "VIBESPACE_DISPLAYS_MAX": true, "VIBESPACE_FOOTPRINT_LINE": true,
	"VIBESPACE_DISPLAYS_SCREEN": true, "VIBESPACE_LEASE_LAPSE": true, "VIBESPACE_LOG_LEVEL": true,
	"VIBESPACE_SESSIONS_GRACE": true, "VIBESPACE_TRACE_PICTURES": true, "VIBESPACE_TAKEOVER_IDLE": true, "VIBESPACE_TAKEOVER_AWAY": true,
	"VIBESPACE_BROWSERS_MAX": true, "VIBESPACE_BROWSERS_IDLE": true, "VIBESPACE_BROWSERS_HEADLESS": true, "VIBESPACE_BROWSERS_EVAL": true,
	"VIBESPACE_AUDIT_KEEP": true, "VIBESPACE_AUDIT_AGE": true, "VIBESPACE_TREE_CHECK": true,
}

// locale are the variables glibc reads besides LANG.
var locale = map[string]bool{
	"LC_ALL": true, "LC_CTYPE": true, "LC_COLLATE": true, "LC_MESSAGES": true, "LC_MONETARY": true, "LC_NUMERIC": true,
	"LC_TIME": true, "LC_ADDRESS": true, "LC_IDENTIFICATION": true, "LC_MEASUREMENT": true, "LC_NAME": true,
	"LC_PAPER": true, "LC_TELEPHONE": true,
}

// DaemonEnv is the part of environ that a daemon may start with.
func DaemonEnv(environ []string) []string {
	kept := []string{}
	for _, kv := range environ {
		name, _, ok := strings.Cut(kv, "=")
		if ok && (passed[name] || locale[name]) {
			kept = append(kept, kv)
		}
	}
	return kept
}
