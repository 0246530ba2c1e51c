package acceptance

import (
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
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
			text := strings.Repeat("0123456789", 300)
			typing := alice.running("type", h, notes, text, "--keys", "--no-observe")
			log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "text" && len(e.Text) >= 100 }, seen)
			owner.OK(nil, revoke...)
			after := time.Now()
			r := <-typing
			if by == "end" && r.Code != "bad_session" && r.Code != "not_exposed" || by != "end" && r.Code != "not_exposed" {
				t.Fatalf("cut with %v", r)
			}
			if late := time.Since(after); late > time.Second {
				t.Errorf("it went on for %v", late)
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
