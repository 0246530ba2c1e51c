package archtest

// row says what the packages at or below a path may import besides the
// standard library. The most exact row counts. What is not listed is forbidden.
type row struct {
	// pkg is a path below the module; it covers what lies below it.
	pkg string
	// ours are packages of this module, exact.
	ours []string
	// outside are packages or modules of others, with what lies below them.
	outside []string
	// why is the reason for the line that is drawn here: what would go wrong
	// with an edge that is not in the row.
	why string
}

// table is who may import whom.
var table = []row{
	{
		pkg: "internal/api",
		why: "the wire types are linked by everything, other people's clients included: a dependency here is everybody's",
	},
	{
		pkg: "internal/client", ours: []string{"internal/api"},
		outside: []string{"github.com/coder/websocket", "github.com/go-json-experiment/json"},
		why:     "a client that knows the engine would drive it past the daemon, where no lease is asked",
	},
	{
		pkg: "internal/store", ours: []string{"internal/api"}, outside: []string{"modernc.org/sqlite", "github.com/google/renameio/v2"},
		why: "rows in, rows out: a store with policy in it cannot be migrated on its own",
	},
	{
		pkg: "internal/lease", ours: []string{"internal/api", "internal/store"},
		why: "who may act must be decidable without any display, browser or protocol",
	},
	{
		pkg: "internal/reach", ours: []string{"internal/api", "internal/store"},
		why: "who may see must be decidable without any display, browser or protocol",
	},
	{
		pkg: "internal/audit", ours: []string{"internal/api", "internal/store"},
		why: "the record takes what the engines say; one that looked by itself could see typed text",
	},
	{
		pkg: "internal/proc", outside: []string{"golang.org/x/sys", "github.com/prometheus/procfs"},
		why: "processes are ended by pid and start time, whoever they belong to",
	},
	{
		pkg: "internal/config", ours: []string{"internal/api"}, outside: []string{"github.com/spf13/viper", "github.com/spf13/pflag"},
		why: "configuration is read in one place and handed on as plain values",
	},
	{
		pkg: "atspi", outside: []string{"github.com/godbus/dbus/v5"},
		why: "a leaf: the accessibility protocol, without policy, liftable out whole",
	},
	{
		pkg: "x11", outside: []string{"github.com/jezek/xgb", "github.com/klauspost/compress", "golang.org/x/sys", "golang.org/x/image"},
		why: "a leaf: the X protocol, without policy, liftable out whole",
	},
	{
		pkg: "x11/xvfb", ours: []string{"internal/proc"}, outside: []string{"golang.org/x/sys"},
		why: "keeping a server is keeping a process; it needs no connection to it",
	},
	{
		pkg: "xpra", ours: []string{"internal/proc"}, outside: []string{"github.com/pierrec/lz4/v4"},
		why: "a leaf: the xpra protocol, without policy, liftable out whole",
	},
	{
		pkg: "internal/display", ours: []string{"atspi", "x11", "x11/xvfb", "xpra", "internal/proc"}, outside: []string{"github.com/google/renameio/v2"},
		why: "it joins protocols into a display and knows no handle, lease or session",
	},
	{
		pkg: "internal/target",
		ours: []string{
			"internal/api", "internal/lease", "internal/reach", "internal/audit", "internal/store",
			"internal/display", "internal/proc", "atspi", "x11",
		},
		outside: []string{"github.com/google/renameio/v2"},
		why:     "the window engine answers in wire types and is told its configuration; it never serves anything",
	},
	{
		pkg: "browser",
		ours: []string{
			"internal/api", "internal/lease", "internal/reach", "internal/audit", "internal/store", "internal/proc", "internal/display",
		},
		why: "it decides on browsers in wire types; windows are the other engine's, and the daemon joins the two",
	},
	{
		pkg: "browser/remote", ours: []string{"internal/api"}, outside: []string{"github.com/coder/websocket"},
		why: "a road to somebody else's browser: it carries messages and reads none",
	},
	{
		pkg: "browser/keeper", ours: []string{"internal/api", "internal/proc"}, outside: []string{"github.com/google/renameio/v2", "golang.org/x/sys"},
		why: "a process that holds a pipe for others: whatever it linked more would be kept running for nothing",
	},
	{
		pkg: "browser/devtools", outside: []string{"github.com/chromedp/cdproto"},
		why: "a leaf: messages and sessions of the DevTools protocol, without policy",
	},
	{
		pkg: "browser/page", ours: []string{"internal/api", "browser/devtools"},
		outside: []string{"github.com/chromedp/cdproto", "github.com/JohannesKaufmann/html-to-markdown/v2"},
		why:     "what drives a page must not decide who may",
	},
	{
		pkg: "internal/daemon",
		ours: []string{
			"internal/api", "internal/target", "browser", "internal/lease", "internal/reach",
			"internal/audit", "internal/store",
		},
		outside: []string{"github.com/coder/websocket", "github.com/gofrs/flock", "gopkg.in/natefinch/lumberjack.v2"},
		why:     "a face: it decides who calls and hands on; protocols and policy are behind the engines",
	},
	{
		pkg:  "internal/daemon/daemontest",
		ours: []string{"internal/api", "internal/client", "internal/daemon", "internal/target", "internal/need"},
		why:  "a whole daemon for tests, met the way everybody meets it: through its client",
	},
	{
		pkg: "internal/cli", ours: []string{"internal/api", "internal/client"}, outside: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
		why: "a face: what it could do without the daemon, it would do without a lease",
	},
	{
		pkg: "internal/mcp", ours: []string{"internal/api", "internal/client"}, outside: []string{"github.com/modelcontextprotocol/go-sdk"},
		why: "a face: what it could do without the daemon, it would do without a lease",
	},
	{
		pkg: "gui/state", ours: []string{"internal/api", "internal/client"},
		why: "what the app says and offers is tested without a toolkit, and meets the daemon as everybody does",
	},
	{
		pkg: "gui", ours: []string{"gui/state", "internal/api"}, outside: []string{"fyne.io/fyne/v2", "fyne.io/systray"},
		why: "it draws: what it asked of the daemon itself no table would test",
	},

	{
		pkg: "cmd/vibespaced",
		ours: []string{
			"internal/api", "internal/config", "internal/daemon", "internal/target", "internal/store",
			"internal/lease", "internal/reach", "internal/audit", "browser/keeper", "internal/proc",
		},
		outside: []string{"github.com/spf13/cobra"},
		why:     "wiring: the one place that sees configuration and engines at once",
	},
	{
		pkg: "cmd", ours: []string{"internal/api", "internal/cli", "internal/client", "internal/mcp"}, outside: []string{"github.com/spf13/cobra"},
		why: "wiring: a main that holds logic holds what no test reaches",
	},
	{
		pkg: "cmd/vibespace-desktop", ours: []string{"internal/api", "internal/client", "gui", "gui/state", "x11"},
		outside: []string{"fyne.io/fyne/v2", "github.com/go-gl/glfw", "github.com/godbus/dbus/v5"},
		why:     "wiring: the one place that links the window toolkit's driver",
	},

	{
		pkg: "fixtures", ours: []string{"internal/need"}, outside: []string{"golang.org/x/sys", "github.com/godbus/dbus/v5"},
		why: "what tests drive must not be built from what is tested",
	},
	{
		pkg: "internal/need", outside: []string{"go.uber.org/goleak", "golang.org/x/sys"},
		why: "every package's tests use it, the leaves' included: an import of ours would be a cycle",
	},
	{
		pkg: "internal/archtest",
		why: "it judges the others by what go list says of them",
	},
	{
		pkg: "internal/acceptance", ours: []string{"fixtures", "internal/need"},
		why: "it meets the programs from outside: an import of what it tests would be a back door",
	},
	{
		pkg: "packaging", ours: []string{"internal/cli"}, outside: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
		why: "manual pages are written from the commands; nothing that runs carries their typesetting",
	},
	{
		pkg: "internal/mutant", outside: []string{"github.com/pelletier/go-toml/v2"},
		why: "it takes the product apart as text: what it linked would be what it takes apart",
	},
	{
		pkg: "internal/steady",
		why: "it judges the tests by what the go command says of them",
	},
	{
		pkg: "internal/bench", ours: []string{"internal/api", "internal/client"},
		why: "a bench that reached past the client would measure what nobody runs",
	},
}

