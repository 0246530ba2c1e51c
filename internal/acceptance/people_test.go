package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// running runs a verb beside the test and gives its reply when it has one.
func (c *Caller) running(args ...string) <-chan Reply {
	done := make(chan Reply, 1)
	go func() { done <- c.Run(args...) }()
	return done
}

// partial is how far a verb came that was cut.
func (r Reply) partial(t *testing.T) (chars, of int) {
	t.Helper()
	var a struct {
		Details struct {
			Did struct {
				Verb    string
				Partial *struct{ Chars, Of int }
			}
		}
	}
	r.Into(t, &a)
	if a.Details.Did.Partial == nil {
		t.Fatalf("it does not say how far it came: %v", r)
	}
	return a.Details.Did.Partial.Chars, a.Details.Did.Partial.Of
}

// TestPeopleRevoke: a window the person launched is hidden, shared with one
// agent and invisible to the other; taken back in the middle of a long type it
// is cut at once, says how far it came, and the program has exactly that much:
// by unsharing, by leaving the group, and by the session's end.
func TestPeopleRevoke(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"unshare", "group", "end"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t)
			owner, alice, bob := w.Owner(), w.Session("alice"), w.Session("bob")
			path := w.File("journal")
			var opened struct{ Window Window }
			owner.OK(&opened, "launch", fixtures.Path(t, "gtk3.py"), "--env", fixtures.LogVariable+"="+path, "--timeout", "60s")
			h := opened.Window.Handle
			log := fixtures.Log(t, path)
			log.Wait(t, fixtures.Is("ready"), seen)

			hidden, absent := alice.Refused("not_exposed", "attach", h), alice.Refused("not_exposed", "attach", "w9")
			if strings.ReplaceAll(hidden.Message, h, "w9") != absent.Message || hidden.Hint != absent.Hint {
				t.Errorf("a hidden window is told from an absent one: %v, %v", hidden, absent)
			}
			var revoke []string
			switch by {
			case "group":
				owner.OK(nil, "group", "new", "team")
				owner.OK(nil, "group", "add", "team", "alice")
				owner.OK(nil, "share", h, "--with", "group:team")
				revoke = []string{"group", "remove", "team", "alice"}
			case "unshare":
				owner.OK(nil, "share", h, "--with", "session:alice")
				revoke = []string{"unshare", h, "--with", "session:alice"}
			case "end":
				owner.OK(nil, "share", h, "--with", "session:alice")
				revoke = []string{"session", "end", "alice"}
			}
			alice.OK(nil, "attach", h)
			bob.Refused("not_exposed", "attach", h)

			p := program{Caller: alice, kit: "gtk3.py", handle: h, log: log}
			notes := p.ref("Notes")
			log.Mark()
			text := strings.Repeat("0123456789", 5000) // nobody types that in the time of a command
			typing := alice.running("type", h, notes, text, "--keys", "--no-observe")
			log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "text" && len(e.Text) >= 100 }, seen)
			owner.OK(nil, revoke...)
			r := <-typing
			if by == "end" && r.Code != "bad_session" && r.Code != "not_exposed" || by != "end" && r.Code != "not_exposed" {
				t.Fatalf("cut with %v", r)
			}
			chars, of := r.partial(t)
			if of != len(text) || chars < 100 || chars >= of {
				t.Errorf("%d of %d", chars, of)
			}
			log.Wait(t, fixtures.Typed("Notes", text[:chars]), seen)
			owner.OK(nil, "share", h, "--with", "session:bob")
			bob.OK(nil, "attach", h)
			bob.OK(nil, "wait", h, "--idle", "300")
			for _, e := range log.Since() {
				if e.Kind == "text" && len(e.Text) > chars {
					t.Errorf("%d characters arrived, and %d are told", len(e.Text), chars)
				}
			}
			owner.OK(nil, "stop", h)
		})
	}
}

// TestPeopleRevokeWaiting: a verb that only waits or reads is cut as well, and
// hands nothing over.
func TestPeopleRevokeWaiting(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	owner, alice := w.Owner(), w.Session("alice")
	var opened struct{ Window Window }
	owner.OK(&opened, "launch", fixtures.Path(t, "gtk3.py"), "--with", "session:alice", "--timeout", "60s")
	h := opened.Window.Handle
	for _, verb := range [][]string{
		{"wait", h, "--text", "never shown", "--timeout", "60s"},
		{"wait", h, "--title", "never shown", "--timeout", "60s"},
		{"wait", h, "--idle", "50000", "--timeout", "60s"},
	} {
		owner.OK(nil, "share", h, "--with", "session:alice")
		alice.OK(nil, "attach", h)
		waiting := alice.running(verb...)
		// Whether it has begun by then or not, it is told the same.
		time.Sleep(300 * time.Millisecond)
		owner.OK(nil, "unshare", h)
		if r := <-waiting; r.Code != "not_exposed" || r.Took > 50*time.Second {
			t.Errorf("%q: %v", verb, r)
		}
	}
	owner.OK(nil, "stop", h)
}

// sharing says whether a status tells that agents share the session default.
func sharing(t *testing.T, status []byte) bool {
	t.Helper()
	var a struct {
		OK      bool
		Notices []string
	}
	if err := json.Unmarshal(status, &a); err != nil || !a.OK {
		t.Fatalf("no status: %v: %s", err, status)
	}
	return slices.ContainsFunc(a.Notices, func(n string) bool { return strings.Contains(n, "session default is shared") })
}

