package target

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/proc"
	"vibespace/x11"
)

// settleIn waits until an opened window can be used: mapped, painted, and its
// tree readable when its program can have one. What is not by the end of the
// caller's time is said, except a window, without which there is nothing.
func (e *Engine) settleIn(ctx context.Context, w *window, d *display.Display, app *lifeline, r api.OpenRequest) ([]string, error) {
	// The answer itself needs a moment of the caller's time.
	wait, cancel := shorten(ctx, answerTime)
	defer cancel()
	main, err := e.mapped(wait, w, d, app)
	if err != nil {
		return nil, err
	}
	if !w.program.browser && w.origin == "opened" && e.becameBrowser(app) {
		return nil, browserIsHuman(w.app)
	}
	notReady, err := e.ripen(wait, w, d, app, main, r)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	if w.ended == nil {
		w.state = "ready"
	}
	w.mu.Unlock()
	if err := e.cfg.Store.UpdateWindow(ctx, w.row()); err != nil {
		return nil, err
	}
	return notReady, nil
}

// ripen waits for what makes a mapped window usable: its size, its picture and
// its tree. What did not come in time is listed.
func (e *Engine) ripen(ctx context.Context, w *window, d *display.Display, app *lifeline, main x11.WindowID, r api.OpenRequest) ([]string, error) {
	var notReady []string
	if r.Size != nil {
		if err := e.pinAtOpen(ctx, w, d, *r.Size); err != nil {
			notReady = append(notReady, "size: "+sentence(err))
		}
	}
	if _, err := d.X().Painted(ctx, main); err != nil {
		if err := died(w, d, app); err != nil {
			return nil, err
		}
		notReady = append(notReady, "picture: nothing was painted yet")
	}
	if r.Mode == "pixels" {
		return notReady, nil
	}
	if w.blind != "" {
		w.setMode(resolved{mode: "pixels", why: w.blind})
		if r.Mode == "tree" {
			notReady = append(notReady, "tree: "+w.blind)
		}
		return notReady, nil
	}
	found, err := e.awaitTree(ctx, w, d, app)
	if err != nil {
		return nil, err
	}
	w.setMode(found)
	if found.late || r.Mode == "tree" && found.mode == "pixels" {
		notReady = append(notReady, "tree: "+found.why)
	}
	return append(notReady, e.pinTreeless(ctx, w, d, found, r)...), nil
}

// pinTreeless pins a browser that turned out to have no tree: what is driven by
// pixels has pixels one can count on.
func (e *Engine) pinTreeless(ctx context.Context, w *window, d *display.Display, found resolved, r api.OpenRequest) []string {
	if !w.program.browser || found.mode != "pixels" || found.late || r.Size != nil || w.noPin {
		return nil
	}
	if err := e.pinAtOpen(ctx, w, d, defaultPin); err != nil {
		return []string{"size: " + sentence(err)}
	}
	return nil
}

// answerTime is kept of the caller's time for the answer.
const answerTime = 300 * time.Millisecond

// shorten gives a context that ends a little before its parent's deadline.
func shorten(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	if at, ok := ctx.Deadline(); ok && time.Until(at) > 2*by {
		return context.WithDeadline(ctx, at.Add(-by))
	}
	return context.WithCancel(ctx)
}

// sentence is an error's words without its code.
func sentence(err error) string {
	return api.AsError(err, api.StartFailed).Message
}

// died says how an application or its display ended, nil while both live.
func died(w *window, d *display.Display, app *lifeline) error {
	select {
	case <-app.gone:
		// Asked first: the display of an application that ended is ended too.
		return exited(w.app, app)
	default:
	}
	select {
	case <-d.Done():
		return api.Refuse(api.StartFailed, "its display ended: %s", d.Why()).WithHint("vibespace doctor")
	default:
		return nil
	}
}

// mapped waits for the application's main window.
func (e *Engine) mapped(ctx context.Context, w *window, d *display.Display, app *lifeline) (x11.WindowID, error) {
	changes, err := d.X().Watch(ctx)
	if err != nil {
		return 0, startFault("the display", err)
	}
	defer changes.Close()
	for {
		s, err := w.look(ctx, d)
		if gone := died(w, d, app); gone != nil {
			return 0, gone
		}
		switch {
		case err == nil && s.main != nil:
			return s.main.ID, nil
		case err != nil && ctx.Err() == nil:
			return 0, err
		}
		select {
		case <-changes.C:
		case <-app.gone:
		case <-d.Done():
		case <-ctx.Done():
			if ctx.Err() == context.Canceled {
				return 0, ctx.Err()
			}
			words := app.LastWords()
			if words == nil {
				words = []string{}
			}
			return 0, api.Refuse(api.StartFailed, "%s showed no window in time", w.app).
				WithHint("give it longer with --timeout, or run it by hand to see what it waits for").
				With("lastWords", words)
		}
	}
}

