package acceptance

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vibespace/fixtures"
)

// hopper opens a window with two fields, and finds the first.
func hopper(t *testing.T, args ...string) (c *Caller, h string, log *fixtures.Journal, first string) {
	t.Helper()
	w := NewWorld(t)
	path := w.File("hopper.log")
	c = w.Default().In(t)
	h = c.Open(append([]string{fixtures.Path(t, "hopper.py"), "--env", fixtures.LogVariable + "=" + path}, args...)...).Handle
	log = fixtures.Log(t, path)
	log.Wait(t, fixtures.Is("ready"), seen)
	var f Found
	c.OK(&f, "find", h, "--name", "First", "--role", "text")
	if len(f.Nodes) != 1 {
		t.Fatalf("%d fields", len(f.Nodes))
	}
	return c, h, log, f.Nodes[0].Ref
}

// TestFocusIsGivenAgain: a window that gives the focus on once more while it is
// not done, as a page does that was just opened, is typed into all the same.
func TestFocusIsGivenAgain(t *testing.T) {
	t.Parallel()
	c, h, log, first := hopper(t, "--", "--late")
	if a := c.Act("type", h, first, "abc", "--keys"); a.Did.By != "keys" {
		t.Errorf("type: %+v", a)
	}
	log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "text" && e.Control == "First" && e.Text == "abc" }, seen)
	c.OK(nil, "stop", h)
}

// TestFocusMovesWhileTyping: a field that gives the focus away in the middle of
// a text, to another field or to a dialog, stops it. What is said of it agrees
// with what the program has (C24).
func TestFocusMovesWhileTyping(t *testing.T) {
	t.Parallel()
	const text = "abc and so on, for much longer than anybody waits to look; "
	for name, args := range map[string][]string{"to a field": nil, "to a dialog": {"--", "--dialog"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, h, log, ref := hopper(t, args...)
			long := strings.Repeat(text, 20)
			r := c.Refused("occluded", "type", h, ref, long, "--keys")
			var cut struct {
				Details struct {
					Arrived *int
					Did     struct {
						Partial struct{ Chars, Of int }
					}
				}
			}
			r.Into(t, &cut)
			sent := cut.Details.Did.Partial.Chars
			if sent < 3 || sent > 200 || cut.Details.Did.Partial.Of != utf8.RuneCountInString(long) {
				t.Errorf("sent %+v: %s", cut.Details, r.JSON)
			}
			if cut.Details.Arrived == nil || *cut.Details.Arrived != 3 {
				t.Errorf("arrived %v of %d: %s", cut.Details.Arrived, sent, r.JSON)
			}
			first := ""
			for _, e := range log.Events() {
				if e.Kind == "text" && e.Control == "First" {
					first = e.Text
				}
			}
			if first != "abc" {
				t.Errorf("the field has %q", first)
			}
			c.OK(nil, "stop", h)
		})
	}
}
