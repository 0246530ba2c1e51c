package daemon

import (
	"context"
	"os"
	"os/user"
	"path/filepath"

	"vibespace/browser"
	"vibespace/internal/api"
	"vibespace/internal/lease"
	"vibespace/internal/target"
)

// openBrowsers joins the browsers' engine with the window engine: a browser
// with a window runs on a display of the latter, under the profile's handle, so
// that the person watches it and takes it over like any window.
func (d *Daemon) openBrowsers(ctx context.Context, leases *lease.Table) error {
	home := ""
	if u, err := user.Current(); err == nil {
		home = u.HomeDir
	}
	var err error
	var traces browser.Traces
	if !d.cfg.NoTrace {
		traces = pageTraces{d.engine}
	}
	d.browsers, err = browser.New(ctx, browser.Config{
		RuntimeDir: d.cfg.Paths.Runtime, StateDir: d.cfg.Paths.State, PersonHome: home, Store: d.store, Leases: leases, Reach: d.reach, Audit: d.audit,
		Keeper: d.cfg.Keeper, Look: target.LookPath, Screen: d.screen, Desktops: d.engine.AgentBrowsers,
		Headless: d.cfg.Headless, Eval: d.cfg.Eval, Browsers: d.cfg.MaxBrowsers, Idle: d.cfg.BrowserIdle, Grace: d.cfg.SessionGrace, Traces: traces, Log: d.log,
	})
	if err != nil {
		return err
	}
	d.engine.AlsoEnds(d.browsers.SessionEnded)
	return d.browsers.EndedMeanwhile(ctx) // its start may take a while
}

// pageTraces keeps the pictures of acts on pages among those of windows.
type pageTraces struct{ e *target.Engine }

// Expect says that pictures are to come.
func (t pageTraces) Expect(row int64) { t.e.ExpectTrace(row) }

// Keep keeps them.
func (t pageTraces) Keep(a browser.PageAct) {
	t.e.KeepTrace(target.TracedAct{
		Row: a.Row, At: a.At, Handle: a.Handle, Box: a.Box, Before: (*target.TracedPicture)(a.Before), After: (*target.TracedPicture)(a.After), Note: a.Note,
	})
}

// screen makes the display of a browser.
func (d *Daemon) screen(ctx context.Context, s browser.ScreenSpec) (browser.Screen, error) {
	h, err := d.engine.Host(ctx, target.HostSpec{
		Handle: s.Handle, Label: s.Label, Size: s.Size, Left: s.Left, Opener: s.Opener, Holder: s.Holder, HandedBack: s.HandedBack, Stop: s.Stop,
	})
	return browser.Screen{Env: h.Env, End: h.End}, err
}

// browserRoutes are the verbs of vibespace-browser, POST /v1/browser/<word>.
func (d *Daemon) browserRoutes() map[string]route {
	e := d.browsers
	routes := map[string]route{
		"backend":     verb(e.Backend),
		"blocked":     verb(e.Blocked),
		"new":         verb(d.browserNew),
		"new-child":   verb(e.NewChild),
		"profiles":    verb(e.Profiles),
		"attachments": verb(e.Attachments),
		"use":         verb(e.Use),
		"detach":      verb(e.Detach),
		"close":       verb(e.Close),
		"delete":      verb(e.Delete),
		"status":      verb(e.Status),
		"resume":      verb(e.Resume),
		"watch":       verb(e.Watch),
		"cdp-url":     verb(e.CDPURL),
		"open":        verb(e.Open),
		"back":        verb(e.Back),
		"forward":     verb(e.Forward),
		"reload":      verb(e.Reload),
		"tab":         verb(e.Tab),
		"snapshot":    verb(e.Snapshot),
		"find":        verb(e.Find),
		"get":         verb(e.Get),
		"click":       verb(e.Click),
		"type":        verb(e.Type),
		"fill":        verb(e.Fill),
		"select":      verb(e.Select),
		"check":       verb(e.Check),
		"press":       verb(e.Press),
		"hover":       verb(e.Hover),
		"scroll":      verb(e.Scroll),
		"upload":      verb(e.Upload),
		"dialog":      verb(e.Dialog),
		"wait":        verb(e.Wait),
		"extract":     verb(e.Extract),
		"screenshot":  verb(e.Screenshot),
		"console":     verb(e.Console),
		"errors":      verb(e.Errors),
		"requests":    verb(e.Requests),
		"eval":        verb(e.Eval),
	}
	for word, r := range routes {
		routes[word] = d.telling(r)
	}
	return routes
}

// telling has a verb's refusal carry what waits to be said to the caller, as
// its answer would.
func (d *Daemon) telling(r route) route {
	decode := r.decode
	r.decode = func(body []byte) (job, error) {
		j, err := decode(body)
		do := j.do
		j.do = func(ctx context.Context, c api.Caller) (any, error) {
			answer, err := do(ctx, c)
			return answer, d.browsers.Refused(ctx, c, err)
		}
		return j, err
	}
	return r
}

// browserNew makes a profile, or opens a browser of the desktop-app rung: the
// ladder decides, the window engine launches it and gives the lease.
func (d *Daemon) browserNew(ctx context.Context, c api.Caller, r api.BrowserNewRequest) (api.BrowserNewAnswer, error) {
	desktop, err := d.browsers.IsDesktop(r)
	switch {
	case err != nil:
		return api.BrowserNewAnswer{}, err
	case !desktop:
		return d.browsers.New(ctx, c, r)
	}
	plan, err := d.browsers.Desktop(r)
	if err != nil {
		return api.BrowserNewAnswer{}, err
	}
	opened, err := d.engine.OpenBrowser(ctx, c, api.OpenRequest{Common: r.Common, URL: r.URL, Mode: r.Mode, Size: r.Size},
		target.BrowserSpec{Label: plan.Label, Program: plan.Program, Blind: plan.Blind, Profile: plan.Keep, NoPin: r.AutoSize})
	if err == nil {
		if err = d.browsers.Kept(ctx, c, plan, opened.Window.Handle); err != nil {
			_, _ = d.engine.Stop(context.WithoutCancel(ctx), c, api.HandleRequest{Handle: opened.Window.Handle})
		}
	}
	if err != nil {
		if plan.Keep != "" {
			_ = os.RemoveAll(plan.Keep) // nobody could name it
			_ = os.Remove(filepath.Dir(plan.Keep))
		}
		return api.BrowserNewAnswer{}, err
	}
	return api.BrowserNewAnswer{
		Answer: opened.Answer, Window: &opened.Window, NotReady: opened.NotReady, TookMs: opened.TookMs, DisplayMs: opened.DisplayMs,
		Profile: api.Profile{Handle: opened.Window.Handle, Label: plan.Label, Origin: "chosen"}, Kept: plan.Keep,
	}, nil
}
