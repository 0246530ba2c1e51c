package x11

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// ErrEmpty says that nobody offers text on the clipboard.
var ErrEmpty = errors.New("the clipboard has no text")

// ErrTooLong says that the clipboard holds more than is read.
var ErrTooLong = errors.New("the clipboard's text is too long")

const (
	// maxClip bounds a clipboard's text, in bytes.
	maxClip = 1 << 20

	// clipChunk is how much of a property is read at once, in bytes; a larger
	// text is sent by its owner in pieces.
	clipChunk = 256 << 10

	// clipBound is how long the owner of the clipboard may take to hand its text
	// over: a program that hangs has none.
	clipBound = 2 * time.Second
)

// Clipboard is the CLIPBOARD selection of one display. What it was given it
// offers as long as it lives, since X keeps no copy.
type Clipboard struct {
	c      *Conn
	window xproto.Window
	atoms  clipAtoms
	sub    *subscription
	over   sync.WaitGroup

	asking sync.Mutex // one Get at a time: they share a property
	notify chan xgb.Event

	mu    sync.Mutex
	text  string
	owned bool
}

// clipAtoms are the names a clipboard deals in.
type clipAtoms struct {
	clipboard, property, targets, utf8, utf8Mime, plain, incr xproto.Atom
}

// Clipboard begins to deal with the display's clipboard. Close ends it, and
// what it offered is gone with it.
func (c *Conn) Clipboard(ctx context.Context) (*Clipboard, error) {
	b := &Clipboard{c: c, notify: make(chan xgb.Event, 64)}
	err := c.do(ctx, func(x *xgb.Conn) error {
		atoms, err := internClip(x)
		if err != nil {
			return err
		}
		id, err := c.ids.take(x)
		if err != nil {
			return err
		}
		b.atoms, b.window = atoms, xproto.Window(id)
		return xproto.CreateWindowChecked(x, 0, b.window, c.root, -10, -10, 1, 1, 0, xproto.WindowClassInputOnly, 0,
			xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, xproto.EventMaskPropertyChange}).Check()
	})
	if err != nil {
		return nil, fmt.Errorf("deal with the clipboard of %s: %w", c.display, err)
	}
	b.sub = c.subscribe(b.concerns, 256)
	b.over.Go(b.run)
	return b, nil
}

