package atspi

import "encoding/binary"

// The header fields the framing looks at.
const (
	fieldPath        = 1
	fieldInterface   = 2
	fieldMember      = 3
	fieldErrorName   = 4
	fieldReplySerial = 5
	fieldDestination = 6
	fieldSignature   = 8
)

// fields is what a header says of an answer.
type fields struct {
	reply     uint32 // serial of the call it answers; 0 for none
	errorName string
	signature string
}

// parseFields reads the header fields of msg, which begins with the message's
// first byte and holds at least its whole header. ok is false when the header
// is not well formed.
func parseFields(order binary.ByteOrder, msg []byte) (f fields, ok bool) {
	c := cursor{b: msg, pos: headSize - 4, order: order}
	end := c.array(8)
	for c.more(end) {
		c.align(8)
		code, sig := c.byte(), c.signature()
		switch {
		case code == fieldReplySerial && sig == "u":
			f.reply = c.uint32()
		case code == fieldErrorName && sig == "s":
			f.errorName = string(c.raw())
		case code == fieldSignature && sig == "g":
			f.signature = c.signature()
		case sig == "s" || sig == "o":
			c.raw()
		case sig == "u":
			c.uint32()
		case sig == "g":
			c.signature()
		default:
			return f, false
		}
	}
	return f, !c.bad
}

// replySerial is the call that msg answers.
func replySerial(order binary.ByteOrder, msg []byte) (uint32, bool) {
	f, ok := parseFields(order, msg)
	return f.reply, ok && f.reply != 0
}

// builder writes messages, little endian, one behind the other.
type builder struct {
	b     []byte
	start int // where the message being written begins
}

// reset empties the builder.
func (w *builder) reset() { w.b, w.start = w.b[:0], 0 }

// align pads to a multiple of n, counted from the message's start.
func (w *builder) align(n int) {
	for (len(w.b)-w.start)%n != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *builder) uint32(v uint32) {
	w.align(4)
	w.b = binary.LittleEndian.AppendUint32(w.b, v)
}

func (w *builder) string(s string) {
	w.uint32(uint32(len(s)))
	w.b = append(append(w.b, s...), 0)
}

func (w *builder) signature(s string) {
	w.b = append(append(append(w.b, byte(len(s))), s...), 0)
}

// text writes one header field of the type sig, which is s, o or g.
func (w *builder) text(code byte, sig, value string) {
	w.align(8)
	w.b = append(w.b, code)
	w.signature(sig)
	if sig == "g" {
		w.signature(value)
		return
	}
	w.string(value)
}

// number writes one header field of the type u.
func (w *builder) number(code byte, value uint32) {
	w.align(8)
	w.b = append(w.b, code)
	w.signature("u")
	w.uint32(value)
}

// The flags of a message.
const flagNoAutoStart = 2

// begin starts a message; closeFields and body complete it.
func (w *builder) begin(kind byte, serial uint32) {
	w.start = len(w.b)
	w.b = append(w.b, 'l', kind, flagNoAutoStart, 1, 0, 0, 0, 0)
	w.uint32(serial)
	w.uint32(0)
}

// closeFields ends the header fields: what is written next is the body.
func (w *builder) closeFields() {
	binary.LittleEndian.PutUint32(w.b[w.start+12:], uint32(len(w.b)-w.start-headSize))
	w.align(8)
}

// body writes the arguments, which were encoded from a multiple of 8.
func (w *builder) body(args []byte) {
	binary.LittleEndian.PutUint32(w.b[w.start+4:], uint32(len(args)))
	w.b = append(w.b, args...)
}

// errorAnswer is a whole error answer without a body, as if the bus had sent
// it.
func errorAnswer(serial uint32, name string) []byte {
	var w builder
	w.begin(kindError, 1)
	w.number(fieldReplySerial, serial)
	w.text(fieldErrorName, "s", name)
	w.closeFields()
	return w.b
}
