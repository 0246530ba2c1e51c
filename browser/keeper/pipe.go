package keeper

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
)

// ownIDs is where the keeper's own commands begin: a daemon's count from 1.
const ownIDs = 1_000_000_000

// maxMessage bounds one message of a daemon's.
const maxMessage = 64 << 20

// errPipe: the browser's pipe is closed.
var errPipe = errors.New("the browser closed its pipe")

// pipe is the browser's DevTools pipe: the keeper's own few commands, and
// everything else for whoever is linked.
type pipe struct {
	in, out *os.File
	done    chan struct{} // closed when the browser's side has ended

	write sync.Mutex // a message goes out whole

	mu    sync.Mutex
	next  int
	calls map[int]chan []byte
	sink  io.Writer // where messages go, nil is nowhere
}

// newPipe reads from in and writes to out until the browser ends.
func newPipe(in, out *os.File) *pipe {
	p := &pipe{in: in, out: out, done: make(chan struct{}), next: ownIDs, calls: map[int]chan []byte{}}
	go p.read()
	return p
}

// close closes our ends, which ends the browser, and waits for the reader.
func (p *pipe) close() {
	_ = p.out.Close()
	_ = p.in.Close()
	<-p.done
}

// read hands on every message until the pipe ends. What is not for the keeper
// goes on as it comes: a message may be larger than anybody wants to hold.
func (p *pipe) read() {
	defer close(p.done)
	r := bufio.NewReaderSize(p.in, 256<<10)
	var own []byte
	var sink io.Writer
	begins, mine := true, false
	for {
		part, err := r.ReadSlice(0)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		if begins {
			mine, sink = idOf(part) >= ownIDs, p.linked()
		}
		begins = err == nil
		switch {
		case mine && begins:
			p.answer(append(own, part[:len(part)-1]...))
			own = nil
		case mine:
			own = append(own, part...)
		case sink != nil:
			if _, err := sink.Write(part); err != nil {
				sink = nil // who does not read has gone, and is noticed where it is read
			}
		}
	}
}

// linked is where messages go now.
func (p *pipe) linked() io.Writer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sink
}

// answer gives a message to the keeper's own command.
func (p *pipe) answer(message []byte) {
	id := idOf(message)
	p.mu.Lock()
	w := p.calls[id]
	delete(p.calls, id)
	p.mu.Unlock()
	if w != nil {
		w <- bytes.Clone(message)
	}
}

// eachMessage reads messages, the NUL at their end included, until the stream
// ends or take fails.
func eachMessage(from io.Reader, take func(message []byte) error) error {
	r := bufio.NewReaderSize(from, 256<<10)
	var long []byte
	for {
		part, err := r.ReadSlice(0)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long)+len(part) > maxMessage {
				return fmt.Errorf("a message of more than %d bytes", maxMessage)
			}
			long = append(long, part...)
			continue
		case err != nil:
			return err
		}
		if long != nil {
			part = append(long, part...)
			long = nil
		}
		if err := take(part); err != nil {
			return err
		}
	}
}

// idOf is the id a message begins with, 0 for an event.
func idOf(message []byte) int {
	const begin = `{"id":`
	if !bytes.HasPrefix(message, []byte(begin)) {
		return 0
	}
	n := len(begin)
	for n < len(message) && message[n] >= '0' && message[n] <= '9' {
		n++
	}
	id, _ := strconv.Atoi(string(message[len(begin):n]))
	return id
}

// send writes one message, its NUL included.
func (p *pipe) send(message []byte) error {
	p.write.Lock()
	defer p.write.Unlock()
	_, err := p.out.Write(message)
	return err
}

// linkTo makes w the place messages go to; nil is nowhere.
func (p *pipe) linkTo(w io.Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sink = w
}

// call runs one of the keeper's own commands.
func (p *pipe) call(ctx context.Context, method string, params, result any) error {
	reply := make(chan []byte, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.calls[id] = reply
	p.mu.Unlock()
	message, err := json.Marshal(struct {
		ID     int    `json:"id"`
		Method string `json:"method"`
		Params any    `json:"params,omitempty"`
	}{id, method, params})
	if err == nil {
		err = p.send(append(message, 0))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var said []byte
	select {
	case said = <-reply:
	case <-p.done:
		return fmt.Errorf("%s: %w", method, errPipe)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
	var a struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(said, &a); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if a.Error != nil {
		return fmt.Errorf("%s: %s", method, a.Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(a.Result, result)
}
