package atspi

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPickAction(t *testing.T) {
	gtk4Text := []string{"clipboard.copy", "clipboard.paste", "selection.delete", "misc.insert-emoji", "clipboard.cut", "menu.popup", "selection.select-all"}
	tests := []struct {
		name    string
		role    Role
		actions []string
		want    string
		err     error
	}{
		{"GTK 3 button", RolePushButton, []string{"click"}, "click", nil},
		{"Qt button", RolePushButton, []string{"Press", "SetFocus"}, "Press", nil},
		{"the word counts, not the place", RolePushButton, []string{"SetFocus", "ShowMenu", "Press"}, "Press", nil},
		{"spelling is kept, case and space do not count", RolePushButton, []string{" CLICK "}, " CLICK ", nil},
		{"disabled Qt button", RolePushButton, nil, "", ErrNoAction},
		{"Qt check box", RoleCheckBox, []string{"Toggle", "SetFocus"}, "Toggle", nil},
		{"Firefox check box", RoleCheckBox, []string{"uncheck"}, "uncheck", nil},
		{"Chromium link", RoleLink, []string{"doDefault", "showContextMenu", "jump"}, "jump", nil},
		{"Chromium with a default action alone", RolePushButton, []string{"doDefault", "showContextMenu"}, "doDefault", nil},
		{"Chromium text in a link", RoleStatic, []string{"clickAncestor", "showContextMenu"}, "clickAncestor", nil},
		{"no click through the ancestor on a control", RolePushButton, []string{"clickAncestor"}, "", ErrNoAction},
		{"Firefox without a name", RoleSection, []string{""}, "", ErrNoAction},
		{"GTK 4 text view", RoleText, gtk4Text, "", ErrNoAction},
		{"GTK 4 label", RoleLabel, gtk4Text, "", ErrNoAction},
		{"GTK 4 frame", RoleFrame, []string{"window.close", "default.activate", "window.minimize"}, "", ErrNoAction},
		{"GTK 4 panel that inherits them", RolePanel, []string{"win.statusbar", "default.activate", "window.close"}, "", ErrNoAction},
		{"a window does not click", RoleFrame, []string{"click"}, "", ErrNoAction},
		{"Enter in a GTK entry is no click", RoleText, []string{"activate"}, "", ErrNoAction},
		{"Qt line edit", RoleText, []string{"SetFocus"}, "SetFocus", nil},
		{"Qt spin button", RoleSpinButton, []string{"SetFocus", "Increase", "Decrease"}, "SetFocus", nil},
		{"a slider is not stepped", RoleSlider, []string{"Increase", "Decrease"}, "", ErrNoAction},
		{"Qt container", RoleFiller, []string{"SetFocus"}, "", ErrNoAction},
		{"context menu of a button", RolePushButton, []string{"showContextMenu", "ShowMenu", "menu.popup"}, "", ErrNoAction},
		{"Qt menu bar entry", RoleMenuItem, []string{"ShowMenu"}, "ShowMenu", nil},
		{"Qt menu entry", RoleMenuItem, []string{"Press"}, "Press", nil},
		{"GTK 3 menu", RoleMenu, []string{"click"}, "click", nil},
		{"Qt combo box", RoleComboBox, []string{"ShowMenu", "Press"}, "Press", nil},
		{"Firefox open combo box", RoleComboBox, []string{"close"}, "close", nil},
		{"Qt list item", RoleListItem, []string{"Toggle"}, "Toggle", nil},
		{"GTK 3 tree cell", RoleTableCell, []string{"expand or contract", "edit", "activate"}, "activate", nil},
		{"neither expanding nor editing is a click", RoleTableCell, []string{"expand or contract", "edit"}, "", ErrNoAction},
		{"Firefox column header", RoleColumnHeader, []string{"sort"}, "sort", nil},
		{"twice", RolePushButton, []string{"click", "Click"}, "", ErrAmbiguous},
		{"a role of tomorrow", Role(9999), []string{"press"}, "press", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i, name, err := PickAction(tt.role, tt.actions)
			if !errors.Is(err, tt.err) {
				t.Fatalf("%d %q, %v; want %v", i, name, err, tt.err)
			}
			if tt.err != nil {
				var refused *ActionError
				if !errors.As(err, &refused) || !slices.Equal(refused.Actions, tt.actions) || refused.Actions == nil || i != -1 {
					t.Errorf("%d, %v does not list the node's actions", i, err)
				}
				return
			}
			if name != tt.want || tt.actions[i] != name {
				t.Errorf("%d %q, want %q", i, name, tt.want)
			}
		})
	}
}

func TestPickActionInBrowsers(t *testing.T) {
	for toolkit, want := range map[string]error{"Gecko": nil, "Chromium": nil, "gtk": ErrNoAction, "": ErrNoAction} {
		if _, _, err := PickActionIn(toolkit, RoleEntry, []string{"activate"}); !errors.Is(err, want) {
			t.Errorf("activate of a text field in %q: %v, want %v", toolkit, err, want)
		}
		if _, _, err := PickActionIn(toolkit, RolePushButton, []string{"press"}); err != nil {
			t.Errorf("press of a button in %q: %v", toolkit, err)
		}
	}
}

func TestNamedAction(t *testing.T) {
	actions := []string{"clipboard.copy", "Press", "x", "X"}
	if i, name, err := NamedAction(RoleText, actions, "PRESS"); i != 1 || name != "Press" || err != nil {
		t.Errorf("press: %d %q %v", i, name, err)
	}
	if i, _, err := NamedAction(RoleText, actions, "clipboard.copy"); i != 0 || err != nil {
		t.Errorf("who names it means it: %d %v", i, err)
	}
	if _, _, err := NamedAction(RoleText, actions, "x"); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("x: %v", err)
	}
	for _, none := range []string{"", "copy", "click"} {
		if _, _, err := NamedAction(RoleText, actions, none); !errors.Is(err, ErrNoAction) {
			t.Errorf("%q: %v", none, err)
		}
	}
}

func TestDisabled(t *testing.T) {
	tests := []struct {
		states States
		want   bool
	}{
		{StateEnabled | StateSensitive | StateShowing, false},
		{StateSensitive, false},
		{StateEnabled, false},
		{StateShowing | StateVisible | StateFocusable, true},
		{StateEnabled | StateSensitive | StateDefunct, true},
		{0, true},
	}
	for _, tt := range tests {
		if got := Disabled(tt.states); got != tt.want {
			t.Errorf("Disabled(%v) = %v", tt.states.Names(), got)
		}
	}
}

// Whatever names a stranger gives its actions, the choice is one of the words
// for the role, and an index into the list.
func FuzzPickAction(f *testing.F) {
	f.Add(uint32(RolePushButton), "click\nSetFocus\nwindow.close")
	f.Add(uint32(RoleText), "clipboard.copy\nactivate")
	f.Add(uint32(70000), "\xff\n\nİ")
	f.Fuzz(func(t *testing.T, role uint32, list string) {
		actions := strings.Split(list, "\n")
		i, name, err := PickAction(Role(role), actions)
		if err != nil {
			if i != -1 || !utf8.ValidString(err.Error()) && utf8.ValidString(list) {
				t.Fatalf("%d, %q", i, err)
			}
			return
		}
		if actions[i] != name || strings.ContainsAny(name, ".") || !slices.Contains(wordsFor(Role(role)), fold(name)) {
			t.Fatalf("%v %q: chose %q", Role(role), actions, name)
		}
	})
}
