package x11

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// ErrManaged says that the display has a window manager already.
var ErrManaged = errors.New("another window manager runs on the display")

const (
	// wmQueue is how many events the window manager may be behind. When more
	// come it reads the windows anew.
	wmQueue = 4096

	// wmStep bounds one step of the window manager. No step waits for an
	// application, only for the server.
	wmStep = 5 * time.Second
)

// WM is a window manager for a display that belongs to one application: no
// decorations, no icons, one monitor. The first main window is put at 0,0;
// dialogs are centred over what they belong to and kept on the monitor; a click
// raises and focuses; the focus goes back where it came from when a window
// closes; and a window can be pinned to an exact size.
//
// It runs in this process on a connection of its own, so that nothing asked on
// other connections delays it, and it never waits for an application.
type WM struct {
	conn  *Conn
	sub   *subscription
	tasks chan func() // run on the manager's goroutine
	stop  chan struct{}
	once  sync.Once
	over  sync.WaitGroup
	err   error

	// The rest belongs to the manager's goroutine.
	check   xproto.Window // says to clients that a window manager runs
	monitor Rect
	clients map[xproto.Window]*client
	order   []xproto.Window // in the order they were managed
	stack   []xproto.Window // bottom to top
	recent  []xproto.Window // by focus, the latest last
	active  xproto.Window   // has the focus, 0 for none
	told    published
	main    *pin // for the next main window to be shown
	moved   bool // the focus may have moved
	nowhere bool // the focus may be nowhere
	effects []func(x *xgb.Conn)
}

// published is what the root's properties say, so that they are written only
// when they change.
type published struct {
	clients, stacking []xproto.Window
	active            xproto.Window
	monitor           Rect
}

// StartWM starts a window manager for the display of c on a connection of its
// own, and takes over the windows that are there. ctx bounds the call; it runs
// until Close. The error wraps ErrManaged when there is one already.
func StartWM(ctx context.Context, c *Conn) (*WM, error) {
	conn, err := c.another(ctx)
	if err != nil {
		return nil, fmt.Errorf("start window manager: %w", err)
	}
	m := &WM{
		conn: conn, tasks: make(chan func()), stop: make(chan struct{}),
		clients: map[xproto.Window]*client{},
	}
	m.sub = conn.subscribe(m.wants, wmQueue)
	if err := m.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start window manager: %w", err), conn.Close())
	}
	m.over.Go(m.run)
	return m, nil
}

// Close ends the window manager; the windows stay as they are. It may be called
// more than once.
func (m *WM) Close() error {
	m.once.Do(func() {
		close(m.stop)
		m.over.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), wmStep)
		defer cancel()
		// What was asked last must have reached the server.
		_ = m.conn.Sync(ctx)
		m.err = m.conn.Close()
	})
	return m.err
}

// Done is closed when the window manager lost its display.
func (m *WM) Done() <-chan struct{} { return m.conn.Done() }

