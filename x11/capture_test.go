package x11

import (
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
	"vibespace/x11/xvfb"
)

func (r *rig) redirected() *rig {
	r.t.Helper()
	if err := r.c.Redirect(soon(r.t)); err != nil {
		r.t.Fatal(err)
	}
	return r
}

// paint fills a part of a window with a colour.
func (w *witness) paint(r image.Rectangle, colour uint32) {
	w.r.t.Helper()
	err := w.c.do(soon(w.r.t), func(x *xgb.Conn) error {
		gc, err := xproto.NewGcontextId(x)
		if err != nil {
			return err
		}
		xproto.CreateGC(x, gc, xproto.Drawable(w.id), xproto.GcForeground, []uint32{colour})
		xproto.PolyFillRectangle(x, xproto.Drawable(w.id), gc, []xproto.Rectangle{{
			X: int16(r.Min.X), Y: int16(r.Min.Y), Width: uint16(r.Dx()), Height: uint16(r.Dy()),
		}})
		return xproto.FreeGCChecked(x, gc).Check()
	})
	if err != nil {
		w.r.t.Fatal(err)
	}
}

func at(img *image.RGBA, x, y int) uint32 {
	c := img.RGBAAt(x, y)
	if c.A != 0xff {
		return 0xffffffff // not opaque: never what is wanted
	}
	return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)
}

// TestCaptureIsTheWindowsOwn covers a window, puts it partly off the screen,
// unmaps, maps and resizes it: its picture is its own pixels or a refusal.
func TestCaptureIsTheWindowsOwn(t *testing.T) {
	t.Parallel()
	for _, depth := range []byte{24, 32} {
		r := newRig(t).redirected()
		w := r.plainWindow(Rect{100, 100, 300, 200}, depth, 0x102030)
		w.paint(image.Rect(0, 0, 1, 1), 0xff0000)
		w.paint(image.Rect(299, 199, 300, 200), 0x00ff00)
		check := func(when string, width, height int) {
			t.Helper()
			img, how, err := r.c.Capture(soon(t), w.id)
			if err != nil {
				t.Fatalf("depth %d, %s: %v", depth, when, err)
			}
			if how != HowShm || img.Bounds() != image.Rect(0, 0, width, height) {
				t.Errorf("depth %d, %s: %v by %s", depth, when, img.Bounds(), how)
			}
			if at(img, 0, 0) != 0xff0000 || at(img, 150, 100) != 0x102030 || width == 300 && at(img, 299, 199) != 0x00ff00 {
				t.Errorf("depth %d, %s: %06x %06x %06x", depth, when, at(img, 0, 0), at(img, 150, 100), at(img, 299, 199))
			}
		}
		check("alone", 300, 200)
		cover := r.plainWindow(Rect{50, 50, 500, 500}, 24, 0xffffff)
		check("covered", 300, 200)
		if err := r.c.Move(soon(t), w.id, Point{-200, 1100}); err != nil {
			t.Fatal(err)
		}
		check("mostly off the screen", 300, 200)
		if err := r.c.Move(soon(t), w.id, Point{3000, 3000}); err != nil {
			t.Fatal(err)
		}
		check("wholly off the screen", 300, 200)
		if err := r.c.Resize(soon(t), w.id, 400, 250); err != nil {
			t.Fatal(err)
		}
		w.paint(image.Rect(0, 0, 1, 1), 0xff0000)
		check("resized", 400, 250)
		w.border(7)
		check("with a border", 400, 250)
		w.mapped(false)
		if img, _, err := r.c.Capture(soon(t), w.id); !errors.Is(err, ErrNotViewable) {
			t.Errorf("depth %d: an unmapped window gave %v, %v", depth, img, err)
		}
		w.mapped(true)
		w.paint(image.Rect(0, 0, 1, 1), 0xff0000)
		check("mapped again", 400, 250)
		if err := cover.c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.c.Close(); err != nil {
			t.Fatal(err)
		}
		until(t, "the window's end", func() bool {
			_, _, err := r.c.Capture(soon(t), w.id)
			return errors.Is(err, ErrNoWindow)
		})
	}
}

