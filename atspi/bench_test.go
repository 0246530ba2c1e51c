package atspi

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/godbus/dbus/v5"
)

// wireItem is an item in godbus' terms.
type wireItem struct {
	Self, App, Parent Ref
	Index, Count      int32
	Ifaces            []string
	Name              string
	Role              uint32
	Desc              string
	States            []uint32
}

// wireItems is the cache of a made-up application: n objects, ten below each.
func wireItems(n int) []wireItem {
	ref := func(i int) Ref {
		if i < 0 {
			return Ref{Bus: ":1.7", Path: rootPath}
		}
		return Ref{Bus: ":1.7", Path: dbus.ObjectPath(fmt.Sprintf("/org/gtk/WidgetFactory4/a11y/75c1139e_d4a4_4c2c_ac25_%012d", i))}
	}
	items := make([]wireItem, n)
	for i := range items {
		parent := (i - 1) / 10
		if i == 0 {
			parent = -1
		}
		items[i] = wireItem{
			Self: ref(i), App: ref(-1), Parent: ref(parent), Index: int32((i - 1) % 10), Count: int32(max(0, min(10, n-1-10*i))),
			Ifaces: []string{interfacePrefix + "Accessible", interfacePrefix + "Component", interfacePrefix + "Action"},
			Name:   fmt.Sprintf("node %d", i), Role: uint32(RolePushButton), States: []uint32{0x42000100, 0},
		}
	}
	items[0].Index = 0
	return items
}

// wireMessage is an answer to serial 1 with that body, as the bus sends it.
func wireMessage(t testing.TB, body ...any) []byte {
	t.Helper()
	msg := &dbus.Message{
		Type: dbus.TypeMethodReply,
		Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(uint32(1)),
			dbus.FieldSender:      dbus.MakeVariant(":1.7"),
			dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf(body...)),
		},
		Body: body,
	}
	var b bytes.Buffer
	if err := msg.EncodeTo(&b, binary.LittleEndian); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// landed is a message as a flight hands it to a taker.
func landed(t testing.TB, m *method, msg []byte) reply {
	t.Helper()
	h, err := parseHead(msg)
	if err != nil {
		t.Fatal(err)
	}
	f := &flight{}
	return f.read(answer{head: h, msg: msg}, &request{ref: Ref{Bus: ":1.7", Path: rootPath}, method: m})
}

// BenchmarkItems compares the decoding of a whole cache with godbus'.
func BenchmarkItems(b *testing.B) {
	msg := wireMessage(b, wireItems(949))
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := landed(b, getItems, msg)
			list, _, err := r.items(1 << 20)
			if err != nil || len(list) != 949 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("godbus", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m, err := dbus.DecodeMessage(bytes.NewReader(msg))
			if err != nil {
				b.Fatal(err)
			}
			var list []wireItem
			if err := dbus.Store(m.Body, &list); err != nil || len(list) != 949 {
				b.Fatal(len(list), err)
			}
		}
	})
}

// BenchmarkWindow reads trees level by level with more and fewer calls in the
// air; defaultWindow is chosen from it.
func BenchmarkWindow(b *testing.B) {
	for _, p := range []program{gtk4Factory, mousepad, featherpad} {
		d := newDesk(b)
		app := d.launch(p)
		for _, window := range []int{1, 8, 32, 64, 128, 256, 512, 1024} {
			b.Run(fmt.Sprintf("%s/%d", p.name, window), func(b *testing.B) {
				for b.Loop() {
					if _, err := d.conn.read(context.Background(), app, Budget{Window: window}, false); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
