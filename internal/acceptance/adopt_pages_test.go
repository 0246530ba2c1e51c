package acceptance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/need"
)

// browserPIDs are the first processes of the world's browsers on a pipe, and
// their keepers.
func (w *World) browserPIDs() (browsers, keepers []int) {
	w.t.Helper()
	for _, p := range w.scan(true) {
		switch {
		case strings.Contains(p.cmdline, "--remote-debugging-pipe") && !strings.Contains(p.cmdline, "--type="):
			browsers = append(browsers, p.pid)
		case strings.HasSuffix(strings.TrimRight(strings.ReplaceAll(p.cmdline, "\x00", " "), " "), " keeper"):
			keepers = append(keepers, p.pid)
		}
	}
	slices.Sort(browsers)
	slices.Sort(keepers)
	return browsers, keepers
}

// browsersAre waits until the world has so many browsers, and gives them: what a
// browser has forked and not yet made another program has its command line.
func (w *World) browsersAre(t *testing.T, want int) (pids []int) {
	t.Helper()
	Eventually(t, fmt.Sprintf("there are %d browsers", want), func() bool {
		pids, _ = w.browserPIDs()
		return len(pids) == want
	})
	return pids
}

// tabList is a session's tabs in a word each, the active one marked.
func (c *Caller) tabList(args ...string) string {
	c.t.Helper()
	p := c.page(append([]string{"tab"}, args...)...)
	words := []string{}
	for _, tab := range p.Tabs {
		word := tab.ID
		if tab.Active {
			word += "*"
		}
		words = append(words, word)
	}
	return fmt.Sprintf("%s, %d of others", strings.Join(words, " "), p.Others)
}

