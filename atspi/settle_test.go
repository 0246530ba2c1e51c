package atspi

import (
	"context"
	"testing"
	"time"
)

// A window that never changes has settled when the first event did not come,
// one that changes on and on has not when the patience is over, and one that
// stops has a while after.
func TestSettle(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("nothing comes", func(t *testing.T) {
		t.Parallel()
		e := subscribe(t, newPeer(t).conn, Filter{})
		s, err := e.Settle(ctx, e.Mark(), Patience{First: 50 * time.Millisecond, Quiet: time.Hour, Max: time.Hour})
		if err != nil || !s.Quiet || s.Events != 0 || s.Took < 50*time.Millisecond {
			t.Errorf("%+v, %v", s, err)
		}
	})
	t.Run("it never stops", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t)
		e := subscribe(t, p.conn, Filter{})
		mark := e.Mark()
		done := make(chan struct{})
		ended := make(chan struct{})
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
		s, err := e.Settle(ctx, mark, Patience{First: patience, Quiet: 2 * time.Second, Max: 400 * time.Millisecond})
		close(done)
		<-ended
		if err != nil || s.Quiet || s.Events == 0 || s.Took < 400*time.Millisecond {
			t.Errorf("%+v, %v", s, err)
		}
	})
	t.Run("it stops", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t)
		e := subscribe(t, p.conn, Filter{})
		mark := e.Mark()
		for i := range 20 {
			p.emit("/a", "Object.StateChanged", "busy", i&1, 0)
			p.emit("/a", "Object.BoundsChanged", "", 0, 0) // no reason to wait
		}
		s, err := e.Settle(ctx, mark, Patience{First: patience, Quiet: 100 * time.Millisecond, Max: 2 * patience})
		if err != nil || !s.Quiet || s.Events != 20 || s.Took > patience {
			t.Errorf("%+v, %v", s, err)
		}
	})
	t.Run("what matters is the caller's", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t)
		e := subscribe(t, p.conn, Filter{Relevant: func(ev Event) bool { return ev.Kind == KindBounds }})
		mark := e.Mark()
		p.emit("/a", "Object.StateChanged", "busy", 1, 0)
		p.emit("/a", "Object.BoundsChanged", "", 0, 0)
		s, err := e.Settle(ctx, mark, Patience{First: patience, Quiet: 100 * time.Millisecond, Max: patience})
		if err != nil || s.Events != 1 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
