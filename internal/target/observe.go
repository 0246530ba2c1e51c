package target

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/x11"
)

// patience is how long an act waits for the window to settle: long enough for
// a toolkit that presses a button 100 ms after it took the order, short enough
// that nobody waits for an animation.
var patience = atspi.Patience{First: 130 * time.Millisecond, Quiet: 45 * time.Millisecond, Max: 700 * time.Millisecond}

// lately is the patience for a button that GTK 4 presses by its action: it
// shows it pressed for 250 ms before it does what it is for, and says nothing
// of that to the bus.
var lately = atspi.Patience{First: 450 * time.Millisecond, Quiet: patience.Quiet, Max: 900 * time.Millisecond}

// observeBound is how long looking at what came of an act may take: an
// application in a dialog of its own answers nothing until the dialog closes,
// which is known after readCall. One that answers slowly gets longer.
const observeBound = 1800 * time.Millisecond

// watching is what was seen before an act, so that what came of it can be told.
type watching struct {
	events  *atspi.Events
	mark    atspi.Mark
	windows map[x11.WindowID]part
	before  *told
	picture uint64
	pixels  bool
	off     bool
}

// close ends the watch.
func (w *watching) close() {
	if w.events != nil {
		_ = w.events.Close()
	}
}

// seed makes the sums of one daemon's pictures comparable.
var seed = maphash.MakeSeed()

// watch begins to watch a window, before the act.
func (a *act) watch(ctx context.Context, r api.Act) (*watching, error) {
	w := &watching{windows: map[x11.WindowID]part{}}
	for _, p := range a.scene.parts {
		w.windows[p.ID] = p
	}
	if r.NoObserve && r.Expect == "" && !r.Snapshot {
		w.off = true
		return w, nil
	}
	w.pixels = a.carriesTree(a.share(ctx)) != nil || a.d.BusEnded() != ""
	if w.pixels {
		w.picture = a.pictureSum(ctx)
		return w, nil
	}
	events, err := a.d.Access().Subscribe(ctx, atspi.Filter{})
	if err != nil {
		return nil, a.w.fault(err)
	}
	w.events = events
	w.before = a.w.knows(a.c.Session).seen
	if w.before == nil {
		// Nothing was told yet: what is there now is what a change differs from.
		// A tree that cannot be read now is the observation's fault, not the act's.
		if nodes, err := a.rows(ctx); err == nil {
			w.before = tellings(nodes)
			a.w.looks(a.c.Session, w.before, false)
		}
	}
	w.mark = events.Mark()
	return w, nil
}

// share is the mode of the caller's share, "auto" when it cannot be read: the
// decision is taken elsewhere, this only chooses the road.
func (t *turn) share(ctx context.Context) string {
	mode, err := t.e.mayReach(ctx, t.c, t.w)
	if err != nil {
		return "auto"
	}
	return mode
}

// rows reads the window as the default view shows it. Its refs are told to
// nobody: a ref that an act looked at and did not show stays unknown, or stale.
func (a *act) rows(ctx context.Context) ([]api.Node, error) {
	snap, err := a.view(ctx, api.SnapshotRequest{Handle: a.w.handle}, a.number)
	return snap.Nodes, err
}

// observe waits for the window to settle and says what came of the act. What
// it cannot see it says: the act itself was done.
func (a *act) observe(ctx context.Context, w *watching) api.Observed {
	began := time.Now()
	seen := api.Observed{Diff: []string{}}
	if w.pixels {
		a.observePicture(ctx, w, &seen)
		seen.SettledMs = int(time.Since(began).Milliseconds())
		return seen
	}
	if a.applied == "yes" {
		wait := patience
		if a.late {
			wait = lately
		}
		if _, err := w.events.Settle(ctx, w.mark, wait); err != nil && !errors.Is(err, atspi.ErrClosed) {
			seen.Failed = a.refusal(err).Error()
			return seen
		}
	}
	look, cancel := context.WithTimeout(ctx, observeBound)
	defer cancel()
	before := w.before
	nodes, err := a.rows(look)
	for err == nil && coming(nodes, before) && time.Since(began) < patience.Max {
		// A window that the tree has and X has not yet is on its way.
		if _, serr := w.events.Quiet(ctx, patience.Quiet, patience.Max-time.Since(began)); serr != nil {
			break
		}
		nodes, err = a.rows(look)
	}
	seen.SettledMs = int(time.Since(began).Milliseconds())
	a.came(ctx, w, nodes, err, &seen)
	return seen
}

