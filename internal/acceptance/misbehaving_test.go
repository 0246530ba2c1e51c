package acceptance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"vibespace/fixtures"
)

const (
	// hostileSecret is what hostile.py has in its password field.
	hostileSecret = "Zq9hostileZq9"
	// daemonMemory is what the daemon may hold, whatever it is told, in kB.
	daemonMemory = 200_000
)

// TestMisbehavingApplications: whatever an application says through its tree,
// the answer comes in its time, is one line a node, the daemon stays small, and
// the window beside it is served as before.
func TestMisbehavingApplications(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	healthy := w.Default().fixture("gtk3.py")
	alpha := healthy.node("Alpha")
	for _, deed := range []struct {
		name  string
		codes []string // the refusals a snapshot may answer; with none it must not refuse
		sees  []string // names of controls that are in the tree all the same
		most  int      // nodes listed at most, 0 for a handful
	}{
		{name: "", sees: []string{"Alpha", "Beta", "Field", "Password"}},
		{name: "cycle", sees: []string{"Alpha", "Beta"}},
		{name: "endless", most: 1000},
		{name: "million", most: 1000},
		{name: "huge", codes: []string{"not_responding", "mode_pixels", "no_tree"}},
		{name: "names", sees: []string{"Field", "Password"}},
		{name: "invalid", codes: []string{"not_responding", "mode_pixels", "no_tree"}},
		{name: "dying", sees: []string{"Beta"}},
		{name: "silent", codes: []string{"not_responding"}},
		{name: "mute", sees: []string{"Alpha"}},
		{name: "flood", codes: []string{"not_responding"}},
		{name: "types", codes: []string{"not_responding"}},
		{name: "index", sees: []string{"Alpha"}},
		{name: "empty", sees: []string{"Alpha", "Beta"}},
		{name: "password", sees: []string{"Password"}},
	} {
		t.Run("does "+deed.name, func(t *testing.T) {
			c := w.Default().In(t)
			open := []string{"open", fixtures.Path(t, "hostile.py"), "--timeout", "20s"}
			if deed.name != "" {
				open = append(open, "--", "--do", deed.name)
			}
			var o Opened
			if r := c.OK(&o, open...); r.Took > 21*time.Second+prompt {
				t.Errorf("opened in %v", r.Took)
			}
			w.see(o.Window.Display)
			h := o.Window.Handle
			// Some begin a second after they are shown, and each is looked at more
			// than once: what is kept of the first look must not lie about the next.
			for round := range 3 {
				r := c.Run("snapshot", h, "--timeout", "4s")
				if r.Code == "timeout" { // a busy machine needs more
					r = c.Run("snapshot", h, "--timeout", "20s")
				}
				if r.Took > 5*time.Second+prompt {
					t.Errorf("round %d: answered in %v", round, r.Took)
				}
				switch {
				case r.OK:
					var s Snapshot
					r.Into(t, &s)
					checkHostileTree(t, s, deed.sees, max(deed.most, 20), round)
				case !slices.Contains(deed.codes, r.Code):
					t.Errorf("round %d: %v", round, r)
				}
				oneLineEach(t, c.anyWords("snapshot", h, "--all"))
				if r := healthy.Run("get", healthy.handle, alpha.Ref); !r.OK || r.Took > prompt {
					t.Errorf("the window beside it: %v in %v", r, r.Took)
				}
				time.Sleep(400 * time.Millisecond)
			}
			for _, args := range [][]string{{"find", h, "--name", hostileSecret}, {"get", h, "@e4", "all"}, {"get", h, "@e4", "text"}} {
				if r := c.Run(args...); strings.Contains(strings.Replace(string(r.JSON), `"find"`, "", 1), hostileSecret) && r.OK {
					t.Errorf("%q tells the password: %s", args, r.JSON)
				}
			}
			c.OK(nil, "screenshot", h)
			if kb := w.daemonMemory(); kb > daemonMemory {
				t.Errorf("the daemon holds %d kB", kb)
			}
			if r := c.OK(nil, "stop", h); r.Took > prompt {
				t.Errorf("stopped in %v", r.Took)
			}
		})
	}
	healthy.log.Mark()
	healthy.clicks(healthy.node("Beta"), control{"Beta", fixtures.Clicked("Beta")})
}

// checkHostileTree looks at a tree of the hostile program.
func checkHostileTree(t *testing.T, s Snapshot, sees []string, most, round int) {
	t.Helper()
	if len(s.Nodes) > most {
		t.Errorf("round %d: %d nodes", round, len(s.Nodes))
	}
	names := map[string]bool{}
	for _, n := range s.Nodes {
		names[n.Name] = true
		if strings.Contains(n.Says(), hostileSecret) || strings.Contains(n.Name, hostileSecret) {
			t.Errorf("round %d: the password is told: %+v", round, n)
		}
	}
	for _, name := range sees {
		if !names[name] {
			t.Errorf("round %d: %q is not in the tree: %v", round, name, names)
		}
	}
}

// oneLineEach fails the test when a text answer could be read as anything but a
// node a line.
func oneLineEach(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			t.Errorf("the text holds %U: %.400q", r, text)
			return
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), `push button "Fake"`) {
			t.Errorf("a name became a line: %q", line)
		}
	}
}

// anyWords gives the text answer of a command, whether it is done or refused.
func (c *Caller) anyWords(args ...string) string {
	c.t.Helper()
	r := c.w.run(c.w.program(c.program), append(slices.Clip(c.w.env), c.env...), nil, args)
	return string(r.JSON) + r.Stderr
}

// daemonMemory is the resident memory of the daemon, in kB.
func (w *World) daemonMemory() int {
	w.t.Helper()
	var ps struct {
		Daemon int `json:"daemon"`
	}
	w.Owner().OK(&ps, "ps")
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", ps.Daemon))
	if err != nil {
		w.t.Fatal(err)
	}
	kb := 0
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &kb)
	}
	if kb == 0 {
		w.t.Fatalf("no memory in %s", status)
	}
	return kb
}
