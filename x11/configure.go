package x11

import (
	"context"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Move asks for a place of a top level, in root pixels. With a window manager
// running it decides.
func (c *Conn) Move(ctx context.Context, id WindowID, to Point) error {
	err := c.configure(ctx, id, xproto.ConfigWindowX|xproto.ConfigWindowY, uint32(int32(to.X)), uint32(int32(to.Y)))
	if err != nil {
		return fmt.Errorf("move window %#x: %w", id, err)
	}
	return nil
}

// Resize asks for a size of a top level, 1 to 32767 a side. With a window
// manager running it decides, and the application may ask for another size
// afterwards: an exact size is what WM.Pin is for.
func (c *Conn) Resize(ctx context.Context, id WindowID, w, h int) error {
	if w < 1 || h < 1 || w > maxSide || h > maxSide {
		return fmt.Errorf("resize window %#x: %dx%d is no size", id, w, h)
	}
	err := c.configure(ctx, id, xproto.ConfigWindowWidth|xproto.ConfigWindowHeight, uint32(w), uint32(h))
	if err != nil {
		return fmt.Errorf("resize window %#x: %w", id, err)
	}
	return nil
}

// Raise asks for a top level to be above the others.
func (c *Conn) Raise(ctx context.Context, id WindowID) error {
	if err := c.configure(ctx, id, xproto.ConfigWindowStackMode, xproto.StackModeAbove); err != nil {
		return fmt.Errorf("raise window %#x: %w", id, err)
	}
	return nil
}

func (c *Conn) configure(ctx context.Context, id WindowID, mask uint16, values ...uint32) error {
	return c.do(ctx, func(x *xgb.Conn) error {
		return xproto.ConfigureWindowChecked(x, xproto.Window(id), mask, values).Check()
	})
}

// CloseWindow asks a top level to close, as the button in a title bar would. It
// reports false, and does nothing, when the window cannot be asked. What the
// application makes of it (a question to save, nothing) is seen in its windows.
func (c *Conn) CloseWindow(ctx context.Context, id WindowID) (asked bool, err error) {
	asked, err = call(ctx, c, func(x *xgb.Conn) (bool, error) {
		protocols, err := askProperty(x, xproto.Window(id), c.atom("WM_PROTOCOLS"))()
		if err != nil || !hasWord(protocols.words(), uint32(c.atom("WM_DELETE_WINDOW"))) {
			return false, err
		}
		c.sendProtocol(x, xproto.Window(id), "WM_DELETE_WINDOW", xproto.TimeCurrentTime)
		_, err = xproto.GetInputFocus(x).Reply() // so that it was sent when we return
		return true, err
	})
	if err != nil {
		return false, fmt.Errorf("close window %#x: %w", id, err)
	}
	return asked, nil
}
