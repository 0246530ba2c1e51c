package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// recorder watches what is injected into a display through the RECORD
// extension, on a connection that has nothing to do with ours.
type recorder struct {
	conn   net.Conn
	in     *bufio.Reader
	last   atomic.Int64 // when the last event came, in nanoseconds of the clock
	events atomic.Int64
	done   chan struct{}
}

// recordOf begins to watch the display of an application.
func recordOf(w opened) (*recorder, error) {
	var display, authority string
	for _, pair := range w.peerEnv {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case "DISPLAY":
			display = strings.TrimPrefix(value, ":")
		case "XAUTHORITY":
			authority = value
		}
	}
	conn, err := net.Dial("unix", "/tmp/.X11-unix/X"+display)
	if err != nil {
		return nil, err
	}
	r := &recorder{conn: conn, in: bufio.NewReader(conn), done: make(chan struct{})}
	base, err := r.greet(authority)
	if err == nil {
		err = r.begin(base | 1)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("record display %s: %w", display, err), conn.Close())
	}
	go r.read()
	return r, nil
}

// close ends the watch.
func (r *recorder) close() {
	_ = r.conn.Close()
	<-r.done
}

// greet says hello with the cookie of an authority file, and gives the first of
// the connection's resource identifiers.
func (r *recorder) greet(authority string) (uint32, error) {
	raw, err := os.ReadFile(authority)
	if err != nil {
		return 0, err
	}
	var fields [4][]byte // address, number, name, data
	for n, rest := 0, raw[2:]; n < len(fields); n++ {
		size := int(binary.BigEndian.Uint16(rest))
		fields[n], rest = rest[2:2+size], rest[2+size:]
	}
	le := binary.LittleEndian
	hello := []byte{'l', 0, 11, 0, 0, 0}
	hello = le.AppendUint16(hello, uint16(len(fields[2])))
	hello = le.AppendUint16(hello, uint16(len(fields[3])))
	hello = quads(append(hello, 0, 0))
	hello = quads(append(quads(append(hello, fields[2]...)), fields[3]...))
	setup, err := r.hello(hello)
	if err != nil {
		return 0, err
	}
	return le.Uint32(setup[4:]), nil
}

// hello greets the server and gives what it says of itself.
func (r *recorder) hello(words []byte) (setup []byte, err error) {
	if _, err := r.conn.Write(words); err != nil {
		return nil, err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(r.in, head); err != nil {
		return nil, err
	}
	setup = make([]byte, 4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(r.in, setup); err != nil {
		return nil, err
	}
	if head[0] != 1 {
		return nil, errors.New("the X server refuses")
	}
	return setup, nil
}

// begin asks for what the devices do, whoever makes them do it.
func (r *recorder) begin(context uint32) error {
	le := binary.LittleEndian
	if err := r.send(append([]byte{98, 0, 0, 0, 6, 0, 0, 0}, "RECORD"...)); err != nil {
		return err
	}
	reply, err := r.reply()
	if err != nil {
		return err
	}
	if reply[8] == 0 {
		return errors.New("there is no RECORD extension")
	}
	create := le.AppendUint32([]byte{reply[9], 1, 0, 0}, context)
	create = append(create, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0) // one range, all clients
	ranges := make([]byte, 24)
	ranges[18], ranges[19] = 2, 6 // device events, KeyPress to MotionNotify
	if err := r.send(append(create, ranges...)); err != nil {
		return err
	}
	if err := r.send(le.AppendUint32([]byte{reply[9], 5, 0, 0}, context)); err != nil {
		return err
	}
	for reply[1] != 4 { // the start of data
		if reply, err = r.reply(); err != nil {
			return err
		}
	}
	return nil
}

// read notes when events come, until the connection closes.
func (r *recorder) read() {
	defer close(r.done)
	for {
		reply, err := r.reply()
		if err != nil {
			return
		}
		if reply[1] == 0 {
			r.last.Store(time.Now().UnixNano())
			r.events.Add(int64(len(reply)-32) / 32)
		}
	}
}

// send sends a request, its length filled in.
func (r *recorder) send(request []byte) error {
	request = quads(request)
	binary.LittleEndian.PutUint16(request[2:], uint16(len(request)/4))
	_, err := r.conn.Write(request)
	return err
}

// reply reads the next reply whole.
func (r *recorder) reply() ([]byte, error) {
	for {
		frame := make([]byte, 32)
		if _, err := io.ReadFull(r.in, frame); err != nil {
			return nil, err
		}
		switch frame[0] {
		case 0:
			return nil, fmt.Errorf("the X server answered error %d", frame[1])
		case 1:
			rest := make([]byte, 4*binary.LittleEndian.Uint32(frame[4:]))
			_, err := io.ReadFull(r.in, rest)
			return append(frame, rest...), err
		}
	}
}

// quads fills to a multiple of four.
func quads(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
