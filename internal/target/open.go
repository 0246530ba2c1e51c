package target

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/store"
)

// The bounds of a window's size, in pixels.
const (
	minW, maxW = 320, 7680
	minH, maxH = 240, 4320
)

// defaultPin is the size of a window that is driven by pixels and was given
// none.
var defaultPin = api.Size{W: 1920, H: 1080}

// homeName is what a kept home may be called: it becomes a directory's name.
var homeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Open starts an application for an agent: on a display of its own, with a
// home of its own, held by the agent that asked.
func (e *Engine) Open(ctx context.Context, c api.Caller, r api.OpenRequest) (api.OpenAnswer, error) {
	return e.begin(ctx, c, asked{OpenRequest: r}, "open", func(p program) (display.AppSpec, error) {
		if p.browser {
			return display.AppSpec{}, browserIsHuman(p.name)
		}
		home := ""
		if r.Home != "" {
			home = filepath.Join(e.cfg.StateDir, "homes", r.Home)
		}
		return display.AppSpec{Path: p.path, Args: p.args, Env: r.Env, Home: home, Dir: appDir(r, home), Locale: e.locale()}, nil
	})
}

// Launch starts an application for the person: with their home, hidden from
// every agent until it is shared.
func (e *Engine) Launch(ctx context.Context, c api.Caller, r api.OpenRequest) (api.OpenAnswer, error) {
	if err := ownerOnly(c, "launch"); err != nil {
		return api.OpenAnswer{}, err
	}
	return e.begin(ctx, c, asked{OpenRequest: r}, "launch", func(p program) (display.AppSpec, error) {
		spec := display.AppSpec{Path: p.path, Args: p.args, Env: r.Env, Home: e.home, OwnHome: true, Dir: r.Dir, Locale: e.locale()}
		if r.Home != "" {
			spec.Home, spec.OwnHome = filepath.Join(e.cfg.StateDir, "homes", r.Home), false
		}
		if p.browser {
			spec.Args, spec.Env = browserArgs(p, r), append(browserEnv(p), r.Env...)
		} else if r.URL != "" {
			spec.Args = append(spec.Args, r.URL)
		}
		return spec, nil
	})
}

// appDir is the working directory: the caller's for what an agent opens by a
// path there, else the application's home.
func appDir(r api.OpenRequest, home string) string {
	if strings.ContainsRune(r.App, '/') || len(r.Args) > 0 {
		return r.Dir
	}
	return home
}

// locale is the person's, as the daemon knows it.
func (e *Engine) locale() string {
	for _, key := range []string{"LC_ALL=", "LC_CTYPE=", "LANG="} {
		for _, kv := range e.cfg.Env {
			if v, ok := strings.CutPrefix(kv, key); ok && v != "" {
				return v
			}
		}
	}
	return ""
}

// browserIsHuman refuses a browser to an agent, and names its own door.
func browserIsHuman(name string) error {
	return api.Refuse(api.BrowserIsHuman, "%s is a browser, and those are the person's", name).
		WithHint("vibespace-browser new <label> --backend desktop-app")
}

// asked is what is to be opened. browser is nil unless an agent opens one
// through the door that is its own.
type asked struct {
	api.OpenRequest
	browser *BrowserSpec
}

// begin checks an open, starts it and answers, with an audit row whatever
// comes of it.
func (e *Engine) begin(ctx context.Context, c api.Caller, r asked, verb string, spec func(program) (display.AppSpec, error)) (api.OpenAnswer, error) {
	t := &turn{e: e, c: c, verb: verb, since: time.Now(), did: api.Did{Verb: verb, Name: r.App}}
	answer, err := e.beginning(ctx, t, r, spec)
	var h api.Handle
	if t.w != nil {
		h = t.w.handle
	}
	if err := t.leave(ctx, h, err); err != nil {
		return api.OpenAnswer{}, err
	}
	answer.TookMs = int(time.Since(t.since).Milliseconds())
	return answer, nil
}

// beginning is begin without the row.
func (e *Engine) beginning(ctx context.Context, t *turn, r asked, spec func(program) (display.AppSpec, error)) (api.OpenAnswer, error) {
	if err := checkOpen(&r.OpenRequest); err != nil {
		return api.OpenAnswer{}, err
	}
	r.pin()
	p, err := e.resolve(r.OpenRequest)
	if err != nil {
		return api.OpenAnswer{}, err
	}
	s, err := spec(p)
	if err != nil {
		return api.OpenAnswer{}, err
	}
	w, err := e.place(ctx, t, p, r)
	if err != nil {
		return api.OpenAnswer{}, err
	}
	t.w = w
	notReady, err := e.start(ctx, w, r, s)
	if err != nil {
		// The window never became one anybody could use: it is ended whole.
		e.abandon(ctx, w, err)
		return api.OpenAnswer{}, err
	}
	if _, err := w.live(); err != nil {
		return api.OpenAnswer{}, err
	}
	// The session may have ended while its window was started.
	if err := e.outlived(ctx, t.c, w); err != nil {
		e.abandon(ctx, w, err)
		return api.OpenAnswer{}, err
	}
	answer := api.OpenAnswer{Answer: e.answer(t.c), Window: e.show(ctx, t.c, w), NotReady: notReady}
	if t.c.Owner && r.With != withRemembered {
		// Shown before anything of it applies.
		if answer.Remembered, err = e.cfg.Reach.Remembered(ctx, w.app); err != nil {
			return api.OpenAnswer{}, err
		}
	}
	answer.DisplayMs = int(w.displayTook().Milliseconds())
	return answer, nil
}

