package display

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
	"vibespace/x11"
)

// stands writes down how the windows of a display stand.
func (d *Display) stands(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := d.standing(ctx, false)
	text := ""
	for _, id := range s.order {
		text += fmt.Sprintf("%#x at %v; ", id, s.rects[id])
	}
	return text + fmt.Sprintf("focus %#x", s.focused)
}

// TestMovedAsItStood: windows that a person or an application put somewhere are
// there after a move to xpra, after a daemon that comes back to it, and after a
// move away, one above the other as before, with the focus where it was.
func TestMovedAsItStood(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	need.Xpra(t)
	d := begin(t, Config{Inject: true})
	place := map[string]x11.Point{"Third": {X: 40, Y: 300}, "First": {X: 200, Y: 150}, "Second": {X: 77, Y: 33}}
	ids := map[string]x11.WindowID{}
	for _, class := range []string{"First", "Second", "Third"} {
		launch(t, d, AppSpec{Path: xterm, Args: []string{"-class", class, "-geometry", "40x12"}})
		w := shown(t, d, class)
		ids[class] = w.ID
		if err := d.X().Move(t.Context(), w.ID, place[class]); err != nil {
			t.Fatal(err)
		}
	}
	for _, class := range []string{"Third", "Second", "First"} {
		if err := d.X().Raise(t.Context(), ids[class]); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.X().Focus(t.Context(), ids["First"]); err != nil {
		t.Fatal(err)
	}
	order := []x11.WindowID{ids["Third"], ids["Second"], ids["First"]}
	until(t, "they stand", func() bool {
		s := d.standing(t.Context(), false)
		return slices.Equal(s.order, order) && s.focused == ids["First"] && s.rects[ids["Third"]].Y == place["Third"].Y
	})
	want := d.stands(t)
	same := func(when string) {
		t.Helper()
		got := ""
		defer func() {
			if t.Failed() {
				t.Logf("%s: %s, not %s", when, got, want)
			}
		}()
		until(t, when+": they stand as before", func() bool { got = d.stands(t); return got == want })
	}
	move := func(to Rung) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := d.Move(ctx, to); err != nil {
			t.Fatal(err)
		}
	}
	move(RungXpra)
	same("moved to xpra")
	func() {
		d.moving.Lock()
		defer d.moving.Unlock()
		if err := d.WM().Close(); err != nil {
			t.Error(err)
		}
		if err := d.rejoinXpra(t.Context(), process(t, d, WhatXpra)); err != nil {
			t.Fatal(err)
		}
	}()
	same("joined anew")
	move(RungPlain)
	same("moved away")
}

// TestShownWithoutTheFocus: a window that asks for no focus gets none on either
// rung while another one has it, and is shown.
func TestShownWithoutTheFocus(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	for _, rung := range []Rung{RungPlain, RungXpra} {
		if rung == RungXpra {
			need.Xpra(t)
		}
		d := begin(t, Config{Inject: true, Rung: rung})
		launch(t, d, AppSpec{Path: xterm})
		w := shown(t, d, "XTerm")
		has := func() bool {
			id, err := d.X().Focused(t.Context())
			return err == nil && id == w.ID
		}
		until(t, "it has the focus", has)
		log := need.Dir(t) + "/log"
		launch(t, d, AppSpec{Path: fixtures.Path(t, "bare.py"), Args: []string{"--quiet"}, Env: []string{fixtures.LogVariable + "=" + log}})
		fixtures.Log(t, log).Wait(t, fixtures.Is("ready"), patience)
		for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if !has() {
				t.Fatalf("%s: it took the focus", rung)
			}
		}
	}
}
