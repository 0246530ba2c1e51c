package x11

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"
)

// A modifier that somebody else holds is released for a burst and pressed back
// after it, unless they let go meanwhile. The keyboard itself cannot tell: the
// key is up, because it was released here. Raw events can: the server reports
// even the release of a key that is up. They are part of XInput 2, whose events
// have a length of their own, which the protocol library cannot read; hence a
// connection apart, kept only while such a modifier is put aside.

const (
	extInput       = "XInputExtension"
	xiSelectEvents = 46
	xiQueryVersion = 47

	xiAllMasters    = 1
	xiRawKeyPress   = 13
	xiRawKeyRelease = 14

	// watchTime bounds starting and ending a watch: each is one round trip.
	watchTime = 500 * time.Millisecond
)

// holdWatch counts the presses and releases of keys by anybody, and by us.
type holdWatch struct {
	i    *Injector
	wire *wire
	done chan struct{} // closed when reading ended

	mu    sync.Mutex
	seen  [256]int // presses less releases that the server reported
	own   [256]int // presses less releases of ours among them
	synth bool     // the end's round trip came back: nothing is under way
}

// watchHolds starts a watch. It returns nil when the server has no XInput 2.
func (i *Injector) watchHolds(ctx context.Context) *holdWatch {
	ctx, cancel := context.WithTimeout(ctx, watchTime)
	defer cancel()
	w := &holdWatch{i: i, done: make(chan struct{})}
	if err := w.open(ctx); err != nil {
		return nil
	}
	go w.read()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.watch = w
	return w
}

func (w *holdWatch) open(ctx context.Context) error {
	number, err := displayNumber(w.i.c.display)
	if err != nil {
		return err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", filepath.Join(socketDir, "X"+strconv.Itoa(number)))
	if err != nil {
		return err
	}
	deadline, _ := ctx.Deadline()
	err = conn.SetDeadline(deadline)
	if err == nil {
		w.wire, err = greet(conn, w.i.c.cookie)
	}
	if err == nil {
		err = w.selectRaw()
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	switch {
	case err != nil && w.wire != nil:
		_ = w.wire.Close()
	case err != nil:
		_ = conn.Close()
	}
	return err
}

// selectRaw asks for the raw key events of the root window.
func (w *holdWatch) selectRaw() error {
	le := binary.LittleEndian
	query := []byte{98, 0, 0, 0, byte(len(extInput)), 0, 0, 0} // QueryExtension
	reply, err := w.roundTrip(sized(append(query, extInput...)))
	if err != nil {
		return err
	}
	if reply[8] == 0 {
		return fmt.Errorf("%w: %s", ErrNoExtension, extInput)
	}
	opcode := reply[9]
	if _, err := w.roundTrip([]byte{opcode, xiQueryVersion, 2, 0, 2, 0, 2, 0}); err != nil {
		return err
	}
	sel := []byte{opcode, xiSelectEvents, 0, 0}
	sel = le.AppendUint32(sel, uint32(w.i.c.root))
	sel = append(sel, 1, 0, 0, 0, xiAllMasters, 0, 1, 0)
	sel = le.AppendUint32(sel, 1<<xiRawKeyPress|1<<xiRawKeyRelease)
	if _, err := w.wire.Conn.Write(sized(sel)); err != nil {
		return err
	}
	_, err = w.roundTrip(inputFocusRequest)
	return err
}

var inputFocusRequest = []byte{43, 0, 1, 0}

// roundTrip sends a request and reads until its reply, counting events.
func (w *holdWatch) roundTrip(request []byte) ([]byte, error) {
	if _, err := w.wire.Conn.Write(request); err != nil {
		return nil, err
	}
	for {
		frame, err := w.frame()
		if err != nil {
			return nil, err
		}
		switch frame[0] {
		case codeReply:
			return frame, nil
		case codeError:
			return nil, fmt.Errorf("the X server answered error %d", frame[1])
		}
	}
}

// frame reads one reply, error or event whole, and counts it if it is a key's.
func (w *holdWatch) frame() ([]byte, error) {
	frame := make([]byte, frameSize)
	if _, err := io.ReadFull(w.wire.in, frame); err != nil {
		return nil, err
	}
	if kind := frame[0] & 0x7f; kind != codeReply && kind != codeGeneric {
		return frame, nil
	}
	rest := 4 * int64(binary.LittleEndian.Uint32(frame[4:]))
	if _, err := io.CopyN(io.Discard, w.wire.in, rest); err != nil {
		return nil, err
	}
	if frame[0]&0x7f == codeGeneric {
		w.count(frame)
	}
	return frame, nil
}

func (w *holdWatch) count(frame []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	code := binary.LittleEndian.Uint32(frame[16:])
	if code > 255 {
		return
	}
	switch binary.LittleEndian.Uint16(frame[8:]) {
	case xiRawKeyPress:
		w.seen[code]++
	case xiRawKeyRelease:
		w.seen[code]--
	}
}

// ours counts what is about to be injected here.
func (w *holdWatch) ours(events []event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		switch e.kind {
		case xproto.KeyPress:
			w.own[e.detail]++
		case xproto.KeyRelease:
			w.own[e.detail]--
		}
	}
}

func (w *holdWatch) read() {
	defer close(w.done)
	for {
		frame, err := w.frame()
		if err != nil {
			return
		}
		if frame[0] == codeReply {
			w.mu.Lock()
			w.synth = true
			w.mu.Unlock()
			return
		}
	}
}

// end stops the watch and gives those of the keys that are still held by
// whoever held them. Without a watch that is not known, and none is given: a
// modifier that was let go and is pressed again stays down for ever, one that
// is not pressed again is pressed again by its holder.
func (w *holdWatch) end(keys []Keycode) []Keycode {
	if w == nil {
		return nil
	}
	w.i.mu.Lock()
	w.i.watch = nil
	w.i.mu.Unlock()
	_ = w.wire.SetDeadline(time.Now().Add(watchTime))
	_, _ = w.wire.Conn.Write(inputFocusRequest)
	<-w.done
	_ = w.wire.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.synth {
		return nil
	}
	var held []Keycode
	for _, code := range keys {
		if w.seen[code]-w.own[code] >= 0 {
			held = append(held, code)
		}
	}
	return held
}
