package atspi

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
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
	bytes   atomic.Int64 // received, for byte budgets
}

func newWire(c net.Conn, maxMessage int) *wire {
	if maxMessage <= 0 {
		maxMessage = DefaultMaxMessage
	}
	return &wire{Conn: c, in: bufio.NewReaderSize(c, readBuffer), max: maxMessage}
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
	var head [headSize]byte
	if _, err := io.ReadFull(w.in, head[:]); err != nil {
		return err
	}
	h, err := parseHead(head[:])
	if err != nil {
		return err
	}
	size := h.total()
	w.bytes.Add(size)
	if size > int64(w.max) {
		return w.refuse(h, head[:])
	}
	if h.kind == kindCall {
		_, err := io.CopyN(io.Discard, w.in, size-headSize)
		return err
	}
	if cap(w.buf) < int(size) || cap(w.buf) > keepBuffer && int(size) < keepBuffer {
		w.buf = make([]byte, max(int(size), 4096))
	}
	w.buf = w.buf[:size]
	copy(w.buf, head[:])
	if _, err := io.ReadFull(w.in, w.buf[headSize:]); err != nil {
		return err
	}
	w.rest = w.buf
	return nil
}

// refuse discards a message that is too large and, when it was an answer,
// gives godbus an error answer to the same call.
func (w *wire) refuse(h head, raw []byte) error {
	fields := make([]byte, pad8(int(h.fields)))
	if _, err := io.ReadFull(w.in, fields); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, w.in, int64(h.body)); err != nil {
		return err
	}
	if h.kind != kindReply && h.kind != kindError {
		return nil
	}
	serial, ok := replySerial(h.order, append(bytes.Clone(raw), fields[:h.fields]...))
	if !ok {
		return nil
	}
	w.rest = errorAnswer(serial, errTooLarge)
	return nil
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
