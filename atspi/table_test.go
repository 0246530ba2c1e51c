package atspi

import (
	"slices"
	"strings"
	"testing"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	for role, want := range map[Role]string{
		0: "invalid", 7: "check box", 23: "frame", 40: "password text", 43: "push button", 61: "text", 75: "application",
		88: "link", 95: "document web", 129: "push button menu", 130: "unknown", 1 << 31: "unknown",
	} {
		if got := role.String(); got != want {
			t.Errorf("role %d is %q, want %q", role, got, want)
		}
	}
	for i, name := range roleNames {
		if role, ok := RoleNamed(name); !ok || role != Role(i) {
			t.Errorf("%q is %v", name, role)
		}
	}
	if role, ok := RoleNamed("button"); !ok || role != RolePushButton {
		t.Errorf("button is %v", role)
	}
	if _, ok := RoleNamed("no such role"); ok {
		t.Error("a role that is none")
	}
	if RolePushButtonMenu != 129 || RolePasswordText != 40 {
		t.Error("the constants are not AT-SPI's numbers")
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []uint32
		want  string
	}{
		{nil, ""},
		{[]uint32{}, ""},
		{[]uint32{1 << 25, 0}, "showing"},
		{[]uint32{1<<24 | 1<<8 | 1<<25 | 1<<30}, "enabled sensitive showing visible"},
		{[]uint32{1 << 31, 1 << 0}, "indeterminate manages-descendants"},
		{[]uint32{0, 1<<9 | 1<<11}, "checkable read-only"},
		{[]uint32{0, 1 << 12}, ""}, // the end marker is no state
		{[]uint32{0, 1 << 31}, ""}, // nor is what comes after it
		{[]uint32{0, 0, 7, 8}, ""},
	} {
		if got := strings.Join(statesOf(c.words).Names(), " "); got != c.want {
			t.Errorf("%x are %q, want %q", c.words, got, c.want)
		}
	}
	for i, name := range stateNames {
		if state, ok := StateNamed(name); !ok || state != 1<<i {
			t.Errorf("%q is %x", name, uint64(state))
		}
	}
	if _, ok := StateNamed("no such state"); ok {
		t.Error("a state that is none")
	}
	if StateShowing != 1<<25 || StateReadOnly != 1<<43 {
		t.Error("the constants are not AT-SPI's bits")
	}
}

func TestIfaces(t *testing.T) {
	t.Parallel()
	var set Iface
	for _, name := range []string{"org.a11y.atspi.Component", "org.a11y.atspi.Text", "org.a11y.atspi.Unheard", "Text", ""} {
		set |= ifaceBits[name]
	}
	if set != IfaceComponent|IfaceText || !slices.Equal(set.Names(), []string{"Component", "Text"}) {
		t.Errorf("%v", set.Names())
	}
}

func TestGTK4Names(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		role        Role
		real, class string
	}{
		{"GtkMenuButton", RolePushButton, "", "GtkMenuButton"},
		{"GtkImage", RoleLabel, "", "GtkImage"},
		{"AdwHeaderBar", RoleFiller, "", "AdwHeaderBar"},
		{"MyTextView", RoleText, "", "MyTextView"},
		{"DemoTaggedEntry", RoleText, "", "DemoTaggedEntry"},
		{"GTK Widget Factory", RoleWindow, "GTK Widget Factory", ""},
		{"GitHub", RolePushButton, "GitHub", ""},
		{"YouTube", RoleLink, "YouTube", ""},
		{"ListView", RoleLabel, "ListView", ""}, // a label says what it says
		{"Save", RolePushButton, "Save", ""},
		{"Gtk", RoleLabel, "Gtk", ""},
		{"Gtkx", RoleLabel, "Gtkx", ""},
		{"GTK", RoleLabel, "GTK", ""},
		{"OpenGL", RolePushButton, "OpenGL", ""},
		{"", RoleLabel, "", ""},
		{"Ünit", RoleLabel, "Ünit", ""},
	} {
		if real, class := gtk4Name(c.name, c.role); real != c.real || class != c.class {
			t.Errorf("%q (%v) is named %q of class %q, want %q of %q", c.name, c.role, real, class, c.real, c.class)
		}
	}
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	tree := &Tree{App: App{Toolkit: "GTK"}, Nodes: []Node{
		{Parent: -1, Name: "GtkImage", Description: "Cut", States: StateSensitive | StateVisible},
		{Parent: -1, Name: "Save", Description: "Save the document"},
		{Parent: -1, Name: "Same", Description: "Same"},
	}}
	tree.normalise()
	if n := tree.Nodes[0]; n.Name != "Cut" || n.Class != "GtkImage" || n.Description != "" || !n.States.Has(StateEnabled) {
		t.Errorf("an icon button: %+v", n)
	}
	if n := tree.Nodes[1]; n.Name != "Save" || n.Description == "" || n.States.Has(StateEnabled) {
		t.Errorf("a button: %+v", n)
	}
	if n := tree.Nodes[2]; n.Description != "" {
		t.Errorf("a description that says the name again: %+v", n)
	}
	other := &Tree{App: App{Toolkit: "gtk"}, Nodes: []Node{{Parent: -1, Name: "GtkImage", States: StateSensitive}}}
	other.normalise()
	if n := other.Nodes[0]; n.Name != "GtkImage" || n.States.Has(StateEnabled) {
		t.Errorf("GTK 3 names nothing by its class: %+v", n)
	}
}

func TestValidName(t *testing.T) {
	t.Parallel()
	long := ":1." + strings.Repeat("1", maxName)
	for name, want := range map[string][2]bool{ // valid, unique
		":1.7": {true, true}, ":1.1234": {true, true}, "org.a11y.atspi.Registry": {true, false},
		"": {}, ":": {}, ":1": {}, ":1.": {}, ":.1": {}, "org": {}, "org..x": {}, "1org.x": {}, "org.1x": {},
		"a b.c": {}, ":1.é": {}, long: {}, "org.x-y": {true, false}, ":1.7\x00": {},
	} {
		if validName(name) != want[0] || uniqueName(name) != want[1] {
			t.Errorf("%q: valid %v, unique %v; want %v", name, validName(name), uniqueName(name), want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	if got := clean("a\xffb\xc3"); got != "a\uFFFDb\uFFFD" {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"añ你😀", 3, "añ你"}, {"abc", 3, "abc"}, {"abc", 0, ""}, {"", 5, ""}} {
		if got := short(c.in, c.n); got != c.want {
			t.Errorf("%q cut to %d: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestSocketName(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"unix:path=/run/a/bus_0,guid=247019b9": "/run/a/bus_0", "unix:abstract=/tmp/dbus-x": "@/tmp/dbus-x",
		"unix:guid=1,path=/a%20b": "/a b", "unix:guid=1": "", "tcp:host=x": "", "": "", "unix:path=%zz": "",
	} {
		got, err := socketName(address)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", address, got, err, want)
		}
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	b := Budget{}.orDefault(DefaultCall)
	if b.Nodes != defaultNodes || b.Depth != defaultDepth || b.Children != defaultChildren || b.Bytes != defaultBytes ||
		b.Time != defaultTime || b.Call != DefaultCall || b.Window != defaultWindow {
		t.Errorf("%+v", b)
	}
	b = Budget{Nodes: -1, Depth: -1, Children: -1, Bytes: -1, Time: -1, Call: -1, Window: 1 << 30}.orDefault(1)
	if b.Nodes != defaultNodes || b.Window != maxWindow || b.Time != defaultTime || b.Call != 1 {
		t.Errorf("%+v", b)
	}
}
