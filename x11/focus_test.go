package x11

import (
	"errors"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Without a window manager nothing has the focus and nothing gives it.
func TestFocusWithoutManager(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	app := s.dial()
	if got := s.focused(); got != 0 {
		t.Errorf("%#x has the focus of an empty display", got)
	}
	one := s.open(app, frame{Rect: Rect{0, 0, 100, 100}})
	two := s.open(app, frame{Rect: Rect{200, 0, 100, 100}})
	for _, id := range []WindowID{one, two, two, one} {
		if err := s.Focus(within(t), id); err != nil {
			t.Fatal(err)
		}
		if got := s.focused(); got != id {
			t.Errorf("%#x has the focus, want %#x", got, id)
		}
	}
	// The focus inside a window is that window's.
	err := app.do(within(t), func(x *xgb.Conn) error {
		child, err := xproto.NewWindowId(x)
		if err != nil {
			return err
		}
		xproto.CreateWindow(x, 0, child, xproto.Window(two), 0, 0, 10, 10, 0, xproto.WindowClassInputOutput, 0, 0, nil)
		xproto.MapWindow(x, child)
		return xproto.SetInputFocusChecked(x, xproto.InputFocusParent, child, 0).Check()
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.focused(); got != two {
		t.Errorf("%#x has the focus of a window inside %#x", got, two)
	}
	if err := s.Focus(within(t), two); err != nil {
		t.Errorf("focus what has it inside: %v", err)
	}
	s.gone(app, two)
	if got := s.focused(); got != 0 {
		t.Errorf("%#x has the focus of a window that ended", got)
	}
	hidden := s.create(app, frame{Rect: Rect{0, 0, 100, 100}})
	for name, test := range map[string]struct {
		id   WindowID
		want error
	}{
		"not shown": {hidden, ErrNotFocusable},
		"no input":  {s.open(app, frame{Rect: Rect{0, 0, 9, 9}, inputOff: true}), ErrNotFocusable},
		"ended":     {two, ErrNoWindow},
	} {
		if err := s.Focus(within(t), test.id); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
