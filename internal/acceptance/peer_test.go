package acceptance

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// peer is another client of a browser, Playwright, that is asked what it sees.
type peer struct {
	t     *testing.T
	in    io.Writer
	lines chan []byte
}

// newPeer connects one to a browser's endpoint. It goes with the test and leaves
// the browser as it is.
func newPeer(t *testing.T, address string) *peer {
	t.Helper()
	node, module := need.Playwright(t)
	dir := need.Dir(t)
	cmd := exec.Command(node, filepath.Join(filepath.Dir(fixtures.Source(t)), "peer.cjs"), module, address)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, in: in, lines: make(chan []byte, 100)}
	go func() {
		defer close(p.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait()
	})
	p.answer("connect", nil)
	return p
}

// answer reads the next answer into value.
func (p *peer) answer(what string, value any) {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		var a struct {
			OK    bool
			Value json.RawMessage
			Error string
		}
		if !ok || json.Unmarshal(line, &a) != nil || !a.OK {
			p.t.Fatalf("the other client, %s: %s", what, line)
		}
		if value != nil {
			if err := json.Unmarshal(a.Value, value); err != nil {
				p.t.Fatalf("the other client, %s: %s: %v", what, line, err)
			}
		}
	case <-time.After(90 * time.Second):
		p.t.Fatalf("the other client does not answer %s", what)
	}
}

