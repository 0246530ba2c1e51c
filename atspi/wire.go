package atspi

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// DefaultMaxMessage is the largest message a connection accepts unless
	// told otherwise. A tree of 100,000 nodes is about 25 MiB.
	DefaultMaxMessage = 64 << 20
	// maxFields bounds the header fields of a message. A header holds a path,
	// an interface, a member, two names and a signature: a few hundred bytes.
	// The bus limits each of the names to 255; only the path can be long.
	maxFields = 64 << 10
	// readBuffer lets one read of the socket bring a few hundred replies.
	readBuffer = 128 << 10
	// keepBuffer is the largest message buffer kept for the next message.
	keepBuffer = 1 << 20
	// writeLimit ends a connection whose bus has stopped reading.
	writeLimit = 10 * time.Second
)

// errFraming says that the stream is not D-Bus; only a broken bus does that.
var errFraming = errors.New("the bus sent something that is not a message")

// wire sits between godbus and the socket and frames what comes in. godbus
// allocates whatever a header announces (up to 128 MiB, several times that
// once decoded) and starts a goroutine for every method call somebody sends;
// wire does neither: an answer beyond the cap is discarded as it arrives and
// replaced by an error answer, anything else too large and every incoming
// method call is skipped.
type wire struct {
	net.Conn
	in     *bufio.Reader
	max    int
	framed atomic.Bool // true once authentication is over

	buf  []byte // the message godbus is reading
	rest []byte // what of it godbus has not read yet

	sending sync.Mutex

	mu     sync.Mutex        // guards what is below
	waits  map[uint32]waiter // flights' calls that wait for an answer
	serial uint32            // the last serial given to a flight
}

// waiter takes the answer of one call of a flight.
type waiter struct {
	answers chan<- answer // has room: a flight never has more calls out than its buffer
	limit   int64         // bytes the answer may have
}

// answer is what came back for one call of a flight.
type answer struct {
	serial uint32
	head   head
	msg    []byte // the whole message; nil when it was over the limit
}

// flightSerials is where the serials of flights begin. godbus counts its own
// from 1 and would need two thousand million calls to come here.
const flightSerials = 1 << 31

func newWire(c net.Conn, maxMessage int) *wire {
	if maxMessage <= 0 {
		maxMessage = DefaultMaxMessage
	}
	return &wire{
		Conn: c, in: bufio.NewReaderSize(c, readBuffer), max: maxMessage,
		waits: map[uint32]waiter{}, serial: flightSerials,
	}
}

// register gives consecutive serials, the returned one and those behind it, to
// calls whose answers go to those waiters.
func (w *wire) register(to []waiter) (first uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if uint64(w.serial)+uint64(len(to)) > math.MaxUint32 {
		w.serial = flightSerials
	}
	first = w.serial
	w.serial += uint32(len(to))
	for i := range to {
		w.waits[first+uint32(i)] = to[i]
	}
	return first
}

// forget makes an answer to that call be thrown away when it comes.
func (w *wire) forget(serial uint32) {
	w.mu.Lock()
	delete(w.waits, serial)
	w.mu.Unlock()
}

// waiting finds who waits for the answer to that call.
func (w *wire) waiting(serial uint32) (waiter, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	to, ok := w.waits[serial]
	return to, ok
}

// deliver hands the answer over, unless the call was forgotten meanwhile.
func (w *wire) deliver(a answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	to, ok := w.waits[a.serial]
	if !ok {
		return
	}
	delete(w.waits, a.serial)
	to.answers <- a
}

// Write sends one message, or a line of the authentication, whole. A bus that
// does not read for writeLimit ends the connection: half a message cannot be
// taken back.
func (w *wire) Write(p []byte) (int, error) {
	w.sending.Lock()
	defer w.sending.Unlock()
	if bytes.Equal(p, []byte("BEGIN\r\n")) {
		w.framed.Store(true)
	}
	if w.framed.Load() {
		_ = w.SetWriteDeadline(time.Now().Add(writeLimit))
	}
	n, err := w.Conn.Write(p)
	if err != nil && w.framed.Load() {
		_ = w.Conn.Close()
	}
	return n, err
}

