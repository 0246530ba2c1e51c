package target

import (
	"context"

	"vibespace/atspi"
	"vibespace/internal/display"
	"vibespace/x11"
)

// keeping is what lets a window be read again for the price of what changed:
// its trees, kept current from events, and what was painted of it, which is
// the doubt where a toolkit tells of too little.
type keeping struct {
	trees   *atspi.Keeper
	painted map[x11.WindowID]*x11.Damage
}

// keep gives the window's keeping, begun when it is first read.
func (w *window) keep(ctx context.Context, d *display.Display) (*keeping, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept != nil {
		return w.kept, nil
	}
	trees, err := d.Access().Keep(ctx)
	if err != nil {
		return nil, err
	}
	w.kept = &keeping{trees: trees, painted: map[x11.WindowID]*x11.Damage{}}
	return w.kept, nil
}

// unkeep ends the keeping; the display's end takes the rest with it.
func (k *keeping) close(ctx context.Context) error {
	for _, d := range k.painted {
		d.Close(ctx)
	}
	return k.trees.Close()
}

// doubt says how far what is kept of a window may be trusted: anything that was
// painted since the last look, and any window that came or went, makes places
// doubtful. A window that cannot be watched is always doubted.
func (w *window) doubt(ctx context.Context, d *display.Display, k *keeping, s scene) atspi.Doubt {
	w.seeing.Lock()
	defer w.seeing.Unlock()
	doubt := atspi.DoubtNone
	for id, watch := range k.painted {
		if s.byID(id) == nil {
			watch.Close(ctx)
			delete(k.painted, id)
			doubt = atspi.DoubtPlaces
		}
	}
	for _, p := range s.parts {
		watch := k.painted[p.ID]
		if watch == nil {
			doubt = atspi.DoubtPlaces
			if watch, err := d.X().Damage(ctx, p.ID); err == nil {
				k.painted[p.ID] = watch
			}
			continue
		}
		if painted, err := watch.Since(ctx); painted || err != nil {
			doubt = atspi.DoubtPlaces
		}
	}
	return doubt
}

// talkative are the toolkits whose events tell of everything a tree shows, so
// that a repainted animation is no doubt.
var talkative = map[string]bool{"gtk": true}

// trust gives the doubt about one application's tree.
func trust(app atspi.App, doubt atspi.Doubt) atspi.Doubt {
	if talkative[app.Toolkit] && doubt == atspi.DoubtPlaces {
		return atspi.DoubtNone
	}
	return doubt
}
