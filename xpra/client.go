package xpra

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

// errRefused is a server that answered and lets us not in.
var errRefused = errors.New("it refuses")

// ErrGone says that the server ended or does not answer any more.
var ErrGone = errors.New("xpra is gone")

const (
	// helloTime bounds the greeting when the call has no end of its own.
	helloTime = 10 * time.Second
	// writeTime bounds one packet on its way: the socket's buffer takes hundreds,
	// so that only a server that has stopped fills it.
	writeTime = 2 * time.Second
	// quietTime is how long the server may say nothing. It pings every few seconds.
	quietTime = 20 * time.Second
	// queue is how many events may wait for their reader. One that is slow holds
	// up the server's feed and nothing else.
	queue = 64
)

// Kind is a kind of event.
type Kind uint8

// What a client tells of the windows.
const (
	New      Kind = iota + 1 // a window that is not shown before it is mapped
	Told                     // Meta says what changed about it
	Sized                    // it is at Rect now, by its own wish or another client's
	Raised                   // it asks to be in front
	Lost                     // it is gone
	Unplaced                 // another client asks for it to be hidden
)

// Rect is a rectangle of the display.
type Rect struct{ X, Y, W, H int }

// Event is one change of one window.
type Event struct {
	Kind   Kind
	Window int // by xpra's own count, which starts anew with every server
	Rect   Rect
	// Menu marks what no window manager touches; it shows itself.
	Menu bool
	// At says that Rect has a place; without, only a size.
	At   bool
	Meta Meta
}

// Meta is what is said of a window. What was not said is nil or zero.
type Meta struct {
	XID                   uint32 // the X window
	Parent                int    // whose dialog it is, by xpra's count
	Types                 []string
	Modal                 *bool
	Fullscreen, Maximized *bool
}

// Client is one connection to a server, as a viewer that wants no pixels. Its
// methods are safe for concurrent use.
type Client struct {
	// C carries what happens to the windows, those that were there first. It is
	// closed when the connection ends.
	C <-chan Event

	conn   net.Conn
	done   chan struct{} // closed when reading ended
	once   sync.Once
	mu     sync.Mutex // one writer at a time
	quit   chan struct{}
	reason error // why reading ended; read after done
}

// Dial connects to the server that listens on a unix socket, and returns once it
// has let the client in. ctx bounds the call.
func Dial(ctx context.Context, socket string) (*Client, error) {
	c, err := dial(ctx, socket)
	if err != nil {
		return nil, fmt.Errorf("connect to xpra: %w", err)
	}
	return c, nil
}

func dial(ctx context.Context, socket string) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	in := bufio.NewReader(conn)
	first, err := greet(conn, in)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	out := make(chan Event, queue)
	c := &Client{C: out, conn: conn, done: make(chan struct{}), quit: make(chan struct{})}
	go c.read(in, first, out)
	return c, nil
}

// greet says who we are and waits to be let in. It gives the packets that came
// before the server's own greeting.
func greet(conn net.Conn, in *bufio.Reader) (early []packet, err error) {
	if _, err := conn.Write(frame(packet{"hello", hello()})); err != nil {
		return nil, err
	}
	for {
		p, err := readPacket(in)
		switch {
		case err != nil:
			return nil, err
		case p.kind() == "hello":
			_, err = conn.Write(frame(packet{"suspend", true, []any{}}))
			return early, err
		case p.kind() == "disconnect":
			return nil, fmt.Errorf("%w: %v", errRefused, []any(p[1:]))
		}
		early = append(early, p)
	}
}

// hello is who we are: a viewer of windows that shares them with others, without
// keyboard, pointer, sound and cursors. What is not asked for costs the server
// nothing, and a keyboard would have it change the display's keymap. A connection
// of an earlier daemon that the server still holds is ended for ours, by the uuid.
func hello() map[string]any {
	pixels := []any{"rgb24", "rgb32"}
	return map[string]any{
		"version": "3.1.3", "uuid": "vibespace", "client_type": "vibespace", "rencode": true, "bencode": false,
		"compressors": []any{"zlib"}, "zlib": true, "lz4": false, "compression_level": 1,
		"share": true, "steal": true, "ui_client": true, "windows": true,
		"keyboard": false, "mouse": false, "cursors": false, "bell": false, "sound.receive": false,
		"encodings": pixels, "encodings.core": pixels, "encoding": "rgb24",
		"desktop_size": []any{noDesktop, noDesktop}, "screen_sizes": []any{},
		"metadata.supported": []any{
			"xid", "window-type", "override-redirect", "modal", "transient-for", "fullscreen", "maximized",
		},
		"raw_window_icons": false, "windows.filters": []any{},
	}
}

