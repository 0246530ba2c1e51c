package x11

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	// paceEvery is how many characters may be sent before the receiver has to
	// have handled those before them. Keys wait in the server for a program that
	// is slow: without a bound a long text would go on arriving for seconds
	// after it was stopped.
	paceEvery = 16

	// pongTime bounds waiting for a receiver that does not answer: it may be
	// busy, and its keys keep their order in the server.
	pongTime = time.Second

	// drainTime bounds waiting for the receiver to handle everything before a
	// borrowed key changes its symbol. Past it typing stops: what is still under
	// way would come out as other characters.
	drainTime = 10 * time.Second

	// idleLook is how long a receiver that cannot be asked must sleep, without
	// being woken, to count as having handled everything; it is looked at
	// idleLooks times.
	idleLook  = 10 * time.Millisecond
	idleLooks = 4

	maxAncestors = 32 // from the focus window to the root
)

// ErrNotTaken says that the program with the focus does not take what is typed,
// so that nothing more can be typed without changing what was.
var ErrNotTaken = errors.New("the window does not take what is typed")

// flow asks the window that receives a text whether it has handled it, by
// _NET_WM_PING: the answer comes after everything that was sent before it. It
// works with every toolkit that speaks the protocol; for the others, xterm among
// them, the process is watched until it sleeps.
type flow struct {
	i       *Injector
	sub     *subscription
	serial  uint32   // of the last ping; never that of another flow's
	waiting bool     // a ping is unanswered
	mute    bool     // the receiver cannot be asked, or did not answer in time
	paced   int      // characters sent when last asked
	last    receiver // who was asked last
}

// pace waits until the receiver is no more than two strides behind.
func (f *flow) pace(ctx context.Context, sent int) error {
	if f.mute || sent-f.paced < paceEvery {
		return nil
	}
	f.paced = sent
	answered, err := f.await(ctx, pongTime)
	if err != nil {
		return err
	}
	if f.mute = !answered; f.mute {
		return nil
	}
	return f.again(ctx)
}

// again asks whoever was asked last, and looks in the same flight whether the
// focus is still where it was: if not, who has it now is found and asked.
func (f *flow) again(ctx context.Context) error {
	if f.last.window != 0 {
		now, err := f.ping(ctx, f.last.window)
		if err != nil || now == f.last.focus {
			return err
		}
	}
	to, err := f.i.c.receiver(ctx)
	if err != nil {
		return err
	}
	f.last = to
	if f.mute = to.window == 0; f.mute {
		return nil
	}
	_, err = f.ping(ctx, to.window)
	return err
}

// drain waits until the receiver has handled everything sent, or for
// ErrNotTaken.
func (f *flow) drain(ctx context.Context) error {
	to, err := f.i.c.receiver(ctx)
	if err != nil {
		return err
	}
	taken := true
	switch {
	case to.window != 0:
		// What counts is the answer to a ping sent now: an older one says nothing
		// of the keys sent since.
		if _, err := f.ping(ctx, to.window); err != nil {
			return err
		}
		taken, err = f.await(ctx, drainTime)
	case to.pid > 0:
		taken, err = f.i.c.sleeps(ctx, to.pid)
	default: // nobody has the focus, or somebody on another machine
		err = pause(ctx, pongTime)
	}
	if err == nil && !taken {
		err = ErrNotTaken
	}
	return err
}

// ping sends one to a window that will answer, and gives the window that has the
// focus.
func (f *flow) ping(ctx context.Context, to xproto.Window) (focus xproto.Window, err error) {
	c := f.i.c
	if f.sub == nil {
		protocols, ping := c.atom("WM_PROTOCOLS"), uint32(c.atom("_NET_WM_PING"))
		f.sub = c.subscribe(func(ev xgb.Event) bool {
			m, ok := ev.(xproto.ClientMessageEvent)
			return ok && m.Type == protocols && m.Format == 32 && m.Data.Data32[0] == ping
		}, 8)
	}
	f.i.pings++
	f.serial, f.waiting = f.i.pings, true
	msg := xproto.ClientMessageEvent{
		Format: 32, Window: to, Type: c.atom("WM_PROTOCOLS"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{
			uint32(c.atom("_NET_WM_PING")), f.serial, uint32(to), 0, 0,
		}),
	}
	return call(ctx, c, func(x *xgb.Conn) (xproto.Window, error) {
		sent := xproto.SendEventChecked(x, false, to, xproto.EventMaskNoEvent, string(msg.Bytes()))
		now, err := xproto.GetInputFocus(x).Reply()
		if err != nil {
			return 0, err
		}
		if err := sent.Check(); err != nil && now.Focus == f.last.focus {
			return 0, err // otherwise it is gone, and so is its focus
		}
		return now.Focus, nil
	})
}

