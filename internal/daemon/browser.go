package daemon

import (
	"context"
	"os"
	"path/filepath"

	"vibespace/internal/api"
	"vibespace/internal/target"
)

// browserRoutes are the verbs of vibespace-browser, POST /v1/browser/<word>.
func (d *Daemon) browserRoutes() map[string]route {
	return map[string]route{
		"backend": verb(d.browsers.Backend),
		"blocked": verb(d.browsers.Blocked),
		"new":     verb(d.browserNew),
	}
}

// browserNew makes a profile, or opens a browser of the desktop-app rung: the
// ladder decides, the window engine launches it and gives the lease.
func (d *Daemon) browserNew(ctx context.Context, c api.Caller, r api.BrowserNewRequest) (api.BrowserNewAnswer, error) {
	desktop, err := d.browsers.IsDesktop(r)
	switch {
	case err != nil:
		return api.BrowserNewAnswer{}, err
	case !desktop:
		return api.BrowserNewAnswer{}, api.Refuse(api.NotYet, "profiles are not built yet").
			WithHint("vibespace-browser new %s --backend desktop-app", r.Label)
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
