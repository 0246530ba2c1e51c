package xpra

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ErrLeft says that the viewer ended the conversation.
var ErrLeft = errors.New("the viewer has left")

// RelayConfig says whose conversation a relay carries.
type RelayConfig struct {
	// Socket is where the server listens.
	Socket string
	// ID tells this viewer from others of the server.
	ID string
	// Viewer is the connection to the viewer, a program of xpra's. The relay
	// closes it.
	Viewer io.ReadWriteCloser
	// Where gives a window's rectangle on the display now. It is asked when a menu
	// is shown.
	Where func(xid uint32) (Rect, bool)
}

// Relay stands between a server and a viewer of its windows that a person works
// in: the viewer gets the windows and their pixels, and nothing that it says of
// them reaches the server. What the person does there are acts, which Next gives.
type Relay struct {
	viewer io.ReadWriteCloser
	server net.Conn
	heard  atomic.Int64 // when the viewer said something last
	poke   chan struct{}
	done   chan struct{} // closed when the conversation is over
	once   sync.Once
	over   sync.WaitGroup
	reason error // why it is over; read after done
	where  func(xid uint32) (Rect, bool)

	mu     sync.Mutex // guards desk and acts
	desk   *desk
	acts   []Act
	writes sync.Mutex // one writer to the server at a time
	tells  sync.Mutex // and to the viewer
}

// NewRelay connects to the server and begins to carry the conversation. ctx
// bounds the call; it goes on until Close, or until one side ends it.
func NewRelay(ctx context.Context, cfg RelayConfig) (*Relay, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	var dialer net.Dialer
	server, err := dialer.DialContext(ctx, "unix", cfg.Socket)
	if err != nil {
		return nil, fmt.Errorf("connect to xpra: %w", err)
	}
	r := &Relay{
		viewer: cfg.Viewer, server: server, poke: make(chan struct{}, 1), done: make(chan struct{}), desk: newDesk(cfg.ID), where: cfg.Where,
	}
	r.heard.Store(time.Now().UnixNano())
	r.over.Go(func() { r.end(r.fromViewer(bufio.NewReader(r.viewer))) })
	r.over.Go(func() { r.end(r.fromServer(bufio.NewReaderSize(server, 64<<10))) })
	return r, nil
}

// Done is closed when the conversation is over.
func (r *Relay) Done() <-chan struct{} { return r.done }

// Err says why it is over: ErrLeft when the viewer ended it, ErrGone when the
// server did. It is called after Done.
func (r *Relay) Err() error { return r.reason }

// Heard is when the viewer said something last: it answers a question of the
// server's every few seconds.
func (r *Relay) Heard() time.Time { return time.Unix(0, r.heard.Load()) }

// end keeps why the conversation is over, and lets go of the server. The
// viewer's connection stays, for what is to be said last.
func (r *Relay) end(why error) {
	r.once.Do(func() {
		r.reason = why
		_ = r.server.Close()
		close(r.done)
	})
}

// Close ends the conversation and both connections. It may be called more than
// once.
func (r *Relay) Close() {
	r.end(ErrLeft)
	_ = r.viewer.Close()
	r.over.Wait()
}

// Next waits for an act of the person. An error is the end: of ctx, or of the
// conversation.
func (r *Relay) Next(ctx context.Context) (Act, error) {
	for {
		r.mu.Lock()
		if len(r.acts) > 0 {
			a := r.acts[0]
			r.acts = r.acts[1:]
			r.mu.Unlock()
			return a, nil
		}
		r.mu.Unlock()
		select {
		case <-r.poke:
		case <-r.done:
			return Act{}, r.reason
		case <-ctx.Done():
			return Act{}, ctx.Err()
		}
	}
}

// SizeBack gives a window its own size again in the viewer.
func (r *Relay) SizeBack(xid uint32) error {
	r.mu.Lock()
	v := r.desk.sizeBack(xid)
	r.mu.Unlock()
	return r.carry(v, nil)
}

// fromViewer carries what the viewer says until one side ends.
func (r *Relay) fromViewer(in io.Reader) error {
	for {
		p, err := readParcel(in)
		if errors.Is(err, errRencode) {
			return fmt.Errorf("what the viewer says cannot be read: %w", err)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrLeft, err)
		}
		r.heard.Store(time.Now().UnixNano())
		r.mu.Lock()
		v := r.desk.fromViewer(p.packet)
		room := true
		for _, a := range v.acts {
			if room {
				r.acts, room = addAct(r.acts, a)
			}
		}
		r.mu.Unlock()
		if !room { // a release that is lost is a key that stays down
			return fmt.Errorf("%d acts of the viewer wait to be done", maxActs)
		}
		if len(v.acts) > 0 {
			select {
			case r.poke <- struct{}{}:
			default:
			}
		}
		if p.packet.kind() == "disconnect" {
			return ErrLeft
		}
		if v.pass {
			err = r.tellServer(p.raw)
		}
		if err = errors.Join(err, r.carry(v, nil)); err != nil {
			return err
		}
	}
}

// fromServer carries what the server says until one side ends.
func (r *Relay) fromServer(in io.Reader) error {
	for {
		p, err := readParcel(in)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrGone, err)
		}
		v := r.decide(p.packet)
		raw := p.raw
		if !v.pass {
			raw = nil
		}
		if err := r.carry(v, raw); err != nil {
			return err
		}
		if p.packet.kind() == "disconnect" {
			return fmt.Errorf("%w: it ended the connection: %v", ErrGone, []any(p.packet[1:]))
		}
	}
}

// decide decides about a packet of the server. Where a menu belongs is asked of
// the display first.
func (r *Relay) decide(p packet) verdict {
	r.mu.Lock()
	xid := r.desk.beside(p)
	r.mu.Unlock()
	var beside *Rect
	if xid != 0 {
		if at, ok := r.where(xid); ok {
			beside = &at
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.desk.fromServer(p, beside)
}

// carry says what was decided, raw first to the viewer.
func (r *Relay) carry(v verdict, raw []byte) error {
	for _, p := range v.viewer {
		raw = append(raw, frame(p)...)
	}
	if len(raw) > 0 {
		r.tells.Lock()
		_, err := r.viewer.Write(raw)
		r.tells.Unlock()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrLeft, err)
		}
	}
	for _, p := range v.server {
		if err := r.tellServer(frame(p)); err != nil {
			return err
		}
	}
	return nil
}

// tellServer writes to the server. One that takes nothing is gone.
func (r *Relay) tellServer(raw []byte) error {
	r.writes.Lock()
	defer r.writes.Unlock()
	err := r.server.SetWriteDeadline(time.Now().Add(writeTime))
	if err == nil {
		_, err = r.server.Write(raw)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return nil
}
