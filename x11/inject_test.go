package x11

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
)

// other gives an injector's way to the keyboard to somebody who is not our
// injector: another XTEST client of the same display.
func (r *rig) other() *Injector {
	r.t.Helper()
	i, err := NewInjector(soon(r.t), r.dial())
	if err != nil {
		r.t.Fatal(err)
	}
	return i
}

const (
	shiftKey   Keycode = 50 // Shift_L and others of an evdev keymap
	controlKey Keycode = 37
	aKey       Keycode = 38
)

// TestHeldModifiersArePutAside types while somebody else holds Shift and
// Control, and while the person lets go in the middle: the text is what was
// asked, and afterwards exactly what is still held is down.
func TestHeldModifiersArePutAside(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i, person := r.injector(), r.other()
	want := ""
	for _, tc := range []struct {
		name    string
		hold    []Keycode
		letGo   []Keycode // in the middle of the text
		regrasp []Keycode
		down    []Keycode
	}{
		{name: "held throughout", hold: []Keycode{controlKey, shiftKey}, down: []Keycode{controlKey, shiftKey}},
		{name: "let go meanwhile", hold: []Keycode{controlKey, shiftKey}, letGo: []Keycode{shiftKey}, down: []Keycode{controlKey}},
		{
			name: "let go and taken again", hold: []Keycode{controlKey},
			letGo: []Keycode{controlKey}, regrasp: []Keycode{controlKey}, down: []Keycode{controlKey},
		},
		{name: "a letter is stuck", hold: []Keycode{aKey, shiftKey}, down: []Keycode{shiftKey}},
	} {
		for _, code := range tc.hold {
			if err := person.Key(soon(t), code, true); err != nil {
				t.Fatal(err)
			}
		}
		if tc.hold[0] == aKey {
			want += "a" // what was pressed there before
		}
		text := strings.Repeat("Hold It aA bB\n", 8)
		_, err := i.Text(soon(t), text, TextOpts{Progress: func(chars int) {
			if chars != 3*guardEvery { // where the keyboard is looked at again
				return
			}
			for _, code := range tc.letGo {
				_ = person.Key(soon(t), code, false)
			}
			for _, code := range tc.regrasp {
				_ = person.Key(soon(t), code, true)
			}
		}})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		want += strings.ReplaceAll(text, "\n", "\r")
		if got := typed(t, path, len(want)); got != want {
			t.Fatalf("%s: typed %q, want %q", tc.name, got, want)
		}
		if down := r.keysDown(); !slices.Equal(down, tc.down) {
			t.Errorf("%s: down are %v, want %v", tc.name, down, tc.down)
		}
		if err := person.ReleaseAll(soon(t)); err != nil {
			t.Fatal(err)
		}
		if n, err := i.ReleaseStuck(soon(t)); err != nil || n > 0 {
			t.Errorf("%s: %d keys were stuck after their holder let go (%v)", tc.name, n, err)
		}
	}
}

// TestLocksChangedMeanwhile presses Caps Lock in the middle of a text: the text
// stays right, and the lock the person set is there afterwards.
func TestLocksChangedMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i, person := r.injector(), r.other()
	text := strings.Repeat("lower UPPER ", 20)
	pressed := 0
	_, err := i.Text(soon(t), text, TextOpts{Progress: func(chars int) {
		if chars != 64 {
			return
		}
		pressed = chars
		for _, down := range []bool{true, false} {
			if err := person.Key(soon(t), 66, down); err != nil {
				t.Error(err)
			}
		}
	}})
	if err != nil || pressed == 0 {
		t.Fatal(pressed, err)
	}
	if got := typed(t, path, len(text)); got != text {
		t.Errorf("typed %q", got)
	}
	if s := r.state(); s.locked != modLock {
		t.Errorf("locked is %#x, want Caps Lock", uint8(s.locked))
	}
}

