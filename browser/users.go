package browser

import (
	"slices"
	"time"

	"vibespace/internal/api"
)

// hold marks a browser used by a session's verb, until the function it gives is
// called.
func (r *running) hold(session api.SessionID) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leftLocked(session)
	r.users = append(r.users, session)
	r.busy++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.busy--
		r.used = time.Now()
	}
}

// holder is the session that used the browser last and still has it.
func (r *running) holder() api.SessionID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.users) == 0 {
		return ""
	}
	return r.users[len(r.users)-1]
}

// othersThan says whether sessions beside one have the browser.
func (r *running) othersThan(session api.SessionID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.users, func(s api.SessionID) bool { return s != session })
}

// left notes that a session has the browser no more.
func (r *running) left(session api.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leftLocked(session)
}

// leftLocked is left for who holds mu.
func (r *running) leftLocked(session api.SessionID) {
	r.users = slices.DeleteFunc(r.users, func(s api.SessionID) bool { return s == session })
}
