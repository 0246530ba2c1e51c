package keeper

import (
	"context"
	"io"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/proc"
)

// Spec says which browser to keep, and where.
type Spec struct {
	// Program is the command that runs Serve, without its arguments:
	// {"/usr/lib/vibespace/vibespaced", "keeper"}.
	Program []string
	// Dir is the keeper's own directory: socket, record and log. It is made 0700.
	Dir string
	// Chromium is the browser, absolute.
	Chromium string
	// Profile is the user data directory, made 0700.
	Profile string
	// Env is the browser's whole environment; a headed one needs DISPLAY and
	// XAUTHORITY in it. HOME, PATH and LANG are added when they are missing.
	Env []string
	// Headless: without a window.
	Headless bool
	// Size is the window's (headless: the screen's); zero is 1280x800.
	Size api.Size
	// Idle is how long the keeper waits for a daemon before it ends; 0 is 15
	// minutes.
	Idle time.Duration
	// Args are added to the browser's command line.
	Args []string
}

// Status is what a keeper says of itself.
type Status struct {
	Keeper  proc.Ident `json:"keeper"`
	Browser proc.Ident `json:"browser"`
	Profile string     `json:"profile"`
	// Product is the browser and its version, "Chrome/156.0.8078.114"; Major is
	// its first number.
	Product  string    `json:"product"`
	Major    int       `json:"major"`
	Headless bool      `json:"headless"`
	Since    time.Time `json:"since"`
	// Attached says that a daemon is connected.
	Attached bool `json:"attached"`
}

// Keeper is a kept browser, as the daemon sees it: an address. It holds
// nothing open.
type Keeper struct{}

// Start starts a keeper and its browser, and returns when the browser answers.
// ctx bounds the call; both live on without us. A profile that another browser
// has open is profile_in_use with details.pid; one written by a newer browser is
// downgrade_refused; a browser that does not start is start_failed with its last
// words.
func Start(ctx context.Context, spec Spec) (*Keeper, error) {
	return nil, api.Refuse(api.NotYet, "browsers are described and not built yet")
}

// Find gives the keeper that lives in dir, or browser_stopped when none does.
// What a dead one left there is removed, its processes ended.
func Find(ctx context.Context, dir string) (*Keeper, error) {
	return nil, api.Refuse(api.NotYet, "browsers are described and not built yet")
}

// Dir is where the keeper lives.
func (k *Keeper) Dir() string { return "" }

// Status asks the keeper.
func (k *Keeper) Status(ctx context.Context) (Status, error) {
	return Status{}, api.Refuse(api.NotYet, "browsers are described and not built yet")
}

// Link is a connection to the browser's DevTools: what page.Connect takes.
type Link struct {
	io.ReadWriteCloser
	// Session is the DevTools session of this link; all of it ends with the link.
	Session string
}

// Attach connects to the browser. There is one link at a time: a second is
// held.
func (k *Keeper) Attach(ctx context.Context) (*Link, error) {
	return nil, api.Refuse(api.NotYet, "browsers are described and not built yet")
}

// Stop ends the browser and its keeper and returns how many processes ended
// with them. One that is gone already is no error.
func (k *Keeper) Stop(ctx context.Context) (int, error) {
	return 0, api.Refuse(api.NotYet, "browsers are described and not built yet")
}

// Serve is the keeper's own program: it reads its orders from its standard
// input and returns when the browser has ended.
func Serve(ctx context.Context) error {
	return api.Refuse(api.NotYet, "browsers are described and not built yet")
}
