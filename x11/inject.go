package x11

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

const (
	// linger is how long a press and its release that are under way may take
	// after the caller's context ended. They take a tenth of a millisecond, and
	// waiting for them makes the count of what was typed exact.
	linger = time.Second

	// lateTime is that time where the context's own is over: what is under way
	// and letting go of it have to fit, one after the other, into the nine tenths
	// of a second after which the caller hears no answer any more.
	lateTime = 400 * time.Millisecond

	// releaseTime bounds letting go of keys and buttons after an error or a
	// cancelled context.
	releaseTime = time.Second
)

// Injector makes the keys, buttons and pointer of one display move, through the
// XTEST extension. A display has one: it knows every key and button it holds
// down, runs one act at a time, and lets go of everything when an act ends,
// however it ends. Keys the layout lacks are borrowed from unused keycodes and
// stay mapped, so that text with the same symbols costs nothing the next time.
type Injector struct {
	c      *Conn
	xkb    xkb
	turn   chan struct{} // holds one token: the right to act
	repeat bool          // what autorepeat was before

	// What follows belongs to whoever has the turn.
	board board
	loans []*loan
	tick  uint64 // counts the uses of loans
	pings uint32 // numbers the questions whether keys were handled
	last  tap
	by    map[Keysym]Keycode // the keys that a person's symbols were pressed by
	stray chan struct{}      // closed when what was given up on its way to the server has ended; nil for none

	mu      sync.Mutex
	keys    map[Keycode]struct{} // held down by this injector
	buttons map[byte]struct{}
	watch   *holdWatch
}

// board is the keyboard as last read from the server.
type board struct {
	raw     []byte // the map's reply, to see cheaply that nothing changed
	changed time.Time
	keymap  *keymap
	layouts map[int]*layout
	state   kbState
	down    [32]byte // keys that are down, a bit each
}

// NewInjector prepares a display for injection: it proves that XTEST and
// XKEYBOARD are there and answer, and turns the server's autorepeat off (a
// release that comes late on a loaded machine would otherwise double the key).
// ctx bounds the call. The injector lives as long as its connection; Close
// gives borrowed keys and autorepeat back.
func NewInjector(ctx context.Context, c *Conn) (*Injector, error) {
	i := &Injector{
		c: c, turn: make(chan struct{}, 1), pings: rand.Uint32(), // another injector must not hear our answers as its own
		keys: map[Keycode]struct{}{}, buttons: map[byte]struct{}{}, by: map[Keysym]Keycode{},
	}
	if err := i.open(ctx); err != nil {
		return nil, fmt.Errorf("prepare injection on display %s: %w", c.display, err)
	}
	i.turn <- struct{}{}
	return i, nil
}

func (i *Injector) open(ctx context.Context) error {
	if err := i.c.needs(extTest); err != nil {
		return err
	}
	type opened struct {
		xkb    xkb
		repeat bool
	}
	got, err := call(ctx, i.c, func(x *xgb.Conn) (opened, error) {
		k, err := openXKB(x)
		if err != nil {
			return opened{}, err
		}
		control, err := xproto.GetKeyboardControl(x).Reply()
		if err != nil {
			return opened{}, err
		}
		off := autoRepeat(x, false)
		// A motion by nothing is what a server that refuses XTEST refuses too.
		probe := xtest.FakeInputChecked(x, xproto.MotionNotify, 1, 0, i.c.root, 0, 0, 0)
		if err := errors.Join(off.Check(), probe.Check()); err != nil {
			return opened{}, err
		}
		return opened{k, control.GlobalAutoRepeat != 0}, nil
	})
	if err != nil {
		return err
	}
	i.xkb, i.repeat = got.xkb, got.repeat
	if err := i.refresh(ctx); err != nil {
		return err
	}
	return i.adoptLoans(ctx)
}

func autoRepeat(x *xgb.Conn, on bool) xproto.ChangeKeyboardControlCookie {
	mode := uint32(xproto.AutoRepeatModeOff)
	if on {
		mode = xproto.AutoRepeatModeOn
	}
	return xproto.ChangeKeyboardControlChecked(x, xproto.KbAutoRepeatMode, []uint32{mode})
}

// begin waits for the turn. The returned function ends it; what is held is let
// go first.
func (i *Injector) begin(ctx context.Context) (end func(), err error) {
	select {
	case <-i.turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-i.c.done:
		return nil, ErrGone
	}
	if ctx.Err() != nil {
		i.turn <- struct{}{}
		return nil, context.Cause(ctx)
	}
	return func() { i.turn <- struct{}{} }, nil
}

// after gives the context of what must happen although ctx may have ended.
func after(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), d)
}

// lingering gives a context that ends a little after ctx does.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(spare(ctx, linger), cancel) })
	return out, func() { stop(); cancel() }
}

