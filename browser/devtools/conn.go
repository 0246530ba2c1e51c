package devtools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// The bounds of a connection.
const (
	// maxMessage bounds one message from the browser: the tree of a page of a
	// hundred thousand nodes takes about 60 MiB. A longer one is thrown away as it
	// comes, and its call fails.
	maxMessage = 128 << 20
	// shortMessage is what is read at once. maxRoom bounds what is held ready for a
	// longer one.
	shortMessage = 64 << 10
	maxRoom      = 4 << 20
	// maxQueue bounds what waits to be written.
	maxQueue = 64 << 20
)

// The ends of a connection and of a call.
var (
	// ErrClosed: the connection has ended.
	ErrClosed = errors.New("the connection to the browser has ended")
	// ErrDetached: the session's target is gone.
	ErrDetached = errors.New("the target is gone")
	// ErrTooLarge: an answer was larger than a connection takes.
	ErrTooLarge = errors.New("the browser's answer is too large")
)

// Error is the browser's own refusal of a command.
type Error struct {
	Method  string
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data"`
}

// Error names the command and the browser's words.
func (e *Error) Error() string {
	if e.Data != "" {
		return fmt.Sprintf("%s: %s (%s)", e.Method, e.Message, e.Data)
	}
	return fmt.Sprintf("%s: %s", e.Method, e.Message)
}

// Handler takes the events of a session. It must not wait.
type Handler func(method string, params []byte)

// Conn is a connection to a browser.
type Conn struct {
	rw   io.ReadWriteCloser
	done chan struct{}
	wait sync.WaitGroup
	wake chan struct{} // capacity 1: something to write

	mu       sync.Mutex
	next     int64
	calls    map[int64]*call
	sessions map[string]*Session
	out      [][]byte
	queued   int
	err      error // why it ended
}

// call is one command without its answer.
type call struct {
	session string
	method  string
	done    chan struct{} // closed when the answer is there
	result  []byte        // written before done is closed, as is err
	err     error
}

// answer settles a call.
func (w *call) answer(result []byte, err error) {
	var e *Error
	if errors.As(err, &e) {
		e.Method = w.method
	}
	w.result, w.err = result, err
	close(w.done)
}

