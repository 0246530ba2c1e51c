package x11

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	socketDir = "/tmp/.X11-unix"

	// maxInFlight bounds the calls of one connection that wait for the server.
	// A stopped server answers nothing and each waiting call holds a goroutine;
	// past the bound calls wait for a place, still under their own context.
	maxInFlight = 64

	// closeGrace bounds how long Close waits for calls that are on their way
	// back. They end as soon as they see the connection gone.
	closeGrace = 10 * time.Second
)

// WindowID names a window of the server.
type WindowID uint32

// Point is a place in root pixels.
type Point struct{ X, Y int }

// Rect is a rectangle in root pixels.
type Rect struct{ X, Y, W, H int }

// Conn is one connection to one X server. Its methods are safe for concurrent
// use, each is bounded by its context, and all return ErrGone soon after the
// server went away.
type Conn struct {
	x        *xgb.Conn
	wire     *wire
	display  string
	cookie   []byte
	root     xproto.Window
	screen   *xproto.ScreenInfo
	setup    *xproto.SetupInfo
	have     map[string]bool // extensions
	atoms    atomTable
	ids      idPool
	hub      hub
	segments segmentPool
	titles   titles
	framed   atomic.Bool // windows are in frames of another window manager

	slots chan struct{} // one place a call in flight
	calls sync.WaitGroup
	done  chan struct{} // closed by pump

	background sync.WaitGroup // goroutines that live as long as the connection

	closing  sync.Once
	closeErr error
	mu       sync.Mutex
	closed   bool // no new call may join calls
}

// Dial connects to a display such as ":101" through its unix socket, with its
// MIT-MAGIC-COOKIE-1 (nil: without one). ctx bounds the call, not the life of
// the connection, which ends with Close. Nothing is read from the environment.
func Dial(ctx context.Context, display string, cookie []byte) (*Conn, error) {
	c, err := dial(ctx, display, cookie)
	if err != nil {
		return nil, fmt.Errorf("connect to display %s: %w", display, err)
	}
	return c, nil
}

func dial(ctx context.Context, display string, cookie []byte) (*Conn, error) {
	number, err := displayNumber(display)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	sock, err := d.DialContext(ctx, "unix", filepath.Join(socketDir, "X"+strconv.Itoa(number)))
	if err != nil {
		return nil, err
	}
	// Closing the socket is what ends the handshake of a server that accepts
	// and then says nothing.
	stop := context.AfterFunc(ctx, func() { _ = sock.Close() })
	c, err := open(ctx, sock, display, cookie)
	if !stop() && err == nil {
		_ = c.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = sock.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return c, nil
}

func open(ctx context.Context, sock net.Conn, display string, cookie []byte) (*Conn, error) {
	w, err := greet(sock, cookie)
	if err != nil {
		return nil, err
	}
	x, err := xgb.NewConnNet(w)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	c := &Conn{
		x: x, wire: w, display: display, cookie: append([]byte(nil), cookie...),
		slots: make(chan struct{}, maxInFlight), done: make(chan struct{}),
	}
	go c.pump()
	if err := c.prepare(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// prepare reads the setup, initialises extensions, interns the atoms this
// package uses and asks for the events of the root and its substructure. (The
// root's own are where Qt sends its answer to _NET_WM_PING.)
func (c *Conn) prepare(ctx context.Context) error {
	c.setup = xproto.Setup(c.x)
	if len(c.setup.Roots) == 0 {
		return errors.New("the display has no screen")
	}
	c.screen = c.setup.DefaultScreen(c.x)
	c.root = c.screen.Root
	type ready struct {
		have  map[string]bool
		atoms map[string]xproto.Atom
	}
	got, err := call(ctx, c, func(x *xgb.Conn) (ready, error) {
		mask := xproto.ChangeWindowAttributesChecked(x, c.root, xproto.CwEventMask,
			[]uint32{xproto.EventMaskSubstructureNotify | xproto.EventMaskStructureNotify})
		atoms := internAll(x, knownAtoms)
		have, err := initExtensions(x, c.wire)
		if err != nil {
			return ready{}, err
		}
		if err := mask.Check(); err != nil {
			return ready{}, fmt.Errorf("select root events: %w", err)
		}
		table, err := atoms()
		return ready{have, table}, err
	})
	if err != nil {
		return err
	}
	c.have = got.have
	c.atoms.fill(got.atoms)
	return nil
}

func displayNumber(display string) (int, error) {
	host, rest, ok := strings.Cut(display, ":")
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	if !ok || host != "" || err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a local display (like \":101\")", display)
	}
	return n, nil
}

// Display gives the display this connection was made to, like ":101".
func (c *Conn) Display() string { return c.display }

// Root gives the root window.
func (c *Conn) Root() WindowID { return WindowID(c.root) }

// Screen gives the root's size in pixels as the server started with it.
func (c *Conn) Screen() (w, h int) {
	return int(c.screen.WidthInPixels), int(c.screen.HeightInPixels)
}

// Done is closed when the connection ended: the server went away, or Close.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the connection and waits for its goroutines. It may be called more
// than once, and at any time, but not from inside a call. What was asked without
// waiting for the server may be lost: a request whose effect matters is waited
// for by the method that makes it.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		// The library's own Close queues behind the request that may be stuck.
		// A socket that fails to read ends all of it instead.
		c.closeErr = c.wire.Close()
		if errors.Is(c.closeErr, net.ErrClosed) {
			c.closeErr = nil
		}
		<-c.done
		for { // identifiers run dry when the library's sender is through
			if _, err := c.x.NewId(); err != nil {
				break
			}
		}
		c.background.Wait()
		back := make(chan struct{})
		go func() { c.calls.Wait(); close(back) }()
		select {
		case <-back:
		case <-time.After(closeGrace):
			c.closeErr = errors.Join(c.closeErr, errors.New("close X connection: a call is still running"))
		}
		c.closeErr = errors.Join(c.closeErr, c.segments.close())
	})
	return c.closeErr
}

