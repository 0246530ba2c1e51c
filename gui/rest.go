package gui

import (
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
)

// The toolkit looks for events sixty times a second whether there are any or
// not, which is a percent of a core for a window that nobody touches. These are
// the times by which its loop is made to wait instead.
const (
	// restTime is one wait. What the toolkit puts to its own loop, and we hear
	// nothing of, is as late as this at the most: trayTime where there is a
	// tray, whose menu is such a thing. longTime is one while nothing of the
	// toolkit's own moves by itself, as the mark in a field does that is written in.
	restTime = time.Second
	longTime = 5 * time.Second
	trayTime = 300 * time.Millisecond
	// turnTime is more than a turn of the loop: between waits it gets to draw.
	turnTime = 20 * time.Millisecond
	// stirTime is how long the loop turns after something of ours, livelyTime
	// after something of the person's: a second tap, a held key.
	stirTime   = 120 * time.Millisecond
	livelyTime = 2 * time.Second
	// lastTime is how long the toolkit may take to end after its loop.
	lastTime = 2 * time.Second
)

// Rest is the window system's own way to wait, of which the toolkit makes no
// use.
type Rest struct {
	// Wait waits for an event at most so long, on the goroutine that draws, and
	// handles what came.
	Wait func(time.Duration)
	// Wake ends a wait, from any goroutine.
	Wake func()
	// Drawing says whether this is the goroutine that draws. Once the loop has
	// ended, the toolkit runs what comes too late wherever that is, and there is
	// no window system left to wait for.
	Drawing func() bool
}

// rester makes the loop wait while nothing happens.
type rester struct {
	Rest
	later func(time.Duration, func()) // runs something on the goroutine that draws, after a while

	most    time.Duration // of one wait
	still   func() bool   // nothing moves by itself; nil is never
	turning func()        // is called on each turn, on the goroutine that draws; may be nil
	awake   atomic.Int64  // until when the loop turns, in nanoseconds
	resting atomic.Bool
	turned  atomic.Int64 // when the loop turned last, in nanoseconds; 0 before it begins
	ended   atomic.Int64 // when it was found to have ended; 0 while it has not
}

// newRester makes one; without a way to wait it never does.
func newRester(r Rest) *rester {
	if r.Drawing == nil {
		r.Drawing = func() bool { return true }
	}
	return &rester{Rest: r, most: restTime, later: func(d time.Duration, f func()) {
		time.AfterFunc(d, func() { fyne.Do(f) })
	}}
}

// start begins, once the loop runs.
func (r *rester) start() {
	if r.Wait != nil {
		r.turned.Store(time.Now().UnixNano())
		r.later(livelyTime, r.turn)
	}
}

// overdue says that the loop has ended and the toolkit has not. It waits for its
// last events then, and for ever when one was put to the loop just as that ended.
// It is asked now and then, from any goroutine but the one that draws.
func (r *rester) overdue() bool {
	at, now := r.turned.Load(), time.Now()
	switch ended := r.ended.Load(); {
	case at == 0 || now.Sub(time.Unix(0, at)) < longTime+lastTime:
		return false
	case ended != 0:
		return now.Sub(time.Unix(0, ended)) >= lastTime
	}
	r.later(0, func() { // where this is run tells whether there is a loop
		if !r.Drawing() {
			r.ended.CompareAndSwap(0, time.Now().UnixNano())
		}
	})
	return false
}

// stir keeps the loop turning for a while from now on.
func (r *rester) stir(d time.Duration) {
	until := time.Now().Add(d).UnixNano()
	for {
		was := r.awake.Load()
		if was >= until || r.awake.CompareAndSwap(was, until) {
			break
		}
	}
	if r.resting.Load() {
		r.Wake()
	}
}

// turn is what the loop does between its own turns: it waits, unless something
// happened a moment ago.
func (r *rester) turn() {
	if !r.Drawing() {
		return
	}
	r.turned.Store(time.Now().UnixNano())
	if r.turning != nil {
		r.turning()
	}
	if left := time.Until(time.Unix(0, r.awake.Load())); left > 0 {
		r.later(left, r.turn)
		return
	}
	r.resting.Store(true)
	most, before := r.most, time.Now()
	if most == restTime && r.still != nil && r.still() {
		most = longTime
	}
	if r.awake.Load() < before.UnixNano() { // else it was stirred since, and woke nobody
		r.Wait(most)
	}
	r.resting.Store(false)
	if stirred := r.awake.Load() > before.UnixNano(); !stirred && time.Since(before) < most {
		r.stir(livelyTime) // an event of the window's
	}
	r.later(turnTime, r.turn)
}

// do runs something on the goroutine that draws, at once. Once the toolkit has
// ended it runs what it is given wherever that is: nothing is drawn then.
func (u *ui) do(f func()) {
	fyne.Do(func() {
		if u.rest.Drawing() {
			f()
		}
	})
	u.rest.stir(stirTime)
}
