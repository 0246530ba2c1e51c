package config

import (
	"log/slog"
	"time"

	"vibespace/internal/api"
)

// Config is what the daemon is told. Every field has a value: the default
// where nobody said anything.
type Config struct {
	// Paths is where daemon and clients meet and where state is kept.
	Paths api.Paths
	// File is the configuration file that was read, "" for none.
	File string

	RequireToken  bool          // sessions.requireToken
	SessionGrace  time.Duration // sessions.grace
	Injection     bool          // injection
	TreeCheck     bool          // tree.check
	MaxDisplays   int           // displays.max
	Screen        api.Size      // displays.screen
	FootprintLine int           // footprint.line
	LeaseLapse    time.Duration // lease.lapse
	TakeoverIdle  time.Duration // takeover.idle
	TakeoverAway  time.Duration // takeover.away
	LogLevel      slog.Level    // log.level
	AuditKeep     int           // audit.keep
	AuditAge      time.Duration // audit.age
	TracePictures bool          // trace.pictures
	MaxBrowsers   int           // browsers.max
	BrowserIdle   time.Duration // browsers.idle
	Headless      bool          // browsers.headless
	Eval          bool          // browsers.eval
	// Apps are the configured applications: a name to a command line.
	Apps map[string]string
}

// Key is one setting: how it is written in the file, which variable carries
// it, and what it means.
type Key struct {
	Name    string
	Env     string
	Default string
	Doc     string
	// Personal says that it is a matter of taste, for the desktop app's settings.
	Personal bool
	// parse checks a value as it is written and puts it where it belongs.
	parse func(*Config, string) error
}

