package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"vibespace/internal/api"
)

// beat is how often a stream that has nothing to say sends an empty line: a
// client that hears nothing at all for several of them knows that the daemon
// hangs.
const beat = 5 * time.Second

// stream is a request that is answered in lines, one JSON object each, while
// its own lines may still be coming: the first is the request, what follows is
// the verb's to read.
type stream struct {
	d *Daemon

	mu      sync.Mutex // guards what is written
	out     http.ResponseWriter
	control *http.ResponseController
	begun   bool // the headers are sent

	in input
}

// told is the answer of a verb that has been answered in lines: "ok", or the
// code of the refusal that was the last of them.
type told struct{ verdict api.Code }

// inLines serves a verb that is answered in lines. Until it answers first, a
// refusal is one as of any verb.
func (d *Daemon) inLines(w http.ResponseWriter, r *http.Request, word string, rt route, c api.Caller) (any, error) {
	control := http.NewResponseController(w)
	if err := control.EnableFullDuplex(); err != nil {
		return nil, api.Refuse(api.Internal, "the connection cannot carry lines both ways: %v", err)
	}
	if !rt.idle {
		if err := d.slot(); err != nil {
			return nil, err
		}
		defer func() { <-d.slots }()
	}
	w.Header().Set("Connection", "close")
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(d.verbs, cancel)()
	s := &stream{d: d, out: w, control: control}
	s.in.begin(r.Body, cancel)
	defer func() { s.in.end(control, s.begun) }()
	first, err := s.in.next(ctx, bodyTime, nil)
	if err != nil {
		return nil, firstFault(err)
	}
	j, err := rt.flow(first, s)
	if err != nil {
		return nil, err
	}
	if j.limit > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeout(ctx, j.limit)
		defer done()
	}
	_, err = d.recorded(ctx, c, word, j)
	return s.finish(c, d.downFault(r.Context(), err))
}

// firstFault says why a stream has no request.
func firstFault(err error) error {
	if errors.Is(err, io.EOF) {
		return badBody("it is empty")
	}
	if errors.Is(err, errIdle) {
		return api.Refuse(api.BadRequest, "the request did not arrive whole in %v", bodyTime)
	}
	return err
}

// finish ends a stream with its refusal, if there is one to tell.
func (s *stream) finish(c api.Caller, err error) (any, error) {
	if !s.begun && err != nil {
		return nil, err
	}
	verdict := api.Code("ok")
	if err != nil {
		e := api.AsError(err, api.Internal)
		verdict = e.Code
		if werr := s.send(refusalFor(c, e)); werr != nil {
			s.d.log.Debug("a refusal was not taken", "err", werr)
		}
	} else if werr := s.open(); werr != nil {
		s.d.log.Debug("an answer was not taken", "err", werr)
	}
	return told{verdict}, nil
}

// open sends the headers: from there on everything is told in lines.
func (s *stream) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openLocked()
}

// openLocked is open; mu is held.
func (s *stream) openLocked() error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.out.Header().Set("Content-Type", "application/x-ndjson")
	s.out.WriteHeader(http.StatusOK)
	return s.control.Flush()
}

// callerGone is the fault of a caller that is not there any more, or does not
// take what it is told: it cancelled what it asked for.
func callerGone(err error) error {
	return fmt.Errorf("the caller is gone: %w (%v)", context.Canceled, err)
}

// send writes one object as a line, at once, or finds the caller gone.
func (s *stream) send(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write an answer as JSON: %w", err)
	}
	if err := s.write(b.Bytes()); err != nil {
		return callerGone(err)
	}
	return nil
}

// write sends one line.
func (s *stream) write(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	if err := s.openLocked(); err != nil {
		return err
	}
	if _, err := s.out.Write(line); err != nil {
		return err
	}
	return s.control.Flush()
}

// beating sends the headers and, from there on, an empty line now and then. The
// caller ends it.
func (s *stream) beating() (func(), error) {
	if err := s.open(); err != nil {
		return func() {}, callerGone(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = s.write([]byte("\n")) // who is gone is noticed by what it sent
			case <-stop:
				return
			}
		}
	}()
	return func() { close(stop); <-done }, nil
}