// spare is the time for what must happen after ctx ended: d, or what a caller
// whose time is over still waits for.
func spare(ctx context.Context, d time.Duration) time.Duration {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return min(d, lateTime)
	}
	return d
}

// event is one thing to inject.
type event struct {
	kind   byte // KeyPress, KeyRelease, ButtonPress, ButtonRelease, MotionNotify
	detail byte // the keycode or button
	at     Point
	wait   time.Duration // before it, in the server, whole milliseconds
}

func keyEvent(code Keycode, down bool) event {
	if down {
		return event{kind: xproto.KeyPress, detail: byte(code)}
	}
	return event{kind: xproto.KeyRelease, detail: byte(code)}
}

func buttonEvent(button byte, down bool) event {
	if down {
		return event{kind: xproto.ButtonPress, detail: button}
	}
	return event{kind: xproto.ButtonRelease, detail: button}
}

func motionEvent(p Point) event { return event{kind: xproto.MotionNotify, at: p} }

// send injects events in order and returns when the server has handled them,
// with the keyboard's state after them on the board. The book of what is held is
// written before a press and after a release, so that what an error leaves open
// is released once too often rather than never.
//
// Events that are under way are not given up with ctx: what is written to the
// server after its sender went away would be pressed after everything was let
// go.
func (i *Injector) send(ctx context.Context, events ...event) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := i.strayed(ctx); err != nil {
		return err
	}
	tail, cancel := lingering(ctx)
	defer cancel()
	return i.flight(tail, events)
}

// flight is send for who has a time of its own.
func (i *Injector) flight(tail context.Context, events []event) error {
	if err := i.c.enter(tail); err != nil {
		return err // nothing is under way
	}
	i.book(events, true)
	out := make(chan struct{})
	state, err := entered(tail, i.c, func(x *xgb.Conn) (kbState, error) {
		defer close(out)
		cookies := make([]xtest.FakeInputCookie, len(events))
		for n, e := range events {
			cookies[n] = xtest.FakeInputChecked(x, e.kind, e.detail, uint32(e.wait.Milliseconds()),
				i.c.root, int16(e.at.X), int16(e.at.Y), 0)
		}
		// The round trip that a sender must wait for anyway tells whether somebody
		// touched a modifier meanwhile.
		answer, err := i.xkb.getState(x).Reply()
		if err != nil {
			return kbState{}, err
		}
		for _, cookie := range cookies {
			if err := cookie.Check(); err != nil {
				return kbState{}, err
			}
		}
		return parseState(answer)
	})
	if err != nil {
		if tail.Err() != nil {
			i.stray = out
		}
		return err
	}
	i.board.state = state
	i.book(events, false)
	return nil
}

// strayed waits for the end of a send, or of a change of the map, that was given
// up.
func (i *Injector) strayed(ctx context.Context) error {
	if i.stray == nil {
		return nil
	}
	select {
	case <-i.stray:
		i.stray = nil
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-i.c.done:
		return ErrGone
	}
}

func (i *Injector) book(events []event, before bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if before && i.watch != nil {
		i.watch.ours(events)
	}
	for _, e := range events {
		switch {
		case e.kind == xproto.KeyPress: // also after, for a key that was released first
			i.keys[Keycode(e.detail)] = struct{}{}
		case e.kind == xproto.ButtonPress:
			i.buttons[e.detail] = struct{}{}
		case e.kind == xproto.KeyRelease && !before:
			delete(i.keys, Keycode(e.detail))
		case e.kind == xproto.ButtonRelease && !before:
			delete(i.buttons, e.detail)
		}
	}
}

// Held gives the keys and buttons that this injector holds down, in order.
func (i *Injector) Held() (keys []Keycode, buttons []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Sorted(maps.Keys(i.keys)), slices.Sorted(maps.Keys(i.buttons))
}

// letGo releases everything this injector holds, buttons first. It must have
// the turn. Its time is its own: ctx may have ended.
func (i *Injector) letGo(ctx context.Context) error {
	keys, buttons := i.Held()
	if len(keys)+len(buttons) == 0 && i.stray == nil {
		return nil
	}
	ctx, cancel := after(ctx, spare(ctx, releaseTime))
	defer cancel()
	if err := i.strayed(ctx); err != nil {
		return fmt.Errorf("release held keys and buttons: %w", err)
	}
	events := make([]event, 0, len(keys)+len(buttons))
	for _, b := range buttons {
		events = append(events, buttonEvent(b, false))
	}
	for _, k := range keys {
		events = append(events, keyEvent(k, false))
	}
	err := i.flight(ctx, events)
	if err == nil {
		return nil
	}
	if ctx.Err() == nil {
		// The server has said no, or is gone: asking again would not help, and
		// every act after this one would fail for it.
		i.forget()
	}
	return fmt.Errorf("release held keys and buttons: %w", err)
}

