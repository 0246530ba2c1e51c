package acceptance

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// The kinds of events that a device makes.
const (
	keyPress      = 2
	keyRelease    = 3
	buttonPress   = 4
	buttonRelease = 5
	motionNotify  = 6
)

// Happened is one event of the display's devices, as the X server saw it.
type Happened struct {
	Kind, Detail byte
	At           uint32 // the server's milliseconds
	X, Y         int16
}

// String tells an event to whoever reads a failure.
func (h Happened) String() string {
	return fmt.Sprintf("%s %d at %d ms", [...]string{
		keyPress: "press", keyRelease: "release", buttonPress: "button", buttonRelease: "button up", motionNotify: "motion",
	}[h.Kind], h.Detail, h.At)
}

// Recorder is a client of a window's display that has nothing to do with ours:
// it watches what is injected through the RECORD extension, and asks the server
// what time it is and what is down.
type Recorder struct {
	t          testing.TB
	ask, watch *xwire
	window     uint32
	opcode     byte          // of RECORD
	turns      chan struct{} // one token at each start and each end of a recording

	mu   sync.Mutex
	seen []Happened
	more chan struct{} // one token: something was seen
}

// xwire is one plain connection to an X server.
type xwire struct {
	conn net.Conn
	in   *bufio.Reader
	root uint32
	base uint32 // the first of our resource identifiers
}

// Record begins to watch the display of a window.
func (w *World) Record(t testing.TB, win Window) *Recorder {
	t.Helper()
	display, authority := "", ""
	for _, v := range w.environ(t, win.PID) {
		if s, ok := strings.CutPrefix(v, "DISPLAY=:"); ok {
			display = s
		}
		if s, ok := strings.CutPrefix(v, "XAUTHORITY="); ok {
			authority = s
		}
	}
	r := &Recorder{t: t, more: make(chan struct{}, 1), turns: make(chan struct{}, 2)}
	r.ask, r.watch = greetX(t, display, authority), greetX(t, display, authority)
	r.window = r.ask.window(t)
	if err := r.prepare(); err != nil {
		t.Fatalf("record: %v", err)
	}
	recording := make(chan struct{})
	go func() { defer close(recording); r.record() }()
	r.turn(r.watch, 5)
	t.Cleanup(func() {
		_, _ = r.ask.conn.Close(), r.watch.conn.Close()
		<-recording
	})
	return r
}

// greetX connects with the cookie of an authority file.
func greetX(t testing.TB, display, authority string) *xwire {
	t.Helper()
	raw, err := os.ReadFile(authority)
	if err != nil {
		t.Fatal(err)
	}
	// One entry: family, then address, number, name and data, each with its length.
	fields, rest := [][]byte{}, raw[2:]
	for range 4 {
		n := int(binary.BigEndian.Uint16(rest))
		fields, rest = append(fields, rest[2:2+n]), rest[2+n:]
	}
	conn, err := net.Dial("unix", "/tmp/.X11-unix/X"+display)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	hello := []byte{'l', 0, 11, 0, 0, 0}
	hello = le.AppendUint16(hello, uint16(len(fields[2])))
	hello = le.AppendUint16(hello, uint16(len(fields[3])))
	hello = append(hello, 0, 0)
	hello = padded(append(padded(append(hello, fields[2]...)), fields[3]...))
	x := &xwire{conn: conn, in: bufio.NewReader(conn)}
	head := make([]byte, 8)
	if _, err := conn.Write(hello); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(x.in, head); err != nil || head[0] != 1 {
		t.Fatalf("the X server said %v, %v", head, err)
	}
	setup := make([]byte, 4*int(le.Uint16(head[6:])))
	if _, err := io.ReadFull(x.in, setup); err != nil {
		t.Fatal(err)
	}
	x.base = le.Uint32(setup[4:])
	vendor, formats := int(le.Uint16(setup[16:])), int(setup[21])
	x.root = le.Uint32(setup[32+(vendor+3)/4*4+8*formats:])
	return x
}

// padded fills to a multiple of four.
func padded(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// send writes a request, its length filled in.
func (x *xwire) send(request []byte) error {
	request = padded(request)
	binary.LittleEndian.PutUint16(request[2:], uint16(len(request)/4))
	_, err := x.conn.Write(request)
	return err
}

// next reads one reply, event or error, whole.
func (x *xwire) next() ([]byte, error) {
	frame := make([]byte, 32)
	if _, err := io.ReadFull(x.in, frame); err != nil {
		return nil, err
	}
	if frame[0] == 1 {
		rest := make([]byte, 4*binary.LittleEndian.Uint32(frame[4:]))
		if _, err := io.ReadFull(x.in, rest); err != nil {
			return nil, err
		}
		frame = append(frame, rest...)
	}
	return frame, nil
}

// until reads on to a frame of a kind.
func (x *xwire) until(kind byte) ([]byte, error) {
	for {
		frame, err := x.next()
		switch {
		case err != nil:
			return nil, err
		case frame[0] == 0:
			return nil, fmt.Errorf("the X server answered error %d to request %d", frame[1], frame[10])
		case frame[0]&0x7f == kind:
			return frame, nil
		}
	}
}

// window makes a window that is never shown, whose properties tell the time.
func (x *xwire) window(t testing.TB) uint32 {
	t.Helper()
	le := binary.LittleEndian
	id := x.base | 1
	b := []byte{1, 0, 0, 0}
	b = le.AppendUint32(b, id)
	b = le.AppendUint32(b, x.root)
	b = append(b, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2, 0) // 1x1, InputOnly
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, 1<<11) // event mask
	b = le.AppendUint32(b, 1<<22) // property changes
	if err := x.send(b); err != nil {
		t.Fatal(err)
	}
	return id
}

