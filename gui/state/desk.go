package state

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

const (
	// comeBack is how long after the daemon went away it is asked for again.
	comeBack = time.Second
	// aliveEvery is how often a viewer that drives shows that it is there.
	aliveEvery = 8 * time.Second
	// verbTime bounds what a button does, launching aside.
	verbTime = 15 * time.Second
)

// Desk is the app's side of one daemon: the windows as they are now, and what a
// person can do with them. Its methods may be called from any goroutine; those
// that speak to the daemon block and belong beside the one that draws.
type Desk struct {
	c *client.Client
	// starter may start a daemon; nil where none is to be started.
	starter *client.Client
	// Viewer is this app's name as a viewer, new with each start.
	viewer string

	mu      sync.Mutex
	windows []api.Window
	known   bool  // the daemon was heard since the connection was made
	fault   error // why the daemon is not heard
	away    bool  // nothing listens
	heard   bool  // the daemon was heard once
	driving map[api.Handle]context.CancelFunc
}

// NewDesk makes the desk of two clients with the owner credential: c, which
// only looks for a daemon, and starter, which starts one where none listens and
// may be nil. A daemon that somebody ended must stay ended until the person
// says otherwise.
func NewDesk(c, starter *client.Client, viewer string) *Desk {
	return &Desk{c: c, starter: starter, viewer: viewer, driving: map[api.Handle]context.CancelFunc{}}
}

// Viewer names this app among the person's viewers.
func (d *Desk) Viewer() string { return d.viewer }

// Run follows the windows until ctx ends, starting the daemon at first and
// looking for it whenever it went away. changed is called after each change,
// from Run's goroutine.
func (d *Desk) Run(ctx context.Context, changed func()) {
	defer d.letGo()
	err := d.Start(ctx)
	for ctx.Err() == nil {
		if err == nil || d.c.Listens(ctx) {
			err = d.follow(ctx, changed)
		}
		if ctx.Err() != nil {
			return
		}
		away := !d.c.Listens(ctx)
		d.mu.Lock()
		d.known, d.fault, d.away = false, err, away
		d.mu.Unlock()
		changed()
		select {
		case <-ctx.Done():
		case <-time.After(comeBack):
		}
	}
}

// Start starts a daemon if none listens, where that is allowed; Run comes to it
// by itself.
func (d *Desk) Start(ctx context.Context) error {
	if d.starter == nil {
		return nil
	}
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.starter.Hello(bounded, api.HelloRequest{})
	return err
}

// Away says whether no daemon listens, whether one was heard before, and
// whether Start would start one.
func (d *Desk) Away() (away, ended, startable bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	away = d.away && d.fault != nil
	return away, away && d.heard, away && d.starter != nil
}

// follow is one connection's worth of Run.
func (d *Desk) follow(ctx context.Context, changed func()) error {
	if _, err := d.c.Hello(ctx, api.HelloRequest{}); err != nil {
		return err
	}
	f, err := d.c.Follow(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		e, err := f.Next(ctx)
		if err != nil {
			return err
		}
		d.mu.Lock()
		d.windows, d.known, d.fault = e.Windows, true, nil
		d.away, d.heard = false, true
		d.mu.Unlock()
		changed()
	}
}

// letGo ends the signs of life: what is driven goes back by itself.
func (d *Desk) letGo() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for h, end := range d.driving {
		end()
		delete(d.driving, h)
	}
}

// Windows gives the windows as they are, those that live first, each in the
// order they were opened, and whether the daemon is heard; if not, why.
func (d *Desk) Windows() (windows []api.Window, known bool, fault error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := slices.Clone(d.windows)
	slices.SortStableFunc(list, func(a, b api.Window) int {
		switch {
		case (a.Ended == nil) == (b.Ended == nil):
			return 0
		case a.Ended == nil:
			return -1
		}
		return 1
	})
	return list, d.known, d.fault
}

// Window gives one window.
func (d *Desk) Window(h api.Handle) (api.Window, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.windows, func(w api.Window) bool { return w.Handle == h })
	if i < 0 {
		return api.Window{}, false
	}
	return d.windows[i], true
}

// within bounds what a button does.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, verbTime)
}

// TakeOver gives a window to this viewer, and keeps saying that it is there.
// layout is the person's keyboard, "" for the display's own.
func (d *Desk) TakeOver(ctx context.Context, h api.Handle, layout string) (api.TakeoverAnswer, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.Takeover(bounded, api.TakeoverRequest{Handle: h, Viewer: d.viewer, Layout: layout})
	if err != nil && layout != "" && api.CodeOf(err) == api.BadRequest {
		// A keyboard the display does not know is no reason to leave the person
		// without the window.
		a, err = d.c.Takeover(bounded, api.TakeoverRequest{Handle: h, Viewer: d.viewer})
	}
	if err != nil {
		return a, err
	}
	d.stayAlive(h)
	return a, nil
}

