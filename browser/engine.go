package browser

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vibespace/browser/provider"
	"vibespace/internal/api"
	"vibespace/internal/audit"
	"vibespace/internal/lease"
	"vibespace/internal/reach"
	"vibespace/internal/store"
)

// The defaults of an engine's bounds.
const (
	defaultBrowsers = 8
	defaultIdle     = 15 * time.Minute
	defaultGrace    = time.Minute
)

// Config is what an engine is made of. The fields marked optional have a
// default at their zero value.
type Config struct {
	RuntimeDir string // 0700: what runs lies below it
	StateDir   string // 0700: profiles and pictures lie below it
	// PersonHome is the person's home: their own browsers' profiles are theirs.
	PersonHome string
	Store      *store.DB
	Leases     *lease.Table
	Reach      *reach.Book
	Audit      *audit.Log
	// Keeper is the command that keeps a browser, without its arguments.
	Keeper []string
	// Look finds a program by its name, where the programs of a display are
	// looked for.
	Look func(name string) (string, error)
	// Screen makes the display that a browser with a window runs on; nil makes
	// every browser one without. Optional.
	Screen func(ctx context.Context, s ScreenSpec) (Screen, error)
	// Desktops lists the browsers of the desktop-app rung that a session
	// reaches, by handle or label. Optional.
	Desktops func(ctx context.Context, c api.Caller, name string) ([]api.Window, error)
	// Headless makes ephemeral browsers without a window. Optional.
	Headless bool
	// Eval allows scripts of an agent's. Optional.
	Eval bool
	// Browsers is how many may run at once, 0 is 8; Idle is how long one that
	// nobody uses runs on, 0 is 15 minutes. Optional.
	Browsers int
	Idle     time.Duration
	// Grace is how long the end of a session's browser waits for the person who
	// drives it; 0 is a minute. Optional.
	Grace time.Duration
	// Traces keeps the pictures of acts; nil takes none. Optional.
	Traces Traces
	Log    *slog.Logger // optional
}

// ScreenSpec says whose display a browser's is.
type ScreenSpec struct {
	Handle api.Handle // the profile's, by which the person takes it over
	Label  string
	Size   api.Size
	// Left asks for the display that an earlier daemon left for the handle, and
	// for none that is new.
	Left bool
	// Opener is the session that had the browser started; Holder gives the one
	// that used it last and still has it, "" for none.
	Opener api.SessionID
	Holder func() api.SessionID
	// HandedBack is told the note with which the person gave it back.
	HandedBack func(note string)
	// Stop ends the browser for the person, whole when it returns.
	Stop func(context.Context)
}

// Screen is a display that a browser runs on.
type Screen struct {
	// Env is what a program needs to be on it.
	Env []string
	// End ends it and everything on it. It is idempotent.
	End func(context.Context) error
}

// Engine decides on browsers for one daemon. Its methods are verbs of the
// contract; each is safe for concurrent use, bounded by the context it is
// given, and answers a refusal (*api.Error) or what it did.
type Engine struct {
	cfg    Config
	ladder provider.Ladder
	shots  shots

	// life is cancelled when the engine shuts down; work counts what it owns.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu sync.Mutex
	// privates are the ephemeral browsers of each session, its own first.
	privates map[api.SessionID][]seat
	runs     map[api.Handle]*running
	closing  bool
	// deleted are profiles that are no more: their handles are never given again.
	deleted map[api.Handle]bool

	// testAsked is told of every decision that let a verb go on.
	testAsked func(*visit)
}

// New makes an engine. Browsers that an earlier daemon left are taken back with
// their tabs, and what nobody has any more is ended.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Browsers <= 0 {
		cfg.Browsers = defaultBrowsers
	}
	if cfg.Grace <= 0 {
		cfg.Grace = defaultGrace
	}
	if cfg.Idle <= 0 {
		cfg.Idle = defaultIdle
	}
	e := &Engine{cfg: cfg, ladder: provider.Ladder{Look: cfg.Look}, privates: map[api.SessionID][]seat{}, runs: map[api.Handle]*running{}, deleted: map[api.Handle]bool{}}
	e.life, e.end = context.WithCancel(context.Background())
	return e, e.recover(ctx)
}

// noticeBound is how long an answer waits for what there is to say besides.
const noticeBound = 500 * time.Millisecond

// answer begins every success.
func (e *Engine) answer(ctx context.Context, c api.Caller) api.Answer {
	return api.Answer{OK: true, Session: c.Session, Notices: e.notices(ctx, c)}
}

// notices are the sentences a caller is told once, with its next answer or
// refusal.
func (e *Engine) notices(ctx context.Context, c api.Caller) []string {
	if c.Owner || c.Session == "" {
		return nil
	}
	bound, cancel := context.WithTimeout(ctx, noticeBound)
	defer cancel()
	said, err := e.cfg.Store.TakeNotices(bound, c.Session)
	if err != nil {
		e.cfg.Log.Warn("notices could not be read", "session", c.Session, "err", err)
	}
	if c.Session == api.DefaultSession && c.Agent != "" {
		if shared := e.cfg.Reach.Default(c.Agent); shared != "" {
			said = append(said, shared)
		}
	}
	return said
}

// Refused is a verb's error with what waits to be said to the caller, among its
// details. Nothing is taken for a caller that is gone.
func (e *Engine) Refused(ctx context.Context, c api.Caller, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return telling(err, e.notices(ctx, c))
}