// becameBrowser says whether an application turned out to be a browser under
// another name.
func (e *Engine) becameBrowser(app *lifeline) bool {
	pids := []int{app.PID()}
	if below, err := proc.Descendants(app.PID()); err == nil {
		for _, id := range below {
			pids = append(pids, id.PID)
		}
	}
	for _, pid := range pids {
		if exe, err := proc.Executable(pid); err == nil && browsers[filepath.Base(exe)] {
			return true
		}
	}
	return false
}

// treeGrace is how long a program whose libraries hold a toolkit, and which
// does not say so on the bus, is waited for once its window is painted.
const treeGrace = 12 * time.Second

// treePoll is how often the bus is asked for a tree that is being built; the
// registrations cost one round trip each.
const treePoll = 25 * time.Millisecond

// awaitTree waits until the application's tree is readable and says which mode
// auto comes to. A program without an accessible toolkit is settled at once;
// one with a toolkit may be late.
func (e *Engine) awaitTree(ctx context.Context, w *window, d *display.Display, app *lifeline) (resolved, error) {
	limit := treeGrace
	if w.program.browser {
		limit = 30 * time.Second
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		found := e.resolveMode(wait, w, d)
		if found.mode == "tree" {
			return found, nil
		}
		if err := died(w, d, app); err != nil {
			return resolved{}, err
		}
		if d.Toolkit(app.App) == display.NoToolkit {
			return resolved{mode: "pixels", why: "the program uses no toolkit that has an accessibility tree"}, nil
		}
		select {
		case <-wait.Done():
			if ctx.Err() == context.Canceled {
				return resolved{}, ctx.Err()
			}
			return resolved{mode: "pixels", why: found.why + "; it was waited for", late: true}, nil
		case <-time.After(treePoll):
		}
	}
}

// usableNodes is how many elements make a tree one that can be used, whatever
// they are: a window and what is in it.
const usableNodes = 3

// holdsSomething says whether there is anything in a tree to act on or to read.
// A window and a panel in it can be the beginning of one; a window and a button
// is a whole one.
func holdsSomething(tree *atspi.Tree) bool {
	if len(tree.Nodes) >= usableNodes {
		return true
	}
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if n.Parent < 0 || n.Role == atspi.RolePanel || n.Role == atspi.RoleFiller {
			continue // in GTK 4 these too say that they have actions
		}
		acts := n.Interfaces.Has(atspi.IfaceAction) || n.Interfaces.Has(atspi.IfaceEditableText) || n.Interfaces.Has(atspi.IfaceValue)
		if acts || n.Role == atspi.RoleLabel && n.Name != "" {
			return true
		}
	}
	return false
}

// usable looks into an application's tree as far as it takes to know whether
// there is something in it: in a browser, a page, whose tree comes later than
// that of what is around it.
func usable(ctx context.Context, d *display.Display, app atspi.App, browser bool) bool {
	b := readBudget
	if !browser {
		b.Nodes = 64
	}
	b.Time = readCall
	tree, err := d.Access().Read(ctx, app, b)
	if err != nil || !holdsSomething(tree) {
		return false
	}
	if !browser {
		return true
	}
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if n.Role == atspi.RoleDocumentWeb && n.States.Has(atspi.StateShowing) && !n.States.Has(atspi.StateBusy) {
			return laidOut(ctx, d, tree, i)
		}
	}
	return false
}

// primed is how many nodes of a page are read to set a browser going.
const primed = 64

// laidOut says whether a page is known with its places and texts. Firefox
// brings them from the page's process only once somebody has asked, and answers
// the first questions with nothing: a page without area and without words.
func laidOut(ctx context.Context, d *display.Display, tree *atspi.Tree, page int) bool {
	var nodes []int
	for i := page; i < min(page+primed, len(tree.Nodes)); i++ {
		nodes = append(nodes, i)
	}
	want := atspi.WantActions | atspi.WantText | atspi.WantValue | atspi.WantExtents
	if err := d.Access().Detail(ctx, tree, nodes, want, atspi.Budget{Time: readCall, Call: readCall}); err != nil {
		return false
	}
	box := tree.Nodes[page].Extents
	return box != nil && !box.Empty()
}

// resolveMode looks whether a window has a tree that can be used: a
// registration with a top level that holds something a person could see.
func (e *Engine) resolveMode(ctx context.Context, w *window, d *display.Display) resolved {
	none := func(format string, args ...any) resolved {
		return resolved{mode: "pixels", why: fmt.Sprintf(format, args...)}
	}
	apps, err := d.Access().Apps(ctx)
	if err != nil {
		return none("the accessibility bus does not answer: %v", err)
	}
	filled := 0
	for _, app := range apps {
		if app.Children == 0 {
			continue
		}
		filled++
		if usable(ctx, d, app, w.program.browser && !w.pageless) {
			return resolved{mode: "tree", why: "it has a tree (" + strings.TrimSpace(app.Toolkit+" "+app.Version) + ")"}
		}
	}
	switch {
	case len(apps) == 0:
		return none("it has not registered on the accessibility bus")
	case filled == 0:
		return none("it registered on the accessibility bus and shows no window there")
	}
	return none("its tree has no element in it yet")
}