// checkOpen refuses an open by its arguments, before anything is started.
func checkOpen(r *api.OpenRequest) error {
	if r.Mode == "" {
		r.Mode = "auto"
	}
	if err := checkMode(r.Mode); err != nil {
		return err
	}
	if r.Mode == "pixels" && r.Size == nil {
		r.Size = new(defaultPin)
	}
	if r.Size != nil {
		if err := checkSize(*r.Size); err != nil {
			return err
		}
	}
	if r.Rung != "" {
		if err := checkRung(r.Rung); err != nil {
			return err
		}
	}
	if r.Home != "" && !homeName.MatchString(r.Home) {
		return api.Refuse(api.BadRequest, "%s is no name of a home", api.Quote(r.Home, 80)).
			WithHint("letters, digits, dot, dash and underscore, 64 at the most")
	}
	return checkEnv(r.Env)
}

// checkSize refuses a size outside the bounds.
func checkSize(s api.Size) error {
	if s.W < minW || s.W > maxW || s.H < minH || s.H > maxH {
		return api.Refuse(api.SizeOutOfBounds, "%dx%d is out of bounds", s.W, s.H).
			WithHint("%d to %d wide and %d to %d high", minW, maxW, minH, maxH).
			With("min", api.Size{W: minW, H: minH}).With("max", api.Size{W: maxW, H: maxH})
	}
	return nil
}

// ours are the variables that make a display a world of its own.
var ours = []string{"DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "AT_SPI_BUS_ADDRESS", "WAYLAND_DISPLAY"}

// checkEnv refuses what is no variable, and the ones that lead out of the
// display.
func checkEnv(env []string) error {
	for _, kv := range env {
		key, _, ok := strings.Cut(kv, "=")
		switch {
		case !ok || key == "" || strings.ContainsAny(key, " \t\n\x00") || strings.ContainsRune(kv, 0):
			return api.Refuse(api.BadRequest, "%s is no variable", api.Quote(kv, 80)).WithHint("--env NAME=value")
		case slices.Contains(ours, key) || strings.HasPrefix(key, "VIBESPACE_"):
			return api.Refuse(api.BadRequest, "%s belongs to the display", key).WithHint("leave it out")
		}
	}
	return nil
}

// place registers a window where the caps leave room for it. One at a time: who
// is refused is told of every window that was counted, with its handle.
func (e *Engine) place(ctx context.Context, t *turn, p program, r asked) (*window, error) {
	select {
	case e.door <- struct{}{}:
	case <-ctx.Done():
		return nil, api.AsError(ctx.Err(), api.StartFailed)
	}
	defer func() { <-e.door }()
	if err := e.room(t.c, r.browser != nil); err != nil {
		return nil, err
	}
	return e.register(ctx, t, p, r)
}

// room refuses a window, or a browser, one too many.
func (e *Engine) room(c api.Caller, browser bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return api.Refuse(api.StartFailed, "the daemon is stopping").WithHint("vibespace up")
	}
	running := 0
	mine := []api.Window{}
	for _, h := range e.order {
		w := e.windows[h]
		if w == nil || w.host != nil || w.finished() {
			continue
		}
		running++
		if w.openedBy(c.Session) {
			mine = append(mine, w.picture())
		}
	}
	if browser {
		if err := browserRoom(mine); err != nil {
			return err
		}
	}
	if running < e.cfg.Displays {
		return nil
	}
	refusal := api.Refuse(api.DisplayCap, "all %d displays are in use", e.cfg.Displays).
		With("limit", e.cfg.Displays).With("yours", mine).With("others", running-len(mine))
	if len(mine) > 0 {
		return refusal.WithHint("vibespace-window stop %s", mine[0].Handle)
	}
	return refusal.WithHint("none is yours: wait, or ask the person to stop one")
}

