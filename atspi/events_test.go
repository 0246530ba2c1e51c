package atspi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"vibespace/fixtures"
)

// subscribe subscribes for the rest of a test.
func subscribe(t *testing.T, c *Conn, f Filter) *Events {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	e, err := c.Subscribe(ctx, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// wait takes events until one matches and returns it and all before it.
func wait(t testing.TB, e *Events, match func(Event) bool) []Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var seen []Event
	for {
		b, err := e.Next(ctx)
		if err != nil {
			t.Fatalf("no such event: %v; there were %v", err, seen)
		}
		for i, ev := range b.Events {
			if match(ev) {
				return append(seen, b.Events[:i+1]...)
			}
		}
		seen = append(seen, b.Events...)
	}
}

// of matches an event of one node.
func of(source Ref, kind Kind, detail string, a int) func(Event) bool {
	return func(e Event) bool {
		return e.Source == source && e.Kind == kind && e.Detail == detail && e.A == a
	}
}

// A subscription that was registered before the application came sees its
// changes, in order and at the node that changed.
func eventsOfToolkits(t *testing.T, r *rig) {
	e := subscribe(t, r.conn, Filter{})
	if states := r.toggles(e, 1, 0, 1); !slices.Equal(states, []int{1, 0, 1}) {
		t.Errorf("the toggle went %v", states)
	}
	victim, target := r.find("Victim").Ref, r.find("Target").Ref
	for _, sensitive := range []int{0, 1} {
		must(t, r.click("Disable Victim"))
		wait(t, e, of(victim, KindState, "sensitive", sensitive))
	}
	must(t, r.click("Rename Target"))
	wait(t, e, of(target, KindProperty, "accessible-name", 0))
	for _, control := range []string{"Name", "Notes"} {
		ref := r.find(control).Ref
		must(t, r.conn.SetText(r.ctx(), ref, "hello"))
		wait(t, e, func(ev Event) bool {
			return ev.Source == ref && ev.Kind == KindText && ev.Detail == "insert" && ev.B == 5
		})
	}
	must(t, r.click("Open Dialog"))
	wait(t, e, r.newWindow)
	r.until("the dialog's button", patience, func() bool { r.look(); return r.has("Close Dialog") })
	must(t, r.click("Close Dialog"))
	r.journal.Wait(t, fixtures.Dialog("Dialog", false), patience)
}

// toggles clicks the toggle once for each state it should reach and returns
// every state it was said to have on the way.
func (r *rig) toggles(e *Events, wants ...int) (states []int) {
	r.t.Helper()
	pressed := map[string]string{"gtk3": "checked", "gtk4": "pressed", "qt5": "checked"}[r.toolkit]
	toggle := r.find("Toggle").Ref
	for _, want := range wants {
		must(r.t, r.click("Toggle"))
		wait(r.t, e, func(ev Event) bool {
			mine := ev.Source == toggle && ev.Kind == KindState && ev.Detail == pressed
			if mine {
				states = append(states, ev.A)
			}
			return mine && ev.A == want
		})
	}
	return states
}

// newWindow matches how the toolkit tells of a window that came: Qt says only
// that something is showing.
func (r *rig) newWindow(ev Event) bool {
	if r.toolkit == "qt5" {
		return ev.Kind == KindState && ev.Detail == "showing" && ev.A == 1
	}
	return ev.Kind == KindChildren && ev.Detail == "add" && ev.Source == r.app && !ev.Child.Null()
}

// Reading a tree a second time is no change: a window that is only looked at
// is settled.
func readingIsNoChange(t *testing.T, r *rig) {
	e := subscribe(t, r.conn, Filter{})
	if quiet, err := e.Quiet(r.ctx(), 300*time.Millisecond, patience); err != nil || !quiet {
		t.Fatalf("never quiet: %v, %v", quiet, err)
	}
	// What an earlier test set going (a bar that fades) may end just now; reading would
	// be a change each time.
	var s Settled
	r.until("reading that is no change", patience, func() bool {
		mark := e.Mark()
		r.look()
		var err error
		s, err = e.Settle(r.ctx(), mark, Patience{First: 300 * time.Millisecond, Quiet: 100 * time.Millisecond, Max: patience})
		if err != nil {
			t.Fatal(err)
		}
		if s.Events > 0 {
			t.Logf("after reading: %+v, %v", s, e.Take().Events)
		}
		return s.Quiet && s.Events == 0
	})
}

// An act is followed by its events, and settling counts them from before the
// act however fast they came.
func settleAfterAct(t *testing.T, r *rig) {
	e := subscribe(t, r.conn, Filter{})
	if _, err := e.Quiet(r.ctx(), 200*time.Millisecond, patience); err != nil {
		t.Fatal(err)
	}
	mark := e.Mark()
	must(t, r.click("Toggle"))
	s, err := e.Settle(r.ctx(), mark, Patience{First: 10 * time.Second, Quiet: 150 * time.Millisecond, Max: patience})
	if err != nil || !s.Quiet || s.Events == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if s.Took > 9*time.Second {
		t.Errorf("it waited for the first event and not for quiet: %v", s.Took)
	}
	r.journal.Wait(t, fixtures.Of("toggle", "Toggle"), patience)
}

// An application that ends is told of by the bus.
func TestEventsOfApplicationThatLeaves(t *testing.T) {
	t.Parallel()
	r := newRig(t, "gtk3")
	all := subscribe(t, r.conn, Filter{})
	mine := subscribe(t, r.conn, Filter{Bus: r.app.Bus, Kinds: []Kind{KindLeft}})
	other := subscribe(t, r.conn, Filter{Bus: ":1.9999"})
	must(t, syscall.Kill(r.pid, syscall.SIGKILL))
	for _, e := range []*Events{all, mine} {
		wait(t, e, func(ev Event) bool { return ev.Kind == KindLeft && ev.Source.Bus == r.app.Bus })
	}
	if b := other.Take(); len(b.Events) > 0 {
		t.Errorf("another application's subscription got %v", b.Events)
	}
}

// peer is a bus with a registry that agrees to everything and a connection to
// emit from.
type peer struct {
	*desk
	bus *dbus.Conn
}

// registry is the fake registry's object.
type registry struct{}

// RegisterEvent accepts any registration.
func (registry) RegisterEvent(string, []string, string) *dbus.Error { return nil }

func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{desk: newBus(t)}
	var err error
	if p.bus, err = dbus.Connect(p.access); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.bus.Close() })
	must(t, p.bus.Export(registry{}, registryPath, registryIface))
	if _, err := p.bus.RequestName(registryName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return p
}

