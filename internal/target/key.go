package target

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// maxChords bounds one key verb.
const maxChords = 200

// Key presses chords in order, into whatever of the window has the focus.
func (e *Engine) Key(ctx context.Context, c api.Caller, r api.KeyRequest) (api.Acted, error) {
	if len(r.Keys) == 0 || len(r.Keys) > maxChords {
		return api.Acted{}, api.Refuse(api.BadKey, "a key verb takes 1 to %d chords", maxChords).
			WithHint("key %s ctrl+s", r.Handle)
	}
	chords := make([]x11.Chord, len(r.Keys))
	for i, k := range r.Keys {
		var err error
		if chords[i], err = x11.ParseChord(k); err != nil {
			return api.Acted{}, badKey(k, err)
		}
	}
	return acting(ctx, e, c, r.Act, "key", needKeys, func(ctx context.Context, a *act) error {
		inj, why := a.d.Injector()
		if why != "" {
			return a.e.injects(a.d)
		}
		if err := inj.Reach(ctx, chords...); err != nil {
			return a.w.fault(err)
		}
		if _, err := a.holdFocus(ctx); err != nil {
			return err
		}
		a.did.By = "keys"
		a.prints = slices.ContainsFunc(r.Keys, printing)
		for i, chord := range chords {
			if err := a.stroke(ctx, chord); err != nil {
				return err
			}
			a.count(i + 1)
		}
		return nil
	}, of(len(r.Keys), keys))
}

// silent are the keys that put no character anywhere.
var silent = map[string]bool{
	"tab": true, "iso_left_tab": true, "return": true, "kp_enter": true, "enter": true, "escape": true, "esc": true,
	"up": true, "down": true, "left": true, "right": true, "home": true, "end": true, "prior": true, "next": true,
	"pageup": true, "page_up": true, "pagedown": true, "page_down": true, "backspace": true, "delete": true, "menu": true,
	"f1": true, "f2": true, "f3": true, "f4": true, "f5": true, "f6": true, "f7": true, "f8": true, "f9": true, "f10": true,
	"f11": true, "f12": true,
}

// brings are the keys that, with ctrl, put text somewhere that was elsewhere.
var brings = map[string]bool{"v": true, "y": true, "z": true, "insert": true}

// printing says whether a chord may put characters somewhere: anything but keys
// that move and commands.
func printing(chord string) bool {
	parts := strings.Split(strings.ToLower(chord), "+")
	key := parts[len(parts)-1]
	if silent[key] {
		return false
	}
	command := slices.ContainsFunc(parts[:len(parts)-1], func(m string) bool { return m != "shift" })
	return !command || brings[key]
}

// badKey refuses what is no chord.
func badKey(key string, err error) error {
	return api.Refuse(api.BadKey, "%s is no key: %v", api.Quote(key, 60), err).
		WithHint("X keysym names joined by +: ctrl+s, shift+Left, Return, F5, ctrl+plus")
}

// chord presses the chord of a name, after asking again.
func (a *act) chord(ctx context.Context, name string) error {
	chord, err := x11.ParseChord(name)
	if err != nil {
		return badKey(name, err)
	}
	return a.stroke(ctx, chord)
}

// stroke presses one chord, after asking again.
func (a *act) stroke(ctx context.Context, chord x11.Chord) error {
	if err := a.ready(ctx); err != nil {
		return err
	}
	inj, why := a.d.Injector()
	if why != "" {
		return a.e.injects(a.d)
	}
	return a.w.fault(inj.Chord(ctx, chord, a.again))
}

// focusBound is how long a window may take to get the focus it was given.
const focusBound = 1500 * time.Millisecond

// holdFocus makes sure that a window of the target has the X focus, and gives
// that window. A focus on nothing is put where a person would expect it: on
// the topmost window that is no popup.
func (a *act) holdFocus(ctx context.Context) (x11.WindowID, error) {
	if err := a.see(ctx); err != nil {
		return 0, err
	}
	if err := a.hears(ctx); err != nil {
		return 0, err
	}
	now, err := a.d.X().Focused(ctx)
	if err != nil {
		return 0, a.w.fault(err)
	}
	if a.scene.byID(now) != nil {
		return now, nil
	}
	to := a.scene.main.ID
	for _, p := range a.scene.parts {
		if p.kind == "dialog" {
			to = p.ID
		}
	}
	if err := a.again(ctx); err != nil {
		return 0, err
	}
	wait, cancel := context.WithTimeout(ctx, focusBound)
	defer cancel()
	if err := a.d.X().Focus(wait, to); err != nil {
		if errors.Is(err, x11.ErrGone) {
			return 0, a.w.fault(err)
		}
		return 0, api.Refuse(api.WindowNotVisible, "%s does not take the focus", a.w.handle).
			WithHint("vibespace-window list says whether it is visible")
	}
	return to, nil
}

// hears refuses keys for a GTK 3 application whose tree is silent because one of
// its actions runs a dialog. Its accessibility bridge asks the registry about
// every key, the answer cannot come before the dialog is closed, and the
// application never wakes up again. The pointer does no harm.
func (a *act) hears(ctx context.Context) error {
	if a.d.BusEnded() != "" {
		return nil // its bridge is told at once that nobody is there
	}
	apps, err := a.w.registered(ctx, a.d)
	if err != nil {
		return a.w.fault(err)
	}
	for _, app := range apps {
		if app.Toolkit != "gtk" {
			continue
		}
		if err := a.d.Access().Responds(ctx, app.Root); errors.Is(err, atspi.ErrNoReply) {
			return api.Refuse(api.NotResponding, "%s does not answer, and keys would freeze it for good", a.w.app).
				WithHint("a dialog it runs is open or it is busy: answer it with the pointer, click %s --at X,Y", a.w.handle).
				With("windows", a.scene.list())
		}
	}
	return nil
}

// registered is who is on the bus, asked anew when nobody was known.
func (w *window) registered(ctx context.Context, d *display.Display) (map[string]atspi.App, error) {
	w.mu.Lock()
	apps := w.apps
	w.mu.Unlock()
	if len(apps) > 0 {
		return apps, nil
	}
	list, err := d.Access().Apps(ctx)
	if err != nil {
		return nil, err
	}
	w.meet(list)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.apps, nil
}

// guard is asked between the characters of a burst: may it go on, and does the
// window that had the focus when it began still have it.
func (a *act) guard(ctx context.Context, into x11.WindowID) error {
	if err := a.again(ctx); err != nil {
		return err
	}
	now, err := a.d.X().Focused(ctx)
	if err != nil {
		return a.w.fault(err)
	}
	if now == into {
		return nil
	}
	refusal := api.Refuse(api.Occluded, "the focus left window %d while typing", a.partNumber(into)).
		WithHint("look at what appeared: vibespace-window snapshot %s", a.w.handle)
	if s, err := a.w.look(ctx, a.d); err == nil {
		if p := s.byID(now); p != nil {
			refusal = refusal.With("by", api.Part{N: p.n, Kind: p.kind, Title: p.Title, Bounds: s.local(p.Geometry)})
		}
	}
	return refusal
}

// partNumber is the number of a window of the target.
func (a *act) partNumber(id x11.WindowID) int {
	if p := a.scene.byID(id); p != nil {
		return p.n
	}
	return 0
}
