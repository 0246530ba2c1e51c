package x11

import "context"

// Since tells whether anything was painted since it was asked last, or since
// the collecting began; it waits for nothing. ErrNoWindow when the window is
// destroyed.
func (d *Damage) Since(ctx context.Context) (bool, error) {
	select {
	case <-d.sub.C:
	default:
		return false, nil
	}
	rects, err := d.collect(ctx)
	return len(rects) > 0, err
}