// came says what differs from before, by the tree that was read or, when that
// is silent, by the windows that came and went.
func (a *act) came(ctx context.Context, w *watching, nodes []api.Node, err error, seen *api.Observed) {
	if err == nil && w.before == nil {
		return
	}
	if err == nil {
		var shown []api.Ref
		seen.Diff, shown = w.before.changes(nodes)
		a.w.refs.say(shown, a.held.Epoch)
		a.w.looks(a.c.Session, tellings(nodes), len(seen.Diff) <= diffLines)
		if len(seen.Diff) == 0 {
			// What the tree never told of, a dialog it was silent in, can still
			// have come or gone.
			seen.Diff = a.windowChanges(ctx, w, "")
		}
		return
	}
	// Not even which windows came is for who lost the window meanwhile.
	if gone := a.again(ctx); gone != nil {
		err = gone
	} else {
		seen.Diff = a.windowChanges(ctx, w, "; its tree has not answered: a screenshot shows it, click --at X,Y answers it")
	}
	if len(seen.Diff) == 0 {
		seen.Failed = a.refusal(err).Error()
	}
}

// coming says whether the tree has a new top level that is not drawn yet.
func coming(nodes []api.Node, before *told) bool {
	for _, n := range nodes {
		if n.Parent != nil || n.Bounds != nil {
			continue
		}
		if before == nil || before.gist[n.Ref] == "" {
			return true
		}
	}
	return false
}

// windowChanges tells the windows that came and went, also when the tree is
// silent: an application in a nested dialog answers X and the person, not the
// bus. note is added to each that came.
func (a *act) windowChanges(ctx context.Context, w *watching, note string) []string {
	lines := []string{}
	s, err := a.w.look(ctx, a.d)
	if err != nil {
		return lines
	}
	here := map[x11.WindowID]bool{}
	for _, p := range s.parts {
		here[p.ID] = true
		if _, known := w.windows[p.ID]; !known {
			lines = append(lines, "+ "+s.line(p)+note)
		}
	}
	for id, p := range w.windows {
		if !here[id] {
			lines = append(lines, "- "+p.called())
		}
	}
	return lines
}

// called is what a window is called in a sentence: the number of a main window
// is the next one's as well.
func (p part) called() string {
	if p.kind == "main" {
		return "main window " + api.Quote(p.Title, 80)
	}
	return fmt.Sprintf("%s %s window %d", p.kind, api.Quote(p.Title, 80), p.n)
}

// line is a window of a scene with its place.
func (s scene) line(p part) string { return fmt.Sprintf("%s (%s)", p.called(), s.local(p.Geometry)) }

// pictureQuiet is how long a picture must stay the same to have settled.
const pictureQuiet = 60 * time.Millisecond

// observePicture waits until the picture stays as it is and says whether it
// changed.
func (a *act) observePicture(ctx context.Context, w *watching, seen *api.Observed) {
	deadline := time.Now().Add(patience.Max)
	first := time.Now().Add(patience.First)
	last, changed := w.picture, false
	for {
		if err := pause(ctx, pictureQuiet); err != nil {
			seen.Failed = a.refusal(err).Error()
			return
		}
		now := a.pictureSum(ctx)
		steady := now == last
		changed = changed || now != w.picture
		last = now
		if time.Now().After(deadline) || (steady && (changed || time.Now().After(first))) {
			break
		}
	}
	if err := a.again(ctx); err != nil {
		seen.Failed = a.refusal(err).Error()
		return
	}
	differs := last != w.picture
	seen.PictureChanged = &differs
}

