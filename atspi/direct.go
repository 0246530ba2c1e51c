package atspi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// directBound bounds everything it takes to reach an application by itself. It
// is tried once an application: without it the bus serves as well.
const directBound = 500 * time.Millisecond

// errNotTheApplication says that the socket an application named is somebody
// else's.
var errNotTheApplication = errors.New("the socket is not the application's")

// directs are the connections that lead to applications without the bus between.
// The bridge of GTK 3, which the browsers use too, offers one: a call over it
// costs half of what it costs through the bus, which handles each message twice.
// Only what is read goes over it. Events come over the bus, and so does whatever
// has to be in order with them.
type directs struct {
	mu     sync.Mutex
	by     map[string]*direct // by the application's unique name; nil while or after trying in vain
	closed bool
	over   sync.WaitGroup
}

// direct is one of them.
type direct struct {
	wire *wire
	done chan struct{} // closed when it has ended
}

// directTo looks for the connection to an application, the first time it is
// asked for that one. ctx bounds it.
func (c *Conn) directTo(ctx context.Context, app App) {
	if kind := app.family(); kind != familyGTK3 && kind != familyBrowser || app.PID <= 0 {
		return
	}
	name := app.Root.Bus
	d := &c.directs
	d.mu.Lock()
	_, tried := d.by[name]
	if !tried && !d.closed {
		d.by[name] = nil
	}
	closed := d.closed
	d.mu.Unlock()
	if tried || closed {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, directBound)
	defer cancel()
	found, err := c.dialDirect(ctx, app)
	if err != nil {
		return // the bus serves as well
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = found.wire.Close()
		return
	}
	d.by[name] = found
	d.over.Go(func() {
		found.serve()
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.by[name] == found {
			d.by[name] = nil
		}
	})
}

// dialDirect asks an application for its own address and connects to it. What
// listens there must be that application: an address is a claim, and whoever is
// connected to is spoken to.
func (c *Conn) dialDirect(ctx context.Context, app App) (*direct, error) {
	var address string
	err := c.call(ctx, app.Root.Bus, rootPath, interfacePrefix+"Application.GetApplicationBusAddress", nil, &address)
	if err != nil {
		return nil, err
	}
	socket, err := dialSocket(ctx, address)
	if err != nil {
		return nil, err
	}
	w := newWire(socket, c.wire.max)
	if err := authenticate(ctx, w, app.PID); err != nil {
		_ = socket.Close()
		return nil, fmt.Errorf("reach application %s: %w", app.Root.Bus, err)
	}
	return &direct{wire: w, done: make(chan struct{})}, nil
}

// authenticate proves who listens and says who calls.
func authenticate(ctx context.Context, w *wire, pid int) error {
	socket, ok := w.Conn.(*net.UnixConn)
	if !ok {
		return errNotTheApplication
	}
	if owner, err := peerOf(socket); err != nil || owner != pid {
		return errors.Join(errNotTheApplication, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = socket.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	uid := fmt.Sprintf("%x", strconv.Itoa(os.Getuid()))
	if _, err := w.Write([]byte("\x00AUTH EXTERNAL " + uid + "\r\n")); err != nil {
		return err
	}
	line, err := readLine(w.in)
	if err != nil || !strings.HasPrefix(line, "OK ") {
		return errors.Join(fmt.Errorf("authentication answered %q", clean(line)), err)
	}
	_, err = w.Write([]byte("BEGIN\r\n"))
	return err
}

// readLine reads a line of the authentication, which is short.
func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	if len(line) > 256 {
		return "", errFraming
	}
	return strings.TrimSpace(string(line)), err
}

// peerOf gives the process that listens on the other end.
func peerOf(socket *net.UnixConn) (pid int, err error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	cerr := raw.Control(func(fd uintptr) {
		var cred *syscall.Ucred
		if cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid, errors.Join(cerr, err)
}

// serve hands answers to the flights that wait for them until the connection
// ends. Whatever else the application sends is nobody's.
func (d *direct) serve() {
	defer close(d.done)
	for d.wire.next() == nil {
		d.wire.rest = nil
	}
	_ = d.wire.Close()
}

// to gives the way to an application: its own connection, or the bus.
func (c *Conn) to(bus string) (w *wire, done <-chan struct{}) {
	d := &c.directs
	d.mu.Lock()
	defer d.mu.Unlock()
	if found := d.by[bus]; found != nil {
		return found.wire, found.done
	}
	return c.wire, nil
}

// close ends them all.
func (d *directs) close() {
	d.mu.Lock()
	d.closed = true
	for _, found := range d.by {
		if found != nil {
			_ = found.wire.Close()
		}
	}
	d.mu.Unlock()
	d.over.Wait()
}