// asks has the peer do something: see the commands of peer.cjs.
func asks[T any](p *peer, do string, with map[string]any) T {
	p.t.Helper()
	var value T
	command := map[string]any{"do": do}
	for k, v := range with {
		command[k] = v
	}
	raw, err := json.Marshal(command)
	if err == nil {
		_, err = p.in.Write(append(raw, '\n'))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.answer(string(raw), &value)
	return value
}

// at is an element by role and name.
func at(role, name string) map[string]any { return map[string]any{"role": role, "name": name} }

// TestWhatAnotherClientSees: in one browser, what we tell of a page is what
// Playwright tells of it, which reads the DOM and not the accessibility tree:
// roles and names both ways, the values of what was filled, checked and
// selected by us and by it, where navigations lead, dialogs and tabs.
func TestWhatAnotherClientSees(t *testing.T) {
	t.Parallel()
	need.Playwright(t)
	address, site := theirBrowser(t), fixtures.Pages(t)
	w := NewWorld(t)
	agent := w.Session("a")
	agent.Browsers().OK(nil, "new", "their", "--backend", "cdp", "--address", address)
	agent.Browsers().OK(nil, "use", "their")
	agent.Browsers().Refused("profile_changed", "open", site.URL+"/basic.html")
	agent.page("open", site.URL+"/basic.html")
	p := newPeer(t, address)
	for _, page := range []string{"basic.html", "fields.html", "tabs.html", "refs.html"} {
		agent.page("open", site.URL+"/"+page)
		asks[string](p, "page", map[string]any{"url": site.URL + "/" + page})
		p.sameTree(page, agent.page("snapshot", "--all"))
	}
	p.sameFields(agent, site.URL)
	p.sameWays(agent, site.URL)
}

// comparable are the roles that both clients count alike.
var comparable = []string{
	"button", "checkbox", "combobox", "heading", "link", "listbox", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "textbox",
}

// sameTree compares a snapshot with what the peer finds: as many of each role
// and name, and none besides.
func (p *peer) sameTree(page string, s Page) {
	p.t.Helper()
	counts, named := map[string]int{}, map[[2]string]int{}
	for _, n := range s.Nodes {
		if slices.Contains(comparable, n.Role) {
			counts[n.Role]++
			named[[2]string{n.Role, n.Name}]++
		}
	}
	if len(named) == 0 {
		p.t.Errorf("%s: nothing to compare in %+v", page, s.Nodes)
	}
	for _, role := range comparable {
		if role == "option" || role == "textbox" && page == "fields.html" {
			continue // those of a closed list are folded; a date is a text box to the other client
		}
		if theirs := asks[int](p, "count", map[string]any{"role": role}); theirs != counts[role] {
			p.t.Errorf("%s: %d of role %s are told, and the other client sees %d", page, counts[role], role, theirs)
		}
	}
	for what, n := range named {
		if what[1] == "" {
			continue
		}
		if theirs := asks[int](p, "count", at(what[0], what[1])); theirs != n {
			p.t.Errorf("%s: %d %s %q are told, and the other client sees %d", page, n, what[0], what[1], theirs)
		}
	}
}

// sameFields compares what fields hold after we filled them, and after it did.
func (p *peer) sameFields(agent *Caller, url string) {
	t := p.t
	t.Helper()
	agent.page("open", url+"/fields.html")
	asks[string](p, "page", map[string]any{"url": url + "/fields.html"})
	ref := func(role, name string) string {
		t.Helper()
		nodes := agent.page("find", "--role", role, "--name", name).Nodes
		if len(nodes) == 0 {
			t.Fatalf("no %s %q", role, name)
		}
		return nodes[0].Ref
	}
	for name, text := range map[string]string{"Long": "one\ntwo 😀", "Controlled": "Ada", "Number": "12.5"} {
		role := "textbox"
		if name == "Number" {
			role = "spinbutton"
		}
		agent.Browsers().OK(nil, "fill", ref(role, name), text)
		if got := asks[string](p, "value", at(role, name)); got != text {
			t.Errorf("%s was filled with %q and holds %q for the other client", name, text, got)
		}
	}
	asks[any](p, "fill", map[string]any{"role": "textbox", "name": "Long", "text": "by the other"})
	var got struct{ Node Node }
	agent.Browsers().OK(&got, "get", ref("textbox", "Long"))
	if got.Node.Text == nil || *got.Node.Text != "by the other" {
		t.Errorf("the other client filled it, and it is told as %+v", got.Node)
	}
	agent.Browsers().OK(nil, "check", ref("checkbox", "Box"))
	if !asks[bool](p, "checked", at("checkbox", "Box")) {
		t.Error("the box that was checked is not, for the other client")
	}
	asks[any](p, "check", at("radio", "B"))
	agent.Browsers().OK(&got, "get", ref("radio", "B"))
	if !got.Node.Is("checked") {
		t.Errorf("the other client chose it, and it is told as %+v", got.Node)
	}
	agent.Browsers().OK(nil, "select", ref("combobox", "One"), "Beta")
	if chosen := asks[[]string](p, "selected", at("combobox", "One")); !slices.Equal(chosen, []string{"Beta"}) {
		t.Errorf("Beta was selected, and the other client sees %q", chosen)
	}
}

// sameWays compares where pages lead: a link, a dialog, a tab.
func (p *peer) sameWays(agent *Caller, url string) {
	t := p.t
	t.Helper()
	agent.page("open", url+"/dialogs.html")
	asks[string](p, "page", map[string]any{"url": url + "/dialogs.html"})
	click := func(role, name string) {
		t.Helper()
		agent.Browsers().OK(nil, "click", agent.page("find", "--role", role, "--name", name).Nodes[0].Ref)
	}
	click("button", "Confirm")
	type dialog struct{ Kind, Message string }
	var seen []dialog
	Eventually(t, "the other client sees the dialog", func() bool {
		seen = asks[[]dialog](p, "dialogs", nil)
		return len(seen) > 0
	})
	var ours struct{ Dialog *dialog }
	agent.Browsers().OK(&ours, "dialog")
	if ours.Dialog == nil || len(seen) != 1 || seen[0] != *ours.Dialog {
		t.Errorf("the dialog is told as %+v, and the other client sees %+v", ours.Dialog, seen)
	}
	agent.Browsers().OK(nil, "dialog", "accept")
	click("link", "Leave")
	led := asks[string](p, "see", map[string]any{"title": "Basic"})
	if s := agent.page("snapshot"); s.URL != led || s.Title != "Basic" {
		t.Errorf("the link leads to %s (%s), and for the other client to %s", s.URL, s.Title, led)
	}
	agent.page("open", url+"/tabs.html")
	click("button", "Popup")
	Eventually(t, "both see the same tabs", func() bool {
		var mine []string
		for _, tab := range agent.page("tab").Tabs {
			mine = append(mine, tab.URL)
		}
		theirs := slices.DeleteFunc(asks[[]string](p, "pages", nil), func(u string) bool { return !strings.HasPrefix(u, url) })
		slices.Sort(mine)
		slices.Sort(theirs)
		return len(mine) == 2 && slices.Equal(mine, theirs)
	})
}
