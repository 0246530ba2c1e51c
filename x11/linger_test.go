package x11

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLateActsEndInTime: a caller whose time is over hears nothing after nine
// tenths of a second more. What is under way and letting go of it fit into that,
// each waited for once; after a cancel there is more time.
func TestLateActsEndInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 3 * time.Second
		began := time.Now()
		ended := func(what string, want time.Duration) {
			t.Helper()
			if took := time.Since(began); took != want {
				t.Errorf("%s ended after %v, and not %v", what, took, want)
			}
			began = time.Now()
		}
		hung := func() *Injector { // as what is on its way to a server that hangs
			return &Injector{c: &Conn{done: make(chan struct{})}, stray: make(chan struct{})}
		}

		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		if err := hung().press(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a press: %v", err)
		}
		ended("a press", limit)
		tail, stop := lingering(ctx)
		defer stop()
		<-tail.Done()
		ended("what is under way", lateTime)
		if err := hung().letGo(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("letting go: %v", err)
		}
		ended("letting go", lateTime)

		given, cancel := context.WithCancel(t.Context())
		cancel()
		tail, stop = lingering(given)
		defer stop()
		<-tail.Done()
		ended("what is under way at a cancel", linger)
		if err := hung().letGo(given); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("letting go after a cancel: %v", err)
		}
		ended("letting go after a cancel", releaseTime)
	})
	if 2*lateTime >= 900*time.Millisecond {
		t.Errorf("twice %v is too late", lateTime)
	}
}

// TestKeysAreMappedBySlowServer: a server that does not answer for a while, as on
// a busy machine, is waited for as long as the verb has time.
func TestKeysAreMappedBySlowServer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	i := r.injector()
	r.signalServer(stopSignal)
	time.AfterFunc(releaseTime*3/2, func() { r.signalServer(continueSignal) })
	if err := i.mapKeys(soon(t), nil); err != nil {
		t.Errorf("the keys are not mapped: %v", err)
	}
}
