package atspi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// soon bounds what must not take long, generously: machines are busy.
const soon = 60 * time.Second

// within runs f and fails when it takes too long.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s took longer than %v", what, limit)
	}
}

// TestCloseIsTheKillSwitch closes a connection under a read and a call that
// would both wait for long.
func TestCloseIsTheKillSwitch(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	p := newFakeApp(t, d, func(p *fakeApp) {
		p.items = hang{}
		p.put(rootPath).children = hang{}
	})
	c := d.dialFor(t, Config{Call: time.Minute})
	faults := make(chan error, 2)
	go func() {
		_, err := c.Read(context.Background(), p.app(), Budget{Time: time.Minute})
		faults <- err
	}()
	go func() {
		faults <- c.call(context.Background(), p.name, rootPath, interfacePrefix+"Accessible.GetChildren", nil)
	}()
	d.until("the calls out", soon, func() bool { return p.count("GetItems") == 1 && p.count("GetChildren") == 1 })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	within(t, soon, "the end of the calls", func() {
		for range 2 {
			if err := <-faults; !errors.Is(err, ErrClosed) {
				t.Errorf("%v, want closed", err)
			}
		}
		<-c.Done()
	})
	if err := c.call(context.Background(), busName, busPath, busName+".GetId", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a call afterwards: %v", err)
	}
	if _, err := c.Apps(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("a flight afterwards: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestBusDies kills the bus under a read.
func TestBusDies(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	p := newFakeApp(t, d, func(p *fakeApp) { p.items = hang{} })
	c := d.dialFor(t, Config{Call: time.Minute})
	fault := make(chan error, 1)
	go func() {
		_, err := c.Read(context.Background(), p.app(), Budget{Time: time.Minute})
		fault <- err
	}()
	d.until("the call out", soon, func() bool { return p.count("GetItems") == 1 })
	for _, pid := range marked(d.mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	within(t, soon, "the end of the read", func() {
		if err := <-fault; !errors.Is(err, ErrClosed) {
			t.Errorf("%v, want closed", err)
		}
		<-c.Done()
	})
}

// TestCancelledRead tells a caller's own end from a silent application.
func TestCancelledRead(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	p := newFakeApp(t, d, func(p *fakeApp) { p.items = hang{} })
	ctx, cancel := context.WithCancel(context.Background())
	fault := make(chan error, 1)
	go func() {
		_, err := d.conn.Read(ctx, p.app(), Budget{Time: time.Minute, Call: time.Minute})
		fault <- err
	}()
	d.until("the call out", soon, func() bool { return p.count("GetItems") == 1 })
	cancel()
	within(t, soon, "the end of the read", func() {
		if err := <-fault; !errors.Is(err, context.Canceled) || errors.Is(err, ErrNoReply) {
			t.Errorf("%v, want cancelled", err)
		}
	})
}

// TestLateAnswers lets an application answer after its calls were given up: the
// answers must not reach calls that were made later.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	late := make(chan struct{})
	p := newFakeApp(t, d, func(p *fakeApp) {
		p.put(rootPath, "/org/w")
		p.slow = func(member string) {
			if member == "GetItems" {
				<-late
			}
		}
	})
	_, err := d.conn.Read(context.Background(), p.app(), Budget{Call: 200 * time.Millisecond})
	if !errors.Is(err, ErrNoReply) {
		t.Fatalf("%v, want no reply", err)
	}
	close(late)
	for range 20 {
		tree, err := d.conn.Read(context.Background(), p.app(), Budget{})
		if err != nil || paths(tree) != "w\n" {
			t.Fatalf("afterwards: %v", err)
		}
	}
}

// TestMessageCap refuses an answer that is over the cap on both kinds of calls,
// and goes on.
func TestMessageCap(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	p := newFakeApp(t, d, func(p *fakeApp) {
		p.put("/org/long").children = manyRefs(p, 20_000)
		p.put("/org/short", "/org/a")
	})
	c := d.dialFor(t, Config{MaxMessage: 100_000})
	for _, path := range []dbus.ObjectPath{"/org/long", "/org/short", "/org/long", "/org/short"} {
		var refs []Ref
		err := c.call(context.Background(), p.name, path, interfacePrefix+"Accessible.GetChildren", nil, &refs)
		if path == "/org/long" && !errors.Is(err, ErrTooLarge) || path == "/org/short" && (err != nil || len(refs) != 1) {
			t.Errorf("%s: %d children, %v", path, len(refs), err)
		}
	}
	app := p.app()
	app.Root.Path = "/org/long"
	if _, err := c.Read(context.Background(), app, Budget{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a tree whose top is too large: %v", err)
	}
}

func manyRefs(p *fakeApp, n int) []Ref {
	refs := make([]Ref, n)
	for i := range refs {
		refs[i] = p.ref(fmt.Sprintf("/org/many/%d", i))
	}
	return refs
}

// TestFloodWhileReading reads while an application sends calls and signals without end, the
// signals of a size nobody wants.
func TestFloodWhileReading(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	c := d.dialFor(t, Config{MaxMessage: 1 << 20})
	if err := c.bus.AddMatchSignal(dbus.WithMatchInterface("flood.Flood")); err != nil {
		t.Fatal(err)
	}
	p := newFakeApp(t, d, func(p *fakeApp) {
		p.put(rootPath, "/org/w", "/org/v")
		grow(p, 2)
	})
	stop := make(chan struct{})
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		large := strings.Repeat("x", 3<<20)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			headers := map[dbus.HeaderField]dbus.Variant{
				dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath("/flood")), dbus.FieldInterface: dbus.MakeVariant("flood.Flood"),
				dbus.FieldMember: dbus.MakeVariant("Flood"),
			}
			m := &dbus.Message{Type: dbus.TypeSignal, Headers: headers}
			if i%2 == 0 {
				m.Type = dbus.TypeMethodCall
				headers[dbus.FieldDestination] = dbus.MakeVariant(c.Name())
			}
			if i%100 == 1 {
				m.Body = []any{large}
				headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(large))
			}
			p.send(m)
		}
	}()
	for range 5 {
		tree, err := c.Read(context.Background(), p.app(), Budget{Time: time.Minute, Call: time.Minute})
		if err != nil || len(tree.Nodes) != 2 {
			t.Fatalf("%v", err)
		}
	}
	close(stop)
	<-flooded
}

