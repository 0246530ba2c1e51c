package atspi

import (
	"slices"
	"sync"

	"github.com/godbus/dbus/v5"
)

// signals hands every signal of a connection to its takers in the order of
// arrival, from the goroutine that reads the socket. godbus' own sequential
// handler queues without bound in front of a slow reader; a taker here must
// take at once (store, coalesce, drop) and never block or call the bus.
type signals struct {
	mu     sync.Mutex // guards takers; held while one takes, so that remove waits
	takers []*taker
}

// taker receives the signals of a connection.
type taker struct{ take func(*dbus.Signal) }

func newSignals() *signals { return &signals{} }

// DeliverSignal is called by godbus for each signal.
func (s *signals) DeliverSignal(_, _ string, sig *dbus.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.takers {
		t.take(sig)
	}
}

// add makes take receive every later signal until remove is called, which
// returns once take will not be called again. remove may be called more than
// once, and never from within take.
func (s *signals) add(take func(*dbus.Signal)) (remove func()) {
	t := &taker{take: take}
	s.mu.Lock()
	s.takers = append(s.takers, t)
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		s.takers = slices.DeleteFunc(s.takers, func(x *taker) bool { return x == t })
		s.mu.Unlock()
	}
}
