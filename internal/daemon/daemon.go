package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"vibespace/browser"
	"vibespace/internal/api"
	"vibespace/internal/audit"
	"vibespace/internal/reach"
	"vibespace/internal/store"
	"vibespace/internal/target"
)

// Config is what a daemon is made of. Fields marked optional mean the default
// at their zero value.
type Config struct {
	Paths api.Paths
	// Version is this build's, as --version says it.
	Version string
	// RequireToken refuses callers without a session token.
	RequireToken bool
	// SessionGrace is how long the windows a session opened outlive it; 0 is a
	// minute. Optional.
	SessionGrace time.Duration
	// NoTrace keeps no pictures of what is done. Optional.
	NoTrace bool
	// Inject switches keys and the pointer on.
	Inject bool
	// CheckTrees compares kept trees with whole reads. Optional.
	CheckTrees bool
	// Displays is how many applications may run at once; 0 is 8. Optional.
	Displays int
	// Footprint is the memory in bytes past which a window is reported; 0 is two
	// gigabytes. Optional.
	Footprint int64
	// Screen is the least size of a display; zero is 3840x2160. Optional.
	Screen api.Size
	// Apps are the configured applications: a name and its command line.
	Apps map[string]string
	// Env is what an application the person launches may get of the daemon's
	// own environment, "K=V". Optional.
	Env []string
	// Lapse is how long a lease may be unused; 0 is 15 minutes. Optional.
	Lapse time.Duration
	// TakeoverIdle and TakeoverAway are when a takeover lapses; 0 is 10 minutes
	// and 30 seconds. Optional.
	TakeoverIdle, TakeoverAway time.Duration
	// Keeper is the command that keeps a browser, without its arguments; without
	// it no browser of the CDP rungs starts. Optional.
	Keeper []string
	// MaxBrowsers is how many browsers may run at once, 0 is 8; BrowserIdle is
	// how long one that nobody uses runs on, 0 is 15 minutes. Optional.
	MaxBrowsers int
	BrowserIdle time.Duration
	// Headless starts sessions' browsers without a window; Eval allows scripts of
	// an agent's. Optional.
	Headless, Eval bool
	// AuditKeep and AuditAge bound the audit in rows and in time; 0 is its own
	// default. Optional.
	AuditKeep int
	AuditAge  time.Duration
	// Settings are what the person changes of the configuration. Optional.
	Settings Settings
	// Log takes what happens; nil discards it.
	Log *slog.Logger
}

// The bounds of going down: displays end within a second each as a rule, and
// what hangs is left to the next daemon's start, which ends it.
const (
	downLimit   = 20 * time.Second
	settleLimit = 2 * time.Second
)

// Daemon is one running daemon: it has its directories to itself from Open
// until Run or Close has returned.
type Daemon struct {
	cfg        Config
	log        *slog.Logger
	lock       *os.File
	store      *store.DB
	reach      *reach.Book
	audit      *audit.Log
	engine     *target.Engine
	browsers   *browser.Engine
	listener   net.Listener
	credential string
	routes     map[string]route
	began      time.Time

	// verbs is cancelled when the daemon goes down, and with it every verb that
	// runs; slots bounds them and running counts them.
	verbs    context.Context
	endVerbs context.CancelFunc
	slots    chan struct{}
	streams  chan struct{}
	running  sync.WaitGroup

	// asked is closed when somebody asked it to go down, ended when its
	// displays are gone; before tells how many processes there were.
	asked   chan struct{}
	askOnce sync.Once
	ended   chan struct{}
	before  atomic.Int64

	closeOnce sync.Once
	closeErr  error
}

