package xpra

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	headerSize = 8
	magic      = 'P'
	rencoded   = 1 // the flag that says how the packet is written
	zlibLevels = 0x0f
	// maxPacket bounds one packet, packed and unpacked. Without pixels the
	// largest are icons.
	maxPacket = 16 << 20
	// maxChunks is how many values of a packet may come apart from it.
	maxChunks = 16
)

// packet is one message: its kind and what belongs to it.
type packet []any

// kind is what a packet is.
func (p packet) kind() string { return p.text(0) }

// The readers of a packet give zero for what is not there or of another type:
// xpra's versions differ in what they add.

func (p packet) text(i int) string {
	if i < len(p) {
		if s, ok := p[i].(string); ok {
			return s
		}
	}
	return ""
}

func (p packet) number(i int) int {
	if i < len(p) {
		switch n := p[i].(type) {
		case int:
			return n
		case float64:
			return int(n)
		}
	}
	return 0
}

// flag is what xpra writes as a truth value, or a number in its place.
func (p packet) flag(i int) bool {
	if i < len(p) {
		if b, ok := p[i].(bool); ok {
			return b
		}
	}
	return p.number(i) != 0
}

// list gives zero values beyond its end, too.
func (p packet) list(i int) packet {
	if i < len(p) {
		if l, ok := p[i].([]any); ok {
			return l
		}
	}
	return nil
}

func (p packet) dict(i int) map[string]any {
	if i < len(p) {
		if m, ok := p[i].(map[string]any); ok {
			return m
		}
	}
	return nil
}

// frame writes a packet as it goes over the wire.
func frame(p packet) []byte {
	b := encode(make([]byte, headerSize, 256), []any(p))
	b[0], b[1] = magic, rencoded
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-headerSize))
	return b
}

// readPacket reads the next packet. Large values of it may come before it, each
// as a chunk that says where it belongs.
func readPacket(r io.Reader) (packet, error) {
	chunks := map[int]string{}
	for {
		h, body, err := readFrame(r, maxPacket)
		if err != nil {
			return nil, err
		}
		if index := int(h[3]); index > 0 {
			if len(chunks) == maxChunks {
				return nil, fmt.Errorf("%w: too many chunks", errRencode)
			}
			if body, err = unpack(h[2], body); err != nil {
				return nil, err
			}
			chunks[index] = string(body)
			continue
		}
		p, err := parse(h, body)
		if err != nil {
			return nil, err
		}
		for i, chunk := range chunks {
			if i < len(p) {
				p[i] = chunk
			}
		}
		return p, nil
	}
}

// header is what goes before every piece of a packet.
type header [headerSize]byte

// readFrame reads one piece of a packet: all of it, or a chunk.
func readFrame(r io.Reader, most uint32) (h header, body []byte, err error) {
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return h, nil, err
	}
	size := binary.BigEndian.Uint32(h[4:])
	if h[0] != magic || size > most {
		return h, nil, fmt.Errorf("%w: header %x", errRencode, h)
	}
	body = make([]byte, size)
	_, err = io.ReadFull(r, body)
	return h, body, err
}

// parse reads the piece of a packet that is no chunk.
func parse(h header, body []byte) (packet, error) {
	body, err := unpack(h[2], body)
	if err != nil {
		return nil, err
	}
	v, err := decode(body)
	if err != nil {
		return nil, err
	}
	p, ok := v.([]any)
	if !ok || len(p) == 0 {
		return nil, fmt.Errorf("%w: no list", errRencode)
	}
	return p, nil
}

// parcel is a packet as it came, chunks and all, to be handed on unchanged.
// Values that came as chunks are not in the packet.
type parcel struct {
	packet packet
	raw    []byte
}

// maxParcel bounds a packet that is handed on: the largest holds the pixels of a
// window of 3840x2160 as they are.
const maxParcel = 64 << 20

// readParcel reads the next packet and keeps how it was written.
func readParcel(r io.Reader) (parcel, error) {
	var raw []byte
	for range maxChunks + 1 {
		h, body, err := readFrame(r, uint32(maxParcel-len(raw)))
		if err != nil {
			return parcel{}, err
		}
		raw = append(append(raw, h[:]...), body...)
		if h[3] > 0 {
			if len(raw) >= maxParcel {
				break
			}
			continue
		}
		p, err := parse(h, body)
		return parcel{p, raw}, err
	}
	return parcel{}, fmt.Errorf("%w: too many chunks", errRencode)
}

// unpack undoes the compression that was agreed on, which is zlib alone.
func unpack(level byte, body []byte) ([]byte, error) {
	if level == 0 {
		return body, nil
	}
	if level&^zlibLevels != 0 {
		return nil, fmt.Errorf("%w: packed by %#x", errRencode, level)
	}
	z, err := zlib.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRencode, err)
	}
	out, err := io.ReadAll(io.LimitReader(z, maxPacket+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRencode, err)
	}
	if len(out) > maxPacket {
		return nil, fmt.Errorf("%w: too large", errRencode)
	}
	return out, nil
}
