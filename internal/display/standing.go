package display

import (
	"context"
	"slices"
	"time"

	"vibespace/x11"
	"vibespace/xpra"
)

// gatherLimit is how long the windows that were there before are waited for: xpra
// tells of them at once.
const gatherLimit = time.Second

// standing is how the windows of a display stand before another manager takes
// them: it leaves them so.
type standing struct {
	order   []x11.WindowID // bottom to top
	rects   map[x11.WindowID]x11.Rect
	focused x11.WindowID // 0 when none of them is, or it is not known
}

// standing looks how the windows stand, hidden ones too when they are: xpra hides
// all of them while nobody watches. What cannot be read is nothing that was there.
func (d *Display) standing(ctx context.Context, hidden bool) standing {
	s := standing{rects: map[x11.WindowID]x11.Rect{}}
	tops, err := d.x.TopLevels(ctx)
	if err != nil {
		return s
	}
	for _, w := range tops {
		if (w.Viewable || hidden) && !w.OverrideRedirect && !w.InputOnly {
			s.order = append(s.order, w.ID)
			s.rects[w.ID] = w.Geometry
		}
	}
	if has, err := d.x.Focused(ctx); err == nil {
		if _, ok := s.rects[has]; ok {
			s.focused = has
		}
	}
	return s
}

// front is the window that is to have the focus: the one that had it, or the
// topmost.
func (s standing) front() x11.WindowID {
	if s.focused != 0 || len(s.order) == 0 {
		return s.focused
	}
	return s.order[len(s.order)-1]
}

// gather takes what xpra tells first, until all windows that were there are among
// it, and gives it with those windows as they were stacked: what is shown later
// lies above.
func (s standing) gather(events <-chan xpra.Event) []xpra.Event {
	var known, rest []xpra.Event
	limit := time.NewTimer(gatherLimit)
	defer limit.Stop()
	for len(known) < len(s.order) {
		select {
		case e, ok := <-events:
			id := x11.WindowID(e.Meta.XID)
			switch _, was := s.rects[id]; {
			case !ok:
				return append(known, rest...)
			case e.Kind == xpra.New && was:
				known = append(known, e)
			default:
				rest = append(rest, e)
			}
			continue
		case <-limit.C:
		}
		break
	}
	slices.SortStableFunc(known, func(a, b xpra.Event) int {
		return slices.Index(s.order, x11.WindowID(a.Meta.XID)) - slices.Index(s.order, x11.WindowID(b.Meta.XID))
	})
	return append(known, rest...)
}
