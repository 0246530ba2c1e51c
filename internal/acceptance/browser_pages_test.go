package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// headless is a world whose sessions' browsers have no window: what the tests
// here ask is not about one.
const headless = "VIBESPACE_BROWSERS_HEADLESS=true"

// serveVisits serves a page that says what its browser brought along: the
// cookie and the storage of earlier visits. ?be=x leaves x in both.
func serveVisits(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if be := r.URL.Query().Get("be"); be != "" {
			http.SetCookie(w, &http.Cookie{Name: "be", Value: be, Path: "/", MaxAge: 3600})
		}
		cookie, value := "nobody", ""
		if c, err := r.Cookie("be"); err == nil {
			cookie = c.Value
		}
		value = r.URL.Query().Get("be")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>Visit</title><h1>cookie %s</h1><h2 id="s"></h2>
<a href="/two" target="_blank">another tab</a><input aria-label="Name">
<script>s.textContent = 'storage ' + (localStorage.be || 'nobody'); if ('%s') localStorage.be = '%s'</script></html>`, cookie, value, value)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Page is what the answers about a page carry.
type Page struct {
	Profile struct{ Handle, Label, Origin string }
	Tab     string
	URL     string
	Title   string
	Nodes   []Node
	Tabs    []struct {
		ID, URL string
		Active  bool
	}
	Others  int
	Notices []string
}

// page runs a verb of vibespace-browser that has to succeed.
func (c *Caller) page(args ...string) Page {
	c.t.Helper()
	var p Page
	r := c.Browsers().OK(&p, args...)
	if p.Profile.Handle == "" || p.Profile.Origin == "" {
		c.t.Errorf("%s: no profile is named: %v", c.name, r)
	}
	return p
}

// says gives the names of a page's headings.
func (p Page) says() string {
	names := []string{}
	for _, n := range p.Nodes {
		names = append(names, n.Name)
	}
	return strings.Join(names, ", ")
}

// TestBrowsersAreApart: of two sessions neither reads the other's cookie,
// storage, tabs or page.
func TestBrowsersAreApart(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t, headless)
	a, b := w.Session("a"), w.Session("b")
	for _, c := range []*Caller{a, b} {
		c.page("open", url+"/?be="+c.name)
		if p := c.page("open", url); p.Profile.Origin != "ephemeral" || p.Tab == "" {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	mine, theirs := a.page("status"), b.page("status")
	if mine.Profile.Handle == theirs.Profile.Handle {
		t.Fatalf("both have %s", mine.Profile.Handle)
	}
	for range 200 {
		for _, c := range []*Caller{a, b} {
			if got := c.page("find", "--role", "heading").says(); got != "cookie "+c.name+", storage "+c.name {
				t.Fatalf("%s reads %q", c.name, got)
			}
			if tabs := c.page("tab"); len(tabs.Tabs) != 1 || tabs.Others != 0 {
				t.Fatalf("the tabs of %s: %+v", c.name, tabs)
			}
		}
	}
	for _, args := range [][]string{{"snapshot"}, {"tab"}, {"detach"}} {
		a.Browsers().Refused("not_exposed", append(args, "--profile", theirs.Profile.Handle)...)
	}
	// What was kept is gone with the browser.
	a.Browsers().OK(nil, "detach", "ephemeral")
	if got := a.page("open", url); got.Profile.Handle == mine.Profile.Handle {
		t.Errorf("the browser that was let go is %+v", got)
	}
	if got := a.page("find", "--role", "heading").says(); got != "cookie nobody, storage nobody" {
		t.Errorf("after it was let go: %q", got)
	}
}

// chromiums counts the world's processes of Chromium.
func (w *World) chromiums() int {
	n := 0
	for _, p := range w.scan(true) {
		if strings.Contains(p.cmdline, "chromium") && !strings.Contains(p.cmdline, "vibespace-") {
			n++
		}
	}
	return n
}

// TestBrowserStopped: a browser that nobody uses stops; three verbs start it
// again and no other does.
func TestBrowserStopped(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t, headless, "VIBESPACE_BROWSERS_IDLE=10s", "VIBESPACE_BROWSERS_MAX=1") // two commands fit into it on any machine
	a, b := w.Session("a"), w.Session("b")
	a.page("open", url)
	r := b.Browsers().Refused("browser_cap", "open", url)
	if strings.Contains(r.Hint, "detach") {
		t.Errorf("b is told to end what is not its own: %v", r)
	}
	Eventually(t, "it is stopped", func() bool {
		var s struct{ State string }
		a.Browsers().OK(&s, "status")
		return s.State == "stopped"
	})
	for _, args := range []string{"find --role heading", "click @e1", "back", "tab", "console", "dialog", "screenshot"} {
		a.Browsers().Refused("browser_stopped", strings.Fields(args)...)
	}
	for _, args := range []string{"snapshot", "tab new"} {
		a.page(strings.Fields(args)...)
		a.Browsers().OK(nil, "close")
	}
	b.page("open", url)
	r = b.Browsers().Refused("browser_cap", "open", url, "--profile", b.child())
	if !strings.Contains(r.Hint, "detach --profile b") {
		t.Errorf("b is not told which of its own to end: %v", r)
	}
}

// child makes a browser for a helper and gives its handle.
func (c *Caller) child() string {
	c.t.Helper()
	var made struct {
		Env     string
		Profile struct{ Handle string }
	}
	c.Browsers().OK(&made, "new-child")
	if made.Env != "VIBESPACE_BROWSER="+made.Profile.Handle {
		c.t.Errorf("the line for a shell is %q", made.Env)
	}
	return made.Profile.Handle
}

// TestBrowserProfiles: what a session names, what it has to name, and what it
// may not.
func TestBrowserProfiles(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t, headless)
	agent, other := w.Session("a"), w.Session("b")
	a, b := agent.Browsers(), other.Browsers()
	a.OK(nil, "new", "work", "--headless")
	a.OK(nil, "new", "home", "--headless")
	a.Refused("profile_in_use", "new", "work")
	b.Refused("not_owner", "use", "work")
	a.Refused("not_attached", "open", url, "--profile", "work")
	a.OK(nil, "use", "work", "--alias", "w")
	// The set changed: a bare command is refused once.
	a.Refused("profile_changed", "open", url)
	if p := agent.page("open", url+"/?be=work"); p.Profile.Label != "work" || p.Profile.Origin != "chosen" {
		t.Errorf("a bare command is about %+v", p.Profile)
	}
	a.OK(nil, "use", "home")
	a.Refused("profile_changed", "snapshot")
	r := a.Refused("profile_required", "snapshot")
	for _, word := range []string{"work", "home", `"default":true`} {
		if raw, _ := json.Marshal(r.Details); !strings.Contains(string(raw), word) {
			t.Errorf("%s is not among the handles: %v", word, r)
		}
	}
	agent.page("open", url, "--profile", "w")
	if p := agent.With("VIBESPACE_BROWSER=home").page("open", url); p.Profile.Label != "home" {
		t.Errorf("the shell's browser is %+v", p.Profile)
	}
	if got := agent.page("find", "--role", "heading", "--profile", "home").says(); got != "cookie nobody, storage nobody" {
		t.Errorf("one profile has the other's: %q", got)
	}
	a.OK(nil, "pin", "home")
	a.OK(nil, "detach", "work")
	a.Refused("profile_changed", "snapshot")
	if p := agent.page("snapshot"); p.Profile.Label != "home" || p.Profile.Origin != "conversation" {
		t.Errorf("the pinned one is %+v", p.Profile)
	}
	b.Refused("not_owner", "snapshot", "--profile", "home")
	a.Refused("method_refused", "cdp-url")
	a.Refused("method_refused", "new", "fenced", "--allowed-domains", "shop.example")
	a.Refused("method_refused", "new", "shared", "--sharing", "instance")
	browserAdopts(t, w, a, b)
	// The session ends: its profiles are nobody's, its browsers are gone.
	w.Owner().OK(nil, "session", "end", "a")
	Eventually(t, "its browsers are gone", func() bool { return w.chromiums() == 0 })
	b.Refused("not_owner", "use", "work")
}

// browserAdopts: a directory becomes a profile by its real path, once, and
// nobody else's does.
func browserAdopts(t *testing.T, w *World, a, b *Caller) {
	t.Helper()
	dir := w.File("old profile")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	link := w.File("link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if r := a.Refused("bad_request", "use", "old profile/"); !strings.Contains(r.Hint, "--adopt "+dir) {
		t.Errorf("the command that adopts it is not named: %v", r)
	}
	a.OK(nil, "new", "old", "--adopt", link)
	a.Refused("profile_in_use", "new", "again", "--adopt", dir)
	b.Refused("adopt_not_yours", "new", "mine", "--adopt", dir)
	b.Refused("adopt_not_yours", "use", link+"/")
	b.Refused("adopt_not_yours", "new", "mine", "--adopt", filepath.Dir(w.State))
	b.Refused("adopt_not_yours", "new", "mine", "--adopt", w.State)
	b.Refused("bad_request", "new", "mine", "--adopt", "nothing there")
}

// TestBrowserShared: in one browser each session of the owner's has tabs of its
// own; another's are counted and never named, and close closes mine.
func TestBrowserShared(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t, headless)
	a, b, c := w.Session("a"), w.Session("b"), w.Session("c")
	w.Owner().OK(nil, "group", "new", "team")
	w.Owner().OK(nil, "group", "add", "team", "a")
	w.Owner().OK(nil, "group", "add", "team", "b")
	a.Browsers().OK(nil, "new", "team site", "--group", "team", "--headless")
	c.Browsers().Refused("not_owner", "new", "mine", "--group", "team")
	c.Browsers().Refused("not_owner", "use", "team site")
	for _, s := range []*Caller{a, b} {
		s.Browsers().OK(nil, "use", "team site")
	}
	mine := a.page("open", url+"/?be=team", "--profile", "team site")
	theirs := b.page("open", url+"/", "--profile", "team site")
	if mine.Profile.Handle != theirs.Profile.Handle || mine.Tab == theirs.Tab {
		t.Fatalf("%+v and %+v", mine, theirs)
	}
	if got := b.page("find", "--role", "heading", "--profile", "team site").says(); got != "cookie team, storage team" {
		t.Errorf("b is not in the same profile: %q", got)
	}
	link := a.page("find", "--role", "link", "--profile", "team site")
	a.Browsers().OK(nil, "click", link.Nodes[0].Ref, "--profile", "team site")
	var tabs Page
	Eventually(t, "the tab that the page opened is a's", func() bool {
		tabs = a.page("tab", "--profile", "team site")
		return len(tabs.Tabs) == 2 && tabs.Others == 1
	})
	r := b.Browsers().Refused("not_your_tab", "snapshot", "--profile", "team site", "--tab", mine.Tab)
	if strings.Contains(string(r.JSON), url) {
		t.Errorf("another's page is told: %v", r)
	}
	b.Browsers().Refused("not_your_tab", "tab", "close", mine.Tab, "--profile", "team site")
	b.Browsers().OK(nil, "close", "team site")
	Eventually(t, "b has closed its own", func() bool {
		tabs = a.page("tab", "--profile", "team site")
		return len(tabs.Tabs) == 2 && tabs.Others == 0
	})
	b.Browsers().Refused("tab_gone", "find", "--role", "heading", "--profile", "team site")
	b.Browsers().OK(nil, "detach", "team site")
	var left struct{ Stopped bool }
	a.Browsers().OK(&left, "detach", "team site")
	if !left.Stopped {
		t.Error("a browser that nobody holds runs on")
	}
}

// TestBrowserTakeover: the person drives the very window; every verb of every
// session is refused meanwhile, what ran is cut, and the first answer after it
// says how things stand.
func TestBrowserTakeover(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t)
	agent, owner := w.Session("a"), w.Owner()
	a := agent.Browsers()
	h := agent.page("open", url).Profile.Handle
	var list struct{ Windows []Window }
	owner.OK(&list, "list")
	if len(list.Windows) != 1 || list.Windows[0].Handle != h || list.Windows[0].Origin != "agent-browser" {
		t.Fatalf("the person sees %+v", list.Windows)
	}
	if win := list.Windows[0]; win.Opener != "a" || win.Holder == nil || *win.Holder != "a" {
		t.Errorf("the person is told opener %q, holder %v", win.Opener, win.Holder)
	}
	var shares struct{ Opener, Holder string }
	if owner.OK(&shares, "shares", h); shares.Opener != "a" || shares.Holder != "a" {
		t.Errorf("shares tells %+v", shares)
	}
	// To agents it is not there: hidden and absent are one.
	for _, c := range []*Caller{agent, w.Session("b")} {
		for _, args := range []string{"attach", "snapshot", "stop", "screenshot"} {
			hidden, absent := c.Refused("not_exposed", args, h), c.Refused("not_exposed", args, "b999")
			if strings.ReplaceAll(hidden.Message, h, "b999") != absent.Message || hidden.Hint != absent.Hint {
				t.Errorf("%s: hidden says %v, absent %v", args, hidden, absent)
			}
		}
		var own struct{ Windows []Window }
		if c.OK(&own, "list"); len(own.Windows) != 0 {
			t.Errorf("%s lists %+v", c.name, own.Windows)
		}
	}
	field := agent.page("find", "--role", "textbox")
	Eventually(t, "a wait is cut", func() bool {
		waits := a.running("wait", "--text", "never to be seen", "--timeout", "60s")
		a.OK(nil, "status") // by then it has most likely begun
		owner.OK(nil, "takeover", h)
		r := <-waits
		if r.Code == "browser_paused" { // it came late
			owner.OK(nil, "handback", h)
			agent.page("status")
			return false
		}
		if r.Code != "browser_interrupted" || r.Details["effect"] == nil {
			t.Fatalf("what ran answers %v", r)
		}
		return true
	})
	for _, args := range []string{"snapshot", "find --role heading", "tab", "open " + url, "screenshot", "detach"} {
		if r := a.Refused("browser_paused", strings.Fields(args)...); r.Details["by"] != "user" {
			t.Errorf("%v", r)
		}
	}
	var s struct{ Paused *struct{ By string } }
	a.OK(&s, "status")
	if s.Paused == nil || s.Paused.By != "user" {
		t.Errorf("status says %+v", s)
	}
	owner.OK(nil, "handback", h, "--note", "the form is yours")
	said := fmt.Sprint(a.Refused("stale_ref", "fill", field.Nodes[0].Ref, "Ada").Details["notices"])
	agent.page("snapshot")
	a.OK(nil, "fill", field.Nodes[0].Ref, "Ada")
	for _, word := range []string{
		"the form is yours", "interrupted: wait;",
		"refused meanwhile: detach (1 time), find (1 time), open (1 time), screenshot (1 time), snapshot (1 time), tab (1 time);",
	} {
		if !strings.Contains(said, word) {
			t.Errorf("%q is not in %q", word, said)
		}
	}
	if again := agent.page("snapshot").Notices; len(again) != 0 {
		t.Errorf("it is said twice: %q", again)
	}
}

// TestBrowserDelete: a kept profile goes with its directory, for its owner alone
// and only once nobody has it; an adopted directory stays.
func TestBrowserDelete(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t, headless)
	agent := w.Session("a")
	a, b := agent.Browsers(), w.Session("b").Browsers()
	var made Page
	a.OK(&made, "new", "bank", "--headless")
	h := made.Profile.Handle
	a.OK(nil, "use", h)
	agent.page("open", url, "--profile", h)
	b.Refused("not_owner", "delete", h)
	if r := a.Refused("profile_in_use", "delete", h); !strings.Contains(r.Hint, "detach "+h) {
		t.Errorf("no way out: %v", r)
	}
	a.OK(nil, "detach", h)
	var gone struct {
		Dir   string
		Bytes int64
		Stays bool
	}
	a.OK(&gone, "delete", "bank")
	if _, err := os.Stat(gone.Dir); !os.IsNotExist(err) || gone.Dir == "" || gone.Bytes == 0 || gone.Stays {
		t.Errorf("deleted %+v, and there is %v", gone, err)
	}
	a.Refused("not_exposed", "delete", h)
	a.Refused("not_exposed", "use", "bank")
	a.Refused("cannot_set", "delete", "ephemeral")
	adopted := t.TempDir()
	a.OK(nil, "new", "bank", "--adopt", adopted)
	a.OK(&gone, "delete", "bank")
	if _, err := os.Stat(adopted); err != nil || !gone.Stays {
		t.Errorf("an adopted directory: %+v, %v", gone, err)
	}
}

// TestBrowserStoppedByPerson: an agent is told once that the person stopped its
// browser, with a refusal or an answer, and by then it has stopped whole.
func TestBrowserStoppedByPerson(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t)
	agent, owner := w.Session("a"), w.Owner()
	a := agent.Browsers()
	for _, next := range []string{"find --role heading", "status"} {
		h := agent.page("open", url).Profile.Handle
		owner.OK(nil, "stop", h)
		var answer struct {
			State   string
			Notices []string
		}
		said := ""
		if next == "status" {
			if a.OK(&answer, next); answer.State != "stopped" {
				t.Errorf("after stop has answered status says %s", answer.State)
			}
			said = strings.Join(answer.Notices, " ")
		} else {
			said = fmt.Sprint(a.Refused("browser_stopped", strings.Fields(next)...).Details["notices"])
		}
		if !strings.Contains(said, "the person stopped "+h) || !strings.Contains(said, "its tabs are gone") {
			t.Errorf("%s says %q", next, said)
		}
		if again := agent.page("status").Notices; len(again) != 0 {
			t.Errorf("it is said twice: %q", again)
		}
	}
	Eventually(t, "no process of Chromium is left", func() bool { return w.chromiums() == 0 })
}

// TestDesktopAppHasNoCDP: page verbs on the lowest rung name the road there,
// and another session's browser is not confirmed.
func TestDesktopAppHasNoCDP(t *testing.T) {
	t.Parallel()
	need.Dillo(t)
	w := NewWorld(t, headless)
	a, b := w.Session("a"), w.Session("b")
	o := a.newDesktop("bank", "--browser", "dillo")
	for _, name := range []string{o.Window.Handle, "bank"} {
		for _, args := range []string{"snapshot", "open https://shop.example", "eval 1+1", "screenshot", "tab new"} {
			r := a.Browsers().Refused("no_cdp_on_this_backend", append(strings.Fields(args), "--profile", name)...)
			if !strings.Contains(r.Hint, "vibespace-window snapshot "+o.Window.Handle) {
				t.Errorf("no recipe: %v", r)
			}
		}
		b.Browsers().Refused("not_exposed", "snapshot", "--profile", name)
	}
}

// TestBrowserSessionEnds: a browser ends with its session, and not under the
// hands of the person who drives it.
func TestBrowserSessionEnds(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t)
	driven, other := w.Session("driven"), w.Session("other")
	h := driven.page("open", url).Profile.Handle
	other.page("open", url)
	w.Owner().OK(nil, "takeover", h)
	for _, label := range []string{"driven", "other"} {
		w.Owner().OK(nil, "session", "end", label)
	}
	living := func() []string {
		var list struct{ Windows []Window }
		w.Owner().OK(&list, "list")
		var handles []string
		for _, win := range list.Windows {
			if win.Ended == nil {
				handles = append(handles, win.Handle)
			}
		}
		return handles
	}
	Eventually(t, "the one that nobody drives has ended", func() bool { return len(living()) == 1 })
	if got := living(); got[0] != h {
		t.Errorf("what the person drives has ended: %q", got)
	}
	w.Owner().OK(nil, "handback", h)
	Eventually(t, "the other one has ended", func() bool { return len(living()) == 0 && w.chromiums() == 0 })
}