// keys is every setting. The three paths have no parse: they are found by
// api.PathsFrom, whose rules the clients share.
var keys = []Key{
	{
		Name: "socket", Env: "VIBESPACE_SOCKET", Default: "$XDG_RUNTIME_DIR/vibespace/api.sock",
		Doc: "the daemon's unix socket. Clients do not read the file: give them the variable too",
	},
	{
		Name: "runtimeDir", Env: "VIBESPACE_RUNTIME_DIR", Default: "the socket's directory",
		Doc: "sockets, cookies and displays. Clients do not read the file: give them the variable too",
	},
	{
		Name: "stateDir", Env: "VIBESPACE_STATE_DIR", Default: "$XDG_STATE_HOME/vibespace",
		Doc: "the database, logs and pictures. Clients do not read the file: give them the variable too",
	},
	{
		Name: "sessions.requireToken", Env: "VIBESPACE_SESSIONS_REQUIRE_TOKEN", Default: "false",
		Doc:      "refuse callers without a session token, instead of letting them share the session default",
		Personal: true,
		parse:    into(func(c *Config) *bool { return &c.RequireToken }, boolean),
	},
	{
		Name: "sessions.grace", Env: "VIBESPACE_SESSIONS_GRACE", Default: "60s",
		Doc:      "how long the windows that a session opened outlive it (100ms to 24h)",
		Personal: true,
		parse:    into(func(c *Config) *time.Duration { return &c.SessionGrace }, within(100*time.Millisecond, 24*time.Hour)),
	},
	{
		Name: "injection", Env: "VIBESPACE_INJECTION", Default: "true",
		Doc:      "allow keys and the pointer; false leaves agents the tree alone",
		Personal: true,
		parse:    into(func(c *Config) *bool { return &c.Injection }, boolean),
	},
	{
		Name: "tree.check", Env: "VIBESPACE_TREE_CHECK", Default: "false",
		Doc:   "compare every snapshot that comes from a kept tree with a whole read, and record what differs; for finding faults",
		parse: into(func(c *Config) *bool { return &c.TreeCheck }, boolean),
	},
	{
		Name: "displays.max", Env: "VIBESPACE_DISPLAYS_MAX", Default: "8",
		Doc:      "how many displays, and so applications, may live at once (1 to 64)",
		Personal: true,
		parse:    into(func(c *Config) *int { return &c.MaxDisplays }, between(1, 64)),
	},
	{
		Name: "displays.screen", Env: "VIBESPACE_DISPLAYS_SCREEN", Default: "3840x2160",
		Doc:      "the size a display starts with, which no window on it can outgrow (640x480 to 7680x4320)",
		Personal: true,
		parse:    into(func(c *Config) *api.Size { return &c.Screen }, screen),
	},
	{
		Name: "footprint.line", Env: "VIBESPACE_FOOTPRINT_LINE", Default: "2048",
		Doc:   "the memory of a window with all its processes, in MB, past which it is reported, once an hour at most; nothing is ended for it (64 to 1048576)",
		parse: into(func(c *Config) *int { return &c.FootprintLine }, between(64, 1<<20)),
	},
	{
		Name: "lease.lapse", Env: "VIBESPACE_LEASE_LAPSE", Default: "15m",
		Doc:      "how long a lease may be unused before it goes to the next that asks (1s to 24h)",
		Personal: true,
		parse:    into(func(c *Config) *time.Duration { return &c.LeaseLapse }, within(time.Second, 24*time.Hour)),
	},
	{
		Name: "takeover.idle", Env: "VIBESPACE_TAKEOVER_IDLE", Default: "10m",
		Doc:      "after how long without input of yours a window you took over goes back to its agent (1s to 24h)",
		Personal: true,
		parse:    into(func(c *Config) *time.Duration { return &c.TakeoverIdle }, within(time.Second, 24*time.Hour)),
	},
	{
		Name: "takeover.away", Env: "VIBESPACE_TAKEOVER_AWAY", Default: "30s",
		Doc:      "after how long without a sign of life of the viewer you took it over in (1s to 24h)",
		Personal: true,
		parse:    into(func(c *Config) *time.Duration { return &c.TakeoverAway }, within(time.Second, 24*time.Hour)),
	},
	{
		Name: "log.level", Env: "VIBESPACE_LOG_LEVEL", Default: "info",
		Doc:   "debug, info, warn or error",
		parse: into(func(c *Config) *slog.Level { return &c.LogLevel }, level),
	},
	{
		Name: "trace.pictures", Env: "VIBESPACE_TRACE_PICTURES", Default: "true",
		Doc:      "keep a picture of the window before and after each act, 7 days and 200 MB at most",
		Personal: true,
		parse:    into(func(c *Config) *bool { return &c.TracePictures }, boolean),
	},
	{
		Name: "audit.keep", Env: "VIBESPACE_AUDIT_KEEP", Default: "100000",
		Doc:      "how many rows of the audit are kept (1000 to 10000000)",
		Personal: true,
		parse:    into(func(c *Config) *int { return &c.AuditKeep }, between(1_000, 10_000_000)),
	},
	{
		Name: "audit.age", Env: "VIBESPACE_AUDIT_AGE", Default: "2160h",
		Doc:      "how long a row of the audit is kept (1h to 87600h)",
		Personal: true,
		parse:    into(func(c *Config) *time.Duration { return &c.AuditAge }, within(time.Hour, 10*365*24*time.Hour)),
	},
	{
		Name: "browsers.max", Env: "VIBESPACE_BROWSERS_MAX", Default: "8",
		Doc:      "how many browsers of the CDP rungs may run at once (1 to 64)",
		Personal: true,
		parse:    into(func(c *Config) *int { return &c.MaxBrowsers }, between(1, 64)),
	},
	{
		Name: "browsers.idle", Env: "VIBESPACE_BROWSERS_IDLE", Default: "15m",
		Doc:      "after how long a browser that nobody uses is stopped (1s to 24h)",
		Personal: true,
		parse:    into(func(c *Config) *time.Duration { return &c.BrowserIdle }, within(time.Second, 24*time.Hour)),
	},
	{
		Name: "browsers.headless", Env: "VIBESPACE_BROWSERS_HEADLESS", Default: "false",
		Doc:      "start the browsers of sessions without a window: less memory, and nothing to watch or take over",
		Personal: true,
		parse:    into(func(c *Config) *bool { return &c.Headless }, boolean),
	},
	{
		Name: "browsers.eval", Env: "VIBESPACE_BROWSERS_EVAL", Default: "false",
		Doc:      "allow vibespace-browser eval: scripts of an agent's in a page, past every rule on elements",
		Personal: true,
		parse:    into(func(c *Config) *bool { return &c.Eval }, boolean),
	},
}

// appsKey is the one key whose own keys are free: names of applications.
const appsKey = "apps"

// Keys lists every setting but apps, for the manual and the flags.
func Keys() []Key { return append([]Key(nil), keys...) }

// into makes a parser that puts what read understands into one field.
func into[T any](field func(*Config) *T, read func(string) (T, error)) func(*Config, string) error {
	return func(c *Config, value string) error {
		v, err := read(value)
		if err == nil {
			*field(c) = v
		}
		return err
	}
}
