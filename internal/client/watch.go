package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"vibespace/internal/api"
)

// maxMessage bounds a message of a stream: a frame of the largest window there
// is, and its head.
const maxMessage = 8192*8192*4 + 4096

// Watching is a window watched live. Next gives what is new; Resize may be
// called meanwhile. Close ends it.
type Watching struct {
	c    *Client
	conn *websocket.Conn
	buf  []byte
	img  *image.RGBA
	// passed is where descriptors come.
	passed *passedConn

	mu     sync.Mutex // held while memory is read
	memory []byte     // what the last descriptor opened
	closed bool

	closing sync.Once
}

// Seen is what a watcher was shown: a note, or a picture in which some
// rectangles are new.
type Seen struct {
	Note *api.WatchNote
	// Picture is the whole picture as it is now, at most the pane's size. It is
	// the watcher's own and changes with the next Next.
	Picture *image.RGBA
	Changed []image.Rectangle
	// Key says that it is another picture than before.
	Key bool
	// Source is the window's size.
	Source api.Size
	// Shared says that its pixels came through shared memory.
	Shared bool
	seq    uint32
}

// Watch begins to watch a window; the person's alone. ctx bounds the
// beginning; the watch lasts until Close. It starts no daemon: without one
// there is no window.
func (c *Client) Watch(ctx context.Context, r api.WatchRequest) (*Watching, error) {
	conn, passed, err := c.stream(ctx, "person/watch")
	if err != nil {
		return nil, err
	}
	w := &Watching{c: c, conn: conn, passed: passed}
	if err := w.tell(ctx, r); err != nil {
		w.Close()
		return nil, c.refusal(ctx, "person/watch", api.Limit(r), err)
	}
	return w, nil
}

// stream opens a websocket as the caller.
func (c *Client) stream(ctx context.Context, path string) (*websocket.Conn, *passedConn, error) {
	for {
		header := http.Header{}
		if err := c.sign(header); err != nil {
			return nil, nil, err
		}
		var passed *passedConn
		// A transport of its own: its connection is this stream's.
		own := &http.Client{Transport: &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := c.dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			passed = &passedConn{Conn: conn}
			return passed, nil
		}}}
		conn, resp, err := websocket.Dial(ctx, "ws://"+api.Host+"/v1/"+path, &websocket.DialOptions{
			HTTPClient: own, HTTPHeader: header, CompressionMode: websocket.CompressionDisabled,
		})
		if err == nil {
			conn.SetReadLimit(maxMessage)
			return conn, passed, nil
		}
		if resp != nil && resp.Body != nil {
			raw, rerr := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
			if said := refused(raw); rerr == nil && said != nil && api.CodeOf(said) != "" {
				if api.CodeOf(said) == api.OwnerOnly && c.forgetOwner() {
					continue
				}
				return nil, nil, said
			}
		}
		return nil, nil, c.refusal(ctx, path, api.Limit(api.ListRequest{}), err)
	}
}

// tell says something to the daemon.
func (w *Watching) tell(ctx context.Context, message any) error {
	raw, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return w.conn.Write(ctx, websocket.MessageText, raw)
}

// Next waits for something new. Took acknowledges a picture; a watcher that has
// two it did not acknowledge gets no more, and then the newest. It ends with
// io.EOF after the note that says the window has ended, and with a refusal when
// the daemon says no or goes away.
func (w *Watching) Next(ctx context.Context) (Seen, error) {
	kind, r, err := w.conn.Reader(ctx)
	if err != nil {
		return Seen{}, w.fault(ctx, err)
	}
	if w.buf, err = readInto(r, w.buf); err != nil {
		return Seen{}, w.fault(ctx, err)
	}
	if kind == websocket.MessageText {
		return w.note(w.buf)
	}
	s, err := w.draw(w.buf)
	if err != nil {
		return Seen{}, w.fault(ctx, err)
	}
	return s, nil
}