// TestPasswordIsNeverRead counts the calls that would have brought it.
func TestPasswordIsNeverRead(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	p := newFakeApp(t, d, func(p *fakeApp) {
		text := []string{interfacePrefix + "Accessible", interfacePrefix + "Text", interfacePrefix + "EditableText"}
		p.put(rootPath, "/org/w")
		p.put("/org/w", "/org/field", "/org/plain")
		field := p.put("/org/field", "/org/inside")
		field.role, field.ifaces = uint32(RolePasswordText), text
		inside := p.put("/org/inside")
		inside.role, inside.ifaces, inside.name = uint32(RoleStatic), text, "hunter2"
		plain := p.put("/org/plain")
		plain.role, plain.ifaces = uint32(RoleText), text
	})
	tree, err := d.conn.Read(context.Background(), p.app(), Budget{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.conn.Detail(context.Background(), tree, []int{0, 1, 2, 3, 4, -1}, WantText|WantExtents, Budget{}); err != nil {
		t.Fatal(err)
	}
	field, inside, plain := &tree.Nodes[1], &tree.Nodes[2], &tree.Nodes[3]
	if field.Text != nil || inside.Text != nil || inside.Name != "" || field.TextLen != 7 || p.count("GetText") != 1 {
		t.Errorf("field %+v, inside %+v, GetText asked %d times", field, inside, p.count("GetText"))
	}
	if plain.Text == nil || *plain.Text != "hunter2" {
		t.Errorf("plain %+v", plain)
	}
}
