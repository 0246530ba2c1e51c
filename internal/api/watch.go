package api

import (
	"encoding/binary"
	"fmt"
	"image"
	"time"
)

// WatchRequest begins to watch a window live, the person's alone. It is the
// first message of a watch, a websocket at /v1/person/watch; what follows is
// WatchTell from the viewer, and from the daemon WatchNote (text) and frames
// (binary, see FrameHead).
type WatchRequest struct {
	Common
	Handle Handle `json:"handle"`
	// Pane is the room the viewer has, in device pixels; a zero side means the
	// window's own size. Pictures are made smaller to fit, never larger.
	Pane Size `json:"pane,omitzero"`
	// Rate is how many frames a second the viewer wants at the most; 0 is 30.
	Rate int `json:"rate,omitempty"`
	// Memory asks for pixels in shared memory: the daemon passes a file
	// descriptor with its first message. Without it, or where it does not go,
	// they are in the messages.
	Memory bool `json:"memory,omitempty"`
}

// WatchTell is what a viewer says while it watches.
type WatchTell struct {
	// Ack is the number of a frame that was taken. A viewer that is two frames
	// behind gets none.
	Ack *uint32 `json:"ack,omitempty"`
	// Pane is another room than before.
	Pane *Size `json:"pane,omitempty"`
}

// WatchNote says how a watched window stands. It comes first, and whenever
// something of it changes.
type WatchNote struct {
	OK bool `json:"ok"`
	// State is live, hidden (nothing is drawn now) or ended, which is the last.
	State string `json:"state"`
	Ended *Ended `json:"ended,omitempty"`
	// Act is what an agent did last, since the watch began.
	Act *SeenAct `json:"act,omitempty"`
	// Memory is the length of the shared memory whose descriptor came with this
	// note; 0 for none.
	Memory int `json:"memory,omitempty"`
}

// SeenAct is an act as a viewer shows it: who did what where. It carries no
// text that was typed.
type SeenAct struct {
	Session SessionID `json:"session"`
	Did     Did       `json:"did"`
	// Box is the element's place, when the act looked it up.
	Box     *Rect     `json:"box,omitempty"`
	Verdict string    `json:"verdict"` // ok, or the refusal's code
	At      time.Time `json:"at"`
}

// FrameHead begins a frame: which picture it belongs to, and which rectangles
// of it are new. On the wire it is little endian: a byte of version, one of
// flags (1: the whole picture; 2: pixels in shared memory), the number of
// rectangles (2 bytes), Seq (4), Source and Size (2 bytes a side), the offset in
// the shared memory (4) and 8 bytes a rectangle (x, y, w, h). The pixels follow,
// rectangle by rectangle, row by row, RGBA; or lie so in the shared memory.
type FrameHead struct {
	// Seq numbers the frames of a watch from 1; it is what Ack says.
	Seq uint32
	// Source is the window's size, Size the picture's.
	Source, Size Size
	// Key says that the rectangles are the whole picture, and nothing of an
	// earlier one counts.
	Key bool
	// Memory says that the pixels lie in the shared memory, from Offset on.
	Memory bool
	Offset int
	Rects  []image.Rectangle
}

const (
	frameVersion = 1
	frameHead    = 20
	frameRect    = 8

	flagKey    = 1
	flagMemory = 2
)

// MaxFrameRects bounds the rectangles of a frame.
const MaxFrameRects = 32

// Bytes counts the pixels' bytes.
func (f FrameHead) Bytes() int {
	n := 0
	for _, r := range f.Rects {
		n += 4 * r.Dx() * r.Dy()
	}
	return n
}

// AppendTo writes the head after b.
func (f FrameHead) AppendTo(b []byte) []byte {
	flags := byte(0)
	if f.Key {
		flags |= flagKey
	}
	if f.Memory {
		flags |= flagMemory
	}
	short := func(n int) { b = binary.LittleEndian.AppendUint16(b, uint16(n)) }
	b = append(b, frameVersion, flags)
	short(len(f.Rects))
	b = binary.LittleEndian.AppendUint32(b, f.Seq)
	for _, n := range []int{f.Source.W, f.Source.H, f.Size.W, f.Size.H} {
		short(n)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Offset))
	for _, r := range f.Rects {
		for _, n := range []int{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} {
			short(n)
		}
	}
	return b
}

// ParseFrame reads a head and gives what follows it: the pixels, unless they
// are in shared memory. Whatever is no whole frame is an error.
func ParseFrame(b []byte) (FrameHead, []byte, error) {
	if len(b) < frameHead || b[0] != frameVersion {
		return FrameHead{}, nil, fmt.Errorf("read a frame: no head of version %d", frameVersion)
	}
	short := func(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
	f := FrameHead{
		Key: b[1]&flagKey != 0, Memory: b[1]&flagMemory != 0, Seq: binary.LittleEndian.Uint32(b[4:]),
		Source: Size{W: short(8), H: short(10)}, Size: Size{W: short(12), H: short(14)},
		Offset: int(binary.LittleEndian.Uint32(b[16:])),
	}
	n := short(2)
	if n > MaxFrameRects || len(b) < frameHead+frameRect*n {
		return FrameHead{}, nil, fmt.Errorf("read frame %d: %d rectangles in %d bytes", f.Seq, n, len(b))
	}
	whole := image.Rect(0, 0, f.Size.W, f.Size.H)
	for i := range n {
		at := frameHead + frameRect*i
		r := image.Rect(0, 0, short(at+4), short(at+6)).Add(image.Pt(short(at), short(at+2)))
		if r.Empty() || !r.In(whole) {
			return FrameHead{}, nil, fmt.Errorf("read frame %d: rectangle %v of a picture of %dx%d", f.Seq, r, f.Size.W, f.Size.H)
		}
		f.Rects = append(f.Rects, r)
	}
	pixels := b[frameHead+frameRect*n:]
	if !f.Memory && len(pixels) != f.Bytes() {
		return FrameHead{}, nil, fmt.Errorf("read frame %d: %d bytes of pixels, not %d", f.Seq, len(pixels), f.Bytes())
	}
	return f, pixels, nil
}

// PersonEvent is one message of what the person's windows do, a websocket at
// /v1/person/follow: all windows as they are, at first and after each change.
type PersonEvent struct {
	OK      bool     `json:"ok"`
	Windows []Window `json:"windows"`
}