// call runs f with the library's connection and waits for it, for ctx, or for
// the end of the connection, whichever is first. Requests of the library block
// when the server is stopped and replies have no deadline, so every use of it
// goes through here.
//
// f should put all its requests in flight before it waits for replies, and be
// short: when ctx ends first, f goes on alone until the server answers or the
// connection ends. It must therefore touch nothing but its own variables, and
// hand back what it found only as its result.
func call[T any](ctx context.Context, c *Conn, f func(x *xgb.Conn) (T, error)) (T, error) {
	var zero T
	if err := c.enter(ctx); err != nil {
		return zero, err
	}
	return entered(ctx, c, f)
}

// entered is call for who has a place already; it gives the place back.
func entered[T any](ctx context.Context, c *Conn, f func(x *xgb.Conn) (T, error)) (T, error) {
	var zero T
	type result struct {
		v   T
		err error
	}
	back := make(chan result, 1)
	go func() {
		defer c.leave()
		var r result
		defer func() {
			// The library indexes replies by the lengths they state.
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("read the X server's reply: %v", p)}
			}
			back <- r
		}()
		r.v, r.err = f(c.x)
	}()
	select {
	case r := <-back:
		return r.v, translate(r.err)
	case <-ctx.Done():
		return zero, context.Cause(ctx)
	case <-c.done:
		return zero, ErrGone
	}
}

// do is call for requests without a result.
func (c *Conn) do(ctx context.Context, f func(x *xgb.Conn) error) error {
	_, err := call(ctx, c, func(x *xgb.Conn) (struct{}, error) { return struct{}{}, f(x) })
	return err
}

func (c *Conn) enter(ctx context.Context) error {
	select {
	case <-c.done:
		return ErrGone
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case c.slots <- struct{}{}:
	case <-c.done:
		return ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		<-c.slots
		return ErrGone
	}
	c.calls.Add(1)
	return nil
}

func (c *Conn) leave() {
	<-c.slots
	c.calls.Done()
}

// Sync waits until the server has handled everything asked of it before.
func (c *Conn) Sync(ctx context.Context) error {
	return c.do(ctx, func(x *xgb.Conn) error {
		_, err := xproto.GetInputFocus(x).Reply()
		return err
	})
}

// another makes a second connection to the same server.
func (c *Conn) another(ctx context.Context) (*Conn, error) {
	return Dial(ctx, c.display, c.cookie)
}