func (w *witness) border(width uint32) {
	w.r.t.Helper()
	err := w.c.do(soon(w.r.t), func(x *xgb.Conn) error {
		return xproto.ConfigureWindowChecked(x, xproto.Window(w.id), xproto.ConfigWindowBorderWidth, []uint32{width}).Check()
	})
	if err != nil {
		w.r.t.Fatal(err)
	}
}

func (w *witness) mapped(yes bool) {
	w.r.t.Helper()
	err := w.c.do(soon(w.r.t), func(x *xgb.Conn) error {
		if yes {
			return xproto.MapWindowChecked(x, xproto.Window(w.id)).Check()
		}
		return xproto.UnmapWindowChecked(x, xproto.Window(w.id)).Check()
	})
	if err != nil {
		w.r.t.Fatal(err)
	}
}

func TestCapturePart(t *testing.T) {
	t.Parallel()
	r := newRig(t).redirected()
	w := r.plainWindow(Rect{10, 10, 300, 200}, 24, 0x102030)
	w.paint(image.Rect(100, 50, 101, 51), 0xff0000)
	img, _, err := r.c.CapturePart(soon(t), w.id, image.Rect(100, 50, 140, 70), nil)
	if err != nil || img.Bounds() != image.Rect(100, 50, 140, 70) || at(img, 100, 50) != 0xff0000 || at(img, 101, 50) != 0x102030 {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
	again, _, err := r.c.CapturePart(soon(t), w.id, image.Rect(290, 190, 310, 210), img)
	if err != nil || again.Bounds() != image.Rect(290, 190, 300, 200) || &again.Pix[0] != &img.Pix[0] {
		t.Errorf("%v, %v", again.Bounds(), err)
	}
	outside, _, err := r.c.CapturePart(soon(t), w.id, image.Rect(400, 400, 410, 410), nil)
	if err != nil || !outside.Bounds().Empty() {
		t.Errorf("%v, %v", outside.Bounds(), err)
	}
}

func TestCaptureRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w := r.plainWindow(Rect{10, 10, 300, 200}, 24, 0x102030)
	if _, _, err := r.c.Capture(soon(t), w.id); !errors.Is(err, ErrNotRedirected) {
		t.Errorf("without redirection: %v", err)
	}
	r.redirected()
	if _, _, err := r.c.Capture(soon(t), 0x7fffff0); !errors.Is(err, ErrNoWindow) {
		t.Errorf("a window that never was: %v", err)
	}
	input := WindowID(0)
	err := w.c.do(soon(t), func(x *xgb.Conn) error {
		id, err := xproto.NewWindowId(x)
		if err != nil {
			return err
		}
		input = WindowID(id)
		xproto.CreateWindow(x, 0, id, r.c.root, 0, 0, 9, 9, 0, xproto.WindowClassInputOnly, 0, 0, nil)
		return xproto.MapWindowChecked(x, id).Check()
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.c.Capture(soon(t), input); !errors.Is(err, ErrNotViewable) {
		t.Errorf("a window without pixels: %v", err)
	}
	ctx, cancel := context.WithCancel(soon(t))
	cancel()
	if _, _, err := r.c.Capture(ctx, w.id); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

// TestCaptureWithoutSharedMemory takes the road through the socket, on a server
// that lacks the extension.
func TestCaptureWithoutSharedMemory(t *testing.T) {
	t.Parallel()
	need.Xvfb(t)
	bare := filepath.Join(need.Dir(t), "Xvfb")
	script := "#!/bin/sh\nexec " + need.Tool(t, "Xvfb") + " \"$@\" -extension MIT-SHM\n"
	need.Script(t, bare, script)
	r := rigOn(t, xvfb.Config{Path: bare}).redirected()
	w := r.plainWindow(Rect{10, 10, 300, 200}, 24, 0x102030)
	w.paint(image.Rect(0, 0, 1, 1), 0xff0000)
	img, how, err := r.c.Capture(soon(t), w.id)
	if err != nil || how != HowGetImage || at(img, 0, 0) != 0xff0000 || at(img, 299, 199) != 0x102030 {
		t.Fatalf("%v by %q, %v", img, how, err)
	}
	// The same where the server has it and refuses ours.
	other := newRig(t).redirected()
	other.c.segments.refused = errRefused
	w = other.plainWindow(Rect{10, 10, 300, 200}, 24, 0x102030)
	if img, how, err := other.c.Capture(soon(t), w.id); err != nil || how != HowGetImage || at(img, 299, 199) != 0x102030 {
		t.Errorf("by %q, %v", how, err)
	}
}

// TestCaptureWhileResizing resizes a window all the time: every picture has the
// size of some moment, and colour in its every corner.
func TestCaptureWhileResizing(t *testing.T) {
	t.Parallel()
	r := newRig(t).redirected()
	w := r.plainWindow(Rect{0, 0, 300, 200}, 24, 0xabcdef)
	stop := make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				_ = w.c.Resize(soon(t), w.id, 300+n%40*10, 200+n%30*10)
			}
		}
	})
	for range 40 {
		img, _, err := r.c.Capture(soon(t), w.id)
		if err != nil {
			t.Error(err)
			break
		}
		b := img.Bounds()
		if b.Dx() < 300 || b.Dy() < 200 || at(img, 0, 0) != 0xabcdef || at(img, b.Max.X-1, b.Max.Y-1) != 0xabcdef {
			t.Errorf("%v: %06x %06x", b, at(img, 0, 0), at(img, b.Max.X-1, b.Max.Y-1))
		}
	}
	close(stop)
	over.Wait()
}

