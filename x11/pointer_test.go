package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
)

// story tells events in short: what, which, where in root pixels, with which
// modifiers.
func story(events []xgb.Event) []string {
	var lines []string
	for _, ev := range events {
		switch e := ev.(type) {
		case xproto.ButtonPressEvent:
			lines = append(lines, fmt.Sprintf("press %d at %d,%d with %#x", e.Detail, e.RootX, e.RootY, e.State&0x1f))
		case xproto.ButtonReleaseEvent:
			lines = append(lines, fmt.Sprintf("release %d at %d,%d", e.Detail, e.RootX, e.RootY))
		case xproto.KeyPressEvent:
			lines = append(lines, fmt.Sprintf("key %d with %#x", e.Detail, e.State&0x1f))
		case xproto.KeyReleaseEvent:
			lines = append(lines, fmt.Sprintf("key %d up", e.Detail))
		case xproto.MotionNotifyEvent:
			lines = append(lines, fmt.Sprintf("motion %d,%d", e.RootX, e.RootY))
		}
	}
	return lines
}

func (w *witness) expect(want ...string) {
	w.r.t.Helper()
	if got := story(w.events(len(want), false)); !slices.Equal(got, want) {
		w.r.t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestClick(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w := r.plainWindow(Rect{100, 50, 600, 400}, 24, 0xffffff)
	r.focusOn(w.id)
	i, person := r.injector(), r.other()

	if err := i.Click(soon(t), Point{333, 222}, ClickOpts{}); err != nil {
		t.Fatal(err)
	}
	w.expect("press 1 at 333,222 with 0x0", "release 1 at 333,222")
	if err := i.Click(soon(t), Point{100, 50}, ClickOpts{Button: ButtonRight, Count: 2}); err != nil {
		t.Fatal(err)
	}
	w.expect("press 3 at 100,50 with 0x0", "release 3 at 100,50", "press 3 at 100,50 with 0x0", "release 3 at 100,50")
	if err := i.Click(soon(t), Point{699, 449}, ClickOpts{Mods: []Keysym{symControlL, symShiftL}}); err != nil {
		t.Fatal(err)
	}
	w.expect("key 37 with 0x0", "key 50 with 0x4", "press 1 at 699,449 with 0x5", "release 1 at 699,449",
		"key 37 up", "key 50 up")

	// A Control that somebody else holds and Caps Lock are no part of the click.
	if err := person.Key(soon(t), controlKey, true); err != nil {
		t.Fatal(err)
	}
	if _, err := i.lockState(soon(t), modLock, modLock, -1); err != nil {
		t.Fatal(err)
	}
	w.expect("key 37 with 0x0")
	if err := i.Click(soon(t), Point{300, 300}, ClickOpts{}); err != nil {
		t.Fatal(err)
	}
	w.expect("key 37 up", "press 1 at 300,300 with 0x0", "release 1 at 300,300", "key 37 with 0x2")
	if s := r.state(); s.locked != modLock || s.base != modControl {
		t.Errorf("afterwards locked %#x, held %#x", uint8(s.locked), uint8(s.base))
	}
}

func TestPointerRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w := r.plainWindow(Rect{0, 0, 800, 600}, 24, 0xffffff)
	r.focusOn(w.id)
	i := r.injector()
	no := errors.New("not here")
	refuse := func(context.Context) error { return no }
	for name, tc := range map[string]struct{ err, want error }{
		"left of the screen":  {i.Click(soon(t), Point{-1, 5}, ClickOpts{}), ErrBadPoint},
		"below the screen":    {i.Move(soon(t), Point{5, 1200}), ErrBadPoint},
		"far away":            {i.Move(soon(t), Point{1 << 20, 5}), ErrBadPoint},
		"guarded click":       {i.Click(soon(t), Point{5, 5}, ClickOpts{Guard: refuse}), no},
		"guarded wheel":       {i.Wheel(soon(t), Point{5, 5}, WheelOpts{Dir: WheelUp, Guard: refuse}), no},
		"guarded drag":        {i.Drag(soon(t), DragOpts{Path: []Point{{1, 1}, {9, 9}}, Guard: refuse}), no},
		"a path of one point": {i.Drag(soon(t), DragOpts{Path: []Point{{1, 1}}}), ErrBadPoint},
		"no such button":      {i.Click(soon(t), Point{5, 5}, ClickOpts{Button: 200}), ErrBadKey},
		"no such modifier":    {i.Click(soon(t), Point{5, 5}, ClickOpts{Mods: []Keysym{0x1008ff12}}), ErrBadKey},
	} {
		if !errors.Is(tc.err, tc.want) {
			t.Errorf("%s: %v, want %v", name, tc.err, tc.want)
		}
	}
	if err := i.Wheel(soon(t), Point{5, 5}, WheelOpts{Dir: "sideways"}); err == nil {
		t.Error("a wheel without a direction turned")
	}
	// Nothing of it was pressed.
	if err := i.Click(soon(t), Point{7, 7}, ClickOpts{}); err != nil {
		t.Fatal(err)
	}
	w.expect("press 1 at 7,7 with 0x0", "release 1 at 7,7")
}

func TestWheelAndItsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w := r.plainWindow(Rect{0, 0, 800, 600}, 24, 0xffffff)
	r.focusOn(w.id)
	i := r.injector()
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	done := 0
	err := i.Wheel(ctx, Point{40, 40}, WheelOpts{Dir: WheelDown, Notches: 50, Progress: func(n int) {
		if done = n; n == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || done != 3 {
		t.Errorf("%d notches, %v", done, err)
	}
	if err := i.Wheel(soon(t), Point{40, 40}, WheelOpts{Dir: WheelLeft, Mods: []Keysym{symShiftL}}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for range 3 {
		want = append(want, "press 5 at 40,40 with 0x0", "release 5 at 40,40")
	}
	w.expect(append(want, "key 50 with 0x0", "press 6 at 40,40 with 0x1", "release 6 at 40,40", "key 50 up")...)
}

func TestDrag(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w := r.plainWindow(Rect{0, 0, 800, 600}, 24, 0xffffff)
	i := r.injector()
	points := 0
	path := []Point{{10, 10}, {110, 60}, {110, 61}}
	if err := i.Drag(soon(t), DragOpts{Path: path, Progress: func(n int) { points = n }}); err != nil {
		t.Fatal(err)
	}
	if points != 3 {
		t.Errorf("%d points", points)
	}
	want := []string{
		"motion 10,10", "press 1 at 10,10 with 0x0", "motion 22,16", "motion 35,22", "motion 47,28", "motion 60,35",
		"motion 72,41", "motion 85,47", "motion 97,53", "motion 110,60", "motion 110,61", "release 1 at 110,61",
	}
	if got := story(w.events(len(want), true)); !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}

	// Cut in the middle, the button goes up.
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	err := i.Drag(ctx, DragOpts{Path: []Point{{10, 10}, {50, 50}, {700, 500}}, Progress: func(n int) {
		if n == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s := r.state(); s.buttons != 0 {
		t.Errorf("buttons down: %#x", s.buttons)
	}
	if _, buttons := i.Held(); len(buttons) > 0 {
		t.Errorf("the book holds %v", buttons)
	}
}

func TestChords(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w := r.plainWindow(Rect{0, 0, 800, 600}, 24, 0xffffff)
	r.focusOn(w.id)
	i := r.injector()
	press := func(text string) {
		t.Helper()
		chord, err := ParseChord(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Chord(soon(t), chord, nil); err != nil {
			t.Fatal(err)
		}
	}
	press("Return")
	w.expect("key 36 with 0x0", "key 36 up")
	press("ctrl+shift+a")
	w.expect("key 37 with 0x0", "key 50 with 0x4", "key 38 with 0x5", "key 38 up", "key 50 up", "key 37 up")
	press("ctrl+plus") // Shift is added
	w.expect("key 37 with 0x0", "key 50 with 0x4", "key 21 with 0x5", "key 21 up", "key 50 up", "key 37 up")
	press("shift+plus") // and not twice
	w.expect("key 50 with 0x0", "key 21 with 0x1", "key 21 up", "key 50 up")
	press("A")
	w.expect("key 50 with 0x0", "key 38 with 0x1", "key 38 up", "key 50 up")
	press("alt+F4")
	w.expect("key 64 with 0x0", "key 70 with 0x8", "key 70 up", "key 64 up")
	press("Control_R+x")
	w.expect("key 105 with 0x0", "key 53 with 0x4", "key 53 up", "key 105 up")

	// A lock key does what it does, and another locks it back.
	press("Caps_Lock")
	w.expect("key 66 with 0x0", "key 66 up")
	if s := r.state(); s.locked != modLock {
		t.Errorf("Caps Lock did not lock: %+v", s)
	}
	press("s") // Caps is put aside
	w.expect("key 39 with 0x0", "key 39 up")
	press("Caps_Lock")
	w.expect("key 66 with 0x2", "key 66 up")
	if s := r.state(); s.locked != 0 {
		t.Errorf("Caps Lock stayed: %+v", s)
	}

	// The group that has no such letter is left for the one that has.
	r.tool(need.Tool(t, "setxkbmap"), "us,ru")
	if _, err := i.lockState(soon(t), 0, 0, 1); err != nil {
		t.Fatal(err)
	}
	press("ctrl+s")
	w.expect("key 37 with 0x0", "key 39 with 0x4", "key 39 up", "key 37 up")
	if s := r.state(); s.lockedGroup != 1 {
		t.Errorf("the group was not put back: %+v", s)
	}
	press("ctrl+Cyrillic_yeru") // and kept for the one that only it has
	w.expect("key 37 with 0x0", "key 39 with 0x4", "key 39 up", "key 37 up")

	// A key that no layout has is borrowed.
	press("ctrl+é")
	got := story(w.events(4, false))
	if len(i.loans) != 1 || got[1] != fmt.Sprintf("key %d with 0x4", i.loans[0].code) {
		t.Errorf("ctrl+é was %v, loans %v", got, i.loans)
	}
	if down := r.keysDown(); len(down) > 0 {
		t.Errorf("keys are down: %v", down)
	}
	if err := i.Chord(soon(t), Chord{Mods: []Keysym{symHyperL + 1}, Key: 'a'}, nil); !errors.Is(err, ErrBadKey) {
		t.Errorf("a modifier without a key: %v", err)
	}
	ctrlA, hyperA := Chord{Mods: []Keysym{symControlL}, Key: 'a'}, Chord{Mods: []Keysym{symHyperL + 1}, Key: 'a'}
	if err := i.Reach(soon(t), ctrlA, hyperA); !errors.Is(err, ErrBadKey) {
		t.Errorf("a modifier without a key, among chords: %v", err)
	}
	if err := i.Reach(soon(t), ctrlA, Chord{Key: 'é'}); err != nil {
		t.Errorf("keys that can be pressed or borrowed: %v", err)
	}
}