// refNumber is the 7 of "@e7".
func refNumber(t *testing.T, ref string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(ref, "@e"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBrowserOutlivesDaemon: the browsers of a daemon that was killed go on
// under the next one, each with its page as it stood, and each session has its
// tabs, its profile and nobody else's; what was told of elements is stale, and
// no number is given twice. A takeover lasts.
func TestBrowserOutlivesDaemon(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t)
	before := w.Count()
	owner, a, b := w.Owner(), w.Session("a"), w.Session("b")
	owner.OK(nil, "group", "new", "team")
	owner.OK(nil, "group", "add", "team", "a")
	owner.OK(nil, "group", "add", "team", "b")
	own := a.page("open", url+"/?be=a")
	a.Browsers().OK(nil, "new", "kept", "--group", "team", "--headless")
	in := []string{"--profile", "kept"}
	for _, c := range []*Caller{a, b} {
		c.Browsers().OK(nil, "use", "kept")
		c.page(append([]string{"open", url + "/?be=team"}, in...)...)
	}
	alone := []string{"--profile", own.Profile.Handle}
	field := a.page(append([]string{"find", "--role", "textbox"}, alone...)...).Nodes[0]
	a.Browsers().OK(nil, append([]string{"fill", field.Ref, "Ada"}, alone...)...)
	link := a.page(append([]string{"find", "--role", "link"}, in...)...).Nodes[0]
	a.Browsers().OK(nil, append([]string{"click", link.Ref}, in...)...)
	Eventually(t, "the page's tab is there", func() bool { return len(a.page(append([]string{"tab"}, in...)...).Tabs) == 2 })
	child := a.child()
	lists := func() string { return a.tabList(alone...) + "; " + a.tabList(in...) + "; " + b.tabList(in...) }
	was := lists()
	pids := w.browsersAre(t, 2)

	w.killDaemon()
	r := a.Browsers().Refused("stale_ref", append([]string{"fill", field.Ref, "Eve"}, alone...)...)
	said := fmt.Sprint(r.Details["notices"])
	Eventually(t, "the session is told, with its first answer as a rule", func() bool {
		if !strings.Contains(said, "stale until the next snapshot") {
			said += fmt.Sprint(a.page(append([]string{"tab"}, alone...)...).Notices)
		}
		return strings.Contains(said, "browser of "+own.Profile.Handle)
	})
	if now := lists(); now != was {
		t.Errorf("the tabs are %s, and were %s", now, was)
	}
	if now := w.browsersAre(t, len(pids)); !slices.Equal(now, pids) {
		t.Errorf("the browsers are %v, and were %v", now, pids)
	}
	again := a.page(append([]string{"snapshot"}, alone...)...)
	i := slices.IndexFunc(again.Nodes, func(n Node) bool { return n.Role == "textbox" })
	if i < 0 || again.Nodes[i].Text == nil || *again.Nodes[i].Text != "Ada" {
		t.Fatalf("the field that was filled is %+v", again.Nodes)
	}
	if again.Tab != own.Tab || again.URL != own.URL || refNumber(t, again.Nodes[0].Ref) <= refNumber(t, field.Ref) {
		t.Errorf("the page is %s of %s with %s; it was %s of %s", again.URL, again.Tab, again.Nodes[0].Ref, own.URL, own.Tab)
	}
	a.Browsers().OK(nil, append([]string{"fill", again.Nodes[i].Ref, "Bob"}, alone...)...)
	if got := b.page(append([]string{"find", "--role", "heading"}, in...)...).says(); got != "cookie team, storage team" {
		t.Errorf("b reads %q", got)
	}
	b.Browsers().Refused("not_your_tab", append([]string{"snapshot", "--tab", "t1"}, in...)...)
	b.Browsers().Refused("not_exposed", append([]string{"snapshot"}, alone...)...)

	// Under the person's hands it stays so, and what closed meanwhile is gone.
	owner.OK(nil, "takeover", own.Profile.Handle)
	w.killDaemon()
	a.Browsers().Refused("browser_paused", append([]string{"snapshot"}, alone...)...)
	owner.OK(nil, "handback", own.Profile.Handle)
	a.page(append([]string{"snapshot"}, alone...)...)
	a.page("open", url, "--profile", child)

	// What ended while no daemon ran is stopped, and starts anew.
	_, keepers := w.browserPIDs()
	w.killDaemon()
	for _, pid := range keepers {
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	Eventually(t, "no Chromium is left", func() bool { return w.chromiums() == 0 })
	b.Browsers().Refused("browser_stopped", append([]string{"find", "--role", "heading"}, in...)...)
	a.Browsers().Refused("browser_stopped", append([]string{"find", "--role", "heading"}, alone...)...)
	b.page(append([]string{"open", url}, in...)...)
	if got := b.page(append([]string{"find", "--role", "heading"}, in...)...).says(); got != "cookie team, storage team" {
		t.Errorf("the kept profile says %q", got)
	}
	for _, c := range []string{"a", "b"} {
		owner.OK(nil, "session", "end", c)
	}
	w.nothingRuns(t, before)
}

// nothingRuns waits until no process and no display is left beyond base: kept
// profiles stay.
func (w *World) nothingRuns(t *testing.T, base Left) {
	t.Helper()
	var left Left
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); {
		left = w.Count().Beyond(base)
		if len(left.Processes)+len(left.Displays)+len(left.Segments) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left behind: %s", left)
}

// TestBrowserOfNobodyEnds: a browser whose session ends under the person's hands
// waits for them, also under the next daemon; one whose agent is gone as well
// ends soon after its start.
func TestBrowserOfNobodyEnds(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	url := serveVisits(t)
	w := NewWorld(t, "VIBESPACE_SESSIONS_GRACE=10m")
	before := w.Count()
	owner, a := w.Owner(), w.Session("a")
	driven := a.page("open", url).Profile.Handle
	theirs := w.browsersAre(t, 1)
	agent := w.Default().Browsers().Start("mcp")
	agent.call("open", `{"url":"`+url+`"}`)
	owner.OK(nil, "takeover", driven)
	owner.OK(nil, "session", "end", "a")
	w.browsersAre(t, 2)
	w.killDaemon()
	if err := agent.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	owner.OK(nil, "list")
	Eventually(t, "the agent's has ended, and the person's has not", func() bool {
		now, _ := w.browserPIDs()
		return slices.Equal(now, theirs)
	})
	owner.OK(nil, "handback", driven)
	w.nothingRuns(t, before)
}

// call has a server of tools run one of them, and waits for its answer.
func (l *Lines) call(tool, arguments string) {
	l.t.Helper()
	l.Say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`)
	late := time.After(90 * time.Second)
	for {
		select {
		case line, ok := <-l.lines:
			if !ok {
				l.t.Fatalf("no answer to %s: %s", tool, l.stderr.String())
			}
			if strings.Contains(string(line), `"id":2`) {
				if !strings.Contains(string(line), `\"ok\":true`) && !strings.Contains(string(line), `"ok":true`) {
					l.t.Fatalf("%s: %s", tool, line)
				}
				return
			}
		case <-late:
			l.t.Fatalf("no answer to %s comes: %s", tool, l.stderr.String())
		}
	}
}
