package target

import (
	"context"

	"vibespace/internal/api"
)

// Close asks a window to close, as its close button would. What the
// application makes of it, a question to save for one, is what is observed.
func (e *Engine) Close(ctx context.Context, c api.Caller, r api.CloseRequest) (api.Acted, error) {
	want := needSee
	if c.Owner {
		want = needReach | needLive
	}
	return acting(ctx, e, c, r.Act, "close", want, func(ctx context.Context, a *act) error {
		n := 0
		if r.Window != nil {
			n = *r.Window
		}
		p := a.scene.byN(n)
		if p == nil {
			return noPart(a.w.handle, n, a.scene)
		}
		a.did.Name = p.Title
		a.look = func(ctx context.Context, w *watching, seen *api.Observed) { a.inTheWay(ctx, *p, w, seen) }
		if err := a.ready(ctx); err != nil {
			return err
		}
		asked, err := a.d.X().CloseWindow(ctx, p.ID)
		if err != nil {
			return a.w.fault(err)
		}
		if !asked {
			return api.Refuse(api.NoAction, "window %d cannot be asked to close", n).
				WithHint("vibespace-window stop %s ends the application", a.w.handle)
		}
		return nil
	})
}

// wayOut is what to do about a window that stands in the way, by its kind.
var wayOut = map[string]string{"dialog": "answer it first", "popup": "close it first (key Escape)"}

// inTheWay names the dialogs and popups that keep a window from closing: those
// that were open before and still are, while the window is still there. An
// application that runs one as a loop of its own, or has a menu open, hears no
// other window meanwhile.
func (a *act) inTheWay(ctx context.Context, closed part, w *watching, seen *api.Observed) {
	if w.off || len(seen.Diff) > 0 {
		return // what came of it is told: a question, or the window's end
	}
	look, cancel := context.WithTimeout(ctx, lookBound)
	defer cancel()
	s, err := a.w.look(look, a.d)
	if err != nil || s.byID(closed.ID) == nil || a.again(look) != nil {
		return // which windows there are is not for who lost the window meanwhile
	}
	for _, p := range s.parts {
		if _, before := w.windows[p.ID]; !before || p.ID == closed.ID || wayOut[p.kind] == "" {
			continue
		}
		seen.Diff = append(seen.Diff, "= "+s.line(p)+" stands in the way: "+wayOut[p.kind])
	}
	if len(seen.Diff) > 0 {
		seen.Failed = ""
	}
}
