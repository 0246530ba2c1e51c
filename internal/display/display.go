package display

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vibespace/atspi"
	"vibespace/internal/proc"
	"vibespace/x11"
	"vibespace/x11/xvfb"
)

// Size is a size in pixels.
type Size struct{ W, H int }

// Config says how to make displays. RuntimeDir alone is required.
type Config struct {
	// RuntimeDir is absolute and 0700; displays lie in its subdirectory displays.
	RuntimeDir string
	// Screen is the size of the X server's screen, which never grows; zero is
	// 3840x2160.
	Screen Size
	// Rung is who manages the windows; "" is RungPlain. A display that cannot have
	// what was asked for is a plain one, and [Display.Rung] says why.
	Rung Rung
	// Xpra is its program; "" is where distributions put it.
	Xpra string
	// Inject switches keys and pointer on. Without it a display has no injector.
	Inject bool
	// For is kept in the display's record, for the daemon that adopts it. Optional.
	For string
	// Log gets what is worth a line; nil discards it.
	Log *slog.Logger
}

// Display is one nested display that runs. Its methods are safe for concurrent
// use. It outlives this process; [Display.End] ends it.
type Display struct {
	id      ID
	at      layout
	mark    string
	cfg     Config
	started time.Time
	before  []int // the pids of daemons that held it and died
	find    *finder
	logs    *logs

	server     *xvfb.Server
	number     string
	cookieFile string
	x          *x11.Conn
	inject     *x11.Injector
	noInject   string

	session       *atspi.Conn // kept to see the bus end and to ask it who is there
	access        *atspi.Conn
	accessAddress string

	done     chan struct{} // closed by watch
	quit     chan struct{} // closed by End
	watching sync.WaitGroup

	mu       sync.Mutex // guards what follows
	wm       Manager    // nil before it is started
	rung     Rung
	rungWhy  string // why it is not the one that was asked for
	children []*proc.Process
	phases   map[string]time.Duration
	why      string
	ending   *ending // the latest attempt

	moving    sync.Mutex   // held while another manager takes the windows; taken before mu
	gate      sync.RWMutex // read-held by a launch, so that none slips in behind an end
	recording sync.Mutex   // one writer of the record at a time
}

// ID is the display's name.
func (d *Display) ID() ID { return d.id }

// Number is the X display's name for clients, like ":101".
func (d *Display) Number() string { return d.number }

// Dir is the display's directory; nothing of it is elsewhere but the X socket
// and its lock.
func (d *Display) Dir() string { return d.at.dir }

// X is the connection to its X server.
func (d *Display) X() *x11.Conn { return d.x }

// Access is the connection to its accessibility bus that keeps the event
// registration. Who reads much makes one of its own, by AccessAddress.
func (d *Display) Access() *atspi.Conn { return d.access }

// AccessAddress is the D-Bus address of its accessibility bus.
func (d *Display) AccessAddress() string { return d.accessAddress }

// SessionAddress is the D-Bus address of its session bus.
func (d *Display) SessionAddress() string { return d.at.sessionAddress() }

// CookieFile is the 0600 file with the X cookie.
func (d *Display) CookieFile() string { return d.cookieFile }

// Injector presses its keys and buttons; nil when that cannot be, with the
// reason.
func (d *Display) Injector() (*x11.Injector, string) { return d.inject, d.noInject }

// Phases says how long each part of the start took. Parts run beside each
// other; "all" is the whole.
func (d *Display) Phases() map[string]time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.phases)
}

// TookMs is how long the whole start took.
func (d *Display) TookMs() float64 { return float64(d.Phases()["all"].Microseconds()) / 1000 }

// Processes lists the live processes of the display by pid: its server, its
// buses, and everything that came of what was launched on it.
func (d *Display) Processes() ([]Process, error) {
	found, err := d.find.scan()
	if err != nil {
		return nil, fmt.Errorf("processes of display %s: %w", d.id, err)
	}
	return found, nil
}

// Done is closed when the display cannot be used any more: its server ended, or
// End was called. What is left of it is ended by End alone. A bus that ends takes
// the tree with it and no more: what is in the application is not lost.
func (d *Display) Done() <-chan struct{} { return d.done }

