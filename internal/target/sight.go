package target

import (
	"vibespace/atspi"
	"vibespace/internal/api"
)

// sight is what the last reading of a window told of where things lie: enough
// to know what of a picture must not be kept. It is taken from readings that are
// done anyway, so that it costs an act nothing.
type sight struct {
	// read is false until there was one; acts is how many acts had reached the
	// window before it began.
	read bool
	acts uint64
	// places are the elements a person can see, in window coordinates.
	places map[atspi.Ref]api.Rect
	// focus are those that have the keyboard focus; secret says that one of them
	// is a password field, secrets lists the password fields there are.
	focus   []atspi.Ref
	secret  bool
	secrets []atspi.Ref
}

// sighted keeps what a reading tells, unless a later one was kept already.
func (w *window) sighted(r *reading, acts uint64) {
	s := sight{read: true, acts: acts, places: make(map[atspi.Ref]api.Rect, len(r.items))}
	for _, it := range r.items {
		if it.seen && it.bounds != nil {
			s.places[it.id] = *it.bounds
		}
		if it.role == atspi.RolePasswordText {
			s.secrets = append(s.secrets, it.id)
		}
		if it.has.Has(atspi.StateFocused) && it.parent != nil {
			s.focus = append(s.focus, it.id)
			s.secret = s.secret || it.role == atspi.RolePasswordText
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.acts >= w.sight.acts {
		w.sight, w.moved = s, w.moved && s.acts < w.acts
	}
}

// mask is what of a picture is filled in before it is kept, in window
// coordinates.
type mask struct {
	whole bool
	boxes []api.Rect
	// none is why the picture is not kept at all, "" when it is.
	none string
	// unsure is set when nothing was read since the last act, or ever, and nothing
	// was done that moves the focus: the next reading may know better.
	unsure bool
	// note says what was filled and why.
	note string
}

// The notes of a trace.
const (
	noteSecret  = "no picture: a password field has the focus"
	noteUnknown = "no picture: whether a password field had the focus is not known"
	noteWhole   = "filled in: something was typed, and where it shows is not known"
	noteBoxes   = "filled in: what was typed into"
)

// mask is what must not be kept of a picture that is taken now.
func (w *window) mask() mask {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sight
	fresh := s.read && s.acts == w.acts
	var m mask
	switch {
	case fresh && s.secret:
		m.none = noteSecret
	case !fresh && len(s.secrets) > 0 && (w.moved || s.secret):
		m.none = noteUnknown
	case w.veiled, !fresh && len(w.veils) > 0:
		m.whole, m.note = true, noteWhole
	}
	m.unsure = !fresh
	for _, id := range s.secrets {
		if box, ok := s.places[id]; ok {
			m.boxes = append(m.boxes, box)
		}
	}
	for id := range w.veils {
		if box, ok := s.places[id]; ok && !m.whole {
			m.boxes, m.note = append(m.boxes, box), noteBoxes
		}
	}
	return m
}

// maxVeils bounds the elements that are remembered as typed into: beyond it the
// whole window counts as one.
const maxVeils = 200

// veil remembers that something was typed into an element: no picture that is
// kept shows it from now on. Without an element it is the whole window.
func (w *window) veil(ids []atspi.Ref) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(ids) == 0 {
		w.veiled = true
		return
	}
	if w.veils == nil {
		w.veils = map[atspi.Ref]bool{}
	}
	for _, id := range ids {
		w.veils[id] = true
	}
	w.veiled = w.veiled || len(w.veils) > maxVeils
}

// focusNow gives the elements that have the keyboard focus, as far as the last
// reading knows, and whether nothing was done since.
func (w *window) focusNow() ([]atspi.Ref, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sight.focus, w.sight.read && w.sight.acts == w.acts
}

// placeOf gives where an element was seen last.
func (w *window) placeOf(id atspi.Ref) (api.Rect, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	box, ok := w.sight.places[id]
	return box, ok
}

// touched counts an act that reaches the window: what was read before it is
// old. An element's own action leaves the keyboard focus where it is; keys and
// the pointer may move it.
func (w *window) touched(by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acts++
	w.moved = w.moved || by != "tree"
}

// actsSoFar is how many acts have reached the window.
func (w *window) actsSoFar() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acts
}

// secretNow says whether the last reading found the keyboard focus in a password
// field.
func (w *window) secretNow() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sight.secret
}
