package devtools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// peer is a browser that answers as a test wants.
type peer struct {
	net.Conn
	r *bufio.Reader
	t *testing.T
}

// pair is a connection and its peer.
func pair(t *testing.T) (*Conn, *peer) {
	t.Helper()
	ours, theirs := net.Pipe()
	c := New(ours)
	t.Cleanup(func() {
		theirs.Close()
		c.Close()
	})
	return c, &peer{theirs, bufio.NewReader(theirs), t}
}

// take reads one command.
func (p *peer) take() (c struct {
	ID        int64
	SessionID string
	Method    string
},
) {
	p.t.Helper()
	data, err := p.r.ReadBytes(0)
	if err == nil {
		err = json.Unmarshal(data[:len(data)-1], &c)
	}
	if err != nil {
		p.t.Error(err)
	}
	return c
}

// say sends one message.
func (p *peer) say(format string, args ...string) {
	p.t.Helper()
	for i := 0; i+1 < len(args); i += 2 {
		format = strings.ReplaceAll(format, args[i], args[i+1])
	}
	if _, err := p.Write(append([]byte(format), 0)); err != nil {
		p.t.Error(err)
	}
}

// TestCall: answers find their calls, whatever their order, and refusals name
// their command.
func TestCall(t *testing.T) {
	t.Parallel()
	c, p := pair(t)
	s := c.Session("S", nil)
	a, err := s.Begin("A.a", map[string]int{"x": 1})
	if err != nil {
		t.Fatal(err)
	}
	first := p.take()
	b, err := s.Begin("B.b", nil)
	if err != nil {
		t.Fatal(err)
	}
	secondly := p.take()
	if first.Method != "A.a" || secondly.Method != "B.b" || first.SessionID != "S" || secondly.ID <= first.ID {
		t.Errorf("%+v, %+v", first, secondly)
	}
	p.say(`{"id":2,"error":{"code":-1,"message":"no"},"sessionId":"S"}`)
	p.say(`{"id":1,"result":{"v":7},"sessionId":"S"}`)
	p.say(`{"id":99,"result":{}}`) // nobody's
	var got struct {
		V int `json:"v"`
	}
	if err := a.Wait(t.Context(), &got); err != nil || got.V != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	var said *Error
	if err := b.Wait(t.Context(), nil); !errors.As(err, &said) || said.Method != "B.b" || said.Code != -1 {
		t.Errorf("%v", err)
	}
	if err := a.Wait(t.Context(), &got); err != nil { // an answer stays
		t.Error(err)
	}
}

// TestSplit: an answer is taken apart as JSON would be, or left to it.
func TestSplit(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		`{"id":7,"result":{"a":",\"sessionId\":\"x\"}"},"sessionId":"AB"}`: true,
		`{"id":7,"result":{},"sessionId":"AB"}`:                            true,
		`{"id":7,"result":{"sessionId":"x"}}`:                              false,
		`{"id":7,"result":{"a":{"b":1,"sessionId":"x"}}}`:                  false,
		`{"id":7,"error":{"code":1},"sessionId":"AB"}`:                     false,
		`{"method":"X.y","params":{},"sessionId":"AB"}`:                    false,
		`{"id":,"result":{},"sessionId":"AB"}`:                             false,
		`{}`:                                                               false, ``: false,
	} {
		m, ok := split([]byte(said))
		if ok != want {
			t.Errorf("%s: %v", said, ok)
		}
		var whole message
		if ok && (json.Unmarshal([]byte(said), &whole) != nil || whole.ID != m.ID || whole.SessionID != m.SessionID || string(whole.Result) != string(m.Result)) {
			t.Errorf("%s: %+v, whole %+v", said, m, whole)
		}
	}
}

// TestEvents: a session's events come to it alone, in order.
func TestEvents(t *testing.T) {
	t.Parallel()
	c, p := pair(t)
	seen := make(chan string, 10)
	c.Session("S", func(method string, params []byte) { seen <- method + string(params) })
	c.Session("T", func(string, []byte) { t.Error("another session's event") })
	p.say(`{"method":"X.one","params":{"n":1},"sessionId":"S"}`)
	p.say(`{"method":"X.none","params":{},"sessionId":"U"}`)
	p.say(`{"method":"X.two","params":{"n":2},"sessionId":"S"}`)
	if one, two := <-seen, <-seen; one != `X.one{"n":1}` || two != `X.two{"n":2}` {
		t.Errorf("%s, %s", one, two)
	}
}

// TestEnds: a call never outlives its caller, its session or its connection.
func TestEnds(t *testing.T) {
	t.Parallel()
	c, p := pair(t)
	go func() { _, _ = io.Copy(io.Discard, p) }()
	s := c.Session("S", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Call(ctx, "A.a", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	waits, err := s.Begin("A.b", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Drop()
	if err := waits.Wait(t.Context(), nil); !errors.Is(err, ErrDetached) {
		t.Errorf("%v", err)
	}
	waits, err = c.Session("T", nil).Begin("A.c", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if err := waits.Wait(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	<-c.Done()
	if err := s.Call(t.Context(), "A.d", nil, nil); !errors.Is(err, ErrClosed) || c.Err() == nil {
		t.Errorf("%v, %v", err, c.Err())
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

// TestTooLarge: an answer nobody can hold fails its call, and the next is
// answered.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	c, p := pair(t)
	s := c.Session("S", nil)
	large, err := s.Begin("A.large", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.take()
	if _, err := p.Write([]byte(`{"id":1,"result":"`)); err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte("x"), 1<<20)
	for range maxMessage>>20 + 1 {
		if _, err := p.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	p.say(`"}`)
	if err := large.Wait(t.Context(), nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	next, err := s.Begin("A.next", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.take()
	p.say(`{"id":2,"result":{}}`)
	if err := next.Wait(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// FuzzMessage: whatever a browser says, reading it ends in a message or an
// error.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("{\"id\":1,\"result\":{}}\x00"))
	f.Add([]byte("{\"method\":\"A.b\",\"params\":null}\x00{\"id\":\x00"))
	f.Add([]byte("\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ours, theirs := net.Pipe()
		c := New(ours)
		c.Session("", func(string, []byte) {})
		_ = theirs.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = theirs.Write(data)
		theirs.Close()
		<-c.Done()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
