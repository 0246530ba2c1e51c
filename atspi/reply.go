package atspi

import (
	"fmt"
	"math"

	"github.com/godbus/dbus/v5"
)

// The readers of a reply's body. Each answers the reply's error, or
// ErrMalformed when the body is not what its signature says. The signature
// itself was compared with the method's before.

// fault is the reply's error once its body was read.
func (r *reply) fault() error {
	if r.err == nil && r.bad {
		r.err = fmt.Errorf("%w: it ends too early", ErrMalformed)
	}
	return r.err
}

// text reads a string.
func (r *reply) text() (string, error) {
	if r.err != nil {
		return "", r.err
	}
	s := string(r.raw())
	return clean(s), r.fault()
}

// number reads a signed number.
func (r *reply) number() (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n := r.int32()
	return int(n), r.fault()
}

// words reads an array of unsigned numbers, the first max of them.
func (r *reply) words(max int) ([]uint32, error) {
	if r.err != nil {
		return nil, r.err
	}
	var words []uint32
	for end := r.array(4); r.more(end) && len(words) < max; {
		words = append(words, r.uint32())
	}
	return words, r.fault()
}

// ifaces reads an array of interface names.
func (r *reply) ifaces() (Iface, error) {
	if r.err != nil {
		return 0, r.err
	}
	set := r.cursor.ifaces()
	return set, r.fault()
}

// rect reads four signed numbers in a struct. Toolkits say "not on the screen"
// in three ways (no area, negative area, or 1x1 at the smallest number there
// is); the answer to all of them is an empty rectangle.
func (r *reply) rect() (Rect, error) {
	if r.err != nil {
		return Rect{}, r.err
	}
	r.align(8)
	x, y, w, h := r.int32(), r.int32(), r.int32(), r.int32()
	if err := r.fault(); err != nil {
		return Rect{}, err
	}
	if w <= 0 || h <= 0 || x == math.MinInt32 || y == math.MinInt32 {
		return Rect{X: int(max(x, -1<<20)), Y: int(max(y, -1<<20))}, nil
	}
	return Rect{X: int(x), Y: int(y), W: int(w), H: int(h)}, nil
}

// one reads one reference.
func (r *reply) one() (Ref, error) {
	if r.err != nil {
		return Ref{}, r.err
	}
	ref := r.cursor.ref(r.ref.Bus)
	return ref, r.fault()
}

// refs reads an array of references, the first max of them.
func (r *reply) refs(max int) ([]Ref, error) {
	if r.err != nil {
		return nil, r.err
	}
	var refs []Ref
	for end := r.array(8); r.more(end) && len(refs) < max; {
		refs = append(refs, r.cursor.ref(r.ref.Bus))
	}
	return refs, r.fault()
}

// entry reads a dictionary of strings and gives the value of a key, looking at
// the first max entries.
func (r *reply) entry(key string, max int) (string, error) {
	if r.err != nil {
		return "", r.err
	}
	value := ""
	for end, n := r.array(8), 0; r.more(end) && n < max; n++ {
		r.align(8)
		k, v := r.raw(), r.raw()
		if string(k) == key {
			value = clean(string(v))
		}
	}
	return value, r.fault()
}

// variant enters a variant, which must hold a value of that type.
func (r *reply) variant(want string) error {
	if r.err != nil {
		return r.err
	}
	if sig := r.cursor.signature(); sig != want {
		r.err = fmt.Errorf("%w: %q instead of %q", ErrMalformed, clean(sig), want)
	}
	return r.fault()
}

// textIn reads a string in a variant.
func (r *reply) textIn() (string, error) {
	if err := r.variant("s"); err != nil {
		return "", err
	}
	return r.text()
}

// numberIn reads a signed number in a variant.
func (r *reply) numberIn() (int, error) {
	if err := r.variant("i"); err != nil {
		return 0, err
	}
	return r.number()
}

// floatIn reads a floating point number in a variant.
func (r *reply) floatIn() (float64, error) {
	if err := r.variant("d"); err != nil {
		return 0, err
	}
	r.align(8)
	p := r.take(8)
	if err := r.fault(); err != nil {
		return 0, err
	}
	return finite(math.Float64frombits(r.order.Uint64(p))), nil
}

// ref reads a reference. bus is the name most references have; its string is
// used again.
func (c *cursor) ref(bus string) Ref {
	c.align(8)
	name, path := c.raw(), c.raw()
	if string(name) != bus {
		bus = string(name)
	}
	return Ref{Bus: bus, Path: dbus.ObjectPath(path)}
}

// ifaces reads an array of interface names.
func (c *cursor) ifaces() Iface {
	var set Iface
	for end := c.array(4); c.more(end); {
		set |= ifaceBits[string(c.raw())]
	}
	return set
}
