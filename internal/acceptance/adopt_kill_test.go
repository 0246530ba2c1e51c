package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// killRounds is how often the daemon is killed; KILL_ROUNDS is another
// number, for a soak.
const killRounds = 10

// killed is one run of kills: a terminal that writes down every byte it gets,
// and a window with a tree.
type killed struct {
	t     *testing.T
	w     *World
	a     *Caller
	rng   *rand.Rand
	term  Window
	file  string
	gtk   program
	rec   *Recorder
	typed string         // what the terminal has, as of the last look
	done  map[string]int // verbs that were answered as done
	open  map[string]int // verbs that were cut
	cut   map[string]int // verbs that were cut after the terminal had something of them
	sent  int
}

// TestAdoptAtRandomMoments kills the daemon at random moments of random verbs.
// Every window comes back as it was, nothing is down, the terminal has exactly
// a beginning of what was typed, and the audit has a row for every verb that
// was answered.
func TestAdoptAtRandomMoments(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	rounds := killRounds
	if n, err := strconv.Atoi(os.Getenv("KILL_ROUNDS")); err == nil {
		rounds = n
	}
	w := NewWorld(t)
	before := w.Count()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	k := &killed{
		t: t, w: w, a: w.Session("agent"), rng: rand.New(rand.NewPCG(seed, 1)), file: w.File("typed"),
		done: map[string]int{}, open: map[string]int{}, cut: map[string]int{},
	}
	k.term = k.a.Open("xterm", "--size", "800x600", "--", "-e", "sh", "-c", "stty raw -echo; exec cat > "+k.file)
	k.gtk = k.a.fixture("gtk3.py")
	k.rec = w.Record(t, k.term)
	for n := range rounds {
		k.round(n)
	}
	k.audited()
	k.a.Stop(k.term.Handle)
	k.a.Stop(k.gtk.handle)
	w.Clean(t, before)
}

// verbs are those that are cut, each with the arguments of one call.
func (k *killed) verbs() map[string][]string {
	k.sent++
	text := fmt.Sprintf("<%d:%s>", k.sent, strings.Repeat("aB3-é", 10+k.rng.IntN(60)))
	return map[string][]string{
		"type":       {"type", k.term.Handle, text},
		"key":        {"key", k.term.Handle, "shift+X", "ctrl+b", "y"},
		"drag":       {"drag", k.term.Handle, "--from", "10,10", "--to", "300,200"},
		"screenshot": {"screenshot", k.term.Handle},
		"snapshot":   {"snapshot", k.gtk.handle},
		"click":      {"click", k.gtk.handle, "--at", "5,5"},
	}
}

// sends is what the terminal gets of a verb.
func sends(verb string, args []string) string {
	switch verb {
	case "type":
		return args[2]
	case "key":
		return "X\x02y"
	}
	return ""
}

// round starts a verb, kills the daemon somewhere in it, and looks at what the
// next one makes of it.
func (k *killed) round(n int) {
	t := k.t
	verbs := k.verbs()
	names := make([]string, 0, len(verbs))
	for name := range verbs {
		names = append(names, name)
	}
	slices.Sort(names)
	verb := names[k.rng.IntN(len(names))]
	if n%2 == 0 {
		verb = "type" // the one with the most in it
	}
	args := verbs[verb]
	driven := n%5 == 4
	if driven {
		k.w.Owner().OK(nil, "takeover", k.term.Handle)
	}
	pid := k.w.daemonPID()
	answer := make(chan Reply, 1)
	go func() {
		answer <- k.w.run(k.w.program("vibespace-window"), append(slices.Clip(k.w.env), k.a.env...), nil, append([]string{"--json"}, args...))
	}()
	time.Sleep(time.Duration(k.rng.IntN(400)) * time.Millisecond)
	k.w.kill(pid)
	r := <-answer
	r.Into(t, &r)
	t.Logf("round %d: %s: exit %d, %s", n, verb, r.Status, r.Code)
	// A command that was late found no daemon and started the next.
	if r.OK {
		k.done[verb]++
	} else {
		k.open[verb]++
	}
	began := time.Now()
	for _, was := range []Window{k.term, k.gtk.window} {
		k.back(was, driven && was.Handle == k.term.Handle)
	}
	t.Logf("back after %v", time.Since(began).Round(time.Millisecond))
	if down := k.rec.Down(); len(down) > 0 {
		t.Errorf("round %d, %s: %v are down", n, verb, down)
	}
	if driven {
		k.a.Refused("window_paused", "key", k.term.Handle, "z")
		k.w.Owner().OK(nil, "handback", k.term.Handle)
	}
	// It takes keys as before, after everything that was on its way.
	k.a.Act("type", k.term.Handle, "!")
	k.done["type"]++
	if got := k.compare(sends(verb, args), r.OK); got != "" && !r.OK && got != sends(verb, args) {
		k.cut[verb]++
	}
}

// back checks that a window came back as it was.
func (k *killed) back(was Window, driven bool) {
	k.t.Helper()
	is, input := k.a.back(was.Handle), "agent"
	if driven {
		input = "user"
	}
	if is.State != "ready" || is.PID != was.PID || is.Holder == nil || *is.Holder != "agent" || is.Input != input || is.Size != was.Size {
		k.t.Errorf("came back as %+v, was %+v", is, was)
	}
}

// compare checks that the terminal got a beginning of what was sent since the
// last look, all of it when the verb was answered as done, and then the mark that
// was typed after it. It gives what came before the mark.
func (k *killed) compare(sent string, whole bool) string {
	k.t.Helper()
	const mark = "!"
	var text string
	Eventually(k.t, "the terminal got the mark", func() bool {
		raw, err := os.ReadFile(k.file)
		text = string(raw)
		return err == nil && len(text) > len(k.typed) && strings.HasSuffix(text, mark)
	})
	got := strings.TrimSuffix(strings.TrimPrefix(text, k.typed), mark)
	if !strings.HasPrefix(text, k.typed) || !strings.HasPrefix(sent, got) || whole && got != sent {
		k.t.Errorf("after %.60q the terminal got %q, which is no beginning of %q, or not all of it: %v", k.typed, got, sent, whole)
	}
	k.typed = text
	return got
}

// audited checks that every verb that was answered as done has its row, and
// that none has one that was not even begun.
func (k *killed) audited() {
	k.t.Helper()
	count := map[string]int{}
	for _, h := range []string{k.term.Handle, k.gtk.handle} {
		var said struct{ Rows []row }
		k.w.Owner().OK(&said, "audit", "--handle", h, "--limit", "5000")
		for _, r := range said.Rows {
			if r.Session == "agent" && r.Verdict == "ok" {
				count[r.Verb]++
			}
			if r.Session == "agent" && r.Verdict == "unreachable" {
				k.cut[r.Verb]--
			}
		}
	}
	for _, verb := range []string{"type", "key", "drag", "screenshot", "snapshot", "click"} {
		if n := count[verb]; n < k.done[verb] || n > k.done[verb]+k.open[verb] {
			k.t.Errorf("%s: %d rows for %d done and %d cut", verb, n, k.done[verb], k.open[verb])
		}
		if k.cut[verb] > 0 {
			k.t.Errorf("%s: %d acts that had begun when the daemon died have no row", verb, k.cut[verb])
		}
	}
}