// begin claims the display, says what is supported, and manages what is shown.
func (m *WM) begin(ctx context.Context) error {
	err := m.conn.do(ctx, func(x *xgb.Conn) error {
		err := xproto.ChangeWindowAttributesChecked(x, m.conn.root, xproto.CwEventMask, []uint32{
			// The root's own focus events say that the focus fell back to it, or to
			// nothing, also from a window that is not managed.
			xproto.EventMaskSubstructureRedirect | xproto.EventMaskSubstructureNotify | xproto.EventMaskFocusChange,
		}).Check()
		var denied xproto.AccessError
		if errors.As(err, &denied) {
			return ErrManaged
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := m.announce(ctx); err != nil {
		return err
	}
	if m.monitor, err = m.conn.Monitor(ctx); err != nil {
		return err
	}
	if err := m.adopt(ctx); err != nil {
		return err
	}
	m.settle(ctx)
	return nil
}

// wants selects what run handles. It is called on the pump.
func (m *WM) wants(ev xgb.Event) bool {
	switch ev.(type) {
	case xproto.MapRequestEvent, xproto.ConfigureRequestEvent, xproto.CirculateRequestEvent,
		xproto.UnmapNotifyEvent, xproto.DestroyNotifyEvent, xproto.ReparentNotifyEvent,
		xproto.ConfigureNotifyEvent, xproto.ButtonPressEvent, xproto.ClientMessageEvent,
		xproto.PropertyNotifyEvent, xproto.FocusInEvent, xproto.FocusOutEvent,
		randr.ScreenChangeNotifyEvent, randr.NotifyEvent:
		return true
	}
	return false
}

// run handles events and tasks until Close or the end of the display. After
// each burst it brings focus, grabs and properties up to date, once.
func (m *WM) run() {
	for {
		select {
		case ev, ok := <-m.sub.C:
			if !ok {
				return
			}
			m.step(func(ctx context.Context) {
				m.handle(ctx, ev)
				m.drain(ctx)
				if m.sub.lost() {
					_ = m.adopt(ctx)
				}
			})
		case task := <-m.tasks:
			m.step(func(context.Context) { task() })
		case <-m.stop:
			return
		}
	}
}

func (m *WM) step(f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), wmStep)
	defer cancel()
	f(ctx)
	m.settle(ctx)
}

// drain handles what is there already.
func (m *WM) drain(ctx context.Context) {
	for range wmQueue {
		select {
		case ev, ok := <-m.sub.C:
			if !ok {
				return
			}
			m.handle(ctx, ev)
		default:
			return
		}
	}
}

// ask runs f on the manager's goroutine and waits for it.
func (m *WM) ask(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case m.tasks <- func() { defer close(done); f() }:
	case <-m.stop:
		return ErrGone
	case <-m.conn.Done():
		return ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// handle reacts to one event. Windows may be gone by then: what fails because
// of that is left alone, the event that says so follows.
func (m *WM) handle(ctx context.Context, ev xgb.Event) {
	switch v := ev.(type) {
	case xproto.MapRequestEvent:
		m.mapRequest(ctx, v.Window)
	case xproto.ConfigureRequestEvent:
		m.configureRequest(v)
	case xproto.CirculateRequestEvent:
		m.restack(v.Window, v.Place == xproto.PlaceOnTop)
	case xproto.UnmapNotifyEvent:
		m.unmapped(v)
	case xproto.DestroyNotifyEvent:
		m.forget(v.Window)
	case xproto.ReparentNotifyEvent:
		if v.Parent != m.conn.root {
			m.forget(v.Window)
		}
	case xproto.ConfigureNotifyEvent:
		m.configured(ctx, v)
	case xproto.ButtonPressEvent:
		m.pressed(v)
	case xproto.ClientMessageEvent:
		m.message(v)
	case xproto.PropertyNotifyEvent:
		m.property(ctx, v)
	case xproto.FocusInEvent, xproto.FocusOutEvent:
		m.moved = true
	case randr.ScreenChangeNotifyEvent, randr.NotifyEvent:
		m.readMonitor(ctx)
	}
}

// emit adds requests to those that flush makes. f runs on another goroutine and
// may run late: it must use copies of what belongs to the manager.
func (m *WM) emit(f func(x *xgb.Conn)) { m.effects = append(m.effects, f) }

// flush makes the requests emitted so far, without waiting for what comes of
// them.
func (m *WM) flush(ctx context.Context) {
	effects := m.effects
	m.effects = nil
	if len(effects) == 0 {
		return
	}
	_ = m.conn.do(ctx, func(x *xgb.Conn) error {
		for _, f := range effects {
			f(x)
		}
		return nil
	})
}

// query asks the server something after everything emitted before. Like emit's,
// f must use copies.
func query[T any](ctx context.Context, m *WM, f func(x *xgb.Conn) (T, error)) (T, error) {
	m.flush(ctx)
	return call(ctx, m.conn, f)
}

// settle brings everything that depends on all windows up to date.
func (m *WM) settle(ctx context.Context) {
	if m.moved {
		m.moved = false
		m.readFocus(ctx)
	}
	if m.nowhere {
		m.nowhere = false
		m.restoreFocus(ctx)
	}
	m.grabClicks()
	m.publish()
	m.flush(ctx)
}
