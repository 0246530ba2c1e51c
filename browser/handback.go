package browser

import (
	"fmt"
	"strings"

	"vibespace/internal/api"
)

// meanwhile is what a session is told once the person has handed a browser
// back: what they interrupted and refused, and their note.
type meanwhile struct {
	interrupted []string
	refused     map[string]int
	note        string
}

// awayLocked gives a session's record, made if there is none.
func (r *running) awayLocked(session api.SessionID) *meanwhile {
	m := r.away[session]
	if m == nil {
		m = &meanwhile{refused: map[string]int{}}
		r.away[session] = m
	}
	return m
}

// interrupted notes a verb that the takeover cut.
func (r *running) interrupted(session api.SessionID, verb string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.awayLocked(session)
	m.interrupted = append(m.interrupted, verb)
}

// refused notes a verb that was refused while the person drove.
func (r *running) refused(session api.SessionID, verb string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awayLocked(session).refused[verb]++
}

// handedBack notes that the person gave the browser back: every session that
// has a tab there is to be told, each of its own.
func (e *Engine) handedBack(r *running, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, session := range r.owner {
		m := r.awayLocked(session)
		m.note = note
		r.unseen[session] = true
	}
}

// lookedAt notes that a session was told refs since the person drove.
func (r *running) lookedAt(session api.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unseen, session)
}

// handback tells a session once how things stand after a takeover: the page,
// what was interrupted, what was refused, the note.
func (v *visit) handback(head api.PageAnswer) []string {
	v.run.mu.Lock()
	defer v.run.mu.Unlock()
	m := v.run.away[v.seat.session]
	if m == nil {
		return nil
	}
	delete(v.run.away, v.seat.session)
	said := "the person drove " + string(v.seat.Handle) + " and handed it back"
	if head.URL != "" {
		said += "; it shows " + head.URL
	}
	if m.note != "" {
		said += "; their note: " + api.Quote(m.note, 0)
	}
	if len(m.interrupted) > 0 {
		said += "; interrupted: " + strings.Join(m.interrupted, ", ")
	}
	words := []string{}
	for verb, n := range m.refused {
		words = append(words, fmt.Sprintf("%s (%d times)", verb, n))
	}
	if len(words) > 0 {
		said += "; refused meanwhile: " + strings.Join(words, ", ")
	}
	return []string{said + "; take a snapshot before you act"}
}