// await waits for the answer to the last ping, for no longer than limit, and
// tells whether it came.
func (f *flow) await(ctx context.Context, limit time.Duration) (bool, error) {
	end := time.NewTimer(limit)
	defer end.Stop()
	for f.waiting {
		select {
		case ev, ok := <-f.sub.C:
			if !ok {
				return false, ErrGone
			}
			m, _ := ev.(xproto.ClientMessageEvent)
			f.waiting = m.Window != f.i.c.root || m.Data.Data32[1] != f.serial
		case <-end.C:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	return true, nil
}

func (f *flow) close() {
	if f.sub != nil {
		f.sub.close()
	}
}

// receiver is who gets what is typed.
type receiver struct {
	focus  xproto.Window // has the focus, and led here
	window xproto.Window // answers pings; 0 when it does not
	pid    int           // the process that made the focus window, if window is 0
}

// receiver finds the window that has the focus, or the nearest one around it
// that speaks _NET_WM_PING, or the process behind it.
func (c *Conn) receiver(ctx context.Context) (receiver, error) {
	return call(ctx, c, func(x *xgb.Conn) (receiver, error) {
		focus, err := xproto.GetInputFocus(x).Reply()
		if err != nil {
			return receiver{}, err
		}
		if to := c.pingable(x, focus.Focus); to != 0 {
			return receiver{window: to, focus: focus.Focus}, nil
		}
		return receiver{pid: c.askOwners(x)().of(WindowID(focus.Focus)), focus: focus.Focus}, nil
	})
}

// pingable gives the window itself, or the nearest one around it, that speaks
// _NET_WM_PING; 0 when there is none, or when it goes away.
func (c *Conn) pingable(x *xgb.Conn, w xproto.Window) xproto.Window {
	protocols, ping := c.atom("WM_PROTOCOLS"), c.atom("_NET_WM_PING")
	for range maxAncestors {
		if w <= xproto.InputFocusPointerRoot || w == c.root {
			return 0
		}
		list := xproto.GetProperty(x, false, w, protocols, xproto.AtomAtom, 0, 64)
		tree := xproto.QueryTree(x, w)
		words, err := list.Reply()
		above, treeErr := tree.Reply()
		if err != nil || treeErr != nil {
			return 0
		}
		for v := words.Value; words.Format == 32 && len(v) >= 4; v = v[4:] {
			if xproto.Atom(xgb.Get32(v)) == ping {
				return w
			}
		}
		w = above.Parent
	}
	return 0
}

// sleeps waits until a client sleeps through several looks at it, between which
// the server has sent all it had for it. It then has nothing left to read: it
// would be awake. A stopped process gives false at last; one that is always busy
// is taken to have handled its keys by then.
func (c *Conn) sleeps(ctx context.Context, pid int) (bool, error) {
	var last sleep
	same := 0
	for end := time.Now().Add(drainTime); time.Now().Before(end); {
		if err := c.Sync(ctx); err != nil {
			return false, err
		}
		now, err := readSleep(pid)
		if err != nil {
			return true, nil // it is gone, and with it what could read wrongly
		}
		if now == last && now.state == "S" {
			same++
		} else {
			same = 0
		}
		if same == idleLooks {
			return true, nil
		}
		last = now
		if err := pause(ctx, idleLook); err != nil {
			return false, err
		}
	}
	return last.state != "T" && last.state != "t", nil
}

// sleep is what of a process changes when it runs.
type sleep struct {
	state    string // one letter, as ps has it
	switches string // how often it went to sleep or was made to
}

// readSleep looks at the first thread of a process, which is the one that reads
// events in every toolkit.
func readSleep(pid int) (sleep, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return sleep{}, err
	}
	var s sleep
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "State":
			s.state = strings.TrimSpace(value + "?")[:1]
		case "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches":
			s.switches += strings.TrimSpace(value) + " "
		}
	}
	return s, nil
}

// drain waits until the program with the focus has handled everything sent to
// it, by whatever act.
func (i *Injector) drain(ctx context.Context) error {
	f := flow{i: i}
	defer f.close()
	return f.drain(ctx)
}
