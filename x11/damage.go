package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
)

// maxDamage bounds the rectangles of one answer; more are given as one around
// them, since each costs a capture of its own.
const maxDamage = 32

// Damage tells what of a window was painted. The server collects it: between
// two looks nothing is sent, however often the window paints, so a slow reader
// costs nothing and loses nothing.
type Damage struct {
	c      *Conn
	window WindowID
	sub    *subscription
	id     damage.Damage
	region xfixes.Region

	closing sync.Once
}

// Damage begins to collect what is painted in a top-level window. The whole
// window counts as painted at first. Close ends it.
func (c *Conn) Damage(ctx context.Context, id WindowID) (*Damage, error) {
	if err := c.needs(extDamage, extFixes); err != nil {
		return nil, fmt.Errorf("watch the painting of window %#x: %w", id, err)
	}
	ids, err := call(ctx, c, func(x *xgb.Conn) (ids [2]uint32, err error) {
		for n := range ids {
			if ids[n], err = c.ids.take(x); err != nil {
				return ids, err
			}
		}
		return ids, nil
	})
	if err != nil {
		return nil, fmt.Errorf("watch the painting of window %#x: %w", id, err)
	}
	d := &Damage{c: c, window: id, id: damage.Damage(ids[0]), region: xfixes.Region(ids[1])}
	d.sub = c.subscribe(d.concerns, 8)
	err = c.do(ctx, func(x *xgb.Conn) error {
		region := xfixes.CreateRegionChecked(x, d.region, nil)
		made := damage.CreateChecked(x, d.id, xproto.Drawable(id), damage.ReportLevelNonEmpty)
		return errors.Join(region.Check(), made.Check())
	})
	if err != nil {
		d.Close(ctx)
		return nil, fmt.Errorf("watch the painting of window %#x: %w", id, err)
	}
	return d, nil
}

// concerns picks the damage and the end of the window.
func (d *Damage) concerns(ev xgb.Event) bool {
	switch v := ev.(type) {
	case damage.NotifyEvent:
		return v.Damage == d.id
	case xproto.DestroyNotifyEvent:
		return WindowID(v.Window) == d.window
	}
	return false
}

// Next waits until something was painted since the last time, and gives where,
// in the window's own pixels. It is one reader's: two at once share the answers.
// ErrNoWindow when the window is destroyed.
func (d *Damage) Next(ctx context.Context) ([]image.Rectangle, error) {
	for {
		if err := d.wait(ctx); err != nil {
			return nil, err
		}
		rects, err := d.collect(ctx)
		if err != nil || len(rects) > 0 {
			return rects, err
		}
	}
}

func (d *Damage) wait(ctx context.Context) error {
	select {
	case ev, ok := <-d.sub.C:
		if !ok {
			return ErrGone
		}
		if _, ended := ev.(xproto.DestroyNotifyEvent); ended {
			return fmt.Errorf("window %#x: %w", d.window, ErrNoWindow)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// collect takes what the server collected, and lets it collect anew.
func (d *Damage) collect(ctx context.Context) ([]image.Rectangle, error) {
	rects, err := call(ctx, d.c, func(x *xgb.Conn) ([]image.Rectangle, error) {
		taken := damage.SubtractChecked(x, d.id, xfixes.RegionNone, d.region)
		reply, err := xfixes.FetchRegion(x, d.region).Reply()
		if err := taken.Check(); err != nil {
			if bad := (damage.BadDamageError{}); errors.As(err, &bad) {
				return nil, ErrNoWindow // it went together with its window
			}
			return nil, err
		}
		if err != nil {
			return nil, err
		}
		if len(reply.Rectangles) > maxDamage {
			return []image.Rectangle{rectangle(reply.Extents)}, nil
		}
		rects := make([]image.Rectangle, len(reply.Rectangles))
		for n, r := range reply.Rectangles {
			rects[n] = rectangle(r)
		}
		return rects, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the painting of window %#x: %w", d.window, err)
	}
	return rects, nil
}

func rectangle(r xproto.Rectangle) image.Rectangle {
	return image.Rect(0, 0, int(r.Width), int(r.Height)).Add(image.Pt(int(r.X), int(r.Y)))
}

// Close ends the collecting. It may be called more than once.
func (d *Damage) Close(ctx context.Context) {
	d.closing.Do(func() {
		d.sub.close()
		ctx, cancel := after(ctx, releaseTime)
		defer cancel()
		_ = d.c.do(ctx, func(x *xgb.Conn) error {
			// Both may be gone with the window or the server: nothing to report.
			damage.Destroy(x, d.id)
			xfixes.DestroyRegion(x, d.region)
			x.Sync()
			d.c.ids.give(uint32(d.id))
			d.c.ids.give(uint32(d.region))
			return nil
		})
	})
}
