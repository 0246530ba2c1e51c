package atspi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// flight keeps many calls in the air at once and hands their answers to their
// takers in one goroutine, the one in run: takers ask further calls and share
// state without a lock. A call costs the message it sends and the one it gets,
// no goroutine and no timer.
//
// What is out is bounded by the window, what one answer may weigh by the
// message limit, how long one call waits by the bound. An application that
// stops answering ends the flight after one bound: its other calls are not
// waited for one after the other.
type flight struct {
	conn   *Conn
	wire   *wire           // the bus, or the application's own connection
	ended  <-chan struct{} // closed when that own connection has ended
	window int
	bound  time.Duration

	queue   []request // asked, not sent
	out     []sent    // sent, oldest first; answered ones are marked
	pending int       // of out, not answered
	by      map[uint32]int
	base    int // index of out[0] in by's numbering
	answers chan answer
	buf     builder

	waiters []waiter

	calls      int       // made
	generation int       // longest chain of calls that waited for one another
	received   int64     // bytes
	landed     time.Time // when the last answer came
}

// request is one call that is to be made.
type request struct {
	ref    Ref
	method *method
	args   []byte // encoded, aligned to 8
	take   func(reply)
	after  int // generation of the answer that led to it
	limit  int // bytes of the answer; 0 is answerLimit
	tries  int // times the bus refused it
}

// sent is a call that is out.
type sent struct {
	request
	serial   uint32
	deadline time.Time
	done     bool
}

// method is a method with what its messages say of it.
type method struct {
	iface, member string
	in            string // signature of the arguments
	out           string // signature the answer must have
}

// reply is an answer to its taker: a cursor at the start of the body, or an
// error.
type reply struct {
	cursor
	signature  string
	err        error
	generation int
	ref        Ref
}

// defaultWindow is how many calls are out at once. BenchmarkWindow, reading level
// by level: mousepad 261 ms with one call out, 75 with 32, 62 with 256, 75 with
// 1024; featherpad 232, 132, 52 and 72. Past a few hundred nothing is gained.
const defaultWindow = 256

// answerLimit is what an ordinary answer may weigh: the text of a page or the
// children of a long list, not a tree.
const answerLimit = 1 << 20

// newFlight prepares a flight over the bus within the budget.
func (c *Conn) newFlight(b Budget) *flight {
	window := b.Window
	return &flight{
		conn: c, wire: c.wire, window: window, bound: b.Call,
		by: map[uint32]int{}, answers: make(chan answer, window),
	}
}

// newFlightTo prepares a flight whose calls all go to one application, by the
// shortest way there is. They are in no order with its events.
func (c *Conn) newFlightTo(app App, b Budget) *flight {
	f := c.newFlight(b)
	f.wire, f.ended = c.to(app.Root.Bus)
	return f
}

// ask queues a call. take gets its answer, or the reason there is none,
// exactly once, unless the flight is abandoned.
func (f *flight) ask(r request) { f.queue = append(f.queue, r) }

// run sends what was asked and what takers ask meanwhile, until nothing is
// left, and returns nil then. It returns early when ctx ends, when the
// connection does, or when the application has gone silent; calls that are
// out then are forgotten and their takers told why.
func (f *flight) run(ctx context.Context) error {
	timer := time.NewTimer(f.bound)
	defer timer.Stop()
	for {
		if err := f.send(); err != nil {
			return f.abandon(err)
		}
		if f.pending == 0 {
			return nil
		}
		if f.answered() {
			continue
		}
		timer.Reset(time.Until(f.out[0].deadline))
		select {
		case a := <-f.answers:
			f.land(a)
		case <-timer.C:
			if err := f.expire(); err != nil {
				return f.abandon(err)
			}
		case <-ctx.Done():
			return f.abandon(ctx.Err())
		case <-f.conn.Done():
			return f.abandon(ErrClosed)
		case <-f.ended:
			return f.abandon(ErrGone)
		}
	}
}

// answered takes in everything that has come already.
func (f *flight) answered() (any bool) {
	for {
		select {
		case a := <-f.answers:
			f.land(a)
			any = true
		default:
			return any
		}
	}
}

// send puts queued calls on the wire, as many as the window allows, in one
// write.
func (f *flight) send() error {
	n := min(len(f.queue), f.window-f.pending)
	if n <= 0 {
		return nil
	}
	f.waiters = f.waiters[:0]
	for _, r := range f.queue[:n] {
		f.waiters = append(f.waiters, waiter{answers: f.answers, limit: int64(cmp.Or(r.limit, answerLimit))})
	}
	first := f.wire.register(f.waiters)
	deadline := time.Now().Add(f.bound)
	f.buf.reset()
	for i, r := range f.queue[:n] {
		serial := first + uint32(i)
		f.by[serial] = f.base + len(f.out)
		f.out = append(f.out, sent{request: r, serial: serial, deadline: deadline})
		f.buf.call(serial, r)
	}
	f.pending += n
	f.calls += n
	f.queue = f.queue[n:]
	_, err := f.wire.Write(f.buf.b)
	if err = translate(err); errors.Is(err, ErrClosed) && f.ended != nil {
		return ErrGone // seen before the reader of the application's own connection saw it
	}
	return err
}