// internClip looks the names up.
func internClip(x *xgb.Conn) (clipAtoms, error) {
	names := []string{"CLIPBOARD", "_VIBESPACE_CLIP", "TARGETS", "UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "INCR"}
	cookies := make([]xproto.InternAtomCookie, len(names))
	for i, n := range names {
		cookies[i] = xproto.InternAtom(x, false, uint16(len(n)), n)
	}
	found := make([]xproto.Atom, len(names))
	for i := range names {
		reply, err := cookies[i].Reply()
		if err != nil {
			return clipAtoms{}, err
		}
		found[i] = reply.Atom
	}
	return clipAtoms{found[0], found[1], found[2], found[3], found[4], found[5], found[6]}, nil
}

// concerns takes the events of the clipboard's own window.
func (b *Clipboard) concerns(ev xgb.Event) bool {
	switch e := ev.(type) {
	case xproto.SelectionRequestEvent:
		return e.Owner == b.window
	case xproto.SelectionClearEvent:
		return e.Owner == b.window
	case xproto.SelectionNotifyEvent:
		return e.Requestor == b.window
	case xproto.PropertyNotifyEvent:
		return e.Window == b.window && e.Atom == b.atoms.property && e.State == xproto.PropertyNewValue
	}
	return false
}

// Close ends the dealing. It may be called more than once.
func (b *Clipboard) Close() error {
	b.sub.close()
	b.over.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	err := b.c.do(ctx, func(x *xgb.Conn) error { return xproto.DestroyWindowChecked(x, b.window).Check() })
	if errors.Is(err, ErrGone) {
		return nil
	}
	return err
}

// run serves who asks for the text, and hands on what a Get waits for.
func (b *Clipboard) run() {
	for ev := range b.sub.C {
		switch e := ev.(type) {
		case xproto.SelectionRequestEvent:
			b.serve(e)
		case xproto.SelectionClearEvent:
			b.mu.Lock()
			b.text, b.owned = "", false
			b.mu.Unlock()
		default:
			select {
			case b.notify <- ev:
			default: // nobody waits
			}
		}
	}
}

// serve answers one request for the text.
func (b *Clipboard) serve(e xproto.SelectionRequestEvent) {
	b.mu.Lock()
	text, owned := b.text, b.owned
	b.mu.Unlock()
	property := e.Property
	if property == xproto.AtomNone {
		property = e.Target // the oldest clients name none
	}
	answer := xproto.SelectionNotifyEvent{
		Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: xproto.AtomNone,
	}
	ctx, cancel := context.WithTimeout(context.Background(), clipBound)
	defer cancel()
	_ = b.c.do(ctx, func(x *xgb.Conn) error {
		switch {
		case !owned:
		case e.Target == b.atoms.targets:
			answer.Property = property
			offered := []xproto.Atom{b.atoms.targets, b.atoms.utf8, b.atoms.utf8Mime, b.atoms.plain, xproto.AtomString}
			data := make([]byte, 0, 4*len(offered))
			for _, a := range offered {
				data = append(data, byte(a), byte(a>>8), byte(a>>16), byte(a>>24))
			}
			xproto.ChangeProperty(x, xproto.PropModeReplace, e.Requestor, property, xproto.AtomAtom, 32, uint32(len(offered)), data)
		case b.isText(e.Target):
			answer.Property = property
			xproto.ChangeProperty(x, xproto.PropModeReplace, e.Requestor, property, e.Target, 8, uint32(len(text)), []byte(text))
		}
		return xproto.SendEventChecked(x, false, e.Requestor, 0, string(answer.Bytes())).Check()
	})
}

// isText says whether a target is one of the forms the text is offered in.
func (b *Clipboard) isText(a xproto.Atom) bool {
	return a == b.atoms.utf8 || a == b.atoms.utf8Mime || a == b.atoms.plain || a == xproto.AtomString
}

// Set offers a text to the programs of the display. ErrTooLong bounds it: it
// goes in one property.
func (b *Clipboard) Set(ctx context.Context, text string) error {
	if len(text) > clipChunk {
		return fmt.Errorf("set the clipboard: %w: %d bytes, %d at most", ErrTooLong, len(text), clipChunk)
	}
	b.mu.Lock()
	b.text, b.owned = text, true
	b.mu.Unlock()
	owner, err := call(ctx, b.c, func(x *xgb.Conn) (xproto.Window, error) {
		if err := xproto.SetSelectionOwnerChecked(x, b.window, b.atoms.clipboard, xproto.TimeCurrentTime).Check(); err != nil {
			return 0, err
		}
		reply, err := xproto.GetSelectionOwner(x, b.atoms.clipboard).Reply()
		if err != nil {
			return 0, err
		}
		return reply.Owner, nil
	})
	if err == nil && owner != b.window {
		err = errors.New("another program took it")
	}
	if err != nil {
		return fmt.Errorf("set the clipboard: %w", err)
	}
	return nil
}

// Get reads the text on the clipboard, from whichever program offers it.
// ErrEmpty says that none does, ErrTooLong that it is more than 1 MiB. A program
// that does not hand it over within two seconds is ErrEmpty too.
func (b *Clipboard) Get(ctx context.Context) (string, error) {
	b.mu.Lock()
	text, owned := b.text, b.owned
	b.mu.Unlock()
	if owned {
		return text, nil
	}
	b.asking.Lock()
	defer b.asking.Unlock()
	wait, cancel := context.WithTimeout(ctx, clipBound)
	defer cancel()
	for _, form := range []xproto.Atom{b.atoms.utf8, xproto.AtomString} {
		text, err := b.ask(wait, form)
		switch {
		case err == nil:
			return text, nil
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return "", fmt.Errorf("read the clipboard: %w", ErrEmpty)
		case !errors.Is(err, ErrEmpty):
			return "", fmt.Errorf("read the clipboard: %w", err)
		}
	}
	return "", fmt.Errorf("read the clipboard: %w", ErrEmpty)
}

// ask asks for the text in one form.
func (b *Clipboard) ask(ctx context.Context, form xproto.Atom) (string, error) {
	b.drain()
	err := b.c.do(ctx, func(x *xgb.Conn) error {
		xproto.DeleteProperty(x, b.window, b.atoms.property)
		return xproto.ConvertSelectionChecked(x, b.window, b.atoms.clipboard, form, b.atoms.property, xproto.TimeCurrentTime).Check()
	})
	if err != nil {
		return "", err
	}
	for {
		ev, err := b.next(ctx)
		if err != nil {
			return "", err
		}
		if e, ok := ev.(xproto.SelectionNotifyEvent); ok && e.Target == form {
			if e.Property == xproto.AtomNone {
				return "", ErrEmpty
			}
			return b.collect(ctx, form)
		}
	}
}

// collect reads the property the owner filled; one that is sent in pieces ends
// with an empty one.
func (b *Clipboard) collect(ctx context.Context, form xproto.Atom) (string, error) {
	kind, data, err := b.take(ctx)
	if err != nil {
		return "", err
	}
	if kind == b.atoms.incr {
		data = nil
		for {
			if err := b.piece(ctx); err != nil {
				return "", err
			}
			_, more, err := b.take(ctx)
			if err != nil {
				return "", err
			}
			if len(more) == 0 {
				break
			}
			if data = append(data, more...); len(data) > maxClip {
				return "", ErrTooLong
			}
		}
	}
	if form == xproto.AtomString {
		return latin1(data), nil
	}
	return strings.ToValidUTF8(string(data), "�"), nil
}

// piece waits for the owner's next piece.
func (b *Clipboard) piece(ctx context.Context) error {
	for {
		ev, err := b.next(ctx)
		if err != nil {
			return err
		}
		if _, ok := ev.(xproto.PropertyNotifyEvent); ok {
			return nil
		}
	}
}

// take reads and deletes the property, which asks the owner for the next piece.
func (b *Clipboard) take(ctx context.Context) (kind xproto.Atom, data []byte, err error) {
	type value struct {
		kind xproto.Atom
		data []byte
	}
	v, err := call(ctx, b.c, func(x *xgb.Conn) (value, error) {
		reply, err := xproto.GetProperty(x, true, b.window, b.atoms.property, xproto.GetPropertyTypeAny, 0, maxClip/4).Reply()
		if err != nil {
			return value{}, err
		}
		if reply.BytesAfter > 0 {
			return value{}, ErrTooLong
		}
		return value{reply.Type, reply.Value}, nil
	})
	return v.kind, v.data, err
}

// next waits for what the owner does.
func (b *Clipboard) next(ctx context.Context) (xgb.Event, error) {
	select {
	case ev := <-b.notify:
		return ev, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.c.Done():
		return nil, ErrGone
	}
}

// drain forgets what an earlier question left.
func (b *Clipboard) drain() {
	for {
		select {
		case <-b.notify:
		default:
			return
		}
	}
}
