package target

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/x11"
)

// fault gives an error of the tree or of X as a refusal in a window's words.
// The end of the window itself is said first: it explains every other fault.
func (w *window) fault(err error) error {
	if err == nil || api.CodeOf(err) != "" || errors.Is(err, context.Canceled) {
		return err
	}
	d, gone := w.live()
	if gone != nil {
		return gone
	}
	if why := d.BusEnded(); why != "" && (errors.Is(err, atspi.ErrNoReply) || errors.Is(err, atspi.ErrGone) || errors.Is(err, atspi.ErrClosed)) {
		return api.Refuse(api.NoTree, "%s has no tree any more: %s", w.handle, why).
			WithHint("vibespace-window screenshot %s; key and click --at work: save what is in it, then open it anew", w.handle)
	}
	if refusal := w.treeFault(err); refusal != nil {
		return refusal
	}
	if refusal := w.xFault(err); refusal != nil {
		return refusal
	}
	return fmt.Errorf("%s: %w", w.handle, err)
}

// treeFault is the refusal of a fault of the accessibility bus.
func (w *window) treeFault(err error) *api.Error {
	switch {
	case errors.Is(err, atspi.ErrNoReply), errors.Is(err, context.DeadlineExceeded):
		return api.Refuse(api.NotResponding, "%s does not answer", w.app).
			WithHint("vibespace-window screenshot %s; it may be busy, or wait in a dialog that an act by the tree opened: "+
				"click --at X,Y answers that, and opened by its shortcut (key) it can be read", w.handle)
	case errors.Is(err, atspi.ErrGone), errors.Is(err, atspi.ErrClosed):
		return api.Refuse(api.NotResponding, "%s went away while it was asked", w.app).WithHint("vibespace-window list")
	case errors.Is(err, atspi.ErrUnsupported), errors.Is(err, atspi.ErrRefused):
		return api.Refuse(api.NoAction, "%s refused: %s", w.app, short(err)).
			WithHint("vibespace-window get %s @e1 all shows what a node can do", w.handle)
	}
	return nil
}

// xFault is the refusal of a fault of the X server.
func (w *window) xFault(err error) *api.Error {
	switch {
	case errors.Is(err, x11.ErrGone):
		return api.Refuse(api.NotResponding, "the display of %s went away", w.app).WithHint("vibespace-window list")
	case errors.Is(err, x11.ErrTooLong):
		return api.Refuse(api.TextTooLong, "%s", short(err)).WithHint("take it in pieces")
	case errors.Is(err, x11.ErrNotViewable):
		return notDrawn(w.handle)
	case errors.Is(err, x11.ErrBadPoint):
		return api.Refuse(api.OutsideWindow, "the pointer cannot go there: %s", short(err)).
			WithHint("vibespace-window screenshot %s", w.handle)
	case errors.Is(err, x11.ErrBadKey), errors.Is(err, x11.ErrNoKey), errors.Is(err, x11.ErrModifiers):
		return api.Refuse(api.BadKey, "it cannot be pressed: %s", short(err)).WithHint("take keys the layout has: ctrl, shift, alt, super; Return, Left, F5, a")
	case errors.Is(err, x11.ErrControlChar), errors.Is(err, x11.ErrNotUTF8):
		return api.Refuse(api.ControlChar, "%s", short(err)).WithHint("press keys with key")
	}
	return nil
}

// persons gives the person's command for one of an agent's, in hints; what they
// have no command for they look at.
var persons = strings.NewReplacer(
	"vibespace-window list", "vibespace list", "vibespace-window open", "vibespace launch",
	"vibespace-window stop", "vibespace stop", "vibespace-window size", "vibespace size",
	"vibespace-window snapshot", "vibespace watch", "vibespace-window screenshot", "vibespace watch",
)

// forPerson gives a refusal with a hint that names the person's own commands.
func forPerson(err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	theirs := *e
	theirs.Hint = persons.Replace(e.Hint)
	return &theirs
}

// short is an error's own words, cut.
func short(err error) string {
	s := []rune(err.Error())
	if len(s) > 200 {
		return string(s[:200]) + "…"
	}
	return string(s)
}
