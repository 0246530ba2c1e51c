package atspi

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/godbus/dbus/v5"
)

// reached says whether a connection leads to an application by itself.
func reached(c *Conn, app App) bool {
	_, ended := c.to(app.Root.Bus)
	return ended != nil
}

// TestDirectConnection reads an application over a connection of its own. Its
// end is the application's, not the bus'.
func TestDirectConnection(t *testing.T) {
	t.Parallel()
	r := newRig(t, "gtk3")
	app, err := r.conn.App(r.ctx(), r.app)
	if err != nil {
		t.Fatal(err)
	}
	r.read(app, Budget{})
	if !reached(r.conn, app) {
		t.Fatal("it was read over the bus")
	}
	bus := r.dialFor(t, Config{})
	r.until("as many nodes over another connection", patience, func() bool {
		tree := r.read(app, Budget{})
		over, err := bus.read(r.ctx(), app, patient, false)
		return err == nil && len(over.Nodes) == len(tree.Nodes)
	})
	if err := syscall.Kill(r.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.until("the connection to end", patience, func() bool { return !reached(r.conn, app) })
	if _, err := r.conn.Read(r.ctx(), app, Budget{}); !errors.Is(err, ErrGone) {
		t.Errorf("reading one that ended: %v", err)
	}
	if err := r.conn.call(r.ctx(), busName, busPath, busName+".GetId", nil); err != nil {
		t.Errorf("the bus afterwards: %v", err)
	}
}

// TestEndedBeforeItsReaderSaw writes to a connection whose other end has gone, which
// nobody has read yet: an application is gone, a bus is closed.
func TestEndedBeforeItsReaderSaw(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	c := d.dialFor(t, Config{})
	listener, err := net.Listen("unix", d.dir+"/ended")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for want, ended := range map[error]chan struct{}{ErrGone: make(chan struct{}), ErrClosed: nil} {
		near, err := net.Dial("unix", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		far, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = far.Close()
		f := c.newFlight(Budget{}.orDefault(c.bound))
		f.wire, f.ended = newWire(near, 0), ended
		var told error
		f.ask(request{ref: Ref{Bus: ":1.1", Path: "/x"}, method: getItems, take: func(a reply) { told = a.err }})
		if err := f.run(t.Context()); !errors.Is(err, want) || !errors.Is(told, want) {
			t.Errorf("%v, told %v, want %v", err, told, want)
		}
	}
}

// TestDirectConnectionIsTheApplications has an application name a socket of
// somebody else's. Nothing is said to whoever listens there.
func TestDirectConnectionIsTheApplications(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	for name, address := range map[string]any{
		"the bus": d.access, "no socket": "unix:path=" + d.dir + "/none", "no address": "/etc/passwd", "a number": int32(7),
		"nothing": hang{}, "a refusal": dbus.MakeFailedError(errors.New("no")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newFakeApp(t, d, func(p *fakeApp) {
				p.address = address
				p.put(rootPath, "/org/w")
				p.put("/org/w")
			})
			app := p.app()
			app.Toolkit, app.PID = "gtk", os.Getpid()
			c := d.dialFor(t, Config{})
			tree, err := c.Read(t.Context(), app, Budget{})
			if err != nil || len(tree.Nodes) != 1 {
				t.Fatalf("%v, %v", tree, err)
			}
			if reached(c, app) {
				t.Error("it was connected to")
			}
		})
	}
}
