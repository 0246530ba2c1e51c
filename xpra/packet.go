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
		var h [headerSize]byte
		if _, err := io.ReadFull(r, h[:]); err != nil {
			return nil, err
		}
		size := binary.BigEndian.Uint32(h[4:])
		if h[0] != magic || size > maxPacket {
			return nil, fmt.Errorf("%w: header %x", errRencode, h)
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, err
		}
		body, err := unpack(h[2], body)
		if err != nil {
			return nil, err
		}
		if index := int(h[3]); index > 0 {
			if len(chunks) == maxChunks {
				return nil, fmt.Errorf("%w: too many chunks", errRencode)
			}
			chunks[index] = string(body)
			continue
		}
		v, err := decode(body)
		if err != nil {
			return nil, err
		}
		p, ok := v.([]any)
		if !ok || len(p) == 0 {
			return nil, fmt.Errorf("%w: no list", errRencode)
		}
		for i, chunk := range chunks {
			if i < len(p) {
				p[i] = chunk
			}
		}
		return p, nil
	}
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
