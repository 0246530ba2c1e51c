package x11

import (
	"slices"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// next takes one event, or fails.
func next(t *testing.T, w *Watcher) Event {
	t.Helper()
	select {
	case e, ok := <-w.C:
		if !ok {
			t.Fatal("the watch ended")
		}
		return e
	case <-time.After(patience):
		t.Fatal("no event")
	}
	return Event{}
}

// retitle gives a window another title through c.
func (s *screen) retitle(c *Conn, id WindowID, title string) {
	s.t.Helper()
	err := c.do(within(s.t), func(x *xgb.Conn) error {
		return xproto.ChangePropertyChecked(x, xproto.PropModeReplace, xproto.Window(id), c.atom("_NET_WM_NAME"),
			c.atom("UTF8_STRING"), 8, uint32(len(title)), []byte(title)).Check()
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// watch follows the windows as long as the test.
func (s *screen) watch() *Watcher {
	s.t.Helper()
	w, err := s.Watch(within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(w.Close)
	return w
}

// Every watch hears everything; one that is closed hears nothing and delays none.
func TestWatches(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	id := s.open(app, frame{Rect: Rect{0, 0, 10, 10}, title: "before"})
	watches := []*Watcher{s.watch(), s.watch(), s.watch()}
	s.retitle(app, id, "one")
	for i, w := range watches {
		got, want := next(t, w), Event{Change: Retitled, Window: id}
		if got.Change == Mapped { // the window's coming may still have been on its way
			got = next(t, w)
		}
		if got != want {
			t.Errorf("watch %d: %+v, want %+v", i, got, want)
		}
	}
	for range 2 {
		watches[0].Close()
	}
	if _, open := <-watches[0].C; open {
		t.Error("a closed watch is open")
	}
	if err := app.Resize(within(t), id, 30, 40); err != nil {
		t.Fatal(err)
	}
	for i, w := range watches[1:] {
		if got, want := next(t, w), (Event{Change: Configured, Window: id, Geometry: Rect{0, 0, 30, 40}}); got != want {
			t.Errorf("watch %d: %+v, want %+v", i, got, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, w := range watches[1:] {
		if e, open := <-w.C; open {
			t.Errorf("after the end of the connection: %+v", e)
		}
	}
}

// A window that comes later is followed from the moment it is shown, its title,
// too, to its end.
func TestWatchLaterWindow(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	w := s.watch()
	id := s.open(app, frame{Rect: Rect{5, 6, 10, 10}, title: "after"})
	got := next(t, w)
	for got.Change == Retitled { // it was titled before it was shown
		got = next(t, w)
	}
	if got != (Event{Change: Mapped, Window: id}) {
		t.Errorf("%+v when a window is shown", got)
	}
	s.until("the title to be followed", func() bool {
		s.retitle(app, id, "changed")
		select {
		case e := <-w.C:
			return e == Event{Change: Retitled, Window: id}
		case <-time.After(50 * time.Millisecond):
			return false
		}
	})
	s.gone(app, id)
	var changes []Change
	for !slices.Contains(changes, Destroyed) {
		if e := next(t, w); e.Change != Retitled {
			changes = append(changes, e.Change)
		}
	}
	if !slices.Equal(changes, []Change{Unmapped, Destroyed}) {
		t.Errorf("%v when a window ends", changes)
	}
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	move := func(id WindowID, x int) Event {
		return Event{Change: Configured, Window: id, Geometry: Rect{X: x}}
	}
	title := func(id WindowID) Event { return Event{Change: Retitled, Window: id} }
	shown, hidden, lost := Event{Change: Mapped, Window: 1}, Event{Change: Unmapped, Window: 1}, Event{Change: Lost}
	tests := []struct {
		name      string
		add, want []Event
	}{
		{"moves are one", []Event{move(1, 1), move(1, 2), move(1, 3)}, []Event{move(1, 3)}},
		{"of each window", []Event{move(1, 1), move(2, 1), move(1, 2)}, []Event{move(1, 2), move(2, 1)}},
		{"titles between are no matter", []Event{move(1, 1), title(1), move(1, 2), title(1)}, []Event{move(1, 2), title(1)}},
		{"but being shown is", []Event{move(1, 1), shown, move(1, 2), hidden}, []Event{move(1, 1), shown, move(1, 2), hidden}},
		{"of that window", []Event{move(2, 1), shown, move(2, 2)}, []Event{move(2, 2), shown}},
		{"what is lost is said once", []Event{lost, move(1, 1), lost, move(1, 2), shown, lost}, []Event{lost, move(1, 2), shown}},
	}
	for _, test := range tests {
		var b backlog
		for _, e := range test.add {
			b.add(e)
		}
		if !slices.Equal(b.events, test.want) {
			t.Errorf("%s: %v, want %v", test.name, b.events, test.want)
		}
	}
	var b backlog
	for i := range 10 * maxPending {
		b.add(Event{Change: Mapped, Window: WindowID(i)})
		if len(b.events) > maxPending {
			t.Fatal("it grows")
		}
	}
	if b.events[0].Change != Lost {
		t.Error("what was dropped is not said")
	}
}

// A reader that stands still costs no more than the bound and harms nobody.
func TestSlowWatcher(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	slow, err := s.Watch(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	id := s.open(app, frame{Rect: Rect{0, 0, 10, 10}})
	const last = 2000
	for i := range last + 1 {
		if err := app.Move(within(t), id, Point{i, 0}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(within(t)); err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		e := next(t, slow)
		n++
		if e.Change == Configured && e.Geometry.X == last || e.Change == Lost && s.at(id).Geometry.X == last {
			break // what was lost is read anew
		}
		if n > 100 {
			t.Fatalf("%d events for one window", n)
		}
	}
}
