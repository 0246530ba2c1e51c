package atspi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/godbus/dbus/v5"
)

// tape is a connection from which those bytes come.
type tape struct {
	net.Conn
	r io.Reader
}

func (t *tape) Read(p []byte) (int, error) { return t.r.Read(p) }

// wireOf frames those bytes.
func wireOf(raw []byte, most int) *wire {
	w := newWire(&tape{r: bytes.NewReader(raw)}, most)
	w.framed.Store(true)
	return w
}

// encoded is a message with a serial, in either byte order.
func encoded(t testing.TB, order binary.ByteOrder, kind dbus.Type, headers map[dbus.HeaderField]any, body ...any) []byte {
	t.Helper()
	m := &dbus.Message{Type: kind, Headers: map[dbus.HeaderField]dbus.Variant{}, Body: body}
	for field, v := range headers {
		m.Headers[field] = dbus.MakeVariant(v)
	}
	if len(body) > 0 {
		m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body...))
	}
	var b bytes.Buffer
	if err := m.EncodeTo(&b, order); err != nil {
		t.Fatal(err)
	}
	order.PutUint32(b.Bytes()[8:], 9)
	return b.Bytes()
}

// signalHeaders, callHeaders and replyHeaders are what such messages must have.
func signalHeaders() map[dbus.HeaderField]any {
	return map[dbus.HeaderField]any{dbus.FieldPath: dbus.ObjectPath("/x"), dbus.FieldInterface: "a.b", dbus.FieldMember: "C", dbus.FieldSender: ":1.7"}
}

func replyHeaders(serial uint32) map[dbus.HeaderField]any {
	return map[dbus.HeaderField]any{dbus.FieldReplySerial: serial, dbus.FieldSender: ":1.7", dbus.FieldDestination: ":1.1"}
}

func TestWireFrames(t *testing.T) {
	t.Parallel()
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		large := make([]byte, 50_000)
		signal := encoded(t, order, dbus.TypeSignal, signalHeaders(), "text", int32(4))
		reply := encoded(t, order, dbus.TypeMethodReply, replyHeaders(3), "text")
		var stream []byte
		for _, m := range [][]byte{
			signal,
			encoded(t, order, dbus.TypeMethodCall, signalHeaders(), large), // nothing is exported
			encoded(t, order, dbus.TypeSignal, signalHeaders(), large),     // nobody wants it
			reply,
			encoded(t, order, dbus.TypeMethodReply, replyHeaders(5), large),      // becomes an error
			encoded(t, order, dbus.TypeMethodReply, replyHeaders(1<<31+1), 1),    // nobody waits any more
			encoded(t, order, dbus.TypeMethodReply, replyHeaders(1<<31), "mine"), // a flight's
			signal,
		} {
			stream = append(stream, m...)
		}
		w := wireOf(stream, 10_000)
		answers := make(chan answer, 1)
		if first := w.register([]waiter{{answers: answers, limit: 1000}}); first != 1<<31 {
			t.Fatalf("the first serial is %d", first)
		}
		out, err := io.ReadAll(w)
		if err != nil {
			t.Fatal(err)
		}
		in := bytes.NewReader(out)
		var got []*dbus.Message
		for in.Len() > 0 {
			m, err := dbus.DecodeMessage(in)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m)
		}
		if len(got) != 4 || got[0].Type != dbus.TypeSignal || got[1].Type != dbus.TypeMethodReply || got[2].Type != dbus.TypeError || got[3].Type != dbus.TypeSignal {
			t.Fatalf("%v came through", got)
		}
		if name := got[2].Headers[dbus.FieldErrorName].Value(); name != errTooLarge || got[2].Headers[dbus.FieldReplySerial].Value() != uint32(5) {
			t.Errorf("the large answer became %v", got[2])
		}
		if !bytes.HasPrefix(out, signal) || !bytes.HasSuffix(out, signal) {
			t.Error("a message was changed on its way")
		}
		a := <-answers
		if a.serial != 1<<31 || a.head.order != order || len(a.msg) != int(a.head.total()) {
			t.Errorf("the flight got %+v", a)
		}
		if _, waits := w.waiting(1 << 31); waits {
			t.Error("an answered call still waits")
		}
	}
}

func TestWireRefusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	reply := encoded(t, binary.LittleEndian, dbus.TypeMethodReply, replyHeaders(3), "text")
	endless := bytes.Clone(reply)
	binary.LittleEndian.PutUint32(endless[12:], 1<<31)
	for name, raw := range map[string][]byte{
		"another byte order": append([]byte{'x'}, reply[1:]...), "header fields without end": endless,
	} {
		if _, err := io.ReadAll(wireOf(raw, 0)); !errors.Is(err, errFraming) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := 1; n < len(reply); n++ {
		if out, _ := io.ReadAll(wireOf(reply[:n], 0)); len(out) > 0 {
			t.Errorf("cut to %d bytes: %d came through", n, len(out))
		}
	}
}

// FuzzWire frames any bytes: what comes out is never more than went in, and
// never a message over the cap.
func FuzzWire(f *testing.F) {
	f.Add(encoded(f, binary.LittleEndian, dbus.TypeSignal, signalHeaders(), "text"))
	f.Add(encoded(f, binary.BigEndian, dbus.TypeMethodReply, replyHeaders(3), make([]byte, 3000)))
	f.Add(encoded(f, binary.LittleEndian, dbus.TypeMethodReply, replyHeaders(1<<31), "x"))
	f.Add(encoded(f, binary.LittleEndian, dbus.TypeMethodCall, signalHeaders(), "x"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		w := wireOf(raw, 2000)
		answers := make(chan answer, 4)
		w.register(slices.Repeat([]waiter{{answers: answers, limit: 500}}, 4))
		out, _ := io.ReadAll(w)
		if len(out) > len(raw)+100 {
			t.Fatalf("%d bytes became %d", len(raw), len(out))
		}
		for len(answers) > 0 {
			if a := <-answers; a.msg != nil {
				fl := &flight{}
				r := fl.read(a, &request{method: getChildren})
				_, _ = r.refs(100)
			}
		}
	})
}
