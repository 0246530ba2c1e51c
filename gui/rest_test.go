package gui

import (
	"testing"
	"time"

	"vibespace/gui/state"
)

// TestRest: the loop waits while nothing happens, what is to be drawn ends a
// wait, and after an event the loop turns as it always did.
func TestRest(t *testing.T) {
	waits, wakes, drawing := 0, 0, true
	var during func()
	var due time.Duration
	r := newRester(Rest{Wait: func(most time.Duration) {
		if waits++; during != nil {
			during()
			return
		}
		time.Sleep(most)
	}, Wake: func() { wakes++ }, Drawing: func() bool { return drawing }})
	r.later = func(d time.Duration, _ func()) { due = d }
	turns := 0
	r.turning = func() { turns++ }
	r.start()
	if due != livelyTime || waits > 0 {
		t.Fatalf("it begins with %d waits, the first turn after %v", waits, due)
	}
	r.turn()
	if waits != 1 || turns != 1 || due != turnTime || r.resting.Load() {
		t.Fatalf("with nothing to do it waited %d times, and turns after %v", waits, due)
	}

	// It waits longer while nothing moves by itself, unless there is a tray.
	var most time.Duration
	wait := r.Wait
	r.Wait, r.still = func(d time.Duration) { most = d }, func() bool { return true }
	for tray, want := range map[time.Duration]time.Duration{restTime: longTime, trayTime: trayTime} {
		r.most = tray
		if r.turn(); most != want {
			t.Errorf("a wait of %v, not %v", most, want)
		}
		r.awake.Store(0)
	}
	r.Wait, r.most, r.still = wait, restTime, nil

	// Something of ours comes in the middle of a wait.
	during = func() { r.stir(stirTime) }
	r.turn()
	if waits != 2 || wakes != 1 {
		t.Errorf("%d waits, and %d were ended by what is to be drawn", waits, wakes)
	}
	r.turn()
	if waits != 2 || due <= 0 || due > stirTime {
		t.Errorf("after that it waits again, or turns on after %v", due)
	}

	// An event ends one: a second tap may follow.
	r.awake.Store(0)
	during = func() {}
	r.turn()
	r.turn()
	if waits != 3 || wakes != 1 || due <= stirTime || due > livelyTime {
		t.Errorf("after an event: %d waits, %d wakes, it turns on after %v", waits, wakes, due)
	}

	// What comes after the end of the loop ends there.
	r.awake.Store(0)
	drawing, due = false, 0
	r.turn()
	if waits != 3 || due != 0 {
		t.Errorf("after the end: %d waits, and it turns on after %v", waits, due)
	}
}

// TestOverdue: a loop that turns is not over, nor is one that stands still and is
// there; one that has ended is when the toolkit has had its time, and no sooner.
func TestOverdue(t *testing.T) {
	drawing, loop := true, func(f func()) { f() }
	r := newRester(Rest{Wait: func(time.Duration) {}, Wake: func() {}, Drawing: func() bool { return drawing }})
	var asked []time.Duration
	r.later = func(d time.Duration, f func()) {
		if d == 0 {
			asked = append(asked, d)
			loop(f)
		}
	}
	before := func(d time.Duration) int64 { return time.Now().Add(-d).UnixNano() }
	if r.overdue() || len(asked) > 0 {
		t.Fatal("over before it began")
	}
	r.start()
	if r.overdue() || len(asked) > 0 {
		t.Fatal("over while it turns")
	}
	r.turned.Store(before(longTime + lastTime))
	for range 2 {
		if r.overdue() {
			t.Fatal("a loop that stands still is over")
		}
	}
	if len(asked) != 2 {
		t.Fatalf("it was asked %d times whether there is a loop", len(asked))
	}
	loop = func(func()) {} // what is put to it is not run
	if r.overdue() {
		t.Fatal("a loop that runs nothing is over")
	}
	drawing, loop = false, func(f func()) { f() }
	for range 2 {
		if r.overdue() {
			t.Fatal("over at once: the toolkit has its last events")
		}
	}
	r.ended.Store(before(lastTime))
	if !r.overdue() {
		t.Fatal("it is never over")
	}
}

// TestRestIsEndedByWhatIsShown: whatever is run on the goroutine that draws
// wakes it.
func TestRestIsEndedByWhatIsShown(t *testing.T) {
	u := newTestUI(t, "en")
	wakes, ran := 0, false
	u.rest = newRester(Rest{Wait: func(time.Duration) {}, Wake: func() { wakes++ }})
	u.rest.resting.Store(true)
	u.do(func() { ran = true })
	if !ran || wakes != 1 {
		t.Errorf("it ran: %v, and woke %d times", ran, wakes)
	}
}

// TestNothingIsDrawnAfterTheEnd: what the toolkit runs beside the goroutine that
// draws, since its loop has ended, touches no widget.
func TestNothingIsDrawnAfterTheEnd(t *testing.T) {
	u := newTestUI(t, state.English)
	drawing, drew := true, 0
	u.rest.Drawing = func() bool { return drawing }
	u.do(func() { drew++ })
	drawing = false
	u.do(func() { drew++ })
	if drew != 1 {
		t.Errorf("it drew %d times", drew)
	}
}
