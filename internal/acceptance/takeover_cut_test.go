package acceptance

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vibespace/fixtures"
)

// takeoverRounds is how often a window is taken over, the verbs in turn;
// TAKEOVER_ROUNDS is another number: a hundred for a thorough run.
const takeoverRounds = 15

// howFar is how far a verb came, whatever it counts.
type howFar struct {
	Verb    string
	Partial struct {
		Chars, Keys, Notches, Points, Verbs *int
		Of                                  int
	}
	In *howFar // of a batch: the verb that was cut
}

// count gives what is counted.
func (c howFar) count(t *testing.T) int {
	t.Helper()
	for _, n := range []*int{c.Partial.Chars, c.Partial.Keys, c.Partial.Notches, c.Partial.Points, c.Partial.Verbs} {
		if n != nil {
			return *n
		}
	}
	t.Fatalf("nothing is counted: %+v", c)
	return 0
}

// cutting is a verb that a takeover cuts.
type cutting struct {
	name string
	kind byte // the events it makes
	most int  // so many of them at the least
	all  int  // what is counted when nothing cuts it
	run  func() <-chan Reply
	// done is how much of the verb the display saw, and what the program says to
	// it.
	done func(t *testing.T, n howFar)
}

// TestTakeoverCuts takes a window over at a random event of every verb, watched
// by a client that has nothing to do with ours: nothing is injected after the
// takeover has answered, no key or button stays down, the verb says how far it
// came and that is what the display and the program saw, and the session is told
// once, when it has the window again.
func TestTakeoverCuts(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	p := w.Session("a").fixture("gtk3.py")
	me, rec := w.Owner(), w.Record(t, p.window)
	notes := p.node("Notes")
	x, y := notes.Bounds.Middle()
	p.focus(notes)
	text := strings.Repeat("0123456789", 300)
	presses := func(detail byte, kind byte) int {
		n := 0
		for _, h := range rec.Of(kind) {
			if detail == 0 || h.Detail == detail {
				n++
			}
		}
		return n
	}
	xs := slices.Repeat([]string{"x"}, 200)
	verbs := []cutting{
		{name: "type", kind: keyPress, most: 500, all: len(text), run: func() <-chan Reply {
			return p.running("type", p.handle, text, "--keys", "--replace", "--no-observe", "--timeout", "60s")
		}, done: func(t *testing.T, n howFar) {
			chars := n.count(t)
			atMost(t, presses(0, keyPress)-2, chars) // ctrl+a
			if chars > 0 {
				p.log.Wait(t, fixtures.Typed("Notes", text[:chars]), seen)
			}
		}},
		{name: "key", kind: keyPress, most: 150, all: len(xs), run: func() <-chan Reply {
			return p.running(append([]string{"key", p.handle, "--no-observe"}, xs...)...)
		}, done: func(t *testing.T, n howFar) {
			atMost(t, presses(0, keyPress), n.count(t))
			p.sawKeys(t, n.count(t))
		}},
		{name: "scroll", kind: buttonPress, most: 100, all: 200, run: func() <-chan Reply {
			return p.running("scroll", p.handle, "down", "--by", "200", "--at", point(x, y), "--no-observe")
		}, done: func(t *testing.T, n howFar) {
			atMost(t, presses(5, buttonPress), n.count(t))
		}},
		{name: "drag", kind: motionNotify, most: 30, all: 2, run: func() <-chan Reply {
			return p.running("drag", p.handle, "--from", point(20, y), "--to", point(620, y), "--no-observe")
		}, done: func(t *testing.T, n howFar) {
			atMost(t, presses(1, buttonPress), min(n.count(t), 1))
		}},
		{name: "batch", kind: keyPress, most: 200, all: 20, run: func() <-chan Reply {
			line := fmt.Sprintf(`{"verb":"key","noObserve":true,"keys":["%s"]}`, strings.Join(xs[:20], `","`))
			return p.batching(slices.Repeat([]string{line}, 20)...)
		}, done: func(t *testing.T, n howFar) {
			keys := 20 * n.count(t)
			if n.In != nil {
				keys += n.In.count(t)
			}
			atMost(t, presses(0, keyPress), keys)
			p.sawKeys(t, keys)
		}},
	}
	rounds := takeoverRounds
	if n, err := strconv.Atoi(os.Getenv("TAKEOVER_ROUNDS")); err == nil {
		rounds = n
	}
	defer func() {
		if t.Failed() {
			t.Logf("the program said: %v", me.Run("logs", p.handle))
		}
	}()
	for round := range rounds {
		v := verbs[round%len(verbs)]
		at := 1 + rand.IntN(v.most)
		t.Run(fmt.Sprintf("%s/%d", v.name, at), func(t *testing.T) { p.cut(t, me, rec, v, at, round) })
	}
	p.Stop(p.handle)
}

// atMost compares what the display's record has with what is told. Xvfb leaves
// events out of a record now and then, many of them in a row, so that fewer say
// nothing; more are events that are not told.
func atMost(t *testing.T, recorded, told int) {
	t.Helper()
	if recorded > told {
		t.Errorf("%d are told, and %d happened", told, recorded)
	}
	if recorded < told {
		t.Logf("%d are told, and %d are in the record", told, recorded)
	}
}

// sawKeys waits until the program has seen so many keys, which are all.
func (p program) sawKeys(t *testing.T, keys int) {
	t.Helper()
	saw := 0
	defer func() { t.Logf("%d keys were told, and the program saw %d", keys, saw) }()
	Eventually(t, fmt.Sprintf("the program has %d keys", keys), func() bool {
		saw = 0
		for _, e := range p.log.Since() {
			if e.Kind == "key" && e.Key == "x" {
				saw++
			}
		}
		return saw == keys
	})
}