func (i *Injector) forget() {
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.keys)
	clear(i.buttons)
}

// ReleaseAll lets go of every key and button the injector holds. It waits for
// an act that is running, which should be cancelled first; it has a second of
// its own even when ctx has ended.
func (i *Injector) ReleaseAll(ctx context.Context) error {
	ctx, cancel := after(ctx, releaseTime+linger)
	defer cancel()
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return i.letGo(ctx)
}

// ReleaseStuck lets go of every key and button that is down on the display,
// whoever pressed it, and gives how many there were. It is for a display whose
// former injector was killed in the middle of an act.
func (i *Injector) ReleaseStuck(ctx context.Context) (int, error) {
	end, err := i.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	if err := i.refresh(ctx); err != nil {
		return 0, fmt.Errorf("release stuck keys: %w", err)
	}
	var events []event
	for button := byte(1); button <= 5; button++ {
		if i.board.state.buttons&(xproto.KeyButMaskButton1<<(button-1)) != 0 {
			events = append(events, buttonEvent(button, false))
		}
	}
	for _, code := range i.board.pressed() {
		events = append(events, keyEvent(code, false))
	}
	if len(events) == 0 {
		return 0, nil
	}
	if err := i.send(ctx, events...); err != nil {
		return 0, fmt.Errorf("release stuck keys: %w", err)
	}
	return len(events), nil
}

// Close lets go of everything, takes back the borrowed keycodes and gives
// autorepeat back. The connection stays open; no act may follow.
func (i *Injector) Close(ctx context.Context) error {
	ctx, cancel := after(ctx, releaseTime)
	defer cancel()
	end, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	err = i.letGo(ctx)
	err = errors.Join(err, i.returnLoans(ctx))
	if i.repeat {
		err = errors.Join(err, i.c.do(ctx, func(x *xgb.Conn) error { return autoRepeat(x, true).Check() }))
	}
	return err
}

// refresh reads the keyboard: its map, its state and which keys are down, in
// one flight. It also turns autorepeat off again, which loading another keymap
// turns on.
func (i *Injector) refresh(ctx context.Context) error {
	type read struct {
		raw   []byte
		state kbState
		down  [32]byte
	}
	if err := i.strayed(ctx); err != nil {
		return fmt.Errorf("read the keyboard: %w", err)
	}
	got, err := call(ctx, i.c, func(x *xgb.Conn) (read, error) {
		theMap, state := i.xkb.getMap(x), i.xkb.getState(x)
		down, control := xproto.QueryKeymap(x), xproto.GetKeyboardControl(x)
		var r read
		raw, err := theMap.Reply()
		if err != nil {
			return r, err
		}
		r.raw = raw
		answer, err := state.Reply()
		if err != nil {
			return r, err
		}
		if r.state, err = parseState(answer); err != nil {
			return r, err
		}
		keys, err := down.Reply()
		if err != nil {
			return r, err
		}
		copy(r.down[:], keys.Keys)
		set, err := control.Reply()
		if err == nil && set.GlobalAutoRepeat != 0 {
			err = autoRepeat(x, false).Check()
		}
		return r, err
	})
	if err != nil {
		return fmt.Errorf("read the keyboard: %w", err)
	}
	i.board.state, i.board.down = got.state, got.down
	return i.learn(got.raw)
}

// learn takes the map of a reply, if it is another than the one known.
func (i *Injector) learn(raw []byte) error {
	if len(raw) > 8 && len(i.board.raw) > 8 && slices.Equal(raw[8:], i.board.raw[8:]) {
		return nil // the first eight bytes number the reply
	}
	m, err := parseMap(raw)
	if err != nil {
		return fmt.Errorf("read the keyboard: %w", err)
	}
	i.board.raw, i.board.keymap, i.board.layouts = raw, m, map[int]*layout{}
	i.board.changed = time.Now()
	i.loans = slices.DeleteFunc(i.loans, func(l *loan) bool { return !l.read(m) })
	return nil
}

// layout gives what can be pressed in a group.
func (b *board) layout(group int) *layout {
	l, ok := b.layouts[group]
	if !ok {
		l = b.keymap.layout(group)
		b.layouts[group] = l
	}
	return l
}

// group gives the layout group in effect. The server goes on saying a group that
// went with its layout until the next key or lock, and means one that is there.
func (b *board) group() int {
	if b.state.group >= b.keymap.groups() {
		return 0
	}
	return b.state.group
}

// pressed gives the keys that are down, lowest first.
func (b *board) pressed() []Keycode {
	var keys []Keycode
	for code := range 256 {
		if b.down[code/8]&(1<<(code%8)) != 0 {
			keys = append(keys, Keycode(code))
		}
	}
	return keys
}