// testOnly are packages that tests alone may import.
var testOnly = []string{"fixtures", "internal/need", "internal/archtest", "internal/daemon/daemontest", "internal/acceptance"}

// links is a rule about what a program carries in the end, through whatever
// path: the linked package, the programs or packages that may, and the reason.
type links struct {
	linked string
	by     []string
	why    string
}

// linked is who may end up with what.
var linked = []links{
	{
		"github.com/spf13/viper",
		[]string{"cmd/vibespaced", "internal/config"},
		"only the daemon reads configuration files: two readers would disagree",
	},
	{
		"modernc.org/sqlite",
		[]string{
			"cmd/vibespaced", "internal/daemon", "internal/target", "internal/store", "internal/lease",
			"internal/reach", "internal/audit", "browser",
		},
		"one process opens the database; every other asks it",
	},
	{
		"fyne.io",
		[]string{"gui", "cmd/vibespace-desktop"},
		"a window toolkit brings cgo and an X library into whatever links it",
	},
	{
		"github.com/chromedp",
		[]string{"browser", "internal/daemon", "cmd/vibespaced"},
		"only the browser engine speaks CDP: a second road to a page would pass its fence",
	},
	{
		"github.com/spf13/cobra",
		[]string{"internal/cli", "cmd", "packaging"},
		"commands are a face; an engine that parses flags has two callers' manners",
	},
}

// cgo are the programs that may want a C compiler; all else must build with
// CGO_ENABLED=0, so that a binary runs wherever it is copied.
var cgo = []string{"gui", "cmd/vibespace-desktop"}
