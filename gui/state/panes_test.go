package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/api"
)

func TestPanes(t *testing.T) {
	t.Parallel()
	win := func(h api.Handle, opener api.SessionID) api.Window { return api.Window{Handle: h, Opener: opener} }
	ended := func(w api.Window) api.Window { w.Ended = &api.Ended{}; return w }
	a1, a2, a3, b1, mine := win("w1", "alice"), win("w2", "alice"), win("w3", "alice"), win("w4", "bob"), win("w5", "")
	var p Panes
	step := func(name string, windows []api.Window, want ...api.Handle) {
		t.Helper()
		p.Follow(windows, true)
		if !slices.Equal(p.Shown, want) {
			t.Errorf("%s: %v, not %v", name, p.Shown, want)
		}
	}
	step("what was there before opens nothing", []api.Window{a1})
	step("in an empty room it appears", []api.Window{a1, a2}, "w2")
	step("another agent's does not come beside", []api.Window{a1, a2, b1}, "w2")
	step("the same agent's does", []api.Window{a1, a2, b1, a3}, "w2", "w3")
	step("a launched one changes nothing", []api.Window{a1, a2, b1, a3, mine}, "w2", "w3")
	step("one that ends closes, the other stays", []api.Window{a1, ended(a2), b1, a3, mine}, "w3")
	p.Beside("w5")
	step("beside", []api.Window{a1, b1, a3, mine}, "w3", "w5")
	step("mine that ended stays to be read", []api.Window{a3, ended(mine)}, "w3", "w5")
	p.Show("w5")
	step("showing what is shown moves nothing", []api.Window{a3, ended(mine)}, "w3", "w5")
	p.Swap()
	step("swapped", []api.Window{a3, ended(mine)}, "w5", "w3")
	p.Close("w5")
	step("closed", []api.Window{a3, ended(mine)}, "w3")
	p.Show("w4")
	step("one that is gone is not shown", []api.Window{a3})
	var quiet Panes
	quiet.Follow(nil, false)
	if quiet.Follow([]api.Window{a1}, false) || len(quiet.Shown) != 0 {
		t.Error("what is not to be followed is")
	}
	for in, want := range map[float64]float64{0: 0.5, 0.01: DividerLeast, 0.99: DividerMost, 0.3: 0.3} {
		if got := (&Panes{Divider: in}).At(); got != want {
			t.Errorf("the divider at %v is at %v", in, got)
		}
	}
}

func TestApps(t *testing.T) {
	t.Parallel()
	apps := []api.AppInfo{{App: "org.x.mousepad", Name: "Mousepad"}, {App: "firefox-esr", Name: "Firefox ESR"}, {App: "pad", Name: "Feather Pad"}}
	names := func(list []api.AppInfo) string {
		var s []string
		for _, a := range list {
			s = append(s, a.Name)
		}
		return strings.Join(s, ",")
	}
	for query, want := range map[string]string{
		"": "Mousepad,Firefox ESR,Feather Pad", "pad": "Mousepad,Feather Pad", "fe": "Feather Pad",
		"esr fire": "Firefox ESR", "ORG": "Mousepad", "zzz": "", "f": "Firefox ESR,Feather Pad",
	} {
		if got := names(Search(apps, query)); got != want {
			t.Errorf("%q finds %q, not %q", query, got, want)
		}
	}
	recent := Used(Used(Used(nil, "pad"), "gone"), "pad")
	if got := names(RecentApps(apps, recent)); got != "Feather Pad" || len(recent) != 2 {
		t.Errorf("%v, %q", recent, got)
	}
	for i := range 20 {
		recent = Used(recent, fmt.Sprint(i))
	}
	if len(recent) != recentApps || recent[0] != "19" {
		t.Error(recent)
	}
	if Initial(api.AppInfo{Name: " 字"}) != "字" || Initial(api.AppInfo{}) != "?" {
		t.Error("an initial")
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	a := api.SessionAnswer{Label: "alice", Token: "t'k", Env: map[string]string{"VIBESPACE_SOCKET": "/run/s", "VIBESPACE_SESSION_TOKEN": "t'k"}}
	if got := EnvText(a); got != "export VIBESPACE_SESSION_TOKEN='t'\\''k'\nexport VIBESPACE_SOCKET='/run/s'\n" {
		t.Error(got)
	}
	text, err := MCPText(a, "/opt/vibespace-window")
	if err != nil || !strings.Contains(text, `"command": "/opt/vibespace-window"`) || !strings.Contains(text, `"mcp"`) {
		t.Error(text, err)
	}
	list := Grantees(English, []api.SessionInfo{{Label: "alice"}}, []api.GroupInfo{{Group: "team"}})
	if fmt.Sprint(list) != "[{ Only me} {group:team Group team} {session:alice Agent alice}]" {
		t.Error(list)
	}
	if GranteeName(English, "group:team") != "Group team" || GranteeName(English, "session:a") != "Agent a" {
		t.Error("names of shares")
	}
	if first, again := Hue("alice"), Hue("alice"); first != again || first == Hue("") {
		t.Error("colours")
	}
	for _, m := range Modes {
		if ModeName(English, m) == "" || !strings.HasPrefix(ModeMeans(English, m, "Agent a"), "Agent a ") {
			t.Error(m)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"The VibeSpace daemon does not answer. — vibespace doctor": api.Refuse(api.Unreachable, "no daemon listens on /x").WithHint("vibespace up"),
		"gimp cannot be opened here: no such program — vibespace-window apps": api.Refuse(api.AppNotFound, "gimp cannot be opened here: no such program").
			WithHint("vibespace-window apps"),
		"That window is not there any more.": api.Refuse(api.NotExposed, "there is no window w9 here"),
		"a b":                                errors.New("a\nb"),
	} {
		if got := FaultOf(English, fmt.Errorf("wrapped: %w", err)); got.String() != want && got.String() != "wrapped: "+want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := ReadSettings("", Japanese)
	if s.Lang != Japanese || s.Look != LookSystem || !s.Follow {
		t.Errorf("at first %+v", s)
	}
	s.Look, s.Divider, s.Recent = LookDark, 0.99, []string{"a"}
	back := ReadSettings(s.Write(), English)
	if back.Look != LookDark || back.Lang != Japanese || back.Divider != DividerMost || len(back.Recent) != 1 {
		t.Errorf("came back as %+v", back)
	}
	for _, text := range []string{"{", `{"look":"neon","lang":"xx","divider":-4}`, `{"recent":7}`} {
		if s := ReadSettings(text, English); s.Look != LookSystem || s.Lang != English || s.Divider < DividerLeast {
			t.Errorf("%s is %+v", text, s)
		}
	}
}
