package atspi

import "encoding/binary"

// cursor reads D-Bus values out of a message that is in memory. A read past
// the end, or a string that is not terminated, makes it bad; a bad cursor
// answers zero values only, so that a decoder looks at bad once, at its end.
type cursor struct {
	b     []byte
	pos   int
	order binary.ByteOrder
	bad   bool
}

// align moves to the next multiple of n from the start of the message.
func (c *cursor) align(n int) {
	c.pos = (c.pos + n - 1) &^ (n - 1)
	if c.pos > len(c.b) {
		c.bad = true
	}
}

// take returns the next n bytes, nil when there are fewer.
func (c *cursor) take(n int) []byte {
	if c.bad || n < 0 || n > len(c.b)-c.pos {
		c.bad = true
		return nil
	}
	p := c.b[c.pos : c.pos+n]
	c.pos += n
	return p
}

func (c *cursor) byte() byte {
	if p := c.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	c.align(4)
	if p := c.take(4); p != nil {
		return c.order.Uint32(p)
	}
	return 0
}

func (c *cursor) int32() int32 { return int32(c.uint32()) }

// raw reads a string or an object path without copying it.
func (c *cursor) raw() []byte {
	n := c.uint32()
	if int64(n) >= int64(len(c.b)) {
		c.bad = true
		return nil
	}
	p := c.take(int(n) + 1)
	if p == nil || p[n] != 0 {
		c.bad = true
		return nil
	}
	return p[:n]
}

// signature reads a signature value.
func (c *cursor) signature() string {
	n := int(c.byte())
	p := c.take(n + 1)
	if p == nil {
		return ""
	}
	return string(p[:n])
}

// array enters an array whose elements are aligned to n and returns where it
// ends.
func (c *cursor) array(n int) int {
	size := c.uint32()
	c.align(n)
	if int64(size) > int64(len(c.b)-c.pos) {
		c.bad = true
		return c.pos
	}
	return c.pos + int(size)
}

// more reports whether an array that ends at end has another element.
func (c *cursor) more(end int) bool { return !c.bad && c.pos < end }