// TestLayoutChangedMeanwhile loads another layout in the middle of a text.
func TestLayoutChangedMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	text := strings.Repeat("azerty QWERTY é Ω /_?\"' ", 20)
	_, err := i.Text(soon(t), text, TextOpts{Progress: func(chars int) {
		if chars == 160 { // where the keyboard is looked at again
			r.tool(need.Tool(t, "setxkbmap"), "fr")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := typed(t, path, len(text)); got != text {
		t.Errorf("typed %q", got)
	}
}

func TestReleaseStuckAndAdoptLoans(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	first := r.other()
	if _, err := first.Text(soon(t), "Ω你", TextOpts{}); err != nil {
		t.Fatal(err)
	}
	for _, code := range []Keycode{shiftKey, aKey} {
		if err := first.Key(soon(t), code, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Button(soon(t), ButtonLeft, true); err != nil {
		t.Fatal(err)
	}
	// The first is gone without a word; the next takes over.
	second := r.injector()
	if len(second.loans) != 2 {
		t.Errorf("adopted %d borrowed keys, want 2", len(second.loans))
	}
	if n, err := second.ReleaseStuck(soon(t)); err != nil || n != 3 {
		t.Errorf("released %d, %v; want 3", n, err)
	}
	if down := r.keysDown(); len(down) > 0 || r.state().buttons != 0 {
		t.Errorf("still down: %v, buttons %#x", down, r.state().buttons)
	}
	begin := time.Now()
	if _, err := second.Text(soon(t), "你Ω", TextOpts{}); err != nil {
		t.Fatal(err)
	}
	if got := typed(t, path, 11); got != "Ω你A你Ω" {
		t.Errorf("typed %q (%v)", got, time.Since(begin))
	}
	if err := second.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if third := r.injector(); len(third.loans) != 0 {
		t.Errorf("borrowed keys stay after Close: %v", third.loans)
	}
}

// TestRepeatIsOff holds a key for longer than autorepeat would wait, also after
// another keymap was loaded.
func TestRepeatIsOff(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	hold := func() {
		for _, down := range []bool{true, false} {
			if err := i.Key(soon(t), aKey, down); err != nil {
				t.Fatal(err)
			}
			if down {
				time.Sleep(time.Second) // the time is what is tested: repeat begins at 0.66 s
			}
		}
	}
	hold()
	r.tool(need.Tool(t, "setxkbmap"), "us")
	if _, err := i.Text(soon(t), "b", TextOpts{}); err != nil {
		t.Fatal(err)
	}
	hold()
	if got := typed(t, path, 3); got != "aba" {
		t.Errorf("typed %q", got)
	}
}

// TestInjectorEndsWithTheServer stops and kills the server while text is typed.
func TestInjectorEndsWithTheServer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.catcher()
	i := r.injector()
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	_, err := i.Text(ctx, strings.Repeat("abc ", 5000), TextOpts{Progress: func(chars int) {
		if chars >= 200 {
			r.signalServer(stopSignal)
			time.AfterFunc(100*time.Millisecond, cancel) // whoever types is asking the server by then
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped server: %v", err)
	}
	r.signalServer(continueSignal)
	if err := i.ReleaseAll(soon(t)); err != nil {
		t.Fatal(err)
	}
	if down := r.keysDown(); len(down) > 0 {
		t.Errorf("keys are down: %v", down)
	}
	_, err = i.Text(soon(t), strings.Repeat("abc ", 5000), TextOpts{Progress: func(chars int) {
		if chars >= 200 {
			r.signalServer(killSignal)
		}
	}})
	if !errors.Is(err, ErrGone) {
		t.Errorf("a killed server: %v", err)
	}
}

// witness is a plain window that remembers the events it got.
type witness struct {
	r   *rig
	c   *Conn // the window's own
	id  WindowID
	sub *subscription
}

// plainWindow makes a window on a connection of its own. Without flags it is
// flat, of the given colour.
func (r *rig) plainWindow(at Rect, depth byte, colour uint32) *witness {
	r.t.Helper()
	c := r.dial()
	w := &witness{r: r, c: c, sub: c.subscribe(func(ev xgb.Event) bool {
		switch ev.(type) {
		case xproto.KeyPressEvent, xproto.KeyReleaseEvent, xproto.ButtonPressEvent, xproto.ButtonReleaseEvent,
			xproto.MotionNotifyEvent:
			return true
		}
		return false
	}, 4096)}
	err := c.do(soon(r.t), func(x *xgb.Conn) error {
		id, err := xproto.NewWindowId(x)
		if err != nil {
			return err
		}
		w.id = WindowID(id)
		visual, mask := c.screen.RootVisual, uint32(xproto.CwBackPixel)
		values := []uint32{colour}
		if depth != c.screen.RootDepth {
			visual = visualOf(c, depth)
			colours, err := xproto.NewColormapId(x)
			if err != nil {
				return err
			}
			xproto.CreateColormap(x, xproto.ColormapAllocNone, colours, c.root, visual)
			mask |= xproto.CwBorderPixel | xproto.CwColormap
			values = []uint32{colour, 0, uint32(colours)}
		}
		mask |= xproto.CwOverrideRedirect | xproto.CwEventMask
		events := uint32(xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease | xproto.EventMaskButtonPress |
			xproto.EventMaskButtonRelease | xproto.EventMaskPointerMotion)
		last := len(values)
		if last == 3 { // border pixel, override redirect, event mask, colormap: in bit order
			values = []uint32{colour, 0, 1, events, values[2]}
		} else {
			values = append(values, 1, events)
		}
		if err := xproto.CreateWindowChecked(x, depth, id, c.root, int16(at.X), int16(at.Y), uint16(at.W), uint16(at.H), 0,
			xproto.WindowClassInputOutput, visual, mask, values).Check(); err != nil {
			return err
		}
		return xproto.MapWindowChecked(x, id).Check()
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

func visualOf(c *Conn, depth byte) xproto.Visualid {
	for _, d := range c.screen.AllowedDepths {
		if d.Depth == depth && len(d.Visuals) > 0 {
			return d.Visuals[0].VisualId
		}
	}
	return 0
}

// events waits for n events of the kinds that are not motion, or for n of any.
func (w *witness) events(n int, motions bool) []xgb.Event {
	w.r.t.Helper()
	var got []xgb.Event
	limit := time.After(patience)
	for len(got) < n {
		select {
		case ev := <-w.sub.C:
			if _, motion := ev.(xproto.MotionNotifyEvent); motions || !motion {
				got = append(got, ev)
			}
		case <-limit:
			w.r.t.Fatalf("%d events of %d: %v", len(got), n, got)
		}
	}
	return got
}

// TestStalledReceiverIsNotFooled stops the terminal in the middle of a text that
// needs its few borrowed keys several times over: nothing is mapped anew before
// it has read what was typed, so what it reads at last is what was counted.
func TestStalledReceiverIsNotFooled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id, path := r.catcher()
	i := r.injector()
	r.tool(need.Tool(t, "setxkbmap"), "us") // leaves nineteen keycodes
	who, err := r.c.receiver(soon(t))
	if err != nil || who.pid == 0 {
		t.Fatalf("behind window %#x is %+v, %v", id, who, err)
	}
	var text strings.Builder
	for ch := '一'; ch < '一'+120; ch++ { // a keycode carries four at most
		text.WriteRune(ch)
	}
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	var stopped sync.Once
	done, err := i.Text(ctx, text.String(), TextOpts{Progress: func(chars int) {
		if chars >= 5 {
			stopped.Do(func() {
				if err := syscall.Kill(who.pid, syscall.SIGSTOP); err != nil {
					t.Error(err)
				}
				time.AfterFunc(2*time.Second, cancel)
			})
		}
	}})
	if !errors.Is(err, context.Canceled) || done < 5 || done > 4*19 {
		t.Errorf("typed %d, %v", done, err)
	}
	if err := syscall.Kill(who.pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Text(soon(t), text.String(), TextOpts{}); err != nil {
		t.Fatal(err)
	}
	want := string([]rune(text.String())[:done]) + text.String()
	if got := typed(t, path, len(want)); got != want {
		t.Errorf("typed %q, want %q", got, want)
	}
}