// noDesktop is the side of a screen that bounds nothing: the display's own does.
const noDesktop = 16384

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; it is called after Done.
func (c *Client) Err() error { return c.reason }

// Close ends the connection and waits for the end of C. It may be called more
// than once.
func (c *Client) Close() error {
	c.once.Do(func() { close(c.quit) })
	_ = c.send("disconnect", "done")
	err := c.conn.Close()
	<-c.done
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Map shows a window there.
func (c *Client) Map(window int, at Rect) error {
	err := c.send("suspend", true, []any{window})
	if err == nil {
		err = c.send("map-window", window, at.X, at.Y, at.W, at.H, map[string]any{}, map[string]any{})
	}
	return err
}

// Configure moves and resizes a window.
func (c *Client) Configure(window int, at Rect) error {
	return c.send("configure-window", window, at.X, at.Y, at.W, at.H, map[string]any{}, 0, map[string]any{}, false)
}

// Focus raises a window and gives it the keyboard focus.
func (c *Client) Focus(window int) error { return c.send("focus", window, []any{}) }

// send writes a packet. A server that takes none is gone.
func (c *Client) send(parts ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.conn.SetWriteDeadline(time.Now().Add(writeTime))
	if err == nil {
		_, err = c.conn.Write(frame(parts))
	}
	if err != nil {
		_ = c.conn.Close() // half a packet may be on its way
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return nil
}

// read hands on what comes until the connection ends.
func (c *Client) read(in *bufio.Reader, early []packet, out chan<- Event) {
	defer close(c.done)
	defer close(out)
	defer c.conn.Close()
	for {
		var p packet
		if len(early) > 0 {
			p, early = early[0], early[1:]
		} else {
			err := c.conn.SetReadDeadline(time.Now().Add(quietTime))
			if err == nil {
				p, err = readPacket(in)
			}
			switch {
			case errors.Is(err, os.ErrDeadlineExceeded):
				c.reason = fmt.Errorf("%w: it has said nothing for %v", ErrGone, quietTime)
				return
			case err != nil:
				c.reason = fmt.Errorf("%w: %w", ErrGone, err)
				return
			}
		}
		e, err := c.handle(p)
		if err != nil {
			c.reason = err
			return
		}
		if e.Kind == 0 {
			continue
		}
		select {
		case out <- e:
		case <-c.quit:
			c.reason = ErrGone
			return
		}
	}
}

// handle answers what wants an answer and reads an event. Its Kind is 0 for what
// is none.
func (c *Client) handle(p packet) (Event, error) {
	switch p.kind() {
	case "ping":
		return Event{}, c.send("ping_echo", p.number(1), 0, 0, 0, -1)
	case "draw": // began before it was asked not to
		return Event{}, c.send("damage-sequence", p.number(8), p.number(1), p.number(4), p.number(5), 0, "")
	case "disconnect":
		return Event{}, fmt.Errorf("%w: it ended the connection: %v", ErrGone, []any(p[1:]))
	}
	return event(p), nil
}

// event reads a packet about a window.
func event(p packet) Event {
	e := Event{Window: p.number(1)}
	switch p.kind() {
	case "new-window", "new-override-redirect":
		e.Kind, e.Menu, e.At = New, p.kind() != "new-window", true
		e.Rect = Rect{p.number(2), p.number(3), p.number(4), p.number(5)}
		e.Meta = meta(p.dict(6))
	case "window-metadata":
		e.Kind, e.Meta = Told, meta(p.dict(2))
	case "window-move-resize":
		e.Kind, e.At = Sized, true
		e.Rect = Rect{p.number(2), p.number(3), p.number(4), p.number(5)}
	case "window-resized":
		e.Kind, e.Rect = Sized, Rect{W: p.number(2), H: p.number(3)}
	case "raise-window":
		e.Kind = Raised
	case "lost-window":
		e.Kind = Lost
	case "unmap-window":
		e.Kind = Unplaced
	}
	return e
}

// meta reads what is said of a window.
func meta(m map[string]any) Meta {
	out := Meta{Parent: packet{m["transient-for"]}.number(0)}
	if xid, err := strconv.ParseUint(packet{m["xid"]}.text(0), 0, 32); err == nil { // written "0x200000c"
		out.XID = uint32(xid)
	}
	if types, ok := m["window-type"].([]any); ok {
		for i := range types {
			out.Types = append(out.Types, packet(types).text(i))
		}
	}
	for name, to := range map[string]**bool{"modal": &out.Modal, "fullscreen": &out.Fullscreen, "maximized": &out.Maximized} {
		switch v := m[name].(type) {
		case bool:
			*to = &v
		case int:
			on := v != 0
			*to = &on
		}
	}
	return out
}