// emit sends one event of a node.
func (p *peer) emit(path, name, detail string, a, b int) {
	p.t.Helper()
	err := p.bus.Emit(dbus.ObjectPath(path), eventPrefix+name, detail, int32(a), int32(b), dbus.MakeVariant(0), map[string]dbus.Variant{})
	if err != nil {
		p.t.Fatal(err)
	}
}

// flooder is a connection that sends what was encoded before, as fast as the
// bus takes it.
type flooder struct {
	socket net.Conn
	buf    bytes.Buffer
	serial uint32
}

// newFlooder connects to the bus by hand.
func newFlooder(t *testing.T, address string) *flooder {
	t.Helper()
	name, err := socketName(address)
	must(t, err)
	f := &flooder{}
	f.socket, err = net.Dial("unix", name)
	must(t, err)
	drained := make(chan struct{})
	t.Cleanup(func() { _ = f.socket.Close(); <-drained })
	in := bufio.NewReader(f.socket)
	_, err = fmt.Fprintf(f.socket, "\x00AUTH EXTERNAL %x\r\n", strconv.Itoa(os.Getuid()))
	must(t, err)
	if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "OK") {
		t.Fatalf("the bus answered %q, %v", line, err)
	}
	_, err = fmt.Fprint(f.socket, "BEGIN\r\n")
	must(t, err)
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, in) }()
	f.add(t, dbus.TypeMethodCall, map[dbus.HeaderField]dbus.Variant{
		dbus.FieldPath: dbus.MakeVariant(busPath), dbus.FieldMember: dbus.MakeVariant("Hello"),
		dbus.FieldInterface: dbus.MakeVariant(busName), dbus.FieldDestination: dbus.MakeVariant(busName),
	})
	return f
}

// add encodes one message.
func (f *flooder) add(t *testing.T, kind dbus.Type, headers map[dbus.HeaderField]dbus.Variant, body ...any) {
	t.Helper()
	if len(body) > 0 {
		headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body...))
	}
	var one bytes.Buffer
	must(t, (&dbus.Message{Type: kind, Headers: headers, Body: body}).EncodeTo(&one, binary.LittleEndian))
	f.serial++
	binary.LittleEndian.PutUint32(one.Bytes()[8:], f.serial)
	f.buf.Write(one.Bytes())
}

// event encodes one event.
func (f *flooder) event(t *testing.T, path, member, detail string, a int) {
	t.Helper()
	f.add(t, dbus.TypeSignal, map[dbus.HeaderField]dbus.Variant{
		dbus.FieldPath:      dbus.MakeVariant(dbus.ObjectPath(path)),
		dbus.FieldInterface: dbus.MakeVariant(eventPrefix + "Object"), dbus.FieldMember: dbus.MakeVariant(member),
	}, detail, int32(a), int32(0), dbus.MakeVariant(""), map[string]dbus.Variant{})
}

