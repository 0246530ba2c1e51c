package x11

import (
	"context"
	"fmt"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Clicks sees the clicks on windows that are not in front before they do, for a
// display whose window manager leaves that to somebody else. It has a connection
// of its own.
type Clicks struct {
	conn *Conn
	sub  *subscription
	over sync.WaitGroup

	mu   sync.Mutex
	held map[WindowID]bool
}

// Clicks starts to watch. front is called for each click, with the window; the
// click goes to it when front has returned, as if nobody had looked. It must not
// block.
func (c *Conn) Clicks(ctx context.Context, front func(WindowID)) (*Clicks, error) {
	conn, err := c.another(ctx)
	if err != nil {
		return nil, fmt.Errorf("watch clicks: %w", err)
	}
	k := &Clicks{conn: conn, held: map[WindowID]bool{}}
	k.sub = conn.subscribe(func(ev xgb.Event) bool {
		_, ok := ev.(xproto.ButtonPressEvent)
		return ok
	}, wmQueue)
	k.over.Go(func() {
		for ev := range k.sub.C {
			press, ok := ev.(xproto.ButtonPressEvent)
			if !ok {
				continue
			}
			front(WindowID(press.Event))
			bound, cancel := context.WithTimeout(context.Background(), wmStep)
			_ = conn.do(bound, func(x *xgb.Conn) error {
				xproto.AllowEvents(x, xproto.AllowReplayPointer, press.Time)
				return nil
			})
			cancel()
		}
	})
	return k, nil
}

// Watch says which windows' clicks are seen first, from now on: these and no
// others.
func (k *Clicks) Watch(ctx context.Context, ids ...WindowID) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	want := map[WindowID]bool{}
	for _, id := range ids {
		want[id] = true
	}
	before := k.held
	k.held = want
	err := k.conn.do(ctx, func(x *xgb.Conn) error {
		for id := range want {
			if !before[id] {
				xproto.GrabButton(x, false, xproto.Window(id), xproto.EventMaskButtonPress, xproto.GrabModeSync, xproto.GrabModeAsync,
					xproto.WindowNone, xproto.CursorNone, xproto.ButtonIndexAny, xproto.ModMaskAny)
			}
		}
		for id := range before {
			if !want[id] {
				xproto.UngrabButton(x, xproto.ButtonIndexAny, xproto.Window(id), xproto.ModMaskAny)
			}
		}
		_, err := xproto.GetInputFocus(x).Reply() // from here on none is missed
		return err
	})
	if err != nil {
		return fmt.Errorf("watch clicks: %w", err)
	}
	return nil
}

// Close ends the watch; what is clicked goes where it went before. It may be
// called more than once.
func (k *Clicks) Close() error {
	err := k.conn.Close()
	k.over.Wait()
	return err
}
