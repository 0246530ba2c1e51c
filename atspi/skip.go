package atspi

// maxSkip bounds containers in a value that is passed over; the protocol
// allows 32 arrays and 32 structs in one another.
const maxSkip = 64

// skip passes over one value of the type that sig begins with and returns the
// rest of sig.
func (c *cursor) skip(sig string, depth int) string {
	if c.bad || sig == "" || depth > maxSkip {
		c.bad = true
		return ""
	}
	kind, rest := sig[0], sig[1:]
	switch kind {
	case 'y':
		c.take(1)
	case 'n', 'q':
		c.align(2)
		c.take(2)
	case 'b', 'i', 'u', 'h':
		c.uint32()
	case 'x', 't', 'd':
		c.align(8)
		c.take(8)
	case 's', 'o':
		c.raw()
	case 'g':
		c.signature()
	case 'v':
		c.skip(c.signature(), depth+1)
	case 'a':
		return c.skipArray(rest, depth)
	case '(', '{':
		return c.skipStruct(rest, depth)
	default:
		c.bad = true
	}
	return rest
}

// skipStruct passes over the fields up to the closing bracket.
func (c *cursor) skipStruct(sig string, depth int) string {
	c.align(8)
	for !c.bad && sig != "" && sig[0] != ')' && sig[0] != '}' {
		sig = c.skip(sig, depth+1)
	}
	if sig == "" {
		c.bad = true
		return ""
	}
	return sig[1:]
}

// skipArray passes over an array by its length; its element's type is only
// looked at for how it is aligned and where it ends.
func (c *cursor) skipArray(element string, depth int) string {
	rest := typeEnd(element, depth)
	if rest < 0 {
		c.bad = true
		return ""
	}
	if end := c.array(alignmentOf(element[0])); !c.bad {
		c.pos = end
	}
	return element[rest:]
}

// typeEnd is the length of the one type that sig begins with, negative when it
// is none.
func typeEnd(sig string, depth int) int {
	if sig == "" || depth > maxSkip {
		return -1
	}
	switch sig[0] {
	case 'a':
		n := typeEnd(sig[1:], depth+1)
		if n < 0 {
			return -1
		}
		return n + 1
	case '(', '{':
		at := 1
		for at < len(sig) && sig[at] != ')' && sig[at] != '}' {
			n := typeEnd(sig[at:], depth+1)
			if n < 0 {
				return -1
			}
			at += n
		}
		if at >= len(sig) {
			return -1
		}
		return at + 1
	case ')', '}':
		return -1
	}
	return 1
}

// alignmentOf is the alignment of a type by its first letter.
func alignmentOf(kind byte) int {
	switch kind {
	case 'y', 'g', 'v':
		return 1
	case 'n', 'q':
		return 2
	case 'x', 't', 'd', '(', '{':
		return 8
	}
	return 4
}

// properties reads a map from names to values; value gets each with the cursor
// at its value, which it may read but need not.
func (r *reply) properties(value func(name, signature string, v *cursor)) error {
	if r.err != nil {
		return r.err
	}
	for end := r.array(8); r.more(end); {
		r.align(8)
		name, sig := string(r.raw()), r.cursor.signature()
		if r.bad {
			break
		}
		v := r.cursor
		value(name, sig, &v)
		if rest := r.cursor.skip(sig, 0); rest != "" {
			r.bad = true
		}
	}
	return r.fault()
}