// cut takes a window over at the at-th event of a verb.
func (p program) cut(t *testing.T, me *Caller, rec *Recorder, v cutting, at, round int) {
	p.Caller, me = p.In(t), me.In(t)
	p.OK(nil, "wait", p.handle, "--idle", "100") // what the last round was slow to take
	p.log.Mark()
	rec.Forget()
	running, ended := make(chan Reply, 1), make(chan struct{})
	verb := v.run()
	go func() { defer close(ended); running <- <-verb }()
	rec.Await(v.kind, at, ended)
	note := fmt.Sprintf("round %d", round)
	me.OK(nil, "takeover", p.handle)
	answered := rec.Now()
	r := <-running
	if r.OK {
		t.Log("it was done before")
		rec.Settle()
		done := howFar{}
		done.Partial.Chars = &v.all
		v.done(t, done)
		me.OK(nil, "handback", p.handle)
		p.OK(nil, "status")
		return
	}
	if r.Code != "window_paused" || r.Details["by"] != "user" || r.Details["since"] == nil {
		t.Fatalf("cut with %v", r)
	}
	if down := rec.Down(); len(down) > 0 {
		t.Errorf("still down: %v", down)
	}
	var said struct{ Details struct{ Did howFar } }
	r.Into(t, &said)
	if said.Details.Did.Verb != v.name {
		t.Errorf("did %+v", said.Details.Did)
	}
	rec.Settle()
	v.done(t, said.Details.Did)
	for _, h := range rec.Seen() {
		if int32(h.At-answered) > 0 {
			t.Errorf("after the takeover had answered, %d: %s", answered, h)
		}
	}
	me.OK(nil, "handback", p.handle, "--note", note)
	var told struct {
		HandedBack []struct {
			Note        string
			Interrupted []struct{ Did howFar }
			Refused     []any
		}
	}
	p.OK(&told, "status")
	if len(told.HandedBack) != 1 || told.HandedBack[0].Note != note || len(told.HandedBack[0].Refused) != 0 {
		t.Fatalf("told %+v", told)
	}
	var cut []string
	for _, i := range told.HandedBack[0].Interrupted {
		cut = append(cut, i.Did.Verb)
		if i.Did.Verb == v.name && i.Did.count(t) != said.Details.Did.count(t) {
			t.Errorf("told %+v, and it was %+v", i.Did, said.Details.Did)
		}
	}
	if want := []string{v.name}; !slices.Equal(cut, want) {
		t.Errorf("told that %q were interrupted, want %q", cut, want)
	}
	r = p.OK(nil, "status")
	if strings.Contains(string(r.JSON), "handedBack") {
		t.Errorf("told twice: %v", r)
	}
}

// batching runs a batch beside the test and gives the refusal that stopped it,
// or its last answer.
func (c *Caller) batching(lines ...string) <-chan Reply {
	b := c.Start("batch", "w1", "-")
	done := make(chan Reply, 1)
	go func() {
		// A batch that is stopped reads no further.
		_, _ = io.WriteString(b.in, strings.Join(lines, "\n")+"\n")
		var r Reply
		for range lines {
			if r = b.Next(); !r.OK {
				break
			}
		}
		// Until its input ends a batch is open, and told of a takeover, also when
		// all its lines are done.
		_ = b.in.Close()
		for line := range b.lines {
			r = Reply{JSON: line}
			if err := json.Unmarshal(line, &r); err != nil {
				r.Code = err.Error()
			}
		}
		b.End()
		done <- r
	}()
	return done
}

// TestTakeoverCutsWaiting: a verb that waits, and one that reads, are cut as one
// that acts is, and so is what waits for its turn.
func TestTakeoverCutsWaiting(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	p := w.Session("a").fixture("gtk3.py")
	me, rec := w.Owner(), w.Record(t, p.window)
	p.focus(p.node("Notes"))
	Eventually(t, "a wait is cut that had begun", func() bool {
		rec.Forget()
		waits := p.running("wait", p.handle, "--title", "no such title", "--timeout", "80s")
		types := p.running("type", p.handle, strings.Repeat("x", 50_000), "--keys", "--no-observe", "--timeout", "80s")
		rec.Await(keyPress, 50, nil)
		queued := p.running("key", p.handle, "Return", "--timeout", "80s")
		me.OK(nil, "takeover", p.handle)
		answered, begun := rec.Now(), false
		for verb, running := range map[string]<-chan Reply{"wait": waits, "type": types, "key": queued} {
			r := <-running
			var said struct{ Details struct{ Did howFar } }
			r.Into(t, &said)
			if r.Code != "window_paused" || r.Details["by"] != "user" {
				t.Errorf("%s is answered %v", verb, r)
			}
			did := said.Details.Did
			if verb == "wait" {
				begun = did.Verb == verb // else its command came after the takeover
			}
			if verb == "type" && (did.Verb != verb || did.count(t) < 16) {
				t.Errorf("%s did %+v", verb, did)
			}
		}
		rec.Settle()
		for _, h := range rec.Seen() {
			if int32(h.At-answered) > 0 {
				t.Errorf("after the takeover had answered, %d: %s", answered, h)
			}
		}
		if !begun {
			me.OK(nil, "handback", p.handle)
		}
		return begun
	})
	p.Refused("window_paused", "stop", p.handle)
	me.OK(nil, "stop", p.handle)
}
