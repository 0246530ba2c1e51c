package x11

import (
	"context"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// DefaultMonitor is the monitor of a display whose main window has no exact
// size: what a program finds on an ordinary desk.
func DefaultMonitor() Rect { return Rect{W: 1920, H: 1080} }

// monitorNames are the two names of the one monitor that is defined here. A name
// in use is refused and an output belongs to one monitor only: defining it under
// the other name replaces it in one step, so that no program ever sees none.
var monitorNames = [2]string{"nested", "nested too"}

// SetMonitor makes r the display's only monitor, so that menus, maximised
// windows and dialogs stay inside it whatever the size of the screen. It must
// lie within the screen. Programs that run hear of it.
//
// Two things are set, because toolkits look at either. The monitor is what GTK
// reads, and changing it alone tells nobody. What the screen's output shows is
// what Qt 5 reads, and changing that tells all; but the pointer cannot leave it,
// which is what Reach is for.
func (c *Conn) SetMonitor(ctx context.Context, r Rect) error {
	if err := c.setMonitor(ctx, r); err != nil {
		return fmt.Errorf("set monitor %dx%d+%d+%d of %s: %w", r.W, r.H, r.X, r.Y, c.display, err)
	}
	return nil
}

func (c *Conn) setMonitor(ctx context.Context, r Rect) error {
	if err := c.needs(extRandR); err != nil {
		return err
	}
	w, h := c.Screen()
	if r.X < 0 || r.Y < 0 || r.W < 1 || r.H < 1 || r.X+r.W > w || r.Y+r.H > h {
		return fmt.Errorf("not within the screen of %dx%d", w, h)
	}
	var names [len(monitorNames)]xproto.Atom
	for i, name := range monitorNames {
		var err error
		if names[i], err = c.intern(ctx, name); err != nil {
			return err
		}
	}
	return c.do(ctx, func(x *xgb.Conn) error {
		monitors := randr.GetMonitors(x, c.root, false)
		out, err := c.readOutput(x)
		if err != nil {
			return err
		}
		defined, err := monitors.Reply()
		if err != nil {
			return err
		}
		name := names[0]
		for _, m := range defined.Monitors {
			if m.Name == name {
				name = names[1]
			}
		}
		err = randr.SetMonitorChecked(x, c.root, randr.MonitorInfo{
			Name: name, Primary: true, NOutput: uint16(len(out.all)), Outputs: out.all,
			X: int16(r.X), Y: int16(r.Y), Width: uint16(r.W), Height: uint16(r.H),
			WidthInMillimeters: millimetres(r.W), HeightInMillimeters: millimetres(r.H),
		}).Check()
		if err != nil {
			return err
		}
		return c.showOutput(x, out, r)
	})
}

// millimetres gives a length at 96 pixels an inch.
func millimetres(pixels int) uint32 { return uint32((pixels*254 + 480) / 960) }

// Monitor gives the display's monitor: the primary one, else the first, else
// the whole screen.
func (c *Conn) Monitor(ctx context.Context) (Rect, error) {
	w, h := c.Screen()
	whole := Rect{W: w, H: h}
	if c.needs(extRandR) != nil {
		return whole, nil
	}
	r, err := call(ctx, c, func(x *xgb.Conn) (Rect, error) {
		reply, err := randr.GetMonitors(x, c.root, true).Reply()
		if err != nil || len(reply.Monitors) == 0 {
			return whole, err
		}
		best := reply.Monitors[0]
		for _, m := range reply.Monitors {
			if m.Primary {
				best = m
				break
			}
		}
		return Rect{X: int(best.X), Y: int(best.Y), W: int(best.Width), H: int(best.Height)}, nil
	})
	if err != nil {
		return Rect{}, fmt.Errorf("read the monitor of %s: %w", c.display, err)
	}
	return r, nil
}

// Reach makes sure that the pointer can go to p. The server keeps it within what
// the output shows, which SetMonitor made the monitor; a menu of a program that
// knows no monitors, or a dialog larger than its window, may reach past that.
// The output then shows the whole screen until the next SetMonitor.
func (c *Conn) Reach(ctx context.Context, p Point) error {
	w, h := c.Screen()
	if c.needs(extRandR) != nil || p.X < 0 || p.Y < 0 || p.X >= w || p.Y >= h {
		return nil // nothing there to reach, or nothing in the way
	}
	err := c.do(ctx, func(x *xgb.Conn) error {
		out, err := c.readOutput(x)
		if err != nil || out.crtc == 0 || out.shows.has(p) {
			return err
		}
		return c.showOutput(x, out, Rect{W: w, H: h})
	})
	if err != nil {
		return fmt.Errorf("reach %d,%d on %s: %w", p.X, p.Y, c.display, err)
	}
	return nil
}

func (r Rect) has(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.W && p.Y < r.Y+r.H
}

// selectScreenChanges asks for an event when the monitor changes.
func selectScreenChanges(x *xgb.Conn, root xproto.Window) {
	randr.SelectInput(x, root, randr.NotifyMaskScreenChange|randr.NotifyMaskCrtcChange)
}