// TestCaptureAbandoned gives up captures of a stopped server, then takes more:
// pictures stay whole, and the memory is freed.
func TestCaptureAbandoned(t *testing.T) {
	t.Parallel()
	r := newRig(t).redirected()
	red, blue := r.plainWindow(Rect{0, 0, 900, 600}, 24, 0xff0000), r.plainWindow(Rect{0, 0, 800, 700}, 24, 0x0000ff)
	r.signalServer(stopSignal)
	for range 5 {
		ctx, cancel := context.WithTimeout(soon(t), 20*time.Millisecond)
		if _, _, err := r.c.Capture(ctx, red.id); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		cancel()
	}
	r.signalServer(continueSignal)
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			w, want := red, uint32(0xff0000)
			if n%2 == 0 {
				w, want = blue, 0x0000ff
			}
			for range 4 {
				img, _, err := r.c.Capture(soon(t), w.id)
				if err != nil || !Flat(img) || at(img, 0, 0) != want {
					t.Errorf("%06x is not %06x: %v", at(img, 0, 0), want, err)
				}
			}
		})
	}
	all.Wait()
	r.c.segments.mu.Lock()
	idle := len(r.c.segments.idle)
	r.c.segments.mu.Unlock()
	if idle > maxSegments {
		t.Errorf("%d segments are kept", idle)
	}
	if n := segmentsOf(t, os.Getpid()); n < 1 {
		t.Error("no shared memory to be seen while a connection has some")
	}
}

// segmentsOf counts the shared memory segments that a process made: the
// kernel's list, whose sixth column is the maker.
func segmentsOf(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		if f := strings.Fields(line); len(f) > 5 && f[4] == strconv.Itoa(pid) {
			n++
		}
	}
	return n
}

// TestNoSharedMemoryIsLeft closes and loses connections that have some. It is
// not parallel: what others have would count.
func TestNoSharedMemoryIsLeft(t *testing.T) {
	before := segmentsOf(t, os.Getpid())
	r := newRig(t).redirected()
	w := r.plainWindow(Rect{0, 0, 900, 600}, 24, 0xff0000)
	c := r.dial()
	if _, _, err := c.Capture(soon(t), w.id); err != nil {
		t.Fatal(err)
	}
	if n := segmentsOf(t, os.Getpid()); n != before+1 {
		t.Errorf("%d segments after a capture, %d before", n, before)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the segment", func() bool { return segmentsOf(t, os.Getpid()) == before })
	if _, _, err := r.c.Capture(soon(t), w.id); err != nil {
		t.Fatal(err)
	}
	r.signalServer(killSignal)
	if err := r.c.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the segment", func() bool { return segmentsOf(t, os.Getpid()) == before })
}

func TestDamage(t *testing.T) {
	t.Parallel()
	r := newRig(t).redirected()
	w := r.plainWindow(Rect{10, 10, 300, 200}, 24, 0x102030)
	d, err := r.c.Damage(soon(t), w.id)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(soon(t))
	if got, err := d.Next(soon(t)); err != nil || len(got) != 1 || got[0] != image.Rect(0, 0, 300, 200) {
		t.Fatalf("at first %v, %v", got, err)
	}
	short, cancel := context.WithTimeout(soon(t), 50*time.Millisecond)
	defer cancel()
	if got, err := d.Next(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without painting %v, %v", got, err)
	}
	for range 3 {
		w.paint(image.Rect(20, 30, 50, 60), 0xff0000)
		w.paint(image.Rect(200, 150, 210, 160), 0xff0000)
	}
	d.reaches(t, image.Rect(20, 30, 210, 160))
	for n := range 100 { // far apart, so that they do not join
		w.paint(image.Rect(n%10*30, n/10*20, n%10*30+2, n/10*20+2), 0xffffff)
	}
	d.reaches(t, image.Rect(0, 0, 272, 182))
	if err := w.c.Close(); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = d.Next(soon(t))
	}
	if !errors.Is(err, ErrNoWindow) {
		t.Errorf("after the window's end: %v", err)
	}
	if _, err := r.c.Damage(soon(t), w.id); !errors.Is(err, ErrNoWindow) {
		t.Errorf("of a window that is gone: %v", err)
	}
}