// register gives the window its handle, its row, the opener's grant and the
// opener's lease, before anything of it runs: what is started is never
// unknown.
func (e *Engine) register(ctx context.Context, t *turn, p program, r asked) (*window, error) {
	h, err := e.cfg.Store.NextHandle(ctx)
	if err != nil {
		return nil, err
	}
	var opener api.SessionID
	origin := "shared"
	if !t.c.Owner {
		opener, origin = t.c.Session, "opened"
	}
	w := newWindow(h, p, r.OpenRequest, opener, origin)
	w.asked = r.Mode
	if r.Mode == "pixels" {
		w.mode = resolved{mode: "pixels", why: "it was opened so"}
	}
	w.isBrowser(r.browser)
	w.shown = displayID(h) // known before it is there, so that a later daemon finds it
	if err := e.cfg.Store.AddWindow(ctx, w.row()); err != nil {
		return nil, err
	}
	if t.c.Owner {
		if r.With != "" {
			if err := e.grant(ctx, w, r.With, r.Mode, r.Remember); err != nil {
				_ = e.cfg.Store.DeleteWindow(context.WithoutCancel(ctx), h)
				return nil, err
			}
		}
	} else if _, err := e.cfg.Leases.Take(ctx, h, opener); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.windows[h] = w
	e.order = append(e.order, h)
	return w, nil
}

// start brings up the display and the application and waits until a person
// could use it. What is not ready in time is said; what cannot be is an error.
func (e *Engine) start(ctx context.Context, w *window, r asked, spec display.AppSpec) ([]string, error) {
	screen := e.cfg.Screen
	if r.Size != nil {
		screen = api.Size{W: max(screen.W, r.Size.W), H: max(screen.H, r.Size.H)}
	}
	began := time.Now()
	cfg := e.displayConfig(w.handle)
	cfg.Screen, cfg.Rung = display.Size{W: screen.W, H: screen.H}, display.Rung(r.Rung)
	d, err := display.Start(ctx, cfg, w.shown)
	if err != nil {
		return nil, startFault("the display", err)
	}
	w.adopt(d, time.Since(began))
	if w.program.browser {
		if spec.Args, err = withProfile(w.program, spec.Args, cmp.Or(w.profile, filepath.Join(d.Dir(), "profile"))); err != nil {
			return nil, startFault(w.app, err)
		}
		if spec.Env, err = withRoom(w.program, spec.Env, d.Dir()); err != nil {
			return nil, startFault(w.app, err)
		}
	}
	app, err := d.Launch(ctx, spec)
	if err != nil {
		return nil, startFault(w.app, err)
	}
	line := &lifeline{App: app, gone: make(chan struct{})}
	w.run(line)
	e.work.Go(func() { line.follow(e.life, w, d) })
	e.work.Go(func() { e.attend(w, d, line) })
	return e.settleIn(ctx, w, d, line, r.OpenRequest)
}

// displayID names a display's directory: the handle, and something no earlier
// daemon can have used.
func displayID(h api.Handle) display.ID {
	var salt [4]byte
	_, _ = rand.Read(salt[:])
	return display.ID(string(h) + "-" + hex.EncodeToString(salt[:]))
}

// outlived refuses to hand a window to a session that ended while it was started:
// its reach ended with it.
func (e *Engine) outlived(ctx context.Context, c api.Caller, w *window) error {
	if c.Owner {
		return nil
	}
	_, err := e.mayReach(ctx, c, w)
	if code := api.CodeOf(err); code != api.NotExposed && code != api.BadSession {
		return nil
	}
	return api.Refuse(api.BadSession, "the session %s ended while %s was opened", c.Session, w.app).WithHint("ask the person for another session")
}

// startFault refuses an open whose display or application did not start.
func startFault(what string, err error) error {
	if code := api.CodeOf(err); code != "" {
		return err
	}
	if isContext(err) {
		return api.AsError(err, api.StartFailed)
	}
	return api.Refuse(api.StartFailed, "%s did not start: %v", what, err).WithHint("vibespace doctor names what is missing")
}

// abandon ends what was started of a window that could not be opened.
func (e *Engine) abandon(ctx context.Context, w *window, why error) {
	ended := api.Ended{Why: fmt.Sprintf("it could not be opened: %s", why)}
	if api.CodeOf(why) == api.AppExited {
		ended.Why = sentence(why)
		if status, ok := api.AsError(why, api.AppExited).Details["status"].(int); ok && status >= 0 {
			ended.Status = &status
		}
	}
	if _, err := e.bury(ctx, w, ended); err != nil {
		e.cfg.Log.Error("a window that could not be opened did not end", "handle", w.handle, "err", err)
	}
}

// row is the window as the store keeps it.
func (w *window) row() store.Window {
	w.mu.Lock()
	defer w.mu.Unlock()
	rung, _ := w.rungLocked()
	row := store.Window{
		Handle: w.handle, App: w.app, Label: w.label, Title: w.title, Path: w.program.path, Home: w.home, Origin: w.origin, Rung: string(rung),
		PID: w.pid, Opener: w.opener, Mode: w.asked, Resolved: w.mode.mode, Why: w.mode.why, Pin: w.pin,
		State: w.state, Ended: w.ended, Created: w.created,
	}
	row.Display = string(w.shown)
	if w.proc != nil {
		row.Start = w.proc.Ident().Start
	}
	return row
}