// errIdle says that no line came in time.
var errIdle = errors.New("no line came")

// input is the lines of a request. They are read as they come, whatever the
// verb does meanwhile, so that the caller's end is noticed at once; api bounds
// how much there can be.
type input struct {
	mu    sync.Mutex
	lines [][]byte
	err   error // io.EOF after the last line, once set
	seen  int   // lines that came, empty ones aside

	ready chan struct{} // holds one token when something is new
	done  chan struct{} // closed when nothing more is read
}

// begin reads a body in the background. leave is called when the caller went
// away in the middle of it.
func (in *input) begin(body io.Reader, leave func()) {
	in.ready, in.done = make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(in.done)
		err := in.read(body)
		cut := !errors.Is(err, io.EOF) && api.CodeOf(err) == ""
		if cut {
			err = callerGone(err)
		}
		in.mu.Lock()
		in.err = err
		in.mu.Unlock()
		in.tell()
		if cut {
			leave()
		}
	}()
}

// tell wakes who waits for a line.
func (in *input) tell() {
	select {
	case in.ready <- struct{}{}:
	default:
	}
}

// read reads lines until the body's end, or one that is too long.
func (in *input) read(body io.Reader) error {
	r, total, n := bufio.NewReader(body), 0, 0
	for {
		line, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		total += len(line)
		if n++; total > api.MaxBatchBytes || n > 2*api.MaxBatchLines {
			return tooMany()
		}
		if err == nil || len(line) > 0 {
			in.add(line)
		}
		if err != nil {
			return io.EOF
		}
	}
}

// readLine reads one line without its break. A line that is longer than a
// request may be is refused before it is read to its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > api.MaxBody {
			return nil, api.Refuse(api.TooLarge, "a line is larger than %d bytes", api.MaxBody).
				WithHint("split it: a type takes 100,000 characters at most")
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// add keeps a line.
func (in *input) add(line []byte) {
	in.mu.Lock()
	in.lines = append(in.lines, line)
	if len(bytes.TrimSpace(line)) > 0 {
		in.seen++
	}
	in.mu.Unlock()
	in.tell()
}

// count is how many lines came until now, empty ones aside.
func (in *input) count() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.seen
}

// take gives the next line, or why there is none; neither when it is to come.
func (in *input) take() ([]byte, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.lines) == 0 {
		return nil, in.err
	}
	line := in.lines[0]
	in.lines = in.lines[1:]
	if line == nil {
		line = []byte{}
	}
	return line, nil
}

// next waits for the next line: no longer than idle (0 is for ever), and not
// once stop is closed, which is errStopped. The end is io.EOF.
func (in *input) next(ctx context.Context, idle time.Duration, stop <-chan struct{}) ([]byte, error) {
	var late <-chan time.Time
	if idle > 0 {
		timer := time.NewTimer(idle)
		defer timer.Stop()
		late = timer.C
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if line, err := in.take(); line != nil || err != nil {
			return line, err
		}
		select {
		case <-in.ready:
		case <-stop:
			return nil, errStopped
		case <-late:
			return nil, errIdle
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// errStopped says that waiting for a line was ended.
var errStopped = errors.New("the wait was ended")

// linger is how long a caller who was answered has to stop sending: what it
// writes to a closed connection costs it the end of the answer.
const linger = 500 * time.Millisecond

// end stops the reading and waits for it: the server must have the body to
// itself when the handler returns. A caller who was answered, and so may be
// sending, is given a moment to read why it should not.
func (in *input) end(control *http.ResponseController, answered bool) {
	if answered {
		late := time.NewTimer(linger)
		defer late.Stop()
		select {
		case <-in.done:
		case <-late.C:
		}
	}
	_ = control.SetReadDeadline(time.Unix(1, 0)) // a connection that is gone needs none
	<-in.done
}
