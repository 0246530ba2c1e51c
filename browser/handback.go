package browser

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vibespace/internal/api"
)

// meanwhile is what a session is told once the person has handed a browser
// back: what they interrupted and refused, and their note.
type meanwhile struct {
	interrupted []string
	refused     map[string]int
	note        string
	back        bool // they have handed it back since
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

// interrupted notes a verb that the takeover cut; over says that it is handed
// back already.
func (r *running) interrupted(session api.SessionID, verb string, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.awayLocked(session)
	m.back = m.back || over
	m.interrupted = append(m.interrupted, verb)
}

// refused notes a verb that was refused while the person drove.
func (r *running) refused(session api.SessionID, verb string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awayLocked(session).refused[verb]++
}

// handedBack notes that the person gave the browser back: every session that
// has a tab there, or was refused meanwhile, is to be told, each of its own.
func (e *Engine) handedBack(r *running, note string) {
	r.sights.forget()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, session := range r.owner {
		r.awayLocked(session)
		r.unseen[session] = true
	}
	for _, m := range r.away {
		m.back, m.note = true, note
	}
}

// stoppedByPerson ends a browser that the person stops, and leaves a notice to
// every session that has it. One that is just being started is left to the end
// of its display, which its start sees.
func (e *Engine) stoppedByPerson(ctx context.Context, r *running) {
	r.mu.Lock()
	users, phase := slices.Clone(r.users), r.phase
	if phase == isUp {
		r.phase = stopping // the sessions' verbs see nothing else from here on
	}
	r.mu.Unlock()
	if phase == stopping || phase == stopped {
		users = nil // it was ending by itself
	}
	said := fmt.Sprintf("the person stopped %s (%s): its tabs are gone; vibespace-browser open <url> starts it anew", r.seat.Handle, r.seat.Label)
	for _, session := range users {
		if err := e.cfg.Store.AddNotice(context.WithoutCancel(ctx), session, said, time.Now().UTC()); err != nil {
			e.cfg.Log.Warn("a notice could not be left", "session", session, "err", err)
		}
	}
	if phase != starting {
		e.stop(ctx, r)
	}
}

// lookedAt notes that a session was told refs since the person drove.
func (r *running) lookedAt(session api.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unseen, session)
}

// handback tells a session once how things stand after a takeover, with its next
// answer or refusal: the page, what was interrupted, what was refused, the note.
// While the person drives it says nothing.
func (v *visit) handback(head api.PageAnswer) []string {
	v.run.mu.Lock()
	defer v.run.mu.Unlock()
	m := v.run.away[v.seat.session]
	if m == nil || !m.back || v.e.driven(v.seat.Handle) {
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
	for _, verb := range slices.Sorted(maps.Keys(m.refused)) {
		times := "time"
		if m.refused[verb] > 1 {
			times = "times"
		}
		words = append(words, fmt.Sprintf("%s (%d %s)", verb, m.refused[verb], times))
	}
	if len(words) > 0 {
		said += "; refused meanwhile: " + strings.Join(words, ", ")
	}
	return []string{said + "; take a snapshot before you act"}
}
