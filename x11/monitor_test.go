package x11

import (
	"slices"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
)

func TestMonitor(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	w, h := s.Screen()
	if got, err := s.Monitor(within(t)); err != nil || got != (Rect{0, 0, w, h}) {
		t.Errorf("before: %+v %v", got, err)
	}
	for _, want := range []Rect{DefaultMonitor(), {0, 0, 640, 480}, {10, 20, 300, 200}, {0, 0, w, h}, DefaultMonitor()} {
		if err := s.SetMonitor(within(t), want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Monitor(within(t)); err != nil || got != want {
			t.Errorf("got %+v %v, want %+v", got, err, want)
		}
		n, err := call(within(t), s.Conn, func(x *xgb.Conn) (int, error) {
			reply, err := randr.GetMonitors(x, s.root, false).Reply()
			if err != nil {
				return 0, err
			}
			return len(reply.Monitors), nil
		})
		if err != nil || n != 1 {
			t.Errorf("%d monitors %v", n, err)
		}
	}
	modes, err := call(within(t), s.Conn, func(x *xgb.Conn) (int, error) {
		out, err := s.readOutput(x)
		return len(out.modes), err
	})
	if err != nil || modes > 3 {
		t.Errorf("%d modes are kept, %v", modes, err)
	}
	for _, bad := range []Rect{{}, {0, 0, w + 1, h}, {-1, 0, 10, 10}, {w - 5, 0, 10, 10}, {0, 0, 10, -1}} {
		if err := s.SetMonitor(within(t), bad); err == nil {
			t.Errorf("monitor %+v accepted", bad)
		}
	}
}

// The menu of a pinned window stays inside it, for each toolkit: what reaches
// past it can neither be seen nor clicked.
func TestMenusStayOnTheMonitor(t *testing.T) {
	t.Parallel()
	for _, app := range []struct {
		tool string
		args []string
		open func(*screen)
	}{
		{"mousepad", nil, func(s *screen) { s.click(Point{20, 12}) }},
		{"featherpad", []string{"--standalone"}, func(s *screen) { s.click(Point{20, 12}) }},
	} {
		t.Run(app.tool, func(t *testing.T) {
			t.Parallel()
			path := need.Tool(t, app.tool)
			s, m := managed(t)
			s.run(path, app.args...)
			w := s.window(app.tool, func(w Window) bool { return !w.OverrideRedirect && w.Geometry.W > 100 })
			pin, err := m.Pin(within(t), w.ID, 640, 240)
			if err != nil {
				t.Fatal(err)
			}
			monitor := Rect{0, 0, pin.GotW, pin.GotH}
			if err := s.SetMonitor(within(t), monitor); err != nil {
				t.Fatal(err)
			}
			var menu Window
			s.until("a menu", func() bool {
				app.open(s)
				windows, err := s.TopLevels(within(t))
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(windows, func(w Window) bool {
					return w.Viewable && w.OverrideRedirect && w.Geometry.H > 50
				})
				if i >= 0 {
					menu = windows[i]
				}
				return i >= 0
			})
			g := menu.Geometry
			if g.X < 0 || g.Y < 0 || g.X+g.W > monitor.W || g.Y+g.H > monitor.H {
				t.Errorf("menu at %+v of a window of %+v", g, monitor)
			}
		})
	}
}

// A program that knows no monitors opens its menu past the window's edge, where
// it must be clickable all the same.
func TestReach(t *testing.T) {
	t.Parallel()
	s, m := managed(t)
	app := s.dial()
	presses := app.subscribe(func(ev xgb.Event) bool { _, ok := ev.(xproto.ButtonPressEvent); return ok }, 8)
	defer presses.close()
	main := s.open(app, frame{Rect: Rect{0, 0, 400, 300}})
	if _, err := m.Pin(within(t), main, 400, 300); err != nil {
		t.Fatal(err)
	}
	monitor := Rect{0, 0, 400, 300}
	if err := s.SetMonitor(within(t), monitor); err != nil {
		t.Fatal(err)
	}
	menu := s.open(app, frame{Rect: Rect{380, 280, 200, 200}, override: true})
	at := Point{570, 470}
	inject, err := NewInjector(within(t), s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := inject.Click(within(t), at, ClickOpts{}); err != nil {
			t.Fatal(err)
		}
		select {
		case ev := <-presses.C:
			if v := ev.(xproto.ButtonPressEvent); WindowID(v.Event) != menu || v.RootX != int16(at.X) || v.RootY != int16(at.Y) {
				t.Errorf("the click went to %#x at %d,%d", v.Event, v.RootX, v.RootY)
			}
		case <-time.After(patience):
			t.Fatal("the click did not arrive")
		}
		if got, err := s.Monitor(within(t)); err != nil || got != monitor {
			t.Errorf("the monitor became %+v, %v", got, err)
		}
	}
	if err := s.Reach(within(t), Point{-5, 99999}); err != nil {
		t.Errorf("a place that is not on the screen: %v", err)
	}
}