// Took acknowledges a picture: the next may come.
func (w *Watching) Took(ctx context.Context, s Seen) error {
	if s.Picture == nil {
		return nil
	}
	return w.tell(ctx, api.WatchTell{Ack: &s.seq})
}

// Resize says that the pane has another size, in device pixels.
func (w *Watching) Resize(ctx context.Context, pane api.Size) error {
	return w.tell(ctx, api.WatchTell{Pane: &pane})
}

// Close ends the watch. It may be called more than once.
func (w *Watching) Close() {
	w.closing.Do(func() {
		_ = w.conn.CloseNow()
		w.passed.closeAll()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.closed = true
		w.unmapLocked()
	})
}

// note reads a note, or the refusal in its place.
func (w *Watching) note(raw []byte) (Seen, error) {
	if err := refused(raw); err != nil {
		return Seen{}, err
	}
	var n api.WatchNote
	if err := json.Unmarshal(raw, &n); err != nil {
		return Seen{}, fmt.Errorf("read a note: %w", err)
	}
	if n.Memory > 0 {
		if err := w.open(n.Memory); err != nil {
			return Seen{}, fmt.Errorf("open the shared memory: %w", err)
		}
	}
	return Seen{Note: &n}, nil
}

// draw puts a frame into the picture.
func (w *Watching) draw(raw []byte) (Seen, error) {
	f, pixels, err := api.ParseFrame(raw)
	if err != nil {
		return Seen{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Memory {
		if f.Offset < 0 || f.Offset > len(w.memory) || len(w.memory)-f.Offset < f.Bytes() {
			return Seen{}, fmt.Errorf("frame %d lies outside of the shared memory", f.Seq)
		}
		pixels = w.memory[f.Offset : f.Offset+f.Bytes()]
	}
	if f.Key || w.img == nil || w.img.Rect.Dx() != f.Size.W || w.img.Rect.Dy() != f.Size.H {
		w.img = image.NewRGBA(image.Rect(0, 0, f.Size.W, f.Size.H))
	}
	for _, r := range f.Rects {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			at := w.img.PixOffset(r.Min.X, y)
			pixels = pixels[copy(w.img.Pix[at:at+4*r.Dx()], pixels):]
		}
	}
	return Seen{Picture: w.img, Changed: f.Rects, Key: f.Key, Source: f.Source, Shared: f.Memory, seq: f.Seq}, nil
}

// fault says why nothing more comes.
func (w *Watching) fault(ctx context.Context, err error) error {
	if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
		return io.EOF
	}
	return w.c.refusal(ctx, "person/watch", 0, err)
}

// readInto reads all of r into the memory of buf, growing it as needed.
func readInto(r io.Reader, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), max(4096, 2*cap(buf)))
			copy(grown, buf)
			buf = grown
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// Following is the person's windows followed: Next gives them as they are, at
// first and after each change. Close ends it.
type Following struct {
	c       *Client
	conn    *websocket.Conn
	closing sync.Once
}

// Follow begins to follow the windows; the person's alone. ctx bounds the
// beginning.
func (c *Client) Follow(ctx context.Context) (*Following, error) {
	conn, _, err := c.stream(ctx, "person/follow")
	if err != nil {
		return nil, err
	}
	return &Following{c: c, conn: conn}, nil
}

// Next waits for a change. An error is a refusal, or io.EOF when the daemon
// ended the stream in order.
func (f *Following) Next(ctx context.Context) (api.PersonEvent, error) {
	var e api.PersonEvent
	_, raw, err := f.conn.Read(ctx)
	switch {
	case err != nil && websocket.CloseStatus(err) == websocket.StatusNormalClosure:
		return e, io.EOF
	case err != nil:
		return e, f.c.refusal(ctx, "person/follow", 0, err)
	}
	if err := refused(raw); err != nil {
		return e, err
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, fmt.Errorf("read what happened: %w", err)
	}
	return e, nil
}

// Close ends the following. It may be called more than once.
func (f *Following) Close() {
	f.closing.Do(func() { _ = f.conn.CloseNow() })
}
