package target

import (
	"context"
	"slices"
	"time"

	"vibespace/internal/api"
)

// The bounds of ended windows: how many an agent's list and the person's tell
// of, and how many are remembered at all. A handle beyond that is one that does
// not exist.
const (
	listEnded   = 10
	personEnded = 50
	keepEnded   = 100
)

// keepRows is how long the row of a window that ended is kept.
const keepRows = 90 * 24 * time.Hour

// List gives the windows the caller reaches: for the person, all of them. Of
// those that ended it gives the newest few, and to the person only when they are
// asked for.
func (e *Engine) List(ctx context.Context, c api.Caller, r api.ListRequest) (api.ListAnswer, error) {
	answer := api.ListAnswer{Answer: e.answer(c), Windows: []api.Window{}}
	var reached []*window
	for _, w := range e.all() {
		if _, err := e.mayReach(ctx, c, w); err != nil {
			if api.CodeOf(err) == api.NotExposed {
				continue
			}
			return api.ListAnswer{}, err
		}
		reached = append(reached, w)
	}
	bound := listEnded
	if c.Owner {
		bound = 0
		if r.Ended {
			bound = personEnded
		}
	}
	var open map[api.Handle]int
	if c.Owner {
		var err error
		if open, err = e.openQuestions(ctx); err != nil {
			return api.ListAnswer{}, err
		}
	}
	reached, answer.EndedMore = newestEnded(reached, bound)
	for _, w := range reached {
		v := e.show(ctx, c, w)
		if c.Owner {
			shares, err := e.cfg.Reach.Shares(ctx, w.handle)
			if err != nil {
				return api.ListAnswer{}, err
			}
			var holder api.SessionID
			if v.Opener, holder = e.whose(w); holder != "" {
				v.Holder = &holder
			}
			v.Shares, v.Questions = shares, open[w.handle]
		}
		answer.Windows = append(answer.Windows, v)
	}
	return answer, nil
}

// newestEnded leaves of the windows that ended the newest, and counts the
// others. The order stays.
func newestEnded(list []*window, most int) ([]*window, int) {
	var ended []*window
	for _, w := range list {
		if !w.alive() {
			ended = append(ended, w)
		}
	}
	if len(ended) <= most {
		return list, 0
	}
	slices.SortStableFunc(ended, func(a, b *window) int { return b.endedAt().Compare(a.endedAt()) })
	older := ended[most:]
	return slices.DeleteFunc(list, func(w *window) bool { return slices.Contains(older, w) }), len(older)
}

// all gives the windows in the order they were opened.
func (e *Engine) all() []*window {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make([]*window, 0, len(e.order))
	for _, h := range e.order {
		if w := e.windows[h]; w != nil {
			list = append(list, w)
		}
	}
	return list
}

// forgetOld forgets the windows that ended longest ago, so that a daemon that
// runs for months does not grow by what it opened.
func (e *Engine) forgetOld() {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ended []*window
	for _, h := range e.order {
		if w := e.windows[h]; w != nil && w.finished() {
			ended = append(ended, w)
		}
	}
	if len(ended) <= keepEnded {
		return
	}
	slices.SortStableFunc(ended, func(a, b *window) int { return b.endedAt().Compare(a.endedAt()) })
	for _, w := range ended[keepEnded:] {
		delete(e.windows, w.handle)
	}
	e.order = slices.DeleteFunc(e.order, func(h api.Handle) bool { return e.windows[h] == nil })
}
