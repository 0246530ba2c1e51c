package atspi

import (
	"context"
	"testing"
	"time"
)

// A window that never changes has settled when the first event did not come.
func TestSettleWhenNothingComes(t *testing.T) {
	t.Parallel()
	e := subscribe(t, newPeer(t).conn, Filter{})
	s, err := e.Settle(context.Background(), e.Mark(), Patience{First: 50 * time.Millisecond, Quiet: time.Hour, Max: time.Hour})
	if err != nil || !s.Quiet || s.Events != 0 || s.Took < 50*time.Millisecond {
		t.Errorf("%+v, %v", s, err)
	}
}

// One that changes on and on has not settled when the patience is over.
func TestSettleWhenItNeverStops(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	e := subscribe(t, p.conn, Filter{})
	mark := e.Mark()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				p.emit("/a", "Object.StateChanged", "busy", i&1, 0)
			}
		}
	}()
	s, err := e.Settle(context.Background(), mark, Patience{First: patience, Quiet: 2 * patience, Max: 2 * time.Second})
	close(done)
	<-ended
	if err != nil || s.Quiet || s.Events == 0 || s.Took < 2*time.Second {
		t.Errorf("%+v, %v", s, err)
	}
}

// One that stops has settled a while after, and what no person could have
// caused does not count.
func TestSettleWhenItStops(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	e := subscribe(t, p.conn, Filter{})
	mark := e.Mark()
	for i := range 20 {
		p.emit("/a", "Object.StateChanged", "busy", i&1, 0)
		p.emit("/a", "Object.BoundsChanged", "", 0, 0)
	}
	s, err := e.Settle(context.Background(), mark, Patience{First: patience, Quiet: 500 * time.Millisecond, Max: 2 * patience})
	if err != nil || !s.Quiet || s.Events != 20 || s.Took > patience {
		t.Errorf("%+v, %v", s, err)
	}
}

// What counts can be the caller's choice.
func TestSettleByTheCallersChoice(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	e := subscribe(t, p.conn, Filter{Relevant: func(ev Event) bool { return ev.Kind == KindBounds }})
	mark := e.Mark()
	p.emit("/a", "Object.StateChanged", "busy", 1, 0)
	p.emit("/a", "Object.BoundsChanged", "", 0, 0)
	s, err := e.Settle(context.Background(), mark, Patience{First: patience, Quiet: 100 * time.Millisecond, Max: patience})
	if err != nil || s.Events != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
