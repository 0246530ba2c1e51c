package target

import (
	"context"
	"slices"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/lease"
	"vibespace/x11"
)

// changesRest is how long following a window rests after something moved: a
// dialog maps, moves and titles itself within a moment.
const changesRest = 100 * time.Millisecond

// Changes follows a window and hands on what becomes of it, at first how it
// stands, until it has ended or ctx has. It asks nothing of the application and
// needs no lease. A caller who loses the window is told so as by any verb.
func (e *Engine) Changes(ctx context.Context, c api.Caller, r api.ChangesRequest, each func(api.Change) error) error {
	_, err := doing(ctx, e, c, r.Handle, "watch", needReach, func(ctx context.Context, t *turn) (struct{}, error) {
		f := &following{t: t, each: each}
		defer f.unwatch()
		return struct{}{}, f.run(ctx)
	})
	return err
}

// following is a window that is followed, as it was told last.
type following struct {
	t      *turn
	each   func(api.Change) error
	title  string
	parts  []api.Part
	paused bool

	watch *x11.Watcher
}

// unwatch ends watching the display.
func (f *following) unwatch() {
	if f.watch != nil {
		f.watch.Close()
	}
}

// run tells the window as it is and then every change.
func (f *following) run(ctx context.Context) error {
	w, e := f.t.w, f.t.e
	now := e.show(ctx, f.t.c, w)
	f.title, f.parts, f.paused = now.Title, now.Windows, now.Input == lease.InputUser
	if err := f.say(api.Change{Change: "now", Title: now.Title, Window: &now}); err != nil {
		return err
	}
	for {
		// Taken before it is looked, so that no change falls between.
		held, reach := e.cfg.Leases.Changed(w.handle), e.cfg.Reach.Changed()
		if err := f.t.again(ctx); err != nil {
			return err
		}
		if !w.alive() {
			ended := w.picture().Ended
			return f.say(api.Change{Change: "ended", Title: f.title, Ended: ended})
		}
		if err := f.compare(ctx); err != nil {
			return err
		}
		if err := f.wait(ctx, held, reach); err != nil {
			return err
		}
	}
}

// wait waits for something that may have changed, and a moment for what
// belongs to it.
func (f *following) wait(ctx context.Context, held, reach <-chan struct{}) error {
	var events <-chan x11.Event
	var later <-chan time.Time
	if f.watch != nil {
		events = f.watch.C
	} else {
		later = time.After(waitPoll) // its display is starting, or going
	}
	select {
	case <-held:
		return nil
	case <-reach:
		return nil
	case <-f.t.w.down:
		return nil
	case <-later:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case _, ok := <-events:
		if !ok {
			f.watch = nil
		}
		return pause(ctx, changesRest)
	}
}

// compare looks at the window and tells what is other than before. What the
// person does with it while they drive is theirs: what came of it is told when
// it is handed back.
func (f *following) compare(ctx context.Context) error {
	w := f.t.w
	d, err := w.live()
	if err != nil {
		return nil // starting, or ending: the next look says which
	}
	if f.watch == nil {
		if f.watch, err = d.X().Watch(ctx); err != nil {
			f.watch = nil
			return nil
		}
	}
	paused := f.t.e.cfg.Leases.State(w.handle).Input == lease.InputUser
	if paused != f.paused {
		f.paused = paused
		change := "handedBack"
		if paused {
			change = "paused"
		}
		if err := f.say(api.Change{Change: change, Title: f.title}); err != nil {
			return err
		}
	}
	if paused {
		return nil
	}
	s, err := w.look(ctx, d)
	if err != nil || s.main == nil {
		return ctx.Err()
	}
	return f.differs(s)
}

// differs tells how a scene differs from what was told last.
func (f *following) differs(s scene) error {
	title := f.t.w.titleIn(s)
	parts := s.list()
	var said []api.Change
	if title != f.title {
		said = append(said, api.Change{Change: "title"})
	}
	for _, p := range parts {
		if p.Kind == "dialog" && !holds(f.parts, p.N) {
			said = append(said, api.Change{Change: "opened", Part: &p})
		}
	}
	for _, p := range f.parts {
		if p.Kind == "dialog" && !holds(parts, p.N) {
			said = append(said, api.Change{Change: "closed", Part: &p})
		}
	}
	f.title, f.parts = title, parts
	for _, c := range said {
		c.Title = title
		if err := f.say(c); err != nil {
			return err
		}
	}
	return nil
}

// holds says whether a list has the part of a number.
func holds(parts []api.Part, n int) bool {
	return slices.ContainsFunc(parts, func(p api.Part) bool { return p.N == n })
}

// titleIn is the window's title: what it was opened under, else its own.
func (w *window) titleIn(s scene) string {
	if w.title != "" || s.main == nil {
		return w.title
	}
	return s.main.Title
}

// say hands a change on.
func (f *following) say(c api.Change) error {
	c.OK, c.Handle, c.At = true, f.t.w.handle, time.Now().UTC()
	return f.each(c)
}