// pictureSum is a sum of the default picture, 0 when there is none.
func (t *turn) pictureSum(ctx context.Context) uint64 {
	s, err := t.take(ctx, api.ScreenshotRequest{})
	if err != nil {
		return 0
	}
	defer s.free()
	return maphash.Bytes(seed, s.rgba().Pix)
}

// pause waits for d.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// expectation is a post-condition that the caller named.
type expectation struct {
	text  string // as given
	key   string // text, title, gone, window, state
	value string
	ref   api.Ref
}

// String is the condition as it was given.
func (x *expectation) String() string { return x.text }

// parseExpect reads text=…, title=…, gone=@e7, @e7.state=checked, window=….
func parseExpect(s string) (*expectation, error) {
	if s == "" {
		return nil, nil
	}
	key, value, ok := strings.Cut(s, "=")
	x := &expectation{text: s, key: key, value: value}
	bad := api.Refuse(api.BadRequest, "%s is no condition", api.Quote(s, 120)).
		WithHint("text=…, title=…, gone=@e7, @e7.state=checked, window=…")
	if !ok || value == "" {
		return nil, bad
	}
	switch {
	case key == "text" || key == "title" || key == "window":
		return x, nil
	case key == "gone":
		x.ref = api.Ref(value)
		return x, checkRef(x.ref)
	case strings.HasPrefix(key, "@") && strings.HasSuffix(key, ".state"):
		x.ref, x.key = api.Ref(strings.TrimSuffix(key, ".state")), "state"
		if _, err := stateMatcher(value); err != nil {
			return nil, err
		}
		return x, checkRef(x.ref)
	}
	return nil, bad
}

// expects waits until the condition holds, within the verb's own time and a
// couple of seconds at the most.
func (a *act) expects(ctx context.Context, x *expectation) (bool, error) {
	wait, cancel := context.WithTimeout(ctx, expectBound)
	defer cancel()
	for {
		met, err := a.holds(wait, x)
		if met || (err != nil && wait.Err() == nil && api.CodeOf(err) != api.NotResponding) {
			return met, err
		}
		if pause(wait, expectPoll) != nil {
			return false, ctx.Err()
		}
	}
}

const (
	expectBound = 2 * time.Second
	expectPoll  = 60 * time.Millisecond
)

// holds asks the condition once.
func (t *turn) holds(ctx context.Context, x *expectation) (bool, error) {
	switch x.key {
	case "title", "window":
		s, err := t.w.look(ctx, t.d)
		if err != nil {
			return false, err
		}
		for _, p := range s.parts {
			if (x.key == "window" || p.kind == "main") && strings.Contains(p.Title, x.value) {
				return true, nil
			}
		}
		return false, nil
	case "gone":
		n, err := t.fresh(ctx, x.ref)
		if api.CodeOf(err) == api.StaleRef {
			return true, nil
		}
		return err == nil && !n.node.States.Has(atspi.StateVisible), err
	case "state":
		n, err := t.fresh(ctx, x.ref)
		if err != nil {
			return false, err
		}
		in, err := stateMatcher(x.value)
		return err == nil && in(&item{has: n.node.States}), err
	}
	return t.shows(ctx, x.value)
}

// shows says whether any element a person can see says the words.
func (t *turn) shows(ctx context.Context, words string) (bool, error) {
	read, err := t.e.read(ctx, t.w, t.d, readOpts{doubt: t.doubt})
	if err != nil {
		return false, err
	}
	for _, it := range read.items {
		if it.seen && it.says(words) {
			return true, nil
		}
	}
	v := lay(read.roots, viewWant{})
	if err := t.detail(ctx, read, v); err != nil {
		return false, err
	}
	for _, r := range v.rows {
		if r.says(words) {
			return true, nil
		}
	}
	return false, nil
}
