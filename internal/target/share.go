package target

import (
	"context"

	"vibespace/internal/api"
)

// Share lets a session or a group see a window, in a mode. The person's alone.
func (e *Engine) Share(ctx context.Context, c api.Caller, r api.ShareRequest) (api.SharesAnswer, error) {
	if err := ownerOnly(c, "share"); err != nil {
		return api.SharesAnswer{}, err
	}
	if r.Mode == "" {
		r.Mode = "auto"
	}
	if err := checkMode(r.Mode); err != nil {
		return api.SharesAnswer{}, err
	}
	return doing(ctx, e, c, r.Handle, "share", needReach, func(ctx context.Context, t *turn) (api.SharesAnswer, error) {
		if err := e.grant(ctx, t.w, r.With, r.Mode, r.Remember); err != nil {
			return api.SharesAnswer{}, err
		}
		return e.shares(ctx, t.w)
	})
}

// Unshare takes a grant back, or all of them. Who loses the window loses the
// lease with it, at once.
func (e *Engine) Unshare(ctx context.Context, c api.Caller, r api.ShareRequest) (api.SharesAnswer, error) {
	if err := ownerOnly(c, "unshare"); err != nil {
		return api.SharesAnswer{}, err
	}
	return doing(ctx, e, c, r.Handle, "unshare", needReach, func(ctx context.Context, t *turn) (api.SharesAnswer, error) {
		n, err := e.cfg.Reach.Unshare(ctx, t.w.handle, r.With)
		if err != nil {
			return api.SharesAnswer{}, err
		}
		if n == 0 && r.With != "" {
			return api.SharesAnswer{}, notShared(t.w.handle, r.With)
		}
		if err := e.dropUnreached(ctx, t.w); err != nil {
			return api.SharesAnswer{}, err
		}
		return e.shares(ctx, t.w)
	})
}

// notShared refuses to take back what was never given: a name that is wrong must
// not look like a revocation.
func notShared(h api.Handle, with string) error {
	return api.Refuse(api.BadRequest, "%s is not shared with %s", h, api.Quote(with, 80)).WithHint("vibespace shares %s", h)
}

// dropUnreached cuts the verbs of who may not see the window any more, and ends
// the lease of such a holder. When it answers, nothing of theirs reaches the
// window. A store that cannot be read keeps the lease: every act asks again.
func (e *Engine) dropUnreached(ctx context.Context, w *window) error {
	e.recheck(ctx, w)
	holder := e.cfg.Leases.State(w.handle).Holder
	if holder == "" {
		return nil
	}
	_, may, err := e.cfg.Reach.May(ctx, holder, w.handle)
	if err != nil || may {
		return nil
	}
	if _, err = e.cfg.Leases.EndHold(ctx, w.handle); err != nil {
		return err
	}
	e.forgetRecaps(ctx, holder, recapOf(w.handle))
	e.hush(ctx, w)
	return nil
}

// hush waits until nothing of a verb that was cut reaches the window any more.
func (e *Engine) hush(ctx context.Context, w *window) {
	if err := e.quiet(ctx, w); err != nil {
		e.cfg.Log.Warn("keys or buttons may still be down", "handle", w.handle, "err", err)
	}
}

// Shares lists the grants of a window. The person's alone.
func (e *Engine) Shares(ctx context.Context, c api.Caller, r api.HandleRequest) (api.SharesAnswer, error) {
	if err := ownerOnly(c, "shares"); err != nil {
		return api.SharesAnswer{}, err
	}
	return doing(ctx, e, c, r.Handle, "shares", needReach, func(ctx context.Context, t *turn) (api.SharesAnswer, error) {
		return e.shares(ctx, t.w)
	})
}

// shares reads the grants of a window, and what is remembered for its
// application.
func (e *Engine) shares(ctx context.Context, w *window) (api.SharesAnswer, error) {
	list, err := e.cfg.Reach.Shares(ctx, w.handle)
	if err != nil {
		return api.SharesAnswer{}, err
	}
	remembered, err := e.cfg.Reach.Remembered(ctx, w.app)
	if err != nil {
		return api.SharesAnswer{}, err
	}
	if list == nil {
		list = []api.Share{}
	}
	answer := api.SharesAnswer{OK: true, Shares: list, Remembered: remembered}
	answer.Opener, answer.Holder = e.whose(w)
	return answer, nil
}

// Audit reads the rows of what was decided. The person's alone.
func (e *Engine) Audit(ctx context.Context, c api.Caller, r api.AuditRequest) (api.AuditAnswer, error) {
	if err := ownerOnly(c, "audit"); err != nil {
		return api.AuditAnswer{}, err
	}
	rows, err := e.cfg.Audit.List(ctx, r)
	if err != nil {
		return api.AuditAnswer{}, err
	}
	if rows == nil {
		rows = []api.AuditRow{}
	}
	return api.AuditAnswer{OK: true, Rows: rows}, nil
}

// checkMode refuses what is no mode.
func checkMode(mode string) error {
	switch mode {
	case "auto", "tree", "pixels":
		return nil
	}
	return api.Refuse(api.BadMode, "%s is no mode", api.Quote(mode, 40)).WithHint("auto, tree or pixels")
}

// Mode changes the mode of a window: an agent's on its own windows, the
// person's on any. Asking again for the mode a window has looks for its tree
// again.
func (e *Engine) Mode(ctx context.Context, c api.Caller, r api.ModeRequest) (api.OpenAnswer, error) {
	if err := checkMode(r.Mode); err != nil {
		return api.OpenAnswer{}, err
	}
	want := needReach | needLease | needLive
	if c.Owner {
		want = needReach | needLive
	}
	return doing(ctx, e, c, r.Handle, "mode", want, func(ctx context.Context, t *turn) (api.OpenAnswer, error) {
		if !c.Owner && !t.own() {
			return api.OpenAnswer{}, notYours(t.w.handle, "changes its mode")
		}
		var notReady []string
		if r.Mode != "pixels" {
			found := e.resolveMode(ctx, t.w, t.d)
			if found.mode == "pixels" && r.Mode == "tree" {
				notReady = append(notReady, "tree: "+found.why)
			}
			t.w.setMode(found)
		}
		if err := t.again(ctx); err != nil {
			return api.OpenAnswer{}, err
		}
		if err := t.remode(ctx, r.Mode); err != nil {
			return api.OpenAnswer{}, err
		}
		if err := e.keepRow(ctx, t.w); err != nil {
			return api.OpenAnswer{}, err
		}
		return api.OpenAnswer{Answer: e.answer(c), Window: e.show(ctx, c, t.w), NotReady: notReady}, nil
	})
}

// remode changes the mode of the caller's own grant, or of every grant when
// the person says it.
func (t *turn) remode(ctx context.Context, mode string) error {
	if !t.c.Owner {
		return t.e.cfg.Reach.Share(ctx, t.w.handle, "session:"+string(t.c.Session), mode)
	}
	list, err := t.e.cfg.Reach.Shares(ctx, t.w.handle)
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := t.e.cfg.Reach.Share(ctx, t.w.handle, s.With, mode); err != nil {
			return err
		}
	}
	return nil
}

// own says whether the caller opened the window itself.
func (t *turn) own() bool { return t.w.openedBy(t.c.Session) }

// notYours refuses to a session what only the opener of a window may do.
func notYours(h api.Handle, what string) error {
	return api.Refuse(api.NotYourWindow, "only who opened %s %s", h, what).
		WithHint("ask the person")
}

// setMode keeps what auto came to.
func (w *window) setMode(m resolved) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mode = m
}
