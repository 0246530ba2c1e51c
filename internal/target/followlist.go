package target

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"vibespace/internal/api"
	"vibespace/x11"
)

const (
	// followTick is how often a follower compares what the engine knows by
	// itself, if nothing makes it: it asks no application and no disk. What a verb
	// changed it is told of.
	followTick = time.Second
	// followRest is how long a follower waits after a change for what belongs to
	// it: a window that opens maps, moves and titles itself within a moment.
	followRest = 150 * time.Millisecond
)

// Follower tells the person's windows whenever something of them changes. Next
// is one goroutine's; Close ends it.
type Follower struct {
	e      *Engine
	c      api.Caller
	last   []api.Window
	known  []standing
	deeds  int64         // Engine.deeds when the windows were told last
	poke   chan struct{} // something changed that the engine does not know by itself
	look   chan struct{} // a verb has ended
	life   context.Context
	end    context.CancelFunc
	work   sync.WaitGroup
	titles map[*window]bool // whose display is followed
}

// standing is what the engine knows of a window by itself.
type standing struct {
	picture api.Window
	holder  api.SessionID
	input   string
	driver  string
}

// Follow begins to follow the windows. The person's alone.
func (e *Engine) Follow(_ context.Context, c api.Caller) (*Follower, error) {
	if err := ownerOnly(c, "follow"); err != nil {
		return nil, err
	}
	f := &Follower{e: e, c: c, poke: make(chan struct{}, 1), look: make(chan struct{}, 1), titles: map[*window]bool{}}
	f.life, f.end = context.WithCancel(e.life)
	e.followers.Store(f, true)
	return f, nil
}

// Touch says that something was done which a follower may have to tell: shares
// and groups lie in the store, which no follower reads without need.
func (e *Engine) Touch() {
	e.deeds.Add(1)
	e.Stir()
}

// Stir says that a verb has ended: followers look whether it changed what the
// engine knows by itself.
func (e *Engine) Stir() {
	e.followers.Range(func(f, _ any) bool {
		poke(f.(*Follower).look)
		return true
	})
}

// poke leaves word in a channel that has room for one.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close ends the follower.
func (f *Follower) Close() {
	f.e.followers.Delete(f)
	f.end()
	f.work.Wait()
}

// Next gives the windows: at once the first time, then when they are not as
// they were told last.
func (f *Follower) Next(ctx context.Context) ([]api.Window, error) {
	tick := time.NewTicker(followTick)
	defer tick.Stop()
	for {
		if f.last == nil || f.moved() {
			list, err := f.e.List(ctx, f.c, api.ListRequest{Ended: true})
			if err != nil {
				return nil, err
			}
			if f.last == nil || !reflect.DeepEqual(f.last, list.Windows) {
				f.last = list.Windows
				return list.Windows, nil
			}
		}
		if err := f.wait(ctx, tick.C); err != nil {
			return nil, err
		}
	}
}

// wait sleeps until something may have changed.
func (f *Follower) wait(ctx context.Context, tick <-chan time.Time) error {
	select {
	case <-tick:
		return nil
	case <-f.look:
		return nil
	case <-f.poke:
		f.known = nil
		return pause(ctx, followRest)
	case <-ctx.Done():
		return ctx.Err()
	case <-f.life.Done():
		return errors.New("the daemon is going down")
	}
}

// moved says whether what the engine knows by itself has changed since it was
// asked last, or an event told of something else.
func (f *Follower) moved() bool {
	var now []standing
	for _, w := range f.e.all() {
		l := f.e.cfg.Leases.State(w.handle)
		_, holder := f.e.whose(w)
		now = append(now, standing{w.picture(), holder, l.Input, l.Driver})
		f.followTitles(w)
	}
	deeds := f.e.deeds.Load()
	if f.known != nil && f.deeds == deeds && reflect.DeepEqual(f.known, now) {
		return false
	}
	f.known, f.deeds = now, deeds
	if f.known == nil {
		f.known = []standing{}
	}
	return true
}

// followTitles has the events of a window's display wake the follower.
func (f *Follower) followTitles(w *window) {
	d, err := w.live()
	if err != nil {
		delete(f.titles, w)
		return
	}
	if f.titles[w] {
		return
	}
	f.titles[w] = true
	f.work.Go(func() {
		watch, err := d.X().Watch(f.life)
		if err != nil {
			return // the display is going
		}
		defer watch.Close()
		for {
			select {
			case ev, ok := <-watch.C:
				if !ok {
					return
				}
				if ev.Window == 0 && ev.Change != x11.Lost {
					continue
				}
				poke(f.poke)
			case <-f.life.Done():
				return
			}
		}
	})
}
