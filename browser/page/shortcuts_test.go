package page

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// TestShortcuts: keys are the page's. Of none the browser makes a shortcut of
// its own, which would open or close what no session owns, or zoom.
func TestShortcuts(t *testing.T) {
	t.Parallel()
	b := headed(t)
	p := openIn(t, b, "fields.html")
	if err := p.main.s.Call(p.ctx, "Page.bringToFront", nil, nil); err != nil {
		t.Fatal(err)
	}
	targets := func() int {
		t.Helper()
		got, err := devtools.Call(p.ctx, b.root, target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, info := range got.TargetInfos {
			// What the browser runs for itself comes and goes.
			if !strings.Contains(info.Type, "worker") && info.Type != "background_page" {
				n++
			}
		}
		return n
	}
	p.js(`(() => { window.came = []; addEventListener("keydown", e => came.push(e.key)); return 1 })()`)
	shown := func() string { return p.js(`[devicePixelRatio, innerWidth, innerHeight, location.href]`) }
	// A window that was just opened still gets its bars.
	was, view := targets(), shown()
	for same := 0; same < 10; time.Sleep(100 * time.Millisecond) {
		if n, v := targets(), shown(); n != was || v != view {
			was, view, same = n, v, 0
			continue
		}
		same++
	}
	for _, k := range []string{
		"ctrl+n", "ctrl+t", "ctrl+shift+n", "ctrl+shift+t", "ctrl+u", "ctrl+h", "ctrl+j", "ctrl+shift+i", "ctrl+shift+j", "ctrl+shift+c", "F12", "ctrl+p", "ctrl+s", "ctrl+o",
		"ctrl+d", "ctrl+l", "alt+d", "F6", "ctrl+f", "ctrl+g", "F3", "ctrl++", "ctrl+=", "ctrl+-", "ctrl+0", "ctrl+Tab", "ctrl+shift+Tab", "ctrl+1", "ctrl+2", "ctrl+9", "ctrl+PageDown",
		"F11", "F1", "F10", "shift+Escape", "ctrl+r", "F5", "alt+Left", "alt+Home", "ctrl+shift+Delete", "ctrl+shift+o", "ctrl+shift+m", "alt+f", "alt+e",
		"ctrl+w", "ctrl+F4", "ctrl+shift+w", "alt+F4", "ctrl+shift+q", "ctrl+q",
	} {
		if _, err := p.Press(p.ctx, api.PagePressRequest{Keys: []string{k}}); err != nil {
			t.Fatalf("%s: %v", k, err)
		}
	}
	time.Sleep(500 * time.Millisecond) // a window that comes takes some time to
	if n := targets(); n != was {
		t.Errorf("%d targets, was %d", n, was)
	}
	if v := shown(); v != view {
		t.Errorf("%s, was %s", v, view)
	}
	for _, key := range []string{`"n"`, `"w"`, `"F12"`, `"F4"`} {
		if came := p.js(`came`); !strings.Contains(came, key) {
			t.Errorf("%s did not come to the page: %s", key, came)
		}
	}
}

// TestEditingChords: keys that edit do so in a browser with a window.
func TestEditingChords(t *testing.T) {
	t.Parallel()
	p := openIn(t, headed(t), "fields.html")
	long := p.ref("textbox", "Long")
	value := func() string { return p.js(`document.activeElement.value`) }
	if _, err := p.Fill(p.ctx, api.PageFillRequest{Ref: long, Text: "one two"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ keys, want string }{
		{"ctrl+Left x", `"one xtwo"`},
		{"ctrl+BackSpace", `"one two"`},
		{"shift+Home Delete", `"two"`},
		{"ctrl+a ctrl+c End ctrl+v", `"twotwo"`},
		{"ctrl+a ctrl+x", `""`},
		{"ctrl+z", `"twotwo"`},
		{"ctrl+y", `""`},
		{"ctrl+v ctrl+v", `"twotwotwotwo"`},
		{"Enter", `"twotwotwotwo\n"`},
		{"ArrowUp End BackSpace", `"twotwotwotw\n"`},
	} {
		if _, err := p.Press(p.ctx, api.PagePressRequest{Keys: strings.Fields(c.keys)}); err != nil {
			t.Fatalf("%s: %v", c.keys, err)
		}
		if p.until1(func() bool { return value() == c.want }) != nil {
			t.Fatalf("%s: %s, want %s", c.keys, value(), c.want)
		}
	}
}