// stayAlive shows that the viewer is there, until the window is handed back.
func (d *Desk) stayAlive(h api.Handle) {
	ctx, end := context.WithCancel(context.Background())
	d.mu.Lock()
	if old := d.driving[h]; old != nil {
		old()
	}
	d.driving[h] = end
	d.mu.Unlock()
	go func() {
		tick := time.NewTicker(aliveEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			bounded, cancel := within(ctx)
			_, err := d.c.Driving(bounded, api.DrivingRequest{Handle: h, Viewer: d.viewer})
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && api.CodeOf(err) != api.Unreachable {
				return // it is not ours to drive any more
			}
		}
	}()
}

// HandBack gives a window back to its agent, with a note.
func (d *Desk) HandBack(ctx context.Context, h api.Handle, note string) (api.HandbackAnswer, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.Handback(bounded, api.HandbackRequest{Handle: h, Viewer: d.viewer, Note: note})
	if err == nil {
		d.mu.Lock()
		if end := d.driving[h]; end != nil {
			end()
			delete(d.driving, h)
		}
		d.mu.Unlock()
	}
	return a, err
}

// Apps lists what can be opened.
func (d *Desk) Apps(ctx context.Context) ([]api.AppInfo, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.PersonApps(bounded, api.AppsRequest{})
	return a.Apps, err
}

// Launch opens an application as the person's own, shared with whoever is
// named, or hidden.
func (d *Desk) Launch(ctx context.Context, app, with string) (api.Window, error) {
	a, err := d.c.Launch(ctx, api.OpenRequest{App: app, With: with})
	return a.Window, err
}

// Share lets a session or group reach a window.
func (d *Desk) Share(ctx context.Context, h api.Handle, with, mode string) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.Share(bounded, api.ShareRequest{Handle: h, With: with, Mode: mode})
	return err
}

// Unshare takes a window back from a session or group.
func (d *Desk) Unshare(ctx context.Context, h api.Handle, with string) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.Unshare(bounded, api.ShareRequest{Handle: h, With: with})
	return err
}

// Resize pins a window; nil lets it go.
func (d *Desk) Resize(ctx context.Context, h api.Handle, size *api.Size) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.PersonSize(bounded, api.SizeRequest{Handle: h, Size: size})
	return err
}

// Stop ends a window now.
func (d *Desk) Stop(ctx context.Context, h api.Handle) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.PersonStop(bounded, api.HandleRequest{Handle: h})
	return err
}

// CloseWindow asks a window to close.
func (d *Desk) CloseWindow(ctx context.Context, h api.Handle) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.PersonClose(bounded, api.CloseRequest{Act: api.Act{Handle: h}})
	return err
}

// EndHold ends a session's hold of a window.
func (d *Desk) EndHold(ctx context.Context, h api.Handle) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.EndHold(bounded, api.HandleRequest{Handle: h})
	return err
}

// LastWords gives what a window's application wrote last.
func (d *Desk) LastWords(ctx context.Context, h api.Handle, lines int) ([]string, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.PersonLogs(bounded, api.LogsRequest{Handle: h, Tail: lines})
	return a.Lines, err
}

// People lists the sessions and groups.
func (d *Desk) People(ctx context.Context) ([]api.SessionInfo, []api.GroupInfo, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	s, err := d.c.SessionList(bounded, api.SessionRequest{})
	if err != nil {
		return nil, nil, err
	}
	g, err := d.c.GroupList(bounded, api.GroupRequest{})
	return s.Sessions, g.Groups, err
}

// NewSession makes a session; its token is in the answer, this once.
func (d *Desk) NewSession(ctx context.Context, label api.SessionID) (api.SessionAnswer, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	return d.c.SessionNew(bounded, api.SessionRequest{Label: label})
}

// EndSession ends one.
func (d *Desk) EndSession(ctx context.Context, label api.SessionID) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.SessionEnd(bounded, api.SessionRequest{Label: label})
	return err
}

// Group makes a group, puts a session into it or takes it out, or ends it:
// "new", "add" and "remove".
func (d *Desk) Group(ctx context.Context, do, group string, label api.SessionID) error {
	bounded, cancel := within(ctx)
	defer cancel()
	r := api.GroupRequest{Group: group, Label: label}
	var err error
	switch do {
	case "new":
		_, err = d.c.GroupNew(bounded, r)
	case "add":
		_, err = d.c.GroupAdd(bounded, r)
	case "remove":
		_, err = d.c.GroupRemove(bounded, r)
	default:
		panic("state: a group cannot " + do)
	}
	return err
}

// Daemon says which daemon this is.
func (d *Desk) Daemon(ctx context.Context) (api.DaemonAnswer, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	return d.c.Hello(bounded, api.HelloRequest{})
}

// QuitAll ends the daemon and every window.
func (d *Desk) QuitAll(ctx context.Context) error {
	_, err := d.c.Down(ctx, api.DownRequest{})
	return err
}

// Questions lists what agents asked and nobody answered, the oldest first.
func (d *Desk) Questions(ctx context.Context) ([]api.Question, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.Questions(bounded, api.QuestionsRequest{})
	return a.Questions, err
}

// Answer answers one.
func (d *Desk) Answer(ctx context.Context, id api.QuestionID, text string) error {
	bounded, cancel := within(ctx)
	defer cancel()
	_, err := d.c.Reply(bounded, api.ReplyRequest{ID: id, Text: text})
	return err
}
