package acceptance

import (
	"slices"
	"strings"
	"testing"

	"vibespace/fixtures"
)

// TestKeyMissingModifier: of several chords the one whose modifier no key has
// is found before the first is pressed.
func TestKeyMissingModifier(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	p.focus(p.node("Notes"))
	p.log.Mark()
	r := p.Refused("bad_key", "key", p.handle, "a", "hyper+b")
	if !strings.Contains(r.Message, "hyper") || r.Hint == "" {
		t.Errorf("%v", r)
	}
	p.Act("key", p.handle, "c")
	p.log.Wait(t, fixtures.Typed("Notes", "c"), seen)
	p.Stop(p.handle)
}

// TestWaitExpires: a wait whose time runs out says what it was for and what
// was there instead.
func TestWaitExpires(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	for _, c := range []struct{ args, waited, seen string }{
		{"--title Nope", `title "Nope"`, `main window "Fixture GTK3"`},
		{"--title Fixture --gone", `title "Fixture"`, `main window "Fixture GTK3"`},
		{"--window", "another window", `main window "Fixture GTK3"`},
		{"--text Nope", `text "Nope"`, "no element says it"},
		{"--text Alpha --gone", `text "Alpha"`, "an element says it"},
		{"--name Nope", `element "Nope"`, "nothing like it among "},
		{"--role combo_box --name Nope", `combo box "Nope"`, `combo box "Colour"`},
		{"--role check_box --name Check_Off --state enabled", `check box "Check Off" [enabled]`, `check box "Check Off" [`},
		{"--role check_box --name Check_Off --gone", `check box "Check Off"`, `check box "Check Off" [`},
		{"--exit", "the application's end", "it runs"},
	} {
		args := []string{"wait", p.handle}
		for _, word := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(word, "_", " "))
		}
		var r Reply
		var seen string
		for _, limit := range []string{"700ms", "20s"} { // a busy machine may not come to look within the first
			r = p.Refused("timeout", append(slices.Clip(args), "--timeout", limit)...)
			if seen, _ = r.Details["seen"].(string); strings.Contains(seen, c.seen) {
				break
			}
		}
		if r.Status != 4 || r.Details["waitedFor"] != c.waited || !strings.Contains(seen, c.seen) || !strings.HasPrefix(r.Message, c.waited) {
			t.Errorf("%s: %v", c.args, r)
		}
	}
	p.Stop(p.handle)
}

// TestCloseBehindDialog: a window that a dialog keeps from closing is not told
// as done without a change: the dialog is named, also one whose program answers
// nothing meanwhile.
func TestCloseBehindDialog(t *testing.T) {
	t.Parallel()
	t.Run("question", func(t *testing.T) {
		t.Parallel()
		a := NewWorld(t).Default()
		h := a.Open("mousepad").Handle
		a.Act("key", h, "x")
		a.Told(a.Act("close", h), h, "Save Changes")
		inTheWay(t, a.Act("close", h), `dialog "Save Changes" window 1`)
		a.Stop(h)
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		p := NewWorld(t).Default().fixture("gtk3.py")
		p.Act("click", p.handle, p.ref("Open Modal"))
		p.log.Wait(t, fixtures.Dialog("Modal", true), seen)
		Eventually(t, "the dialog is listed", func() bool { return len(p.parts()) == 1 })
		inTheWay(t, p.Act("close", p.handle), `dialog "Modal" window 1`)
		p.Stop(p.handle)
	})
	t.Run("menu", func(t *testing.T) {
		t.Parallel()
		a := NewWorld(t).Default()
		h := a.Open("mousepad").Handle
		a.Act("key", h, "alt+f")
		Eventually(t, "the menu is listed", func() bool {
			var l struct{ Windows []Window }
			a.OK(&l, "list")
			return len(l.Windows) == 1 && slices.ContainsFunc(l.Windows[0].Windows, func(p Part) bool { return p.Kind == "popup" })
		})
		got := a.Act("close", h)
		if o := got.Observed; o == nil || len(o.Diff) != 1 || !strings.HasPrefix(o.Diff[0], "= popup ") || !strings.Contains(o.Diff[0], "stands in the way") {
			t.Errorf("%+v", o)
		}
		a.Stop(h)
	})
}

