package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"vibespace/internal/need"
)

// shop is two pages: what is done to them is in their titles, and the second
// says whether the browser told it that a program drives it.
const shop = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body>
<h1>Shop</h1><p>Plain words with a <a href="/order">way to order</a>.</p></body></html>`

const order = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Order</title></head><body>
<h1>Order</h1><p id="driven"></p>
<form onsubmit="event.preventDefault(); document.title = 'sent ' + who.value">
<label for="who">Your name</label> <input id="who"><button>Send</button></form>
<script>driven.textContent = 'driven: ' + navigator.webdriver</script></body></html>`

// serveShop serves the two pages until the test ends.
func serveShop(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/order" {
			fmt.Fprint(w, order)
			return
		}
		fmt.Fprint(w, shop)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// NewBrowser answers vibespace-browser new.
type NewBrowser struct {
	Opened
	Profile struct{ Handle, Label, Origin string }
	Kept    string
}

// newDesktop opens a browser of the desktop-app rung.
func (c *Caller) newDesktop(label string, args ...string) NewBrowser {
	c.t.Helper()
	var o NewBrowser
	r := c.Browsers().OK(&o, append([]string{"new", label, "--backend", "desktop-app", "--timeout", "80s"}, args...)...)
	c.ready(o.Opened, r)
	if w := o.Window; w.Origin != "agent-browser" || w.Holder == nil || *w.Holder != o.Session || w.Rung != "xvfb" {
		c.t.Errorf("%s: the window is not the opener's: %v", c.name, r)
	}
	if o.Profile.Handle != o.Window.Handle || o.Profile.Label != label {
		c.t.Errorf("%s: the profile is %+v", c.name, o.Profile)
	}
	return o
}

// drives are the switches by which a program drives a browser, or tells pages
// that one does.
var drives = regexp.MustCompile(`--(remote-debugging|enable-automation|headless|marionette|remote-control|test-type|webdriver|remote-allow)|-marionette`)

// TestDesktopAppBrowser: the lowest rung, end to end, with both families.
func TestDesktopAppBrowser(t *testing.T) {
	for _, name := range []string{"chromium", "firefox-esr"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need.Tool(t, name)
			url := serveShop(t)
			w := NewWorld(t)
			agent, other := w.Session("agent").In(t), w.Session("other").In(t)
			before := w.Count()
			o := agent.newDesktop("bank", "--browser", name, "--url", url)
			win := o.Window
			if win.App != name || win.Mode.Resolved != "tree" || win.Pin != nil {
				t.Errorf("the window is %+v", win)
			}
			w.undriven(t, name)
			other.Refused("not_exposed", "attach", win.Handle)
			other.Browsers().Refused("not_exposed", "snapshot", "--profile", win.Handle)
			desktopActs(t, agent, win)

			agent.OK(nil, "size", win.Handle, "1280x800")
			if p, _ := agent.Screenshot(win.Handle); p.W != 1280 || p.H != 800 {
				t.Errorf("the pinned picture is %dx%d", p.W, p.H)
			}
			agent.OK(nil, "size", win.Handle, "auto")
			agent.Stop(win.Handle)
			w.Clean(t, before)
		})
	}
}

// undriven looks at every process of the browser's display.
func (w *World) undriven(t *testing.T, name string) {
	t.Helper()
	seen := 0
	for _, p := range w.look() {
		family, _, _ := strings.Cut(name, "-")
		if !strings.Contains(p.cmdline, family) || strings.Contains(p.cmdline, "vibespace") && !strings.Contains(p.cmdline, "profile") {
			continue
		}
		seen++
		if drives.MatchString(p.cmdline) {
			t.Errorf("a program could drive it: %s", p.cmdline)
		}
	}
	if seen < 2 {
		t.Errorf("%d processes of %s were seen", seen, name)
	}
}

// desktopActs reads the page, follows a link and fills a form, by ref.
func desktopActs(t *testing.T, agent *Caller, win Window) {
	t.Helper()
	h := win.Handle
	// A browser goes on building the tree of a page after it is shown.
	one := func(role, name string) (n Node) {
		t.Helper()
		Eventually(t, "there is the "+role+" "+name, func() bool {
			list := agent.Snapshot(h).All(role, name)
			if len(list) == 1 {
				n = list[0]
			}
			return len(list) == 1 && n.Bounds != nil
		})
		return n
	}
	agent.Act("click", h, one("link", "way to order").Ref)
	agent.OK(nil, "wait", h, "--title", "Order")
	send := one("push button", "Send")
	Eventually(t, "the page says that it is not driven", func() bool { return strings.Contains(agent.Words("snapshot", h), "driven: false") })
	field := one("entry", "Your name")
	// Chromium's fields are not written through the tree.
	if a := agent.Act("type", h, field.Ref, "Ada", "--keys"); a.Did.By != "keys" {
		t.Errorf("type: %+v", a)
	}
	Eventually(t, "the field has what was typed", func() bool { return agent.Get(h, field.Ref).Says() == "Ada" })
	agent.Act("click", h, send.Ref)
	agent.OK(nil, "wait", h, "--title", "sent Ada")
}

