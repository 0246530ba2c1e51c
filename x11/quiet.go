package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jezek/xgb"
)

// ErrModifiers says that modifiers stay in effect whatever is released: keys
// would mean something else than asked.
var ErrModifiers = errors.New("modifiers cannot be released")

// quieted is what of the keyboard was put aside so that keys mean what the
// layout says, and what is to be put back.
type quieted struct {
	i     *Injector
	group int       // locked while the act runs
	was   int       // the locked group before; -1 when it was not changed
	locks modmask   // locked modifiers that were unlocked
	held  []Keycode // modifiers that others held, in the order released
	watch *holdWatch
}

func (i *Injector) aside(group int) *quieted { return &quieted{i: i, group: group, was: -1} }

// quiet makes the keyboard neutral for the board as last read: nothing latched
// or locked, the given group in effect, no key down. It adds to what was put
// aside before, so it can be asked again during a long act. Keys that are not
// modifiers are released for good: pressing them back would type them.
func (q *quieted) quiet(ctx context.Context) error {
	i := q.i
	b := &i.board
	if q.neutral() {
		return nil
	}
	var events []event
	for _, code := range b.pressed() {
		if b.keymap.mods[code] != 0 || i.isShift(code) {
			q.hold(code)
		}
		events = append(events, keyEvent(code, false))
	}
	if len(q.held) > 0 && q.watch == nil {
		q.watch = i.watchHolds(ctx)
	}
	if len(events) > 0 {
		if err := i.send(ctx, events...); err != nil {
			return err
		}
	}
	if b.state.lockedGroup != q.group && q.was < 0 {
		q.was = b.state.lockedGroup
	}
	q.locks |= b.state.locked
	state, err := i.lockState(ctx, 0xff, 0, q.group)
	if err != nil {
		return err
	}
	b.state, b.down = state, [32]byte{}
	if !q.neutral() {
		return fmt.Errorf("%w: modifiers 0x%02x, group %d instead of %d",
			ErrModifiers, uint8(state.mods), state.group+1, q.group+1)
	}
	return nil
}

// neutral tells whether keys mean what the layout says.
func (q *quieted) neutral() bool {
	s := &q.i.board.state
	return s.mods == 0 && s.group == q.group && q.i.board.down == [32]byte{}
}

func (q *quieted) hold(code Keycode) {
	if !slices.Contains(q.held, code) {
		q.held = append(q.held, code)
	}
}

// isShift tells whether a key shifts levels or groups without being listed in
// the modifier map.
func (i *Injector) isShift(code Keycode) bool {
	for group := range i.board.keymap.groups() {
		if i.board.keymap.symbol(code, group, 0).isModifier() {
			return true
		}
	}
	return false
}

// restore puts back what quiet put aside, unless somebody changed it meanwhile:
// a lock that is on again, or another group, is theirs, and a modifier that was
// let go stays up. It has a time of its own.
func (q *quieted) restore(ctx context.Context) error {
	held := q.watch.end(q.held)
	if q.was < 0 && q.locks == 0 && len(q.held) == 0 {
		return nil
	}
	ctx, cancel := after(ctx, releaseTime)
	defer cancel()
	if err := q.i.refresh(ctx); err != nil {
		return fmt.Errorf("put locks and modifiers back: %w", err)
	}
	state := q.i.board.state
	group := -1
	if q.was >= 0 && state.lockedGroup == q.group {
		group = q.was
	}
	locks := q.locks &^ state.locked
	var errs []error
	if locks != 0 || group >= 0 {
		_, err := q.i.lockState(ctx, locks, locks, group)
		errs = append(errs, err)
	}
	for _, code := range held {
		if !q.i.board.isDown(code) {
			errs = append(errs, q.i.pressBack(ctx, code))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("put locks and modifiers back: %w", err)
	}
	return nil
}

func (b *board) isDown(code Keycode) bool { return b.down[code/8]&(1<<(code%8)) != 0 }

// pressBack presses a modifier that somebody else holds. It is theirs to
// release, so it does not enter the book.
func (i *Injector) pressBack(ctx context.Context, code Keycode) error {
	err := i.send(ctx, keyEvent(code, true))
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.keys, code)
	return err
}

// lockState changes locks, as xkb.lock does, and gives the state after it.
func (i *Injector) lockState(ctx context.Context, affect, locks modmask, group int) (kbState, error) {
	return call(ctx, i.c, func(x *xgb.Conn) (kbState, error) {
		done, state := i.xkb.lock(x, affect, locks, group), i.xkb.getState(x)
		answer, err := state.Reply()
		if err != nil {
			return kbState{}, err
		}
		if err := done.Check(); err != nil {
			return kbState{}, err
		}
		return parseState(answer)
	})
}