// Why says what ended it; empty while it runs.
func (d *Display) Why() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.why
}

// BusEnded says which bus ended of a display that runs; empty for none. The
// session bus takes the accessibility bus along.
func (d *Display) BusEnded() string {
	switch {
	case closed(d.session.Done()):
		return "its session bus ended"
	case closed(d.access.Done()):
		return "its accessibility bus ended"
	}
	return ""
}

// deathTime is how long the end of a connection to the server is held against
// the server's own, which may be seen later: hardly ever is it lost without it.
const deathTime = time.Second

// watch announces the end of the first part, or of the display.
func (d *Display) watch() {
	defer close(d.done)
	d.untilEnd()
	settle := time.NewTimer(deathTime)
	defer settle.Stop()
	select {
	case <-d.quit:
	case <-d.server.Done():
	case <-settle.C:
	}
	why := d.cause()
	d.mu.Lock()
	d.why = why
	d.mu.Unlock()
	if !closed(d.quit) {
		d.cfg.Log.Warn("display is dead", "display", d.id, "why", why)
	}
}

// untilEnd waits for the end of what a display cannot do without. An xpra that ends
// is not that: its windows go on without it.
func (d *Display) untilEnd() {
	for {
		wm := d.WM()
		select {
		case <-d.quit:
			return
		case <-d.server.Done():
			return
		case <-d.x.Done():
			return
		case <-wm.Done():
		}
		if !d.goesOn(wm) {
			return
		}
		if d.WM() == wm {
			d.pause(fallBackPause)
		}
	}
}

// pause waits, or until the display cannot be used any more.
func (d *Display) pause(length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.quit:
	case <-d.server.Done():
	case <-d.x.Done():
	}
}

// goesOn says whether the display has another manager of its windows once one
// ended: because it was moved, or because ours took the place of an xpra. Where that
// failed it goes on all the same, and is to be tried again: a server that was
// stopped for a while lost nothing of its applications.
func (d *Display) goesOn(ended Manager) bool {
	d.moving.Lock()
	defer d.moving.Unlock()
	if d.WM() != ended {
		return true
	}
	g, ok := ended.(*guest)
	if !ok || closed(d.quit) {
		return false
	}
	if err := d.fallBack(g); err != nil {
		if !closed(d.quit) {
			d.cfg.Log.Warn("no window manager took xpra's place", "display", d.id, "err", err)
		}
		return !closed(d.quit) && !closed(d.server.Done()) && !closed(d.x.Done())
	}
	return true
}

// cause is the first part of the chain that has ended.
func (d *Display) cause() string {
	switch {
	case closed(d.quit):
		return "it was ended"
	case closed(d.server.Done()):
		return d.serverEnd()
	}
	return "the connection to its X server was lost"
}

// serverEnd tells how the X server ended.
func (d *Display) serverEnd() string {
	p := d.server.Process()
	if p == nil {
		return "its X server ended"
	}
	status, _ := p.Exit()
	why := fmt.Sprintf("its X server ended with %v", status)
	if words := p.LastWords(); len(words) > 0 {
		why += ": " + strings.Join(words, " | ")
	}
	return why
}

// phase measures one part of the start.
func (d *Display) phase(name string, part func() error) error {
	begin := time.Now()
	err := part()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.phases[name] = time.Since(begin)
	return err
}

// askTime bounds how long server and buses are asked who is connected; they
// answer in a millisecond. One that hangs costs this once a scan.
const askTime = time.Second

// clients asks the server and the buses, beside each other, for the pids they
// know.
func clients(x *x11.Conn, buses ...*atspi.Conn) []int {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	asks := []func(context.Context) ([]int, error){}
	if x != nil {
		asks = append(asks, x.ClientPIDs)
	}
	for _, bus := range buses {
		if bus != nil {
			asks = append(asks, bus.Peers)
		}
	}
	known := make([][]int, len(asks))
	var all sync.WaitGroup
	for i, ask := range asks {
		all.Go(func() { known[i], _ = ask(ctx) }) // who does not answer knows nobody
	}
	all.Wait()
	return slices.Concat(known...)
}
