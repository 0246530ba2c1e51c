package lease

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// model is what a lease is, said as plainly as it can be: for one handle, who
// has it, when they used it, and whether the person drives.
type model struct {
	t     *rapid.T
	db    *store.DB
	h     api.Handle
	table *Table
	now   time.Time

	holder api.SessionID
	used   time.Time
	user   bool
	epoch  uint64
	// given is every lease that was ever given, the last one for each epoch.
	given []Lease
}

// TestNeverTwoHolders runs random sequences of everything that can happen to a
// handle, a restart of the daemon included, against the model: at no time do
// the leases of two sessions stand, and every refusal is the one it must be.
func TestNeverTwoHolders(t *testing.T) {
	t.Parallel()
	_, db := opened(t, t.TempDir())
	rapid.Check(t, func(rt *rapid.T) {
		h, err := db.NextHandle(t.Context()) // each run has a handle nothing happened to
		if err != nil {
			rt.Fatal(err)
		}
		m := &model{t: rt, db: db, h: h, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		m.open()
		session := func() api.SessionID { return rapid.SampledFrom([]api.SessionID{"a", "b", "c"}).Draw(rt, "session") }
		rt.Repeat(map[string]func(*rapid.T){
			"take":     func(*rapid.T) { m.take(session()) },
			"drop":     func(*rapid.T) { m.drop(session()) },
			"hold":     func(*rapid.T) { m.hold(session()) },
			"use":      func(*rapid.T) { m.use() },
			"end hold": func(*rapid.T) { m.endHold() },
			"takeover": func(*rapid.T) { m.input(m.table.Takeover, true) },
			"handback": func(*rapid.T) { m.input(m.table.Handback, false) },
			"wait": func(rt *rapid.T) {
				m.now = m.now.Add(time.Duration(rapid.IntRange(0, 20).Draw(rt, "minutes")) * time.Minute)
			},
			"restart": func(*rapid.T) { m.open() },
			"":        func(*rapid.T) { m.check() },
		})
	})
}

// open opens the table as a new daemon does; leases begin unused for no time.
func (m *model) open() {
	var err error
	if m.table, err = Open(m.t.Context(), m.db, Config{Now: func() time.Time { return m.now }}); err != nil {
		m.t.Fatal(err)
	}
	m.used = m.now
}

// want compares a refusal with the model's.
func (m *model) want(err error, code api.Code) {
	m.t.Helper()
	if got := api.CodeOf(err); got != code || (err != nil && got == "") {
		m.t.Fatalf("got %v, want %q", err, code)
	}
}

// refusal is the model's answer to whoever says they hold it.
func (m *model) refusal(s api.SessionID) api.Code {
	switch {
	case m.holder == "":
		return api.NotAttached
	case m.holder != s:
		return api.Held
	case m.user:
		return api.WindowPaused
	}
	return ""
}

func (m *model) take(s api.SessionID) {
	code := api.Code("")
	free := m.holder == "" || m.holder == s || (!m.user && m.now.Sub(m.used) >= DefaultLapse)
	if !free {
		code = api.Held
	}
	l, err := m.table.Take(m.t.Context(), m.h, s)
	m.want(err, code)
	if !free {
		return
	}
	if m.holder != s {
		m.holder, m.epoch = s, m.epoch+1
		m.given = append(m.given, l)
	}
	m.used = m.now
	if l.Holder != s || l.Epoch != m.epoch {
		m.t.Fatalf("given %+v, want epoch %d", l, m.epoch)
	}
}

func (m *model) drop(s api.SessionID) {
	code := m.refusal(s)
	if code == api.WindowPaused {
		code = "" // giving back what is paused is no act
	}
	m.want(m.table.Drop(m.t.Context(), m.h, s), code)
	if code == "" {
		m.holder, m.epoch = "", m.epoch+1
	}
}

func (m *model) hold(s api.SessionID) {
	_, err := m.table.Hold(m.h, s)
	code := m.refusal(s)
	m.want(err, code)
	if code == "" {
		m.used = m.now
	}
}

// use uses some lease that was once given.
func (m *model) use() {
	if len(m.given) == 0 {
		return
	}
	l := rapid.SampledFrom(m.given).Draw(m.t, "lease")
	code := m.refusal(l.Holder)
	if m.holder == l.Holder && l.Epoch != m.epoch {
		code = api.NotAttached
	}
	m.want(m.table.Use(l), code)
	if code == "" {
		m.used = m.now
	}
}

func (m *model) endHold() {
	who, err := m.table.EndHold(m.t.Context(), m.h)
	m.want(err, "")
	if who != m.holder {
		m.t.Fatalf("ended the hold of %q, want %q", who, m.holder)
	}
	if m.holder != "" {
		m.holder, m.epoch = "", m.epoch+1
	}
}

func (m *model) input(change func(context.Context, api.Handle, string) (State, error), user bool) {
	_, err := change(m.t.Context(), m.h, "app")
	m.want(err, "")
	if m.user && !user {
		m.used = m.now
		m.epoch++
		if l, err := m.table.Hold(m.h, m.holder); err == nil && m.holder != "" {
			m.given = append(m.given, l)
		}
	}
	m.user = user
}

// check holds the table against the model: of all leases ever given at most
// the model's one stands.
func (m *model) check() {
	s := m.table.State(m.h)
	if s.Holder != m.holder || s.Epoch != m.epoch || (s.Input == InputUser) != m.user {
		m.t.Fatalf("%+v, want holder %q, epoch %d, user %v", s, m.holder, m.epoch, m.user)
	}
	used := s.LastUsed
	for _, l := range m.given {
		stands := m.table.Use(l) == nil
		if should := l.Holder == m.holder && l.Epoch == m.epoch && !m.user; stands != should {
			m.t.Fatalf("%+v stands: %v, want %v", l, stands, should)
		}
	}
	m.table.mu.Lock() // looking must not count as using
	if e := m.table.states[m.h]; e != nil {
		e.LastUsed = used
	}
	m.table.mu.Unlock()
}
