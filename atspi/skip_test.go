package atspi

import (
	"encoding/binary"
	"testing"

	"github.com/godbus/dbus/v5"
)

// strange is a value of every type there is.
func strange() map[string]dbus.Variant {
	return map[string]dbus.Variant{
		"Name": dbus.MakeVariant("a name"), "ChildCount": dbus.MakeVariant(int32(7)),
		"byte": dbus.MakeVariant(byte(1)), "bool": dbus.MakeVariant(true), "short": dbus.MakeVariant(int16(-2)),
		"word": dbus.MakeVariant(uint16(3)), "long": dbus.MakeVariant(int64(-4)), "double": dbus.MakeVariant(5.5),
		"signature": dbus.MakeVariant(dbus.ParseSignatureMust("a{sv}")), "variant": dbus.MakeVariant(dbus.MakeVariant("in")),
		"struct": dbus.MakeVariant(Ref{Bus: ":1.7", Path: "/x"}), "empty": dbus.MakeVariant([]int64{}),
		"attributes": dbus.MakeVariant(map[string]string{"a": "b", "c": "d"}), "structs": dbus.MakeVariant([]Ref{{Bus: "x", Path: "/"}}),
		"deep": dbus.MakeVariant([][]map[string][]byte{{{"k": {1, 2}}}, {}}), "numbers": dbus.MakeVariant([]float64{1, 2}),
		"Description": dbus.MakeVariant("described"),
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	msg := wireMessage(t, strange())
	for range 20 { // the map's order differs each time
		r := landed(t, getAll, msg)
		names := map[string]string{}
		texts := map[string]string{}
		err := r.properties(func(name, sig string, v *cursor) {
			names[name] = sig
			if sig == "s" {
				texts[name] = string(v.raw())
			}
		})
		if err != nil || len(names) != len(strange()) || texts["Name"] != "a name" || texts["Description"] != "described" {
			t.Fatalf("%v: %v, %v", err, names, texts)
		}
		for name, v := range strange() {
			if names[name] != v.Signature().String() {
				t.Errorf("%s is of type %q, want %q", name, names[name], v.Signature())
			}
		}
		msg = wireMessage(t, strange())
	}
	for n := len(msg) - 1; n > len(msg)-300; n-- {
		r := landed(t, getAll, msg[:n])
		if err := r.properties(func(string, string, *cursor) {}); err == nil {
			t.Fatalf("cut to %d of %d bytes and nobody noticed", n, len(msg))
		}
	}
}

// FuzzSkip passes over any bytes as any type.
func FuzzSkip(f *testing.F) {
	msg := wireMessage(f, strange())
	f.Add("a{sv}", msg[len(msg)-200:])
	f.Add("v", []byte{1, 'v', 0, 1, 'v', 0, 1, 'v', 0})
	f.Add("((((((((((", []byte{})
	f.Add("aaaaaaaaaaaa(i)", make([]byte, 64))
	f.Fuzz(func(t *testing.T, sig string, raw []byte) {
		for _, m := range [][]byte{raw, append(make([]byte, 16), raw...)} {
			c := cursor{b: m, order: binary.LittleEndian}
			for rest := sig; rest != "" && !c.bad; {
				rest = c.skip(rest, 0)
			}
			if c.pos > len(m)+8 {
				t.Fatalf("at %d of %d", c.pos, len(m))
			}
		}
	})
}