// TestDesktopAppBlind: a browser without a tree is opened in pixels, with
// pixels one can count on, and says why.
func TestDesktopAppBlind(t *testing.T) {
	t.Parallel()
	need.Dillo(t)
	url := serveShop(t)
	w := NewWorld(t)
	agent := w.Session("agent")
	o := agent.newDesktop("old", "--browser", "dillo", "--url", url)
	win := o.Window
	if win.Mode.Resolved != "pixels" || !strings.Contains(win.Mode.Why, "accessibility") || win.Pin == nil || *win.Pin != (Size{1920, 1080}) {
		t.Errorf("the window is %+v", win)
	}
	if p, _ := agent.Screenshot(win.Handle); p.W != 1920 || p.H != 1080 {
		t.Errorf("the picture is %dx%d", p.W, p.H)
	}
	agent.Refused("mode_pixels", "snapshot", win.Handle)
	if o := agent.newDesktop("small", "--browser", "dillo", "--size", "800x600"); o.Window.Pin == nil || *o.Window.Pin != (Size{800, 600}) {
		t.Errorf("the window is %+v", o.Window)
	}
	agent.Stop(win.Handle)
	if o := agent.newDesktop("free", "--browser", "dillo", "--size", "auto"); o.Window.Pin != nil {
		t.Errorf("the window is pinned: %+v", o.Window)
	}
}

// TestDesktopAppCap: of five browsers that a session asks for at once two are
// opened; another session has its own two.
func TestDesktopAppCap(t *testing.T) {
	t.Parallel()
	need.Dillo(t)
	w := NewWorld(t)
	agent, other := w.Session("agent"), w.Session("other")
	replies := make([]Reply, 5)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			replies[i] = agent.Browsers().Run("new", fmt.Sprint("n", i, "x"), "--backend", "desktop-app", "--browser", "dillo", "--timeout", "80s")
		})
	}
	all.Wait()
	var open []string
	for _, r := range replies {
		if r.OK {
			var o Opened
			r.Into(t, &o)
			w.see(o.Window.Display)
			open = append(open, o.Window.Handle)
		} else if r.Code != "desktop_app_cap" {
			t.Errorf("%v", r)
		}
	}
	if len(open) != 2 {
		t.Fatalf("%d are open: %v", len(open), replies)
	}
	r := agent.Browsers().Refused("desktop_app_cap", "new", "more", "--backend", "desktop-app", "--browser", "dillo")
	if r.Hint != "vibespace-window stop "+open[0] && r.Hint != "vibespace-window stop "+open[1] {
		t.Errorf("the hint is %q", r.Hint)
	}
	other.newDesktop("mine", "--browser", "dillo")
	other.Refused("not_exposed", "stop", open[0])
	w.Owner().OK(nil, "share", open[0], "--with", "session:other")
	other.Refused("not_your_browser", "stop", open[0])
	agent.Stop(open[0])
	agent.newDesktop("again", "--browser", "dillo")
}

// TestDesktopAppEnds: a browser outlives the lease and not its session; its
// profile goes with it, unless it is kept.
func TestDesktopAppEnds(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	w := NewWorld(t, "VIBESPACE_SESSIONS_GRACE=1s")
	before := w.Count()
	agent := w.Session("agent")
	kept, gone := agent.newDesktop("kept", "--keep-profile"), agent.newDesktop("gone")
	if gone.Kept != "" || !strings.HasPrefix(kept.Kept, w.State+"/") {
		t.Fatalf("kept %q and %q", kept.Kept, gone.Kept)
	}
	var left struct{ Notices []string }
	agent.OK(&left, "detach", gone.Window.Handle)
	if !strings.Contains(strings.Join(left.Notices, " "), "until your session ends") {
		t.Errorf("detach says %q", left.Notices)
	}
	w.Owner().OK(nil, "session", "end", "agent")
	Eventually(t, "they have ended", func() bool {
		var list struct{ Windows []Window }
		w.Owner().OK(&list, "list")
		return !slices.ContainsFunc(list.Windows, func(win Window) bool { return win.Ended == nil })
	})
	if _, err := os.Stat(kept.Kept + "/Local State"); err != nil {
		t.Errorf("the kept profile: %v", err)
	}
	if info, err := os.Stat(kept.Kept); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the kept profile's directory: %v, %v", info, err)
	}
	if _, err := os.Lstat(kept.Kept + "/SingletonLock"); err == nil {
		t.Error("the browser whose profile is kept was not asked to close")
	}
	if err := os.RemoveAll(filepath.Dir(kept.Kept)); err != nil {
		t.Error(err)
	}
	w.Clean(t, before)
}

