package target

import (
	"context"

	"vibespace/internal/api"
)

// withRemembered stands for what is remembered for a window's application,
// where a grantee is named.
const withRemembered = "remembered"

// Remembered lists the shares that are remembered, for one application or for
// all. The person's alone.
func (e *Engine) Remembered(ctx context.Context, c api.Caller, r api.RememberedRequest) (api.RememberedAnswer, error) {
	if err := ownerOnly(c, "shares"); err != nil {
		return api.RememberedAnswer{}, err
	}
	list, err := e.cfg.Reach.Remembered(ctx, r.App)
	return api.RememberedAnswer{OK: err == nil, Remembered: list}, err
}

// Forget forgets remembered shares of an application: with one session or
// group, or all. What is shared stays shared. The person's alone.
func (e *Engine) Forget(ctx context.Context, c api.Caller, r api.RememberedRequest) (api.RememberedAnswer, error) {
	if err := ownerOnly(c, "unshare"); err != nil {
		return api.RememberedAnswer{}, err
	}
	if r.App == "" {
		return api.RememberedAnswer{}, api.Refuse(api.BadRequest, "which application's is not said").WithHint("vibespace shares lists them")
	}
	n, err := e.cfg.Reach.Forget(ctx, r.App, r.With)
	if err == nil && n == 0 {
		err = api.Refuse(api.BadRequest, "nothing of that is remembered for %s", api.Quote(r.App, 80)).WithHint("vibespace shares lists what is")
	}
	if err != nil {
		return api.RememberedAnswer{}, err
	}
	return e.Remembered(ctx, c, api.RememberedRequest{App: r.App})
}

// grant shares a window with a session or a group, or as it is remembered for
// its application, and remembers that when it is asked to.
func (e *Engine) grant(ctx context.Context, w *window, with, mode string, remember bool) error {
	if with != withRemembered {
		if err := e.cfg.Reach.Share(ctx, w.handle, with, mode); err != nil || !remember {
			return err
		}
		return e.cfg.Reach.Remember(ctx, w.app, with, mode)
	}
	list, err := e.cfg.Reach.Remembered(ctx, w.app)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return api.Refuse(api.BadRequest, "nothing is remembered for %s", api.Quote(w.app, 80)).
			WithHint("vibespace share <handle> --with session:<label> --remember")
	}
	for _, r := range list {
		if err := e.cfg.Reach.Share(ctx, w.handle, r.With, r.Mode); err != nil {
			return err
		}
	}
	return nil
}
