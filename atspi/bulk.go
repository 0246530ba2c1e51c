package atspi

import "bytes"

// item is one object as an application's cache lists it.
type item struct {
	self, parent Ref
	index        int // place among its siblings; negative when the toolkit did not say
	count        int // children; negative when the toolkit did not say
	ifaces       Iface
	name         string
	role         Role
	description  string
	states       States
	stale        bool // a Keeper knows that it changed: its fields are asked anew
	recount      bool // and so are its children
}

// items decodes the answer to GetItems. godbus would do it by reflection, at
// thirty times the cost on a tree of 949 nodes (BenchmarkItems), and it would
// hold the whole tree three times while it does.
//
// most bounds how many are taken; complete is false when there were more.
func (r *reply) items(most int) (list []item, complete bool, err error) {
	if r.err != nil {
		return nil, false, r.err
	}
	bus := r.ref.Bus
	end := r.array(8)
	list = make([]item, 0, min(most, (end-r.pos)/usualItem+1))
	var lastIfaces []byte
	var lastSet Iface
	for r.more(end) {
		if len(list) == most {
			return list, false, nil
		}
		r.align(8)
		it := item{self: r.cursor.ref(bus)}
		r.cursor.skipRef() // the application: known
		it.parent = r.cursor.ref(bus)
		it.index, it.count = int(r.int32()), int(r.int32())
		raw := r.block(4)
		if lastIfaces == nil || !bytes.Equal(raw, lastIfaces) {
			c := cursor{b: raw, order: r.order}
			lastSet = 0
			for c.more(len(raw)) {
				lastSet |= ifaceBits[string(c.raw())]
			}
			lastIfaces = raw
		}
		it.ifaces = lastSet
		it.name = clean(string(r.raw()))
		it.role = Role(r.uint32())
		it.description = clean(string(r.raw()))
		it.states = r.cursor.states()
		if !r.bad {
			list = append(list, it)
		}
	}
	return list, true, r.fault()
}

// usualItem is about what an item of a real tree weighs on the wire.
const usualItem = 256

// skipRef passes over a reference.
func (c *cursor) skipRef() {
	c.align(8)
	c.raw()
	c.raw()
}

// block returns an array as it is on the wire and passes over it. Its strings
// are aligned to 4, and so is its start, so it can be read by itself.
func (c *cursor) block(align int) []byte {
	end := c.array(align)
	if c.bad {
		return nil
	}
	raw := c.b[c.pos:end]
	c.pos = end
	return raw
}

// states reads an array of state words.
func (c *cursor) states() States {
	var words [2]uint32
	n := 0
	for end := c.array(4); c.more(end); n++ {
		w := c.uint32()
		if n < len(words) {
			words[n] = w
		}
	}
	return statesOf(words[:])
}