// TestPeopleDefaultShared: a person's scripts, one after the other and in any
// language, are one user of the session default; two agents that run at the same
// time are told of each other. It once said so for every script.
func TestPeopleDefaultShared(t *testing.T) {
	t.Parallel()
	need.Tool(t, "python3")
	w := NewWorld(t)
	w.Default().OK(nil, "list")
	program := w.program("vibespace-window")
	for i := range 10 {
		script := w.File(fmt.Sprintf("script%d.sh", i), "#!/bin/sh\n"+program+" status --json; true\n")
		if err := os.Chmod(script, 0o700); err != nil {
			t.Fatal(err)
		}
		if r := w.run(script, w.env, nil, nil); sharing(t, r.JSON) {
			t.Errorf("script %d is taken for another agent: %s", i, r.JSON)
		}
	}
	// Agents stay: they run a command for each line they are given.
	const loop = "import subprocess, sys\nfor line in sys.stdin:\n    print(subprocess.run([sys.argv[1], 'status', '--json'], capture_output=True, text=True).stdout.strip(), flush=True)\n"
	agent := func(n int) started {
		cmd := exec.Command(need.SystemPython, w.File(fmt.Sprintf("agent%d.py", n), loop), program)
		cmd.Dir, cmd.Env, cmd.Stderr = w.Work, w.env, os.Stderr
		return begin(t, cmd)
	}
	ask := func(s started) bool {
		t.Helper()
		if _, err := io.WriteString(s.stdin, "\n"); err != nil {
			t.Fatal(err)
		}
		return sharing(t, []byte(s.line(t)))
	}
	end := func(s started) {
		t.Helper()
		if err := errors.Join(s.stdin.Close(), s.Wait()); err != nil {
			t.Error(err)
		}
	}
	// The test's own commands were another program's.
	first := agent(1)
	if !ask(first) {
		t.Error("a program after another is not told")
	}
	second := agent(2)
	if !ask(second) || !ask(first) {
		t.Error("two agents at once are not told of each other")
	}
	end(first)
	end(second)
}

// TestPeopleSessionEnd: what a session opened itself outlives it by the grace,
// held by nobody, and then ends with every process of it; what it was shared
// stays.
func TestPeopleSessionEnd(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t, "VIBESPACE_SESSIONS_GRACE=10s")
	owner, alice := w.Owner(), w.Session("alice")
	mine := alice.Open("xterm")
	var opened struct{ Window Window }
	owner.OK(&opened, "launch", "xterm", "--with", "session:alice")
	alice.OK(nil, "attach", opened.Window.Handle)
	var sessions struct {
		Ending []struct {
			Label   string
			Windows []string
			Due     time.Time
		}
	}
	owner.OK(&sessions, "session", "end", "alice")
	if len(sessions.Ending) != 1 || sessions.Ending[0].Label != "alice" || !slices.Equal(sessions.Ending[0].Windows, []string{mine.Handle}) || sessions.Ending[0].Due.IsZero() {
		t.Errorf("what is to end: %+v", sessions)
	}
	alice.Refused("bad_session", "list")
	var list struct{ Windows []Window }
	owner.OK(&list, "list")
	for _, win := range list.Windows {
		if win.State != "ready" || win.Holder != nil {
			t.Errorf("within the grace %+v", win)
		}
	}
	if len(list.Windows) != 2 {
		t.Errorf("within the grace %d windows", len(list.Windows))
	}
	Eventually(t, "its own window ends", func() bool {
		owner.OK(&list, "list")
		return len(list.Windows) == 1 && list.Windows[0].Handle == opened.Window.Handle
	})
	Eventually(t, "nothing waits", func() bool { owner.OK(&sessions, "session", "list"); return len(sessions.Ending) == 0 })
	if ended := owner.OK(nil, "list", "--ended").JSON; !strings.Contains(string(ended), "its session alice ended") {
		t.Errorf("why it ended is not told: %s", ended)
	}
	owner.OK(nil, "stop", opened.Window.Handle)
}

// TestPeopleSessionEndKilled: the end of a session's windows outlives a daemon
// that is killed: the next one takes the window back, says when it ends, and ends
// it then.
func TestPeopleSessionEndKilled(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t, "VIBESPACE_SESSIONS_GRACE=12s")
	owner, alice := w.Owner(), w.Session("alice")
	win := alice.Open("xterm")
	type endings struct {
		Ending []struct {
			Label   string
			Windows []string
			Due     time.Time
		}
	}
	var before, after endings
	owner.OK(&before, "session", "end", "alice")
	w.killDaemon()
	owner.OK(&after, "session", "list")
	if len(before.Ending) != 1 || len(after.Ending) > 1 || len(after.Ending) == 1 && !after.Ending[0].Due.Equal(before.Ending[0].Due) {
		t.Errorf("it waited for %+v, and waits for %+v", before, after)
	}
	Eventually(t, "the window has ended", func() bool {
		var list struct{ Windows []Window }
		owner.OK(&list, "list", "--ended")
		for _, l := range list.Windows {
			if l.Handle == win.Handle && l.Ended != nil {
				if !strings.Contains(l.Ended.Why, "its session alice ended") {
					t.Errorf("it ended because %s", l.Ended.Why)
				}
				return true
			}
		}
		return false
	})
	Eventually(t, "nothing waits", func() bool { owner.OK(&after, "session", "list"); return len(after.Ending) == 0 })
}
