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

// monitorName names the one monitor we define.
const monitorName = "nested"

// SetMonitor makes r the display's only monitor, so that menus, maximised
// windows and dialogs stay inside it whatever the size of the screen. It must
// lie within the screen. Programs that run hear of it.
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
	name, err := c.intern(ctx, monitorName)
	if err != nil {
		return err
	}
	return c.do(ctx, func(x *xgb.Conn) error {
		// A monitor takes over the outputs it lists. Without that the server
		// keeps an automatic one as large as the screen beside ours.
		resources, err := randr.GetScreenResourcesCurrent(x, c.root).Reply()
		if err != nil {
			return err
		}
		return randr.SetMonitorChecked(x, c.root, randr.MonitorInfo{
			Name: name, Primary: true, NOutput: uint16(len(resources.Outputs)),
			X: int16(r.X), Y: int16(r.Y), Width: uint16(r.W), Height: uint16(r.H),
			WidthInMillimeters: millimetres(r.W), HeightInMillimeters: millimetres(r.H),
			Outputs: resources.Outputs,
		}).Check()
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

// selectScreenChanges asks for an event when the monitor changes.
func selectScreenChanges(x *xgb.Conn, root xproto.Window) {
	randr.SelectInput(x, root, randr.NotifyMaskScreenChange|randr.NotifyMaskCrtcChange|
		randr.NotifyMaskOutputChange|randr.NotifyMaskResourceChange)
}
