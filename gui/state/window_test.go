package state

import (
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

func session(s api.SessionID) *api.SessionID { return &s }

func TestControl(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 9, 30, 0, 0, time.Local)
	driven := func(viewer string) api.Window {
		return api.Window{State: "ready", Input: "user", Driven: &api.Driven{Viewer: viewer, Since: at}, App: "xterm"}
	}
	for name, c := range map[string]struct {
		w          api.Window
		want       Control
		take, give bool
		says       string
	}{
		"starting":    {api.Window{State: "starting", App: "xterm"}, Starting, false, false, "Opening xterm"},
		"agent's":     {api.Window{State: "ready", Input: "agent", Holder: session("alice")}, Watched, true, false, "The agent drives"},
		"nobody's":    {api.Window{State: "ready", Input: "agent"}, Watched, true, false, "Nobody drives"},
		"mine":        {driven("me"), Driving, false, true, WayOut},
		"elsewhere":   {driven("cli"), Elsewhere, false, false, "09:30"},
		"attached":    {driven("attach-here:X"), Attached, false, true, "09:30"},
		"after start": {driven(""), Paused, true, true, "waits"},
		"ended":       {api.Window{State: "ended", App: "xterm", Ended: &api.Ended{Why: "it exited"}}, Gone, false, false, "xterm ended: it exited"},
		"ended while driven": {
			api.Window{State: "ended", Input: "user", App: "x", Ended: &api.Ended{Why: "y"}}, Gone, false, false, "ended",
		},
	} {
		got := ControlOf(c.w, "me")
		if got != c.want || got.MayTake() != c.take || got.MayGive() != c.give {
			t.Errorf("%s is %d, take %v, give %v", name, got, got.MayTake(), got.MayGive())
		}
		if text := got.Explain(English, c.w, true); !strings.Contains(text, c.says) {
			t.Errorf("%s says %q", name, text)
		}
	}
	for _, l := range []Lang{English, Chinese, Japanese} {
		said := map[string]bool{}
		for c := Starting; c <= Gone; c++ {
			if said[c.Badge(l)] {
				t.Errorf("%s says %q of two ways", l, c.Badge(l))
			}
			said[c.Badge(l)] = true
		}
	}
}

func TestTitlesAreOneBoundedLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Untitled":               "Untitled",
		"":                       "app",
		"a\nb\x1b[31m":           "a b [31m",
		"\u202eevil\u202c":       "evil",
		strings.Repeat("長", 300): strings.Repeat("長", 119) + "…",
		"a\xff":                  "a�",
	} {
		if got := Title(api.Window{Title: in, App: "app"}); got != want {
			t.Errorf("%q is called %q", in, got)
		}
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	shares := func(with ...string) (s []api.Share) {
		for _, w := range with {
			s = append(s, api.Share{With: w})
		}
		return s
	}
	for want, w := range map[string]api.Window{
		"Yours · only you see it":                                      {},
		"Yours · bob holds it · by elements":                           {Holder: session("bob"), Shares: shares("session:bob"), Mode: api.Mode{Resolved: "tree"}},
		"Yours · nobody holds it · shared with 2 · by picture":         {Shares: shares("session:bob", "group:g"), Mode: api.Mode{Resolved: "pixels"}},
		"opened by alice · by elements":                                {Opener: "alice", Holder: session("alice"), Shares: shares("session:alice")},
		"opened by alice · bob holds it · shared with 2 · by elements": {Opener: "alice", Holder: session("bob"), Shares: shares("session:alice", "session:bob")},
		"opened by alice":                                              {Opener: "alice", Ended: &api.Ended{}},
	} {
		if got := Facts(English, w); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestSizeText(t *testing.T) {
	t.Parallel()
	w := api.Window{Size: api.Size{W: 1920, H: 1080}}
	if got := SizeText(English, w, api.Size{W: 900, H: 506}); got != "1920 × 1080, shown at 47 %" {
		t.Error(got)
	}
	w.Pin = &w.Size
	if got := SizeText(English, w, api.Size{}); got != "1920 × 1080, pinned" {
		t.Error(got)
	}
}

func TestActs(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for want, a := range map[string]api.SeenAct{
		"alice clicked “OK”, 5 s ago":                              {Did: api.Did{Verb: "click", Role: "push button", Name: "OK"}},
		"alice clicked a point, 5 s ago":                           {Did: api.Did{Verb: "click", At: &api.Point{X: 3, Y: 4}}},
		"alice typed into the focused field, 5 s ago":              {Did: api.Did{Verb: "type"}},
		"alice set “Volume”, 5 s ago":                              {Did: api.Did{Verb: "set", Ref: "@e1", Name: "Volume"}},
		"alice pressed keys — was refused: window_paused, 5 s ago": {Did: api.Did{Verb: "key"}, Verdict: "window_paused"},
		"alice did close, 5 s ago":                                 {Did: api.Did{Verb: "close"}},
	} {
		a.Session, a.At = "alice", now.Add(-5*time.Second)
		if a.Verdict == "" {
			a.Verdict = "ok"
		}
		if got := ActText(English, &a, now); got != want {
			t.Errorf("%q, not %q", got, want)
		}
		for _, l := range []Lang{Chinese, Japanese} {
			if got := ActText(l, &a, now); strings.Contains(got, "%!") {
				t.Errorf("%q", got)
			}
		}
	}
	if p, ok := Place(&api.SeenAct{Box: &api.Rect{X: 10, Y: 20, W: 30, H: 40}}); !ok || p != (api.Point{X: 25, Y: 40}) {
		t.Errorf("the middle of a box is %v", p)
	}
	if _, ok := Place(&api.SeenAct{}); ok {
		t.Error("an act without a place has one")
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 9, 30, 7, 0, time.Local)
	r := api.TraceRow{AuditRow: api.AuditRow{Session: "alice", Verb: "click", Role: "push button", Name: "OK", Verdict: "ok", At: at}, Before: "/b.jpg"}
	if got := TraceText(English, r); got != "alice clicked “OK”, 09:30:07" {
		t.Error(got)
	}
	if TracePicture(r) != "/b.jpg" {
		t.Error("the picture before stands for one that has none after")
	}
	if r.After = "/a.jpg"; TracePicture(r) != "/a.jpg" {
		t.Error("the picture after does not stand for the act")
	}
}

// TestLapseWhy: why a takeover ended by itself is said in the person's language,
// and what a newer daemon says as it is.
func TestLapseWhy(t *testing.T) {
	t.Parallel()
	for _, why := range []string{api.LapseIdle, api.LapseAway} {
		if LapseWhy(English, why) != why || LapseWhy(Chinese, why) == why || LapseWhy(Japanese, why) == why {
			t.Errorf("%q is %q, %q, %q", why, LapseWhy(English, why), LapseWhy(Chinese, why), LapseWhy(Japanese, why))
		}
	}
	if got := LapseWhy(Chinese, "something else"); got != "something else" {
		t.Errorf("what is not known is %q", got)
	}
}
