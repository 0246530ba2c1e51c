package x11

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// packet builds one message of a server: its first two bytes and, for replies and
// generic events, how many bytes follow the first 32.
func packet(kind, code byte, extra int) []byte {
	b := make([]byte, frameSize+extra)
	b[0], b[1] = kind, code
	binary.LittleEndian.PutUint32(b[4:], uint32(extra/4))
	for i := range extra {
		b[frameSize+i] = byte(i)
	}
	return b
}

func TestWireRenumbers(t *testing.T) {
	t.Parallel()
	numbers := &numbering{}
	numbers.events[91], numbers.faults[152] = 64, 128
	ours := func(b []byte, at int, v byte) []byte { b[at] = v; return b }
	tests := []struct {
		name     string
		in, want []byte
	}{
		{"a reply with its body", packet(codeReply, 0, 96), packet(codeReply, 0, 96)},
		{"a core event", packet(12, 7, 0), packet(12, 7, 0)},
		{"a core event that a client sent", packet(0x80|33, 0, 0), packet(0x80|33, 0, 0)},
		{"an extension's event", packet(91, 0, 0), ours(packet(91, 0, 0), 0, 64)},
		{"and one that a client sent", packet(0x80|91, 0, 0), ours(packet(91, 0, 0), 0, 0x80|64)},
		{"an event nobody knows", packet(90, 0, 0), nil},
		{"a generic event and its body", packet(codeGeneric, 131, 64), nil},
		{"a core error", packet(codeError, 3, 0), packet(codeError, 3, 0)},
		{"an extension's error", packet(codeError, 152, 0), packet(codeError, 128, 0)},
		{"an error nobody knows", packet(codeError, 200, 0), packet(codeError, badImplementation, 0)},
	}
	for _, test := range tests {
		end := packet(12, 99, 0)
		w := &wire{in: bufio.NewReader(iotest.OneByteReader(bytes.NewReader(append(test.in, end...))))}
		w.numbers.Store(numbers)
		got, err := io.ReadAll(w)
		if err != nil || !bytes.Equal(got, append(test.want, end...)) {
			t.Errorf("%s: %x %v", test.name, got, err)
		}
	}
}

// peer plays a server's side of the handshake.
func peer(t *testing.T, answer []byte) (net.Conn, *sync.WaitGroup) {
	ours, theirs := net.Pipe()
	var over sync.WaitGroup
	over.Go(func() {
		defer theirs.Close()
		hello := make([]byte, 12+20+16)
		if _, err := io.ReadFull(theirs, hello); err != nil {
			t.Error(err)
			return
		}
		_, _ = theirs.Write(answer)
	})
	return ours, &over
}

func TestGreet(t *testing.T) {
	t.Parallel()
	cookie := make([]byte, 16)
	for name, test := range map[string]struct {
		answer []byte
		want   error
	}{
		"refused":        {append([]byte{0, 3, 11, 0, 0, 0, 1, 0}, "no\xff."...), ErrRefused},
		"refused, lying": {append([]byte{0, 200, 11, 0, 0, 0, 1, 0}, "no.."...), ErrRefused},
		"cut":            {[]byte{1, 0, 11, 0, 0, 0, 9, 0, 1, 2}, io.ErrUnexpectedEOF},
		"silent":         {nil, io.EOF},
	} {
		conn, over := peer(t, test.answer)
		if w, err := greet(conn, cookie); !errors.Is(err, test.want) || w != nil {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		over.Wait()
		conn.Close()
	}
}

// What is asked while a write is under way leaves together, in order, and an end
// wakes whoever waits for room.
func TestOutbox(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	var o outbox
	o.open(ours)
	got := make([]byte, 300)
	for i := range got {
		if _, err := o.add([]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.ReadFull(theirs, got); err != nil {
		t.Fatal(err)
	}
	for i, b := range got {
		if b != byte(i) {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
	stuck := make(chan error)
	go func() {
		for {
			if _, err := o.add(make([]byte, maxQueued/2)); err != nil {
				stuck <- err
				return
			}
		}
	}()
	ours.Close()
	o.close()
	select {
	case err := <-stuck:
		if !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v", err)
		}
	case <-time.After(patience):
		t.Error("a sender waits for ever")
	}
	theirs.Close()
}

func FuzzWire(f *testing.F) {
	f.Add(packet(codeReply, 0, 64))
	f.Add(append(packet(codeGeneric, 0, 32), packet(codeError, 255, 0)...))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		w := &wire{in: bufio.NewReader(bytes.NewReader(b))}
		got, _ := io.ReadAll(w)
		if len(got) > len(b) {
			t.Errorf("%d bytes became %d", len(b), len(got))
		}
	})
}
