package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"vibespace/internal/api"
	"vibespace/internal/target"
)

const (
	// maxStreams bounds the streams that are open at once: a desktop app has one
	// for each window it shows.
	maxStreams = 64
	// helloTime is how long a stream's first message may be on its way.
	helloTime = 5 * time.Second
	// streamWrite is how long a message may take to be read by the peer. One that
	// does not read is gone: what it missed it is sent anew when it comes back.
	streamWrite = 20 * time.Second
	// tellBytes bounds what a viewer says at once.
	tellBytes = 16 << 10
)

// streams are the person's words that are answered with messages as long as
// the caller stays, GET /v1/person/<word> with an upgrade to a websocket.
func (d *Daemon) liveOf(word string) func(context.Context, api.Caller, *websocket.Conn) error {
	switch word {
	case "person/watch":
		return d.watch
	case "person/follow":
		return d.follow
	case "person/attach-here":
		return d.attachHere
	}
	return nil
}

// isLive says whether a request wants to become a stream.
func isLive(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// serveLive decides who asks, and serves until the caller goes, the stream
// ends or the daemon goes down.
func (d *Daemon) serveLive(w http.ResponseWriter, r *http.Request, word string) {
	caller, serve, err := d.liveCaller(r, word)
	if err != nil {
		d.refuse(w, caller, err)
		return
	}
	select {
	case d.streams <- struct{}{}:
		defer func() { <-d.streams }()
	default:
		d.refuse(w, caller, api.Refuse(api.Busy, "%d streams are open already", maxStreams).WithHint("close a viewer"))
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		d.log.Debug("a stream was not taken up", "word", word, "err", err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(tellBytes)
	d.running.Add(1)
	defer d.running.Done()
	// Its life is the daemon's, and its caller the connection's.
	ctx, cancel := context.WithCancel(context.WithValue(d.verbs, actorKey{}, actorOf(r.Context())))
	defer cancel()
	err = serve(ctx, caller, conn)
	switch {
	case err == nil:
		_ = conn.Close(websocket.StatusNormalClosure, "")
	case isRefusal(err) && ctx.Err() == nil:
		said := api.AsError(err, api.Internal)
		d.log.Info("stream", "word", word, "verdict", said.Code)
		if say(ctx, conn, api.Refusal{Error: said}) == nil {
			_ = conn.Close(websocket.StatusNormalClosure, "")
		}
	default:
		d.log.Debug("stream", "word", word, "err", err)
	}
}

// isRefusal says whether an error is to be told to the caller.
func isRefusal(err error) bool {
	var r *api.Error
	return errors.As(err, &r)
}

// liveCaller decides who asks for which stream.
func (d *Daemon) liveCaller(r *http.Request, word string) (api.Caller, func(context.Context, api.Caller, *websocket.Conn) error, error) {
	if r.Header.Get("Origin") != "" || r.Header.Get("Referer") != "" || r.Host != api.Host && r.Host != "localhost" {
		return api.Caller{}, nil, api.Refuse(api.BadRequest, "this socket does not serve web pages")
	}
	serve := d.liveOf(word)
	if serve == nil {
		return api.Caller{}, nil, api.Refuse(api.BadRequest, "there is no stream %s", api.Quote(word, 80))
	}
	caller, err := d.caller(r, true)
	return caller, serve, err
}

// say sends one JSON message.
func say(ctx context.Context, conn *websocket.Conn, message any) error {
	raw, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, streamWrite)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, raw)
}

// hear reads one JSON message.
func hear(ctx context.Context, conn *websocket.Conn, into any) error {
	kind, raw, err := conn.Read(ctx)
	if err != nil {
		return err
	}
	if kind != websocket.MessageText {
		return badBody("it is not text")
	}
	return decode(raw, into)
}

// watch serves the live picture of a window.
func (d *Daemon) watch(ctx context.Context, c api.Caller, conn *websocket.Conn) error {
	first, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	var q api.WatchRequest
	if err := hear(first, conn, &q); err != nil {
		return err
	}
	v, err := d.engine.Watch(ctx, c, q)
	if err != nil {
		return err
	}
	defer v.Close()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		end(d.hearViewer(ctx, conn, v))
	}()
	f := &frames{conn: conn, v: v}
	defer f.memory.close()
	if a := actorOf(ctx); q.Memory && a.passing != nil {
		f.passing = a.passing
	}
	err = f.send(ctx)
	if cause := context.Cause(ctx); cause != nil && isRefusal(cause) {
		err = cause
	}
	if err == nil {
		// Before the reading ends: a cut read cuts the connection with it.
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
	end(nil)
	<-heard
	return err
}

// hearViewer takes what a viewer says until it goes.
func (d *Daemon) hearViewer(ctx context.Context, conn *websocket.Conn, v *target.Viewer) error {
	for {
		var t api.WatchTell
		if err := hear(ctx, conn, &t); err != nil {
			return err
		}
		if t.Ack != nil {
			v.Ack(*t.Ack)
		}
		if t.Pane != nil {
			if err := v.Resize(*t.Pane); err != nil {
				return err
			}
		}
	}
}

// frames is what one viewer is sent.
type frames struct {
	conn    *websocket.Conn
	v       *target.Viewer
	passing *passing // where pixels may go through shared memory
	memory  memory
	note    api.WatchNote // what was told last
	pixels  []byte
	head    []byte
	offset  int
	shared  bool // the pixels of this frame lie in the shared memory
}

// alloc gives room for a frame's pixels: shared memory where that goes.
func (f *frames) alloc(n int) []byte {
	if f.passing != nil {
		var room []byte
		if room, f.offset = f.memory.slotFor(n); room != nil {
			f.shared = true
			return room
		}
	}
	f.shared, f.offset = false, 0
	if cap(f.pixels) < n {
		f.pixels = make([]byte, n)
	}
	return f.pixels[:n]
}

// send sends what is new until the window has ended.
func (f *frames) send(ctx context.Context) error {
	for {
		u, err := f.v.Next(ctx, f.alloc)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case u.Note != nil:
			f.note = *u.Note
			err = say(ctx, f.conn, u.Note)
		default:
			err = f.frame(ctx, u)
		}
		if err != nil {
			return err
		}
	}
}

