package atspi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// fakeApp is an application made up for a test: it answers the AT-SPI protocol as
// it is told to, one call after the other. What real toolkits do is tested with
// real ones; a fake one does what they never do.
type fakeApp struct {
	t      testing.TB
	socket net.Conn
	name   string
	done   chan struct{} // closed when the fakeApp has stopped

	mu    sync.Mutex
	nodes map[dbus.ObjectPath]*fake
	calls map[string]int // by member
	items any            // what GetItems answers; nil is an empty list
	child func(path dbus.ObjectPath, index int) any
	slow  func(member string) // called before each answer
	// address is where it says that it can be reached by itself.
	address any
}

// fake is a node of a fake application. Each field is what its method answers: a value of
// any type, an error, or hang.
type fake struct {
	children, count, role, name, description, states, ifaces, extents, text any
}

// hang is the answer that never comes.
type hang struct{}

// hangUp is the answer of an application that ends.
type hangUp struct{}

// newFakeApp connects one to the desk's accessibility bus and lets it answer.
// godbus' own way of exporting starts a goroutine a call and cannot hang
// without one, so this takes godbus' messages alone.
func newFakeApp(t testing.TB, d *desk, set func(*fakeApp)) *fakeApp {
	t.Helper()
	socket, err := dialSocket(context.Background(), d.access)
	if err != nil {
		t.Fatal(err)
	}
	p := &fakeApp{t: t, socket: socket, nodes: map[dbus.ObjectPath]*fake{}, calls: map[string]int{}, done: make(chan struct{})}
	t.Cleanup(func() {
		socket.Close()
		<-p.done
	})
	in := bufio.NewReader(socket)
	uid := fmt.Sprintf("%x", strconv.Itoa(os.Getuid()))
	fmt.Fprintf(socket, "\x00AUTH EXTERNAL %s\r\n", uid)
	if line, err := in.ReadString('\n'); err != nil || line[:2] != "OK" {
		t.Fatalf("authentication: %q, %v", line, err)
	}
	fmt.Fprintf(socket, "BEGIN\r\n")
	p.send(&dbus.Message{Type: dbus.TypeMethodCall, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldDestination: dbus.MakeVariant(busName), dbus.FieldPath: dbus.MakeVariant(busPath),
		dbus.FieldInterface: dbus.MakeVariant(busName), dbus.FieldMember: dbus.MakeVariant("Hello"),
	}})
	hello, err := dbus.DecodeMessage(in)
	if err != nil {
		t.Fatal(err)
	}
	p.name = hello.Body[0].(string)
	set(p)
	go p.serve(in)
	return p
}

// serve answers calls until the socket is closed.
func (p *fakeApp) serve(in *bufio.Reader) {
	defer close(p.done)
	for {
		m, err := dbus.DecodeMessage(in)
		if err != nil {
			return
		}
		if m.Type != dbus.TypeMethodCall {
			continue
		}
		body := p.answer(m)
		reply := &dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()),
			dbus.FieldDestination: m.Headers[dbus.FieldSender],
		}, Body: []any{body}}
		switch v := body.(type) {
		case hang:
			continue
		case hangUp:
			p.socket.Close()
			return
		case *dbus.Error:
			reply.Type, reply.Body = dbus.TypeError, v.Body
			reply.Headers[dbus.FieldErrorName] = dbus.MakeVariant(v.Name)
		}
		if len(reply.Body) > 0 {
			reply.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(reply.Body...))
		}
		p.send(reply)
	}
}

// send writes a message; its serial does not matter to anybody but may not be
// nought.
func (p *fakeApp) send(m *dbus.Message) {
	var b bytes.Buffer
	if err := m.EncodeTo(&b, binary.LittleEndian); err != nil {
		p.t.Error(err)
		return
	}
	raw := b.Bytes()
	binary.LittleEndian.PutUint32(raw[8:], 1)
	_, _ = p.socket.Write(raw) // an application that was hung up on has nobody to tell
}

// answer looks the node up and does what it says.
func (p *fakeApp) answer(m *dbus.Message) any {
	path := m.Headers[dbus.FieldPath].Value().(dbus.ObjectPath)
	member := m.Headers[dbus.FieldMember].Value().(string)
	if member == "Get" {
		member = m.Body[1].(string)
	}
	p.mu.Lock()
	p.calls[member]++
	f := p.nodes[path]
	p.mu.Unlock()
	if f == nil {
		f = p.node(path)
	}
	if p.slow != nil {
		p.slow(member)
	}
	switch member {
	case "GetItems":
		if p.items == nil {
			return []wireItem{}
		}
		return p.items
	case "GetChildren":
		return f.children
	case "GetChildAtIndex":
		return p.child(path, int(m.Body[0].(int32)))
	case "GetAccessibleAtPoint":
		return Ref{Path: nullPath}
	case "GetRole":
		return f.role
	case "GetState":
		return f.states
	case "GetInterfaces":
		return f.ifaces
	case "GetExtents":
		return f.extents
	case "GetText":
		return f.text
	case "GetAll":
		all := map[string]dbus.Variant{}
		for name, v := range map[string]any{"Name": f.name, "Description": f.description, "ChildCount": f.count} {
			value, ok := inVariant(v).(dbus.Variant)
			if !ok {
				return v
			}
			all[name] = value
		}
		return all
	case "Name":
		return inVariant(f.name)
	case "Description":
		return inVariant(f.description)
	case "ChildCount":
		return inVariant(f.count)
	case "GetApplicationBusAddress":
		if p.address != nil {
			return p.address
		}
	case "CharacterCount":
		return dbus.MakeVariant(int32(7))
	case "Parent":
		return dbus.MakeVariant(p.ref(rootPath))
	}
	return dbus.MakeFailedError(errors.New(member + " is not answered here"))
}

// inVariant is v as a property's value; what is no value stays what it is.
func inVariant(v any) any {
	switch v.(type) {
	case hang, hangUp, *dbus.Error, dbus.Variant:
		return v
	}
	return dbus.MakeVariant(v)
}

// node is the usual node, for every path that was not given another: a button
// without children.
func (p *fakeApp) node(path dbus.ObjectPath) *fake {
	return &fake{
		children: []Ref{}, count: int32(0), role: uint32(RolePushButton), name: "node " + string(path), description: "", text: "hunter2",
		states:  []uint32{uint32(StateShowing | StateVisible | StateSensitive | StateEnabled), 0},
		ifaces:  []string{interfacePrefix + "Accessible", interfacePrefix + "Component"},
		extents: struct{ X, Y, W, H int32 }{0, 0, 10, 10},
	}
}

// put gives a path a node with those children and lets the caller change it.
func (p *fakeApp) put(path string, children ...string) *fake {
	f := p.node(dbus.ObjectPath(path))
	refs := []Ref{}
	for _, child := range children {
		refs = append(refs, p.ref(child))
	}
	f.children, f.count = refs, int32(len(refs))
	p.mu.Lock()
	p.nodes[dbus.ObjectPath(path)] = f
	p.mu.Unlock()
	return f
}

func (p *fakeApp) ref(path string) Ref { return Ref{Bus: p.name, Path: dbus.ObjectPath(path)} }

// app is the fakeApp as an application.
func (p *fakeApp) app() App { return App{Root: p.ref(rootPath), Name: "fakeApp"} }

func (p *fakeApp) count(member string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[member]
}