// A flood is dropped and marked where it cannot be coalesced; what is kept is
// bounded the whole time, and what comes after it is there and in order.
func TestFlood(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	e := subscribe(t, p.conn, Filter{})
	const floods = 3 * maxPending
	f := newFlooder(t, p.access)
	for i := range floods {
		f.event(t, fmt.Sprintf("/flood/%d", i), "StateChanged", "focused", i)
	}
	f.event(t, "/end", "StateChanged", "end", 0)
	began := time.Now()
	sent := make(chan error, 1)
	go func() { _, err := f.socket.Write(f.buf.Bytes()); sent <- err }()
	for ended := false; !ended; time.Sleep(time.Millisecond) {
		e.mu.Lock()
		pending, size := len(e.queue), e.bytes
		ended = pending > 0 && e.queue[pending-1].Detail == "end"
		room := cap(e.queue)
		e.mu.Unlock()
		if pending > maxPending || size > maxPendingBytes || room > 2*maxPending {
			t.Fatalf("%d events of %d bytes are pending, with room for %d", pending, size, room)
		}
		if time.Since(began) > 2*patience {
			t.Fatal("the flood never ended")
		}
	}
	took := time.Since(began)
	must(t, <-sent)
	b := e.Take()
	if !b.Overflow || b.Lost == 0 || b.Lost+len(b.Events) != floods+1 {
		t.Errorf("overflow %v, lost %d, kept %d of %d", b.Overflow, b.Lost, len(b.Events), floods+1)
	}
	if !slices.IsSortedFunc(b.Events, func(a, b Event) int { return int(a.Seq) - int(b.Seq) }) {
		t.Error("what was kept is out of order")
	}
	t.Logf("%.0f events/s, kept %d, lost %d", floods/took.Seconds(), len(b.Events), b.Lost)
	if b := e.Take(); b.Overflow || len(b.Events) > 0 {
		t.Errorf("taken twice: %+v", b)
	}
}

// However many events come and however long nobody takes, what is pending is
// bounded, and every event is either pending, taken or counted as lost.
func TestFloodThatNobodyTakes(t *testing.T) {
	t.Parallel()
	e := &Events{filter: Filter{Relevant: Event.Relevant}, ready: make(chan struct{}, 1), pending: map[eventKey]int{}}
	const floods = 60_000
	members := []string{"StateChanged", "BoundsChanged", "ChildrenChanged", "TextChanged"}
	for i := range floods {
		e.take(&dbus.Signal{
			Sender: ":1.7", Path: dbus.ObjectPath(fmt.Sprintf("/n/%d", i%5000)), Name: eventPrefix + "Object." + members[i%len(members)],
			Body: []any{"x", int32(i), int32(0), dbus.MakeVariant(0)},
		})
		if len(e.queue) > maxPending || len(e.pending) > maxPending || e.bytes > maxPendingBytes || cap(e.queue) > 2*maxPending {
			t.Fatalf("after %d: %d events of %d bytes, %d keys, room for %d", i, len(e.queue), e.bytes, len(e.pending), cap(e.queue))
		}
	}
	b := e.Take()
	stood := b.Lost
	for _, ev := range b.Events {
		stood += ev.Count
	}
	if !b.Overflow || stood != floods {
		t.Errorf("overflow %v, %d events are accounted for, want %d", b.Overflow, stood, floods)
	}
}

// BenchmarkTake is what one event costs the goroutine that reads the socket.
func BenchmarkTake(b *testing.B) {
	e := &Events{filter: Filter{Relevant: Event.Relevant}, ready: make(chan struct{}, 1), pending: map[eventKey]int{}}
	sig := &dbus.Signal{
		Sender: ":1.7", Path: "/org/a11y/atspi/accessible/91", Name: eventPrefix + "Object.StateChanged",
		Body: []any{"focused", int32(1), int32(0), dbus.MakeVariant(0), map[string]dbus.Variant{}},
	}
	b.ReportAllocs()
	for b.Loop() {
		e.take(sig)
	}
}

