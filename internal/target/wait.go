package target

import (
	"context"
	"errors"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// waitPoll is how long a wait lets pass between two looks when nothing told it
// of a change: some toolkits change without a word.
const waitPoll = 250 * time.Millisecond

// maxIdle bounds --idle.
const maxIdle = time.Minute

// Wait waits until what was named is so. The time running out is the answer
// timeout.
func (e *Engine) Wait(ctx context.Context, c api.Caller, r api.WaitRequest) (api.WaitAnswer, error) {
	met, want, err := waitFor(r)
	if err != nil {
		return api.WaitAnswer{}, err
	}
	if w := e.window(r.Handle); r.Exit && w != nil && !w.alive() {
		want &^= needLease // nobody holds a window that ended
	}
	return doing(ctx, e, c, r.Handle, "wait", want, func(ctx context.Context, t *turn) (api.WaitAnswer, error) {
		began := time.Now()
		nodes, seen, err := t.wait(ctx, r)
		if errors.Is(err, context.DeadlineExceeded) {
			return api.WaitAnswer{}, expired(r, seen, time.Since(began))
		}
		if err != nil {
			return api.WaitAnswer{}, err
		}
		return api.WaitAnswer{
			Answer: e.answer(c), Handle: t.w.handle, Met: met, TookMs: int(time.Since(began).Milliseconds()), Nodes: nodes,
		}, nil
	})
}

// waitFor names what a wait is for and what it needs.
func waitFor(r api.WaitRequest) (string, need, error) {
	if err := checkWait(r); err != nil {
		return "", 0, err
	}
	gone := ""
	if r.Gone {
		gone = " gone"
	}
	for _, f := range waits(r) {
		if f.named {
			return f.met + gone, f.want, nil
		}
	}
	return "exit", needReach | needLease, nil
}

// waitForm is one thing a wait can be for.
type waitForm struct {
	named bool
	met   string
	want  need
	// goes is whether it can be waited for to go.
	goes bool
}

// waits are the forms of a wait, and which of them a request names.
func waits(r api.WaitRequest) []waitForm {
	return []waitForm{
		{r.Text != "", "text", needRead, true},
		{r.Text == "" && (r.Role != "" || r.Name != "" || r.State != ""), "node", needRead, true},
		{r.Title != "", "title", needSee, true},
		{r.IdleMs != 0, "idle", needSee, false},
		{r.Window, "window", needSee, true},
		{r.Exit, "exit", needReach | needLease, false},
	}
}

// checkWait refuses a wait that is for nothing, for several things, or for
// something to go that cannot.
func checkWait(r api.WaitRequest) error {
	named, goes := 0, false
	for _, f := range waits(r) {
		if f.named {
			named++
			goes = f.goes
		}
	}
	switch {
	case named == 0 && r.Gone:
		return api.Refuse(api.BadRequest, "--gone needs what is to go").WithHint("--text T --gone, --title T --gone")
	case named == 0:
		return api.Refuse(api.BadRequest, "a wait needs something to wait for").
			WithHint("--text, --role and --name, --title, --idle MS, --window or --exit")
	case named > 1:
		return api.Refuse(api.BadRequest, "a wait is for one thing").WithHint("wait twice")
	case r.State != "" && r.Role == "" && r.Name == "":
		return api.Refuse(api.BadRequest, "--state needs a node").WithHint("--role R --name N --state enabled")
	case r.Gone && !goes:
		return api.Refuse(api.BadRequest, "--gone needs what is to go").WithHint("--text T --gone, --title T --gone")
	case r.IdleMs < 0 || time.Duration(r.IdleMs)*time.Millisecond > maxIdle:
		return api.Refuse(api.BadRequest, "--idle is between 1 and %d ms", maxIdle.Milliseconds()).WithHint("--idle 500")
	}
	return nil
}

// wait waits, asking again after every change and giving up with the caller's
// time. It says what it saw last of what it waited for.
func (t *turn) wait(ctx context.Context, r api.WaitRequest) (nodes []api.Node, seen string, err error) {
	if r.Exit {
		return nil, "it runs", t.waitExit(ctx)
	}
	if r.IdleMs > 0 {
		seen, err := t.waitIdle(ctx, time.Duration(r.IdleMs)*time.Millisecond)
		return nil, seen, err
	}
	changes := changesOf(ctx, t.d)
	defer changes.close()
	first, err := t.w.look(ctx, t.d)
	if err != nil {
		return nil, "", err
	}
	for {
		nodes, met, now, err := t.met(ctx, r, first)
		switch code := api.CodeOf(err); {
		case err == nil && met:
			return nodes, now, t.again(ctx)
		case err == nil:
			seen = now
		case code != api.NotResponding && code != api.NoTree:
			return nil, seen, err
		case ctx.Err() == nil:
			seen = "its tree could not be read"
		}
		if err := changes.next(ctx, waitPoll); err != nil {
			return nil, seen, err
		}
		if err := t.again(ctx); err != nil {
			return nil, seen, err
		}
	}
}

// met asks what is waited for once, and says what was seen of it.
func (t *turn) met(ctx context.Context, r api.WaitRequest, first scene) (nodes []api.Node, met bool, seen string, err error) {
	switch {
	case r.Title != "":
		s, err := t.w.look(ctx, t.d)
		if err != nil {
			return nil, false, "", err
		}
		return nil, s.titled(r.Title) != r.Gone, s.told(), nil
	case r.Window:
		s, err := t.w.look(ctx, t.d)
		if err != nil {
			return nil, false, "", err
		}
		if r.Gone {
			return nil, len(s.parts) < len(first.parts) || len(s.parts) <= 1, s.told(), nil
		}
		return nil, fresher(s, first), s.told(), nil
	case r.Text != "":
		ok, err := t.shows(ctx, r.Text)
		seen := "no element says it"
		if ok {
			seen = "an element says it"
		}
		return nil, ok != r.Gone, seen, err
	}
	return t.metNode(ctx, r)
}

// metNode asks for a node a person can see, by role and name.
func (t *turn) metNode(ctx context.Context, r api.WaitRequest) ([]api.Node, bool, string, error) {
	match, err := matcher(r.Role, r.Name, r.State)
	if err != nil {
		return nil, false, "", err
	}
	read, err := t.e.read(ctx, t.w, t.d, readOpts{})
	if err != nil {
		return nil, false, "", err
	}
	v := view{}
	for _, it := range read.items {
		if it.seen && match(it) && len(v.rows) < findLimit {
			v.rows = append(v.rows, &row{item: it, depth: 1})
		}
	}
	if r.Gone || len(v.rows) == 0 {
		return nil, r.Gone && len(v.rows) == 0, nearest(read, r), nil
	}
	if err := t.detail(ctx, read, v); err != nil {
		return nil, false, "", err
	}
	return v.nodes(t.tell), true, "", nil
}

// fresher says whether a scene has a window the other had not.
func fresher(now, then scene) bool {
	for _, p := range now.parts {
		if then.byID(p.ID) == nil {
			return true
		}
	}
	return false
}

// waitExit waits for the application's end.
func (t *turn) waitExit(ctx context.Context) error {
	select {
	case <-t.w.down:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitIdle waits until nothing in the window has changed for a while.
func (t *turn) waitIdle(ctx context.Context, d time.Duration) (seen string, err error) {
	changes := changesOf(ctx, t.d)
	defer changes.close()
	last, since := t.pictureSum(ctx), time.Now()
	seen = "it has not changed yet"
	for time.Since(since) < d {
		if err := changes.next(ctx, min(waitPoll, d-time.Since(since)+time.Millisecond)); err != nil {
			return seen, err
		}
		if err := t.again(ctx); err != nil {
			return seen, err
		}
		if now := t.pictureSum(ctx); now != last {
			last, since = now, time.Now()
			seen = "it changed last at " + since.UTC().Format(time.RFC3339Nano)
		}
	}
	return seen, nil
}

// changes is what tells that a display may look different now.
type changes struct {
	tree <-chan struct{}
	x    <-chan x11.Event
	end  func()
}

// changesOf watches a display. A part that cannot be watched is left out: a
// wait looks now and then all the same.
func changesOf(ctx context.Context, d *display.Display) *changes {
	c := &changes{}
	unwatch := func() {}
	if watch, err := d.X().Watch(ctx); err == nil {
		c.x, unwatch = watch.C, watch.Close
	}
	wait, cancel := context.WithCancel(ctx)
	tree := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		follow(wait, d, tree)
	}()
	c.tree = tree
	c.end = func() { cancel(); <-done; unwatch() }
	return c
}

// close ends the watching and waits for it.
func (c *changes) close() { c.end() }

// next waits for a change, or for d.
func (c *changes) next(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.tree:
	case _, ok := <-c.x:
		if !ok {
			c.x = nil // the server went away: the look after this says so
		}
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return ctx.Err()
}