// land gives one answer to its taker.
func (f *flight) land(a answer) {
	at, ok := f.by[a.serial]
	if !ok {
		return // expired
	}
	delete(f.by, a.serial)
	s := &f.out[at-f.base]
	s.done = true
	f.pending--
	f.received += int64(len(a.msg)) // what was over the limit cost nothing
	f.landed = time.Now()
	r := f.read(a, &s.request)
	r.generation = s.after + 1
	again := s.request
	f.trim()
	if limited(r.err) && again.tries < maxTries {
		// This bus allows fewer calls out than the window. The one AT-SPI
		// starts allows 50,000, a bus without a configuration of its own
		// 128, and other users of the connection count as well.
		again.tries++
		f.window = max(f.window/2, minWindow)
		f.ask(again)
		return
	}
	f.generation = max(f.generation, r.generation)
	again.take(r)
}

// limited reports whether the bus refused a call because too many were out.
func limited(err error) bool {
	var refusal *RemoteError
	return errors.As(err, &refusal) && refusal.Name == "org.freedesktop.DBus.Error.LimitsExceeded"
}

const (
	maxTries  = 8
	minWindow = 8
)

// read checks an answer against what its method says.
func (f *flight) read(a answer, q *request) reply {
	r := reply{ref: q.ref}
	if a.msg == nil {
		r.err = ErrTooLarge
		return r
	}
	h, ok := parseFields(a.head.order, a.msg)
	r.cursor = cursor{b: a.msg, pos: headSize + pad8(int(a.head.fields)), order: a.head.order}
	r.signature = h.signature
	switch {
	case !ok:
		r.err = ErrMalformed
	case a.head.kind == kindError:
		message := ""
		if len(h.signature) > 0 && h.signature[0] == 's' {
			message = string(r.raw())
		}
		r.err = fromName(h.errorName, message)
	case q.method.out != "" && h.signature != q.method.out:
		r.err = fmt.Errorf("%w: %s.%s answered %q", ErrMalformed, q.method.iface, q.method.member, clean(h.signature))
	}
	return r
}

// trim drops answered calls from the front of out.
func (f *flight) trim() {
	n := 0
	for n < len(f.out) && f.out[n].done {
		f.out[n] = sent{}
		n++
	}
	f.out, f.base = f.out[n:], f.base+n
}

// expire gives up the calls whose deadline has passed. When nothing at all was
// answered since the oldest of them was sent, the application is silent and
// the flight ends: waiting for the rest one bound after the other is how a
// hanging application takes minutes.
func (f *flight) expire() error {
	now := time.Now()
	for len(f.out) > 0 {
		s := f.out[0]
		if !s.done && s.deadline.After(now) {
			return nil
		}
		f.out[0].done = true
		f.trim()
		if s.done {
			continue
		}
		f.pending--
		delete(f.by, s.serial)
		f.wire.forget(s.serial)
		s.take(reply{ref: s.ref, err: ErrNoReply, generation: s.after + 1})
		if f.landed.Before(s.deadline.Add(-f.bound)) {
			return ErrNoReply
		}
	}
	return nil
}

// abandon forgets everything that is out and tells its takers; what was only
// queued is dropped with the same reason.
func (f *flight) abandon(why error) error {
	out, queue := f.out, f.queue
	f.out, f.queue, f.pending = nil, nil, 0
	for _, s := range out {
		if !s.done {
			f.wire.forget(s.serial)
			s.take(reply{ref: s.ref, err: why, generation: s.after + 1})
		}
	}
	for _, r := range queue {
		r.take(reply{ref: r.ref, err: why, generation: r.after + 1})
	}
	f.queue = nil
	return why
}

// call appends a whole method call.
func (w *builder) call(serial uint32, r request) {
	w.begin(kindCall, serial)
	w.text(fieldPath, "o", string(r.ref.Path))
	w.text(fieldDestination, "s", r.ref.Bus)
	w.text(fieldInterface, "s", r.method.iface)
	w.text(fieldMember, "s", r.method.member)
	if r.method.in != "" {
		w.text(fieldSignature, "g", r.method.in)
	}
	w.closeFields()
	w.body(r.args)
}