// inTheWay wants a dialog named as what keeps a window open.
func inTheWay(t *testing.T, a Acted, dialog string) {
	t.Helper()
	if a.Observed == nil || a.Observed.Failed != "" || len(a.Observed.Diff) != 1 ||
		!strings.HasPrefix(a.Observed.Diff[0], "= "+dialog) || !strings.Contains(a.Observed.Diff[0], "stands in the way") {
		t.Errorf("%+v", a.Observed)
	}
}

// TestTypeTruncated: a field of a bounded length that takes a part of a text is
// not verified, and the answer counts what it holds.
func TestTypeTruncated(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py", "--max", "5")
	name := p.ref("Name")
	for _, flag := range []string{"", "--keys"} {
		args := []string{"type", p.handle, name, "é23456789", "--replace"}
		if flag != "" {
			args = append(args, flag)
		}
		var a struct {
			Verified *bool
			Differs  *struct{ Wanted, Has int }
		}
		r := p.OK(&a, args...)
		if a.Verified == nil || *a.Verified || a.Differs == nil || a.Differs.Wanted != 9 || a.Differs.Has != 5 {
			t.Errorf("%q: %s", flag, r.JSON)
		}
		if strings.Contains(string(r.JSON), "3456789") {
			t.Errorf("the text is in the answer: %s", r.JSON)
		}
	}
	if now := p.Get(p.handle, name).Says(); now != "é2345" {
		t.Errorf("the field holds %q", now)
	}
	p.Stop(p.handle)
}

// TestFindByStateAndExpression: elements are found by a state they have or lack,
// and by an expression for their name.
func TestFindByStateAndExpression(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit)
			radio := "radio button"
			if kit == "gtk4.py" {
				radio = "check box" // as GTK 4.8 has it
			}
			for _, c := range []struct {
				args []string
				want string
			}{
				{[]string{"--name", "/^(Alpha|Gam+a)$/", "--role", "push button"}, "Alpha Gamma"},
				{[]string{"--name", "/^row [24]$/"}, ""},
				{[]string{"--name", "/(?i)^row [24]$/", "--role", "push button"}, "Row 2 Row 4"},
				{[]string{"--state", "-enabled", "--role", "push button"}, "Disabled"},
				{[]string{"--state", "disabled", "--role", "push button", "--name", "/d$/"}, "Disabled"},
				{[]string{"--state", "checked", "--role", radio, "--name", "Radio"}, "Radio One"},
				{[]string{"--state", "-checked", "--role", radio, "--name", "Radio"}, "Radio Two"},
				{[]string{"--state", "unchecked", "--role", radio, "--name", "Radio"}, "Radio Two"},
			} {
				var f Found
				p.OK(&f, append([]string{"find", p.handle}, c.args...)...)
				var names []string
				for _, n := range f.Nodes {
					names = append(names, n.Name)
				}
				slices.Sort(names)
				if got := strings.Join(names, " "); got != c.want {
					t.Errorf("%q: %q, want %q", c.args, got, c.want)
				}
			}
			for _, bad := range [][]string{{"--name", "/(/"}, {"--state", "sideways"}} {
				if r := p.Refused("bad_request", append([]string{"find", p.handle}, bad...)...); r.Hint == "" {
					t.Errorf("%v", r)
				}
			}
			p.Stop(p.handle)
		})
	}
}

// TestClosedWindowIsNamed: a main window that went is told by its title: its
// number is the next one's as well.
func TestClosedWindowIsNamed(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	p.Act("click", p.handle, p.ref("Open Dialog"), "--expect", "window=Dialog")
	a := p.Act("close", p.handle)
	// The application ends with its window, before or after it was looked at.
	if a.Observed == nil || !slices.Contains(a.Observed.Diff, `- main window "Fixture GTK3"`) && !strings.Contains(a.Observed.Failed, "has ended") {
		t.Errorf("%+v", a.Observed)
	}
}