// What an animation sends of one node is one event, wherever it began, and
// counts what it stands for.
func TestCoalescing(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	e := subscribe(t, p.conn, Filter{})
	for i := range 300 {
		p.emit("/a", "Object.BoundsChanged", "", i, 0)
		p.emit("/b", "Object.BoundsChanged", "", i, 0)
		if i == 10 {
			p.emit("/a", "Object.StateChanged", "showing", 1, 0)
		}
		p.emit("/a", "Object.PropertyChange", "accessible-value", 0, 0)
	}
	p.emit("/a", "Object.StateChanged", "showing", 0, 0)
	deadline := time.Now().Add(patience)
	for e.Mark() < 2 && time.Now().Before(deadline) { // the two that are relevant
		time.Sleep(time.Millisecond)
	}
	b := e.Take()
	var kinds []string
	total := 0
	for _, ev := range b.Events {
		kinds = append(kinds, fmt.Sprintf("%s %v", ev.Source.Path, ev.Kind))
		total += ev.Count
	}
	want := []string{"/a bounds-changed", "/b bounds-changed", "/a property-change", "/a state-changed", "/a state-changed"}
	if !slices.Equal(kinds, want) || b.Overflow || total != 902 {
		t.Errorf("%v, overflow %v, %d in all; want %v", kinds, b.Overflow, total, want)
	}
	if b.Events[0].A != 299 || b.Events[3].A != 1 || b.Events[4].A != 0 {
		t.Errorf("not the latest: %+v", b.Events)
	}
}

// Paths of 60 KiB do not make the bound on memory void.
func TestLongPathsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	e := subscribe(t, p.conn, Filter{})
	long := "/" + string(slices.Repeat([]byte("x"), 40<<10))
	for i := range 200 {
		p.emit(fmt.Sprintf("%s%d", long, i), "Object.StateChanged", "x", 0, 0)
	}
	p.emit("/end", "Object.StateChanged", "end", 0, 0)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lost := 0
	for {
		e.mu.Lock()
		bytes := e.bytes
		e.mu.Unlock()
		if bytes > maxPendingBytes {
			t.Fatalf("%d bytes are pending", bytes)
		}
		b, err := e.Next(ctx)
		must(t, err)
		lost += b.Lost + len(b.Events)
		if b.Events[len(b.Events)-1].Detail == "end" {
			break
		}
	}
	if lost != 201 {
		t.Errorf("%d events lost or taken, want 201", lost)
	}
}

// Whoever waits is woken by an end, whichever it is.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	ends := map[string]struct {
		end  func(p *peer, e *Events, cancel func())
		want error
	}{
		"close":      {func(_ *peer, e *Events, _ func()) { _ = e.Close() }, ErrClosed},
		"connection": {func(p *peer, _ *Events, _ func()) { _ = p.conn.Close() }, ErrClosed},
		"context":    {func(_ *peer, _ *Events, cancel func()) { cancel() }, context.Canceled},
	}
	for name, tt := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t)
			e := subscribe(t, p.conn, Filter{})
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			next, settle := make(chan error, 1), make(chan error, 1)
			go func() { _, err := e.Next(ctx); next <- err }()
			go func() {
				_, err := e.Settle(ctx, e.Mark(), Patience{First: patience, Quiet: patience, Max: patience})
				settle <- err
			}()
			tt.end(p, e, cancel)
			for what, ended := range map[string]chan error{"Next": next, "Settle": settle} {
				if err := <-ended; !errors.Is(err, tt.want) {
					t.Errorf("%s: %v, want %v", what, err, tt.want)
				}
			}
			for range 2 {
				if err := e.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
}

// Two subscriptions of one connection do not take from one another, and one
// that ends leaves the other.
func TestTwoSubscriptions(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	first, second := subscribe(t, p.conn, Filter{}), subscribe(t, p.conn, Filter{Kinds: []Kind{KindBounds}})
	p.emit("/a", "Object.StateChanged", "focused", 1, 0)
	p.emit("/a", "Object.BoundsChanged", "", 0, 0)
	wait(t, first, of(Ref{p.bus.Names()[0], "/a"}, KindBounds, "", 0))
	if got := wait(t, second, func(e Event) bool { return e.Kind == KindBounds }); len(got) != 1 {
		t.Errorf("the filter let through %v", got)
	}
	must(t, first.Close())
	p.emit("/b", "Object.BoundsChanged", "", 0, 0)
	wait(t, second, func(e Event) bool { return e.Source.Path == "/b" })
	if b := first.Take(); len(b.Events) > 0 {
		t.Errorf("a closed subscription got %v", b.Events)
	}
}

func TestRegisterWithoutRegistry(t *testing.T) {
	t.Parallel()
	d := newBus(t)
	if _, err := d.conn.Subscribe(context.Background(), Filter{}); !errors.Is(err, ErrGone) {
		t.Errorf("subscribe on a bus without a registry: %v", err)
	}
}