// Open makes a daemon that has its directories and listens; Run serves. ctx
// bounds the call. A second daemon on either directory is refused with busy or
// store_failed and the name of the directory; so is a state that cannot be
// written or is of a newer build.
func Open(ctx context.Context, cfg Config) (*Daemon, error) {
	d := &Daemon{
		cfg: cfg, log: cfg.Log, began: time.Now(),
		slots: make(chan struct{}, maxVerbs), streams: make(chan struct{}, maxStreams), asked: make(chan struct{}), ended: make(chan struct{}),
	}
	if d.cfg.Version == "" {
		d.cfg.Version = "dev"
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	d.verbs, d.endVerbs = context.WithCancel(context.Background())
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// open takes what a daemon needs, in the order in which a fault leaves least.
func (d *Daemon) open(ctx context.Context) error {
	if err := checkSocket(d.cfg.Paths); err != nil {
		return err
	}
	var err error
	if d.lock, err = runtimeDir(d.cfg.Paths.Runtime); err != nil {
		return err
	}
	if d.store, err = store.Open(d.cfg.Paths.State); err != nil {
		return err
	}
	if err := d.openEngine(ctx); err != nil {
		return err
	}
	d.routes = d.windowRoutes(d.engine)
	for word, rt := range d.browserRoutes() {
		d.routes["browser/"+word] = rt
	}
	for word, rt := range d.personRoutes(d.engine) {
		d.routes["person/"+word] = rt
	}
	if d.credential, err = writeCredential(d.cfg.Paths.OwnerFile()); err != nil {
		return err
	}
	d.listener, err = listen(ctx, d.cfg.Paths.Socket)
	return err
}

// checkSocket refuses a path the kernel cannot take, before anything is made.
func checkSocket(p api.Paths) error {
	if len(p.Socket) > maxSocketPath {
		return api.Refuse(api.StartFailed, "the socket's path has %d bytes, and the kernel takes %d: %s",
			len(p.Socket), maxSocketPath, p.Socket).WithHint("name a shorter one with VIBESPACE_SOCKET")
	}
	return nil
}

// listen takes the socket's path. What lies there is a dead daemon's, because
// the runtime directory is locked; anything that is not a socket is left alone.
func listen(ctx context.Context, path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := store.PrivateDir(dir); err != nil {
		return nil, dirFault(dir, err)
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode()&fs.ModeSocket == 0:
		return nil, dirFault(dir, fmt.Errorf("%s is there and is no socket", path))
	case err == nil && answers(ctx, path):
		return nil, api.Refuse(api.Busy, "another program listens on %s", path).WithHint("vibespace down, or another VIBESPACE_SOCKET")
	case err == nil:
		if err := os.Remove(path); err != nil {
			return nil, dirFault(dir, err)
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, dirFault(dir, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(dirFault(dir, err), l.Close())
	}
	return l, nil
}

// answers says whether something accepts on a socket.
func answers(ctx context.Context, path string) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// Run serves until ctx ends or the person asks the daemon to go down. Then it
// cancels what runs, ends every display, lets its directories go and returns.
func (d *Daemon) Run(ctx context.Context) error {
	server := &http.Server{
		Handler:           d,
		ConnContext:       withActor,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(errorLog(d.log), "", 0),
	}
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(peers{d.listener, uint32(os.Getuid()), func(uid uint32) { d.log.Warn("another user was turned away", "uid", uid) }})
	}()
	d.log.Info("listening", "socket", d.cfg.Paths.Socket, "version", d.cfg.Version, "pid", os.Getpid())
	var err error
	select {
	case <-ctx.Done():
	case <-d.asked:
	case err = <-served:
		err = fmt.Errorf("serve %s: %w", d.cfg.Paths.Socket, err)
	}
	d.goDown()
	settle, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	if server.Shutdown(settle) != nil {
		err = errors.Join(err, server.Close())
	}
	d.settle()
	d.log.Info("down")
	return errors.Join(err, d.Close())
}

// goDown cancels what runs and ends every display.
func (d *Daemon) goDown() {
	ctx, cancel := context.WithTimeout(context.Background(), downLimit)
	defer cancel()
	d.log.Info("going down")
	if ps, err := d.engine.Ps(ctx, api.Caller{Owner: true}, api.ListRequest{}); err == nil {
		d.before.Store(int64(len(ps.Processes)))
	}
	d.endVerbs()
	if err := d.browsers.Shutdown(ctx); err != nil {
		d.log.Error("not every browser could be ended", "err", err)
	}
	if err := d.engine.Shutdown(ctx); err != nil {
		d.log.Error("not every display could be ended", "err", err)
	}
	close(d.ended)
}

// settle waits for the verbs that were cut: one whose caller has its answer
// may still be ending the processes it had begun to start, and nobody else
// would.
func (d *Daemon) settle() {
	done := make(chan struct{})
	go func() {
		d.running.Wait()
		close(done)
	}()
	timer := time.NewTimer(downLimit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		d.log.Warn("verbs do not stop", "running", len(d.slots))
	}
}

// Close lets go of what Open took; Run calls it. It is idempotent.
func (d *Daemon) Close() error {
	d.closeOnce.Do(func() {
		d.endVerbs()
		var errs []error
		if d.listener != nil {
			errs = append(errs, ignoreClosed(d.listener.Close()), ignoreAbsent(os.Remove(d.cfg.Paths.OwnerFile())))
		}
		if d.browsers != nil {
			ctx, cancel := context.WithTimeout(context.Background(), downLimit)
			defer cancel()
			errs = append(errs, d.browsers.Shutdown(ctx))
		}
		if d.engine != nil {
			ctx, cancel := context.WithTimeout(context.Background(), downLimit)
			defer cancel()
			errs = append(errs, d.engine.Shutdown(ctx))
		}
		if d.store != nil {
			errs = append(errs, d.store.Close())
		}
		if d.lock != nil {
			errs = append(errs, d.lock.Close())
		}
		d.closeErr = errors.Join(errs...)
	})
	return d.closeErr
}

// ignoreClosed drops the fault of closing what the server closed before.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// ignoreAbsent drops the fault of removing what is not there.
func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