// frame sends one frame, and before it the memory it lies in if that is new.
func (f *frames) frame(ctx context.Context, u target.Update) error {
	pixels := u.Pixels
	if f.shared {
		if f.memory.fresh {
			f.memory.fresh = false
			f.passing.pass(int(f.memory.file.Fd()))
			note := f.note
			note.Memory = len(f.memory.buf)
			if err := say(ctx, f.conn, note); err != nil {
				return err
			}
		}
		u.Frame.Memory, u.Frame.Offset, pixels = true, f.offset, nil
	}
	f.head = u.Frame.AppendTo(f.head[:0])
	return sendFrame(ctx, f.conn, f.head, pixels)
}

// sendFrame sends a head and its pixels as one message.
func sendFrame(ctx context.Context, conn *websocket.Conn, head, pixels []byte) error {
	ctx, cancel := context.WithTimeout(ctx, streamWrite)
	defer cancel()
	w, err := conn.Writer(ctx, websocket.MessageBinary)
	if err != nil {
		return err
	}
	for _, part := range [][]byte{head, pixels} {
		if len(part) == 0 {
			continue
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

// follow serves the person's windows, at each change.
func (d *Daemon) follow(ctx context.Context, c api.Caller, conn *websocket.Conn) error {
	f, err := d.engine.Follow(ctx, c)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx = conn.CloseRead(ctx) // ends with the caller
	for {
		windows, err := f.Next(ctx)
		if err != nil {
			return err
		}
		if err := say(ctx, conn, api.PersonEvent{OK: true, Windows: windows}); err != nil {
			return err
		}
	}
}
