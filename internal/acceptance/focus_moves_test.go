package acceptance

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vibespace/fixtures"
)

// TestFocusMovesWhileTyping: a field that gives the focus away in the middle of
// a text, to another field or to a dialog, stops it. What is said of it agrees
// with what the program has (C24).
func TestFocusMovesWhileTyping(t *testing.T) {
	t.Parallel()
	const text = "abc and so on, for much longer than anybody waits to look; "
	for name, args := range map[string][]string{"to a field": nil, "to a dialog": {"--", "--dialog"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t)
			path := w.File("hopper.log")
			c := w.Default()
			open := append([]string{fixtures.Path(t, "hopper.py"), "--env", fixtures.LogVariable + "=" + path}, args...)
			h := c.Open(open...).Handle
			log := fixtures.Log(t, path)
			log.Wait(t, fixtures.Is("ready"), seen)
			var f Found
			c.OK(&f, "find", h, "--name", "First", "--role", "text")
			if len(f.Nodes) != 1 {
				t.Fatalf("%d fields", len(f.Nodes))
			}
			long := strings.Repeat(text, 20)
			r := c.Refused("occluded", "type", h, f.Nodes[0].Ref, long, "--keys")
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
