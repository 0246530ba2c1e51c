package acceptance

import (
	"strings"
	"testing"
)

// change is a line of watch.
type change struct {
	Handle, Change, Title string
	Window                *Window
	Part                  *Part
	Ended                 *struct{ Why string }
}

// next is the next change.
func (l *Lines) change() change {
	l.t.Helper()
	r := l.Next()
	var c change
	r.Into(l.t, &c)
	if !r.OK {
		l.t.Fatalf("%s", r.JSON)
	}
	return c
}

// TestWatch: what becomes of a window is told a line each, to whom reaches it
// and holds nothing; what the person does with it is not.
func TestWatch(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	owner, agent, other := w.Owner(), w.Session("agent"), w.Session("other")
	p := agent.fixture("gtk3.py")
	owner.OK(nil, "share", p.handle, "--with", "session:other")
	watch := other.Start("watch", p.handle)
	if c := watch.change(); c.Change != "now" || c.Window == nil || c.Window.Handle != p.handle || c.Title != "Fixture GTK3" {
		t.Errorf("%+v", c)
	}
	p.Act("click", p.handle, p.ref("Open Dialog"), "--expect", "window=Dialog")
	opened := watch.change()
	if opened.Change != "opened" || opened.Part == nil || opened.Part.Title != "Dialog" || opened.Part.Kind != "dialog" {
		t.Errorf("%+v", opened)
	}
	p.Act("close", p.handle, "--window", itoa(opened.Part.N))
	if c := watch.change(); c.Change != "closed" || c.Part == nil || c.Part.N != opened.Part.N {
		t.Errorf("%+v", c)
	}
	owner.OK(nil, "takeover", p.handle)
	if c := watch.change(); c.Change != "paused" {
		t.Errorf("%+v", c)
	}
	owner.OK(nil, "handback", p.handle)
	if c := watch.change(); c.Change != "handedBack" {
		t.Errorf("%+v", c)
	}
	owner.OK(nil, "unshare", p.handle, "--with", "session:other")
	if r := watch.Next(); r.Code != "not_exposed" {
		t.Errorf("%s", r.JSON)
	}
	if status := watch.End(); status != 1 {
		t.Errorf("exit %d", status)
	}
	other.Refused("not_exposed", "watch", p.handle)

	if words := agent.Words("watch", p.handle, "--timeout", "4s"); !strings.HasPrefix(words, p.handle+" gtk3.py ") || strings.Count(words, "\n") != 1 {
		t.Errorf("%q", words)
	}
	cut := agent.Start("watch", p.handle)
	cut.change()
	cut.Interrupt()
	if r := cut.Next(); r.Code != "cancelled" {
		t.Errorf("%s", r.JSON)
	}
	if status := cut.End(); status != 130 {
		t.Errorf("exit %d", status)
	}

	last := agent.Start("watch", p.handle)
	last.change()
	p.Stop(p.handle)
	if c := last.change(); c.Change != "ended" || c.Ended == nil || c.Ended.Why == "" {
		t.Errorf("%+v", c)
	}
	if status := last.End(); status != 0 {
		t.Errorf("exit %d", status)
	}
	ended := agent.Start("watch", p.handle)
	ended.change()
	if c := ended.change(); c.Change != "ended" {
		t.Errorf("%+v", c)
	}
	if status := ended.End(); status != 0 {
		t.Errorf("exit %d", status)
	}
}

// TestWatchTitle: a title that changes is told once.
func TestWatchTitle(t *testing.T) {
	t.Parallel()
	a := NewWorld(t).Default()
	path := a.w.File("text.txt", "one\n")
	h := a.Open("mousepad", "--", path).Handle
	watch := a.Start("watch", h)
	now := watch.change()
	a.OK(nil, "key", h, "x")
	c := watch.change()
	if c.Change != "title" || c.Title == now.Title || !strings.Contains(c.Title, "text.txt") {
		t.Errorf("%q, then %+v", now.Title, c)
	}
	a.Stop(h)
}
