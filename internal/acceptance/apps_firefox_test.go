package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// page is a form that says in its title what happened to it.
const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Order form</title></head><body>
<h1>Order form</h1>
<form onsubmit="event.preventDefault(); document.title = 'sent ' + who.value + ' ' + pw.value.length">
<label for="who">Your name</label> <input id="who">
<label for="pw">Secret</label> <input id="pw" type="password" value="hunter2">
<label><input type="checkbox" onchange="document.title = 'gift ' + this.checked"> Gift wrap</label>
<select aria-label="Size"><option>Small</option><option>Large</option></select>
<button type="button" onclick="document.title = 'pressed'">Press me</button>
<button type="button" disabled>Not now</button>
<button>Send</button>
</form>
<p>Plain words with a <a href="#below">way down</a>.</p>
<div style="height: 3000px"></div><p id="below">The end.</p>
</body></html>`

// TestFirefox: a browser is the person's. They launch it, share it with one
// session, and that session drives it by its tree like any window.
func TestFirefox(t *testing.T) {
	t.Parallel()
	need.Firefox(t)
	w := NewWorld(t)
	owner, agent, other := w.Owner(), w.Session("agent"), w.Session("other")
	before := w.Count()

	var launched Opened
	r := owner.OK(&launched, "launch", "firefox-esr", "--url", "file://"+w.File("form.html", page), "--timeout", "60s")
	owner.ready(launched, r)
	win := launched.Window
	agent.Refused("not_exposed", "attach", win.Handle)
	owner.OK(nil, "share", win.Handle, "--with", "session:agent")
	agent.Refused("not_attached", "snapshot", win.Handle)
	other.Refused("not_exposed", "attach", win.Handle)
	agent.OK(nil, "attach", win.Handle)

	s := agent.Whole(win, map[Control]int{
		{"push button", "Back"}: 1, {"push button", "Reload"}: 1, {"page tab", "Order form"}: 1,
		{"document web", "Order form"}: 1, {"heading", "Order form"}: 1,
		{"label", "Your name"}: 1, {"entry", "Your name"}: 1, {"password text", "Secret"}: 1, {"check box", "Gift wrap"}: 1,
		{"combo box", "Size"}: 1, {"push button", "Press me"}: 1, {"push button", "Not now"}: 1, {"push button", "Send"}: 1,
		{"link", "way down"}: 1,
	})
	if text := s.Of(t, "combo box", "Size").Says(); text != "Small" {
		t.Errorf("the combo box says %q", text)
	}
	firefoxWords(t, agent, win, s)
	agent.SameCensus(win)
	agent.Picture(win)
	firefoxActs(t, agent, win, s)

	agent.Refused("not_your_window", "stop", win.Handle)
	owner.OK(nil, "stop", win.Handle)
	w.Clean(t, before)
}

// firefoxWords: a page's words are told, a password never.
func firefoxWords(t *testing.T, agent *Caller, win Window, s Snapshot) {
	words := agent.Words("snapshot", win.Handle)
	if !strings.Contains(words, "Plain words with a") {
		t.Errorf("the page's words are not in\n%s", words)
	}
	if len(words) > 6<<10 {
		t.Errorf("the window takes %d bytes to tell", len(words))
	}
	secret := s.Of(t, "password text", "Secret")
	for _, args := range [][]string{{"snapshot", win.Handle, "--all"}, {"get", win.Handle, secret.Ref, "all"}, {"get", win.Handle, secret.Ref, "text"}} {
		if r := agent.Run(args...); strings.Contains(string(r.JSON), "hunter2") {
			t.Errorf("the password is in %v", r)
		}
	}
}

// firefoxActs clicks, types, checks and scrolls; the page says what it saw.
func firefoxActs(t *testing.T, agent *Caller, win Window, s Snapshot) {
	h := win.Handle
	titled := func(title string) { agent.OK(nil, "wait", h, "--title", title) }

	press := s.Of(t, "push button", "Press me")
	if a := agent.Act("click", h, press.Ref); a.Did.By != "tree" || a.Did.Name != "Press me" {
		t.Errorf("click: %+v", a.Did)
	}
	titled("pressed")
	agent.Refused("disabled", "click", h, s.Of(t, "push button", "Not now").Ref)

	field := s.Of(t, "entry", "Your name")
	if a := agent.Act("type", h, field.Ref, "Ada 你好"); a.Did.By != "keys" || !True(a.Verified) {
		t.Errorf("type: %+v", a)
	}
	Eventually(t, "the field has what was typed", func() bool { return agent.Get(h, field.Ref).Says() == "Ada 你好" })
	// What a page's password field got is counted and never told.
	if a := agent.Act("type", h, s.Of(t, "password text", "Secret").Ref, "+3"); a.Did.By != "keys" {
		t.Errorf("type into the password: %+v", a.Did)
	}
	// A bar may have come above the page since.
	var x, y int
	Eventually(t, "the button is to be seen", func() bool {
		send := agent.Snapshot(h).All("push button", "Send")
		if len(send) != 1 || send[0].Bounds == nil {
			return false
		}
		x, y = send[0].Bounds.Middle()
		return true
	})
	agent.Act("click", h, "--at", fmt.Sprintf("%d,%d", x, y))
	titled("sent Ada 你好 9")

	gift := s.Of(t, "check box", "Gift wrap")
	agent.Act("click", h, gift.Ref)
	titled("gift true")
	Eventually(t, "the box is checked", func() bool { return agent.Get(h, gift.Ref).Is("checked") })
	agent.Act("scroll", h, "down", "--by", "3", s.Of(t, "document web", "Order form").Ref)
	Eventually(t, "the page scrolled", func() bool { return len(agent.Snapshot(h).All("heading", "Order form")) == 0 })
	agent.Act("key", h, "ctrl+Home")
	Eventually(t, "the page is at its top again", func() bool { return len(agent.Snapshot(h).All("heading", "Order form")) == 1 })
}

// TestBrowsersAreThePersons: an agent opens no browser, by whatever name.
func TestBrowsersAreThePersons(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	firefox, chromium := need.Firefox(t), need.Chromium(t)
	link := w.File("notes")
	if err := os.Symlink(firefox, link); err != nil {
		t.Fatal(err)
	}
	twice := w.File("letters")
	if err := os.Symlink(link, twice); err != nil {
		t.Fatal(err)
	}
	for _, app := range []string{"firefox-esr", "firefox", "chromium", firefox, chromium, link, twice, "x-www-browser"} {
		r := a.Refused("browser_is_human", "open", app)
		if !strings.Contains(r.Hint, "vibespace-browser") {
			t.Errorf("open %s: the door is not named: %q", app, r.Hint)
		}
	}
	w.Clean(t, before)
	script := w.File("editor", "#!/bin/sh\nexec firefox-esr --profile "+w.Work+"/p about:blank\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	a.Refused("browser_is_human", "open", script)
	w.Clean(t, before)
	var list struct{ Windows []Window }
	a.OK(&list, "list")
	for _, win := range list.Windows {
		if win.State != "ended" {
			t.Errorf("a browser is open: %+v", win)
		}
	}
}
