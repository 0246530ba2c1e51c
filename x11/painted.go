package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"
)

const (
	// paintQuiet is how long a window must not paint to count as settled:
	// several frames of a toolkit's clock.
	paintQuiet = 60 * time.Millisecond

	// paintBusy is how long a window that has content and never stops painting
	// (a spinner, a video) is watched before it counts as painted.
	paintBusy = 400 * time.Millisecond

	// paintSparse is how long a window with next to nothing in it must not paint:
	// a terminal shows its cursor before the shell writes its first line.
	paintSparse = 250 * time.Millisecond

	// sparsePart is what next to nothing is: one pixel of so many.
	sparsePart = 1000

	// paintFlat is how long a window of a single colour must not paint to count
	// as meant like that. Toolkits fill a new window with their background and
	// paint the content later, under load by a few hundred milliseconds.
	paintFlat = 900 * time.Millisecond
)

// Painted waits until a mapped top-level window shows what its program painted:
// its picture is not of a single colour, and it has stopped painting for a
// moment or goes on painting for long. It gives true then, and false for a
// window that stays of a single colour and paints nothing more.
//
// ctx bounds the wait; its error means that the window is still painting its
// first content. ErrNoWindow and ErrNotViewable say that there is none.
func (c *Conn) Painted(ctx context.Context, id WindowID) (bool, error) {
	content, err := c.painted(ctx, id)
	if err != nil {
		return false, fmt.Errorf("wait for the painting of window %#x: %w", id, err)
	}
	return content, nil
}

func (c *Conn) painted(ctx context.Context, id WindowID) (bool, error) {
	d, err := c.Damage(ctx, id)
	if err != nil {
		return false, err
	}
	defer d.Close(ctx)
	var img *image.RGBA
	for {
		for busy := time.Now().Add(paintBusy); time.Now().Before(busy); {
			if more, err := d.within(ctx, paintQuiet); err != nil {
				return false, err
			} else if !more {
				break
			}
		}
		img, _, err = c.CapturePart(ctx, id, image.Rectangle{}, img)
		if err != nil {
			return false, err
		}
		many := img.Bounds().Dx() * img.Bounds().Dy() / sparsePart
		found := foreground(img, many)
		if found > many {
			return true, nil
		}
		patience := paintFlat
		if found > 0 {
			patience = paintSparse
		}
		if more, err := d.within(ctx, patience); err != nil || !more {
			return found > 0, err
		}
	}
}

// within waits for painting, for no longer than limit, and tells whether there
// was any.
func (d *Damage) within(ctx context.Context, limit time.Duration) (bool, error) {
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := d.Next(short)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return false, nil
	}
	return err == nil, err
}