// reaches waits until all that was painted lies in exactly that rectangle.
func (d *Damage) reaches(t *testing.T, want image.Rectangle) {
	t.Helper()
	var box image.Rectangle
	for box != want {
		got, err := d.Next(soon(t))
		if err != nil || len(got) > maxDamage {
			t.Fatalf("%d rectangles after %v, not %v: %v", len(got), box, want, err)
		}
		for _, rect := range got {
			box = box.Union(rect)
		}
	}
}

func TestPainted(t *testing.T) {
	t.Parallel()
	r := newRig(t).redirected()
	w := r.plainWindow(Rect{10, 10, 300, 200}, 24, 0x102030)
	if got, err := r.c.Painted(soon(t), w.id); err != nil || got {
		t.Errorf("an empty window: %v, %v", got, err)
	}
	// A program that paints late is waited for.
	late := r.plainWindow(Rect{10, 10, 300, 200}, 24, 0x102030)
	var over sync.WaitGroup
	over.Go(func() {
		time.Sleep(150 * time.Millisecond) // the lateness is what is tested
		late.paint(image.Rect(0, 0, 300, 100), 0xffffff)
	})
	if got, err := r.c.Painted(soon(t), late.id); err != nil || !got {
		t.Errorf("a window that painted late: %v, %v", got, err)
	}
	over.Wait()
	// One that never stops painting is not waited for long.
	stop := make(chan struct{})
	over.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				late.paint(image.Rect(n%300, 0, n%300+1, 200), uint32(n))
			}
		}
	})
	if got, err := r.c.Painted(soon(t), late.id); err != nil || !got {
		t.Errorf("a window that paints on: %v, %v", got, err)
	}
	close(stop)
	over.Wait()
	late.mapped(false)
	if _, err := r.c.Painted(soon(t), late.id); !errors.Is(err, ErrNotViewable) {
		t.Errorf("an unmapped window: %v", err)
	}
	ctx, cancel := context.WithTimeout(soon(t), 100*time.Millisecond)
	defer cancel()
	if _, err := r.c.Painted(ctx, w.id); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a short context: %v", err)
	}
}

// TestPaintedIsTheFirstPicture opens real programs and takes their picture as
// soon as they count as painted: it is no empty window.
func TestPaintedIsTheFirstPicture(t *testing.T) {
	t.Parallel()
	for name, find := range map[string]func(testing.TB) string{
		"widget": need.WidgetFactory3, "xterm": need.Xterm, "featherpad": need.Featherpad, "mousepad": need.Mousepad,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := find(t)
			r := newRig(t).redirected()
			r.run(nil, path)
			id := r.top(name)
			if got, err := r.c.Painted(soon(t), id); err != nil || !got {
				t.Fatal(got, err)
			}
			img, _, err := r.c.Capture(soon(t), id)
			if err != nil {
				t.Fatal(err)
			}
			colours := map[color.RGBA]bool{}
			for y := range img.Bounds().Dy() {
				for x := range img.Bounds().Dx() {
					colours[img.RGBAAt(x, y)] = true
				}
			}
			if least := map[string]int{"xterm": 2}[name]; len(colours) < max(least, 2) || name != "xterm" && len(colours) < 20 {
				t.Errorf("the first picture has %d colours", len(colours))
			}
		})
	}
}
