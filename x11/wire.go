package x11

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

const (
	codeError   = 0
	codeReply   = 1
	codeGeneric = 35 // events with a length of their own (Present, XInput 2)

	frameSize = 32 // every error and event, and the head of every reply

	// badImplementation is the core error that stands in for an error code
	// nobody registered: the library drops an error it cannot name, and whoever
	// waits for the answer to that request would wait for ever.
	badImplementation = 17

	// readBuffer holds a burst of replies, so that a few hundred small answers
	// cost a few reads of the socket instead of one or two each.
	readBuffer = 64 << 10
)

// wire is the socket as the protocol library sees it. It exists for four
// reasons. The library reads its cookie from the environment: the handshake is
// therefore done here, and only its answer handed on. It keeps one table of
// event and error numbers for all connections of the process, though each server
// assigns its own, and it loses errors whose number it does not know: wire
// renumbers what arrives to the numbers registered once in extensions.go. And it
// writes each request by itself, which wakes the server two hundred times for a
// list of windows: wire gathers what is asked in one go.
type wire struct {
	net.Conn
	in      *bufio.Reader
	numbers atomic.Pointer[numbering]
	out     outbox

	// The rest belongs to the library's one reading goroutine.
	hello     []byte // the server's answer to the handshake, to be read first
	greeted   atomic.Bool
	head      [frameSize]byte
	unread    []byte // what is left of head
	remaining int64  // bytes of the current reply still on the socket
}

// greet does the connection handshake with the cookie and keeps the answer for
// the library. It reads the little-endian form only, which is what it asks for.
func greet(conn net.Conn, cookie []byte) (*wire, error) {
	w := &wire{Conn: conn, in: bufio.NewReaderSize(conn, readBuffer)}
	if _, err := conn.Write(clientHello(cookie)); err != nil {
		return nil, fmt.Errorf("write X handshake: %w", err)
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(w.in, head); err != nil {
		return nil, fmt.Errorf("read X handshake: %w", err)
	}
	body := make([]byte, 4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(w.in, body); err != nil {
		return nil, fmt.Errorf("read X handshake: %w", err)
	}
	if head[0] != 1 {
		reason := body[:min(int(head[1]), len(body))]
		return nil, fmt.Errorf("%w: %s", ErrRefused, validText(reason))
	}
	w.hello = append(head, body...)
	w.out.open(conn)
	return w, nil
}

func clientHello(cookie []byte) []byte {
	const protocol = "MIT-MAGIC-COOKIE-1"
	name, data := protocol, cookie
	if len(cookie) == 0 {
		name = ""
	}
	b := []byte{'l', 0, 11, 0, 0, 0, byte(len(name)), 0, byte(len(data)), 0, 0, 0}
	b = append(b, pad4([]byte(name))...)
	return append(b, pad4(data)...)
}

func pad4(b []byte) []byte {
	return append(b, make([]byte, (4-len(b)%4)%4)...)
}

// Write passes requests on. The first write is the library's own handshake,
// made with whatever it found in the environment; it has been done already.
func (w *wire) Write(p []byte) (int, error) {
	if !w.greeted.Swap(true) {
		return len(p), nil
	}
	return w.out.add(p)
}

// Close ends the connection and the goroutine that writes to it.
func (w *wire) Close() error {
	err := w.Conn.Close()
	w.out.close()
	return err
}

// Read gives the handshake's answer, then one frame after the other.
func (w *wire) Read(p []byte) (int, error) {
	if len(w.hello) > 0 {
		n := copy(p, w.hello)
		w.hello = w.hello[n:]
		return n, nil
	}
	if len(w.unread) == 0 && w.remaining == 0 {
		if err := w.next(); err != nil {
			return 0, err
		}
	}
	if len(w.unread) > 0 {
		n := copy(p, w.unread)
		w.unread = w.unread[n:]
		return n, nil
	}
	n, err := w.in.Read(p[:min(int64(len(p)), w.remaining)])
	w.remaining -= int64(n)
	return n, err
}

// next reads the head of the next frame that the library should see.
func (w *wire) next() error {
	for {
		if _, err := io.ReadFull(w.in, w.head[:]); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = io.EOF
			}
			return err
		}
		length := 4 * int64(binary.LittleEndian.Uint32(w.head[4:]))
		switch kind := w.head[0]; {
		case kind == codeReply:
			w.remaining = length
		case kind == codeError:
			w.head[1] = w.table().errorCode(w.head[1])
		case kind&0x7f == codeGeneric:
			if _, err := io.CopyN(io.Discard, w.in, length); err != nil {
				return err
			}
			continue
		default:
			code, known := w.table().eventCode(kind & 0x7f)
			if !known {
				continue
			}
			w.head[0] = code | kind&0x80
		}
		w.unread = w.head[:]
		return nil
	}
}

func (w *wire) table() *numbering {
	if n := w.numbers.Load(); n != nil {
		return n
	}
	return &numbering{}
}