// New speaks over rw, which it owns from now on. The connection lives until
// Close, or until the stream ends.
func New(rw io.ReadWriteCloser) *Conn {
	c := &Conn{
		rw: rw, done: make(chan struct{}), wake: make(chan struct{}, 1),
		calls: map[int64]*call{}, sessions: map[string]*Session{},
	}
	c.wait.Go(c.read)
	c.wait.Go(c.write)
	return c
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err is why the connection ended, nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and waits for what it started. It must not be
// called by a handler.
func (c *Conn) Close() error {
	c.end(ErrClosed)
	c.wait.Wait()
	return nil
}

// end ends the connection once: every call that waits is answered.
func (c *Conn) end(why error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = why
	calls := c.calls
	c.calls, c.out = nil, nil
	c.mu.Unlock()
	for _, w := range calls {
		w.answer(nil, ErrClosed)
	}
	_ = c.rw.Close()
	close(c.done)
}

// message is what comes from the browser.
type message struct {
	ID        int64        `json:"id"`
	SessionID string       `json:"sessionId"`
	Method    string       `json:"method"`
	Params    jsonv2.Value `json:"params"`
	Result    jsonv2.Value `json:"result"`
	Error     *Error       `json:"error"`
}

// split takes an answer of a session apart without reading it: the browser
// writes id, result and session in this order, and what is large is a result.
// Whatever else comes is read as JSON.
func split(data []byte) (m message, ok bool) {
	const begin, middle, last = `{"id":`, `,"result":`, `,"sessionId":"`
	rest, ok := bytes.CutPrefix(data, []byte(begin))
	if !ok {
		return m, false
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		m.ID = m.ID*10 + int64(rest[digits]-'0')
		digits++
	}
	rest, ok = bytes.CutPrefix(rest[digits:], []byte(middle))
	at := bytes.LastIndex(rest, []byte(last))
	if !ok || digits == 0 || digits > 15 || at < 2 || rest[at-1] != '}' || !bytes.HasSuffix(rest, []byte(`"}`)) {
		return message{}, false
	}
	id := rest[at+len(last) : len(rest)-2]
	if bytes.ContainsAny(id, `"\`) {
		return message{}, false
	}
	m.Result, m.SessionID = jsonv2.Value(rest[:at]), string(id)
	return m, true
}

// command is what goes to it.
type command struct {
	ID        int64  `json:"id"`
	SessionID string `json:"sessionId,omitempty"`
	Method    string `json:"method"`
	Params    any    `json:"params,omitempty"`
}

// send queues a command. w is nil for one whose answer nobody wants.
func (c *Conn) send(session, method string, params any, w *call) (int64, error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return 0, ErrClosed
	}
	c.next++
	id := c.next
	c.mu.Unlock()
	data, err := jsonv2.Marshal(command{id, session, method, params})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", method, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return 0, ErrClosed
	case c.queued+len(data) > maxQueue:
		return 0, fmt.Errorf("%s: %w", method, ErrTooLarge)
	}
	if w != nil {
		c.calls[id] = w
	}
	c.out = append(c.out, append(data, 0))
	c.queued += len(data) + 1
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return id, nil
}

// write writes what is queued, in order.
func (c *Conn) write() {
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		c.mu.Lock()
		out := bytes.Join(c.out, nil)
		c.out, c.queued = nil, 0
		c.mu.Unlock()
		if _, err := c.rw.Write(out); err != nil {
			c.end(fmt.Errorf("write to the browser: %w", err))
			return
		}
	}
}

// read hands on what comes.
func (c *Conn) read() {
	r := bufio.NewReaderSize(c.rw, shortMessage)
	room := 0
	for {
		data, err := readMessage(r, room)
		if len(data) > shortMessage { // the next one may be of the same page
			room = min(len(data)+len(data)/8, maxRoom)
		}
		if errors.Is(err, ErrTooLarge) {
			c.tooLarge(data)
			continue
		}
		if err != nil {
			c.end(fmt.Errorf("read from the browser: %w", err))
			return
		}
		m, ok := split(data)
		if !ok {
			if err := jsonv2.Unmarshal(data, &m); err != nil {
				c.end(fmt.Errorf("read from the browser: %w", err))
				return
			}
		}
		c.take(&m)
	}
}

// readMessage reads one message; one that is long gets room from the start. Of
// one that is too large it returns the beginning.
func readMessage(r *bufio.Reader, room int) ([]byte, error) {
	var data []byte
	for {
		part, err := r.ReadSlice(0)
		if len(data)+len(part) > maxMessage {
			return data[:min(len(data), 4<<10)], skipMessage(r, err)
		}
		if data == nil && err == nil {
			return append([]byte(nil), part[:len(part)-1]...), nil
		}
		if data == nil {
			data = make([]byte, 0, max(room, 2*len(part)))
		}
		data = append(data, part...)
		switch {
		case err == nil:
			return data[:len(data)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// skipMessage reads on to the end of a message.
func skipMessage(r *bufio.Reader, err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice(0)
	}
	if err != nil {
		return err
	}
	return ErrTooLarge
}

// tooLarge fails the call whose answer was thrown away: the browser begins an
// answer with its id.
func (c *Conn) tooLarge(begin []byte) {
	var id int64
	if _, err := fmt.Sscanf(string(begin[:min(len(begin), 40)]), `{"id":%d,`, &id); err == nil {
		c.answer(id, nil, ErrTooLarge)
	}
}

// take hands a message on.
func (c *Conn) take(m *message) {
	if m.ID != 0 {
		if m.Error != nil {
			c.answer(m.ID, nil, m.Error)
		} else {
			c.answer(m.ID, m.Result, nil)
		}
		return
	}
	c.mu.Lock()
	s := c.sessions[m.SessionID]
	c.mu.Unlock()
	if s != nil && s.handle != nil {
		s.handle(m.Method, m.Params)
	}
}

// answer gives a call its answer. One that gave up waiting is answered into
// the empty.
func (c *Conn) answer(id int64, result []byte, err error) {
	c.mu.Lock()
	w := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if w != nil {
		w.answer(result, err)
	}
}

// Session makes the session of that id known: its events go to handle. "" is
// the connection's own.
func (c *Conn) Session(id string, handle Handler) *Session {
	s := &Session{conn: c, id: id, handle: handle}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[id] = s
	return s
}

// drop forgets a session: what waits on it is answered.
func (c *Conn) drop(id string) {
	c.mu.Lock()
	delete(c.sessions, id)
	var gone []*call
	for n, w := range c.calls {
		if w.session == id {
			gone = append(gone, w)
			delete(c.calls, n)
		}
	}
	c.mu.Unlock()
	for _, w := range gone {
		w.answer(nil, ErrDetached)
	}
}

// Pending is a command on its way.
type Pending struct {
	conn *Conn
	id   int64
	w    *call
}

// Answered is closed when the answer is there.
func (p *Pending) Answered() <-chan struct{} { return p.w.done }

// Wait waits for the answer and decodes it into result, unless that is nil.
// When ctx ends first the command stays on its way and may be waited for again.
func (p *Pending) Wait(ctx context.Context, result any) error {
	if err := p.settled(ctx); err != nil || result == nil || len(p.w.result) == 0 {
		return err
	}
	if err := jsonv2.Unmarshal(p.w.result, result); err != nil {
		return fmt.Errorf("%s: %w", p.w.method, err)
	}
	return nil
}

// Scan waits for the answer as Wait does, and has read take of it what it wants.
func (p *Pending) Scan(ctx context.Context, read func(*Scanner)) error {
	if err := p.settled(ctx); err != nil {
		return err
	}
	s := NewScanner(p.w.result)
	read(s)
	if err := s.End(); err != nil {
		return fmt.Errorf("%s: %w", p.w.method, err)
	}
	return nil
}

// settled waits for the answer, and gives the error that it is.
func (p *Pending) settled(ctx context.Context) error {
	select {
	case <-p.w.done:
	default:
		select {
		case <-p.w.done:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", p.w.method, context.Cause(ctx))
		}
	}
	var e *Error
	switch {
	case errors.As(p.w.err, &e):
		return e
	case p.w.err != nil:
		return fmt.Errorf("%s: %w", p.w.method, p.w.err)
	}
	return nil
}

// Forget gives a command up: its answer is dropped when it comes.
func (p *Pending) Forget() {
	p.conn.mu.Lock()
	delete(p.conn.calls, p.id)
	p.conn.mu.Unlock()
}
