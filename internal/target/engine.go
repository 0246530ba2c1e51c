package target

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/user"
	"sync"
	"sync/atomic"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/audit"
	"vibespace/internal/lease"
	"vibespace/internal/reach"
	"vibespace/internal/store"
)

// Config is what an engine is made of. The fields marked optional have a
// default at their zero value.
type Config struct {
	RuntimeDir string // 0700: displays live below it
	StateDir   string // 0700: pictures and kept homes live below it
	Store      *store.DB
	Leases     *lease.Table
	Reach      *reach.Book
	Audit      *audit.Log
	// Inject switches keys and the pointer on; without it every window is read
	// and driven through its tree alone.
	Inject bool
	// CheckTrees compares each answer from a kept tree with a whole read and
	// records what differs: it costs what keeping trees saves.
	CheckTrees bool
	// Displays is how many applications may run at once; 0 is 8.
	Displays int
	// NoTrace switches the pictures of acts off. TraceBytes and TraceAge bound
	// them; 0 is 200 MB and 7 days.
	NoTrace    bool
	TraceBytes int64
	TraceAge   time.Duration
	// EndGrace is how long the end of an agent's browser waits for the person
	// who drives it; 0 is a minute.
	EndGrace time.Duration
	// Footprint is the memory, in bytes, past which a window is reported; 0 is
	// two gigabytes.
	Footprint int64
	// Screen is the least size of a display; zero is 3840x2160.
	Screen api.Size
	// TakeoverIdle is after how long without input of the person's a takeover
	// lapses, TakeoverAway after how long without a sign of its viewer's life;
	// 0 is ten minutes and thirty seconds.
	TakeoverIdle, TakeoverAway time.Duration
	// Apps are the configured applications: a name and its command line.
	Apps map[string]string
	// Env is what the daemon may pass on of its own environment to an
	// application the person launches, "K=V". Optional.
	Env []string
	// Socket is the daemon's own, for the environment of a new session.
	Socket  string
	Version string
	Log     *slog.Logger // optional
}

// Engine is the window engine of one daemon. Its methods are the verbs of the
// contract; each is safe for concurrent use, bounded by the context it is
// given, and answers a refusal (*api.Error) or what it did.
type Engine struct {
	cfg     Config
	catalog *catalog
	home    string // the person's

	trace *tracer
	kept  atomic.Int64 // pictures so far
	deeds atomic.Int64 // what was done that a follower may have to tell
	// followers are those of the person's that follow the windows, as keys.
	followers sync.Map
	frames    sync.Pool // *image.RGBA, the memory of pictures

	owners  owners
	mu      sync.Mutex
	windows map[api.Handle]*window
	order   []api.Handle
	closing bool
	door    chan struct{} // full while a new window is given its place
	// parked are the displays of an earlier daemon that were left alone, unclaimed
	// those of browsers that nobody has asked for yet; coming counts those that are
	// being taken back.
	parked    []parked
	unclaimed map[api.Handle]*unclaimed
	coming    sync.WaitGroup
	ending    map[int64]bool // ended sessions whose windows are waited for
	// owed is what sessions are to be told of windows that came back, told what
	// of it is ready for their next answer.
	owed map[api.SessionID][]*owed
	told map[api.SessionID][]api.HandedBack

	// alsoEnds is what else ends with a session.
	alsoEnds func(context.Context, api.SessionID)

	// testAsked is told of every decision that let a turn go on.
	testAsked func(*turn)
	// testPictured is told that the picture after an act was taken.
	testPictured func()

	// life is cancelled when the engine shuts down; work counts what it owns.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup
}

// New makes an engine. What a daemon that died left is taken back: after two
// seconds at the most it returns, and goes on with what is not back by then.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	if cfg.Displays <= 0 {
		cfg.Displays = 8
	}
	if cfg.EndGrace <= 0 {
		cfg.EndGrace = time.Minute
	}
	if cfg.Screen.W <= 0 || cfg.Screen.H <= 0 {
		cfg.Screen = api.Size{W: 3840, H: 2160}
	}
	cfg.TakeoverIdle, cfg.TakeoverAway = cmp.Or(cfg.TakeoverIdle, defaultIdle), cmp.Or(cfg.TakeoverAway, defaultAway)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{
		cfg: cfg, door: make(chan struct{}, 1), windows: map[api.Handle]*window{}, unclaimed: map[api.Handle]*unclaimed{}, ending: map[int64]bool{}, owed: map[api.SessionID][]*owed{},
		told: map[api.SessionID][]api.HandedBack{}, home: personHome(),
	}
	e.trace = newTracer(cfg)
	cfg.Leases.OnTakeover(e.cutAll)
	e.catalog = &catalog{dirs: applicationDirs(e.home, "", "")}
	e.life, e.end = context.WithCancel(context.Background())
	if err := e.recover(ctx); err != nil {
		e.end()
		return nil, err
	}
	e.resume()
	e.work.Go(func() {
		e.trace.pen <- struct{}{}
		defer func() { <-e.trace.pen }()
		e.sweepTrace(e.life)
	})
	return e, nil
}

// personHome is the home directory of the uid the daemon runs as.
func personHome() string {
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		return u.HomeDir
	}
	return os.Getenv("HOME")
}

// answer begins every success.
func (e *Engine) answer(c api.Caller) api.Answer {
	back := e.handedBack(c) // before the notices, where what it tells lies as a sentence
	return api.Answer{OK: true, Session: c.Session, Notices: e.notices(c), HandedBack: back}
}

// Shutdown ends every display, one verb's worth of time for each at the most,
// and waits for what the engine still runs.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.closing = true
	var open []*window
	for _, h := range e.order {
		if w := e.windows[h]; w != nil && w.alive() {
			open = append(open, w)
		}
	}
	e.mu.Unlock()
	e.end()
	var all sync.WaitGroup
	for _, w := range open {
		all.Go(func() { _, _ = e.bury(ctx, w, api.Ended{Why: "the daemon was stopped", At: time.Now().UTC()}) })
	}
	all.Wait()
	e.work.Wait()
	return nil
}