// telling adds sentences to a refusal; err is left as it is, for others may
// have it too.
func telling(err error, said []string) error {
	var refusal *api.Error
	if len(said) == 0 || !errors.As(err, &refusal) {
		return err
	}
	told := *refusal
	told.Details = maps.Clone(refusal.Details)
	before, _ := told.Details["notices"].([]string)
	return told.With("notices", append(slices.Clone(before), said...))
}

// profile is what a bare command of a caller would be about: it mints nothing
// and refuses nothing.
func (e *Engine) profile(ctx context.Context, c api.Caller) api.Profile {
	seats, _, err := e.seats(ctx, c)
	if err == nil {
		for _, s := range seats {
			if s.isDefault || len(seats) == 1 {
				return s.shown()
			}
		}
		if len(seats) > 0 {
			return seats[0].shown()
		}
	}
	if own := e.privatesOf(c.Session); len(own) > 0 && !own[0].child {
		return own[0].shown()
	}
	return api.Profile{Label: originEphemeral, Origin: originEphemeral}
}

// handleForm is what handles look like: no label may.
var handleForm = regexp.MustCompile(`^[a-z][0-9]+$`)

// maxLabel bounds a label, in characters.
const maxLabel = 64

// checkLabel refuses what cannot be told from a handle, a path or a flag.
func checkLabel(label string) error {
	bad := func(why string) error {
		return api.Refuse(api.BadRequest, "%s cannot be a label: %s", api.Quote(label, 80), why).
			WithHint("a word or two: vibespace-browser new bank")
	}
	switch {
	case strings.TrimSpace(label) == "":
		return bad("it is empty")
	case utf8.RuneCountInString(label) > maxLabel:
		return bad("it has more than 64 characters")
	case handleForm.MatchString(label) || label == originEphemeral:
		return bad("it reads like a handle")
	case strings.ContainsAny(label, `/\`) || strings.HasPrefix(label, "-") || strings.HasPrefix(label, "."):
		return bad("it reads like a path or a flag")
	case api.Quote(label, 0) != `"`+label+`"`:
		return bad("it holds a control character or a quote")
	}
	return nil
}

// Desktop is a browser of the desktop-app rung as the ladder decided it: what
// the window engine is to open.
type Desktop struct {
	Label   string
	Program string
	// Blind says why it is not asked for a tree, "" when it is.
	Blind string
	// Keep is the directory of a profile that is kept, "" for none.
	Keep string
}

// IsDesktop says whether new asks for the desktop-app rung, and refuses what
// one rung is asked and another has.
func (e *Engine) IsDesktop(r api.BrowserNewRequest) (bool, error) {
	if err := checkLabel(r.Label); err != nil {
		return false, err
	}
	b, err := e.ladder.Row(cmp.Or(r.Backend, provider.Chromium))
	if err != nil {
		return false, err
	}
	if b.Lease == provider.LeaseWindow && b.Starts {
		if r.Adopt != "" {
			return true, api.Refuse(api.DesktopAppLacks, "%s adopts no directory: its profile is new each time", b.Name).
				WithHint("leave --adopt out; --keep-profile keeps what it leaves")
		}
		return true, nil
	}
	if !b.Available {
		_, err := e.ladder.Use(b.Name)
		return false, err
	}
	only := map[string]bool{
		"--url": r.URL != "", "--mode": r.Mode != "", "--size": r.Size != nil || r.AutoSize, "--keep-profile": r.Keep, "--browser": r.Browser != "",
	}
	for _, flag := range []string{"--url", "--mode", "--size", "--keep-profile", "--browser"} {
		if only[flag] {
			return false, api.Refuse(api.DesktopAppOnly, "%s is for a browser of the desktop-app rung, and this is %s", flag, b.Name).
				WithHint("vibespace-browser new %s --backend desktop-app %s …", quoted(r.Label), flag)
		}
	}
	return false, nil
}

// quoted is a label as a shell takes it.
func quoted(label string) string {
	if strings.ContainsRune(label, ' ') {
		return "'" + label + "'"
	}
	return label
}

// Desktop gives the verdict of the ladder on a browser of the desktop-app
// rung.
func (e *Engine) Desktop(r api.BrowserNewRequest) (Desktop, error) {
	if _, err := e.ladder.Use(cmp.Or(r.Backend, provider.DesktopApp)); err != nil {
		return Desktop{}, err
	}
	if r.URL != "" {
		if _, err := provider.Address(r.URL); err != nil {
			return Desktop{}, err
		}
	}
	p, err := e.ladder.Desktop(r.Browser)
	if err != nil {
		return Desktop{}, err
	}
	d := Desktop{Label: r.Label, Program: p.Name}
	if !p.Accessible {
		d.Blind = p.Why
	}
	if r.Keep {
		var salt [4]byte
		_, _ = rand.Read(salt[:])
		d.Keep = filepath.Join(e.cfg.StateDir, "browsers", "kept-"+hex.EncodeToString(salt[:]))
	}
	return d, nil
}

// Kept writes whose the directory is that a browser's profile is kept in.
func (e *Engine) Kept(ctx context.Context, c api.Caller, d Desktop, h api.Handle) error {
	if d.Keep == "" {
		return nil
	}
	return e.cfg.Store.AddKeptProfile(ctx, store.KeptProfile{
		Dir: d.Keep, Label: d.Label, Owner: c.Session, Handle: h, Created: time.Now().UTC(),
	})
}
