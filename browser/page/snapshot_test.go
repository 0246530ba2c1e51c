package page

import (
	"testing"
)

// TestBasic: a page as a reader sees it, and a click on it.
func TestBasic(t *testing.T) {
	p := open(t, "basic.html")
	s := p.snap()
	t.Logf("%d ms, %+v\n%s", s.TookMs, s.Census, lines(s))
	a := p.click(p.ref("button", "Save"))
	t.Logf("%+v", a)
	t.Log(p.js("document.querySelector('#out').textContent"))
	if got := p.js("log"); got != `["save"]` {
		t.Errorf("the page saw %s", got)
	}
	p.click(p.ref("generic", "Open the card"))
	if got := p.js("log"); got != `["save","card"]` {
		t.Errorf("the page saw %s", got)
	}
}