// TestLadder: the rows, their refusals, and what is claimed of a site.
func TestLadder(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	agent, other := w.Session("agent").Browsers(), w.Session("other").Browsers()
	var ladder struct {
		Backends []struct {
			Name, Lease string
			Tier        int
			CDP         bool
			Available   bool
			Code        string
		}
		Claims  []struct{ Host, By, Suggestion string }
		Profile struct{ Origin string }
	}
	agent.OK(&ladder, "backend")
	names := []string{}
	for _, b := range ladder.Backends {
		names = append(names, b.Name)
		if !b.Available && b.Code == "" {
			t.Errorf("%s is not here and has no code", b.Name)
		}
	}
	if got := strings.Join(names, " "); got != "chromium cdp cloak cloud:<name> extension desktop-app local-window" {
		t.Errorf("the ladder is %s", got)
	}
	for backend, code := range map[string]string{
		"cloak": "backend_unavailable", "cloud:vendor": "backend_no_key", "extension": "backend_unavailable", "local-window": "backend_unavailable", "what": "bad_request",
	} {
		if r := agent.Refused(code, "new", "mine", "--backend", backend); r.Hint == "" {
			t.Errorf("%s: no way out: %v", backend, r)
		}
	}
	for args, code := range map[string]string{
		"new mine --url https://shop.example":                           "desktop_app_only",
		"new mine --backend desktop-app --adopt /tmp":                   "desktop_app_lacks",
		"new mine --backend desktop-app --url file:///etc/passwd":       "navigation_blocked",
		"new mine --backend desktop-app --url https://a:b@shop.example": "navigation_blocked",
		"new mine --backend desktop-app --url shop.example":             "navigation_blocked",
		"new mine --backend desktop-app --mode words":                   "bad_mode",
		"new mine --backend desktop-app --size 10x10":                   "size_out_of_bounds",
		"new w7 --backend desktop-app":                                  "bad_request",
		"blocked --url ftp://shop.example":                              "navigation_blocked",
		"blocked --url https://shop.example --tier 2 --backend cloak":   "bad_request",
	} {
		agent.Refused(code, strings.Fields(args)...)
	}
	agent.OK(nil, "blocked", "--url", "https://Shop.example/door?secret=1", "--why", "a puzzle", "--tier", "3")
	agent.OK(&ladder, "backend")
	if len(ladder.Claims) != 1 || ladder.Claims[0].Host != "shop.example" || ladder.Claims[0].By != "agent" ||
		!strings.Contains(ladder.Claims[0].Suggestion, "agent says") {
		t.Errorf("the claims are %+v", ladder.Claims)
	}
	ladder.Claims = nil
	other.OK(&ladder, "backend")
	if len(ladder.Claims) != 0 {
		t.Errorf("another session is told of them: %+v", ladder.Claims)
	}
}

// TestDesktopAppStopWaits: an agent that stops its browser under the person's
// hands is told when it ends: when they hand it back, or after one grace.
func TestDesktopAppStopWaits(t *testing.T) {
	t.Parallel()
	need.Dillo(t)
	w := NewWorld(t, "VIBESPACE_SESSIONS_GRACE=12s") // a few commands fit into it on any machine
	agent, owner := w.Session("agent"), w.Owner()
	first := agent.newDesktop("first", "--browser", "dillo").Window.Handle
	second := agent.newDesktop("second", "--browser", "dillo").Window.Handle
	ended := func(h string) bool {
		var list struct{ Windows []Window }
		owner.OK(&list, "list")
		return !slices.ContainsFunc(list.Windows, func(win Window) bool { return win.Handle == h && win.Ended == nil })
	}
	for _, h := range []string{first, second} {
		owner.OK(nil, "takeover", h)
		var once, twice struct{ EndsBy string }
		agent.OK(&once, "stop", h)
		agent.OK(&twice, "stop", h)
		if once.EndsBy == "" || twice.EndsBy != once.EndsBy {
			t.Errorf("%s ends by %q, then by %q", h, once.EndsBy, twice.EndsBy)
		}
		if ended(h) {
			t.Errorf("%s ended under the person's hands", h)
		}
		if h == first {
			owner.OK(nil, "handback", h)
		}
	}
	for _, h := range []string{first, second} {
		Eventually(t, h+" has ended", func() bool { return ended(h) })
	}
	waits := 0
	for _, h := range []string{first, second} {
		for _, row := range w.rows(h) {
			if row.Verb == "ends" {
				waits++
			}
		}
	}
	if waits != 2 {
		t.Errorf("it is said %d times that they end", waits)
	}
}
