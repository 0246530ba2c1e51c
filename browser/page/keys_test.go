package page

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"

	"vibespace/internal/api"
)

func TestParseChord(t *testing.T) {
	t.Parallel()
	for chord, want := range map[string]stroke{
		"a": {"a", "KeyA", 65, "a", 0}, "A": {"A", "KeyA", 65, "A", 8}, "ctrl+a": {"a", "KeyA", 65, "", 2}, "shift+F10": {"F10", "F10", 121, "", 8},
		"Enter": {"Enter", "Enter", 13, "\r", 0}, "ctrl+Enter": {"Enter", "Enter", 13, "", 2}, "+": {"+", "Equal", 187, "+", 8},
		"ctrl++": {"+", "Equal", 187, "", 10}, "ctrl+shift+z": {"z", "KeyZ", 90, "", 10}, "%": {"%", "Digit5", 53, "%", 8},
		"f1": {"F1", "F1", 112, "", 0}, "shift": {"Shift", "ShiftLeft", 16, "", 8}, "Page_Down": {"PageDown", "PageDown", 34, "", 0}, "é": {},
		"": {}, "ctrl+": {}, "hyper+a": {}, "F25": {}, "word": {}, "++": {}, "+a": {}, "ctrl+shift+": {},
		"ctrl+plus": {"+", "Equal", 187, "", 10}, "minus": {"-", "Minus", 189, "-", 0}, "ctrl+bracketleft": {"[", "BracketLeft", 219, "", 2},
	} {
		got, err := parseChord(chord)
		if want == (stroke{}) {
			if api.CodeOf(err) != api.BadKey {
				t.Errorf("%q: %+v, %v", chord, got, err)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", chord, got, err, want)
		}
	}
}

func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"ctrl+a", "++", "", "shift+ctrl+F12", "é", "a+b+c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, chord string) {
		if s, err := parseChord(chord); err == nil && s.key == "" {
			t.Errorf("%q is a key without a name", chord)
		}
	})
}

func TestShownURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://a.b/c?token=x&q=#frag": "http://a.b/c?token=…&q=…", "https://u:p@a.b/": "https://a.b/", "about:blank": "about:blank",
		"data:text/html,secret": "data:…", "http://a.b/?secret": "http://a.b/?…", "http://a.b/x": "http://a.b/x", "javascript:alert('s')": "javascript:…",
	} {
		got := shownURL(url)
		if strings.ReplaceAll(got, "%E2%80%A6", "…") != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func TestOriginOf(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://A.b/x": "http://a.b:80", "https://a.b": "https://a.b:443", "http://a.b:8080/": "http://a.b:8080", "http://[::1]:9/": "http://[::1]:9",
		"about:blank": "null", "data:x": "null", "file:///x": "null", "": "null",
	} {
		if got := originOf(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// TestGoneElsewhere: keys are not sent to a site that the page went to by
// itself and no answer told of.
func TestGoneElsewhere(t *testing.T) {
	p := open(t, "basic.html")
	p.snap()
	p.js("void setTimeout(() => { location.href = '" + p.site.Other + "/basic.html' })")
	if err := p.until(p.ctx, func() bool { return p.frames[cdp.FrameID(p.target)].shownOrigin() == originOf(p.site.Other) }); err != nil {
		t.Fatal(err)
	}
	refusal(t, second(p.Press(p.ctx, api.PagePressRequest{Keys: []string{"Tab"}})), api.StaleRef)
	p.snap()
	if _, err := p.Press(p.ctx, api.PagePressRequest{Keys: []string{"Tab"}}); err != nil {
		t.Error(err)
	}
}