// prepare says what is to be recorded: what the devices do, for all clients.
func (r *Recorder) prepare() error {
	le := binary.LittleEndian
	if err := r.watch.send(append([]byte{98, 0, 0, 0, 6, 0, 0, 0}, "RECORD"...)); err != nil {
		return err
	}
	reply, err := r.watch.until(1)
	if err != nil || reply[8] == 0 {
		return fmt.Errorf("there is no RECORD extension: %w", err)
	}
	r.opcode = reply[9]
	create := le.AppendUint32([]byte{r.opcode, 1, 0, 0}, r.watch.base|2)
	create = append(create, 0, 0, 0, 0) // no headers
	create = le.AppendUint32(create, 1) // clients
	create = le.AppendUint32(create, 1) // ranges
	create = le.AppendUint32(create, 3) // all clients
	rng := make([]byte, 24)
	rng[18], rng[19] = keyPress, motionNotify // device events
	return r.watch.send(append(create, rng...))
}

// turn starts or ends the recording and waits until that is so.
func (r *Recorder) turn(x *xwire, minor byte) {
	r.t.Helper()
	if err := x.send(binary.LittleEndian.AppendUint32([]byte{r.opcode, minor, 0, 0}, r.watch.base|2)); err != nil {
		r.t.Fatalf("record: %v", err)
	}
	select {
	case <-r.turns:
	case <-time.After(soon):
		r.t.Fatal("the recording neither starts nor ends")
	}
}

// Settle returns when everything that happened so far has been seen: the end of
// a recording comes after all it recorded.
func (r *Recorder) Settle() {
	r.t.Helper()
	r.turn(r.ask, 6)
	r.turn(r.watch, 5)
}

// record receives what the devices do until the connection closes.
func (r *Recorder) record() {
	for {
		reply, err := r.watch.until(1)
		switch {
		case err != nil:
			return
		case reply[1] == 4 || reply[1] == 5: // start and end of data
			r.turns <- struct{}{}
		case reply[1] == 0:
			r.take(reply[32:])
		}
	}
}

// take keeps events.
func (r *Recorder) take(data []byte) {
	le := binary.LittleEndian
	r.mu.Lock()
	defer r.mu.Unlock()
	for ; len(data) >= 32; data = data[32:] {
		r.seen = append(r.seen, Happened{
			Kind: data[0] & 0x7f, Detail: data[1], At: le.Uint32(data[4:]),
			X: int16(le.Uint16(data[20:])), Y: int16(le.Uint16(data[22:])),
		})
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// Seen gives what happened so far.
func (r *Recorder) Seen() []Happened {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Happened(nil), r.seen...)
}

// Forget begins anew.
func (r *Recorder) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = nil
}

// Await waits until n events of a kind happened, or what makes them has ended.
func (r *Recorder) Await(kind byte, n int, ended <-chan struct{}) {
	r.t.Helper()
	limit := time.After(soon)
	for len(r.Of(kind)) < n {
		select {
		case <-r.more:
		case <-ended:
			return
		case <-limit:
			r.t.Fatalf("%d events of kind %d happened, not %d", len(r.Of(kind)), kind, n)
		}
	}
}

// Of gives the events of a kind.
func (r *Recorder) Of(kind byte) []Happened {
	var list []Happened
	for _, h := range r.Seen() {
		if h.Kind == kind {
			list = append(list, h)
		}
	}
	return list
}

// Now is the server's time: what happens after it has a later one, or the same.
func (r *Recorder) Now() uint32 {
	r.t.Helper()
	le := binary.LittleEndian
	b := []byte{18, 2, 0, 0} // ChangeProperty, append nothing
	b = le.AppendUint32(b, r.window)
	b = le.AppendUint32(b, 39) // WM_NAME
	b = le.AppendUint32(b, 31) // STRING
	b = append(b, 8, 0, 0, 0, 0, 0, 0, 0)
	err := r.ask.send(b)
	var notify []byte
	if err == nil {
		notify, err = r.ask.until(28) // PropertyNotify
	}
	if err != nil {
		r.t.Fatalf("the server's time: %v", err)
	}
	return le.Uint32(notify[12:])
}

// Down gives the keys and buttons that are down, one a word.
func (r *Recorder) Down() []string {
	r.t.Helper()
	down := []string{}
	err := r.ask.send([]byte{44, 0, 1, 0}) // QueryKeymap
	var reply []byte
	if err == nil {
		reply, err = r.ask.until(1)
	}
	if err != nil {
		r.t.Fatalf("what is down: %v", err)
	}
	for code := range 256 {
		if reply[8+code/8]&(1<<(code%8)) != 0 {
			down = append(down, fmt.Sprintf("key %d", code))
		}
	}
	le := binary.LittleEndian
	err = r.ask.send(le.AppendUint32([]byte{38, 0, 2, 0}, r.ask.root)) // QueryPointer
	if err == nil {
		reply, err = r.ask.until(1)
	}
	if err != nil {
		r.t.Fatalf("what is down: %v", err)
	}
	if mask := le.Uint16(reply[24:]); mask&0x1f00 != 0 {
		down = append(down, fmt.Sprintf("buttons %#x", mask&0x1f00))
	}
	return down
}
