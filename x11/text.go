package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

var (
	// ErrControlChar says that a text has a control character other than
	// newline and tab. Nothing of it was typed.
	ErrControlChar = errors.New("control character in the text")
	// ErrNotUTF8 says that a text is not valid UTF-8. Nothing of it was typed.
	ErrNotUTF8 = errors.New("the text is not valid UTF-8")
)

const (
	// guardEvery is how many characters are typed between two looks at the
	// keyboard and two calls of the guard.
	guardEvery = 16

	// batchChars is how many characters are sent in one flight. The server takes
	// them in a tenth of a millisecond each, and on a machine that is busy a
	// flight costs many times that, for one character as for sixteen.
	batchChars = guardEvery

	// sameKeyGap keeps two strokes of one key in different milliseconds.
	// Toolkits take a release and a press of a key at the same time for
	// autorepeat, and some programs ignore a repeated Return. The server waits
	// that long by itself.
	sameKeyGap = time.Millisecond

	// maxBatchTime bounds the gaps in one flight: it is how late a cut may come.
	maxBatchTime = 10 * time.Millisecond
)

// TextOpts are what the caller wants to decide and to know while text is typed.
// The zero value asks and tells nothing. The functions are called in the middle
// of an act and must not start another on the same injector.
type TextOpts struct {
	// Guard is called before the first key and again at least every 16
	// characters. Its error stops the text before the next key and is returned:
	// it is where the focus is verified.
	Guard func(ctx context.Context) error
	// Progress is told how many characters are wholly sent, after each flight of
	// up to 16 that are sent together.
	Progress func(chars int)
}

// tap is the last key pressed by a text.
type tap struct {
	code Keycode
	at   time.Time
}

// Text types a text exactly, whatever the keyboard layout, the locked group,
// Caps Lock or held modifiers are: through the keys of the layout where they
// mean the characters, through borrowed keycodes where they do not. A newline
// is Return, a tab is Tab. It gives how many characters were wholly sent, also
// with an error, and leaves no key down.
//
// Errors: ErrNotUTF8 and ErrControlChar before the first key, ErrNoKey,
// ErrModifiers, ErrNotTaken, the guard's own, the context's, ErrGone.
func (i *Injector) Text(ctx context.Context, text string, o TextOpts) (done int, err error) {
	syms, err := textSyms(text)
	if err != nil {
		return 0, fmt.Errorf("type text: %w", err)
	}
	if len(syms) == 0 {
		return 0, nil
	}
	end, err := i.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("type text: %w", err)
	}
	defer end()
	b := &burst{i: i, syms: syms, o: o, flow: flow{i: i}}
	defer func() {
		err = errors.Join(err, b.finish(ctx))
		if err != nil {
			err = fmt.Errorf("type text: %w", err)
		}
	}()
	err = b.run(ctx)
	return b.done, err
}

// textSyms gives the symbol of each character.
func textSyms(text string) ([]Keysym, error) {
	if !utf8.ValidString(text) {
		return nil, ErrNotUTF8
	}
	syms := make([]Keysym, 0, len(text))
	for _, r := range text {
		switch {
		case r == '\n':
			syms = append(syms, symReturn)
		case r == '\t':
			syms = append(syms, symTab)
		case !typeable(r):
			return nil, fmt.Errorf("%w: U+%04X at character %d", ErrControlChar, r, len(syms)+1)
		default:
			syms = append(syms, KeysymOf(r))
		}
	}
	return syms, nil
}

// burst is one text on its way.
type burst struct {
	i    *Injector
	syms []Keysym
	o    TextOpts
	done int
	q    *quieted
	flow flow
}

func (b *burst) run(ctx context.Context) error {
	i := b.i
	if err := i.refresh(ctx); err != nil {
		return err
	}
	b.q = i.aside(i.chooseGroup(b.syms))
	for b.done < len(b.syms) {
		if err := b.ready(ctx); err != nil {
			return err
		}
		if err := b.send(ctx); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return err
		}
	}
	return nil
}

// ready makes the next characters typeable: every symbol on a key, clients
// aware of it, the keyboard neutral, the receiver not too far behind, and the
// guard content, in this order, so that nothing that takes time lies between
// the guard and the key.
func (b *burst) ready(ctx context.Context) error {
	i := b.i
	if b.done > 0 {
		if err := b.flow.pace(ctx, b.done); err != nil {
			return err
		}
		if err := i.refresh(ctx); err != nil {
			return err
		}
	}
	rest, l := b.syms[b.done:], i.board.layout(b.q.group)
	if l.missing(rest[:1]) > 0 || b.done == 0 && l.missing(rest) > 0 {
		if err := i.borrow(ctx, b.q.group, rest); err != nil {
			return err
		}
	}
	if err := i.settle(ctx); err != nil {
		return err
	}
	if err := b.q.quiet(ctx); err != nil {
		return err
	}
	if b.o.Guard != nil {
		return b.o.Guard(ctx)
	}
	return nil
}

// send types the next characters, as many as fit into one flight. What is
// counted is what the server has taken.
func (b *burst) send(ctx context.Context) error {
	i, l := b.i, b.i.board.layout(b.q.group)
	var events []event
	held := modmask(0)
	last, chars, slept := i.last, 0, time.Duration(0)
	for _, sym := range b.syms[b.done:min(b.done+batchChars, len(b.syms))] {
		how, ok := l.strokes[sym]
		if !ok {
			break
		}
		var gap time.Duration
		if how.code == last.code && time.Since(last.at) <= sameKeyGap {
			gap = sameKeyGap
		}
		if slept += gap; slept > maxBatchTime {
			break
		}
		i.touch(how.code)
		first := len(events)
		events = append(l.reach(events, held, how.mods), keyEvent(how.code, true), keyEvent(how.code, false))
		events[first].wait = gap
		held = how.mods
		last = tap{how.code, time.Now()}
		chars++
	}
	if chars == 0 {
		return fmt.Errorf("%w: %s", ErrNoKey, b.syms[b.done])
	}
	if err := i.send(ctx, l.reach(events, held, 0)...); err != nil {
		return err
	}
	i.last = tap{last.code, time.Now()}
	b.done += chars
	if b.o.Progress != nil {
		b.o.Progress(b.done)
	}
	return nil
}

// reach adds what makes the modifiers that are held into those that a level
// needs. What two characters need one after the other stays down between them.
func (l *layout) reach(events []event, held, needed modmask) []event {
	for _, mod := range slices.Backward((held &^ needed).each()) {
		events = append(events, keyEvent(l.shifts[mod], false))
	}
	for _, mod := range (needed &^ held).each() {
		events = append(events, keyEvent(l.shifts[mod], true))
	}
	return events
}

// finish lets go of what an error left and puts locks and modifiers back.
func (b *burst) finish(ctx context.Context) error {
	b.flow.close()
	err := b.i.letGo(ctx)
	if b.q == nil {
		return err
	}
	return errors.Join(err, b.q.restore(ctx))
}

// chooseGroup gives the layout group whose keys have most of the symbols; the
// one in effect where several do.
func (i *Injector) chooseGroup(syms []Keysym) int {
	distinct := slices.Compact(slices.Sorted(slices.Values(syms)))
	best := i.board.group()
	fewest := i.board.layout(best).missing(distinct)
	for group := range i.board.keymap.groups() {
		if n := i.board.layout(group).missing(distinct); n < fewest {
			best, fewest = group, n
		}
	}
	return best
}