// Read gives godbus the bytes of accepted messages only.
func (w *wire) Read(p []byte) (int, error) {
	if !w.framed.Load() {
		return w.in.Read(p)
	}
	for len(w.rest) == 0 {
		if err := w.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

// next brings the next message into rest, or leaves rest empty when the
// message was not for godbus.
func (w *wire) next() error {
	h, err := w.header()
	if err != nil {
		return err
	}
	large := h.total() > int64(w.max)
	switch h.kind {
	case kindCall: // nothing is exported here
		return w.skip(int64(h.body))
	case kindReply, kindError:
		serial, _ := replySerial(h.order, w.buf)
		if serial >= flightSerials {
			return w.land(h, serial)
		}
		if large {
			w.rest = errorAnswer(serial, errTooLarge)
			return w.skip(int64(h.body))
		}
	default:
		if large {
			return w.skip(int64(h.body))
		}
	}
	if w.buf, err = w.fill(w.buf, int(h.total())); err != nil {
		return err
	}
	w.rest = w.buf
	if cap(w.buf) > keepBuffer {
		w.buf = nil
	}
	return nil
}

// header reads a message's whole header into buf.
func (w *wire) header() (h head, err error) {
	if w.buf, err = w.fill(w.buf[:0], headSize); err != nil {
		return h, err
	}
	if h, err = parseHead(w.buf); err != nil {
		return h, err
	}
	w.buf, err = w.fill(w.buf, headSize+pad8(int(h.fields)))
	return h, err
}

// land hands an answer to the flight that waits for it.
func (w *wire) land(h head, serial uint32) error {
	to, waited := w.waiting(serial)
	if !waited { // it comes too late
		return w.skip(int64(h.body))
	}
	if h.total() > min(to.limit, int64(w.max)) {
		if err := w.skip(int64(h.body)); err != nil {
			return err
		}
		w.deliver(answer{serial: serial, head: h})
		return nil
	}
	msg := make([]byte, len(w.buf), min(h.total(), keepBuffer))
	copy(msg, w.buf)
	msg, err := w.fill(msg, int(h.total()))
	if err != nil {
		return err
	}
	w.deliver(answer{serial: serial, head: h, msg: msg})
	return nil
}

// fill grows b from the stream to n bytes. It allocates as the bytes arrive,
// so that a length that is only announced costs nothing.
func (w *wire) fill(b []byte, n int) ([]byte, error) {
	for len(b) < n {
		from, to := len(b), min(n, len(b)+readBuffer)
		b = slices.Grow(b, to-from)[:to]
		if _, err := io.ReadFull(w.in, b[from:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// skip throws n bytes of the stream away.
func (w *wire) skip(n int64) error {
	_, err := io.CopyN(io.Discard, w.in, n)
	return err
}

// The message kinds of the protocol.
const (
	kindCall   = 1
	kindReply  = 2
	kindError  = 3
	kindSignal = 4
)

// headSize is the length of a message's fixed part, the length of its header
// fields included.
const headSize = 16

// head is the fixed part of a message.
type head struct {
	order  binary.ByteOrder
	kind   byte
	body   uint32
	serial uint32
	fields uint32
}

// total is the length of the whole message.
func (h head) total() int64 { return headSize + int64(pad8(int(h.fields))) + int64(h.body) }

// parseHead reads the fixed part.
func parseHead(b []byte) (head, error) {
	h := head{kind: b[1]}
	switch b[0] {
	case 'l':
		h.order = binary.LittleEndian
	case 'B':
		h.order = binary.BigEndian
	default:
		return h, fmt.Errorf("byte order %q: %w", b[0], errFraming)
	}
	h.body, h.serial, h.fields = h.order.Uint32(b[4:]), h.order.Uint32(b[8:]), h.order.Uint32(b[12:])
	if h.fields > maxFields {
		return h, fmt.Errorf("header fields of %d bytes: %w", h.fields, errFraming)
	}
	return h, nil
}

func pad8(n int) int { return (n + 7) &^ 7 }
