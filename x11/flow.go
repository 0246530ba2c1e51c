package x11

import (
	"context"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	// paceEvery is how many characters may be sent before the receiver has to
	// have handled those before them. Keys wait in the server for a program that
	// is slow: without a bound a long text would go on arriving for seconds
	// after it was stopped.
	paceEvery = 64

	// pongTime bounds waiting for a receiver that does not answer: it may be
	// busy, and its keys keep their order in the server.
	pongTime = time.Second

	// drainBase and drainChar are how long a receiver that cannot be asked is
	// given to handle what was sent: xterm took 0.6 ms a character.
	drainBase = 150 * time.Millisecond
	drainChar = time.Millisecond
	drainMax  = 3 * time.Second

	maxAncestors = 32 // from the focus window to the root
)

// flow asks the window that receives a text whether it has handled it, by
// _NET_WM_PING: the answer comes after everything that was sent before it. It
// works with every toolkit that speaks the protocol; xterm does not.
type flow struct {
	sub     *subscription
	serial  uint32
	waiting bool // a ping is unanswered
	mute    bool // the receiver cannot be asked, or did not answer
	paced   int  // characters sent when last asked
	drained int  // characters known to be handled, or waited for
}

// pace waits until the receiver is no more than two strides behind.
func (f *flow) pace(ctx context.Context, c *Conn, sent int) error {
	if f.mute || sent-f.paced < paceEvery {
		return nil
	}
	f.paced = sent
	if err := f.await(ctx, c); err != nil || f.mute {
		return err
	}
	return f.ping(ctx, c)
}

// drain waits until the receiver has handled everything sent.
func (f *flow) drain(ctx context.Context, c *Conn, sent int) error {
	behind := sent - f.drained
	f.drained = sent
	if !f.mute {
		// What answers is the last ping: an older one says nothing of the keys
		// sent since.
		err := f.ping(ctx, c)
		if err == nil && !f.mute {
			err = f.await(ctx, c)
		}
		if err != nil || !f.mute {
			return err
		}
	}
	return pause(ctx, min(drainBase+time.Duration(behind)*drainChar, drainMax))
}

// ping sends one, if the focus is in a window that will answer.
func (f *flow) ping(ctx context.Context, c *Conn) error {
	if f.sub == nil {
		protocols, ping := c.atom("WM_PROTOCOLS"), uint32(c.atom("_NET_WM_PING"))
		f.sub = c.subscribe(func(ev xgb.Event) bool {
			m, ok := ev.(xproto.ClientMessageEvent)
			return ok && m.Type == protocols && m.Format == 32 && m.Data.Data32[0] == ping
		}, 8)
	}
	to, err := c.pingTarget(ctx)
	if err != nil {
		return err
	}
	if to == 0 {
		f.mute = true
		return nil
	}
	f.serial++
	f.waiting = true
	msg := xproto.ClientMessageEvent{
		Format: 32, Window: to, Type: c.atom("WM_PROTOCOLS"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{
			uint32(c.atom("_NET_WM_PING")), f.serial, uint32(to), 0, 0,
		}),
	}
	return c.do(ctx, func(x *xgb.Conn) error {
		return xproto.SendEventChecked(x, false, to, xproto.EventMaskNoEvent, string(msg.Bytes())).Check()
	})
}

// await waits for the answer to the last ping.
func (f *flow) await(ctx context.Context, c *Conn) error {
	limit := time.NewTimer(pongTime)
	defer limit.Stop()
	for f.waiting {
		select {
		case ev, ok := <-f.sub.C:
			if !ok {
				return ErrGone
			}
			m, _ := ev.(xproto.ClientMessageEvent)
			f.waiting = m.Window != c.root || m.Data.Data32[1] != f.serial
		case <-limit.C:
			f.waiting, f.mute = false, true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (f *flow) close() {
	if f.sub != nil {
		f.sub.close()
	}
}

// pingTarget gives the window that has the focus, or the nearest one around it
// that speaks _NET_WM_PING; 0 when there is none.
func (c *Conn) pingTarget(ctx context.Context) (xproto.Window, error) {
	protocols, ping := c.atom("WM_PROTOCOLS"), c.atom("_NET_WM_PING")
	return call(ctx, c, func(x *xgb.Conn) (xproto.Window, error) {
		focus, err := xproto.GetInputFocus(x).Reply()
		if err != nil {
			return 0, err
		}
		w := focus.Focus
		for range maxAncestors {
			if w <= xproto.InputFocusPointerRoot || w == c.root {
				return 0, nil
			}
			list := xproto.GetProperty(x, false, w, protocols, xproto.AtomAtom, 0, 64)
			tree := xproto.QueryTree(x, w)
			words, err := list.Reply()
			if err != nil {
				return 0, nil //nolint:nilerr // the window went away: nobody to ask
			}
			for v := words.Value; words.Format == 32 && len(v) >= 4; v = v[4:] {
				if xproto.Atom(xgb.Get32(v)) == ping {
					return w, nil
				}
			}
			above, err := tree.Reply()
			if err != nil {
				return 0, nil //nolint:nilerr // as above
			}
			w = above.Parent
		}
		return 0, nil
	})
}

// drainAll waits until the window with the focus has handled everything sent to
// it, by whatever act.
func (i *Injector) drainAll(ctx context.Context) error {
	var f flow
	defer f.close()
	return f.drain(ctx, i.c, 0)
}
